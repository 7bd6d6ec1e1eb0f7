# SPDX-License-Identifier: Apache-2.0
"""Losses whose gradients are those of an expectation over samples, by the score (Williams 1992)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tensorwright.contrib.bayesflow.python.ops import csiszar_divergence
from tensorwright.python.framework import ops
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import array_ops, init_ops, math_ops, variable_scope
from tensorwright.python.training import moving_averages

if TYPE_CHECKING:
    from tensorwright.contrib.bayesflow.python.ops.stochastic_tensor import (
        StochasticTensor,
    )


__all__ = [
    "get_mean_baseline",
    "get_score_function_with_advantage",
    "get_score_function_with_baseline",
    "get_score_function_with_constant_baseline",
    "get_vimco_advantage_fn",
    "score_function",
]

# A function of (a StochasticTensor, its value, the loss that it influences).
Estimator = Callable[[Any, Any, Any], Any]


def score_function(
    stochastic_tensor: StochasticTensor,
    value: TensorLike,
    loss: TensorLike,
    baseline: Any = None,
    name: str = "ScoreFunction",
) -> ops.Tensor:
    """log p(value) (loss - baseline), in which gradients go through log p alone.

    Args:
        stochastic_tensor: has the distribution.
        value: its sample.
        loss: the loss that the value influences, of the shape of the logarithms or one that broadcasts.
        baseline: None: 0.
        name: the name of the operations.
    """
    with ops.name_scope(name):
        advantage = loss if baseline is None else loss - baseline
        advantage = array_ops.stop_gradient(advantage)
        return stochastic_tensor.distribution.log_prob(value) * advantage


def get_score_function_with_advantage(
    advantage_fn: Estimator | None = None, name: str = "ScoreFunctionWithAdvantage"
) -> Estimator:
    """Makes a score function with the result of `advantage_fn` in the place of the loss; None: the loss."""

    def estimator(stochastic_tensor: Any, value: Any, loss: Any) -> ops.Tensor:
        with ops.name_scope(name):
            advantage = loss
            if advantage_fn is not None:
                advantage = advantage_fn(stochastic_tensor, value, loss)
            return score_function(stochastic_tensor, value, advantage)

    return estimator


def get_score_function_with_constant_baseline(
    baseline: float, name: str = "ScoreFunction"
) -> Estimator:
    """A score function of the loss less a number."""

    def estimator(stochastic_tensor: Any, value: Any, loss: Any) -> ops.Tensor:
        return score_function(stochastic_tensor, value, loss, baseline, name)

    return estimator


def get_score_function_with_baseline(
    baseline_fn: Estimator | None = None, name: str = "ScoreFunction"
) -> Estimator:
    """Makes a score function of the loss less the result of `baseline_fn`; None: `get_mean_baseline()`."""
    made = get_mean_baseline() if baseline_fn is None else baseline_fn

    def estimator(stochastic_tensor: Any, value: Any, loss: Any) -> ops.Tensor:
        baseline = made(stochastic_tensor, value, loss)
        return score_function(stochastic_tensor, value, loss, baseline, name)

    return estimator


def get_mean_baseline(ema_decay: float = 0.99, name: str | None = None) -> Estimator:
    """A baseline that is the moving average of the loss' mean."""

    def baseline(stochastic_tensor: Any, value: Any, loss: Any) -> ops.Tensor:
        del stochastic_tensor, value
        with variable_scope.variable_scope(name, "MeanBaseline"):
            mean = math_ops.reduce_mean(loss)
            average = variable_scope.get_variable(
                "average",
                shape=[],
                dtype=mean.dtype,
                initializer=init_ops.zeros_initializer(),
                trainable=False,
            )
            return moving_averages.assign_moving_average(
                average, array_ops.stop_gradient(mean), ema_decay
            )

    return baseline


def get_vimco_advantage_fn(have_log_loss: bool = False) -> Estimator:
    """An advantage that compares each sample with the others (Mnih and Rezende 2016).

    Args:
        have_log_loss: whether losses are logarithms.

    The loss has a sample in each place of its first axis, of which there are at least 2.
    """

    def advantage(stochastic_tensor: Any, value: Any, loss: Any) -> ops.Tensor:
        del stochastic_tensor, value
        logs = loss if have_log_loss else math_ops.log(loss)
        mean, swapped = csiszar_divergence.csiszar_vimco_helper(logs)
        return mean - swapped

    return advantage
