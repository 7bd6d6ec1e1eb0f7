# SPDX-License-Identifier: Apache-2.0
"""The bijection of everything to itself."""

from __future__ import annotations

from typing import Any

from tensorwright.python.framework import constant_op, ops
from tensorwright.python.ops.distributions import bijector


class Identity(bijector.Bijector):
    """Y = X, of any shape and dtype."""

    def __init__(self, validate_args: bool = False, name: str = "identity") -> None:
        super().__init__(
            is_constant_jacobian=True,
            validate_args=validate_args,
            forward_min_event_ndims=0,
            name=name,
        )

    def _forward(self, x: ops.Tensor) -> ops.Tensor:
        return x

    def _inverse(self, y: ops.Tensor) -> ops.Tensor:
        return y

    def _forward_log_det_jacobian(self, x: Any) -> ops.Tensor:
        return constant_op.constant(0.0, dtype=x.dtype)
