# SPDX-License-Identifier: Apache-2.0
"""Rows of tensors, each more or less often."""

from __future__ import annotations

from collections.abc import Sequence

from tensorwright.python.framework import dtypes, ops
from tensorwright.python.framework.type_aliases import ScopeLike, TensorLike
from tensorwright.python.ops import (
    array_ops,
    init_ops,
    math_ops,
    random_ops,
    variable_scope,
)
from tensorwright.python.training import moving_averages

__all__ = ["resample_at_rate", "weighted_resample"]


def _repeated(counts: ops.Tensor) -> ops.Tensor:
    """[2, 0, 1] -> [0, 0, 2]: each place as often as its count."""
    ends = math_ops.cumsum(counts)
    places = math_ops.range(math_ops.reduce_sum(counts))
    return math_ops.reduce_sum(
        math_ops.cast(places[:, None] >= ends[None, :], dtypes.int32), 1
    )


def resample_at_rate(
    inputs: Sequence[TensorLike],
    rates: TensorLike,
    scope: str | None = None,
    seed: int | None = None,
    back_prop: bool = False,
) -> list[ops.Tensor]:
    """Each row as often as its rate says: so often without the fraction, and with the probability of that once more.

    Args:
        inputs: tensors [n, ...].
        rates: [n], not negative.
        scope: the scope of the ops.
        seed: the seed of the choice.
        back_prop: whether gradients go through.

    Returns:
        Tensors [m, ...], m another one in each run, with the rows in their order.
    """
    with ops.name_scope(scope, "resample_at_rate", [*inputs, rates]):
        rates = ops.convert_to_tensor(rates, name="rates")
        noise = random_ops.random_uniform(
            array_ops.shape(rates), dtype=rates.dtype.base_dtype, seed=seed
        )
        counts = math_ops.cast(math_ops.floor(rates + noise), dtypes.int32)
        chosen = _repeated(math_ops.maximum(counts, 0))
        found = [array_ops.gather(x, chosen) for x in inputs]
        return found if back_prop else [array_ops.stop_gradient(x) for x in found]


def weighted_resample(
    inputs: Sequence[TensorLike],
    weights: TensorLike,
    overall_rate: TensorLike,
    scope: ScopeLike | None = None,
    mean_decay: float = 0.999,
    seed: int | None = None,
) -> tuple[list[ops.Tensor], ops.Tensor]:
    """Rows at rates in proportion to their weights, one of the mean weight at `overall_rate`.

    Args:
        inputs: tensors [n, ...].
        weights: [n].
        overall_rate: about how many rows come out for each that goes in.
        scope: the scope of the variables.
        mean_decay: the decay of the moving average of weights.
        seed: the seed of the choice.

    Returns:
        Tensors [m, ...], and the rate of each row that is there [m].
    """
    with variable_scope.variable_scope(scope, "weighted_resample", list(inputs)):
        weights = ops.convert_to_tensor(weights)
        mean = variable_scope.get_variable(
            "estimate_mean",
            shape=[],
            dtype=weights.dtype.base_dtype,
            initializer=init_ops.zeros_initializer(),
            trainable=False,
        )
        average = moving_averages.assign_moving_average(
            mean, math_ops.reduce_mean(weights), mean_decay, zero_debias=True
        )
        positive = average > 0
        safe = array_ops.where(positive, average, array_ops.ones_like(average))
        rates = weights * (math_ops.cast(overall_rate, weights.dtype) / safe)
        found = resample_at_rate([rates, *inputs], rates, seed=seed, back_prop=False)
        return found[1:], found[0]
