# SPDX-License-Identifier: Apache-2.0
"""map_fn, foldl, foldr and scan against loops in Python."""

import numpy as np
import pytest

import tensorwright as tf

X = np.arange(1.0, 7.0, dtype=np.float32).reshape(3, 2)


def run(build, feed=None):
    with tf.Graph().as_default(), tf.Session() as sess:
        return sess.run(build(), feed)


def test_map_applies_to_each_row():
    got = run(lambda: tf.map_fn(lambda x: x * x + 1, X))
    np.testing.assert_array_equal(got, X * X + 1)


def test_map_takes_and_gives_structures():
    def build():
        return tf.map_fn(
            lambda pair: {"sum": pair[0] + pair[1], "big": pair[0] > 3},
            (X, 2 * X),
            dtype={"sum": tf.float32, "big": tf.bool},
        )

    got = run(build)
    np.testing.assert_array_equal(got["sum"], 3 * X)
    np.testing.assert_array_equal(got["big"], X > 3)


def test_map_of_an_unknown_number_of_rows():
    with tf.Graph().as_default(), tf.Session() as sess:
        p = tf.placeholder(tf.float32, [None, 2])
        y = tf.map_fn(lambda x: tf.reduce_sum(x), p)
        np.testing.assert_array_equal(sess.run(y, {p: X}), X.sum(1))
        assert y.get_shape().as_list() == [None]
        assert sess.run(y, {p: X[:1]}).shape == (1,)


def test_map_keeps_static_shapes():
    with tf.Graph().as_default():
        assert tf.map_fn(lambda x: x[:1], X).get_shape().as_list() == [3, 1]


def test_folds_go_left_and_right():
    assert (
        run(lambda: tf.foldl(lambda a, x: a * 2 + x, np.array([1, 2, 3])))
        == (1 * 2 + 2) * 2 + 3
    )
    assert (
        run(lambda: tf.foldr(lambda a, x: a * 2 + x, np.array([1, 2, 3])))
        == (3 * 2 + 2) * 2 + 1
    )
    got = run(lambda: tf.foldl(lambda a, x: a + x, X, initializer=np.float32([10, 20])))
    np.testing.assert_array_equal(got, X.sum(0) + [10, 20])


def test_scan_gives_all_sums_on_the_way():
    got = run(lambda: tf.scan(lambda a, x: a + x, X))
    np.testing.assert_array_equal(got, np.cumsum(X, 0))
    got = run(lambda: tf.scan(lambda a, x: a + x, X, reverse=True))
    np.testing.assert_array_equal(got, np.cumsum(X[::-1], 0)[::-1])
    got = run(
        lambda: tf.scan(lambda a, x: a + x, X, initializer=np.ones(2, np.float32))
    )
    np.testing.assert_array_equal(got, np.cumsum(X, 0) + 1)


def test_scan_takes_structures():
    def build():
        return tf.scan(
            lambda a, _: (a[1], a[0] + a[1]), np.zeros(6), initializer=(0, 1)
        )

    first, second = run(build)
    np.testing.assert_array_equal(first, [1, 1, 2, 3, 5, 8])
    np.testing.assert_array_equal(second, [1, 2, 3, 5, 8, 13])


@pytest.mark.parametrize("reverse", [False, True])
def test_gradients_go_through_scan(reverse):
    with tf.Graph().as_default(), tf.Session() as sess:
        p = tf.placeholder(tf.float64, [4])
        y = tf.scan(lambda a, x: a * x, p, reverse=reverse)
        x = np.array([0.5, 2.0, -1.5, 3.0])
        with sess.as_default():
            theory, numeric = tf.test.compute_gradient(p, [4], y, [4], x)
        np.testing.assert_allclose(theory, numeric, rtol=1e-6, atol=1e-6)


def test_gradients_go_through_map_and_variables():
    with tf.Graph().as_default(), tf.Session() as sess:
        w = tf.get_variable("w", initializer=np.float32(3))
        y = tf.map_fn(lambda x: x * w, X)
        g = tf.gradients(tf.reduce_sum(y), w)[0]
        sess.run(tf.global_variables_initializer())
        assert sess.run(g) == X.sum()


@pytest.mark.parametrize(
    "loop",
    [
        tf.foldl,
        tf.foldr,
        tf.scan,
        lambda *a, **k: tf.scan(*a, reverse=True, **k),
    ],
)
def test_no_rows_build_and_need_an_initializer_in_a_run(loop):
    empty = np.zeros([0, 2], np.float32)
    with tf.Graph().as_default(), tf.Session() as sess:
        without = loop(tf.add, empty)
        begun = loop(tf.add, empty, initializer=tf.constant([5.0, 6.0]))
        assert without.shape.as_list() == begun.shape.as_list()
        want = [5, 6] if begun.shape.ndims == 1 else empty
        np.testing.assert_array_equal(sess.run(begun), want)
        with pytest.raises(tf.errors.InvalidArgumentError, match="index"):
            sess.run(without)


def test_wrong_use_is_refused():
    with tf.Graph().as_default():
        with pytest.raises(TypeError, match="fn must be callable"):
            tf.map_fn(1, X)
        with pytest.raises(ValueError, match="not a scalar"):
            tf.map_fn(lambda x: x, 1.0)
        with pytest.raises(TypeError, match="where dtype says"):
            tf.map_fn(lambda x: x > 1, X)
