# SPDX-License-Identifier: Apache-2.0
"""Batch renormalisation (Ioffe 2017): training normalises towards the moving averages."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorwright.python.framework import ops
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.layers import utils
from tensorwright.python.ops import (
    array_ops,
    init_ops,
    math_ops,
)
from tensorwright.python.training import moving_averages

_BOUNDS = ("rmin", "rmax", "dmax")


class Renorm:
    """Moving averages of mean and deviation, and the correction that they ask for.

    An average starts at 0 and so does its weight; until the weight is 1, the batch makes up the rest.

    Args:
        clipping: bounds "rmin", "rmax" and "dmax"; none by default.
        momentum: the momentum of the averages.
        epsilon: added to the variance.
    """

    def __init__(self, clipping: dict | None, momentum: TensorLike, epsilon: float):
        self._clipping = dict(clipping or {})
        unknown = sorted(set(self._clipping) - set(_BOUNDS))
        if unknown:
            raise ValueError(
                f"renorm_clipping {clipping} contains keys not in {_BOUNDS}"
            )
        self._momentum = momentum
        self._epsilon = epsilon

    def build(self, add: Callable[..., Any]) -> None:
        """Makes the variables by `add(name, initializer, shape=None)`."""
        zeros = init_ops.zeros_initializer()
        self._mean = add("renorm_mean", zeros)
        self._mean_weight = add("renorm_mean_weight", zeros, ())
        self._deviation = add("renorm_stddev", zeros)
        self._deviation_weight = add("renorm_stddev_weight", zeros, ())

    def correct(
        self, mean: ops.Tensor, variance: ops.Tensor, training: bool | TensorLike
    ) -> tuple:
        """Returns (r, d, mean, variance) for a batch.

        Normalised values x become r x + d, and the layer's averages move to mean and variance.
        Outside training, r is 1 and d is 0.
        """
        deviation = math_ops.sqrt(variance + self._epsilon)
        mixed_mean = self._mean + (1.0 - self._mean_weight) * mean
        mixed = self._deviation + (1.0 - self._deviation_weight) * deviation
        ratio = deviation / mixed
        shift = (mean - mixed_mean) / mixed
        # The averages move after they were read.
        with ops.control_dependencies([ratio, shift]):
            mean, deviation = array_ops.identity(mean), array_ops.identity(deviation)
        low, high, most = (self._clipping.get(key) for key in _BOUNDS)
        ratio = _clipped(ratio, low, high)
        shift = _clipped(shift, None if most is None else -most, most)
        ratio, shift = utils.smart_cond(
            training,
            lambda: [array_ops.identity(ratio), array_ops.identity(shift)],
            lambda: [array_ops.ones_like(ratio), array_ops.zeros_like(shift)],
        )
        new_mean = self._moved(self._mean, self._mean_weight, mean, training)
        new_deviation = self._moved(
            self._deviation, self._deviation_weight, deviation, training
        )
        return (
            array_ops.stop_gradient(ratio),
            array_ops.stop_gradient(shift),
            new_mean,
            math_ops.square(new_deviation) - self._epsilon,
        )

    def _moved(self, average: Any, weight: Any, value: Any, training: Any) -> Any:
        """Moves an average in training, and returns its value then."""

        def move() -> ops.Tensor:
            new = moving_averages.assign_moving_average(
                average, value, self._momentum, zero_debias=False
            )
            one = math_ops.cast(1.0, weight.dtype.base_dtype)
            new_weight = moving_averages.assign_moving_average(
                weight, one, self._momentum, zero_debias=False
            )
            return new / new_weight

        return utils.smart_cond(training, move, lambda: array_ops.identity(value))


def _clipped(x: Any, low: Any, high: Any) -> Any:
    if low is not None:
        x = math_ops.maximum(x, low)
    return x if high is None else math_ops.minimum(x, high)
