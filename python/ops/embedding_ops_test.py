# SPDX-License-Identifier: Apache-2.0
"""embedding_lookup and embedding_lookup_sparse against NumPy."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.testing.op_testing import evaluate

ROWS, UNITS = 11, 3


def table(shape=(ROWS, UNITS)):
    return np.random.RandomState(0).standard_normal(shape).astype(np.float32)


def parts(t, count, strategy):
    if strategy == "mod":
        return [t[i::count] for i in range(count)]
    return np.array_split(t, count)


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default():
        yield


@pytest.mark.parametrize("strategy", ["mod", "div"])
@pytest.mark.parametrize("count", [1, 2, 4])
def test_lookup(count, strategy):
    t, ids = table(), np.array([[0, 10, 5], [5, 3, 1]])
    pieces = [tf.constant(p) for p in parts(t, count, strategy)]
    got = evaluate(tf.nn.embedding_lookup(pieces, ids, partition_strategy=strategy))
    np.testing.assert_array_equal(got, t[ids])


INDICES = [[0, 0], [0, 2], [1, 0], [2, 1], [2, 2], [2, 3]]
IDS = np.array([3, 1, 10, 3, 3, 0])
WEIGHTS = np.array([0.5, 2, 1, 3, 0.25, 1], np.float32)


def combine(t, weights, combiner):
    out = np.zeros([3, *t.shape[1:]])
    for row in range(3):
        mine = [i for i, (r, _) in enumerate(INDICES) if r == row]
        w = weights[mine].astype(np.float64)
        out[row] = np.tensordot(w, t[IDS[mine]], 1)
        if combiner == "mean":
            out[row] /= w.sum()
        elif combiner == "sqrtn":
            out[row] /= np.sqrt((w**2).sum())
    return out


@pytest.mark.parametrize("shape", [(ROWS, UNITS), (ROWS, 2, 4)])
@pytest.mark.parametrize("combiner", ["sum", "mean", "sqrtn"])
@pytest.mark.parametrize("weighted", [False, True])
def test_sparse_lookup(weighted, combiner, shape):
    t = table(shape)
    ids = tf.SparseTensor(INDICES, tf.constant(IDS), [3, 4])
    weights = tf.SparseTensor(INDICES, tf.constant(WEIGHTS), [3, 4])
    got = evaluate(
        tf.nn.embedding_lookup_sparse(
            t, ids, weights if weighted else None, combiner=combiner
        )
    )
    want = combine(t, WEIGHTS if weighted else np.ones_like(WEIGHTS), combiner)
    np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-6)


def test_max_norm_applies_to_each_row():
    t = table() * 10
    ids = tf.SparseTensor(INDICES, tf.constant(IDS), [3, 4])
    got = evaluate(
        tf.nn.embedding_lookup_sparse(t, ids, None, combiner="sum", max_norm=1.0)
    )
    norms = np.maximum(1, np.linalg.norm(t, axis=1, keepdims=True))
    want = combine(t / norms, np.ones_like(WEIGHTS), "sum")
    np.testing.assert_allclose(got, want, rtol=1e-5)


def test_sparse_lookup_is_differentiable():
    with tf.Session():
        t = tf.constant(table())
        ids = tf.SparseTensor(INDICES, tf.constant(IDS), [3, 4])
        weights = tf.SparseTensor(INDICES, tf.constant(WEIGHTS), [3, 4])
        y = tf.nn.embedding_lookup_sparse(t, ids, weights, combiner="sqrtn")
        error = tf.test.compute_gradient_error(t, [ROWS, UNITS], y, [3, UNITS])
        assert error < 1e-3


def test_bad_arguments():
    ids = tf.SparseTensor(INDICES, tf.constant(IDS), [3, 4])
    with pytest.raises(TypeError, match="sp_ids must be SparseTensor"):
        tf.nn.embedding_lookup_sparse(table(), IDS, None)
    with pytest.raises(TypeError, match="sp_weights must be SparseTensor"):
        tf.nn.embedding_lookup_sparse(table(), ids, WEIGHTS)
    with pytest.raises(ValueError, match="combiner must be one of"):
        tf.nn.embedding_lookup_sparse(table(), ids, None, combiner="max")


@pytest.mark.parametrize("strategy", ["mod", "div"])
@pytest.mark.parametrize("kind", [list, np.asarray])
def test_parts_may_be_arrays_or_lists(strategy, kind):
    t = table()
    shards = [kind(p.tolist()) for p in parts(t, 3, strategy)]
    ids = [0, 10, 4, 4, 7]
    found = evaluate(tf.nn.embedding_lookup(shards, ids, partition_strategy=strategy))
    np.testing.assert_allclose(found, t[ids])


# Rows 1 and 4 are empty, row 2 has a negative id and one without weight.
SAFE_INDICES = [[0, 0], [0, 2], [2, 0], [2, 1], [2, 2], [3, 0], [5, 1]]
SAFE_IDS = np.array([3, 1, -1, 4, 10, 3, 0])
SAFE_WEIGHTS = np.array([0.5, 2, 1, 0, 0.25, -1, 3], np.float32)


def safe(t, weights, combiner, default_id, clip=lambda x: x):
    t = clip(t)
    out = np.zeros([6, *t.shape[1:]])
    for row in range(6):
        pairs = [
            (i, w)
            for (r, _), i, w in zip(SAFE_INDICES, SAFE_IDS, weights, strict=True)
            if r == row and i >= 0 and (w > 0 or combiner == "sum")
        ]
        if not pairs:
            out[row] = 0 if default_id is None else t[default_id]
            continue
        w = np.array([w for _, w in pairs], np.float64)
        out[row] = np.tensordot(w, t[[i for i, _ in pairs]], 1)
        if combiner != "sum":
            out[row] /= w.sum() if combiner == "mean" else np.sqrt((w**2).sum())
    return out


def sparse(values, known=True, order=slice(None)):
    """A SparseTensor of SAFE_INDICES; its shapes known, or not."""
    shape = np.array([6, 3])
    arrays = np.array(SAFE_INDICES)[order], np.asarray(values)[order], shape
    if known:
        return tf.SparseTensor(*(tf.constant(a) for a in arrays))
    return tf.SparseTensor(*(tf.placeholder_with_default(a, None) for a in arrays))


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize("default_id", [None, 0, 5])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("combiner", ["sum", "mean", "sqrtn"])
@pytest.mark.parametrize("shape", [(ROWS, UNITS), (ROWS, 2, 4)])
def test_safe_lookups_fill_empty_rows(shape, combiner, weighted, default_id, known):
    t = table(shape)
    weights = SAFE_WEIGHTS if weighted else np.ones_like(SAFE_WEIGHTS)
    expected = safe(t, weights, combiner, default_id)
    for order in (slice(None), slice(None, None, -1)):
        got = tf.nn.safe_embedding_lookup_sparse(
            [tf.constant(p) for p in parts(t, 2, "div")],
            sparse(SAFE_IDS, known, order),
            sparse(SAFE_WEIGHTS, known, order) if weighted else None,
            combiner=combiner,
            default_id=default_id,
        )
        assert not known or got.shape.as_list() == list(expected.shape)
        np.testing.assert_allclose(evaluate(got), expected, rtol=1e-5, atol=1e-6)


def test_safe_lookups_of_more_dimensions():
    t = table()
    indices = [[0, 1, 0], [1, 0, 1], [1, 2, 0]]
    ids = tf.SparseTensor(indices, tf.constant([4, 7, -1]), [2, 3, 2])
    got = tf.nn.safe_embedding_lookup_sparse(tf.constant(t), ids)
    expected = np.zeros([2, 3, UNITS])
    expected[0, 1], expected[1, 0] = t[4], t[7]
    assert got.shape.as_list() == [2, 3, UNITS]
    np.testing.assert_allclose(evaluate(got), expected)
    none = tf.SparseTensor(np.zeros([0, 2], np.int64), np.zeros([0], np.int64), [4, 2])
    got = tf.nn.safe_embedding_lookup_sparse(tf.constant(t), none, default_id=2)
    np.testing.assert_allclose(evaluate(got), np.stack([t[2]] * 4))


def test_safe_lookups_clip_rows():
    def clip(t):
        return t / np.maximum(np.linalg.norm(t, axis=1, keepdims=True), 1)

    expected = safe(table(), SAFE_WEIGHTS, "mean", 2, clip)
    got = tf.nn.safe_embedding_lookup_sparse(
        tf.constant(table()),
        sparse(SAFE_IDS),
        sparse(SAFE_WEIGHTS),
        default_id=2,
        max_norm=1.0,
    )
    np.testing.assert_allclose(evaluate(got), expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("default_id", [None, 5])
@pytest.mark.parametrize("combiner", ["sum", "mean", "sqrtn"])
def test_gradients_of_safe_lookups(combiner, default_id):
    with tf.Session():
        t = tf.constant(table().astype(np.float64))
        y = tf.nn.safe_embedding_lookup_sparse(
            t, sparse(SAFE_IDS), sparse(SAFE_WEIGHTS), combiner, default_id
        )
        error = tf.test.compute_gradient_error(t, [ROWS, UNITS], y, [6, UNITS])
    assert error < 1e-6


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ((None, "ids"), ValueError, "needs a table"),
        (([], "ids"), ValueError, "needs a table"),
        (("t", [[1]]), TypeError, "sparse_ids must be SparseTensor"),
        (("t", "ids", [1.0]), TypeError, "sparse_weights must be SparseTensor"),
        (("t", "ids", None, "max"), ValueError, "combiner must be one of"),
    ],
)
def test_safe_lookups_name_mistakes(arguments, error, words):
    stand_for = {"t": tf.constant(table()), "ids": sparse(SAFE_IDS)}
    arguments = [stand_for.get(a, a) if isinstance(a, str) else a for a in arguments]
    with pytest.raises(error, match=words):
        tf.nn.safe_embedding_lookup_sparse(*arguments)


@pytest.mark.parametrize("bad", [ROWS, -1])
def test_safe_lookups_refuse_a_default_out_of_range(bad):
    got = tf.nn.safe_embedding_lookup_sparse(
        tf.constant(table()), sparse(SAFE_IDS), default_id=bad
    )
    with pytest.raises(tf.errors.InvalidArgumentError, match="not in"):
        evaluate(got)
