# SPDX-License-Identifier: Apache-2.0
"""tf.train.experimental: re-exports, no code."""

# ruff: noqa: F401
from tensorwright.python.training.experimental.graph_rewrite import (
    disable_mixed_precision_graph_rewrite as disable_mixed_precision_graph_rewrite,
    enable_mixed_precision_graph_rewrite as enable_mixed_precision_graph_rewrite,
)
from tensorwright.python.training.experimental.loss_scale import (
    DynamicLossScale as DynamicLossScale,
    FixedLossScale as FixedLossScale,
    LossScale as LossScale,
)
from tensorwright.python.training.experimental.loss_scale_optimizer import (
    MixedPrecisionLossScaleOptimizer as MixedPrecisionLossScaleOptimizer,
)
