# SPDX-License-Identifier: Apache-2.0
"""einsum, lbeta, and the functions that are 0 where 0 decides, against NumPy and SciPy."""

import numpy as np
import pytest
import scipy.special

import tensorwright as tf

SIZES = dict(zip("abcdefghijklmnopqrstuvwxyz", [2, 3, 4, 5, 2, 3] * 5))


def operands(equation):
    rng = np.random.RandomState(0)
    terms = equation.replace(" ", "").split("->")[0].split(",")
    shapes = [
        [n for c in t.replace("...", ".") for n in ([2, 3] if c == "." else [SIZES[c]])]
        for t in terms
    ]
    return [rng.uniform(-1, 1, s) for s in shapes]


EQUATIONS = [
    "ij,jk->ik",
    "ij,jk",
    "ij,kj->ki",
    "ij->ji",
    "ij",
    "ba",
    "ij->",
    "ij->i",
    "ij->j",
    "i,i->",
    "i,j->ij",
    "ij,ij->ij",
    "ij,ij->",
    "ij,i->ij",
    "ij,i->ji",
    "i,ij->j",
    "bij,bjk->bik",
    "bij,bkj->kbi",
    "abc,cd,bde->ae",
    "abc,abc->b",
    "abcd,cdef->abef",
    "abcd,bd->ac",
    "ii->i",
    "ii->",
    "iij->ij",
    "iji,jk->ik",
    "...ij,jk->...ik",
    "...ij->...ji",
    "...ij,...jk->...ik",
    "i...,j...->ij...",
    "...,...->...",
    "ab,bc,cd,de->ae",
    "a,b,c->abc",
    " i j , j k -> k i ",
]


@pytest.mark.parametrize("equation", EQUATIONS)
@pytest.mark.parametrize("known", [True, False])
def test_einsum(equation, known):
    arrays = operands(equation)
    with tf.Graph().as_default(), tf.Session() as sess:
        inputs = [
            tf.placeholder(tf.float64, a.shape if known else [None] * a.ndim)
            for a in arrays
        ]
        result = tf.einsum(equation, *inputs)
        want = np.einsum(equation, *arrays)
        got = sess.run(result, dict(zip(inputs, arrays)))
        np.testing.assert_allclose(got, want, rtol=1e-12, atol=1e-12)
        assert result.get_shape().is_compatible_with(want.shape)
        if known:
            assert result.get_shape().as_list() == list(want.shape)


def test_einsum_broadcasts_dots_of_size_one():
    x, y = np.random.rand(1, 3, 2, 4), np.random.rand(5, 1, 4, 2)
    with tf.Graph().as_default(), tf.Session() as sess:
        got = sess.run(tf.einsum("...ij,...jk->...ik", tf.constant(x), tf.constant(y)))
    np.testing.assert_allclose(got, np.einsum("...ij,...jk->...ik", x, y), rtol=1e-12)


@pytest.mark.parametrize("equation", ["ij,jk->ik", "bij,bjk->bik", "ii->i", "ij,i->j"])
def test_einsum_gradient(equation):
    arrays = operands(equation)
    with tf.Graph().as_default(), tf.Session():
        inputs = [tf.constant(a) for a in arrays]
        y = tf.einsum(equation, *inputs)
        shape = y.get_shape().as_list()
        z = y * np.random.RandomState(1).uniform(0.5, 1.5, shape)
        for x, a in zip(inputs, arrays):
            error = tf.test.compute_gradient_error(x, a.shape, z, shape, x_init_value=a)
            assert error < 1e-8


@pytest.mark.parametrize(
    ("equation", "count"),
    [
        ("ij,jk->ik", 1),
        ("ij->k", 1),
        ("ijk->i", 1),
        ("i->i", 1),
        ("ij->ii", 1),
        ("i1->i", 1),
    ],
)
def test_einsum_refuses(equation, count):
    with tf.Graph().as_default(), pytest.raises(ValueError):
        tf.einsum(equation, *[tf.zeros([2, 3])] * count)


def test_einsum_takes_inputs_of_unknown_rank():
    x, y = operands("ij,jk")
    with tf.Graph().as_default(), tf.Session() as sess:
        left, right = tf.placeholder(tf.float64), tf.placeholder(tf.float64)
        product = tf.einsum("ij,jk->ki", left, right)
        assert product.shape.ndims == 2
        got = sess.run(product, {left: x, right: y})
        np.testing.assert_allclose(got, (x @ y).T)
        with pytest.raises(tf.errors.InvalidArgumentError):
            sess.run(product, {left: x[None], right: y})
        with pytest.raises(ValueError, match="ranks of the inputs must be known"):
            tf.einsum("...j,jk->...k", left, right)


def test_einsum_takes_no_other_arguments():
    with tf.Graph().as_default(), pytest.raises(TypeError):
        tf.einsum("ij->ji", tf.zeros([2, 3]), color="red")


def evaluate(function, *arrays):
    with tf.Graph().as_default(), tf.Session() as sess:
        return sess.run(function(*[tf.constant(a) for a in arrays]))


def test_lbeta():
    x = np.random.RandomState(0).uniform(0.5, 4, [3, 2, 4])
    want = scipy.special.gammaln(x).sum(-1) - scipy.special.gammaln(x.sum(-1))
    np.testing.assert_allclose(evaluate(tf.lbeta, x), want, rtol=1e-13)
    np.testing.assert_array_equal(
        evaluate(tf.lbeta, x[..., :0]), np.full([3, 2], -np.inf)
    )


X = np.array([[0.0, 1, -2], [0.5, 0, 3]])
Y = np.array([2.0, 0, 3])


@pytest.mark.parametrize(
    ("function", "x", "y", "want"),
    [
        (tf.div_no_nan, X, Y, [[0, 0, -2 / 3], [0.25, 0, 1]]),
        (tf.math.divide_no_nan, X + 0j, Y + 0j, [[0, 0, -2 / 3], [0.25, 0, 1]]),
        (tf.math.multiply_no_nan, X / 0.0, np.zeros(3), np.zeros([2, 3])),
        (tf.math.multiply_no_nan, X, Y, X * Y),
        (tf.math.xlogy, X, Y, scipy.special.xlogy(X, Y)),
        (tf.math.xlog1py, X, Y - 1, scipy.special.xlog1py(X, Y - 1)),
        (tf.math.xdivy, X, Y, [[0, np.inf, -2 / 3], [0.25, 0, 1]]),
    ]
    if np.seterr(all="ignore")
    else [],
)
def test_zero_decides(function, x, y, want):
    np.testing.assert_allclose(evaluate(function, x, y), np.array(want), rtol=1e-14)


def test_gradients_stay_finite_where_zero_decides():
    x, y = np.zeros(3), np.array([0.0, 1, np.inf])
    for function in (tf.div_no_nan, tf.math.xlogy, tf.math.xdivy, tf.math.xlog1py):
        with tf.Graph().as_default(), tf.Session() as sess:
            a, b = tf.constant(x), tf.constant(y)
            ga, gb = sess.run(tf.gradients(function(a, b), [a, b]))
        assert np.isfinite(ga).all() and np.isfinite(gb).all()


def test_parts_of_numbers_and_norms():
    x = np.random.RandomState(0).normal(size=[4, 5])
    z = (x + 1j * x[::-1]).astype(np.complex128)
    np.testing.assert_allclose(evaluate(tf.angle, z), np.angle(z), rtol=1e-14)
    np.testing.assert_array_equal(evaluate(tf.angle, x), np.angle(x))
    norm = evaluate(lambda t: tf.math.reduce_euclidean_norm(t, 1), x)
    np.testing.assert_allclose(norm, np.linalg.norm(x, axis=1), rtol=1e-14)
    got = evaluate(lambda t: tf.math.polyval([1.0, -2.0, 3.0], t), x)
    np.testing.assert_allclose(got, np.polyval([1, -2, 3], x), rtol=1e-14)
    np.testing.assert_array_equal(evaluate(lambda t: tf.math.polyval([], t), x), 0 * x)
    got = evaluate(tf.math.reciprocal_no_nan, np.array([0.0, 4]))
    np.testing.assert_array_equal(got, [0, 0.25])


def test_assert_near():
    near, far = np.float32([1, 1.000001]), np.float32([1, 1.01])
    with tf.Graph().as_default(), tf.Session() as sess:
        one = tf.constant(np.float32([1, 1]))
        sess.run(tf.assert_near(one, near))
        sess.run(tf.assert_near(one, far, atol=0.1))
        with pytest.raises(tf.errors.InvalidArgumentError):
            sess.run(tf.assert_near(one, far))


def test_trace():
    x = np.random.RandomState(0).normal(size=[2, 3, 4])
    got = evaluate(tf.trace, x)
    np.testing.assert_allclose(got, np.trace(x, axis1=1, axis2=2), rtol=1e-14)


def test_multiply_no_nan_has_the_derivative_x_by_a_zero():
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.constant([-3.0, 2.0, np.inf, np.nan])
        y = tf.constant([0.0, 4.0, 0.0, 0.0])
        z = tf.math.multiply_no_nan(x, y)
        by_x, by_y = session.run(tf.gradients(z, [x, y]))
        np.testing.assert_array_equal(by_x, [0, 4, 0, 0])
        np.testing.assert_array_equal(by_y, [-3, 2, np.inf, np.nan])
        none = session.run(tf.gradients(z, y, tf.zeros_like(z))[0])
        np.testing.assert_array_equal(none, np.zeros(4))
