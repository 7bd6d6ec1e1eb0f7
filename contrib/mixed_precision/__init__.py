# SPDX-License-Identifier: Apache-2.0
"""`tf.contrib.mixed_precision`: losses that are scaled, so that gradients in float16 do not vanish.

Re-exports, no code.
"""

# ruff: noqa: F401
from tensorwright.contrib.mixed_precision.python.loss_scale_manager import (
    ExponentialUpdateLossScaleManager,
    FixedLossScaleManager,
    LossScaleManager,
)
from tensorwright.contrib.mixed_precision.python.loss_scale_optimizer import (
    LossScaleOptimizer,
)
