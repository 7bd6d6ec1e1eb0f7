# SPDX-License-Identifier: Apache-2.0
"""Tensorforce 0.4: the README's proximal policy optimisation of CartPole."""

import numpy as np
import tensorflow as tf
from tensorforce.agents import PPOAgent
from tensorforce.contrib.openai_gym import OpenAIGym
from tensorforce.execution import Runner

np.random.seed(1)
tf.set_random_seed(1)
environment = OpenAIGym("CartPole-v0", visualize=False)
network_spec = [
    dict(type="dense", size=32, activation="tanh"),
    dict(type="dense", size=32, activation="tanh"),
]
agent = PPOAgent(
    states=environment.states,
    actions=environment.actions,
    network=network_spec,
    batching_capacity=4096,
    step_optimizer=dict(type="adam", learning_rate=1e-2),
    optimization_steps=5,
)
runner = Runner(agent=agent, environment=environment)
runner.run(episodes=200, max_episode_timesteps=200)
rewards = runner.episode_rewards
runner.close()
assert len(rewards) == 200
means = [np.mean(rewards[i : i + 20]) for i in range(0, 200, 20)]
assert max(means) > 1.3 * means[0], means
