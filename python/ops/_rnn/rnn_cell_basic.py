# SPDX-License-Identifier: Apache-2.0
"""Cells without a memory beside their output: BasicRNNCell and GRUCell."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorwright.python.framework import dtypes, ops, tensor_shape
from tensorwright.python.framework.type_aliases import (
    DTypeLike,
    InitializerLike,
    ShapeLike,
    TensorLike,
    TensorTree,
)
from tensorwright.python.ops import array_ops, init_ops, math_ops, nn_ops
from tensorwright.python.ops._layers import base
from tensorwright.python.ops._rnn.rnn_cell_base import LayerRNNCell

KERNEL, BIAS = "kernel", "bias"


def input_size(input_shape: ShapeLike) -> int:
    """The size of the inputs [batch, n] of a cell."""
    size = tensor_shape.as_shape(input_shape)[-1].value
    if size is None:
        raise ValueError(
            f"the last dimension of inputs must be known, got shape {input_shape}"
        )
    return size


def affine(inputs: list, kernel: TensorLike, bias: TensorLike) -> ops.Tensor:
    """[inputs...] @ kernel + bias, for inputs [batch, n_i] side by side."""
    joined = inputs[0] if len(inputs) == 1 else array_ops.concat(inputs, 1)
    return nn_ops.bias_add(math_ops.matmul(joined, kernel), bias)


class BasicRNNCell(LayerRNNCell):
    """output = state = activation(W [inputs, state] + b).

    Args:
        num_units: size of the output.
        activation: tanh if absent.
        reuse: whether the variables are to be found, not made.
        name: the name of its scope.
        dtype: the dtype of its variables; that of the first inputs if absent.
    """

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
    def state_size(self) -> int:
        return self._num_units

    @property
    def output_size(self) -> int:
        return self._num_units

    def build(self, inputs_shape: ShapeLike) -> None:
        size = input_size(inputs_shape) + self._num_units
        self._kernel = self.add_variable(KERNEL, shape=[size, self._num_units])
        self._bias = self.add_variable(
            BIAS, shape=[self._num_units], initializer=init_ops.zeros_initializer()
        )
        self.built = True

    def call(self, inputs: TensorTree, state: TensorTree) -> tuple:
        output = self._activation(affine([inputs, state], self._kernel, self._bias))
        return output, output


class GRUCell(LayerRNNCell):
    """Gated recurrent unit (Cho et al. 2014): state = u state + (1 - u) activation(W [inputs, r state] + b).

    The gates r and u are sigmoids of inputs and state.

    Args:
        num_units: size of the output.
        activation: tanh if absent.
        reuse: whether the variables are to be found, not made.
        kernel_initializer: the initializer of both kernels; the scope's default if absent.
        bias_initializer: the initializer of both biases; by default 1 for the gates, so that the state is kept at
            first, and 0.
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
        **kwargs: Any,
    ):
        super().__init__(_reuse=reuse, name=name, dtype=dtype, **kwargs)
        self.input_spec = base.InputSpec(ndim=2)
        self._num_units = num_units
        self._activation = activation or math_ops.tanh
        self._kernel_initializer = kernel_initializer
        self._bias_initializer = bias_initializer

    @property
    def state_size(self) -> int:
        return self._num_units

    @property
    def output_size(self) -> int:
        return self._num_units

    def _pair(self, name: str, rows: int, columns: int, bias: Any) -> tuple:
        kernel = self.add_variable(
            f"{name}/{KERNEL}",
            shape=[rows, columns],
            initializer=self._kernel_initializer,
        )
        bias = self.add_variable(
            f"{name}/{BIAS}",
            shape=[columns],
            initializer=self._bias_initializer or bias,
        )
        return kernel, bias

    def build(self, inputs_shape: ShapeLike) -> None:
        rows = input_size(inputs_shape) + self._num_units
        ones = init_ops.constant_initializer(1.0, dtype=self.dtype or dtypes.float32)
        zeros = init_ops.zeros_initializer()
        self._gates = self._pair("gates", rows, 2 * self._num_units, ones)
        self._candidate = self._pair("candidate", rows, self._num_units, zeros)
        self.built = True

    def call(self, inputs: TensorTree, state: TensorTree) -> tuple:
        gates = math_ops.sigmoid(affine([inputs, state], *self._gates))
        reset, update = array_ops.split(gates, 2, axis=1)
        old: Any = state
        candidate = self._activation(affine([inputs, reset * old], *self._candidate))
        new = update * old + (1 - update) * candidate
        return new, new
