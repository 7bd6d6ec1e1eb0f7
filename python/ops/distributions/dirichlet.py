# SPDX-License-Identifier: Apache-2.0
"""The Dirichlet distribution."""

from __future__ import annotations

from typing import Any

import numpy as np

from tensorwright.python.framework import ops
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import (
    array_ops,
    check_ops,
    math_ops,
    random_ops,
    special_math_ops,
)
from tensorwright.python.ops.distributions import (
    distribution,
    kullback_leibler,
    util,
)


def checked_concentration(concentration: ops.Tensor) -> ops.Tensor:
    """[..., k], which must be positive, k at least 2, else the run fails.

    Raises:
        InvalidArgumentError: elements that are known, and not positive.
        ValueError: a scalar.
    """
    checks = [
        check_ops.assert_positive(
            concentration, message="Concentration parameter must be positive"
        ),
        check_ops.assert_rank_at_least(
            concentration, 1, message="Concentration parameter must have >=1 dimensions"
        ),
        check_ops.assert_less(
            1,
            array_ops.shape(concentration)[-1],
            message="Concentration parameter must have event_size >= 2 (classes)",
        ),
    ]
    with ops.control_dependencies(checks):
        return array_ops.identity(concentration)


class Dirichlet(distribution.Distribution):
    """Vectors of k positive numbers that add up to 1, of density prod x_i^(c_i - 1) / B(c): concentration c, [..., k] > 0.

    Samples have a gradient, as those of Gamma.
    """

    def __init__(
        self,
        concentration: TensorLike,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Dirichlet",
    ) -> None:
        parameters = dict(locals())
        with ops.name_scope(name, values=[concentration]) as name:
            self._concentration = util.floating(concentration, "concentration")
            if validate_args:
                self._concentration = checked_concentration(self._concentration)
            self._total_concentration = math_ops.reduce_sum(self._concentration, -1)
        super().__init__(
            self._concentration.dtype.base_dtype,
            distribution.FULLY_REPARAMETERIZED,
            validate_args,
            allow_nan_stats,
            parameters,
            [self._concentration, self._total_concentration],
            name,
        )

    @property
    def concentration(self) -> ops.Tensor:
        """The strength of each class: batch shape + [k]."""
        return self._concentration

    @property
    def total_concentration(self) -> ops.Tensor:
        """The sum over the classes: batch shape."""
        return self._total_concentration

    def _batch_shape(self) -> Any:
        return self.total_concentration.get_shape()

    def _batch_shape_tensor(self) -> ops.Tensor:
        return array_ops.shape(self.total_concentration)

    def _event_shape(self) -> Any:
        return self.concentration.get_shape().with_rank_at_least(1)[-1:]

    def _event_shape_tensor(self) -> ops.Tensor:
        return array_ops.shape(self.concentration)[-1:]

    def _sample_n(self, n: ops.Tensor, seed: int | None) -> ops.Tensor:
        """Shares of draws of gamma distribution."""
        draws = random_ops.random_gamma(
            [n], self.concentration, dtype=self.dtype, seed=seed
        )
        return draws / math_ops.reduce_sum(draws, -1, keepdims=True)

    def _checked(self, x: ops.Tensor) -> ops.Tensor:
        if not self.validate_args:
            return x
        total = math_ops.reduce_sum(x, -1)
        checks = [
            check_ops.assert_positive(x, message="samples must be positive"),
            check_ops.assert_near(
                total,
                array_ops.ones_like(total),
                message="sample last-dimension must sum to `1`",
            ),
        ]
        with ops.control_dependencies(checks):
            return array_ops.identity(x)

    def _log_prob(self, x: ops.Tensor) -> ops.Tensor:
        x = self._checked(x)
        logs = util.times_log(self.concentration - 1, x)
        return math_ops.reduce_sum(logs, -1) - special_math_ops.lbeta(
            self.concentration
        )

    def _entropy(self) -> ops.Tensor:
        c, total = self.concentration, self.total_concentration
        k = math_ops.cast(self.event_shape_tensor()[0], self.dtype)
        return (
            special_math_ops.lbeta(c)
            + (total - k) * math_ops.digamma(total)
            - math_ops.reduce_sum((c - 1) * math_ops.digamma(c), -1)
        )

    def _mean(self) -> ops.Tensor:
        return self.concentration / self.total_concentration[..., None]

    def _variance(self) -> ops.Tensor:
        mean = self._mean()
        return mean * (1 - mean) / (1 + self.total_concentration[..., None])

    def _covariance(self) -> ops.Tensor:
        """-m_i m_j / (1 + total), m the mean, and the variance on the diagonal."""
        mean = self._mean()
        scaled = mean / (1 + self.total_concentration[..., None])
        products = math_ops.matmul(scaled[..., :, None], mean[..., None, :])
        return array_ops.matrix_set_diag(-products, self._variance())

    def _mode(self) -> ops.Tensor:
        """(c - 1) / (total - k); not defined where a concentration is not above 1."""
        k = math_ops.cast(self.event_shape_tensor()[0], self.dtype)
        mode = (self.concentration - 1) / (self.total_concentration[..., None] - k)
        if self.allow_nan_stats:
            defined = math_ops.reduce_all(self.concentration > 1, -1, keepdims=True)
            nan = ops.convert_to_tensor(np.nan, self.dtype)
            return array_ops.where_v2(defined, mode, nan)
        check = check_ops.assert_less(
            ops.convert_to_tensor(1, self.dtype),
            self.concentration,
            message="Mode undefined when any concentration <= 1",
        )
        with ops.control_dependencies([check]):
            return array_ops.identity(mode)


@kullback_leibler.RegisterKL(Dirichlet, Dirichlet)
def _kl_dirichlet_dirichlet(
    a: Dirichlet, b: Dirichlet, name: str | None = None
) -> ops.Tensor:
    """log(B(b) / B(a)) + the sum of (ca - cb) (digamma(ca) - digamma(total a))."""
    ca, cb = a.concentration, b.concentration
    with ops.name_scope(name, "kl_dirichlet_dirichlet", [ca, cb]):
        expected = (
            math_ops.digamma(ca) - math_ops.digamma(a.total_concentration)[..., None]
        )
        return (
            special_math_ops.lbeta(cb)
            - special_math_ops.lbeta(ca)
            + math_ops.reduce_sum((ca - cb) * expected, -1)
        )
