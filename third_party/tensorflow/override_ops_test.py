# SPDX-License-Identifier: Apache-2.0
"""Kernels of a library that is loaded to override built-in ones run alone, whatever is around them."""

import pathlib
import shutil

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.framework import function
from tensorwright.python.ops import gen_math_ops, gen_nn_ops

LIBRARY = pathlib.Path(__file__).parent / "override/override_ops.so"
ADD, RELU, MATMUL = range(3)


# Loading is for good, so what comes before it is noted around the one time it is done.
def _load():
    with pytest.raises(tf.errors.AlreadyExistsError) as refused:
        tf.load_op_library(str(LIBRARY))
    with tf.Graph().as_default():
        before = tf.Session()
        x = tf.placeholder(tf.float32, [2])
        y = gen_nn_ops.relu(gen_math_ops.add(x, x))
        old = before.run(y, {x: [1, -1]})
        library = tf.load_op_library(str(LIBRARY), override=True)
        return library, str(refused.value), old, before.run(y, {x: [1, -1]})


_library, _refused, _old, _still = _load()


@pytest.fixture
def session():
    with tf.Graph().as_default(), tf.Session() as session:
        yield session


def _counted(session, fetches, feeds=None):
    """The values, and how often each kernel ran for them."""
    before = session.run(_library.override_calls())
    values = session.run(fetches, feeds)
    return values, list(session.run(_library.override_calls()) - before)


def test_without_asking_it_is_an_error_that_names_both_places():
    assert "override_ops.cc" in _refused
    assert "is for the same device and types as" in _refused
    assert "core/kernels/" in _refused


def test_a_session_keeps_the_kernels_that_it_has_made():
    assert _old.tolist() == _still.tolist() == [2, 0]


def test_each_runs_alone(session):
    x = tf.placeholder(tf.float32, [2, 2])
    feeds = {x: [[1, -2], [3, 4]]}
    a, ran = _counted(session, gen_math_ops.add(x, x), feeds)
    assert a.tolist() == [[3, -3], [7, 9]] and ran == [1, 0, 0]
    r, ran = _counted(session, tf.nn.relu(x), feeds)
    assert r.tolist() == [[2, 1], [4, 5]] and ran == [0, 1, 0]
    m, ran = _counted(session, tf.matmul(x, x), feeds)
    assert m.tolist() == [[-4, -9], [16, 11]] and ran == [0, 0, 1]


def test_other_types_keep_the_built_in_kernels(session):
    x = tf.constant([1.0, -1.0], tf.float64)
    y, ran = _counted(session, gen_nn_ops.relu(gen_math_ops.add(x, x)))
    assert y.tolist() == [2, 0] and ran == [0, 0, 0]


def test_a_chain_of_elementwise_ops_is_cut_around_them(session):
    x = tf.placeholder(tf.float32, [5])
    value = np.float32([-2, -1, 0, 1, 2])
    y = tf.exp(tf.tanh(gen_math_ops.add(tf.nn.relu(x * 2.0), x) * 0.5) - 1.0)
    found, ran = _counted(session, y, {x: value})
    inside = np.maximum(value * 2, 0) + 1 + value + 1
    np.testing.assert_allclose(found, np.exp(np.tanh(inside * 0.5) - 1), rtol=1e-5)
    assert ran == [1, 1, 0]


def test_a_product_keeps_its_bias_and_activation_apart(session):
    x = tf.placeholder(tf.float32, [2, 2])
    w = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    value = np.float32([[1, -2], [3, 4]])
    y = tf.nn.relu(tf.nn.bias_add(tf.matmul(x, w), [10.0, -100.0]))
    found, ran = _counted(session, y, {x: value})
    product = value @ np.float32([[1, 2], [3, 4]]) + 1
    expected = np.maximum(product + np.float32([10, -100]), 0) + 1
    assert found.tolist() == expected.tolist()
    assert ran == [0, 1, 1]


def test_equal_nodes_and_constants_are_computed_each(session):
    c = tf.constant([1.0, 2.0])
    y = tf.stack([tf.nn.relu(c), tf.nn.relu(c)])
    found, ran = _counted(session, y)
    assert found.tolist() == [[2, 3], [2, 3]]
    assert ran == [0, 2, 0]


def test_gradients_run_them_too(session):
    x = tf.placeholder(tf.float32, [2, 2])
    w = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    (dx,) = tf.gradients(tf.matmul(x, w), x)
    found, ran = _counted(session, dx, {x: np.ones([2, 2])})
    # d = ones w^T, plus 1.
    assert found.tolist() == [[4, 8], [4, 8]]
    assert ran[MATMUL] == 1


def test_in_a_loop(session):
    x = tf.placeholder(tf.float32, [1])
    y = tf.while_loop(
        lambda i, v: i < 3, lambda i, v: (i + 1, tf.nn.relu(v) * 2.0), (0, x)
    )[1]
    found, ran = _counted(session, y, {x: [1]})
    assert found.tolist() == [22]
    assert ran == [0, 3, 0]


def test_an_op_that_passes_turn_into_an_overridden_one_stays_what_it_is(session):
    x = tf.placeholder(tf.float32, [2])
    y, ran = _counted(session, gen_math_ops.add_v2(x, x), {x: [1, 2]})
    assert y.tolist() == [2, 4] and ran == [0, 0, 0]
    y, ran = _counted(session, gen_math_ops.add_v2(x, x) * tf.exp(x), {x: [0, 0]})
    assert y.tolist() == [0, 0] and ran == [0, 0, 0]
    y, ran = _counted(session, gen_math_ops.add_v2([1.0], [2.0]))
    assert y.tolist() == [3] and ran == [0, 0, 0]


def test_what_the_executor_does_itself_is_left_to_the_kernel(session):
    x = tf.placeholder(tf.uint8, [2])
    y = tf.identity(tf.identity(x))
    assert session.run(y, {x: [1, 2]}).tolist() == [3, 4]
    # A graph with such a constant runs as it is written.
    c = tf.constant(3, tf.int8)
    assert session.run([c, tf.cast(c, tf.int32) * 2]) == [7, 14]
    assert session.run(tf.constant(3, tf.int16)) == 3


def test_in_a_function(session):
    @function.Defun(tf.float32)
    def f(x):
        return tf.nn.relu(x) * 2.0

    y, ran = _counted(session, f(tf.constant([3.0])))
    assert y.tolist() == [8] and ran == [0, 1, 0]


def test_a_second_library_does_not_override_the_first(tmp_path):
    copy = tmp_path / "second_ops.so"
    shutil.copy(LIBRARY, copy)
    with pytest.raises(tf.errors.AlreadyExistsError) as refused:
        tf.load_op_library(str(copy), override=True)
    assert str(copy) in str(refused.value)
    assert str(refused.value).count("override_ops.cc") == 2


def test_a_library_that_is_loaded_is_not_asked_to_override(session):
    known = pathlib.Path(__file__).parent / "known/known_ops.so"
    tf.load_op_library(str(known))
    with pytest.raises(ValueError, match="is loaded already, without override"):
        tf.load_op_library(str(known), override=True)
