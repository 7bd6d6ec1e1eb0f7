# SPDX-License-Identifier: Apache-2.0
"""Distributions over points: one, or the corners of a simplex."""

from __future__ import annotations

from typing import Any

from tensorwright.contrib.distributions.python.ops._base import FULLY, NOT, Scalars
from tensorwright.python.framework import constant_op, dtypes, ops, tensor_shape
from tensorwright.python.framework.type_aliases import DTypeLike, TensorLike
from tensorwright.python.ops import array_ops, math_ops, nn_ops
from tensorwright.python.ops.distributions import (
    categorical,
    distribution,
    kullback_leibler,
    util,
)


class _OnePoint(Scalars):
    def __init__(self, given: dict) -> None:
        with ops.name_scope(given["name"], values=[given["loc"]]) as name:
            self._loc = ops.convert_to_tensor(given["loc"], name="loc")
            self._atol, self._rtol = (
                None
                if given[what] is None
                else ops.convert_to_tensor(given[what], self._loc.dtype, name=what)
                for what in ("atol", "rtol")
            )
        super().__init__(given, [self._loc], self._loc.dtype.base_dtype, FULLY, name)

    @property
    def loc(self) -> ops.Tensor:
        """The point."""
        return self._loc

    @property
    def atol(self) -> Any:
        """How far from it counts as there."""
        return self._atol

    @property
    def rtol(self) -> Any:
        """Likewise, times its size."""
        return self._rtol

    def _slack(self) -> Any:
        slack = array_ops.zeros_like(self.loc)
        if self._rtol is not None:
            slack += self._rtol * math_ops.abs(self.loc)
        return slack if self._atol is None else slack + self._atol

    def _sample_n(self, n: ops.Tensor, seed: int | None) -> ops.Tensor:
        shape = array_ops.shape(self.loc)
        ones = array_ops.ones(array_ops.concat([[n], shape], 0), self.dtype)
        return ones * self.loc

    def _mean(self) -> ops.Tensor:
        return array_ops.identity(self.loc)

    def _mode(self) -> ops.Tensor:
        return array_ops.identity(self.loc)

    def _variance(self) -> ops.Tensor:
        return array_ops.zeros_like(self.loc)


class Deterministic(_OnePoint):
    """`loc` with probability 1; a value at most atol + rtol |loc| away counts as `loc`."""

    def __init__(
        self,
        loc: TensorLike,
        atol: TensorLike | None = None,
        rtol: TensorLike | None = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Deterministic",
    ) -> None:
        given = dict(locals())
        super().__init__(given)

    def _prob(self, x: ops.Tensor) -> ops.Tensor:
        return math_ops.cast(math_ops.abs(x - self.loc) <= self._slack(), self.dtype)

    def _cdf(self, x: ops.Tensor) -> ops.Tensor:
        return math_ops.cast(x >= self.loc - self._slack(), self.dtype)

    def _entropy(self) -> ops.Tensor:
        return array_ops.zeros_like(self.loc)


class VectorDeterministic(_OnePoint):
    """The vector `loc` [..., k] with probability 1; all its elements must be near, as in Deterministic."""

    def __init__(
        self,
        loc: TensorLike,
        atol: TensorLike | None = None,
        rtol: TensorLike | None = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "VectorDeterministic",
    ) -> None:
        given = dict(locals())
        super().__init__(given)

    def _batch_shape(self) -> Any:
        return self.loc.get_shape()[:-1]

    def _batch_shape_tensor(self) -> ops.Tensor:
        return array_ops.shape(self.loc)[:-1]

    def _event_shape(self) -> Any:
        return self.loc.get_shape()[-1:]

    def _event_shape_tensor(self) -> ops.Tensor:
        return array_ops.shape(self.loc)[-1:]

    def _prob(self, x: ops.Tensor) -> ops.Tensor:
        near = math_ops.abs(x - self.loc) <= self._slack()
        return math_ops.cast(math_ops.reduce_all(near, -1), self.dtype)

    def _entropy(self) -> ops.Tensor:
        return math_ops.reduce_sum(array_ops.zeros_like(self.loc), -1)


class OneHotCategorical(distribution.Distribution):
    """A vector [k] that is 1 at one place and 0 elsewhere, by `probs` or softmax(`logits`), [..., k]."""

    def __init__(
        self,
        logits: TensorLike | None = None,
        probs: TensorLike | None = None,
        dtype: DTypeLike = dtypes.int32,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "OneHotCategorical",
    ) -> None:
        given = dict(locals())
        with ops.name_scope(name, values=[logits, probs]) as name:
            self._logits, self._probs = util.get_logits_and_probs(
                logits,
                probs,
                multidimensional=True,
                validate_args=validate_args,
                name=name,
            )
        super().__init__(
            dtype,
            NOT,
            validate_args,
            allow_nan_stats,
            given,
            [self._logits, self._probs],
            name,
        )

    @property
    def event_size(self) -> ops.Tensor:
        """k, an int32 scalar."""
        known = self._logits.get_shape()[-1].value
        if known is not None:
            return constant_op.constant(known, dtypes.int32)
        return array_ops.shape(self._logits)[-1]

    @property
    def logits(self) -> ops.Tensor:
        """Logarithms of probabilities, up to a constant."""
        return self._logits

    @property
    def probs(self) -> ops.Tensor:
        """The probability of each place."""
        return self._probs

    def _batch_shape(self) -> Any:
        return self.logits.get_shape()[:-1]

    def _batch_shape_tensor(self) -> ops.Tensor:
        return array_ops.shape(self.logits)[:-1]

    def _event_shape(self) -> Any:
        return tensor_shape.as_shape(self.logits.get_shape()[-1:])

    def _event_shape_tensor(self) -> ops.Tensor:
        return array_ops.shape(self.logits)[-1:]

    def _sample_n(self, n: ops.Tensor, seed: int | None) -> ops.Tensor:
        places = categorical.Categorical(logits=self.logits).sample(n, seed=seed)
        return array_ops.one_hot(places, self.event_size, dtype=self.dtype)

    def _log_prob(self, x: ops.Tensor) -> ops.Tensor:
        x = math_ops.cast(x, self.logits.dtype)
        chosen = x * nn_ops.log_softmax(self.logits)
        return math_ops.reduce_sum(chosen, -1)

    def _entropy(self) -> ops.Tensor:
        return -math_ops.reduce_sum(self.probs * nn_ops.log_softmax(self.logits), -1)

    def _mean(self) -> ops.Tensor:
        return array_ops.identity(self.probs)

    def _variance(self) -> ops.Tensor:
        return self.probs * (1 - self.probs)

    def _covariance(self) -> ops.Tensor:
        p = self.probs
        outer = array_ops.expand_dims(p, -1) * array_ops.expand_dims(p, -2)
        return array_ops.matrix_diag(p) - outer

    def _mode(self) -> ops.Tensor:
        place = math_ops.argmax(self.logits, axis=-1)
        return array_ops.one_hot(place, self.event_size, dtype=self.dtype)


@kullback_leibler.RegisterKL(OneHotCategorical, OneHotCategorical)
def _kl_one_hot(a: Any, b: Any, name: str | None = None) -> ops.Tensor:
    """sum p_a (log p_a - log p_b)."""
    with ops.name_scope(name, "kl_one_hot", [a.logits, b.logits]):
        ratio = nn_ops.log_softmax(a.logits) - nn_ops.log_softmax(b.logits)
        return math_ops.reduce_sum(a.probs * ratio, -1)
