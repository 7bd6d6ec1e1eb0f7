# SPDX-License-Identifier: Apache-2.0
"""SparseDenseCwiseAdd, -Mul, -Div against NumPy."""

import ml_dtypes
import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.kernel_tests.sparse import drawn
from tensorwright.python.ops import gen_sparse_ops as gen

pytestmark = pytest.mark.usefixtures("fresh_graph")

_OPS = {
    "add": (gen.sparse_dense_cwise_add, np.add),
    "mul": (gen.sparse_dense_cwise_mul, np.multiply),
    "div": (gen.sparse_dense_cwise_div, np.divide),
}
_DTYPES = [np.float32, np.float64, np.float16, ml_dtypes.bfloat16, np.int32, np.uint8]
_SHAPES = [(3, 4, 5), (1, 4, 1), (4, 5), (1,), ()]


def _run(op, parts, dense):
    return drawn.run(lambda sp, y: op(*_parts(sp), y), parts, dense)


def _parts(sp):
    return sp.indices, sp.values, sp.dense_shape


@pytest.mark.parametrize("shape", _SHAPES)
@pytest.mark.parametrize("dtype", _DTYPES)
@pytest.mark.parametrize("name", _OPS)
def test_the_dense_side_is_broadcast(name, dtype, shape):
    op, reference = _OPS[name]
    parts = drawn.draw((3, 4, 5), dtype)
    dense = drawn.values(int(np.prod(shape)), dtype, 9).reshape(shape)
    got = _run(op, parts, dense)
    at = np.broadcast_to(dense, (3, 4, 5))[tuple(parts[0].T)]
    if np.dtype(dtype).kind in "iu" and name == "div":
        want = np.trunc(parts[1].astype(float) / at).astype(dtype)
    else:
        want = reference(parts[1], at).astype(dtype)
    near = 1e-2 if np.dtype(dtype).itemsize == 2 else 1e-6
    np.testing.assert_allclose(got.astype(float), want.astype(float), rtol=near)


@pytest.mark.parametrize("shape", [(2, 3), (1, 3), (3,), ()])
@pytest.mark.parametrize("name", _OPS)
def test_gradients(name, shape):
    op = _OPS[name][0]
    rows, values, sizes = drawn.draw((2, 3), np.float64, part=0.8)
    dense = drawn.values(int(np.prod(shape)), np.float64, 9).reshape(shape)
    drawn.check_gradient(lambda x: op(rows, x, sizes, dense), values)
    drawn.check_gradient(lambda y: op(rows, tf.constant(values), sizes, y), dense)


@pytest.mark.parametrize(
    ("rows", "shape", "dense", "words"),
    [
        ([[0, 1]], [2, 3], np.ones([2]), "incompatible"),
        ([[0, 1]], [2, 3], np.ones([1, 2, 3]), "incompatible"),
        ([[0, 3]], [2, 3], np.ones([2, 3]), "out of bounds"),
        ([[-1, 0]], [2, 3], np.ones([]), "out of bounds"),
        ([[0, 1]], [2, -3], np.ones([]), "non-negative"),
    ],
)
def test_bad_input(rows, shape, dense, words):
    parts = np.array(rows), np.float64([1]), np.array(shape)
    for op, _ in _OPS.values():
        with pytest.raises(tf.errors.InvalidArgumentError, match=words):
            _run(op, parts, dense)


@pytest.mark.parametrize("dtype", [np.float32, np.int32])
def test_zeros_divide_nothing(dtype):
    parts = drawn.draw((2, 3), dtype)
    with pytest.raises(tf.errors.InvalidArgumentError, match="zero"):
        _run(gen.sparse_dense_cwise_div, parts, np.zeros([2, 3], dtype))
