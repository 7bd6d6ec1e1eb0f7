# SPDX-License-Identifier: Apache-2.0
"""Distributions of real numbers."""

from __future__ import annotations

import math
from typing import Any

from tensorwright.contrib.distributions.python.ops._base import FULLY, Scalars, checked
from tensorwright.python.framework import ops
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import (
    check_ops,
    math_ops,
    nn_ops,
    random_ops,
)
from tensorwright.python.ops.distributions import gamma, location_scale, util


class Chi2(gamma.Gamma):
    """The sum of the squares of df standard normal numbers: Gamma(df / 2, 1 / 2); df > 0 makes the batch."""

    def __init__(
        self,
        df: TensorLike,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Chi2",
    ) -> None:
        given = dict(locals())
        with ops.name_scope(name, values=[df]) as name:
            self._df = util.floating(df, "df")
            half = ops.convert_to_tensor(0.5, self._df.dtype)
        super().__init__(half * self._df, half, validate_args, allow_nan_stats, name)
        self._parameters = given

    @staticmethod
    def _param_shapes(sample_shape: Any) -> dict[str, ops.Tensor]:
        return {"df": ops.convert_to_tensor(sample_shape, "int32")}

    @property
    def df(self) -> ops.Tensor:
        """Degrees of freedom."""
        return self._df


class Chi2WithAbsDf(Chi2):
    """Chi2 of floor(abs(df))."""

    def __init__(
        self,
        df: TensorLike,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Chi2WithAbsDf",
    ) -> None:
        given = dict(locals())
        with ops.name_scope(name, values=[df]) as name:
            df = math_ops.floor(math_ops.abs(util.floating(df, "df")))
        super().__init__(df, validate_args, allow_nan_stats, name)
        self._parameters = given


class InverseGamma(Scalars):
    """1 / x of x of Gamma(concentration, rate), both > 0."""

    def __init__(
        self,
        concentration: TensorLike,
        rate: TensorLike,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "InverseGamma",
    ) -> None:
        given = dict(locals())
        with ops.name_scope(name, values=[concentration, rate]) as name:
            self._concentration, self._rate = (
                checked(
                    util.floating(x, what), validate_args, f"{what} must be positive"
                )
                for what, x in (("concentration", concentration), ("rate", rate))
            )
            check_ops.assert_same_float_dtype([self._concentration, self._rate])
        both = [self._concentration, self._rate]
        super().__init__(given, both, self._rate.dtype.base_dtype, FULLY, name)

    @property
    def concentration(self) -> ops.Tensor:
        """The concentration of the gamma distribution."""
        return self._concentration

    @property
    def rate(self) -> ops.Tensor:
        """The rate of the gamma distribution."""
        return self._rate

    def _sample_n(self, n: ops.Tensor, seed: int | None) -> ops.Tensor:
        drawn = random_ops.random_gamma(
            [n], self.concentration, beta=self.rate, dtype=self.dtype, seed=seed
        )
        return 1 / drawn

    def _log_prob(self, x: ops.Tensor) -> ops.Tensor:
        x = checked(x, self.validate_args, "x must be positive")
        c, r = self.concentration, self.rate
        normalization = c * math_ops.log(r) - math_ops.lgamma(c)
        return normalization - (1 + c) * math_ops.log(x) - r / x

    def _cdf(self, x: ops.Tensor) -> ops.Tensor:
        x = checked(x, self.validate_args, "x must be positive")
        return math_ops.igammac(self.concentration, self.rate / x)

    def _entropy(self) -> ops.Tensor:
        c = self.concentration
        return (
            c
            + math_ops.log(self.rate)
            + math_ops.lgamma(c)
            - (1 + c) * math_ops.digamma(c)
        )

    def _mean(self) -> ops.Tensor:
        mean = self.rate / (self.concentration - 1)
        return self._where_defined(self._in_batch(self.concentration) > 1, mean, "mean")

    def _variance(self) -> ops.Tensor:
        c = self.concentration
        variance = math_ops.square(self.rate) / (math_ops.square(c - 1) * (c - 2))
        return self._where_defined(self._in_batch(c) > 2, variance, "variance")

    def _mode(self) -> ops.Tensor:
        return self.rate / (1 + self.concentration)


class InverseGammaWithSoftplusConcentrationRate(InverseGamma):
    """InverseGamma of softplus(concentration) and softplus(rate)."""

    def __init__(
        self,
        concentration: TensorLike,
        rate: TensorLike,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "InverseGammaWithSoftplusConcentrationRate",
    ) -> None:
        given = dict(locals())
        with ops.name_scope(name, values=[concentration, rate]) as name:
            concentration = util.softplus(concentration, "softplus_concentration")
            rate = util.softplus(rate, "softplus_rate")
        super().__init__(concentration, rate, validate_args, allow_nan_stats, name)
        self._parameters = given


class Logistic(location_scale.LocationScale):
    """loc + scale log(u / (1 - u)) of u uniform in (0, 1)."""

    def __init__(
        self,
        loc: TensorLike,
        scale: TensorLike,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Logistic",
    ) -> None:
        given = dict(locals())
        super().__init__(given)

    def _standard(self, shape: Any, seed: int | None) -> ops.Tensor:
        tiny = 1e-37 if self.dtype.size > 2 else 6e-8
        uniform = random_ops.random_uniform(shape, tiny, 1.0, self.dtype, seed)
        return math_ops.log(uniform) - math_ops.log1p(-uniform)

    def _log_prob(self, x: ops.Tensor) -> ops.Tensor:
        z = self._z(x)
        return -z - 2 * nn_ops.softplus(-z) - math_ops.log(self.scale)

    def _log_cdf(self, x: ops.Tensor) -> ops.Tensor:
        return -nn_ops.softplus(-self._z(x))

    def _cdf(self, x: ops.Tensor) -> ops.Tensor:
        return math_ops.sigmoid(self._z(x))

    def _log_survival_function(self, x: ops.Tensor) -> ops.Tensor:
        return -nn_ops.softplus(self._z(x))

    def _survival_function(self, x: ops.Tensor) -> ops.Tensor:
        return math_ops.sigmoid(-self._z(x))

    def _entropy(self) -> ops.Tensor:
        return 2 + math_ops.log(self._in_batch(self.scale))

    def _stddev(self) -> ops.Tensor:
        return self._in_batch(self.scale) * (math.pi / math.sqrt(3))
