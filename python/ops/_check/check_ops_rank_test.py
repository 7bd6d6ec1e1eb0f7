# SPDX-License-Identifier: Apache-2.0
"""Checks of ranks, which may come with the run."""

import pytest

import tensorwright as tf


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default():
        yield


@pytest.mark.parametrize(
    ("check", "right", "wrong"),
    [
        (tf.assert_rank, [1], [0, 2]),
        (tf.assert_rank_at_least, [0, 1], [2]),
        (lambda x, rank: tf.assert_rank_in(x, [rank, 3]), [1], [0, 2]),
    ],
)
def test_a_rank_may_come_with_the_run(check, right, wrong):
    rank = tf.placeholder(tf.int32)
    checked = check(tf.constant([1.0]), rank)
    with tf.Session() as session:
        for one in right:
            session.run(checked, {rank: one})
        for one in wrong:
            with pytest.raises(tf.errors.InvalidArgumentError, match="must have rank"):
                session.run(checked, {rank: one})
        with pytest.raises(tf.errors.InvalidArgumentError, match="must be a scalar"):
            session.run(checked, {rank: [1]})


def test_a_known_rank_is_a_scalar_integer():
    x = tf.constant([1.0])
    with pytest.raises(ValueError, match="Rank must be a scalar"):
        tf.assert_rank(x, [1])
    with pytest.raises(TypeError, match="int32"):
        tf.assert_rank(x, 1.0)
    with pytest.raises(ValueError, match=r"Tensor \S+:0 must have rank in \(0, 2\)"):
        tf.assert_rank_in(x, [2, 0])


def test_a_wrong_rank_is_told_with_the_tensor_and_the_rule():
    x = tf.constant([1.0], name="short")
    with pytest.raises(ValueError, match="why Tensor short:0 must have rank 2. Rec"):
        tf.assert_rank(x, 2, message="why")
    with pytest.raises(ValueError, match="short:0 must have rank at least 2. Rec"):
        tf.assert_rank_at_least(x, 2)
