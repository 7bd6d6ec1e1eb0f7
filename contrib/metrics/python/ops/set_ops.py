# SPDX-License-Identifier: Apache-2.0
"""Operations on the sets that last dimensions are: re-exports, no code."""

# ruff: noqa: F401
from tensorwright.python.ops.sets_impl import (
    set_difference,
    set_intersection,
    set_size,
    set_union,
)
