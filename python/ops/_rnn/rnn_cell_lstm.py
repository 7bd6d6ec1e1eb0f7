# SPDX-License-Identifier: Apache-2.0
"""Long short-term memory (Hochreiter and Schmidhuber 1997): cells with a memory c beside their output h."""

from __future__ import annotations

import collections
from collections.abc import Callable
from typing import Any

from tensorwright.python.framework import dtypes, ops
from tensorwright.python.framework.type_aliases import (
    DTypeLike,
    InitializerLike,
    ShapeLike,
    TensorTree,
)
from tensorwright.python.ops import (
    array_ops,
    clip_ops,
    init_ops,
    math_ops,
    partitioned_variables,
)
from tensorwright.python.ops._layers import base
from tensorwright.python.ops._rnn.rnn_cell_base import LayerRNNCell
from tensorwright.python.ops._rnn.rnn_cell_basic import BIAS, KERNEL, affine, input_size


class LSTMStateTuple(collections.namedtuple("LSTMStateTuple", ("c", "h"))):
    """The state of an LSTM cell: its memory c, and its output h of the step before."""

    __slots__ = ()

    @property
    def dtype(self) -> dtypes.DType:
        """The dtype of both; TypeError if they differ."""
        c, h = self
        if c.dtype != h.dtype:
            raise TypeError(f"Inconsistent internal state: {c.dtype} vs {h.dtype}")
        return c.dtype


def _gates(gates: ops.Tensor, forget_bias: float) -> tuple:
    """(i, j, f, o) of [batch, 4 n], with the bias of f added."""
    i, j, f, o = array_ops.split(gates, 4, axis=1)
    return i, j, f + math_ops.cast(forget_bias, f.dtype), o


class BasicLSTMCell(LayerRNNCell):
    """c = sigmoid(f) c + sigmoid(i) activation(j), h = sigmoid(o) activation(c), where [i, j, f, o] = W [inputs, h] + b.

    Args:
        num_units: size of c and h.
        forget_bias: added to f, so that the memory is kept at first.
        state_is_tuple: whether states are LSTMStateTuples; else [c, h], [batch, 2 n].
        activation: tanh if absent.
        reuse: whether the variables are to be found, not made.
        name: the name of its scope.
        dtype: the dtype of its variables; that of the first inputs if absent.
    """

    def __init__(
        self,
        num_units: int,
        forget_bias: float = 1.0,
        state_is_tuple: bool = True,
        activation: Callable | None = None,
        reuse: bool | None = None,
        name: str | None = None,
        dtype: DTypeLike | None = None,
        **kwargs: Any,
    ):
        super().__init__(_reuse=reuse, name=name, dtype=dtype, **kwargs)
        self.input_spec = base.InputSpec(ndim=2)
        self._num_units = num_units
        self._forget_bias = forget_bias
        self._state_is_tuple = state_is_tuple
        self._activation = activation or math_ops.tanh

    @property
    def state_size(self) -> LSTMStateTuple | int:
        if self._state_is_tuple:
            return LSTMStateTuple(self._num_units, self._num_units)
        return 2 * self._num_units

    @property
    def output_size(self) -> int:
        return self._num_units

    def build(self, inputs_shape: ShapeLike) -> None:
        rows = input_size(inputs_shape) + self._num_units
        self._kernel = self.add_variable(KERNEL, shape=[rows, 4 * self._num_units])
        self._bias = self.add_variable(
            BIAS, shape=[4 * self._num_units], initializer=init_ops.zeros_initializer()
        )
        self.built = True

    def call(self, inputs: TensorTree, state: TensorTree) -> tuple:
        both: Any = state
        c, h = both if self._state_is_tuple else array_ops.split(both, 2, axis=1)
        i, j, f, o = _gates(
            affine([inputs, h], self._kernel, self._bias), self._forget_bias
        )
        c = c * math_ops.sigmoid(f) + math_ops.sigmoid(i) * self._activation(j)
        h = self._activation(c) * math_ops.sigmoid(o)
        if self._state_is_tuple:
            return h, LSTMStateTuple(c, h)
        return h, array_ops.concat([c, h], 1)


class LSTMCell(LayerRNNCell):
    """BasicLSTMCell with peepholes (Gers and Schmidhuber 2000) and a projection of h (Sak et al. 2014).

    Args:
        num_units: size of c.
        use_peepholes: whether the gates see c, each unit its own.
        cell_clip: c is clipped to [-cell_clip, cell_clip].
        initializer: the initializer of the kernels and the peepholes' weights; the scope's default if absent.
        num_proj: size of h, which is multiplied by a matrix then.
        proj_clip: h is clipped likewise after that.
        num_unit_shards, num_proj_shards: cut the kernels into parts; a scope's partitioner does it better.
        forget_bias: added to f, so that the memory is kept at first.
        state_is_tuple: whether states are LSTMStateTuples; else [c, h], side by side.
        activation: tanh if absent.
        reuse: whether the variables are to be found, not made.
        name: the name of its scope.
        dtype: the dtype of its variables; that of the first inputs if absent.
    """

    def __init__(
        self,
        num_units: int,
        use_peepholes: bool = False,
        cell_clip: float | None = None,
        initializer: InitializerLike | None = None,
        num_proj: int | None = None,
        proj_clip: float | None = None,
        num_unit_shards: int | None = None,
        num_proj_shards: int | None = None,
        forget_bias: float = 1.0,
        state_is_tuple: bool = True,
        activation: Callable | None = None,
        reuse: bool | None = None,
        name: str | None = None,
        dtype: DTypeLike | None = None,
        **kwargs: Any,
    ):
        super().__init__(_reuse=reuse, name=name, dtype=dtype, **kwargs)
        self.input_spec = base.InputSpec(ndim=2)
        self._num_units = num_units
        self._use_peepholes = use_peepholes
        self._cell_clip = cell_clip
        self._initializer = initializer
        self._num_proj = num_proj
        self._proj_clip = proj_clip
        self._num_unit_shards = num_unit_shards
        self._num_proj_shards = num_proj_shards
        self._forget_bias = forget_bias
        self._state_is_tuple = state_is_tuple
        self._activation = activation or math_ops.tanh

    @property
    def output_size(self) -> int:
        return self._num_proj or self._num_units

    @property
    def state_size(self) -> LSTMStateTuple | int:
        if self._state_is_tuple:
            return LSTMStateTuple(self._num_units, self.output_size)
        return self._num_units + self.output_size

    def build(self, inputs_shape: ShapeLike) -> None:
        rows = input_size(inputs_shape) + self.output_size
        self._kernel = self.add_variable(
            KERNEL,
            shape=[rows, 4 * self._num_units],
            initializer=self._initializer,
            partitioner=_shards(self._num_unit_shards),
        )
        self._bias = self.add_variable(
            BIAS, shape=[4 * self._num_units], initializer=init_ops.zeros_initializer()
        )
        if self._use_peepholes:
            self._peepholes = [
                self.add_variable(
                    name, shape=[self._num_units], initializer=self._initializer
                )
                for name in ("w_f_diag", "w_i_diag", "w_o_diag")
            ]
        if self._num_proj is not None:
            self._proj_kernel = self.add_variable(
                f"projection/{KERNEL}",
                shape=[self._num_units, self._num_proj],
                initializer=self._initializer,
                partitioner=_shards(self._num_proj_shards),
            )
        self.built = True

    def call(self, inputs: TensorTree, state: TensorTree) -> tuple:
        both: Any = state
        if self._state_is_tuple:
            c, h = both
        else:
            c, h = array_ops.split(both, [self._num_units, self.output_size], axis=1)
        i, j, f, o = _gates(
            affine([inputs, h], self._kernel, self._bias), self._forget_bias
        )
        if self._use_peepholes:
            f, i = f + self._peepholes[0] * c, i + self._peepholes[1] * c
        c = math_ops.sigmoid(f) * c + math_ops.sigmoid(i) * self._activation(j)
        c = _clipped(c, self._cell_clip)
        if self._use_peepholes:
            o = o + self._peepholes[2] * c
        h = math_ops.sigmoid(o) * self._activation(c)
        if self._num_proj is not None:
            h = _clipped(math_ops.matmul(h, self._proj_kernel), self._proj_clip)
        if self._state_is_tuple:
            return h, LSTMStateTuple(c, h)
        return h, array_ops.concat([c, h], 1)


def _clipped(x: ops.Tensor, bound: float | None) -> ops.Tensor:
    return x if bound is None else clip_ops.clip_by_value(x, -bound, bound)


def _shards(count: int | None) -> Callable | None:
    if count is None:
        return None
    return partitioned_variables.fixed_size_partitioner(count)
