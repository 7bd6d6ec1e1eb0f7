# SPDX-License-Identifier: Apache-2.0
"""embedding_lookup and embedding_lookup_sparse against NumPy."""

import numpy as np
import pytest

import tensorwright as tf

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


def run(fetches):
    with tf.Session() as sess:
        return sess.run(fetches)


@pytest.mark.parametrize("strategy", ["mod", "div"])
@pytest.mark.parametrize("count", [1, 2, 4])
def test_lookup(count, strategy):
    t, ids = table(), np.array([[0, 10, 5], [5, 3, 1]])
    pieces = [tf.constant(p) for p in parts(t, count, strategy)]
    got = run(tf.nn.embedding_lookup(pieces, ids, partition_strategy=strategy))
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
    got = run(
        tf.nn.embedding_lookup_sparse(
            t, ids, weights if weighted else None, combiner=combiner
        )
    )
    want = combine(t, WEIGHTS if weighted else np.ones_like(WEIGHTS), combiner)
    np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-6)


def test_max_norm_applies_to_each_row():
    t = table() * 10
    ids = tf.SparseTensor(INDICES, tf.constant(IDS), [3, 4])
    got = run(tf.nn.embedding_lookup_sparse(t, ids, None, combiner="sum", max_norm=1.0))
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
    found = run(tf.nn.embedding_lookup(shards, ids, partition_strategy=strategy))
    np.testing.assert_allclose(found, t[ids])
