# SPDX-License-Identifier: Apache-2.0
"""Losses of generators and discriminators; each gets a GANModel and gives a scalar, which is in no collection."""

from __future__ import annotations

from typing import Any

from tensorwright.contrib.gan.python.namedtuples import GANModel
from tensorwright.python.framework import ops
from tensorwright.python.ops import (
    array_ops,
    gradients_impl,
    math_ops,
    random_ops,
    variable_scope,
)
from tensorwright.python.ops.losses import losses
from tensorwright.python.summary import summary

__all__ = [
    "least_squares_discriminator_loss",
    "least_squares_generator_loss",
    "minimax_discriminator_loss",
    "minimax_generator_loss",
    "modified_discriminator_loss",
    "modified_generator_loss",
    "wasserstein_discriminator_loss",
    "wasserstein_generator_loss",
    "wasserstein_gradient_penalty",
]


def _summarized(loss: ops.Tensor, name: str, add_summaries: bool) -> ops.Tensor:
    if add_summaries:
        summary.scalar(name, loss)
    return loss


def _cross_entropy(wanted: float, outputs: Any, smoothing: float = 0.0) -> ops.Tensor:
    labels = wanted * array_ops.ones_like(outputs)
    return losses.sigmoid_cross_entropy(
        labels, outputs, label_smoothing=smoothing, loss_collection=None
    )


def wasserstein_generator_loss(
    gan_model: GANModel, add_summaries: bool = False
) -> ops.Tensor:
    """-mean D(G(z)) (Arjovsky et al. 2017)."""
    loss = -math_ops.reduce_mean(gan_model.discriminator_gen_outputs)
    return _summarized(loss, "generator_wass_loss", add_summaries)


def wasserstein_discriminator_loss(
    gan_model: GANModel, add_summaries: bool = False
) -> ops.Tensor:
    """mean D(G(z)) - mean D(x)."""
    generated = math_ops.reduce_mean(gan_model.discriminator_gen_outputs)
    loss = generated - math_ops.reduce_mean(gan_model.discriminator_real_outputs)
    return _summarized(loss, "discriminator_wass_loss", add_summaries)


def wasserstein_gradient_penalty(
    gan_model: GANModel,
    epsilon: float = 1e-10,
    target: float = 1.0,
    one_sided: bool = False,
    seed: int | None = None,
    add_summaries: bool = False,
) -> ops.Tensor:
    """The mean of (|gradient of D| / target - 1)^2 between real and generated data (Gulrajani et al. 2017).

    Args:
        gan_model: its data are tensors of one shape.
        epsilon: added to the squared norms.
        target: the norm that gradients should have.
        one_sided: whether smaller ones are not punished.
        seed: the seed of the points between.
        add_summaries: whether there is a summary.
    """
    real = ops.convert_to_tensor(gan_model.real_data)
    generated = ops.convert_to_tensor(gan_model.generated_data)
    batch = array_ops.shape(real)[:1]
    rank = real.get_shape().ndims
    size = array_ops.concat([batch, array_ops.ones([rank - 1], batch.dtype)], 0)
    between = real + random_ops.random_uniform(size, seed=seed) * (generated - real)
    with variable_scope.variable_scope(gan_model.discriminator_scope, reuse=True):
        outputs = gan_model.discriminator_fn(between, gan_model.generator_inputs)
    if isinstance(outputs, tuple):
        outputs = outputs[0]
    (gradient,) = gradients_impl.gradients(outputs, between)
    axes = list(range(1, rank))
    norms = math_ops.sqrt(
        math_ops.reduce_sum(math_ops.square(gradient), axes) + epsilon
    )
    too_much = norms / target - 1.0
    if one_sided:
        too_much = math_ops.maximum(0.0, too_much)
    loss = math_ops.reduce_mean(math_ops.square(too_much))
    return _summarized(loss, "gradient_penalty_loss", add_summaries)


def minimax_discriminator_loss(
    gan_model: GANModel, label_smoothing: float = 0.25, add_summaries: bool = False
) -> ops.Tensor:
    """-mean log D(x) - mean log(1 - D(G(z))) of logits D (Goodfellow et al. 2014).

    label_smoothing: how far the label of real data is moved from 1 towards 1/2.
    """
    real = _cross_entropy(1.0, gan_model.discriminator_real_outputs, label_smoothing)
    loss = real + _cross_entropy(0.0, gan_model.discriminator_gen_outputs)
    return _summarized(loss, "discriminator_minimax_loss", add_summaries)


def minimax_generator_loss(
    gan_model: GANModel, label_smoothing: float = 0.0, add_summaries: bool = False
) -> ops.Tensor:
    """The negative of `minimax_discriminator_loss`."""
    loss = -minimax_discriminator_loss(gan_model, label_smoothing)
    return _summarized(loss, "generator_minimax_loss", add_summaries)


def modified_discriminator_loss(
    gan_model: GANModel, label_smoothing: float = 0.25, add_summaries: bool = False
) -> ops.Tensor:
    """The same as `minimax_discriminator_loss`."""
    loss = minimax_discriminator_loss(gan_model, label_smoothing)
    return _summarized(loss, "discriminator_modified_loss", add_summaries)


def modified_generator_loss(
    gan_model: GANModel, label_smoothing: float = 0.0, add_summaries: bool = False
) -> ops.Tensor:
    """-mean log D(G(z)) of logits D, whose gradients do not vanish where the discriminator is right."""
    loss = _cross_entropy(1.0, gan_model.discriminator_gen_outputs, label_smoothing)
    return _summarized(loss, "generator_modified_loss", add_summaries)


def least_squares_generator_loss(
    gan_model: GANModel, real_label: float = 1.0, add_summaries: bool = False
) -> ops.Tensor:
    """mean (D(G(z)) - real_label)^2 / 2 (Mao et al. 2016)."""
    outputs = ops.convert_to_tensor(gan_model.discriminator_gen_outputs)
    loss = 0.5 * math_ops.reduce_mean(math_ops.square(outputs - real_label))
    return _summarized(loss, "generator_lsq_loss", add_summaries)


def least_squares_discriminator_loss(
    gan_model: GANModel,
    real_label: float = 1.0,
    fake_label: float = 0.0,
    add_summaries: bool = False,
) -> ops.Tensor:
    """mean (D(x) - real_label)^2 / 2 + mean (D(G(z)) - fake_label)^2 / 2."""
    real = ops.convert_to_tensor(gan_model.discriminator_real_outputs)
    generated = ops.convert_to_tensor(gan_model.discriminator_gen_outputs)
    loss = 0.5 * math_ops.reduce_mean(math_ops.square(real - real_label))
    loss += 0.5 * math_ops.reduce_mean(math_ops.square(generated - fake_label))
    return _summarized(loss, "discriminator_lsq_loss", add_summaries)
