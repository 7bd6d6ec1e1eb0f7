# SPDX-License-Identifier: Apache-2.0
"""Cells whose gates mix the state with new values: UGRNNCell, IntersectionRNNCell."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorwright.contrib.rnn.python.ops._linear import (
    initialized_by,
    last_size,
    linear,
)
from tensorwright.python.framework.type_aliases import InitializerLike, TensorTree
from tensorwright.python.ops import (
    array_ops,
    math_ops,
    nn_ops,
    variable_scope as vs,
)
from tensorwright.python.ops.rnn_cell_impl import RNNCell


class _VectorStateCell(RNNCell):
    """A cell whose output and state are [batch, num_units]."""

    def __init__(self, num_units: int, reuse: bool | None):
        super().__init__(_reuse=reuse)
        self._num_units = num_units

    @property
    def state_size(self) -> int:
        return self._num_units

    @property
    def output_size(self) -> int:
        return self._num_units


class UGRNNCell(_VectorStateCell):
    """Update gate RNN (Collins et al. 2017): state = g state + (1 - g) c, with [g, c] = W [inputs, state] + b.

    Args:
        num_units: size of output and state.
        initializer: the initializer of the kernel; the scope's default if absent.
        forget_bias: added to g before its sigmoid, so that the state is kept at first.
        activation: the activation of c.
        reuse: whether the variables are to be found, not made.
    """

    def __init__(
        self,
        num_units: int,
        initializer: InitializerLike | None = None,
        forget_bias: float = 1.0,
        activation: Callable = math_ops.tanh,
        reuse: bool | None = None,
    ):
        super().__init__(num_units, reuse)
        self._initializer = initializer
        self._forget_bias = forget_bias
        self._activation = activation

    def call(self, inputs: TensorTree, state: TensorTree) -> tuple:
        """(next state, next state)."""
        last_size(inputs)
        with initialized_by(self._initializer):
            both = linear([inputs, state], 2 * self._num_units, True)
        gate, candidate = array_ops.split(both, 2, axis=1)
        g = math_ops.sigmoid(gate + self._forget_bias)
        new = g * state + (1.0 - g) * self._activation(candidate)
        return new, new


class IntersectionRNNCell(_VectorStateCell):
    """Intersection RNN (Collins et al. 2017): one gate mixes state and candidate, another inputs and output.

    With [gh, h, gy, y] = W [inputs, state] + b: state = gh state + (1 - gh) tanh(h), and the output is
    gy inputs + (1 - gy) y_activation(y).

    Args:
        num_units: size of output, state and inputs.
        num_in_proj: set it to `num_units` where inputs have another size: they are multiplied by a matrix then.
        initializer: the initializer of the kernels; the scope's default if absent.
        forget_bias: added to both gates before their sigmoid.
        y_activation: the activation of y.
        reuse: whether the variables are to be found, not made.

    A call raises ValueError where inputs have another size than `num_units` and are not projected.
    """

    def __init__(
        self,
        num_units: int,
        num_in_proj: int | None = None,
        initializer: InitializerLike | None = None,
        forget_bias: float = 1.0,
        y_activation: Callable = nn_ops.relu,
        reuse: bool | None = None,
    ):
        super().__init__(num_units, reuse)
        self._num_in_proj = num_in_proj
        self._initializer = initializer
        self._forget_bias = forget_bias
        self._y_activation = y_activation

    def call(self, inputs: TensorTree, state: TensorTree) -> tuple:
        """(outputs, next state)."""
        n = self._num_units
        with initialized_by(self._initializer):
            inputs = self._projected(inputs)
            parts: Any = linear([inputs, state], 4 * n, True)
        gh, h, gy, y = array_ops.split(parts, 4, axis=1)
        gh = math_ops.sigmoid(gh + self._forget_bias)
        gy = math_ops.sigmoid(gy + self._forget_bias)
        new_state = gh * state + (1.0 - gh) * math_ops.tanh(h)
        return gy * inputs + (1.0 - gy) * self._y_activation(y), new_state

    def _projected(self, inputs: Any) -> Any:
        if last_size(inputs) == self._num_units:
            return inputs
        if not self._num_in_proj:
            raise ValueError(
                f"IntersectionRNNCell: inputs must have the size {self._num_units} of "
                f"the output, got {last_size(inputs)}; set num_in_proj to project them"
            )
        with vs.variable_scope("in_projection"):
            return linear(inputs, self._num_units, True)
