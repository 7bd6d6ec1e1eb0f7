# SPDX-License-Identifier: Apache-2.0
"""Elements of several datasets, by choice and by chance."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.kernel_tests.dataset.elements import (
    Dataset,
    elements,
    scalar,
)

pytestmark = pytest.mark.usefixtures("fresh_graph")


def _three():
    return [Dataset.from_tensors(i).repeat(n) for i, n in enumerate([2, 1, 3])]


def _chosen(choices, **kwargs):
    choices = Dataset.from_tensor_slices(np.asarray(choices, np.int64))
    return elements(Dataset.choose_from_datasets(_three(), choices, **kwargs))


def test_a_choice_for_every_element():
    assert _chosen([2, 0, 1, 0, 2, 2]) == [2, 0, 1, 0, 2, 2]
    assert _chosen([2, 0]) == [2, 0]


def test_a_dataset_that_is_at_its_end():
    assert _chosen([1, 1, 0, 0, 0, 2]) == [1]
    assert _chosen([1, 1, 0, 0, 0, 2], stop_on_empty_dataset=False) == [1, 0, 0, 2]


def test_choices_outside_are_refused():
    for choice in (3, -1):
        with pytest.raises(
            tf.errors.InvalidArgumentError, match="Selector index out of range"
        ):
            _chosen([0, choice])
    with pytest.raises(TypeError, match="choice_dataset"):
        Dataset.choose_from_datasets(_three(), Dataset.from_tensors(1.0))
    with pytest.raises(ValueError, match="empty"):
        Dataset.choose_from_datasets([], Dataset.range(3))
    with pytest.raises(TypeError, match="same type"):
        other = [Dataset.range(2), Dataset.from_tensors(1.0)]
        Dataset.choose_from_datasets(other, Dataset.range(2))


def test_a_choice_must_be_a_scalar():
    choices = Dataset.range(2).map(lambda x: tf.py_func(_row, [x], tf.int64))
    with pytest.raises(tf.errors.InvalidArgumentError, match="must be a scalar"):
        elements(Dataset.choose_from_datasets(_three(), choices))


def _row(value):
    return np.asarray([value])


def test_shapes_are_what_all_are():
    datasets = [Dataset.from_tensors(np.zeros([2, n])) for n in (1, 3)]
    mixed = Dataset.choose_from_datasets(datasets, Dataset.range(2))
    assert mixed.output_shapes.as_list() == [2, None]
    assert [np.shape(x) for x in elements(mixed)] == [(2, 1), (2, 3)]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("form", ["list", "tensor", "dataset"])
def test_samples_follow_the_weights(dtype, form):
    weights = np.asarray([0.1, 0.6, 0.3], dtype)
    given = {
        "list": list(weights),
        "tensor": tf.constant(weights),
        "dataset": Dataset.from_tensors(weights).repeat(),
    }[form]
    forever = [Dataset.from_tensors(i).repeat() for i in range(3)]
    n = 4000
    dataset = Dataset.sample_from_datasets(forever, given, seed=11).take(n)
    counts = np.bincount(elements(dataset), minlength=3)
    # Five standard deviations of a binomial distribution.
    assert np.all(np.abs(counts - n * weights) < 5 * np.sqrt(n * weights))


def test_samples_repeat_for_a_seed_and_end_with_all():
    tf.set_random_seed(1)
    first, second = (
        elements(Dataset.sample_from_datasets(_three(), seed=4)) for _ in range(2)
    )
    assert first == second
    assert sorted(first) == [0, 0, 1, 2, 2, 2]


def test_a_weight_of_zero_is_never_drawn():
    dataset = Dataset.sample_from_datasets(_three(), [0.5, 0.0, 0.5], seed=1)
    assert sorted(elements(dataset)) == [0, 0, 2, 2, 2]
    dataset = Dataset.sample_from_datasets(
        _three(), tf.constant([0.5, 0.0, 0.5]), seed=1, stop_on_empty_dataset=True
    )
    assert 1 not in elements(dataset)


def test_weights_that_do_not_fit_are_refused():
    for weights in ([0.5, 0.5], tf.constant([0.5, 0.5])):
        with pytest.raises(ValueError, match="weights"):
            Dataset.sample_from_datasets(_three(), weights)
    with pytest.raises(TypeError, match="weights"):
        Dataset.sample_from_datasets(_three(), [1, 2, 3])
    for weights in ([-1.0, 2.0, 1.0], [np.nan, 1.0, 1.0]):
        with pytest.raises(ValueError, match="at least 0"):
            Dataset.sample_from_datasets(_three(), weights)
    with pytest.raises(ValueError, match="rerandomize"):
        Dataset.sample_from_datasets(_three(), rerandomize_each_iteration=True)


@pytest.mark.parametrize("known", [True, False])
def test_rejection_resample(known):
    initial, target = np.float32([0.7, 0.2, 0.1]), np.float32([0.2, 0.4, 0.4])
    rng = np.random.RandomState(1)
    n = 6000
    classes = rng.choice(3, n, p=initial / initial.sum()).astype(np.int32)
    dataset = Dataset.from_tensor_slices((np.arange(n), classes)).rejection_resample(
        lambda number, c: c, target, initial if known else None, seed=3
    )
    kept = elements(dataset)
    assert all(c == classes[number] == label for c, (number, label) in kept)
    shares = np.bincount([c for c, _ in kept], minlength=3) / len(kept)
    np.testing.assert_allclose(shares, target, atol=0.05)
    # The rule leaves out the fewest elements possible: class 2 is kept whole.
    assert sum(c == 2 for c, _ in kept) >= (1 if known else 0.9) * sum(classes == 2)


def test_unknown_selectors_run():
    dataset = Dataset.choose_from_datasets(
        _three(), Dataset.from_tensors(scalar(2)).repeat(2)
    )
    assert elements(dataset) == [2, 2]


@pytest.mark.parametrize(
    "arguments, error, words",
    [
        ((None, [0.5, 0.5]), TypeError, "`class_func` must be a function"),
        ((lambda x: "a", [0.5, 0.5]), TypeError, "`class_func` must return"),
        ((lambda x: [x, x], [0.5, 0.5]), TypeError, "`class_func` must return"),
        ((lambda x: x, "abc"), TypeError, "`target_dist` must be numbers"),
        ((lambda x: x, None), ValueError, "`target_dist` must be a vector"),
        ((lambda x: x, [[0.5, 0.5]]), ValueError, "`target_dist` must be a vector"),
        ((lambda x: x, [-0.5, 0.5]), ValueError, "`target_dist` must be at least 0"),
        ((lambda x: x, [0.5] * 2, "x"), TypeError, "`initial_dist` must be numbers"),
        ((lambda x: x, [0.5] * 2, [0.3] * 3), ValueError, "got 3 and 2"),
    ],
)
def test_rejection_resample_names_what_is_wrong(arguments, error, words):
    with pytest.raises(error, match=f"Dataset.rejection_resample: .*{words}"):
        Dataset.range(3).rejection_resample(*arguments)
