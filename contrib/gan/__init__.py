# SPDX-License-Identifier: Apache-2.0
"""`tf.contrib.gan`: generators and discriminators, their losses, and training in turn.

Re-exports, no code.
"""

# ruff: noqa: F401
from tensorwright.contrib import _missing
from tensorwright.contrib.gan.python import losses
from tensorwright.contrib.gan.python.namedtuples import (
    GANLoss,
    GANModel,
    GANTrainOps,
    GANTrainSteps,
)
from tensorwright.contrib.gan.python.train import (
    gan_loss,
    gan_model,
    gan_train,
    gan_train_ops,
    get_joint_train_hooks,
    get_sequential_train_hooks,
    get_sequential_train_steps,
)

__getattr__ = _missing.names(
    __name__,
    "acgan_model",
    "cyclegan_model",
    "estimator",
    "eval",
    "features",
    "infogan_model",
    "stargan_model",
)
