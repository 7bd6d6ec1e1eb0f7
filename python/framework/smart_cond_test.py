# SPDX-License-Identifier: Apache-2.0
"""smart_cond decides while the graph is built where it can."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.framework import smart_cond

pytestmark = pytest.mark.usefixtures("fresh_graph")


def _ops() -> set[str]:
    return {op.type for op in tf.get_default_graph().get_operations()}


@pytest.mark.parametrize("pred", [True, 1, np.bool_(True), lambda: tf.constant(True)])
def test_a_known_predicate_builds_one_branch(pred):
    value = smart_cond.smart_cond(
        pred() if callable(pred) else pred,
        lambda: tf.constant(3.0),
        lambda: tf.fill([2], 1.0),
    )
    assert "Switch" not in _ops() and "Fill" not in _ops()
    with tf.Session() as sess:
        assert sess.run(value) == 3.0


def test_an_unknown_predicate_builds_a_cond():
    pred = tf.placeholder(tf.bool, [])
    value = smart_cond.smart_cond(pred, lambda: tf.constant(1), lambda: tf.constant(2))
    assert smart_cond.smart_constant_value(pred) is None
    assert "Switch" in _ops()
    with tf.Session() as sess:
        assert [sess.run(value, {pred: p}) for p in (True, False)] == [1, 2]


def test_wrong_arguments_are_refused():
    with pytest.raises(TypeError, match="`true_fn` must be callable"):
        smart_cond.smart_cond(True, 1, lambda: 2)
    with pytest.raises(TypeError, match="`false_fn` must be callable"):
        smart_cond.smart_cond(True, lambda: 2)
    with pytest.raises(TypeError, match="`pred` must be a Tensor, or a Python bool"):
        smart_cond.smart_cond("yes", lambda: 1, lambda: 2)
    with pytest.raises(TypeError, match="`pred` must be a Tensor"):
        smart_cond.smart_constant_value(2)


def test_a_case_ends_at_the_first_predicate_that_is_true():
    calls = []

    def branch(value):
        return lambda: calls.append(value) or tf.constant(value)

    x = tf.placeholder(tf.int32, [])
    known = smart_cond.smart_case(
        [(False, branch(1)), (tf.constant(True), branch(2)), (x > 1, branch(3))]
    )
    assert calls == [2]
    some = smart_cond.smart_case(
        [(False, branch(4)), (x > 5, branch(5)), (True, branch(6)), (x > 1, branch(7))]
    )
    assert 4 not in calls and 7 not in calls
    other = smart_cond.smart_case([(x > 5, branch(8))], default=branch(9))
    with tf.Session() as sess:
        assert sess.run(known) == 2
        assert sess.run([some, other], {x: 9}) == [5, 8]
        assert sess.run([some, other], {x: 3}) == [6, 9]


def test_a_case_without_a_way_out_is_refused():
    with pytest.raises(ValueError, match="there is no default"):
        smart_cond.smart_case([(False, lambda: 1)])
    with pytest.raises(TypeError, match="must be callable"):
        smart_cond.smart_case([(True, 1)])
    with pytest.raises(TypeError, match="must be a list, tuple, or dict"):
        smart_cond.smart_case(3)
