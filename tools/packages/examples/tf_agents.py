# SPDX-License-Identifier: Apache-2.0
"""TF-Agents 0.3: the DQN example of its v1 folder on CartPole, in graph mode."""

import tensorflow as tf
from tf_agents.agents.dqn import dqn_agent
from tf_agents.drivers import dynamic_step_driver
from tf_agents.environments import suite_gym, tf_py_environment
from tf_agents.networks import q_network
from tf_agents.replay_buffers import tf_uniform_replay_buffer
from tf_agents.utils import common

tf.compat.v1.set_random_seed(1)
global_step = tf.compat.v1.train.get_or_create_global_step()
environment = tf_py_environment.TFPyEnvironment(suite_gym.load("CartPole-v0"))
q_net = q_network.QNetwork(
    environment.time_step_spec().observation,
    environment.action_spec(),
    fc_layer_params=(100,),
)
agent = dqn_agent.DqnAgent(
    environment.time_step_spec(),
    environment.action_spec(),
    q_network=q_net,
    optimizer=tf.compat.v1.train.AdamOptimizer(1e-3),
    td_errors_loss_fn=dqn_agent.element_wise_squared_loss,
    train_step_counter=global_step,
)
replay_buffer = tf_uniform_replay_buffer.TFUniformReplayBuffer(
    agent.collect_data_spec, batch_size=environment.batch_size, max_length=1000
)
collect = dynamic_step_driver.DynamicStepDriver(
    environment,
    agent.collect_policy,
    observers=[replay_buffer.add_batch],
    num_steps=10,
).run()
dataset = replay_buffer.as_dataset(sample_batch_size=16, num_steps=2)
iterator = tf.compat.v1.data.make_initializable_iterator(dataset)
trajectories, _ = iterator.get_next()
train = common.function(agent.train)(experience=trajectories)
with tf.compat.v1.Session() as sess:
    common.initialize_uninitialized_variables(sess)
    sess.run(iterator.initializer)
    sess.run(agent.initialize())
    for _ in range(10):
        sess.run(collect)
    losses = [sess.run(train).loss for _ in range(30)]
    assert sess.run(global_step) == 30
assert all(loss >= 0 for loss in losses), losses
