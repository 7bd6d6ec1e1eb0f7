# SPDX-License-Identifier: Apache-2.0
"""Distributions near those of one of k choices, which samples differentiate (Maddison et al. 2016, Jang et al. 2016)."""

from __future__ import annotations

from typing import Any

from tensorwright.contrib.distributions.python.ops._base import FULLY, Scalars, checked
from tensorwright.contrib.distributions.python.ops._points import OneHotCategorical
from tensorwright.python.framework import dtypes, ops
from tensorwright.python.framework.type_aliases import DTypeLike, TensorLike
from tensorwright.python.ops import array_ops, math_ops, nn_ops, random_ops
from tensorwright.python.ops.distributions import util


class RelaxedBernoulli(Scalars):
    """sigmoid((logits + L) / temperature) of standard logistic L: near 0 or 1 at low temperatures."""

    def __init__(
        self,
        temperature: TensorLike,
        logits: TensorLike | None = None,
        probs: TensorLike | None = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "RelaxedBernoulli",
    ) -> None:
        given = dict(locals())
        with ops.name_scope(name, values=[temperature, logits, probs]) as name:
            self._logits, self._probs = util.get_logits_and_probs(
                logits, probs, validate_args=validate_args, name=name
            )
            self._temperature = checked(
                util.floating(temperature, "temperature", self._logits.dtype),
                validate_args,
                "temperature must be positive",
            )
        both = [self._logits, self._temperature]
        super().__init__(given, both, self._logits.dtype, FULLY, name)

    @property
    def temperature(self) -> ops.Tensor:
        """How far samples are from 0 and 1."""
        return self._temperature

    @property
    def logits(self) -> ops.Tensor:
        """log(probs / (1 - probs))."""
        return self._logits

    @property
    def probs(self) -> ops.Tensor:
        """The probability of a sample above a half."""
        return self._probs

    def _sample_n(self, n: ops.Tensor, seed: int | None) -> ops.Tensor:
        u = self._uniform(n, seed)
        drawn = math_ops.log(u) - math_ops.log1p(-u)
        return math_ops.sigmoid((self.logits + drawn) / self.temperature)

    def _logistic(self, y: ops.Tensor) -> ops.Tensor:
        """L of a sample y."""
        logit = math_ops.log(y) - math_ops.log1p(-y)
        return self.temperature * logit - self.logits

    def _log_prob(self, y: ops.Tensor) -> ops.Tensor:
        drawn = self._logistic(y)
        of_logistic = -drawn - 2 * nn_ops.softplus(-drawn)
        slope = math_ops.log(self.temperature) - math_ops.log(y) - math_ops.log1p(-y)
        return of_logistic + slope

    def _cdf(self, y: ops.Tensor) -> ops.Tensor:
        return math_ops.sigmoid(self._logistic(y))


class ExpRelaxedOneHotCategorical(OneHotCategorical):
    """log_softmax((logits + G) / temperature) of standard Gumbel G: the logarithm of RelaxedOneHotCategorical."""

    def __init__(
        self,
        temperature: TensorLike,
        logits: TensorLike | None = None,
        probs: TensorLike | None = None,
        dtype: DTypeLike = dtypes.float32,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "ExpRelaxedOneHotCategorical",
    ) -> None:
        given = dict(locals())
        super().__init__(logits, probs, dtype, validate_args, allow_nan_stats, name)
        self._temperature = checked(
            util.floating(temperature, "temperature", self._logits.dtype),
            validate_args,
            "temperature must be positive",
        )
        self._reparameterization_type = FULLY
        self._parameters = given

    @property
    def temperature(self) -> ops.Tensor:
        """How far samples are from the corners; a scalar, or of the shape of the batch."""
        return self._temperature

    @property
    def _divisor(self) -> ops.Tensor:
        if self._temperature.get_shape().ndims == 0:
            return self._temperature
        return array_ops.expand_dims(self._temperature, -1)

    def _sample_n(self, n: ops.Tensor, seed: int | None) -> ops.Tensor:
        shape = array_ops.concat([[n], array_ops.shape(self.logits)], 0)
        u = random_ops.random_uniform(shape, 1e-37, 1.0, self.logits.dtype, seed)
        gumbel = -math_ops.log(-math_ops.log(u))
        return nn_ops.log_softmax((self.logits + gumbel) / self._divisor)

    def _log_prob(self, x: ops.Tensor) -> ops.Tensor:
        k = math_ops.cast(self.event_size, x.dtype)
        constant = math_ops.lgamma(k) + (k - 1) * math_ops.log(self._temperature)
        weights = nn_ops.log_softmax(self.logits - x * self._divisor)
        return constant + math_ops.reduce_sum(weights, -1)

    def _none(self) -> Any:
        raise NotImplementedError(f"{type(self).__name__} has no closed form of that")

    _entropy = _mean = _variance = _covariance = _mode = _none


class RelaxedOneHotCategorical(ExpRelaxedOneHotCategorical):
    """softmax((logits + G) / temperature) of standard Gumbel G: points of a simplex, near its corners when it is cold."""

    def __init__(
        self,
        temperature: TensorLike,
        logits: TensorLike | None = None,
        probs: TensorLike | None = None,
        dtype: DTypeLike = dtypes.float32,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "RelaxedOneHotCategorical",
    ) -> None:
        super().__init__(
            temperature, logits, probs, dtype, validate_args, allow_nan_stats, name
        )

    def _sample_n(self, n: ops.Tensor, seed: int | None) -> ops.Tensor:
        return math_ops.exp(super()._sample_n(n, seed))

    def _log_prob(self, y: ops.Tensor) -> ops.Tensor:
        x = math_ops.log(y)
        return super()._log_prob(x) - math_ops.reduce_sum(x, -1)
