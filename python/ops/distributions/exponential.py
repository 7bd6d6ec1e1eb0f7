# SPDX-License-Identifier: Apache-2.0
"""The exponential distribution."""

from __future__ import annotations

from typing import Any

import numpy as np

from tensorwright.python.framework import ops
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import array_ops, check_ops, math_ops, random_ops
from tensorwright.python.ops.distributions import (
    gamma,
    kullback_leibler,
    util,
)


class Exponential(gamma.Gamma):
    """Density rate exp(-rate x) of x >= 0; the gamma distribution of concentration 1.  rate > 0: the batch."""

    def __init__(
        self,
        rate: TensorLike,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Exponential",
    ) -> None:
        parameters = dict(locals())
        with ops.name_scope(name, values=[rate]) as name:
            rate = util.floating(rate, "rate")
        concentration = array_ops.ones([], rate.dtype.base_dtype)
        super().__init__(concentration, rate, validate_args, allow_nan_stats, name)
        self._parameters = parameters

    @staticmethod
    def _param_shapes(sample_shape: Any) -> dict[str, ops.Tensor]:
        return {"rate": ops.convert_to_tensor(sample_shape, "int32")}

    def _sample_n(self, n: ops.Tensor, seed: int | None) -> ops.Tensor:
        shape = array_ops.concat([[n], array_ops.shape(self.rate)], 0)
        # 0 would be infinite.
        tiny = np.finfo(self.dtype.as_numpy_dtype).tiny
        uniform = random_ops.random_uniform(shape, tiny, 1, self.dtype, seed)
        return -math_ops.log(uniform) / self.rate

    def _checked(self, x: ops.Tensor) -> ops.Tensor:
        if not self.validate_args:
            return x
        check = check_ops.assert_positive(x, message="x must be positive")
        with ops.control_dependencies([check]):
            return array_ops.identity(x)

    def _log_prob(self, x: ops.Tensor) -> ops.Tensor:
        return math_ops.log(self.rate) - self.rate * self._checked(x)

    def _cdf(self, x: ops.Tensor) -> ops.Tensor:
        return -math_ops.expm1(self._log_survival_function(x))

    def _log_survival_function(self, x: ops.Tensor) -> ops.Tensor:
        x = self.rate * self._checked(x)
        # No draw is below 0: there the probabilities would come out negative.
        nan = ops.convert_to_tensor(np.nan, self.dtype)
        return array_ops.where(x < 0, array_ops.fill(array_ops.shape(x), nan), -x)

    def _survival_function(self, x: ops.Tensor) -> ops.Tensor:
        return math_ops.exp(self._log_survival_function(x))

    def _entropy(self) -> ops.Tensor:
        return 1 - math_ops.log(self.rate)

    def _mean(self) -> ops.Tensor:
        return 1 / self.rate

    def _stddev(self) -> ops.Tensor:
        return 1 / self.rate

    def _mode(self) -> ops.Tensor:
        """The mode is not defined if the concentration is not above 1: nan, as in TensorFlow."""
        if self.allow_nan_stats:
            return self.rate * np.nan
        check = check_ops.assert_less(
            array_ops.ones_like(self.rate),
            self.concentration,
            message="mode not defined when any concentration <= 1",
        )
        with ops.control_dependencies([check]):
            return array_ops.zeros_like(self.rate)


class ExponentialWithSoftplusRate(Exponential):
    """Exponential whose rate is softplus(rate)."""

    def __init__(
        self,
        rate: TensorLike,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "ExponentialWithSoftplusRate",
    ) -> None:
        parameters = dict(locals())
        with ops.name_scope(name, values=[rate]) as name:
            rate = util.softplus(rate, "softplus_rate")
        super().__init__(rate, validate_args, allow_nan_stats, name)
        self._parameters = parameters


@kullback_leibler.RegisterKL(Exponential, Exponential)
def _kl_exponential_exponential(
    a: Exponential, b: Exponential, name: str | None = None
) -> ops.Tensor:
    """log(ra / rb) + rb / ra - 1."""
    with ops.name_scope(name, "kl_exponential_exponential", [a.rate, b.rate]):
        ratio = b.rate / a.rate
        return ratio - 1 - math_ops.log(ratio)
