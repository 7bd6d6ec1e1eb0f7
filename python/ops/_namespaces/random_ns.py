# SPDX-License-Identifier: Apache-2.0
"""tf.random: re-exports, no code."""

from tensorwright.python.framework.random_seed import (
    get_seed,
    set_random_seed,
)
from tensorwright.python.ops.random_ops import (
    categorical,
    multinomial,
    random_normal as normal,
    random_shuffle as shuffle,
    random_uniform as uniform,
    truncated_normal,
)

__all__ = [
    "categorical",
    "get_seed",
    "multinomial",
    "normal",
    "set_random_seed",
    "shuffle",
    "truncated_normal",
    "uniform",
]
