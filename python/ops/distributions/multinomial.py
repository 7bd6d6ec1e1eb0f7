# SPDX-License-Identifier: Apache-2.0
"""The multinomial distribution."""

from __future__ import annotations

from typing import Any

from tensorwright.python.framework import dtypes, ops
from tensorwright.python.framework.type_aliases import DTypeLike, TensorLike
from tensorwright.python.ops import array_ops, check_ops, math_ops, nn_ops, random_ops
from tensorwright.python.ops._math import math_ops_safe
from tensorwright.python.ops.distributions import distribution, util


class Multinomial(distribution.Distribution):
    """Counts of the classes in `total_count` draws: [k] floats that add up to it.

    total_count: floats without a fraction, broadcast against the batch.  logits or probs: as Categorical's, batch shape +
    [k].
    """

    def __init__(
        self,
        total_count: TensorLike,
        logits: TensorLike | None = None,
        probs: TensorLike | None = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "Multinomial",
    ) -> None:
        parameters = dict(locals())
        with ops.name_scope(name, values=[total_count, logits, probs]) as name:
            self._total_count = ops.convert_to_tensor(total_count, name="total_count")
            if validate_args:
                self._total_count = util.embed_check_nonnegative_integer_form(
                    self._total_count
                )
            self._logits, self._probs = util.get_logits_and_probs(
                logits, probs, True, validate_args, name
            )
            self._mean_val = (
                array_ops.expand_dims(
                    math_ops.cast(self._total_count, self._probs.dtype), -1
                )
                * self._probs
            )
        super().__init__(
            self._probs.dtype.base_dtype,
            distribution.NOT_REPARAMETERIZED,
            validate_args,
            allow_nan_stats,
            parameters,
            [self._total_count, self._logits, self._probs],
            name,
        )

    @property
    def total_count(self) -> ops.Tensor:
        """The number of draws."""
        return self._total_count

    @property
    def logits(self) -> ops.Tensor:
        """Logs of the probabilities, up to a constant of each distribution."""
        return self._logits

    @property
    def probs(self) -> ops.Tensor:
        """The probability of each class in one draw."""
        return self._probs

    def _batch_shape(self) -> Any:
        return self._mean_val.get_shape().with_rank_at_least(1)[:-1]

    def _batch_shape_tensor(self) -> ops.Tensor:
        return array_ops.shape(self._mean_val)[:-1]

    def _event_shape(self) -> Any:
        return self._mean_val.get_shape().with_rank_at_least(1)[-1:]

    def _event_shape_tensor(self) -> ops.Tensor:
        return array_ops.shape(self._mean_val)[-1:]

    def _sample_n(self, n: ops.Tensor, seed: int | None) -> ops.Tensor:
        """Draws of classes for the largest of the counts; those behind a smaller one do not count."""
        batch, classes = self.batch_shape_tensor(), self.event_shape_tensor()[0]
        rows = array_ops.broadcast_to(self.logits, array_ops.shape(self._mean_val))
        rows = array_ops.reshape(rows, [-1, classes])
        counts = array_ops.broadcast_to(
            math_ops.cast(self.total_count, dtypes.int32), batch
        )
        counts = array_ops.reshape(counts, [-1, 1, 1])
        distributions = array_ops.size(counts)
        most = math_ops.maximum(math_ops.reduce_max(counts), 0)
        draws = random_ops.multinomial(rows, n * most, seed, output_dtype=dtypes.int32)
        draws = array_ops.reshape(draws, [distributions, n, most])
        # Samples first.
        draws = array_ops.reshape(array_ops.transpose(draws, [1, 0, 2]), [-1, most])
        counts = array_ops.tile(array_ops.reshape(counts, [-1]), n[None])
        totals = counted(draws, counts, classes, self.dtype)
        return array_ops.reshape(totals, array_ops.concat([[n], batch, [classes]], 0))

    def _log_prob(self, counts: ops.Tensor) -> ops.Tensor:
        counts = self._checked(counts)
        likelihood = math_ops.reduce_sum(
            math_ops_safe.multiply_no_nan(nn_ops.log_softmax(self.logits), counts), -1
        )
        return likelihood + util.log_combinations(
            math_ops.cast(self.total_count, self.dtype), counts
        )

    def _checked(self, counts: ops.Tensor) -> ops.Tensor:
        if not self.validate_args:
            return counts
        counts = util.embed_check_nonnegative_integer_form(counts)
        check = check_ops.assert_equal(
            math_ops.cast(self.total_count, self.dtype),
            math_ops.reduce_sum(counts, -1),
            message="counts must sum to `self.total_count`",
        )
        with ops.control_dependencies([check]):
            return array_ops.identity(counts)

    def _mean(self) -> ops.Tensor:
        return array_ops.identity(self._mean_val)

    def _variance(self) -> ops.Tensor:
        return self._mean_val * (1 - self.probs)

    def _covariance(self) -> ops.Tensor:
        """-n p_i p_j, and n p_i (1 - p_i) on the diagonal."""
        probs = self.probs * array_ops.ones_like(self._mean_val)
        products = math_ops.matmul(
            array_ops.expand_dims(self._mean_val, -1), array_ops.expand_dims(probs, -2)
        )
        return array_ops.matrix_set_diag(-products, self._variance())


def counted(
    draws: ops.Tensor, counts: ops.Tensor, classes: ops.Tensor, dtype: DTypeLike
) -> ops.Tensor:
    """Counts the classes of a row's first draws: draws int32 [rows, most], counts int32 [rows] -> [rows, classes]."""
    rows, most = array_ops.shape(draws)[0], array_ops.shape(draws)[1]
    # A number for each class of each row.
    place = math_ops.range(rows)[:, None] * classes + draws
    counts_here = math_ops.less(math_ops.range(most), counts[:, None])
    totals = math_ops.unsorted_segment_sum(
        math_ops.cast(counts_here, dtype), place, rows * classes
    )
    return array_ops.reshape(totals, array_ops.stack([rows, classes]))
