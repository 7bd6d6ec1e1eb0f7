# SPDX-License-Identifier: Apache-2.0
"""The beta distribution."""

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


class Beta(distribution.Distribution):
    """Density x^(c1 - 1) (1 - x)^(c0 - 1) / B(c1, c0) of 0 < x < 1; c1 > 0 and c0 > 0 broadcast to the batch.

    Samples have a gradient by both, as those of Gamma.
    """

    def __init__(
        self,
        concentration1: TensorLike | None = None,
        concentration0: TensorLike | None = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Beta",
    ) -> None:
        parameters = dict(locals())
        with ops.name_scope(name, values=[concentration1, concentration0]) as name:
            self._concentration1 = self._checked_concentration(
                concentration1, "concentration1", validate_args
            )
            self._concentration0 = self._checked_concentration(
                concentration0, "concentration0", validate_args
            )
            check_ops.assert_same_float_dtype(
                [self._concentration1, self._concentration0]
            )
            self._total_concentration = self._concentration1 + self._concentration0
        super().__init__(
            self._total_concentration.dtype.base_dtype,
            distribution.FULLY_REPARAMETERIZED,
            validate_args,
            allow_nan_stats,
            parameters,
            [self._concentration1, self._concentration0, self._total_concentration],
            name,
        )

    @staticmethod
    def _checked_concentration(x: Any, name: str, validate: bool) -> ops.Tensor:
        if x is None:
            raise ValueError(f"{name} must be given")
        x = util.floating(x, name)
        if not validate:
            return x
        check = check_ops.assert_positive(
            x, message=f"Concentration parameter must be positive: {name}"
        )
        with ops.control_dependencies([check]):
            return array_ops.identity(x)

    @staticmethod
    def _param_shapes(sample_shape: Any) -> dict[str, ops.Tensor]:
        shape = ops.convert_to_tensor(sample_shape, "int32")
        return {"concentration1": shape, "concentration0": shape}

    @property
    def concentration1(self) -> ops.Tensor:
        """The strength that draws x near 1."""
        return self._concentration1

    @property
    def concentration0(self) -> ops.Tensor:
        """The strength that draws x near 0."""
        return self._concentration0

    @property
    def total_concentration(self) -> ops.Tensor:
        """The sum of both."""
        return self._total_concentration

    def _batch_shape(self) -> Any:
        return self.total_concentration.get_shape()

    def _batch_shape_tensor(self) -> ops.Tensor:
        return array_ops.shape(self.total_concentration)

    def _event_shape(self) -> Any:
        return tensor_shape.TensorShape([])

    def _sample_n(self, n: ops.Tensor, seed: int | None) -> ops.Tensor:
        """The share of one of two draws of gamma distribution."""
        one, zero = (
            array_ops.ones_like(self.total_concentration) * concentration
            for concentration in (self.concentration1, self.concentration0)
        )
        first = random_ops.random_gamma([n], one, dtype=self.dtype, seed=seed)
        second = random_ops.random_gamma(
            [n],
            zero,
            dtype=self.dtype,
            seed=util.gen_new_seed(seed, "beta"),
        )
        return first / (first + second)

    def _checked(self, x: ops.Tensor) -> ops.Tensor:
        if not self.validate_args:
            return x
        checks = [
            check_ops.assert_positive(x, message="sample must be positive"),
            check_ops.assert_less(
                x, array_ops.ones_like(x), message="sample must be less than `1`."
            ),
        ]
        with ops.control_dependencies(checks):
            return array_ops.identity(x)

    def _log_prob(self, x: ops.Tensor) -> ops.Tensor:
        x = self._checked(x)
        return (
            util.times_log(self.concentration1 - 1, x)
            + _times_log1p(self.concentration0 - 1, -x)
            - self._log_beta()
        )

    def _log_beta(self) -> ops.Tensor:
        return (
            math_ops.lgamma(self.concentration1)
            + math_ops.lgamma(self.concentration0)
            - math_ops.lgamma(self.total_concentration)
        )

    def _cdf(self, x: ops.Tensor) -> ops.Tensor:
        return _betainc(self.concentration1, self.concentration0, self._checked(x))

    def _survival_function(self, x: ops.Tensor) -> ops.Tensor:
        x = self._checked(x)
        return _betainc(self.concentration0, self.concentration1, 1 - x)

    def _entropy(self) -> ops.Tensor:
        c1, c0, total = (
            self.concentration1,
            self.concentration0,
            self.total_concentration,
        )
        return (
            self._log_beta()
            - (c1 - 1) * math_ops.digamma(c1)
            - (c0 - 1) * math_ops.digamma(c0)
            + (total - 2) * math_ops.digamma(total)
        )

    def _mean(self) -> ops.Tensor:
        return self.concentration1 / self.total_concentration

    def _variance(self) -> ops.Tensor:
        mean = self._mean()
        return mean * (1 - mean) / (1 + self.total_concentration)

    def _mode(self) -> ops.Tensor:
        """(c1 - 1) / (c1 + c0 - 2); not defined where one of them is not above 1."""
        mode = (self.concentration1 - 1) / (self.total_concentration - 2)
        if self.allow_nan_stats:
            defined = math_ops.logical_and(
                self.concentration1 > 1, self.concentration0 > 1
            )
            nan = ops.convert_to_tensor(np.nan, self.dtype)
            return array_ops.where_v2(defined, mode, nan)
        one = ops.convert_to_tensor(1, self.dtype)
        checks = [
            check_ops.assert_less(
                one, concentration, message=f"Mode undefined for {name} <= 1"
            )
            for name, concentration in (
                ("concentration1", self.concentration1),
                ("concentration0", self.concentration0),
            )
        ]
        with ops.control_dependencies(checks):
            return array_ops.identity(mode)


def _times_log1p(factor: ops.Tensor, x: ops.Tensor) -> ops.Tensor:
    """factor log(1 + x), and 0 of a factor of 0 at x = -1; see util.times_log."""
    neither = math_ops.logical_and(math_ops.equal(factor, 0), math_ops.equal(x, -1))
    zero = array_ops.zeros_like(x)
    return factor * math_ops.log1p(array_ops.where_v2(neither, zero, x))


def _betainc(a: ops.Tensor, b: ops.Tensor, x: ops.Tensor) -> ops.Tensor:
    """The regularized incomplete beta function, with broadcasting."""
    zeros = array_ops.zeros_like(a + b + x)
    return math_ops.betainc(a + zeros, b + zeros, x + zeros)


class BetaWithSoftplusConcentration(Beta):
    """Beta of softplus(concentration1) and softplus(concentration0)."""

    def __init__(
        self,
        concentration1: TensorLike,
        concentration0: TensorLike,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "BetaWithSoftplusConcentration",
    ) -> None:
        parameters = dict(locals())
        with ops.name_scope(name, values=[concentration1, concentration0]) as name:
            concentration1 = util.softplus(concentration1, "softplus_concentration1")
            concentration0 = util.softplus(concentration0, "softplus_concentration0")
        super().__init__(
            concentration1, concentration0, validate_args, allow_nan_stats, name
        )
        self._parameters = parameters


@kullback_leibler.RegisterKL(Beta, Beta)
def _kl_beta_beta(a: Beta, b: Beta, name: str | None = None) -> ops.Tensor:
    """log(B(b) / B(a)) and, of c1, c0 and less their sum, (ca - cb) digamma(ca)."""
    with ops.name_scope(
        name, "kl_beta_beta", [a.total_concentration, b.total_concentration]
    ):

        def term(of: str) -> ops.Tensor:
            ca, cb = getattr(a, of), getattr(b, of)
            return (ca - cb) * math_ops.digamma(ca)

        return (
            b._log_beta()
            - a._log_beta()
            + term("concentration1")
            + term("concentration0")
            - term("total_concentration")
        )
