# SPDX-License-Identifier: Apache-2.0
"""Distributions of rounded draws."""

from __future__ import annotations

from typing import Any

from tensorwright.contrib.distributions.python.ops._base import NOT
from tensorwright.python.framework import ops
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import array_ops, check_ops, math_ops
from tensorwright.python.ops.distributions import (
    distribution as distribution_lib,
)


class QuantizedDistribution(distribution_lib.Distribution):
    """ceil(X) of X of `distribution`, a scalar; `low` where X <= low, and `high` where it is above high - 1.

    `low` and `high` are integers in form, there is no bound where one is absent.
    """

    def __init__(
        self,
        distribution: distribution_lib.Distribution,
        low: TensorLike | None = None,
        high: TensorLike | None = None,
        validate_args: bool = False,
        name: str = "QuantizedDistribution",
    ) -> None:
        given = dict(locals())
        if not isinstance(distribution, distribution_lib.Distribution):
            raise TypeError(f"distribution must be a Distribution, got {distribution}")
        with ops.name_scope(name, values=[low, high]) as name:
            self._distribution = distribution
            self._low, self._high = (
                None
                if x is None
                else ops.convert_to_tensor(x, distribution.dtype, name=what)
                for what, x in (("low", low), ("high", high))
            )
            if validate_args and low is not None and high is not None:
                check = check_ops.assert_less(
                    self._low,
                    self._high,
                    message="low must be strictly less than high.",
                )
                with ops.control_dependencies([check]):
                    self._low = array_ops.identity(self._low)
        super().__init__(
            distribution.dtype,
            NOT,
            validate_args,
            distribution.allow_nan_stats,
            given,
            None,
            name,
        )

    @property
    def distribution(self) -> distribution_lib.Distribution:
        """The distribution of X."""
        return self._distribution

    def _batch_shape(self) -> Any:
        return self._distribution.batch_shape

    def _batch_shape_tensor(self) -> ops.Tensor:
        return self._distribution.batch_shape_tensor()

    def _event_shape(self) -> Any:
        return self._distribution.event_shape

    def _sample_n(self, n: ops.Tensor, seed: int | None) -> ops.Tensor:
        y = math_ops.ceil(self._distribution.sample(n, seed=seed))
        if self._low is not None:
            y = math_ops.maximum(y, self._low)
        return y if self._high is None else math_ops.minimum(y, self._high)

    def _cdf(self, y: ops.Tensor) -> ops.Tensor:
        floor = math_ops.floor(y)
        below = self._distribution.cdf(floor)
        if self._low is not None:
            nothing = floor < self._low
            below = array_ops.where_v2(nothing, array_ops.zeros_like(below), below)
        if self._high is not None:
            everything = floor >= self._high
            below = array_ops.where_v2(everything, array_ops.ones_like(below), below)
        return below

    def _survival_function(self, y: ops.Tensor) -> ops.Tensor:
        above = self._distribution.survival_function(math_ops.floor(y))
        if self._low is not None:
            everything = math_ops.floor(y) < self._low
            above = array_ops.where_v2(everything, array_ops.ones_like(above), above)
        if self._high is not None:
            nothing = math_ops.floor(y) >= self._high
            above = array_ops.where_v2(nothing, array_ops.zeros_like(above), above)
        return above

    def _prob(self, y: ops.Tensor) -> ops.Tensor:
        """The difference of the tails on the side where they are small."""
        from_below = self._cdf(y) - self._cdf(y - 1)
        from_above = self._survival_function(y - 1) - self._survival_function(y)
        return array_ops.where_v2(self._cdf(y) < 0.5, from_below, from_above)
