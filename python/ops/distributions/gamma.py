# SPDX-License-Identifier: Apache-2.0
"""The gamma distribution."""

from __future__ import annotations

from typing import Any

import numpy as np

from tensorwright.python.framework import ops, tensor_shape
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import array_ops, check_ops, math_ops, random_ops
from tensorwright.python.ops.distributions import (
    distribution,
    kullback_leibler,
    util,
)


class Gamma(distribution.Distribution):
    """Density rate^c x^(c - 1) exp(-rate x) / Gamma(c) of x > 0; concentration c > 0 and rate > 0 broadcast to the batch.

    Samples have a gradient by both: that along which their quantiles stay the same.
    """

    def __init__(
        self,
        concentration: TensorLike,
        rate: TensorLike,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Gamma",
    ) -> None:
        parameters = dict(locals())
        with ops.name_scope(name, values=[concentration, rate]) as name:
            self._concentration = util.floating_copy(concentration, "concentration")
            self._rate = util.floating_copy(rate, "rate")
            check_ops.assert_same_float_dtype([self._concentration, self._rate])
            if validate_args:
                checks = [
                    check_ops.assert_positive(
                        self._concentration, message="concentration must be positive"
                    ),
                    check_ops.assert_positive(
                        self._rate, message="rate must be positive"
                    ),
                ]
                # With both checks on each, ops that need one parameter alone fail too.
                with ops.control_dependencies(checks):
                    self._concentration = array_ops.identity(self._concentration)
                    self._rate = array_ops.identity(self._rate)
        super().__init__(
            self._concentration.dtype.base_dtype,
            distribution.FULLY_REPARAMETERIZED,
            validate_args,
            allow_nan_stats,
            parameters,
            [self._concentration, self._rate],
            name,
        )

    @staticmethod
    def _param_shapes(sample_shape: Any) -> dict[str, ops.Tensor]:
        shape = ops.convert_to_tensor(sample_shape, "int32")
        return {"concentration": shape, "rate": shape}

    @property
    def concentration(self) -> ops.Tensor:
        """The shape: 1 is the exponential distribution, large ones come near the normal one."""
        return self._concentration

    @property
    def rate(self) -> ops.Tensor:
        """The inverse of the scale."""
        return self._rate

    def _batch_shape(self) -> Any:
        return array_ops.broadcast_static_shape(
            self.concentration.get_shape(), self.rate.get_shape()
        )

    def _batch_shape_tensor(self) -> ops.Tensor:
        return array_ops.broadcast_dynamic_shape(
            array_ops.shape(self.concentration), array_ops.shape(self.rate)
        )

    def _event_shape(self) -> Any:
        return tensor_shape.TensorShape([])

    def _sample_n(self, n: ops.Tensor, seed: int | None) -> ops.Tensor:
        return random_ops.random_gamma(
            [n], self.concentration, beta=self.rate, dtype=self.dtype, seed=seed
        )

    def _checked(self, x: ops.Tensor) -> ops.Tensor:
        check_ops.assert_same_float_dtype([x], dtype=self.dtype)
        if not self.validate_args:
            return x
        check = check_ops.assert_positive(x, message="x must be positive")
        with ops.control_dependencies([check]):
            return array_ops.identity(x)

    def _log_prob(self, x: ops.Tensor) -> ops.Tensor:
        x, c = self._checked(x), self.concentration
        normalization = math_ops.lgamma(c) - c * math_ops.log(self.rate)
        return util.times_log(c - 1, x) - self.rate * x - normalization

    def _cdf(self, x: ops.Tensor) -> ops.Tensor:
        return math_ops.igamma(self.concentration, self.rate * self._checked(x))

    def _survival_function(self, x: ops.Tensor) -> ops.Tensor:
        return math_ops.igammac(self.concentration, self.rate * self._checked(x))

    def _entropy(self) -> ops.Tensor:
        c = self.concentration
        return (
            c
            - math_ops.log(self.rate)
            + math_ops.lgamma(c)
            + (1 - c) * math_ops.digamma(c)
        )

    def _mean(self) -> ops.Tensor:
        return self.concentration / self.rate

    def _variance(self) -> ops.Tensor:
        return self.concentration / math_ops.square(self.rate)

    def _stddev(self) -> ops.Tensor:
        return math_ops.sqrt(self.concentration) / self.rate

    def _mode(self) -> ops.Tensor:
        """(c - 1) / rate; not defined where the concentration is not above 1."""
        mode = (self.concentration - 1) / self.rate
        if self.allow_nan_stats:
            defined = self.concentration > array_ops.ones_like(mode)
            nan = ops.convert_to_tensor(np.nan, self.dtype)
            return array_ops.where_v2(defined, mode, nan)
        check = check_ops.assert_less(
            array_ops.ones_like(self.concentration),
            self.concentration,
            message="mode not defined when any concentration <= 1",
        )
        with ops.control_dependencies([check]):
            return array_ops.identity(mode)


class GammaWithSoftplusConcentrationRate(Gamma):
    """Gamma of softplus(concentration) and softplus(rate)."""

    def __init__(
        self,
        concentration: TensorLike,
        rate: TensorLike,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "GammaWithSoftplusConcentrationRate",
    ) -> None:
        parameters = dict(locals())
        with ops.name_scope(name, values=[concentration, rate]) as name:
            concentration = util.softplus(concentration, "softplus_concentration")
            rate = util.softplus(rate, "softplus_rate")
        super().__init__(concentration, rate, validate_args, allow_nan_stats, name)
        self._parameters = parameters


@kullback_leibler.RegisterKL(Gamma, Gamma)
def _kl_gamma_gamma(a: Gamma, b: Gamma, name: str | None = None) -> ops.Tensor:
    """(ca - cb) digamma(ca) + lgamma(cb) - lgamma(ca) + cb log(ra / rb) + ca (rb / ra - 1)."""
    ca, cb = a.concentration, b.concentration
    with ops.name_scope(name, "kl_gamma_gamma", [ca, cb, a.rate, b.rate]):
        return (
            (ca - cb) * math_ops.digamma(ca)
            + math_ops.lgamma(cb)
            - math_ops.lgamma(ca)
            + cb * (math_ops.log(a.rate) - math_ops.log(b.rate))
            + ca * (b.rate / a.rate - 1)
        )
