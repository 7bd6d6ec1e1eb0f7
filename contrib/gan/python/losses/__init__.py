# SPDX-License-Identifier: Apache-2.0
"""Losses of a GANModel: re-exports, no code."""

# ruff: noqa: F401
from tensorwright.contrib.gan.python.losses.tuple_losses import (
    least_squares_discriminator_loss,
    least_squares_generator_loss,
    minimax_discriminator_loss,
    minimax_generator_loss,
    modified_discriminator_loss,
    modified_generator_loss,
    wasserstein_discriminator_loss,
    wasserstein_generator_loss,
    wasserstein_gradient_penalty,
)
