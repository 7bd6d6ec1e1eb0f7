# SPDX-License-Identifier: Apache-2.0
"""Diagonals of matrices against NumPy."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.kernel_tests import op_table
from tensorwright.python.ops import gen_array_ops
from tensorwright.python.testing.op_testing import (
    DTYPES,
    fed,
    gradient_error,
    run,
    values,
)

ALIGNS = ["RIGHT_LEFT", "LEFT_RIGHT", "LEFT_LEFT", "RIGHT_RIGHT"]


@pytest.mark.parametrize(
    "dtype",
    [np.float16, np.float32, np.float64, np.int32, np.int64, np.complex64],
)
@pytest.mark.parametrize("shape", [[0], [1], [5], [2, 3], [2, 1, 3]])
@pytest.mark.parametrize("known", [True, False])
def test_diag_and_its_inverse(dtype, shape, known):
    x = values(shape, dtype) + 1
    want = np.diag(x.reshape(-1)).reshape(shape + shape)
    np.testing.assert_array_equal(fed(tf.diag, x, known=known), want)
    np.testing.assert_array_equal(fed(tf.diag_part, want, known=known), x)


@pytest.mark.parametrize("shape", [[2, 3], [2], [], [2, 3, 2, 2], [2, 2, 2]])
def test_diag_part_refuses_other_shapes(shape):
    with pytest.raises(tf.errors.InvalidArgumentError, match="even|equal|merged"):
        fed(tf.diag_part, values(shape))
    with pytest.raises(ValueError, match="even|equal|merged"):
        tf.diag_part(values(shape))


def band(x, k, align="RIGHT_LEFT", padding=0):
    """Diagonals k[0] to k[1] of matrices [..., m, n], row by row."""
    rows, cols = x.shape[-2:]
    size = min(rows + min(k[1], 0), cols - max(k[0], 0))
    out = np.full([*x.shape[:-2], k[1] - k[0] + 1, size], padding, x.dtype)
    for i, d in enumerate(range(k[1], k[0] - 1, -1)):
        diagonal = np.diagonal(x, d, -2, -1)
        n = diagonal.shape[-1]
        above, below = align.split("_")
        left = (d >= 0 and above == "LEFT") or (d <= 0 and below == "LEFT")
        start = 0 if left else size - n
        out[..., i, start : start + n] = diagonal
    return out[..., 0, :] if k[0] == k[1] else out


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize(
    "shape", [[3, 3], [2, 5], [5, 2], [2, 3, 4], [0, 3], [3, 0], [0, 2, 2], [70, 65]]
)
def test_main_diagonals(dtype, known, shape):
    x = values(shape, dtype)
    diagonal = np.diagonal(x, 0, -2, -1)
    got = fed(tf.matrix_diag_part, x, known=known)
    np.testing.assert_array_equal(got, diagonal)
    ones = np.ones_like(diagonal)
    want = x.copy()
    for i in range(diagonal.shape[-1]):
        want[..., i, i] = ones[..., i]
    got = fed(tf.matrix_set_diag, x, ones, known=known)
    np.testing.assert_array_equal(got, want)
    got = fed(tf.matrix_diag, diagonal, known=known)
    want = diagonal[..., None] * np.eye(diagonal.shape[-1], dtype=dtype)
    np.testing.assert_array_equal(got, want)


def test_the_input_of_set_diag_is_left_alone():
    def build(x):
        zeros = tf.zeros([3])
        y = x + 1
        return [tf.matrix_set_diag(y, zeros), y, tf.matrix_band_part(y, 0, 0)]

    x = values([3, 3])
    changed, kept, bands = fed(build, x)
    np.testing.assert_array_equal(kept, x + 1)
    np.testing.assert_array_equal(changed, (x + 1) * (1 - np.eye(3)))
    np.testing.assert_array_equal(bands, (x + 1) * np.eye(3))


@pytest.mark.parametrize("align", ALIGNS)
@pytest.mark.parametrize(
    ("shape", "k"),
    [
        ([4, 4], (0, 0)),
        ([4, 4], (1, 1)),
        ([4, 4], (-1, 2)),
        ([3, 5], (-2, 4)),
        ([5, 3], (-4, -2)),
        ([2, 3, 4], (0, 2)),
        ([2, 4, 3], (-3, 0)),
    ],
)
def test_bands_and_back(align, shape, k):
    x = values(shape) + 1
    want = band(x, k, align, 7)
    got = run(lambda: tf.matrix_diag_part(x, k=k, padding_value=7, align=align))
    np.testing.assert_array_equal(got, want)
    diagonals = band(x + 50, k, align)
    rows, cols = shape[-2:]
    distance = np.arange(cols) - np.arange(rows)[:, None]
    inside = (distance >= k[0]) & (distance <= k[1])
    got = run(lambda: tf.matrix_set_diag(x, diagonals, k=k, align=align))
    np.testing.assert_array_equal(got, np.where(inside, x + 50, x))
    # A matrix grows from its diagonals only if they reach its edges.
    got = run(
        lambda: tf.matrix_diag(
            diagonals, k=k, num_rows=rows, num_cols=cols, padding_value=9, align=align
        )
    )
    np.testing.assert_array_equal(got, np.where(inside, x + 50, 9))


@pytest.mark.parametrize(
    ("shape", "k"), [([4, 4], (0, 0)), ([3, 5], (-2, 4)), ([2, 4, 3], (-3, 0))]
)
def test_second_versions_have_all_diagonals_at_the_left(shape, k):
    x, number = values(shape) + 1, np.int32(k)
    rows, cols = shape[-2:]
    want = band(x, k, "LEFT_LEFT", 7)
    part = gen_array_ops.matrix_diag_part_v2
    got = fed(lambda x: part(x, number, np.float32(7)), x)
    np.testing.assert_array_equal(got, want)
    diagonals = band(x + 50, k, "LEFT_LEFT")
    distance = np.arange(cols) - np.arange(rows)[:, None]
    inside = (distance >= k[0]) & (distance <= k[1])
    got = fed(lambda x, d: gen_array_ops.matrix_set_diag_v2(x, d, number), x, diagonals)
    np.testing.assert_array_equal(got, np.where(inside, x + 50, x))
    make = gen_array_ops.matrix_diag_v2
    got = fed(lambda d: make(d, number, rows, cols, np.float32(9)), diagonals)
    np.testing.assert_array_equal(got, np.where(inside, x + 50, 9))


@pytest.mark.parametrize(
    "build",
    [
        lambda x: gen_array_ops.matrix_diag_part_v2(x, [-1, 2], np.float64(7)),
        lambda x: gen_array_ops.matrix_set_diag_v2(x, x[:2, :3], [0, 1]),
        lambda x: gen_array_ops.matrix_diag_v2(x, [-1, 1], -1, -1, np.float64(7)),
    ],
)
def test_gradients_of_second_versions(build):
    x = np.random.RandomState(0).uniform(-1, 1, [3, 4])
    op_table.check_gradient(build, [x], [0])


def test_second_versions_refuse_bad_diagonals():
    x = values([3, 3])
    part = gen_array_ops.matrix_diag_part_v2
    with pytest.raises(tf.errors.InvalidArgumentError, match="out of bound"):
        fed(lambda x, k: part(x, k, np.float32(0)), x, np.int32(9))


def test_a_band_says_how_large_its_matrix_is():
    assert run(lambda: tf.matrix_diag([1.0, 2], k=1)).tolist() == [
        [0, 1, 0],
        [0, 0, 2],
        [0, 0, 0],
    ]
    got = run(lambda: tf.matrix_diag([1.0, 2], k=-1, num_cols=2, padding_value=5))
    assert got.tolist() == [[5, 5], [1, 5], [5, 2]]


@pytest.mark.parametrize(
    ("build", "words"),
    [
        (lambda: tf.matrix_diag_part(values([2, 2]), k=(1, 0)), "greater"),
        (lambda: tf.matrix_diag_part(values([2, 2]), k=5), "out of bound"),
        (lambda: tf.matrix_diag_part(values([2, 2]), k=[0, 1, 2]), "one or two"),
        (lambda: tf.matrix_diag(values([2, 2]), k=(0, 2)), "must be 3|dimension"),
        (lambda: tf.matrix_diag(values([2]), k=1, num_rows=1), "at least"),
        (lambda: tf.matrix_set_diag(values([2, 3]), values([3])), "equal"),
        (lambda: tf.matrix_set_diag(values([3]), values([3])), "rank"),
        (lambda: tf.matrix_diag(np.float32(1)), "rank"),
    ],
)
def test_bad_diagonals_are_refused(build, words):
    with tf.Graph().as_default(), pytest.raises(ValueError, match=words):
        build()


@pytest.mark.parametrize(
    ("k", "words"), [([2, 1], "larger"), ([9, 9], "bound"), ([0, 0, 0], "one or two")]
)
def test_bad_diagonals_are_refused_in_the_run(k, words):
    for build in (
        lambda k: tf.matrix_diag_part(values([3, 3]), k=k),
        lambda k: tf.matrix_set_diag(values([3, 3]), values([3]), k=k),
    ):
        with pytest.raises(
            tf.errors.InvalidArgumentError, match=words + "|greater|out of"
        ):
            fed(build, np.array(k, np.int32))


def test_ops_of_old_graphs_still_run():
    x = values([2, 3, 3])

    def build():
        graph = tf.Graph()
        with graph.as_default():
            # The ops were dropped from new graphs; an old one may have them.
            tf.constant(x, name="x")
            tf.constant(x[0], name="d")
            tf.constant(np.int64(1), name="n")
        graph_def = graph.as_graph_def()
        for op, inputs in [
            ("BatchMatrixDiag", ["d"]),
            ("BatchMatrixDiagPart", ["x"]),
            ("BatchMatrixSetDiag", ["x", "d2"]),
            ("BatchMatrixBandPart", ["x", "n", "n"]),
        ]:
            node = graph_def.node.add()
            node.name, node.op = op, op
            node.input.extend(
                ["BatchMatrixDiagPart" if i == "d2" else i for i in inputs]
            )
            node.attr["T"].type = 1
        graph_def.versions.producer = 10
        return tf.import_graph_def(
            graph_def,
            return_elements=[n.name + ":0" for n in graph_def.node[-4:]],
            name="",
        )

    diag, part, same, bands = run(build)
    np.testing.assert_array_equal(diag, x[0][..., None] * np.eye(3))
    np.testing.assert_array_equal(part, np.diagonal(x, 0, -2, -1))
    np.testing.assert_array_equal(same, x)
    np.testing.assert_array_equal(bands, x * [[1, 1, 0], [1, 1, 1], [0, 1, 1]])


@pytest.mark.parametrize(
    ("build", "shapes"),
    [
        (tf.diag, [[3]]),
        (tf.diag, [[2, 2]]),
        (tf.diag_part, [[3, 3]]),
        (tf.matrix_diag, [[2, 3]]),
        (tf.matrix_diag_part, [[2, 3, 3]]),
        (tf.matrix_diag_part, [[2, 3]]),
        (tf.matrix_set_diag, [[2, 3, 4], [2, 3]]),
        (lambda x: tf.matrix_diag(x, k=(-1, 1), num_cols=4), [[3, 3]]),
        (lambda x: tf.matrix_diag_part(x, k=(-1, 1)), [[3, 4]]),
        (lambda x, y: tf.matrix_set_diag(x, y, k=(0, 1)), [[3, 4], [2, 3]]),
    ],
)
def test_gradients(build, shapes):
    assert gradient_error(build, *shapes) < 1e-9


@pytest.mark.parametrize("columns", [None, 0, 2, 3, 5])
@pytest.mark.parametrize("batch", [None, [], [2, 3]])
@pytest.mark.parametrize("dtype", [tf.float32, tf.int64, tf.bool, tf.complex64])
def test_eye(columns, batch, dtype):
    want = np.eye(3, columns, dtype=dtype.as_numpy_dtype)
    want = np.broadcast_to(want, (batch or []) + list(want.shape))
    got = run(lambda: tf.eye(3, columns, batch, dtype))
    np.testing.assert_array_equal(got, want)
    n = np.int32(3 if columns is None else columns)
    got = fed(lambda r, c: tf.eye(r, c, batch, dtype), np.int32(3), n)
    np.testing.assert_array_equal(got, want)
