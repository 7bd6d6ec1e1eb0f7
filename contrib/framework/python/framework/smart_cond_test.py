# SPDX-License-Identifier: Apache-2.0
"""smart_cond calls one branch of a known condition; sort and argsort order along an axis."""

import numpy as np
import pytest

import tensorwright as tf

pytestmark = pytest.mark.usefixtures("fresh_graph")

framework = tf.contrib.framework


def run(fetches, feed=None):
    with tf.Session() as session:
        return session.run(fetches, feed)


@pytest.mark.parametrize("pred", [True, 1, np.bool_(True), "constant"])
def test_a_known_condition_builds_one_branch(pred):
    if pred == "constant":
        pred = tf.constant(True)

    def never():
        raise AssertionError("the other branch was built")

    got = framework.smart_cond(pred, lambda: tf.constant(3), never)
    assert run(got) == 3
    assert framework.smart_constant_value(pred) is True


def test_a_fed_condition_builds_both():
    pred = tf.placeholder(tf.bool, [])
    assert framework.smart_constant_value(pred) is None
    got = framework.smart_cond(pred, lambda: tf.constant(3), lambda: tf.constant(4))
    assert run(got, {pred: True}) == 3 and run(got, {pred: False}) == 4


def test_wrong_conditions_and_branches():
    with pytest.raises(TypeError, match="`pred` must be"):
        framework.smart_constant_value("yes")
    with pytest.raises(TypeError, match="`false_fn` must be callable"):
        framework.smart_cond(True, lambda: 1, 2)


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_orders(axis):
    x = np.random.RandomState(0).permutation(12).reshape(3, 4).astype(np.float32)
    up, down = framework.sort(x, axis), framework.sort(x, axis, "DESCENDING")
    places = framework.argsort(x, axis)
    up, down, places = run([up, down, places])
    np.testing.assert_array_equal(up, np.sort(x, axis))
    np.testing.assert_array_equal(down, -np.sort(-x, axis))
    np.testing.assert_array_equal(places, np.argsort(x, axis))
