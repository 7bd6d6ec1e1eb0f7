# SPDX-License-Identifier: Apache-2.0
"""tf.random: re-exports, no code."""

# ruff: noqa: F401
from tensorwright.python.framework.random_seed import get_seed, set_random_seed
from tensorwright.python.ops.random_ops import (
    categorical,
    multinomial,
    truncated_normal,
)
from tensorwright.python.ops.random_ops import random_normal as normal
from tensorwright.python.ops.random_ops import random_shuffle as shuffle
from tensorwright.python.ops.random_ops import random_uniform as uniform
