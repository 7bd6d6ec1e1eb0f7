# SPDX-License-Identifier: Apache-2.0
"""The bijection of everything to itself."""

from __future__ import annotations

from typing import Any

from tensorwright.contrib.distributions.python.ops.bijectors import _base
from tensorwright.python.framework import constant_op, ops


class Identity(_base.Bijector):
    """Y = X."""

    def __init__(
        self, validate_args: bool = False, event_ndims: int = 0, name: str = "identity"
    ) -> None:
        super().__init__(
            event_ndims,
            is_constant_jacobian=True,
            validate_args=validate_args,
            name=name,
        )

    def _forward(self, x: ops.Tensor) -> ops.Tensor:
        return x

    def _inverse(self, y: ops.Tensor) -> ops.Tensor:
        return y

    def _forward_log_det_jacobian(self, x: Any) -> ops.Tensor:
        return constant_op.constant(0.0, dtype=x.dtype)
