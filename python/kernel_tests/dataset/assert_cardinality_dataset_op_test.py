# SPDX-License-Identifier: Apache-2.0
"""How many elements there are."""

import pytest

import tensorwright as tf
from tensorwright.python.kernel_tests.dataset.elements import (
    Dataset,
    elements,
)

pytestmark = pytest.mark.usefixtures("fresh_graph")

INFINITE = tf.data.experimental.INFINITE_CARDINALITY
UNKNOWN = tf.data.experimental.UNKNOWN_CARDINALITY


def _cardinality(dataset):
    with tf.Session() as session:
        return session.run(tf.data.experimental.cardinality(dataset))


@pytest.mark.parametrize(
    "build, want",
    [
        (lambda: Dataset.range(5), 5),
        (lambda: Dataset.from_tensors(1), 1),
        (lambda: Dataset.from_tensor_slices([1, 2, 3]), 3),
        (lambda: Dataset.range(5).repeat(), INFINITE),
        (lambda: Dataset.range(5).repeat(3), 15),
        (lambda: Dataset.range(5).take(2), 2),
        (lambda: Dataset.range(5).skip(2), 3),
        (lambda: Dataset.range(5).batch(2), 3),
        (lambda: Dataset.range(5).batch(2, drop_remainder=True), 2),
        (lambda: Dataset.range(5).concatenate(Dataset.range(2)), 7),
        (lambda: Dataset.zip((Dataset.range(5), Dataset.range(3))), 3),
        (lambda: Dataset.range(5).shuffle(3), 5),
        (lambda: Dataset.range(5).prefetch(1), 5),
        (lambda: Dataset.range(5).filter(lambda x: x > 1), UNKNOWN),
        (lambda: Dataset.range(5).flat_map(Dataset.from_tensors), UNKNOWN),
        (lambda: Dataset.range(5).take_while(lambda x: x > 1), UNKNOWN),
        (lambda: Dataset.range(5).unique(), UNKNOWN),
    ],
)
def test_cardinality(build, want):
    assert _cardinality(build()) == want


def _asserted(dataset, n):
    return dataset.apply(tf.data.experimental.assert_cardinality(n))


def test_what_is_right_passes():
    odd = Dataset.range(10).filter(lambda x: tf.equal(x % 2, 1))
    dataset = _asserted(odd, 5)
    assert _cardinality(dataset) == 5
    assert elements(dataset) == [1, 3, 5, 7, 9]
    assert elements(_asserted(Dataset.range(0), 0)) == []
    assert elements(_asserted(Dataset.range(3).repeat(), INFINITE).take(4)) == [
        0,
        1,
        2,
        0,
    ]


@pytest.mark.parametrize(
    "n, words",
    [
        (6, "contain 6 elements but contained only 5 elements"),
        (4, "contain 4 elements but contained at least 5 elements"),
        (INFINITE, "an infinite number of elements but contained only 5"),
        (1, "contain 1 element but contained at least 2 elements"),
    ],
)
def test_what_is_wrong_is_said(n, words):
    with pytest.raises(tf.errors.FailedPreconditionError, match=words):
        elements(_asserted(Dataset.range(5), n))


def _fingerprints(*datasets):
    with tf.Session() as session:
        return session.run([dataset.fingerprint() for dataset in datasets])


def test_fingerprints_are_of_what_a_dataset_is_made_of():
    def build(n=5, factor=2, words=("a", "b")):
        a = Dataset.range(n).map(lambda x: x * factor)
        return Dataset.zip((a, Dataset.from_tensor_slices(list(words)))).batch(2)

    first, again, *others = _fingerprints(
        build(), build(), build(n=6), build(factor=3), build(words=("a", "c")),
        build().repeat(), build().prefetch(1), build().prefetch(2),
    )  # fmt: skip
    assert first == again
    assert len({first, *others}) == 1 + len(others)


def test_fingerprints_are_the_same_in_every_process():
    dataset = Dataset.range(10).filter(lambda x: x > 3).map(lambda x: x * x).batch(3)
    (number,) = _fingerprints(dataset)
    assert number == 18423855865088024388  # Another process found this number.


def test_windows_have_no_fingerprint():
    windows = Dataset.range(4).window(2)
    window = tf.data.make_one_shot_iterator(windows).get_next()
    with tf.Session() as session:
        with pytest.raises(tf.errors.InvalidArgumentError, match="no fingerprint"):
            session.run(window.fingerprint())
