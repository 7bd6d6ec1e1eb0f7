# SPDX-License-Identifier: Apache-2.0
"""tf.contrib.input_pipeline: strings round and round."""

import pytest

import tensorwright as tf
from tensorwright.contrib import input_pipeline

pytestmark = pytest.mark.usefixtures("fresh_graph")


def test_after_the_last_comes_the_first():
    counter = tf.Variable(tf.constant(-1, tf.int64))
    following = input_pipeline.obtain_next(tf.constant(["a", "b"]), counter)
    with tf.Session() as session:
        session.run(counter.initializer)
        assert [session.run(following) for _ in range(3)] == [b"a", b"b", b"a"]


def test_rounds_end():
    following = input_pipeline.seek_next(["a", "b"], num_epochs=2)
    with tf.Session() as session:
        session.run(tf.local_variables_initializer())
        assert [session.run(following) for _ in range(4)] == [b"a", b"b"] * 2
        with pytest.raises(tf.errors.OutOfRangeError):
            session.run(following)


def test_a_random_order():
    words = [str(i) for i in range(20)]
    following = input_pipeline.seek_next(words, shuffle=True, seed=3)
    with tf.Session() as session:
        session.run(tf.local_variables_initializer())
        got = [session.run(following).decode() for _ in range(20)]
    assert sorted(got) == sorted(words) and got != words
