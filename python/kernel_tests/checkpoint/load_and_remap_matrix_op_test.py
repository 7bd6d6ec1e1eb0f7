# SPDX-License-Identifier: Apache-2.0
"""LoadAndRemapMatrix: rows and columns of a saved matrix in another order, with new ones between."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.ops import checkpoint_ops

pytestmark = pytest.mark.usefixtures("fresh_graph")

_SAVED = np.random.RandomState(3).normal(size=(7, 5)).astype(np.float32)


@pytest.fixture(params=["v1", "v2", "parts"])
def path(request, tmp_path):
    """A checkpoint of either format with the matrix, whole or in parts."""
    path = str(tmp_path / "ckpt")
    with tf.Graph().as_default(), tf.Session() as session:
        with tf.variable_scope("", initializer=tf.zeros_initializer()):
            cut = tf.fixed_size_partitioner(3) if request.param == "parts" else None
            matrix = tf.get_variable("matrix", [7, 5], partitioner=cut)
            tf.get_variable("ints", [2, 2], tf.int32)
            tf.get_variable("vector", [2])
        session.run(tf.global_variables_initializer())
        row = 0
        for part in matrix if cut else [matrix]:
            n = part.shape.as_list()[0]
            session.run(part.assign(_SAVED[row : row + n]))
            row += n
        version = 1 if request.param == "v1" else 2
        tf.train.Saver(write_version=version).save(session, path, write_state=False)
    return path


def _remapped(rows, cols, new):
    """Computes the op's result in NumPy."""
    cols = list(range(_SAVED.shape[1])) if not len(cols) else list(cols)
    out, new = np.empty((len(rows), len(cols)), np.float32), iter(new)
    for r, row in enumerate(rows):
        for c, col in enumerate(cols):
            out[r, c] = next(new) if row < 0 or col < 0 else _SAVED[row, col]
    assert next(new, None) is None
    return out


def _run(path, rows, cols=(), new=(), name="matrix", num_cols=None, **attrs):
    cols = np.array(cols, np.int64)
    num_cols = num_cols or len(cols) or _SAVED.shape[1]
    with tf.Graph().as_default(), tf.Session() as session:
        out = checkpoint_ops.load_and_remap_matrix_op(
            path,
            name,
            np.array(rows, np.int64),
            cols,
            np.array(new, np.float32),
            num_rows=attrs.pop("num_rows", len(rows)),
            num_cols=num_cols,
            **attrs,
        )
        value = session.run(out)
        assert out.shape.as_list() == list(value.shape)
        return value


@pytest.mark.parametrize("max_rows", [-1, 1, 2, 3, 100])
def test_rows_and_columns_move(path, max_rows):
    for rows, cols in (
        (range(7), ()),
        ([6, 2, 3, 0], ()),
        ([4], [1]),
        ([5, 0, 6], [4, 0, 2]),
        ([-1, 6, -1, 1], [-1, 0, 3, -1, -1, 4]),
        ([3, -1], ()),
        ([-1, -1], [2, -1]),
        ([1, 2], [-1, -7]),
        ([], [0, 1]),
        ([], ()),
    ):
        width = len(cols) or 5
        loaded = sum(r >= 0 for r in rows) * (sum(c >= 0 for c in cols) or width)
        if len(cols) and not any(c >= 0 for c in cols):
            loaded = 0
        new = 100.0 + np.arange(len(rows) * width - loaded)
        got = _run(path, list(rows), cols, new, max_rows_in_memory=max_rows)
        np.testing.assert_array_equal(got, _remapped(list(rows), cols, new))


def test_large_matrices_are_read_by_threads(tmp_path):
    rng = np.random.RandomState(1)
    saved = rng.normal(size=(3000, 400)).astype(np.float32)
    path = str(tmp_path / "ckpt")
    with tf.Graph().as_default(), tf.Session() as session:
        variable = tf.Variable(saved, name="matrix")
        session.run(variable.initializer)
        tf.train.Saver().save(session, path, write_state=False)
    rows, cols = rng.permutation(3000)[:2500], rng.permutation(400)
    got = _run(path, rows, cols, max_rows_in_memory=700)
    np.testing.assert_array_equal(got, saved[rows][:, cols])


def test_what_does_not_fit_is_refused(path):
    invalid = tf.errors.InvalidArgumentError
    with pytest.raises(invalid, match=r"row_remapping\[1\] is 7.*has 7 rows"):
        _run(path, [0, 7])
    with pytest.raises(invalid, match=r"col_remapping\[0\] is 5.*has 5 cols"):
        _run(path, [0], [5])
    with pytest.raises(tf.errors.UnimplementedError, match="has 2 at 0 and at 2"):
        _run(path, [2, 1, 2])
    with pytest.raises(tf.errors.UnimplementedError, match="has 9 at 0 and at 1"):
        _run(path, [9, 9])
    with pytest.raises(tf.errors.UnimplementedError, match="col_remapping has 1"):
        _run(path, [2], [1, 1])
    with pytest.raises(invalid, match="each of the 5 cells .* got 4"):
        _run(path, [0, -1], (), np.zeros(4))
    with pytest.raises(invalid, match="each of the 0 cells .* got 1"):
        _run(path, [0], (), [1.0])
    with pytest.raises(invalid, match="num_cols must be that of tensor 'matrix', 5"):
        _run(path, [0], num_cols=4)
    with pytest.raises(invalid, match="num_cols"):
        _run(path, [], num_cols=2**62)
    for name, what in (("ints", "int32"), ("vector", r"\[2\]")):
        with pytest.raises(invalid, match=f"must be a matrix of float.*{what}"):
            _run(path, [0], name=name)
    with pytest.raises(tf.errors.NotFoundError, match="none"):
        _run(path, [0], name="none")
    with pytest.raises(tf.errors.NotFoundError, match="no checkpoint is at"):
        _run(path + "x", [0])
    for paths in ([path, path], []):
        with pytest.raises(invalid, match="must have one element, got shape"):
            _run(np.array(paths, object), [0])
    np.testing.assert_array_equal(_run([path], [0]), _SAVED[:1])


def test_shapes_that_do_not_fit_are_refused_while_the_graph_is_built():
    with pytest.raises(ValueError, match="must be 2 but is 3"):
        _run("x", [0, 1, 2], num_rows=2)
    with pytest.raises(ValueError):
        _run("x", [0], [0, 1], num_cols=3)
    with pytest.raises(ValueError):
        _run("x", [0], num_cols=-1)
