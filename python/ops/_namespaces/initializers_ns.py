# SPDX-License-Identifier: Apache-2.0
"""tf.initializers: re-exports, no code."""

# ruff: noqa: F401
from tensorwright.python.ops.init_ops import Constant as constant
from tensorwright.python.ops.init_ops import GlorotNormal as glorot_normal
from tensorwright.python.ops.init_ops import GlorotUniform as glorot_uniform
from tensorwright.python.ops.init_ops import Identity as identity
from tensorwright.python.ops.init_ops import Ones as ones
from tensorwright.python.ops.init_ops import RandomNormal as random_normal
from tensorwright.python.ops.init_ops import RandomUniform as random_uniform
from tensorwright.python.ops.init_ops import TruncatedNormal as truncated_normal
from tensorwright.python.ops.init_ops import UniformUnitScaling as uniform_unit_scaling
from tensorwright.python.ops.init_ops import VarianceScaling as variance_scaling
from tensorwright.python.ops.init_ops import Zeros as zeros
from tensorwright.python.ops.init_ops import (
    he_normal,
    he_uniform,
    lecun_normal,
    lecun_uniform,
)
from tensorwright.python.ops.lookup_ops import tables_initializer
from tensorwright.python.ops.variables import (
    global_variables_initializer as global_variables,
)
from tensorwright.python.ops.variables import (
    local_variables_initializer as local_variables,
)
from tensorwright.python.ops.variables import variables_initializer as variables
