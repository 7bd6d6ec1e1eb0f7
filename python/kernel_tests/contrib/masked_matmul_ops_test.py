# SPDX-License-Identifier: Apache-2.0
"""Tests of MaskedMatmul against elements of the whole product."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.ops import gen_contrib_ops

pytestmark = pytest.mark.usefixtures("fresh_graph")


def run(a, b, indices, transpose_a=False, transpose_b=False):
    given = (a, b, indices, transpose_a, transpose_b)
    kinds = (tf.float32, tf.float32, tf.int64, tf.bool, tf.bool)
    with tf.Session() as session:
        fed = [tf.placeholder(kind) for kind in kinds]
        out = gen_contrib_ops.masked_matmul(*fed)
        return session.run(out, dict(zip(fed, given, strict=True)))


@pytest.mark.parametrize("transpose_a", [False, True])
@pytest.mark.parametrize("transpose_b", [False, True])
@pytest.mark.parametrize("entries,inner", [(7, 3), (0, 3), (5, 0), (6, 1), (9000, 17)])
def test_elements_are_those_of_the_product(entries, inner, transpose_a, transpose_b):
    rng = np.random.RandomState(0)
    a, b = (rng.randn(*shape).astype(np.float32) for shape in ((6, inner), (inner, 5)))
    indices = np.stack([rng.randint(0, 6, entries), rng.randint(0, 5, entries)], 1)
    got = run(
        a.T if transpose_a else a, b.T if transpose_b else b, indices, transpose_a, transpose_b
    )  # fmt: skip
    assert got.dtype == np.float32
    want = (a @ b)[indices[:, 0], indices[:, 1]]
    np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-5)


def test_the_length_is_known_and_inner_sizes_must_agree():
    a, b = tf.zeros([2, 3]), tf.zeros([3, 4])
    product = gen_contrib_ops.masked_matmul(a, b, np.zeros([5, 2]), False, False)
    assert product.get_shape().as_list() == [5]
    with pytest.raises(ValueError, match="3 and 4"):
        gen_contrib_ops.masked_matmul(a, b, np.zeros([5, 2]), False, True)


@pytest.mark.parametrize(
    "a,b,indices,text",
    [
        ((2, 3), (2, 3), [[0, 0]], "3 and 2"),
        ((2, 3), (3, 4), [[0, 0], [2, 0]], r"mask_indices\[1\] must be in \[0, 2\) x \[0, 4\), got \(2, 0\)"),
        ((2, 3), (3, 4), [[0, -1]], r"mask_indices\[0\] .* got \(0, -1\)"),
        ((2, 3), (3, 4), [[0, 0, 0]], "2"),
        ((2, 3), (3, 4), [0, 0], "rank 2"),
        ((2, 3, 1), (3, 4), [[0, 0]], "rank 2"),
    ],
)  # fmt: skip
def test_a_wrong_input_is_named(a, b, indices, text):
    with pytest.raises(tf.errors.InvalidArgumentError, match=text):
        run(np.ones(a), np.ones(b), indices)


def test_it_has_no_gradient():
    a = tf.ones([2, 3])
    product = gen_contrib_ops.masked_matmul(a, a, [[0, 1]], False, True)
    assert tf.gradients(product, a) == [None]
