# SPDX-License-Identifier: Apache-2.0
"""Accumulators of dense gradients."""

import threading
import time

import numpy as np
import pytest

import tensorwright as tf


@pytest.mark.parametrize("dtype", [tf.float16, tf.float32, tf.float64])
@pytest.mark.parametrize("reduction", ["MEAN", "SUM"])
def test_the_mean_or_sum_of_gradients(dtype, reduction):
    rng = np.random.RandomState(1)
    grads = rng.normal(size=(5, 3, 2)).astype(dtype.as_numpy_dtype)
    with tf.Graph().as_default(), tf.Session() as session:
        acc = tf.ConditionalAccumulator(dtype, shape=[3, 2], reduction_type=reduction)
        x = tf.placeholder(dtype)
        for g in grads:
            session.run(acc.apply_grad(x), {x: g})
        assert session.run(acc.num_accumulated()) == 5
        taken = acc.take_grad(3)
        assert taken.shape == [3, 2]
        expected = grads.mean(0) if reduction == "MEAN" else grads.sum(0)
        tolerance = 1e-2 if dtype == tf.float16 else 1e-6
        np.testing.assert_allclose(session.run(taken), expected, atol=tolerance)
        assert session.run(acc.num_accumulated()) == 0


def test_old_gradients_do_not_count():
    with tf.Graph().as_default(), tf.Session() as session:
        acc = tf.ConditionalAccumulator(tf.float32)
        session.run(acc.apply_grad([1.0, 2.0], local_step=0))
        assert session.run(acc.take_grad(1)).tolist() == [1, 2]
        # The step is 1 now.
        session.run(acc.apply_grad([4.0], local_step=0))
        assert session.run(acc.num_accumulated()) == 0
        session.run(acc.apply_grad([4.0], local_step=1))
        session.run(acc.set_global_step(9))
        session.run(acc.apply_grad([8.0], local_step=8))
        session.run(acc.apply_grad([8.0], local_step=9))
        assert session.run(acc.take_grad(2)).tolist() == [6]


def test_who_takes_waits_for_enough():
    with tf.Graph().as_default(), tf.Session() as session:
        acc = tf.ConditionalAccumulator(tf.float32, shape=[])
        apply, take = acc.apply_grad(3.0), acc.take_grad(2)
        got = []
        taker = threading.Thread(target=lambda: got.append(session.run(take)))
        taker.start()
        session.run(apply)
        time.sleep(0.02)
        assert taker.is_alive()
        session.run(apply)
        taker.join(20)
        assert got == [3.0]
        with pytest.raises(tf.errors.DeadlineExceededError):
            session.run(take, options=tf.RunOptions(timeout_in_ms=20))


def test_wrong_gradients_are_refused():
    invalid = tf.errors.InvalidArgumentError
    with tf.Graph().as_default(), tf.Session() as session:
        acc = tf.ConditionalAccumulator(tf.float32)
        x = tf.placeholder(tf.float32)
        session.run(acc.apply_grad(x), {x: [1, 2]})
        with pytest.raises(invalid, match=r"expected \[2\], got \[3\]"):
            session.run(acc.apply_grad(x), {x: [1, 2, 3]})
        with pytest.raises(invalid, match="must be positive"):
            session.run(acc.take_grad(0))
        known = tf.ConditionalAccumulator(tf.float32, shape=[2])
        with pytest.raises(invalid, match=r"expected \[2\], got \[1\]"):
            session.run(known.apply_grad(x), {x: [1]})
        with pytest.raises(ValueError):
            known.apply_grad([1.0])
        one = tf.ConditionalAccumulator(tf.float32, shape=[2], shared_name="s")
        session.run(one.num_accumulated())
        for kwargs in (dict(dtype=tf.float64, shape=[2]), dict(dtype=tf.float32)):
            other = tf.ConditionalAccumulator(shared_name="s", **kwargs)
            with pytest.raises(invalid, match="Shared conditional accumulator"):
                session.run(other.num_accumulated())
