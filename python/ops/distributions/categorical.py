# SPDX-License-Identifier: Apache-2.0
"""The categorical distribution."""

from __future__ import annotations

from typing import Any

from tensorwright.python.framework import constant_op, dtypes, ops, tensor_shape
from tensorwright.python.framework.type_aliases import DTypeLike, TensorLike
from tensorwright.python.ops import array_ops, math_ops, nn_ops, random_ops
from tensorwright.python.ops._math import math_ops_safe
from tensorwright.python.ops.distributions import (
    distribution,
    kullback_leibler,
    util,
)


class Categorical(distribution.Distribution):
    """Classes 0, 1, ... with probabilities `probs` or softmax(`logits`), of which one is given: batch shape + [classes]."""

    def __init__(
        self,
        logits: TensorLike | None = None,
        probs: TensorLike | None = None,
        dtype: DTypeLike = dtypes.int32,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Categorical",
    ) -> None:
        parameters = dict(locals())
        with ops.name_scope(name, values=[logits, probs]) as name:
            self._logits, self._probs = util.get_logits_and_probs(
                logits, probs, True, validate_args, name
            )
            if validate_args:
                self._logits = util.embed_check_categorical_event_shape(self._logits)
            self._take_shapes()
        super().__init__(
            dtype,
            distribution.NOT_REPARAMETERIZED,
            validate_args,
            allow_nan_stats,
            parameters,
            [self._logits, self._probs],
            name,
        )

    def _take_shapes(self) -> None:
        """Makes tensors of the rank and the shape of the batch, and of the number of classes."""
        known = self._logits.get_shape().with_rank_at_least(1)
        self._batch_rank = (
            array_ops.rank(self._logits) - 1
            if known.ndims is None
            else ops.convert_to_tensor(known.ndims - 1, dtypes.int32, "batch_rank")
        )
        shape = array_ops.shape(self._logits, name="logits_shape")
        classes = None if known.ndims is None else known[-1].value
        self._event_size = (
            shape[self._batch_rank]
            if classes is None
            else ops.convert_to_tensor(classes, dtypes.int32, "event_size")
        )
        batch = known[:-1]
        self._batch_shape_val = (
            constant_op.constant(batch.as_list(), dtypes.int32, name="batch_shape")
            if batch.is_fully_defined()
            else shape[:-1]
        )

    @staticmethod
    def _param_shapes(sample_shape: Any) -> dict[str, ops.Tensor]:
        return {"logits": ops.convert_to_tensor(sample_shape, dtypes.int32)}

    @property
    def event_size(self) -> ops.Tensor:
        """The number of classes: int32 []."""
        return self._event_size

    @property
    def logits(self) -> ops.Tensor:
        """Logs of the probabilities, up to a constant of each distribution."""
        return self._logits

    @property
    def probs(self) -> ops.Tensor:
        """The probability of each class: batch shape + [classes]."""
        return self._probs

    def _batch_shape(self) -> Any:
        return self.logits.get_shape()[:-1]

    def _batch_shape_tensor(self) -> ops.Tensor:
        return self._batch_shape_val

    def _event_shape(self) -> Any:
        return tensor_shape.TensorShape([])

    def _event_shape_tensor(self) -> ops.Tensor:
        return ops.convert_to_tensor([], dtypes.int32)

    def _sample_n(self, n: ops.Tensor, seed: int | None) -> ops.Tensor:
        rows = self.logits
        if rows.get_shape().ndims != 2:
            rows = array_ops.reshape(rows, [-1, self.event_size])
        wide = dtypes.int64 if self.dtype.size > 4 else dtypes.int32
        draws = random_ops.multinomial(rows, n, seed, output_dtype=wide)
        shape = self._shape_of_draws(n)
        draws = array_ops.reshape(array_ops.transpose(draws), shape)
        return math_ops.cast(draws, self.dtype)

    def _broadcast(self, k: ops.Tensor, rows: ops.Tensor) -> tuple[Any, Any]:
        """Classes and rows of one batch: [...] int32 or int64 and [..., classes]."""
        if self.validate_args:
            k = util.embed_check_integer_casting_closed(k, dtypes.int32)
        if not k.dtype.is_integer:
            k = math_ops.cast(k, dtypes.int32)
        shape = array_ops.broadcast_dynamic_shape(
            array_ops.shape(k), array_ops.shape(rows)[:-1]
        )
        known = array_ops.broadcast_static_shape(k.get_shape(), rows.get_shape()[:-1])
        k = array_ops.broadcast_to(k, shape)
        k.set_shape(known)
        rows = array_ops.broadcast_to(
            rows, array_ops.concat([shape, array_ops.shape(rows)[-1:]], 0)
        )
        rows.set_shape(known.concatenate(self.logits.get_shape()[-1:]))
        return k, rows

    def _log_prob(self, k: ops.Tensor) -> ops.Tensor:
        k, logits = self._broadcast(k, self.logits)
        return -nn_ops.sparse_softmax_cross_entropy_with_logits(labels=k, logits=logits)

    def _cdf(self, k: ops.Tensor) -> ops.Tensor:
        """P(X < k), as TensorFlow's."""
        k, probs = self._broadcast(k, self.probs)
        classes = math_ops.cast(math_ops.range(self.event_size), k.dtype)
        below = math_ops.less(classes, array_ops.expand_dims(k, -1))
        probs = array_ops.where(below, probs, array_ops.zeros_like(probs))
        return math_ops.reduce_sum(probs, -1)

    def _entropy(self) -> ops.Tensor:
        return -_expected(nn_ops.log_softmax(self.logits), self.probs)

    def _mode(self) -> ops.Tensor:
        return math_ops.cast(math_ops.argmax(self.logits, axis=-1), self.dtype)


def _expected(values: ops.Tensor, probs: ops.Tensor) -> ops.Tensor:
    """The expected value over the classes; a class that never occurs may have an infinite one."""
    return math_ops.reduce_sum(math_ops_safe.multiply_no_nan(values, probs), -1)


@kullback_leibler.RegisterKL(Categorical, Categorical)
def _kl_categorical_categorical(
    a: Categorical, b: Categorical, name: str | None = None
) -> ops.Tensor:
    """The sum of p log(p / q)."""
    with ops.name_scope(name, "kl_categorical_categorical", [a.logits, b.logits]):
        log_ratio = nn_ops.log_softmax(a.logits) - nn_ops.log_softmax(b.logits)
        return _expected(log_ratio, nn_ops.softmax(a.logits))
