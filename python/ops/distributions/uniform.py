# SPDX-License-Identifier: Apache-2.0
"""The uniform distribution."""

from __future__ import annotations

import math
from typing import Any

from tensorwright.python.framework import ops, tensor_shape
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import array_ops, check_ops, math_ops, random_ops
from tensorwright.python.ops.distributions import distribution, util


class Uniform(distribution.Distribution):
    """Density 1 / (high - low) in [low, high), elsewhere 0; low < high broadcast to the batch."""

    def __init__(
        self,
        low: TensorLike = 0.0,
        high: TensorLike = 1.0,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Uniform",
    ) -> None:
        parameters = dict(locals())
        with ops.name_scope(name, values=[low, high]) as name:
            self._low = util.floating_copy(low, "low")
            self._high = util.floating_copy(high, "high")
            check_ops.assert_same_float_dtype([self._low, self._high])
            if validate_args:
                check = check_ops.assert_less(
                    self._low,
                    self._high,
                    message="uniform not defined when low >= high",
                )
                with ops.control_dependencies([check]):
                    self._low = array_ops.identity(self._low)
                    self._high = array_ops.identity(self._high)
        super().__init__(
            self._low.dtype.base_dtype,
            distribution.FULLY_REPARAMETERIZED,
            validate_args,
            allow_nan_stats,
            parameters,
            [self._low, self._high],
            name,
        )

    @staticmethod
    def _param_shapes(sample_shape: Any) -> dict[str, ops.Tensor]:
        shape = ops.convert_to_tensor(sample_shape, "int32")
        return {"low": shape, "high": shape}

    @property
    def low(self) -> ops.Tensor:
        """The least value."""
        return self._low

    @property
    def high(self) -> ops.Tensor:
        """The upper limit, which no value reaches."""
        return self._high

    def range(self, name: str = "range") -> ops.Tensor:
        """high - low."""
        with self._name_scope(name):
            return self.high - self.low

    def _batch_shape(self) -> Any:
        return array_ops.broadcast_static_shape(
            self.low.get_shape(), self.high.get_shape()
        )

    def _batch_shape_tensor(self) -> ops.Tensor:
        return array_ops.broadcast_dynamic_shape(
            array_ops.shape(self.low), array_ops.shape(self.high)
        )

    def _event_shape(self) -> Any:
        return tensor_shape.TensorShape([])

    def _sample_n(self, n: ops.Tensor, seed: int | None) -> ops.Tensor:
        shape = self._shape_of_draws(n)
        # [0, 1) becomes [0, high - low), then [low, high).
        position = random_ops.random_uniform(shape, dtype=self.dtype, seed=seed)
        return self.low + self.range() * position

    def _prob(self, x: ops.Tensor) -> ops.Tensor:
        outside = math_ops.logical_or(x < self.low, x >= self.high)
        inside = array_ops.ones_like(x) / self.range()
        density = array_ops.where_v2(outside, array_ops.zeros_like(x), inside)
        return array_ops.where_v2(math_ops.is_nan(x), x, density)

    def _cdf(self, x: ops.Tensor) -> ops.Tensor:
        share = (x - self.low) / self.range()
        below_high = array_ops.where_v2(x >= self.high, array_ops.ones_like(x), share)
        return array_ops.where_v2(x < self.low, array_ops.zeros_like(x), below_high)

    def _entropy(self) -> ops.Tensor:
        return math_ops.log(self.range())

    def _mean(self) -> ops.Tensor:
        return (self.low + self.high) / 2

    def _stddev(self) -> ops.Tensor:
        return self.range() / math.sqrt(12)
