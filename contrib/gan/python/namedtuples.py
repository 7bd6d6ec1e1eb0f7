# SPDX-License-Identifier: Apache-2.0
"""The parts that a model is handed on in: model, losses, operations of training, steps."""

from __future__ import annotations

from typing import Any, NamedTuple

from tensorwright.python.framework import ops

__all__ = ["GANLoss", "GANModel", "GANTrainOps", "GANTrainSteps"]


class GANModel(NamedTuple):
    """A generator and a discriminator, built once on real and once on generated data."""

    generator_inputs: Any
    generated_data: Any
    generator_variables: list[Any]
    generator_scope: Any
    generator_fn: Any
    real_data: Any
    discriminator_real_outputs: Any
    discriminator_gen_outputs: Any
    discriminator_variables: list[Any]
    discriminator_scope: Any
    discriminator_fn: Any


class GANLoss(NamedTuple):
    """The losses of both, scalars."""

    generator_loss: ops.Tensor
    discriminator_loss: ops.Tensor


class GANTrainOps(NamedTuple):
    """A step of each, and the operation that counts."""

    generator_train_op: Any
    discriminator_train_op: Any
    global_step_inc_op: Any


class GANTrainSteps(NamedTuple):
    """How many steps each makes in turn."""

    generator_train_steps: int
    discriminator_train_steps: int
