# SPDX-License-Identifier: Apache-2.0
"""tf.contrib.opt: further optimizers.

Re-exports, no code.
"""

# ruff: noqa: F401
from tensorwright.contrib.opt.python.training.adam_variants import (
    LazyAdamOptimizer,
    NadamOptimizer,
)
from tensorwright.contrib.opt.python.training.external_optimizer import (
    ExternalOptimizerInterface,
    ScipyOptimizerInterface,
)
from tensorwright.contrib.opt.python.training.wrapping_optimizers import (
    DelayCompensatedGradientDescentOptimizer,
    DropStaleGradientOptimizer,
    MovingAverageOptimizer,
    VariableClippingOptimizer,
)
