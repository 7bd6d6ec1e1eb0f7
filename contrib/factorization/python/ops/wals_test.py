# SPDX-License-Identifier: Apache-2.0
"""WALSMatrixFactorization: sweeps over batches, projections, losses, and trainings that go on."""

import json

import numpy as np
import pytest

import tensorwright as tf

pytestmark = pytest.mark.usefixtures("fresh_graph")

WALS = tf.contrib.factorization.WALSMatrixFactorization
RNG = np.random.RandomState(0)
N, M, K = 6, 5, 2
A = (RNG.randn(N, K) @ RNG.randn(K, M)).astype(np.float32)
SEEN = RNG.rand(N, M) < 0.7
SEEN[np.arange(N), np.arange(N) % M] = True
U, V = RNG.randn(N, K).astype(np.float32), RNG.randn(M, K).astype(np.float32)
UNOBSERVED, REGULARIZATION = 0.05, 0.2
W = UNOBSERVED + SEEN
OPTIONS = {"unobserved_weight": UNOBSERVED, "regularization_coeff": REGULARIZATION, "row_init": U, "col_init": V}  # fmt: skip


def solved(a, w, fixed):
    left = np.einsum("ij,jk,jl->ikl", w, fixed, fixed) + REGULARIZATION * np.eye(K)
    return np.linalg.solve(left, ((w * a) @ fixed)[..., None])[..., 0]


def swept(sweeps):
    u, v = U, V
    for i in range(sweeps):
        if i % 2 == 0:
            u = solved(A * SEEN, W, v)
        else:
            v = solved(A.T * SEEN.T, W.T, u)
    return u, v


def sparse(a, seen):
    return tf.SparseTensor(np.argwhere(seen), a[seen], a.shape)


def rows_of(a, seen, ids):
    """The entries of the rows `ids`, a vector, at their places in the whole matrix."""
    kept = tf.sparse_retain(
        sparse(a, seen),
        tf.reduce_any(tf.equal(np.argwhere(seen)[:, :1], tf.cast(ids, tf.int64)[None]), 1),
    )  # fmt: skip
    return tf.SparseTensor(kept.indices, kept.values, a.shape)


def batches(epochs=None):
    """Batches of two rows, and of one column."""
    rows = tf.train.range_input_producer(N, epochs, shuffle=False).dequeue_many(2)
    column = tf.train.range_input_producer(M, epochs, shuffle=False).dequeue()
    return {
        WALS.INPUT_ROWS: rows_of(A, SEEN, rows),
        WALS.INPUT_COLS: rows_of(A.T, SEEN.T, column[None]),
    }, None


def factors(model):
    return np.concatenate(model.get_row_factors()), np.concatenate(model.get_col_factors())  # fmt: skip


@pytest.mark.parametrize("caches", [True, False])
@pytest.mark.parametrize("shards", [1, 2])
def test_sweeps_alternate_and_end_when_all_was_seen(tmp_path, caches, shards):
    model = WALS(
        N, M, K, num_row_shards=shards, num_col_shards=shards, max_sweeps=3, model_dir=str(tmp_path),
        use_factors_weights_cache_for_training=caches, use_gramian_cache_for_training=caches, **OPTIONS,
    )  # fmt: skip
    model.fit(input_fn=batches)
    # Two sweeps over rows of 3 batches, one over columns of 5.
    assert model.get_variable_value("global_step") == 3 + 5 + 3
    assert model.get_variable_value(WALS.COMPLETED_SWEEPS) == 3
    assert len(model.get_row_factors()) == shards
    for got, want in zip(factors(model), swept(3), strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-3, atol=1e-3)


def test_training_goes_on_within_a_sweep(tmp_path):
    model = WALS(N, M, K, model_dir=str(tmp_path), **OPTIONS)
    model.fit(input_fn=batches, steps=5)
    assert model.get_variable_value(WALS.COMPLETED_SWEEPS) == 1
    assert not model.get_variable_value("is_row_sweep")
    again = WALS(N, M, K, model_dir=str(tmp_path), max_sweeps=2, **OPTIONS)
    # Columns 0 and 1 come again, the other three are what the sweep lacks.
    again.fit(input_fn=batches)
    assert again.get_variable_value("global_step") == 3 + 2 + 5
    for got, want in zip(factors(again), swept(2), strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-3, atol=1e-3)
    again.fit(input_fn=batches)
    assert again.get_variable_value("global_step") == 10


def test_training_ends_with_its_input(tmp_path):
    model = WALS(N, M, K, model_dir=str(tmp_path), **OPTIONS)
    model.fit(input_fn=lambda: batches(epochs=1))
    # Three batches of rows, five of columns; then there are no rows.
    assert model.get_variable_value("global_step") == 8
    for got, want in zip(factors(model), swept(2), strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-3, atol=1e-3)


def trained(tmp_path, **options):
    model = WALS(N, M, K, max_sweeps=2, model_dir=str(tmp_path), **{**OPTIONS, **options})  # fmt: skip
    return model.fit(input_fn=batches)


def test_losses_of_training_and_evaluation(tmp_path):
    model = trained(tmp_path)
    u, v = swept(2)
    a, seen, last = A.T * SEEN.T, W.T, M - 1
    squares = M * (seen[last] * (a[last] - v[last] @ u.T) ** 2).sum()
    loss = squares + REGULARIZATION * (M * (v[last] ** 2).sum() + (u**2).sum())
    np.testing.assert_allclose(model.get_variable_value(WALS.LOSS), loss, rtol=1e-3)
    error = np.sqrt(squares / (M * seen[last].sum()))
    np.testing.assert_allclose(model.get_variable_value(WALS.RWSE), error, rtol=1e-3)
    for of_rows in (True, False):
        u, v = swept(2)
        if of_rows:
            u = solved(A * SEEN, W, v)
        else:
            v = solved(A.T * SEEN.T, W.T, u)
        want = (W * (A * SEEN - u @ v.T) ** 2).sum()
        want += REGULARIZATION * ((u**2).sum() + (v**2).sum())

        def whole():
            return {
                WALS.INPUT_ROWS: sparse(A, SEEN),
                WALS.INPUT_COLS: sparse(A.T, SEEN.T),
                WALS.PROJECT_ROW: tf.placeholder_with_default(of_rows, []),
            }

        found = model.evaluate(input_fn=whole, steps=1)
        np.testing.assert_allclose(found["loss"], want, rtol=1e-3)
        assert found["global_step"] == 8


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize("given", [None, 0.5, [0.5, 2.0]])
def test_projections_of_rows_and_columns(tmp_path, known, given):
    model = trained(tmp_path)
    u, v = swept(2)
    rows = RNG.randn(2, M).astype(np.float32)
    cols = RNG.randn(2, N).astype(np.float32)
    w = np.broadcast_to(1.0 if given is None else given, [2])[:, None]
    for of_rows, new, fixed in ((True, rows, v), (False, cols, u)):

        def inputs():
            everything = np.ones(new.shape, bool)
            chosen = tf.constant(of_rows)
            found = {WALS.INPUT_ROWS if of_rows else WALS.INPUT_COLS: sparse(new, everything)}  # fmt: skip
            if not known:
                chosen = tf.placeholder_with_default(of_rows, [])
                found.setdefault(WALS.INPUT_ROWS, sparse(A, SEEN))
                found.setdefault(WALS.INPUT_COLS, sparse(A.T, SEEN.T))
            if given is not None:
                found[WALS.PROJECTION_WEIGHTS] = tf.constant(given)
            return {**found, WALS.PROJECT_ROW: chosen}

        got = list(model.get_projections(inputs))
        want = solved(new, UNOBSERVED + np.broadcast_to(w, new.shape), fixed)
        np.testing.assert_allclose(got, want, rtol=1e-3, atol=1e-3)


def test_an_export_projects_rows(tmp_path):
    model = trained(tmp_path / "model")

    def serving():
        rows = tf.sparse_placeholder(tf.float32, [None, M])
        inputs = {"indices": rows.indices, "values": rows.values, "shape": rows.dense_shape}  # fmt: skip
        features = {WALS.INPUT_ROWS: rows, WALS.PROJECT_ROW: tf.constant(True)}
        return tf.contrib.learn.InputFnOps(features, None, inputs)

    folder = model.export_savedmodel(str(tmp_path / "exports"), serving)
    use = tf.contrib.predictor.from_saved_model(folder.decode())
    new = RNG.randn(3, M).astype(np.float32)
    places = np.argwhere(new)
    (got,) = use({"indices": places, "values": new.ravel(), "shape": [3, M]}).values()
    want = solved(new, np.full(new.shape, 1 + UNOBSERVED), swept(2)[1])
    np.testing.assert_allclose(got, want, rtol=1e-3, atol=1e-3)


def test_low_rank_is_found(tmp_path):
    model = WALS(
        N, M, K, unobserved_weight=0.0, regularization_coeff=1e-4, max_sweeps=200, model_dir=str(tmp_path),
        config=tf.contrib.learn.RunConfig(tf_random_seed=5),
    )  # fmt: skip
    model.fit(
        input_fn=lambda: {WALS.INPUT_ROWS: sparse(A, SEEN), WALS.INPUT_COLS: sparse(A.T, SEEN.T)}
    )  # fmt: skip
    u, v = factors(model)
    np.testing.assert_allclose((u @ v.T)[SEEN], A[SEEN], atol=0.05)


def test_what_is_refused(tmp_path, monkeypatch):
    model = WALS(N, M, K, model_dir=str(tmp_path))
    with pytest.raises(ValueError, match="must be a dict with 'input_cols', got "):
        model.fit(input_fn=lambda: {WALS.INPUT_ROWS: sparse(A, SEEN)}, steps=1)
    with pytest.raises(ValueError, match="labels must be None"):
        model.fit(input_fn=lambda: (batches()[0], tf.zeros([1])), steps=1)
    model.fit(input_fn=batches, steps=1)
    with pytest.raises(ValueError, match="must be a dict with 'project_row'"):
        list(model.get_projections(lambda: {WALS.INPUT_ROWS: sparse(A, SEEN)}))
    with pytest.raises(ValueError, match="'input_rows'"):
        list(model.get_projections(lambda: {WALS.PROJECT_ROW: tf.constant(True)}))
    cluster = {"ps": ["h:1"], "worker": ["h:2", "h:3"]}
    task = {"type": "worker", "index": 0}
    monkeypatch.setenv("TF_CONFIG", json.dumps({"cluster": cluster, "task": task}))
    with pytest.raises(ValueError, match="one worker at most, got 2"):
        WALS(N, M, K, model_dir=str(tmp_path), config=tf.contrib.learn.RunConfig())
