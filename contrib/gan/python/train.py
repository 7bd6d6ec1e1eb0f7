# SPDX-License-Identifier: Apache-2.0
"""Builds a generator and a discriminator, and trains them in turn.

model = tfgan.gan_model(generator, discriminator, real_data=images, generator_inputs=noise)
loss = tfgan.gan_loss(model, gradient_penalty_weight=1.0)
train_ops = tfgan.gan_train_ops(model, loss, tf.train.AdamOptimizer(1e-4), tf.train.AdamOptimizer(1e-4))
tfgan.gan_train(train_ops, logdir, hooks=[tf.train.StopAtStepHook(num_steps=1000)])
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, cast

from tensorwright.contrib.framework.python.ops import variables as contrib_variables
from tensorwright.contrib.gan.python.losses import tuple_losses
from tensorwright.contrib.gan.python.namedtuples import (
    GANLoss,
    GANModel,
    GANTrainOps,
    GANTrainSteps,
)
from tensorwright.contrib.training.python.training import training
from tensorwright.python.framework import ops
from tensorwright.python.framework.type_aliases import TensorLike, TensorTree
from tensorwright.python.ops import state_ops, variable_scope
from tensorwright.python.ops.losses import losses
from tensorwright.python.training import (
    monitored_session,
    session_run_hook,
    training_util,
)
from tensorwright.python.util import nest

if TYPE_CHECKING:
    from tensorwright.core.protobuf.config_pb2 import ConfigProto
    from tensorwright.python.training._monitored.scaffold import Scaffold
    from tensorwright.python.training.optimizer import Optimizer
    from tensorwright.python.training.session_run_hook import SessionRunHook


__all__ = [
    "gan_loss",
    "gan_model",
    "gan_train",
    "gan_train_ops",
    "get_joint_train_hooks",
    "get_sequential_train_hooks",
    "get_sequential_train_steps",
]


def gan_model(
    generator_fn: Callable[..., object],
    discriminator_fn: Callable[..., object],
    real_data: TensorTree,
    generator_inputs: TensorTree,
    generator_scope: str = "Generator",
    discriminator_scope: str = "Discriminator",
    check_shapes: bool = True,
) -> GANModel:
    """Builds a generator on its inputs, and a discriminator on the generated and on real data, with the same variables.

    Args:
        generator_fn: a function of the inputs that returns data.
        discriminator_fn: a function of (data, the generator's inputs) that returns outputs, logits or others.
        real_data: a tensor.
        generator_inputs: a tensor, or a structure of them.
        generator_scope, discriminator_scope: the scopes of their variables.
        check_shapes: whether generated data must have the shape of real data.

    Raises:
        ValueError: with `check_shapes`, data of another shape.
    """
    inputs = nest.map_structure(ops.convert_to_tensor, generator_inputs)
    real = nest.map_structure(ops.convert_to_tensor, real_data)
    with variable_scope.variable_scope(generator_scope) as of_generator:
        generated = generator_fn(inputs)
    if check_shapes and isinstance(real, ops.Tensor):
        known = ops.convert_to_tensor(cast(TensorLike, generated)).get_shape()
        if not known.is_compatible_with(real.get_shape()):
            raise ValueError(f"Generator output shape ({known}) must be the same shape as real data ({real.get_shape()}).")  # fmt: skip # noqa: E501
    with variable_scope.variable_scope(discriminator_scope) as of_discriminator:
        of_generated = discriminator_fn(generated, inputs)
    with variable_scope.variable_scope(of_discriminator, reuse=True):
        of_real = discriminator_fn(real, inputs)
    return GANModel(
        inputs,
        generated,
        contrib_variables.get_trainable_variables(of_generator),
        of_generator,
        generator_fn,
        real,
        of_real,
        of_generated,
        contrib_variables.get_trainable_variables(of_discriminator),
        of_discriminator,
        discriminator_fn,
    )


def gan_loss(
    model: GANModel,
    generator_loss_fn: Callable[..., object] = tuple_losses.wasserstein_generator_loss,
    discriminator_loss_fn: Callable[
        ..., ops.Tensor
    ] = tuple_losses.wasserstein_discriminator_loss,  # noqa: E501
    gradient_penalty_weight: float | None = None,
    gradient_penalty_epsilon: float = 1e-10,
    gradient_penalty_target: float = 1.0,
    gradient_penalty_one_sided: bool = False,
    add_summaries: bool = True,
) -> GANLoss:
    """The losses of a model, with those of its variables' regularizers.

    Args:
        model: a GANModel.
        generator_loss_fn, discriminator_loss_fn: losses of `tf.contrib.gan.losses`, or `f(model, add_summaries=False)`.
        gradient_penalty_weight: weighs `wasserstein_gradient_penalty` in the discriminator's loss; None: no penalty.
        gradient_penalty_epsilon, gradient_penalty_target, gradient_penalty_one_sided: arguments of the penalty.
        add_summaries: whether there are summaries.

    Raises:
        ValueError: a weight that is negative.
    """
    if gradient_penalty_weight is not None and gradient_penalty_weight < 0:
        raise ValueError(f"gradient_penalty_weight must not be negative, got {gradient_penalty_weight}")  # fmt: skip # noqa: E501
    of_generator = generator_loss_fn(model, add_summaries=add_summaries)
    of_discriminator = discriminator_loss_fn(model, add_summaries=add_summaries)
    if gradient_penalty_weight:
        penalty = tuple_losses.wasserstein_gradient_penalty(
            model,
            epsilon=gradient_penalty_epsilon,
            target=gradient_penalty_target,
            one_sided=gradient_penalty_one_sided,
            add_summaries=add_summaries,
        )
        of_discriminator += gradient_penalty_weight * penalty
    return GANLoss(
        of_generator + _regularization(model.generator_scope),
        of_discriminator + _regularization(model.discriminator_scope),
    )


def _regularization(scope: Any) -> Any:
    return sum(losses.get_regularization_losses(f"{scope.name}/"), 0.0)


def gan_train_ops(
    model: GANModel,
    loss: GANLoss,
    generator_optimizer: Optimizer,
    discriminator_optimizer: Optimizer,
    check_for_unused_update_ops: bool = True,
    **kwargs: Any,
) -> GANTrainOps:
    """A step of each; neither counts the global step, an operation of its own does.

    Each runs the update operations, such as those of batch normalization, of its own scope.

    Args:
        model, loss: a GANModel and its GANLoss.
        generator_optimizer, discriminator_optimizer: tf.train.Optimizers.
        check_for_unused_update_ops: whether update operations that neither runs are an error.
        kwargs: for `tf.contrib.training.create_train_op`.

    Raises:
        ValueError: update operations that neither would run.
    """
    step = training_util.get_or_create_global_step()
    updates = ops.get_collection(ops.GraphKeys.UPDATE_OPS)
    scopes = [s.name for s in (model.generator_scope, model.discriminator_scope)]
    own = [[u for u in updates if u.name.startswith(f"{s}/") or u.name.startswith(f"{s}_")] for s in scopes]  # fmt: skip # noqa: E501
    unused = [u.name for u in updates if u not in (*own[0], *own[1])]
    if unused and check_for_unused_update_ops:
        raise ValueError(f"There are unused update ops: {unused}")
    made = [
        training.create_train_op(
            total, optimizer, global_step=None, variables_to_train=variables, update_ops=own_updates, **kwargs
        )
        for total, optimizer, variables, own_updates in (
            (loss.generator_loss, generator_optimizer, model.generator_variables, own[0]),
            (loss.discriminator_loss, discriminator_optimizer, model.discriminator_variables, own[1]),
        )
    ]  # fmt: skip
    return GANTrainOps(made[0], made[1], state_ops.assign_add(step, 1))


class _RunTrainOpsHook(session_run_hook.SessionRunHook):
    """Runs operations so many times before each step."""

    def __init__(self, train_ops: Any, steps: int):
        self._train_ops, self._steps = train_ops, steps

    def before_run(self, run_context: Any) -> None:
        for _ in range(self._steps):
            run_context.session.run(self._train_ops)


def get_sequential_train_hooks(
    train_steps: GANTrainSteps = GANTrainSteps(1, 1),
) -> Callable[[GANTrainOps], list[SessionRunHook]]:
    """Hooks of `gan_train`: steps of the generator, then of the discriminator."""

    def hooks(train_ops: GANTrainOps) -> list[Any]:
        return [
            _RunTrainOpsHook(train_ops.generator_train_op, train_steps.generator_train_steps),
            _RunTrainOpsHook(train_ops.discriminator_train_op, train_steps.discriminator_train_steps),
        ]  # fmt: skip

    return hooks


def get_joint_train_hooks(
    train_steps: GANTrainSteps = GANTrainSteps(1, 1),
) -> Callable[[GANTrainOps], list[SessionRunHook]]:
    """Hooks of `gan_train`: steps of both at once, then those that one has more."""
    generator, discriminator = train_steps

    def hooks(train_ops: GANTrainOps) -> list[Any]:
        both = min(generator, discriminator)
        found = [_RunTrainOpsHook([train_ops.generator_train_op, train_ops.discriminator_train_op], both)]  # fmt: skip # noqa: E501
        if generator > both:
            found.append(_RunTrainOpsHook(train_ops.generator_train_op, generator - both))  # fmt: skip # noqa: E501
        if discriminator > both:
            found.append(_RunTrainOpsHook(train_ops.discriminator_train_op, discriminator - both))  # fmt: skip # noqa: E501
        return found

    return hooks


def gan_train(
    train_ops: GANTrainOps,
    logdir: str | None,
    get_hooks_fn: Callable[
        [GANTrainOps], list[SessionRunHook]
    ] = get_sequential_train_hooks(),
    master: str = "",
    is_chief: bool = True,
    scaffold: Scaffold | None = None,
    hooks: Sequence[SessionRunHook] | None = None,
    chief_only_hooks: Sequence[SessionRunHook] | None = None,
    save_checkpoint_secs: float = 600,
    save_summaries_steps: int = 100,
    config: ConfigProto | None = None,
) -> Any:
    """Counts steps until a hook stops it; around each, the hooks of `get_hooks_fn` train. Returns the last count.

    Args:
        train_ops: the result of `gan_train_ops`.
        logdir: the folder of checkpoints and summaries; None: there are none.
        get_hooks_fn: the result of `get_sequential_train_hooks` or `get_joint_train_hooks`.
        master, is_chief, scaffold, chief_only_hooks, save_checkpoint_secs, save_summaries_steps, config: as of
            `tf.train.MonitoredTrainingSession`.
        hooks: others, one of which stops.
    """
    around = [*get_hooks_fn(train_ops), *(hooks or ())]
    with monitored_session.MonitoredTrainingSession(
        master=master,
        is_chief=is_chief,
        checkpoint_dir=logdir,
        scaffold=scaffold,
        hooks=around,
        chief_only_hooks=list(chief_only_hooks or ()) or None,
        save_checkpoint_secs=save_checkpoint_secs,
        save_summaries_steps=save_summaries_steps,
        config=config,
    ) as session:
        count = None
        while not session.should_stop():
            count = session.run(train_ops.global_step_inc_op)
    return count


def get_sequential_train_steps(
    train_steps: GANTrainSteps = GANTrainSteps(1, 1),
) -> Callable[..., tuple[float, bool]]:
    """A `train_step_fn` for `tf.contrib.slim.learning.train`, whose `train_op` is GANTrainOps.

    It makes the steps of the generator, then of the discriminator, and gives (the sum of their losses, whether to stop).
    """

    def sequential_train_steps(session: Any, train_ops: GANTrainOps, global_step: Any, train_step_kwargs: dict[str, Any]) -> tuple:  # fmt: skip # noqa: E501
        of_generator = of_discriminator = 0.0
        for _ in range(train_steps.generator_train_steps):
            of_generator = session.run(train_ops.generator_train_op)
        for _ in range(train_steps.discriminator_train_steps):
            of_discriminator = session.run(train_ops.discriminator_train_op)
        session.run(train_ops.global_step_inc_op)
        del global_step
        stops = False
        if "should_stop" in train_step_kwargs:
            stops = bool(session.run(train_step_kwargs["should_stop"]))
        return of_generator + of_discriminator, stops

    return sequential_train_steps
