# SPDX-License-Identifier: Apache-2.0
"""tf.contrib.opt: further optimizers.

Re-exports, no code.
"""

# ruff: noqa: F401
from tensorwright.contrib.opt.python.training.adam_variants import (
    AdaMaxOptimizer,
    LazyAdamOptimizer,
    NadamOptimizer,
)
from tensorwright.contrib.opt.python.training.external_optimizer import (
    ExternalOptimizerInterface,
    ScipyOptimizerInterface,
)
from tensorwright.contrib.opt.python.training.lars_optimizer import LARSOptimizer
from tensorwright.contrib.opt.python.training.multitask_optimizer_wrapper import (
    MultitaskOptimizerWrapper,
    clip_gradients_by_global_norm,
)
from tensorwright.contrib.opt.python.training.sign_optimizers import (
    AddSignOptimizer,
    PowerSignOptimizer,
    get_cosine_decay_fn,
    get_linear_decay_fn,
    get_restart_decay_fn,
)
from tensorwright.contrib.opt.python.training.weight_decay_optimizers import (
    AdamWOptimizer,
    DecoupledWeightDecayExtension,
    MomentumWOptimizer,
    extend_with_decoupled_weight_decay,
)
from tensorwright.contrib.opt.python.training.wrapping_optimizers import (
    DelayCompensatedGradientDescentOptimizer,
    DropStaleGradientOptimizer,
    MovingAverageOptimizer,
    VariableClippingOptimizer,
)
