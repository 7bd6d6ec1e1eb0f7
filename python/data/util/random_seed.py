# SPDX-License-Identifier: Apache-2.0
"""Seeds of datasets: those of `tf.set_random_seed`, as tensors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tensorwright.python.framework import constant_op, dtypes, ops, random_seed
from tensorwright.python.ops import array_ops, math_ops
from tensorwright.python.util import compat

if TYPE_CHECKING:
    from tensorwright.python.framework.tensor import Tensor


def get_seed(seed: Any) -> tuple[Tensor, Tensor]:
    """Two int64 tensors; (0, 0) where nothing asks for a certain order."""
    seed, seed2 = random_seed.get_seed(seed)
    first = _as_tensor(seed, "seed")
    if seed2 is None:
        return first, constant_op.constant(0, dtypes.int64)
    second = _as_tensor(seed2, "seed2")
    if isinstance(seed, compat.integral_types) and isinstance(
        seed2, compat.integral_types
    ):
        return first, second
    # 0 and 0 would stand for no seed.
    both_zero = math_ops.logical_and(
        math_ops.equal(first, 0), math_ops.equal(second, 0)
    )
    last = constant_op.constant(2**31 - 1, dtypes.int64)
    return first, array_ops.where(both_zero, last, second)


def _as_tensor(seed: Any, name: str) -> ops.Tensor:
    if seed is None:
        return constant_op.constant(0, dtypes.int64, name=name)
    return math_ops.cast(ops.convert_to_tensor(seed, name=name), dtypes.int64)
