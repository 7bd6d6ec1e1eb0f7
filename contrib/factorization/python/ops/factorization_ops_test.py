# SPDX-License-Identifier: Apache-2.0
"""Sweeps of WALSModel against the normal equations of each row, solved by NumPy."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.contrib.factorization.python.ops import factorization_ops

pytestmark = pytest.mark.usefixtures("fresh_graph")

N, M, K = 5, 7, 3
RNG = np.random.RandomState(0)
A = (RNG.randn(N, M) * (RNG.rand(N, M) < 0.6)).astype(np.float32)
A[:, 0] = A[0] = 1.5  # No row and no column is empty.
U, V = RNG.randn(N, K).astype(np.float32), RNG.randn(M, K).astype(np.float32)
ROW_WEIGHTS, COL_WEIGHTS = np.linspace(0.5, 2, N), np.linspace(0.2, 1, M)
UNOBSERVED, REGULARIZATION = 0.1, 0.3
FULL = {"unobserved_weight": UNOBSERVED, "regularization": REGULARIZATION, "row_init": U, "col_init": V}  # fmt: skip


def entries(rows=slice(None), cols=slice(None), transpose=False, shuffle=False):
    """Entries of some rows and columns of A at their places in A, a SparseTensorValue."""
    kept = np.zeros_like(A)
    kept[rows, cols] = A[rows, cols]
    kept = kept.T if transpose else kept
    places = np.argwhere(kept)
    if shuffle:
        places = RNG.permutation(places)
    return tf.SparseTensorValue(places, kept[tuple(places.T)], kept.shape)


def weights(row=ROW_WEIGHTS, col=COL_WEIGHTS, a=A):
    return UNOBSERVED + np.outer(row, col) * (a != 0)


def solved(a, w, fixed, regularization=REGULARIZATION):
    """The rows of factors whose weighted squares are least."""
    out = []
    for values, of_row in zip(a, w, strict=True):
        left = (fixed.T * of_row) @ fixed + regularization * np.eye(fixed.shape[1])
        out.append(np.linalg.solve(left, fixed.T @ (of_row * values)))
    return np.array(out)


def in_shards(values, count):
    return [part.tolist() for part in np.array_split(values, count)]


def started(session, model):
    session.run([model.initialize_op, model.worker_init])


def row_sweep(session, model):
    session.run(model.row_update_prep_gramian_op)
    session.run(model.initialize_row_update_op)


def col_sweep(session, model):
    session.run(model.col_update_prep_gramian_op)
    session.run(model.initialize_col_update_op)


CACHES = [(True, True), (False, False), (True, False), (False, True)]


@pytest.mark.parametrize("shards", [1, 2, 3])
@pytest.mark.parametrize("caches", CACHES)
@pytest.mark.parametrize("transpose", [False, True])
def test_sweeps_in_batches_solve_the_normal_equations(caches, shards, transpose):
    model = factorization_ops.WALSModel(
        N, M, K, num_row_shards=shards, num_col_shards=shards,
        row_weights=in_shards(ROW_WEIGHTS, shards), col_weights=in_shards(COL_WEIGHTS, shards),
        use_factors_weights_cache=caches[0], use_gramian_cache=caches[1], **FULL,
    )  # fmt: skip
    given = tf.sparse_placeholder(tf.float32)
    _, row_update, *_ = model.update_row_factors(given, transpose)
    _, col_update, *_ = model.update_col_factors(given, transpose)
    assert len(model.row_factors) == len(model.col_weights) == shards
    with tf.Session() as session:
        started(session, model)
        row_sweep(session, model)
        for rows in ([0, 3], [4, 1, 2]):
            session.run(row_update, {given: entries(rows, transpose=transpose, shuffle=True)})  # fmt: skip
        u = solved(A, weights(), V)
        np.testing.assert_allclose(np.concatenate(session.run(model.row_factors)), u, rtol=1e-3, atol=1e-4)  # fmt: skip
        np.testing.assert_array_equal(np.concatenate(session.run(model.col_factors)), V)
        col_sweep(session, model)
        for cols in ([6, 0], [1, 2, 3, 4, 5]):
            session.run(col_update, {given: entries(cols=cols, transpose=transpose, shuffle=True)})  # fmt: skip
        v = solved(A.T, weights().T, u)
        np.testing.assert_allclose(np.concatenate(session.run(model.col_factors)), v, rtol=1e-3, atol=1e-3)  # fmt: skip


def test_rows_come_in_the_order_of_their_first_entries():
    model = factorization_ops.WALSModel(N, M, K, **FULL)
    given = tf.SparseTensor([[3, 0], [1, 0], [3, 2]], [1.5, 1.5, 2.0], [N, M])
    found, *_ = model.update_row_factors(given)
    assert found.get_shape().as_list() == [None, K]
    a = np.zeros([2, M])
    a[0, 0], a[0, 2], a[1, 0] = 1.5, 2.0, 1.5
    with tf.Session() as session:
        started(session, model)
        row_sweep(session, model)
        want = solved(a, UNOBSERVED + (a != 0), V)
        np.testing.assert_allclose(session.run(found), want, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("side", ["row", "col"])
@pytest.mark.parametrize("weighted", [True, False])
def test_losses_of_a_batch_stand_for_the_whole_matrix(side, weighted):
    given = (ROW_WEIGHTS, COL_WEIGHTS) if weighted else (None, None)
    model = factorization_ops.WALSModel(
        N, M, K, row_weights=weighted and [given[0]] or None, col_weights=weighted and [given[1]] or None, **FULL
    )  # fmt: skip
    w = weights() if weighted else np.full([N, M], UNOBSERVED)
    a, fixed = A, V
    if side == "col":
        a, w, fixed = A.T, w.T, U
        batch = entries(cols=[1, 4, 5])
        found, _, *losses = model.update_col_factors(batch)
        chosen, part = [1, 4, 5], M / 3
    else:
        batch = entries([0, 2])
        found, _, *losses = model.update_row_factors(batch)
        chosen, part = [0, 2], N / 2
    a, w = a[chosen], w[chosen]
    new = solved(a, w, fixed)
    with tf.Session() as session:
        started(session, model)
        row_sweep(session, model)
        col_sweep(session, model)
        got, values = session.run([found, losses])
    np.testing.assert_allclose(got, new, rtol=1e-3, atol=1e-4)
    want = [
        (w * (a - new @ fixed.T) ** 2).sum() * part,
        REGULARIZATION * ((new**2).sum() * part + (fixed**2).sum()),
        w.sum() * part,
    ]
    np.testing.assert_allclose(values, want, rtol=1e-4)


def test_there_may_be_no_regularization_and_no_unobserved_weight():
    dense = RNG.randn(4, 5).astype(np.float32)
    fixed = RNG.randn(5, 2).astype(np.float32)
    model = factorization_ops.WALSModel(4, 5, 2, 0.0, None, col_init=fixed)
    places = np.argwhere(dense)
    found, _, loss, added, total = model.update_row_factors(
        tf.SparseTensor(places, dense.ravel(), dense.shape)
    )
    with tf.Session() as session:
        started(session, model)
        row_sweep(session, model)
        got, loss, added, total = session.run([found, loss, added, total])
    want, squares, *_ = np.linalg.lstsq(fixed, dense.T, rcond=None)
    np.testing.assert_allclose(got, want.T, rtol=1e-3, atol=1e-4)
    np.testing.assert_allclose([loss, added, total], [squares.sum(), 0, 20], rtol=1e-4)


@pytest.mark.parametrize("caches", CACHES)
def test_updates_read_what_the_last_initialization_copied(caches):
    model = factorization_ops.WALSModel(
        N, M, K, use_factors_weights_cache=caches[0], use_gramian_cache=caches[1], **FULL
    )  # fmt: skip
    found, *_ = model.update_row_factors(entries())
    first = solved(A, weights(np.ones(N), np.ones(M)), V)
    with tf.Session() as session:
        started(session, model)
        row_sweep(session, model)
        np.testing.assert_allclose(session.run(found), first, rtol=1e-3, atol=1e-4)
        session.run(model.col_factors[0].assign(2 * V))
        session.run(model.row_update_prep_gramian_op)
        stale = session.run(found)
        row_sweep(session, model)
        fresh = session.run(found)
    want = solved(A, weights(np.ones(N), np.ones(M)), 2 * V)
    np.testing.assert_allclose(fresh, want, rtol=1e-3, atol=1e-4)
    assert np.allclose(stale, first, rtol=1e-3, atol=1e-4) == (caches == (True, True))
    assert np.allclose(stale, fresh, rtol=1e-3, atol=1e-4) == (caches == (False, False))


@pytest.mark.parametrize("given", [None, 0.7, [0.5, 0.25]])
@pytest.mark.parametrize("transpose", [False, True])
def test_projections_solve_for_other_rows_and_change_nothing(given, transpose):
    model = factorization_ops.WALSModel(
        N, M, K, row_weights=[ROW_WEIGHTS], col_weights=[COL_WEIGHTS], num_col_shards=1, **FULL
    )  # fmt: skip
    other = RNG.randn(2, M).astype(np.float32)
    batch = other.T if transpose else other
    sparse = tf.SparseTensor(np.argwhere(batch), batch.ravel(), batch.shape)
    rows = model.project_row_factors(sparse, transpose, given)
    w = np.broadcast_to(1.0 if given is None else given, [2])
    columns = model.project_col_factors(entries(cols=[2, 3], transpose=transpose), transpose, given)  # fmt: skip
    with tf.Session() as session:
        started(session, model)
        row_sweep(session, model)
        col_sweep(session, model)
        got_rows, got_columns = session.run([rows, columns])
        np.testing.assert_array_equal(session.run(model.row_factors[0]), U)
    want = solved(other, UNOBSERVED + np.outer(w, COL_WEIGHTS), V)
    np.testing.assert_allclose(got_rows, want, rtol=1e-3, atol=1e-4)
    a = A[:, [2, 3]]
    want = solved(a.T, weights(ROW_WEIGHTS, w, a).T, U)
    np.testing.assert_allclose(got_columns, want, rtol=1e-3, atol=1e-4)


def test_missing_entries_of_a_matrix_of_low_rank_are_found():
    rng = np.random.RandomState(1)
    low = rng.randn(30, 2) @ rng.randn(2, 25)
    seen = rng.rand(30, 25) < 0.6
    tf.set_random_seed(3)
    model = factorization_ops.WALSModel(30, 25, 2, 0.0, 1e-3, num_row_shards=2)
    given = tf.SparseTensor(np.argwhere(seen), low[seen].astype(np.float32), [30, 25])
    _, row_update, row_loss, row_added, _ = model.update_row_factors(given)
    _, col_update, col_loss, col_added, _ = model.update_col_factors(given)
    losses = []
    with tf.Session() as session:
        started(session, model)
        for _ in range(60):
            row_sweep(session, model)
            losses.append(sum(session.run([row_update, row_loss, row_added])[1:]))
            col_sweep(session, model)
            losses.append(sum(session.run([col_update, col_loss, col_added])[1:]))
        u, v = np.concatenate(session.run(model.row_factors)), session.run(model.col_factors[0])  # fmt: skip
    assert all(b <= a * (1 + 1e-4) + 1e-4 for a, b in zip(losses, losses[1:]))
    np.testing.assert_allclose((u @ v.T)[~seen], low[~seen], atol=0.05)


def test_names_of_variables():
    factorization_ops.WALSModel(4, 5, 2, num_row_shards=2)
    names = {v.op.name for v in tf.global_variables()}
    assert names == {
        "row_factors_shard_0", "row_factors_shard_1", "col_factors_shard_0", "row_weights_shard_0",
        "row_weights_shard_1", "col_weights_shard_0", "row_gramian", "col_gramian",
    }  # fmt: skip
    with tf.Graph().as_default():
        factorization_ops.WALSModel(4, 5, 2, use_scoped_vars=True)
        names = {v.op.name for v in tf.global_variables()}
    assert "row_factors/row_factors_shard_0" in names and "col_gramian/col_gramian" in names  # fmt: skip


def test_first_factors_are_normal_or_given_in_shards_or_as_a_tensor():
    model = factorization_ops.WALSModel(3000, 7, 2, row_init="random", col_init=in_shards(np.ones([7, 2]), 2), num_col_shards=2)  # fmt: skip
    other = factorization_ops.WALSModel(7, 2, 2, row_init=tf.ones([7, 2]), col_init=tf.zeros([1, 2, 2]), num_row_shards=3)  # fmt: skip
    with tf.Session() as session:
        session.run([model.initialize_op, other.initialize_op])
        drawn = session.run(model.row_factors[0])
        assert abs(drawn.mean()) < 0.1 and abs(drawn.std() - 1) < 0.1
        assert [x.tolist() for x in session.run(model.col_factors)] == in_shards(np.ones([7, 2]), 2)  # fmt: skip
        assert [len(x) for x in session.run(other.row_factors)] == [3, 2, 2]


@pytest.mark.parametrize(
    "options,text",
    [
        ({"input_rows": 0}, "input_rows must be positive, got 0"),
        ({"n_components": -1}, "n_components must be positive, got -1"),
        ({"num_col_shards": 0}, "num_col_shards must be positive"),
        ({"row_weights": None}, "row_weights and col_weights must both"),
        ({"row_weights": -1}, "row_weights must not be negative, got -1"),
        ({"col_weights": [[1.0]]}, r"col_weights: shard 0 must have 4 weights in a list, got the shape \[1\]"),
        ({"col_weights": [1.0, 1.0]}, "col_weights must be None, a number, or a list for each of 1 shards, got 2"),
        ({"row_init": "ones"}, 'row_init must be "random" or values'),
        ({"row_init": np.ones([4, 2])}, r"row_init must have the shape \[3, 2\]"),
        ({"col_init": [np.ones([2, 2])] * 2}, "col_init must have a matrix for each of 1 shards, got 2"),
        ({"col_init": [np.ones([2, 2])] * 2, "num_col_shards": 2, "n_components": 3}, r"col_init: shard 0 must have the shape \[2, 3\]"),
    ],
)  # fmt: skip
def test_a_wrong_argument_is_named(options, text):
    with pytest.raises(ValueError, match=text):
        factorization_ops.WALSModel(**{"input_rows": 3, "input_cols": 4, "n_components": 2, **options})  # fmt: skip


def test_wrong_inputs_are_named():
    model = factorization_ops.WALSModel(N, M, K)
    with pytest.raises(TypeError, match="sp_input must be a SparseTensor, got None"):
        model.update_row_factors()
    with pytest.raises(TypeError, match="sp_input must be of float32"):
        model.update_row_factors(tf.SparseTensor([[0, 0]], tf.ones([1], tf.float64), [N, M]))  # fmt: skip
    with pytest.raises(ValueError, match="projection_weights must be a scalar or a v"):
        model.project_row_factors(entries(), projection_weights=[[1.0]])
    found = model.project_row_factors(entries(), projection_weights=[1.0, 2.0])
    outside, *_ = model.update_row_factors(tf.SparseTensor([[0, M]], [1.0], [N, M + 1]))
    with tf.Session() as session:
        started(session, model)
        with pytest.raises(tf.errors.InvalidArgumentError, match="projection_weights"):
            session.run(found)
        with pytest.raises(tf.errors.InvalidArgumentError):
            session.run(outside)
    bare = factorization_ops.WALSModel(N, M, K, row_weights=None, col_weights=None)
    with pytest.raises(ValueError, match="projection_weights must be None"):
        bare.project_row_factors(entries(), projection_weights=1.0)
