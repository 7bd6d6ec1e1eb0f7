# SPDX-License-Identifier: Apache-2.0
"""Distributions of counts."""

from __future__ import annotations

from tensorwright.contrib.distributions.python.ops._base import NOT, Scalars, checked
from tensorwright.python.framework import ops
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import array_ops, math_ops, nn_ops, random_ops
from tensorwright.python.ops.distributions import gamma, multinomial, util


class Binomial(Scalars):
    """How many of `total_count` trials succeed, each with probability `probs` or sigmoid(`logits`)."""

    def __init__(
        self,
        total_count: TensorLike,
        logits: TensorLike | None = None,
        probs: TensorLike | None = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Binomial",
    ) -> None:
        given = dict(locals())
        with ops.name_scope(name, values=[total_count, logits, probs]) as name:
            self._logits, self._probs = util.get_logits_and_probs(
                logits, probs, validate_args=validate_args, name=name
            )
            count = util.floating(total_count, "total_count", self._probs.dtype)
            if validate_args:
                count = util.embed_check_nonnegative_integer_form(count)
            self._total_count = count
        super().__init__(given, [count, self._probs], self._probs.dtype, NOT, name)

    @property
    def total_count(self) -> ops.Tensor:
        """The number of trials."""
        return self._total_count

    @property
    def logits(self) -> ops.Tensor:
        """log(probs / (1 - probs))."""
        return self._logits

    @property
    def probs(self) -> ops.Tensor:
        """The probability of success."""
        return self._probs

    def _sample_n(self, n: ops.Tensor, seed: int | None) -> ops.Tensor:
        p = self._in_batch(self.probs)
        both = multinomial.Multinomial(
            self._in_batch(self.total_count), probs=array_ops.stack([p, 1 - p], -1)
        )
        return both.sample(n, seed=seed)[..., 0]

    def _log_prob(self, counts: ops.Tensor) -> ops.Tensor:
        n = self.total_count
        if self.validate_args:
            counts = util.embed_check_nonnegative_integer_form(counts)
        ways = (
            math_ops.lgamma(n + 1)
            - math_ops.lgamma(counts + 1)
            - math_ops.lgamma(n - counts + 1)
        )
        return (
            ways
            + util.times_log(counts, self.probs)
            + util.times_log(n - counts, 1 - self.probs)
        )

    def _mean(self) -> ops.Tensor:
        return self.total_count * self.probs

    def _variance(self) -> ops.Tensor:
        return self._mean() * (1 - self.probs)

    def _mode(self) -> ops.Tensor:
        return math_ops.floor((1 + self.total_count) * self.probs)


class Geometric(Scalars):
    """How many trials fail before the first that succeeds, each with probability `probs` or sigmoid(`logits`)."""

    def __init__(
        self,
        logits: TensorLike | None = None,
        probs: TensorLike | None = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Geometric",
    ) -> None:
        given = dict(locals())
        with ops.name_scope(name, values=[logits, probs]) as name:
            self._logits, self._probs = util.get_logits_and_probs(
                logits, probs, validate_args=validate_args, name=name
            )
            self._probs = checked(self._probs, validate_args, "probs must be positive")
        super().__init__(given, [self._probs], self._probs.dtype, NOT, name)

    @property
    def logits(self) -> ops.Tensor:
        """log(probs / (1 - probs))."""
        return self._logits

    @property
    def probs(self) -> ops.Tensor:
        """The probability of success."""
        return self._probs

    def _sample_n(self, n: ops.Tensor, seed: int | None) -> ops.Tensor:
        uniform = self._uniform(n, seed)
        return math_ops.floor(math_ops.log(uniform) / math_ops.log1p(-self.probs))

    def _log_prob(self, counts: ops.Tensor) -> ops.Tensor:
        if self.validate_args:
            counts = util.embed_check_nonnegative_integer_form(counts)
        return util.times_log(counts, 1 - self.probs) + math_ops.log(self.probs)

    def _cdf(self, counts: ops.Tensor) -> ops.Tensor:
        tried = math_ops.floor(counts) + 1
        below = -math_ops.expm1(tried * math_ops.log1p(-self.probs))
        return array_ops.where_v2(counts < 0, array_ops.zeros_like(below), below)

    def _entropy(self) -> ops.Tensor:
        p = self.probs
        return -(util.times_log(p, p) + util.times_log(1 - p, 1 - p)) / p

    def _mean(self) -> ops.Tensor:
        return (1 - self.probs) / self.probs

    def _variance(self) -> ops.Tensor:
        return self._mean() / self.probs

    def _mode(self) -> ops.Tensor:
        return array_ops.zeros_like(self.probs)


class NegativeBinomial(Scalars):
    """How many trials succeed before `total_count` fail, each succeeding with `probs` or sigmoid(`logits`)."""

    def __init__(
        self,
        total_count: TensorLike,
        logits: TensorLike | None = None,
        probs: TensorLike | None = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "NegativeBinomial",
    ) -> None:
        given = dict(locals())
        with ops.name_scope(name, values=[total_count, logits, probs]) as name:
            self._logits, self._probs = util.get_logits_and_probs(
                logits, probs, validate_args=validate_args, name=name
            )
            count = util.floating(total_count, "total_count", self._probs.dtype)
            self._total_count = checked(
                count, validate_args, "total_count must be positive"
            )
        super().__init__(
            given, [self._total_count, self._probs], self._probs.dtype, NOT, name
        )

    @property
    def total_count(self) -> ops.Tensor:
        """The number of failures."""
        return self._total_count

    @property
    def logits(self) -> ops.Tensor:
        """log(probs / (1 - probs))."""
        return self._logits

    @property
    def probs(self) -> ops.Tensor:
        """The probability of success."""
        return self._probs

    def _sample_n(self, n: ops.Tensor, seed: int | None) -> ops.Tensor:
        """Poisson counts whose rates are of a gamma distribution."""
        rates = gamma.Gamma(
            self._in_batch(self.total_count), math_ops.exp(-self.logits)
        ).sample(n, seed=seed)
        return random_ops.random_poisson(
            rates, [], dtype=self.dtype, seed=util.gen_new_seed(seed, "poisson")
        )

    def _log_prob(self, x: ops.Tensor) -> ops.Tensor:
        if self.validate_args:
            x = util.embed_check_nonnegative_integer_form(x)
        n = self.total_count
        powers = -n * nn_ops.softplus(self.logits) - x * nn_ops.softplus(-self.logits)
        return (
            powers
            + math_ops.lgamma(n + x)
            - math_ops.lgamma(x + 1)
            - math_ops.lgamma(n)
        )

    def _cdf(self, x: ops.Tensor) -> ops.Tensor:
        tried = math_ops.floor(x) + 1
        n, q = self.total_count, self._in_batch(math_ops.sigmoid(-self.logits))
        safe = math_ops.maximum(tried, 1) * array_ops.ones_like(q)
        below = math_ops.betainc(
            n * array_ops.ones_like(safe), safe, q * array_ops.ones_like(safe)
        )
        return array_ops.where_v2(tried < 1, array_ops.zeros_like(below), below)

    def _mean(self) -> ops.Tensor:
        return self.total_count * math_ops.exp(self.logits)

    def _variance(self) -> ops.Tensor:
        return self._mean() / math_ops.sigmoid(-self.logits)

    def _mode(self) -> ops.Tensor:
        mode = (self.total_count - 1) * math_ops.exp(self.logits)
        return math_ops.maximum(math_ops.floor(mode), 0)


class Poisson(Scalars):
    """rate^k exp(-rate) / k!; rate > 0 makes the batch."""

    def __init__(
        self,
        rate: TensorLike,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Poisson",
    ) -> None:
        given = dict(locals())
        with ops.name_scope(name, values=[rate]) as name:
            rate = util.floating(rate, "rate")
            self._rate = checked(rate, validate_args, "rate must be positive")
        super().__init__(given, [self._rate], self._rate.dtype.base_dtype, NOT, name)

    @property
    def rate(self) -> ops.Tensor:
        """The mean."""
        return self._rate

    def _sample_n(self, n: ops.Tensor, seed: int | None) -> ops.Tensor:
        return random_ops.random_poisson(self.rate, [n], dtype=self.dtype, seed=seed)

    def _log_prob(self, x: ops.Tensor) -> ops.Tensor:
        if self.validate_args:
            x = util.embed_check_nonnegative_integer_form(x)
        return util.times_log(x, self.rate) - self.rate - math_ops.lgamma(1 + x)

    def _cdf(self, x: ops.Tensor) -> ops.Tensor:
        tried = math_ops.floor(x) + 1
        safe = math_ops.maximum(tried, 1)
        below = math_ops.igammac(safe, self.rate)
        return array_ops.where_v2(tried < 1, array_ops.zeros_like(below), below)

    def _mean(self) -> ops.Tensor:
        return array_ops.identity(self.rate)

    def _variance(self) -> ops.Tensor:
        return array_ops.identity(self.rate)

    def _mode(self) -> ops.Tensor:
        return math_ops.floor(self.rate)
