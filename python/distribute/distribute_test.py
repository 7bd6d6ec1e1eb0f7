# SPDX-License-Identifier: Apache-2.0
"""The strategy of one device: scopes, replicas, input, values; the strategy and the context in force."""

import numpy as np
import pytest

import tensorwright as tf

pytestmark = pytest.mark.usefixtures("fresh_graph")

distribute = tf.distribute


def test_a_training_loop():
    strategy = distribute.OneDeviceStrategy("/cpu:0")
    x = np.arange(8, dtype=np.float32)
    data = tf.data.Dataset.from_tensor_slices((x, 3 * x)).batch(4)
    with strategy.scope():
        w = tf.get_variable("w", initializer=0.0)
        iterator = strategy.make_dataset_iterator(data)

        def step(batch):
            assert distribute.get_replica_context().num_replicas_in_sync == 1
            loss = tf.reduce_mean((w * batch[0] - batch[1]) ** 2)
            with tf.control_dependencies([tf.train.GradientDescentOptimizer(0.02).minimize(loss)]):  # fmt: skip
                return tf.identity(loss)

        loss = strategy.experimental_run(step, iterator)
        loss = strategy.reduce(distribute.ReduceOp.MEAN, loss)
    assert w.device == "/device:CPU:0"
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        losses = []
        for _ in range(6):
            session.run(iterator.initialize())
            losses += [session.run(loss), session.run(loss)]
            with pytest.raises(tf.errors.OutOfRangeError):
                session.run(loss)
        assert losses[-1] < losses[0] / 100
        np.testing.assert_allclose(session.run(w), 3, atol=0.1)


def test_what_is_in_force():
    strategy = distribute.OneDeviceStrategy("/cpu:0")
    assert not distribute.has_strategy() and not distribute.in_cross_replica_context()
    assert distribute.get_strategy().num_replicas_in_sync == 1
    with strategy.scope() as inside:
        assert inside is distribute.get_strategy()
        assert distribute.has_strategy()
        assert distribute.get_replica_context() is None

        def replica(a, b):
            found = distribute.get_replica_context()
            assert found.strategy is strategy and found.replica_id == 0
            assert found.devices == ["/cpu:0"]
            assert not distribute.in_cross_replica_context()
            return found.merge_call(lambda s, v: (s, distribute.in_cross_replica_context(), v), a + b)  # fmt: skip

        assert strategy.run(replica, (1,), {"b": 2}) == (strategy, True, 3)
        assert strategy.call_for_each_tower(replica, 1, b=2)[2] == 3
        assert strategy.extended.call_for_each_replica(replica, args=(1, 2))[2] == 3
    assert not distribute.has_strategy()


def test_one_device_reduces_and_broadcasts_values():
    strategy = distribute.OneDeviceStrategy("/cpu:0")
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    v = tf.get_variable("v", initializer=1.0, use_resource=True)
    with strategy.scope():
        total = strategy.reduce("SUM", x, axis=0)
        mean = strategy.reduce(distribute.ReduceOp.MEAN, {"a": x}, axis=1)["a"]
        assert strategy.reduce("SUM", x) is x and strategy.unwrap(x) == [x]
        assert strategy.broadcast(x) is x
        update = strategy.update(v, lambda var, by: var.assign_add(by), 4.0)
        after = strategy.group({"u": update})
        assert strategy.num_towers == 1 and strategy.initialize() == []
    with tf.Session() as session:
        session.run(v.initializer)
        total, mean, _ = session.run([total, mean, after])
        assert session.run(strategy.read_var(v)) == 5
    assert total.tolist() == [4, 6] and mean.tolist() == [1.5, 3.5]
    with pytest.raises(ValueError, match="reduce_op"):
        strategy.reduce("MAX", x)


def test_input_functions():
    strategy = distribute.OneDeviceStrategy("/cpu:0")
    made = tf.data.Dataset.range(3)
    assert strategy.distribute_dataset(lambda: made) is made
    told = strategy.make_input_fn_iterator(lambda ctx: made.batch(2 // ctx.num_replicas_in_sync))  # fmt: skip
    with tf.Session() as session:
        session.run(told.initialize())
        assert session.run(told.get_next()).tolist() == [0, 1]


def test_other_strategies_are_missing():
    assert not hasattr(distribute, "MirroredStrategy")


def test_without_a_strategy_the_current_device_has_one_replica():
    with tf.device("/cpu:0"):
        strategy = distribute.get_strategy()
        x = tf.constant([1.0, 3.0])
        found = strategy.experimental_run_v2(lambda v: v + 1, (x,))
        assert found.device == "/device:CPU:0"
        replica = distribute.get_replica_context()
        assert replica.all_reduce("sum", {"a": x}) == {"a": x}
        assert strategy.reduce(distribute.ReduceOp.MEAN, x, axis=None) is x
        merged = replica.merge_call(lambda s, v, w: (s, v, w, distribute.in_cross_replica_context()), args=(1,), kwargs={"w": 2})  # fmt: skip # noqa: E501
    assert merged == (strategy, 1, 2, True)
    with pytest.raises(ValueError, match="reduce_op must be SUM or MEAN, got 'MAX'"):
        replica.all_reduce("MAX", x)


def test_an_input_context_shares_a_batch_among_replicas():
    context = distribute.InputContext(num_replicas_in_sync=4)
    assert (context.num_input_pipelines, context.input_pipeline_id) == (1, 0)
    assert context.get_per_replica_batch_size(12) == 3
    with pytest.raises(ValueError, match="divisible by the 4 replicas, got 10"):
        context.get_per_replica_batch_size(10)
