# SPDX-License-Identifier: Apache-2.0
"""ConjugateTranspose against NumPy; Transpose itself is tested with tf.transpose."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.kernel_tests.op_table import COMPLEXES, NUMBERS
from tensorwright.python.ops import gen_array_ops
from tensorwright.python.testing.op_testing import fed, values

CASES = [
    ([], []),
    ([3], [0]),
    ([0, 2], [1, 0]),
    ([2, 3], [0, 1]),
    ([2, 3], [1, 0]),
    ([1, 5], [1, 0]),
    ([2, 3, 4], [2, 0, 1]),
    ([2, 3, 4], [-1, -3, -2]),
    ([70, 2, 90], [2, 1, 0]),
]


@pytest.mark.parametrize("dtype", [*NUMBERS, np.bool_, object])
@pytest.mark.parametrize(("shape", "perm"), CASES)
def test_values(dtype, shape, perm):
    x = values(shape, dtype)
    if dtype in COMPLEXES:
        x = x + 1j * (values(shape, dtype) - 7)
        x = x.astype(dtype)
    want = np.transpose(x, perm)
    want = np.conj(want) if dtype in COMPLEXES else want
    for known in (False, True):
        got = fed(gen_array_ops.conjugate_transpose, x, np.int32(perm), known=known)
        got = np.asarray(got, x.dtype if dtype is object else None)
        assert got.dtype == x.dtype and got.shape == want.shape
        assert np.all(got == want)


def test_x_stays_as_it_is():
    x = np.complex64([[1 + 2j, 3 - 4j]])

    def both(x):
        return gen_array_ops.conjugate_transpose(x, [0, 1]), x

    got, same = fed(both, x)
    np.testing.assert_array_equal(got, x.conj())
    np.testing.assert_array_equal(same, x)


@pytest.mark.parametrize("dtype", [np.float64, np.complex128])
def test_gradients_go_back(dtype):
    rng = np.random.RandomState(0)

    def numbers(*shape):
        x = rng.normal(size=shape)
        return x if dtype == np.float64 else x + 1j * rng.normal(size=shape)

    x, g = numbers(2, 3, 4), numbers(4, 2, 3)

    def build(x):
        y = gen_array_ops.conjugate_transpose(x, [2, 0, 1])
        return tf.gradients(y, x, tf.constant(g))[0]

    np.testing.assert_array_equal(fed(build, x), np.conj(g.transpose(1, 2, 0)))


def test_the_public_functions_write_it():
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.constant(np.complex64([[1 + 2j, 3 - 4j], [5, 6j]]))
        for y in (tf.transpose(x, conjugate=True), tf.linalg.adjoint(x)):
            assert "ConjugateTranspose" in {op.type for op in x.graph.get_operations()}
            np.testing.assert_array_equal(session.run(y), session.run(x).conj().T)
        y = tf.transpose(x, conjugate=True)
        assert y.op.type == "ConjugateTranspose"
        assert tf.transpose(tf.zeros([2, 3]), conjugate=True).op.type == "Transpose"


@pytest.mark.parametrize("perm", [[0], [0, 0], [0, 2], [[0, 1]]])
def test_what_is_no_permutation(perm):
    with pytest.raises(tf.errors.InvalidArgumentError):
        fed(gen_array_ops.conjugate_transpose, np.zeros([2, 3]), np.int32(perm))
