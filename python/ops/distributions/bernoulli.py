# SPDX-License-Identifier: Apache-2.0
"""The Bernoulli distribution."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorwright.python.framework import dtypes, ops, tensor_shape
from tensorwright.python.framework.type_aliases import DTypeLike, TensorLike
from tensorwright.python.ops import (
    array_ops,
    math_ops,
    nn_impl,
    nn_ops,
    random_ops,
)
from tensorwright.python.ops.distributions import (
    distribution,
    kullback_leibler,
    util,
)


class Bernoulli(distribution.Distribution):
    """1 with probability `probs` or sigmoid(`logits`), of which one is given and makes the batch, else 0."""

    def __init__(
        self,
        logits: TensorLike | None = None,
        probs: TensorLike | None = None,
        dtype: DTypeLike = dtypes.int32,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Bernoulli",
    ) -> None:
        parameters = dict(locals())
        with ops.name_scope(name) as name:
            self._logits, self._probs = util.get_logits_and_probs(
                logits, probs, validate_args=validate_args, name=name
            )
        super().__init__(
            dtype,
            distribution.NOT_REPARAMETERIZED,
            validate_args,
            allow_nan_stats,
            parameters,
            [self._logits, self._probs],
            name,
        )

    @staticmethod
    def _param_shapes(sample_shape: Any) -> dict[str, ops.Tensor]:
        return {"logits": ops.convert_to_tensor(sample_shape, dtypes.int32)}

    @property
    def logits(self) -> ops.Tensor:
        """log(probs / (1 - probs))."""
        return self._logits

    @property
    def probs(self) -> ops.Tensor:
        """The probability of 1."""
        return self._probs

    def _batch_shape(self) -> Any:
        return self.logits.get_shape()

    def _batch_shape_tensor(self) -> ops.Tensor:
        return array_ops.shape(self.logits)

    def _event_shape(self) -> Any:
        return tensor_shape.TensorShape([])

    def _sample_n(self, n: ops.Tensor, seed: int | None) -> ops.Tensor:
        shape = self._shape_of_draws(n)
        uniform = random_ops.random_uniform(shape, dtype=self.probs.dtype, seed=seed)
        return math_ops.cast(uniform < self.probs, self.dtype)

    def _log_prob(self, event: ops.Tensor) -> ops.Tensor:
        if self.validate_args:
            event = util.embed_check_integer_casting_closed(event, dtypes.bool)
        event = math_ops.cast(event, self.logits.dtype)
        logits = self.logits * array_ops.ones_like(event)
        event = event * array_ops.ones_like(self.logits)
        return -nn_impl.sigmoid_cross_entropy_with_logits(labels=event, logits=logits)

    def _entropy(self) -> ops.Tensor:
        return nn_ops.softplus(-self.logits) + self.logits * (
            1 - math_ops.sigmoid(self.logits)
        )

    def _mean(self) -> ops.Tensor:
        return array_ops.identity(self.probs)

    def _variance(self) -> ops.Tensor:
        return self.probs * (1 - self.probs)

    def _mode(self) -> ops.Tensor:
        """1 where it is likelier than 0."""
        return math_ops.cast(self.probs > 0.5, self.dtype)


class BernoulliWithSigmoidProbs(Bernoulli):
    """Bernoulli whose `probs` are sigmoid(logits)."""

    def __init__(
        self,
        logits: TensorLike | None = None,
        dtype: DTypeLike = dtypes.int32,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "BernoulliWithSigmoidProbs",
    ) -> None:
        parameters = dict(locals())
        super().__init__(
            logits,
            dtype=dtype,
            validate_args=validate_args,
            allow_nan_stats=allow_nan_stats,
            name=name,
        )
        self._parameters = parameters


@kullback_leibler.RegisterKL(Bernoulli, Bernoulli)
def _kl_bernoulli_bernoulli(
    a: Bernoulli, b: Bernoulli, name: str | None = None
) -> ops.Tensor:
    """p log(p / q) + (1 - p) log((1 - p) / (1 - q)), the logs by softplus of logits."""
    with ops.name_scope(name, "kl_bernoulli_bernoulli", [a.logits, b.logits]):

        def excess(side: Callable[[ops.Tensor], ops.Tensor]) -> ops.Tensor:
            """log(a's probability / b's) of the outcome whose log probability is -softplus(side(logits))."""
            return nn_ops.softplus(side(b.logits)) - nn_ops.softplus(side(a.logits))

        one, zero = excess(math_ops.negative), excess(lambda logits: logits)
        return math_ops.sigmoid(a.logits) * one + math_ops.sigmoid(-a.logits) * zero
