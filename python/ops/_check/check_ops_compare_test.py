# SPDX-License-Identifier: Apache-2.0
"""Assertions of elements fail when they are built only where constants alone say so."""

import pytest

import tensorwright as tf

pytestmark = pytest.mark.usefixtures("fresh_graph")

BEHIND = {
    "constant": lambda x: x,
    "identity": tf.identity,
    "cast": lambda x: tf.cast(x, tf.int64),
    "pack": lambda x: tf.stack([x, x]),
}
IN_THE_RUN = {
    "reshape": lambda x: tf.reshape(x, [2]),
    "slice": lambda x: x[:],
    "sum": lambda x: x + 0,
    "feed": lambda x: tf.placeholder_with_default(x, [2]),
}


@pytest.mark.parametrize("behind", BEHIND)
def test_what_constants_violate_fails_when_built(behind):
    x = BEHIND[behind](tf.constant([2, 1]))
    with pytest.raises(tf.errors.InvalidArgumentError, match="x <= y did not hold"):
        tf.assert_less_equal(x, tf.cast(1, x.dtype))
    assert tf.assert_less_equal(x, tf.cast(2, x.dtype)).type == "NoOp"


@pytest.mark.parametrize("behind", IN_THE_RUN)
def test_what_a_run_has_to_compute_fails_there(behind):
    x = IN_THE_RUN[behind](tf.constant([2, 1]))
    fails, holds = tf.assert_less_equal(x, 1), tf.assert_less_equal(x, 2)
    assert fails.type == "Assert"
    with tf.Session() as session:
        session.run(holds)
        with pytest.raises(tf.errors.InvalidArgumentError, match="x <= y did not hold"):
            session.run(fails)


SIGNS = {
    tf.assert_negative: ("x < 0", [0, 1]),
    tf.assert_positive: ("x > 0", [0, -1]),
    tf.assert_non_negative: ("x >= 0", [-1]),
    tf.assert_non_positive: ("x <= 0", [1]),
}


@pytest.mark.parametrize("check", SIGNS, ids=lambda f: f.__name__)
def test_what_has_the_wrong_sign_is_told_with_its_value(check):
    rule, wrong = SIGNS[check]
    for value in wrong:
        text = f"why Condition {rule} did not hold element-wise:"
        with pytest.raises(tf.errors.InvalidArgumentError) as built:
            check(tf.constant(value), message="why")
        assert text in str(built.value)
        assert f") = {value}" in str(built.value)
        assert "y (" not in str(built.value)
        fed = tf.placeholder_with_default(value, [])
        with (
            tf.Session() as session,
            pytest.raises(tf.errors.InvalidArgumentError) as run,
        ):
            session.run(check(fed, message="why"))
        assert f"[{text}] [x ({fed.name}) = ] [{value}]" in str(run.value)
