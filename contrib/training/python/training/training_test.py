# SPDX-License-Identifier: Apache-2.0
"""Training operations, gradients, loops, evaluation, load balancing, tolerance of failures."""

import numpy as np
import pytest

import tensorwright as tf

pytestmark = pytest.mark.usefixtures("fresh_graph")

training = tf.contrib.training
SGD = tf.train.GradientDescentOptimizer


def test_a_step_updates_first_and_counts():
    v = tf.Variable(10.0)
    n = tf.Variable(0.0, trainable=False)
    tf.add_to_collection(tf.GraphKeys.UPDATE_OPS, n.assign_add(1.0))
    clip = lambda grads: training.clip_gradient_norms(grads, 1.0)  # noqa: E731
    train = training.create_train_op(
        v * v, SGD(0.5), transform_grads_fn=clip, summarize_gradients=True
    )
    assert tf.get_collection(tf.GraphKeys.TRAIN_OP)[-1] is train
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        assert session.run(train) == 100
        assert session.run([v, n, tf.train.get_global_step()]) == [9.5, 1, 1]
    assert len(tf.get_collection(tf.GraphKeys.SUMMARIES)) == 2


def test_a_loss_that_is_no_number_fails():
    v = tf.Variable(-1.0)
    train = training.create_train_op(tf.log(v), SGD(0.1), global_step=None)
    assert tf.train.get_global_step() is None
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        with pytest.raises(tf.errors.InvalidArgumentError, match="LossTensor"):
            session.run(train)


def test_what_cannot_be_trained_is_refused():
    with pytest.raises(ValueError, match="no variables"):
        training.create_train_op(tf.constant(1.0), SGD(0.1))
    fixed = tf.Variable(1.0, trainable=False)
    with pytest.raises(ValueError, match="not trainable"):
        training.create_train_op(fixed * 1, SGD(0.1), variables_to_train=[fixed])


def test_gradients_are_multiplied():
    v, w = tf.Variable([1.0, 2.0]), tf.Variable(1.0, name="w")
    grads = [(tf.constant([1.0, 1.0]), v), (tf.constant(3.0), w)]
    found = training.multiply_gradients(grads, {v: 2.0, "w": 4.0})
    with tf.Session() as session:
        a, b = session.run([g for g, _ in found])
    assert a.tolist() == [2, 2] and b == 12
    for wrong in ([], {}):
        with pytest.raises(ValueError):
            training.multiply_gradients(grads, wrong)
    with pytest.raises(ValueError, match="None"):
        training.multiply_gradients([(None, v)], {v: 1.0})


def test_training_and_evaluation(tmp_path):
    x = np.linspace(-1, 1, 32).astype(np.float32)
    w = tf.get_variable("w", [])
    error = tf.reduce_mean((w * x - 3 * x) ** 2)
    train = training.create_train_op(error, SGD(0.5))
    hooks = [tf.train.StopAtStepHook(num_steps=60)]
    last = training.train(train, str(tmp_path), hooks=hooks, save_summaries_steps=None)
    assert last < 1e-4
    with tf.Graph().as_default():
        w = tf.get_variable("w", [])
        tf.train.get_or_create_global_step()
        tf.summary.scalar("w", w)
        path = training.wait_for_new_checkpoint(str(tmp_path), timeout=1)
        value = training.evaluate_once(path, final_ops=w)
        assert value == pytest.approx(3, abs=0.02)
        again = training.evaluate_repeatedly(
            str(tmp_path), eval_ops=tf.no_op(), final_ops=w, eval_interval_secs=0,
            hooks=[
                training.StopAfterNEvalsHook(2),
                training.SummaryAtEndHook(str(tmp_path / "eval")),
            ],
            max_number_of_evaluations=1,
        )  # fmt: skip
        assert again == value
    assert training.wait_for_new_checkpoint(str(tmp_path), path, 0.01, 0.02) is None
    events = list((tmp_path / "eval").glob("events*"))
    found = [v.simple_value for e in tf.train.summary_iterator(str(events[0])) for v in e.summary.value]  # fmt: skip
    assert found == [value]
    with pytest.raises(ValueError, match="logdir"):
        training.train(train, None)


def test_variables_go_where_there_is_room():
    strategy = training.GreedyLoadBalancingStrategy(2, training.byte_size_load_fn)
    setter = tf.train.replica_device_setter(ps_tasks=2, ps_strategy=strategy)
    with tf.device(setter):
        made = [tf.Variable(tf.zeros([n])) for n in (4, 2, 1, 3)]
    assert [v.device[-1] for v in made] == ["0", "1", "1", "1"]
    with pytest.raises(ValueError):
        training.byte_size_load_fn(tf.placeholder(tf.float32).op)


def test_failures_are_forgiven_up_to_a_limit():
    tolerator = training.FailureTolerator(limit=3, init_delay=0, handled_exceptions=[KeyError])  # fmt: skip
    for _ in range(2):
        with tolerator.forgive():
            raise KeyError
    with pytest.raises(KeyError), tolerator.forgive():
        raise KeyError
    with pytest.raises(ValueError), training.FailureTolerator(init_delay=0, handled_exceptions=[KeyError]).forgive():  # fmt: skip
        raise ValueError


def test_tuners_are_made_by_subclasses():
    with pytest.raises(TypeError):
        training.Tuner()

    class Twice(training.Tuner):
        left = 2

        def next_trial(self):
            self.left -= 1
            return self.left >= 0

        def run_experiment(self, experiment_fn):
            return experiment_fn(self.left)

    tuner, seen = Twice(), []
    while tuner.next_trial():
        tuner.run_experiment(seen.append)
    assert seen == [1, 0]


def test_updates_that_are_left_out_are_named_and_do_not_run(caplog):
    v, n, m = tf.Variable(1.0), tf.Variable(0.0, trainable=False), tf.Variable(0.0, trainable=False)  # fmt: skip
    tf.add_to_collection(tf.GraphKeys.UPDATE_OPS, tf.assign_add(n, 1.0, name="of_n").op)
    update = tf.assign_add(m, 1.0).op
    train = training.create_train_op(v * v, SGD(0.25), update_ops=[update, update])
    assert "of_n" in caplog.text
    caplog.clear()
    training.create_train_op(v * v, SGD(0.25))
    assert caplog.text == ""
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        assert session.run(train) == 1.0
        assert session.run([v, n, m]) == [0.5, 0.0, 1.0]


@pytest.mark.parametrize("interval", ["save_summaries_steps", "save_checkpoint_secs"])
def test_writing_to_no_place_is_refused_by_the_name_of_the_interval(interval):
    v = tf.Variable(1.0)
    train = training.create_train_op(v * v, SGD(0.25))
    intervals = {"save_summaries_steps": None, "save_checkpoint_secs": None}
    with pytest.raises(
        ValueError, match=f"logdir cannot be None where {interval} is 5"
    ):
        training.train(train, None, **{**intervals, interval: 5})
    stop = [tf.train.StopAtStepHook(last_step=1)]
    assert training.train(train, None, hooks=stop, **intervals) == 1.0
