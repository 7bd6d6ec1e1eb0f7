# SPDX-License-Identifier: Apache-2.0
"""Stable Baselines: "Getting started", PPO2 on CartPole."""

import gym
from stable_baselines import PPO2
from stable_baselines.common.policies import MlpPolicy
from stable_baselines.common.vec_env import DummyVecEnv

env = DummyVecEnv([lambda: gym.make("CartPole-v1")])
model = PPO2(MlpPolicy, env, verbose=0, seed=1, n_cpu_tf_sess=1)
model.learn(total_timesteps=12000)

total, rewards, obs = 0.0, [], env.reset()
for _ in range(1000):
    action, _ = model.predict(obs)
    obs, reward, done, info = env.step(action)
    total += reward[0]
    if done[0]:
        rewards.append(total)
        total = 0.0
mean = sum(rewards) / len(rewards) if rewards else total
# An untrained policy keeps the pole up for 22 steps.
assert mean > 40, rewards
model.save("ppo2_cartpole")
again = PPO2.load("ppo2_cartpole")
assert (again.predict(obs, deterministic=True)[0] == model.predict(obs, deterministic=True)[0]).all()  # fmt: skip
