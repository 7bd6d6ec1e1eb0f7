# SPDX-License-Identifier: Apache-2.0
"""Mixed precision: wraps an optimizer so that its losses are scaled.

TensorFlow converts parts of a graph to float16 on GPUs alone; on a CPU, here as there, the graph stays as it is, and
only the loss is scaled.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorwright.python.platform import tf_logging as logging
from tensorwright.python.training import optimizer
from tensorwright.python.training.experimental.loss_scale_optimizer import (
    MixedPrecisionLossScaleOptimizer,
)

if TYPE_CHECKING:
    from tensorwright.python.training.experimental.loss_scale import LossScale

_enabled = False


def enable_mixed_precision_graph_rewrite(
    opt: optimizer.Optimizer, loss_scale: LossScale | float | str = "dynamic"
) -> optimizer.Optimizer:
    """Returns `opt` with scaled losses, for models whose parts are computed in float16.

    Args:
        opt: a `tf.train.Optimizer`.
        loss_scale: a LossScale, a number, or "dynamic".

    Raises:
        ValueError: `opt` is no Optimizer, or scales losses already.

    Example:
        opt = tf.mixed_precision.enable_mixed_precision_graph_rewrite(opt)
        step = opt.minimize(loss)
    """
    global _enabled
    if isinstance(opt, MixedPrecisionLossScaleOptimizer):
        raise ValueError(
            '"opt" must not already be an instance of a MixedPrecisionLossScaleOptimizer. '
            "`enable_mixed_precision_graph_rewrite` wraps it in one itself."
        )
    if not isinstance(opt, optimizer.Optimizer):
        raise ValueError(
            '"opt" must be an instance of a tf.train.Optimizer, but got: '
            f"{type(opt).__name__}"
        )
    if not _enabled:
        logging.info("Mixed precision is for GPUs: on a CPU only losses are scaled.")
    _enabled = True
    return MixedPrecisionLossScaleOptimizer(opt, loss_scale)


def disable_mixed_precision_graph_rewrite() -> None:
    """Takes back what was asked for; optimizers that were made keep their scales.  A warning if nothing was."""
    global _enabled
    if not _enabled:
        logging.warning("disable_mixed_precision_graph_rewrite() called when mixed precision is already disabled.")  # fmt: skip # noqa: E501
    _enabled = False
