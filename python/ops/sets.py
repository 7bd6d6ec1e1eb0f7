# SPDX-License-Identifier: Apache-2.0
"""tf.sets: re-exports, no code."""

# ruff: noqa: F401
from tensorwright.python.ops.sets_impl import (
    set_difference as difference,
    set_difference as set_difference,
    set_intersection as intersection,
    set_intersection as set_intersection,
    set_size as set_size,
    set_size as size,
    set_union as set_union,
    set_union as union,
)
