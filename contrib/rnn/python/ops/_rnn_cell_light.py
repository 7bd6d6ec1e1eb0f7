# SPDX-License-Identifier: Apache-2.0
"""Cells whose units see of the state their own element only, or little more: fewer weights, faster steps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorwright.python.framework import ops
from tensorwright.python.framework.type_aliases import (
    DTypeLike,
    InitializerLike,
    ShapeLike,
    TensorTree,
)
from tensorwright.python.layers import base
from tensorwright.python.ops import array_ops, init_ops, math_ops, nn_ops
from tensorwright.python.ops._rnn.rnn_cell_base import LayerRNNCell
from tensorwright.python.ops._rnn.rnn_cell_basic import affine, input_size
from tensorwright.python.ops.rnn_cell_impl import LSTMStateTuple

_ZEROS, _ONES = init_ops.zeros_initializer(), init_ops.ones_initializer()


class _LightCell(LayerRNNCell):
    """A cell of `num_units`, with an activation that is tanh by default."""

    def __init__(
        self,
        num_units: int,
        activation: Callable | None = None,
        reuse: bool | None = None,
        name: str | None = None,
        dtype: DTypeLike | None = None,
        **kwargs: Any,
    ):
        super().__init__(_reuse=reuse, name=name, dtype=dtype, **kwargs)
        self.input_spec = base.InputSpec(ndim=2)
        self._num_units = num_units
        self._activation = activation or math_ops.tanh

    @property
    def state_size(self) -> Any:
        return self._num_units

    @property
    def output_size(self) -> int:
        return self._num_units

    def _own(self, prefix: str, rows: int, columns: int, initializer: Any) -> tuple:
        """(kernel of the inputs [rows, columns], of each unit's own element [1, columns])."""
        w = self.add_variable(
            f"{prefix}kernel_w", shape=[rows, columns], initializer=initializer
        )
        u = self.add_variable(
            f"{prefix}kernel_u",
            shape=[1, columns],
            initializer=initializer or init_ops.random_uniform_initializer(-1, 1, dtype=self.dtype),
        )  # fmt: skip
        return w, u


def _own_sum(inputs: Any, state: Any, w: Any, u: Any, bias: Any) -> ops.Tensor:
    return nn_ops.bias_add(math_ops.matmul(inputs, w) + state * u, bias)


class SRUCell(_LightCell):
    """Simple recurrent unit (Lei et al. 2017): c = f c + (1 - f) W x, output = r activation(c) + (1 - r) V x.

    The gates f and r are sigmoids of the inputs alone.

    Args:
        num_units: size of output and state.
        activation: tanh if absent.
        reuse: whether the variables are to be found, not made.
        name: the name of its scope.
    """

    def build(self, inputs_shape: ShapeLike) -> None:
        size = input_size(inputs_shape)
        self._kernel = self.add_variable("kernel", shape=[size, 4 * self._num_units])
        self._bias = self.add_variable(
            "bias", shape=[2 * self._num_units], initializer=_ZEROS
        )
        self.built = True

    def call(self, inputs: TensorTree, state: TensorTree) -> tuple:
        """(outputs, next state)."""
        new, f, r, passed = array_ops.split(
            math_ops.matmul(inputs, self._kernel), 4, axis=1
        )
        gates = nn_ops.bias_add(array_ops.concat([f, r], 1), self._bias)
        f, r = array_ops.split(math_ops.sigmoid(gates), 2, axis=1)
        c = f * state + (1.0 - f) * new
        return r * self._activation(c) + (1.0 - r) * passed, c


class IndRNNCell(_LightCell):
    """Independently recurrent cell (Li et al. 2018): output = state = activation(W inputs + u state + b).

    Each unit sees its own element of the state.  Arguments as for `SRUCell`, and:

    Args:
        dtype: the dtype of its variables; that of the first inputs if absent.
    """

    def build(self, inputs_shape: ShapeLike) -> None:
        n = self._num_units
        self._w, self._u = self._own("", input_size(inputs_shape), n, None)
        self._bias = self.add_variable("bias", shape=[n], initializer=_ZEROS)
        self.built = True

    def call(self, inputs: TensorTree, state: TensorTree) -> tuple:
        """(next state, next state)."""
        new = self._activation(_own_sum(inputs, state, self._w, self._u, self._bias))
        return new, new


class IndyGRUCell(_LightCell):
    """A GRU whose units see their own element of the state each (Gonnet and Deselaers 2019).

    Args:
        num_units: size of output and state.
        activation: tanh if absent.
        reuse: whether the variables are to be found, not made.
        kernel_initializer: the initializer of all kernels; by default the scope's, and uniform in [-1, 1) for
            those of the state.
        bias_initializer: the initializer of both biases; if absent 1 for the gates and 0.
        name: the name of its scope.
        dtype: the dtype of its variables; that of the first inputs if absent.
    """

    def __init__(
        self,
        num_units: int,
        activation: Callable | None = None,
        reuse: bool | None = None,
        kernel_initializer: InitializerLike | None = None,
        bias_initializer: InitializerLike | None = None,
        name: str | None = None,
        dtype: DTypeLike | None = None,
    ):
        super().__init__(num_units, activation, reuse, name, dtype)
        self._kernel_initializer = kernel_initializer
        self._bias_initializer = bias_initializer

    def build(self, inputs_shape: ShapeLike) -> None:
        rows, n = input_size(inputs_shape), self._num_units
        given = self._kernel_initializer, self._bias_initializer
        self._gates = (
            *self._own("gates/", rows, 2 * n, given[0]),
            self.add_variable("gates/bias", shape=[2 * n], initializer=given[1] or _ONES),
        )  # fmt: skip
        self._candidate = (
            *self._own("candidate/", rows, n, given[0]),
            self.add_variable("candidate/bias", shape=[n], initializer=given[1] or _ZEROS),
        )  # fmt: skip
        self.built = True

    def call(self, inputs: TensorTree, state: TensorTree) -> tuple:
        """(next state, next state)."""
        twice = array_ops.tile(state, [1, 2])
        gates = math_ops.sigmoid(_own_sum(inputs, twice, *self._gates))
        r, u = array_ops.split(gates, 2, axis=1)
        new = self._activation(_own_sum(inputs, r * state, *self._candidate))
        new = u * state + (1.0 - u) * new
        return new, new


class IndyLSTMCell(_LightCell):
    """An LSTM whose units see their own element of the state each (Gonnet and Deselaers 2019).

    Args:
        num_units: size of c and h.
        forget_bias: added to the forget gate before its sigmoid.
        activation: tanh if absent.
        reuse: whether the variables are to be found, not made.
        kernel_initializer: the initializer of both kernels; by default the scope's, and uniform in [-1, 1) for
            that of the state.
        bias_initializer: the initializer of the bias; 0 if absent.
        name: the name of its scope.
        dtype: the dtype of its variables; that of the first inputs if absent.
    """

    def __init__(
        self,
        num_units: int,
        forget_bias: float = 1.0,
        activation: Callable | None = None,
        reuse: bool | None = None,
        kernel_initializer: InitializerLike | None = None,
        bias_initializer: InitializerLike | None = None,
        name: str | None = None,
        dtype: DTypeLike | None = None,
    ):
        super().__init__(num_units, activation, reuse, name, dtype)
        self._forget_bias = forget_bias
        self._kernel_initializer = kernel_initializer
        self._bias_initializer = bias_initializer or _ZEROS

    @property
    def state_size(self) -> LSTMStateTuple:
        return LSTMStateTuple(self._num_units, self._num_units)

    def build(self, inputs_shape: ShapeLike) -> None:
        n = 4 * self._num_units
        rows = input_size(inputs_shape)
        self._w, self._u = self._own("", rows, n, self._kernel_initializer)
        self._bias = self.add_variable("bias", shape=[n], initializer=self._bias_initializer)  # fmt: skip
        self.built = True

    def call(self, inputs: TensorTree, state: TensorTree) -> tuple:
        """(h, next state)."""
        c, h = state
        gates = _own_sum(inputs, array_ops.tile(h, [1, 4]), self._w, self._u, self._bias)  # fmt: skip
        i, j, f, o = array_ops.split(gates, 4, axis=1)
        new_c = c * math_ops.sigmoid(f + self._forget_bias)
        new_c += math_ops.sigmoid(i) * self._activation(j)
        new_h = self._activation(new_c) * math_ops.sigmoid(o)
        return new_h, LSTMStateTuple(new_c, new_h)


class MinimalRNNCell(_LightCell):
    """Minimal RNN (Chen 2017): state = u state + (1 - u) z, with z = activation(W inputs) and u = sigmoid(R [z, state] + b).

    Args:
        units: size of output and state.
        activation: the activation of z; None for none.
        kernel_initializer: the initializer of both kernels; Glorot's uniform one if absent.
        bias_initializer: the initializer of the bias; 1 if absent, so that the state is kept at first.
        name: the name of its scope.
        dtype: the dtype of its variables; that of the first inputs if absent.
    """

    def __init__(
        self,
        units: int,
        activation: Callable | None = math_ops.tanh,
        kernel_initializer: InitializerLike | None = None,
        bias_initializer: InitializerLike | None = None,
        name: str | None = None,
        dtype: DTypeLike | None = None,
        **kwargs: object,
    ):
        super().__init__(units, activation, None, name, dtype, **kwargs)
        self._activates = activation is not None
        self._kernel_initializer = kernel_initializer or init_ops.glorot_uniform_initializer()  # fmt: skip
        self._bias_initializer = bias_initializer or _ONES

    def build(self, inputs_shape: ShapeLike) -> None:
        n = self._num_units
        self._kernel = self.add_variable(
            "kernel", shape=[input_size(inputs_shape), n], initializer=self._kernel_initializer
        )  # fmt: skip
        self._recurrent = self.add_variable(
            "recurrent_kernel", shape=[2 * n, n], initializer=self._kernel_initializer
        )
        self._bias = self.add_variable("bias", shape=[n], initializer=self._bias_initializer)  # fmt: skip
        self.built = True

    def call(self, inputs: TensorTree, state: TensorTree) -> tuple:
        """(next state, next state)."""
        z = math_ops.matmul(inputs, self._kernel)
        if self._activates:
            z = self._activation(z)
        u = math_ops.sigmoid(affine([z, state], self._recurrent, self._bias))
        new = u * state + (1.0 - u) * z
        return new, new
