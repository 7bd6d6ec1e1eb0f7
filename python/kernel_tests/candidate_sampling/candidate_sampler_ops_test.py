# SPDX-License-Identifier: Apache-2.0
"""Candidate samplers: what they may draw, how often, and what is expected; losses that use them."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.kernel_tests.op_table import check_gradient
from tensorwright.python.ops import gen_candidate_sampling_ops, nn_impl
from tensorwright.python.testing.op_testing import fed

TRUE = np.array([[0, 3], [5, 1], [2, 2]], np.int64)
N = 8


def uniform(k):
    return np.full(np.shape(k), 1 / N)


def log_uniform(k):
    return np.log((k + 2) / (k + 1)) / np.log(N + 1)


UNIGRAMS = np.array([1.0, 0, 3, 2, 4, 1, 1, 4])


def fixed(k):
    return UNIGRAMS[k] ** 0.5 / np.sum(UNIGRAMS**0.5)


def build(name, num_sampled, unique, seed=7):
    def function(true_classes):
        if name == "fixed_unigram":
            return tf.nn.fixed_unigram_candidate_sampler(
                true_classes, 2, num_sampled, unique, N,
                distortion=0.5, unigrams=UNIGRAMS, seed=seed,
            )  # fmt: skip
        op = getattr(tf.nn, f"{name}_candidate_sampler")
        return op(true_classes, 2, num_sampled, unique, N, seed=seed)

    return function


PROBABILITIES = {
    "uniform": uniform,
    "log_uniform": log_uniform,
    "learned_unigram": uniform,
    "fixed_unigram": fixed,
}


@pytest.mark.parametrize("name", PROBABILITIES)
def test_frequencies_and_expected_counts(name):
    n = 20_000
    p = PROBABILITIES[name]
    drawn, of_true, of_drawn = fed(build(name, n, False), TRUE, known=True)
    assert drawn.dtype == np.int64
    np.testing.assert_allclose(of_true, n * p(TRUE), rtol=1e-5)
    np.testing.assert_allclose(of_drawn, n * p(drawn), rtol=1e-5)
    counts = np.bincount(drawn, minlength=N)
    spread = 5 * np.sqrt(n * p(np.arange(N))) + 1e-9
    assert np.all(np.abs(counts - n * p(np.arange(N))) <= spread)


@pytest.mark.parametrize("name", PROBABILITIES)
def test_unique_classes(name):
    p = PROBABILITIES[name]
    drawn, of_true, of_drawn = fed(build(name, 5, True), TRUE)
    assert len(set(drawn)) == 5
    # So many draws were needed; each class is expected by its chance to be among them.
    with np.errstate(divide="ignore"):
        tries = np.log1p(-of_drawn.astype(float)) / np.log1p(-p(drawn))
    if not np.allclose(of_drawn, 5 * p(drawn), rtol=1e-5):
        np.testing.assert_allclose(tries, tries[0], rtol=1e-3)
        assert round(tries[0]) > 5
        np.testing.assert_allclose(of_true, 1 - (1 - p(TRUE)) ** tries[0], rtol=1e-3)


@pytest.mark.parametrize("name", ["uniform", "log_uniform", "learned_unigram"])
def test_all_classes_are_drawn_once_if_as_many_are_asked_for(name):
    drawn, _, _ = fed(build(name, N, True), TRUE)
    assert sorted(drawn.tolist()) == list(range(N))


def test_the_same_seed_draws_the_same():
    for name in PROBABILITIES:
        first, second, other = (
            fed(build(name, 6, False, s), TRUE)[0] for s in (1, 1, 2)
        )
        np.testing.assert_array_equal(first, second)
        assert np.any(first != other)


@pytest.mark.parametrize(
    "op",
    [
        gen_candidate_sampling_ops.learned_unigram_candidate_sampler,
        gen_candidate_sampling_ops.thread_unsafe_unigram_candidate_sampler,
    ],
)
def test_learned_weights_grow_with_the_classes_seen(op):
    with tf.Graph().as_default(), tf.Session() as session:
        outputs = op(TRUE, 2, 3, False, N, seed=1, seed2=1)
        weights = np.ones(N)
        for _ in range(3):
            drawn, of_true, of_drawn = session.run(outputs)
            total = weights.sum()
            np.testing.assert_allclose(of_true, 3 * weights[TRUE] / total, rtol=1e-5)
            np.testing.assert_allclose(of_drawn, 3 * weights[drawn] / total, rtol=1e-5)
            np.add.at(weights, TRUE.ravel(), 1)


def test_vocabulary_files_shards_and_reserved_classes(tmp_path):
    path = tmp_path / "vocabulary.csv"
    path.write_text("a,2\nb,5\nc,3\nd,1\n")

    def function(true_classes, **kwargs):
        return tf.nn.fixed_unigram_candidate_sampler(
            true_classes, 2, 1000, False, vocab_file=str(path), seed=3, **kwargs
        )

    drawn, of_true, _ = fed(
        lambda t: function(t, range_max=5, num_reserved_ids=1), TRUE % 5
    )
    assert set(drawn) == {1, 2, 3, 4}
    weights = np.array([0, 2, 5, 3, 1]) / 11
    np.testing.assert_allclose(of_true, 1000 * weights[TRUE % 5], rtol=1e-5)
    drawn, of_true, _ = fed(
        lambda t: function(t, range_max=2, num_shards=2, shard=1), TRUE % 2
    )
    np.testing.assert_allclose(
        of_true, 1000 * np.array([5, 1])[TRUE % 2] / 6, rtol=1e-5
    )


def test_all_classes():
    drawn, of_true, of_drawn = fed(
        lambda t: tf.nn.all_candidate_sampler(t, 2, 6, True), TRUE
    )
    np.testing.assert_array_equal(drawn, range(6))
    np.testing.assert_array_equal(of_true, np.ones([3, 2]))
    np.testing.assert_array_equal(of_drawn, np.ones(6))


def test_accidental_hits():
    sampled = np.array([3, 9, 2, 5], np.int64)
    row, place, weights = fed(
        lambda t, s: tf.nn.compute_accidental_hits(t, s, 2), TRUE, sampled
    )
    np.testing.assert_array_equal(row, [0, 1, 2, 2])
    np.testing.assert_array_equal(place, [0, 3, 2, 2])
    np.testing.assert_array_equal(weights, np.full(4, np.finfo(np.float32).min))


def test_bad_input_is_refused(tmp_path):
    refused = pytest.raises((tf.errors.InvalidArgumentError, ValueError))
    with refused:
        fed(build("uniform", 5, True), TRUE[:, :1])
    with refused:
        fed(build("uniform", 5, True), TRUE[0])
    for name in ("uniform", "fixed_unigram"):
        with pytest.raises(tf.errors.InvalidArgumentError, match="too small"):
            fed(build(name, N + 1, True), TRUE)
    outside = pytest.raises(tf.errors.InvalidArgumentError, match=r"not in \[0, ")
    for name in PROBABILITIES:
        for by in (N - 5, -1):
            with outside:
                fed(build(name, 2, False), TRUE + by)
    with outside:
        fed(lambda t: tf.nn.all_candidate_sampler(t, 2, 5, True), TRUE)
    sampler = tf.nn.fixed_unigram_candidate_sampler
    (tmp_path / "bad.csv").write_text("a,b\n")
    for kwargs, words in [
        ({"range_max": 3}, "exactly one"),
        ({"range_max": 3, "unigrams": [1.0, 2.0]}, "range_max"),
        ({"range_max": 2, "unigrams": [0.0, 0.0]}, "positive"),
        ({"range_max": 2, "unigrams": [-1.0, 1.0]}, "negative"),
        (
            {"range_max": 1, "vocab_file": str(tmp_path / "bad.csv")},
            "vocabulary format",
        ),
        ({"range_max": 2, "unigrams": [1.0, 1.0], "shard": 1}, "shard"),
        (
            {"range_max": 2, "unigrams": [1.0], "num_reserved_ids": 3},
            "num_reserved_ids",
        ),
    ]:
        with pytest.raises(tf.errors.InvalidArgumentError, match=words):
            fed(lambda t, k=kwargs: sampler(t, 2, 1, False, **k), TRUE)
    with pytest.raises(tf.errors.NotFoundError):
        fed(lambda t: sampler(t, 2, 1, False, 2, vocab_file="/nowhere/x"), TRUE)


def losses_in_numpy(weights, biases, inputs, samples, remove):
    sampled, of_true, of_sampled = samples
    right = (
        np.einsum("bd,btd->bt", inputs, weights[TRUE]) + biases[TRUE] - np.log(of_true)
    )
    wrong = inputs @ weights[sampled].T + biases[sampled]
    if remove:
        for i, row in enumerate(TRUE):
            wrong[i, np.isin(sampled, row)] = -np.inf
    wrong = wrong - np.log(of_sampled)
    logits = np.concatenate([right, wrong], 1)
    truth = np.concatenate([np.full(right.shape, 0.5), np.zeros(wrong.shape)], 1)
    softplus = np.logaddexp(0, logits)
    with np.errstate(invalid="ignore"):
        nce = (softplus - np.where(truth > 0, truth * logits, 0)).sum(1)
    shifted = logits - np.log(np.exp(logits).sum(1, keepdims=True))
    softmax = -np.where(truth > 0, truth * shifted, 0).sum(1)
    return nce, softmax


@pytest.mark.parametrize("remove", [False, True])
@pytest.mark.parametrize("parts", [1, 3])
def test_sampled_losses(parts, remove):
    rng = np.random.RandomState(0)
    weights, biases, inputs = (
        rng.normal(size=[N, 4]),
        rng.normal(size=[N]),
        rng.normal(size=[3, 4]),
    )
    samples = (
        np.array([1, 5, 6, 7]),
        rng.uniform(1, 2, [3, 2]),
        rng.uniform(1, 2, [4]),
    )

    def losses(w, b, x):
        values = [tf.constant(s) for s in samples]
        w = [w[i::parts] for i in range(parts)]
        b = [b[i::parts] for i in range(parts)]
        arguments = (w, b, tf.constant(TRUE), x, 4, N, 2, values)
        return [
            tf.nn.nce_loss(*arguments, remove_accidental_hits=remove),
            tf.nn.sampled_softmax_loss(*arguments, remove_accidental_hits=remove),
        ]

    got = fed(losses, weights, biases, inputs)
    want = losses_in_numpy(weights, biases, inputs, samples, remove)
    np.testing.assert_allclose(got, want, rtol=1e-6)
    check_gradient(
        lambda *x: tf.stack(losses(*x)), [weights, biases, inputs], [0, 1, 2]
    )


def test_losses_draw_for_themselves():
    rng = np.random.RandomState(0)
    weights, biases = rng.normal(size=[N, 4]), np.zeros(N)
    got = fed(
        lambda x: tf.nn.sampled_softmax_loss(weights, biases, TRUE, x, 5, N, 2, seed=1),
        rng.normal(size=[3, 4]),
    )
    assert got.shape == (3,)
    assert np.isfinite(got).all()


@pytest.mark.parametrize(
    "name", ["all", "fixed_unigram", "learned_unigram", "log_uniform", "uniform"]
)
def test_samplers_are_functions_of_random_too(name):
    name = f"{name}_candidate_sampler"
    assert getattr(tf.random, name) is getattr(tf.nn, name)


def test_sampled_logits_without_their_log_counts():
    rng = np.random.RandomState(0)
    weights, biases = rng.normal(size=[N, 4]), rng.normal(size=[N])
    inputs, sampled = rng.normal(size=[3, 4]), np.array([1, 5, 6])
    samples = (sampled, np.full([3, 2], 2.0), np.full([3], 4.0))

    def logits(subtract):
        return fed(
            lambda w, b, x: nn_impl._compute_sampled_logits(
                *(w, b, TRUE, x, 3, N, 2, [tf.constant(s) for s in samples]),
                subtract_log_q=subtract,
            ),
            *(weights, biases, inputs),
        )

    right = np.einsum("bd,btd->bt", inputs, weights[TRUE]) + biases[TRUE]
    wrong = inputs @ weights[sampled].T + biases[sampled]
    out, labels = logits(False)
    np.testing.assert_allclose(out, np.concatenate([right, wrong], 1), rtol=1e-6)
    np.testing.assert_array_equal(labels, [[0.5, 0.5, 0, 0, 0]] * 3)
    less, _ = logits(True)
    np.testing.assert_allclose(out - less, [np.log([2, 2, 4, 4, 4])] * 3, rtol=1e-6)


def test_rows_are_summed():
    assert fed(nn_impl._sum_rows, np.array([[1.0, 2], [3, 4]])).tolist() == [3, 7]
