# SPDX-License-Identifier: Apache-2.0
"""NASCell, which a search found, and PhasedLSTMCell, whose units open in the rhythm of a clock."""

from __future__ import annotations

import math
from typing import Any

from tensorwright.contrib.rnn.python.ops._linear import (
    last_size,
    linear,
    zeros_variable,
)
from tensorwright.contrib.rnn.python.ops._rnn_cell_lstm import _MemoryCell
from tensorwright.python.framework import dtypes, ops
from tensorwright.python.framework.type_aliases import TensorTree
from tensorwright.python.ops import (
    array_ops,
    init_ops,
    math_ops,
    nn_ops,
    random_ops,
    variable_scope as vs,
)
from tensorwright.python.ops.rnn_cell_impl import LSTMStateTuple


class NASCell(_MemoryCell):
    """The recurrent cell of neural architecture search (Zoph and Le 2016): a tree over eight pairs of inputs and h.

    Args:
        num_units: size of c.
        num_proj: size of h, which is multiplied by a matrix then.
        use_biases: whether the eight have a bias.
        reuse: whether the variables are to be found, not made.
    """

    def __init__(
        self,
        num_units: int,
        num_proj: int | None = None,
        use_biases: bool = False,
        reuse: bool | None = None,
    ):
        super().__init__(num_units, num_proj, reuse)
        self._use_biases = use_biases

    def _products(self, inputs: Any, h: Any) -> list:
        """Eight pairs (of inputs, of h), [batch, num_units] each."""
        dtype, columns = inputs.dtype.base_dtype, 8 * self._num_units
        of_h = vs.get_variable("recurrent_kernel", [self.output_size, columns], dtype)
        of_inputs = vs.get_variable("kernel", [last_size(inputs), columns], dtype)
        mine = math_ops.matmul(h, of_h)
        if self._use_biases:
            mine = nn_ops.bias_add(mine, zeros_variable("bias", columns, dtype))
        theirs = math_ops.matmul(inputs, of_inputs)
        return list(
            zip(
                array_ops.split(theirs, 8, axis=1),
                array_ops.split(mine, 8, axis=1),
                strict=True,
            )
        )

    def call(self, inputs: TensorTree, state: TensorTree) -> tuple:
        """(h, next state)."""
        sigmoid, tanh, relu = math_ops.sigmoid, math_ops.tanh, nn_ops.relu
        c, h = state
        pairs = self._products(inputs, h)
        sums = [x + y for x, y in pairs]
        x3, y3 = pairs[3]
        left = tanh(sigmoid(sums[0]) * relu(sums[1])) + c
        c = tanh(left) * tanh(sigmoid(sums[2]) + relu(x3 * y3))
        right = tanh(tanh(sums[4]) * sigmoid(sums[5]))
        right = tanh(right + sigmoid(tanh(sums[6]) + sigmoid(sums[7])))
        h = tanh(c * right)
        if self._num_proj is not None:
            shape = [self._num_units, self._num_proj]
            projection = vs.get_variable(
                "projection_weights", shape, inputs.dtype.base_dtype
            )
            h = math_ops.matmul(h, projection)
        return h, LSTMStateTuple(c, h)


def _random_exp(low: float, high: float) -> Any:
    """Numbers whose logarithms are uniform over [log(low), log(high))."""

    def initializer(shape: Any, dtype: Any = dtypes.float32, **_: Any) -> ops.Tensor:
        uniform = random_ops.random_uniform(
            shape, math.log(low), math.log(high), dtype=dtype
        )
        return math_ops.exp(uniform)

    return initializer


class PhasedLSTMCell(_MemoryCell):
    """LSTM whose units open and close periodically in time (Neil et al. 2016).

    Inputs are a pair (times [batch, 1] float32 or float64, features [batch, n]).  Every unit has a period, a phase and
    the share of the period in which it is open; while it is closed its state stays, but for a leak.

    Args:
        num_units: size of c and h.
        use_peepholes: whether the gates see c.
        leak: how far a closed unit opens, for each period.
        ratio_on: the share of the period in which a unit is open at first.
        trainable_ratio_on: whether it is trained.
        period_init_min, period_init_max: between these the periods are drawn, uniformly in their logarithm.
        reuse: whether the variables are to be found, not made.
    """

    def __init__(
        self,
        num_units: int,
        use_peepholes: bool = False,
        leak: float = 0.001,
        ratio_on: float = 0.1,
        trainable_ratio_on: bool = True,
        period_init_min: float = 1.0,
        period_init_max: float = 1000.0,
        reuse: bool | None = None,
    ):
        super().__init__(num_units, None, reuse)
        self._use_peepholes = use_peepholes
        self._leak = leak
        self._ratio_on = ratio_on
        self._trainable_ratio_on = trainable_ratio_on
        self._period_range = period_init_min, period_init_max

    def _openness(self, time: Any, dtype: Any) -> ops.Tensor:
        """How far each unit is open at `time`, [batch, num_units]."""
        n = self._num_units
        period = vs.get_variable(
            "period", [n], dtype, initializer=_random_exp(*self._period_range)
        )

        def first_phase(shape: Any, dtype: Any = dtype, **_: Any) -> ops.Tensor:
            return random_ops.random_uniform(shape, dtype=dtype) * period.initial_value

        phase = vs.get_variable("phase", [n], dtype, initializer=first_phase)
        ratio_on = vs.get_variable(
            "ratio_on",
            [n],
            dtype,
            initializer=init_ops.constant_initializer(self._ratio_on),
            trainable=self._trainable_ratio_on,
        )
        # The subtraction has the precision of time, which may be large.
        shifted = time - math_ops.cast(phase, time.dtype)
        rhythm = math_ops.cast(period, time.dtype)
        # The derivative of a remainder by the dividend is 1.
        remainder = shifted + array_ops.stop_gradient(
            math_ops.floormod(shifted, rhythm) - shifted
        )
        cycle = math_ops.cast(remainder / rhythm, dtype)
        rising = 2.0 * cycle / ratio_on
        is_open = array_ops.where(cycle < ratio_on, 2.0 - rising, self._leak * cycle)
        return array_ops.where(cycle < 0.5 * ratio_on, rising, is_open)

    def call(self, inputs: TensorTree, state: TensorTree) -> tuple:
        """(h, next state)."""
        n = self._num_units
        time, x = inputs
        c, h = state
        with vs.variable_scope("mask_gates"):
            gates = linear([x, h] + [c] * self._use_peepholes, 2 * n, True)
        i, f = array_ops.split(math_ops.sigmoid(gates), 2, axis=1)
        with vs.variable_scope("new_input"):
            new = math_ops.tanh(linear([x, h], n, True))
        new_c = c * f + i * new
        with vs.variable_scope("output_gate"):
            o = linear([x, h] + [new_c] * self._use_peepholes, n, True)
        new_h = math_ops.tanh(new_c) * math_ops.sigmoid(o)
        k = self._openness(time, x.dtype.base_dtype)
        new_c = k * new_c + (1.0 - k) * c
        new_h = k * new_h + (1.0 - k) * h
        return new_h, LSTMStateTuple(new_c, new_h)
