# SPDX-License-Identifier: Apache-2.0
"""Bijectors of single numbers."""

from __future__ import annotations

import numpy as np

from tensorwright.contrib.distributions.python.ops.bijectors import _base
from tensorwright.python.framework import ops
from tensorwright.python.ops import check_ops, math_ops, nn_ops
from tensorwright.python.ops.distributions import util


class PowerTransform(_base.Bijector):
    """Y = (1 + power X)^(1 / power), exp(X) at power 0; `power` is a number >= 0."""

    def __init__(
        self,
        power: float = 0.0,
        event_ndims: int = 0,
        validate_args: bool = False,
        name: str = "power_transform",
    ) -> None:
        if power is None or power < 0 or not np.isscalar(power):
            raise ValueError(f"`power` must be a non-negative number, got {power}")
        self._power = float(power)
        super().__init__(event_ndims, validate_args=validate_args, name=name)

    @property
    def power(self) -> float:
        return self._power

    def _checked(self, x: ops.Tensor, low: ops.Tensor, message: str) -> ops.Tensor:
        if not self.validate_args:
            return x
        check = check_ops.assert_positive(low, message=message)
        with ops.control_dependencies([check]):
            return x + 0

    def _forward(self, x: ops.Tensor) -> ops.Tensor:
        if not self._power:
            return math_ops.exp(x)
        inner = 1 + x * self._power
        inner = self._checked(inner, inner, "1 + power x must be positive")
        return math_ops.pow(inner, 1 / self._power)

    def _inverse(self, y: ops.Tensor) -> ops.Tensor:
        y = self._checked(y, y, "y must be positive")
        if not self._power:
            return math_ops.log(y)
        # Accurate near y = 1.
        return math_ops.expm1(math_ops.log(y) * self._power) / self._power

    def _inverse_log_det_jacobian(self, y: ops.Tensor) -> ops.Tensor:
        return (self._power - 1) * math_ops.log(y)

    def _forward_log_det_jacobian(self, x: ops.Tensor) -> ops.Tensor:
        if not self._power:
            return x
        return (1 / self._power - 1) * math_ops.log1p(x * self._power)


class Exp(PowerTransform):
    """Y = exp(X)."""

    def __init__(
        self, event_ndims: int = 0, validate_args: bool = False, name: str = "exp"
    ) -> None:
        super().__init__(0.0, event_ndims, validate_args, name)


class Sigmoid(_base.Bijector):
    """Y = 1 / (1 + exp(-X))."""

    def __init__(
        self, event_ndims: int = 0, validate_args: bool = False, name: str = "sigmoid"
    ) -> None:
        super().__init__(event_ndims, validate_args=validate_args, name=name)

    def _forward(self, x: ops.Tensor) -> ops.Tensor:
        return math_ops.sigmoid(x)

    def _inverse(self, y: ops.Tensor) -> ops.Tensor:
        return math_ops.log(y) - math_ops.log1p(-y)

    def _inverse_log_det_jacobian(self, y: ops.Tensor) -> ops.Tensor:
        return -math_ops.log(y) - math_ops.log1p(-y)

    def _forward_log_det_jacobian(self, x: ops.Tensor) -> ops.Tensor:
        return -nn_ops.softplus(-x) - nn_ops.softplus(x)


class Softplus(_base.Bijector):
    """Y = log(1 + exp(X))."""

    def __init__(
        self, event_ndims: int = 0, validate_args: bool = False, name: str = "softplus"
    ) -> None:
        super().__init__(event_ndims, validate_args=validate_args, name=name)

    def _forward(self, x: ops.Tensor) -> ops.Tensor:
        return nn_ops.softplus(x)

    def _inverse(self, y: ops.Tensor) -> ops.Tensor:
        return util.softplus_inverse(y)

    def _inverse_log_det_jacobian(self, y: ops.Tensor) -> ops.Tensor:
        return -math_ops.log(-math_ops.expm1(-y))

    def _forward_log_det_jacobian(self, x: ops.Tensor) -> ops.Tensor:
        return -nn_ops.softplus(-x)
