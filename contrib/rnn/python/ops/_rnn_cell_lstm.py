# SPDX-License-Identifier: Apache-2.0
"""Kinds of LSTM: with one gate for input and forgetting, with normalised gates, in groups."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorwright.contrib.rnn.python.ops._linear import (
    initialized_by,
    last_size,
    linear,
    sharded,
    zeros_variable,
)
from tensorwright.python.framework import ops
from tensorwright.python.framework.type_aliases import (
    InitializerLike,
    TensorLike,
    TensorTree,
)
from tensorwright.python.ops import (
    array_ops,
    clip_ops,
    init_ops,
    math_ops,
    nn_impl,
    nn_ops,
    variable_scope as vs,
)
from tensorwright.python.ops.rnn_cell_impl import LSTMStateTuple, RNNCell
from tensorwright.python.platform import tf_logging as logging


class _MemoryCell(RNNCell):
    """A cell with a memory c [batch, num_units] and an output h [batch, num_proj or num_units]."""

    def __init__(self, num_units: int, num_proj: int | None, reuse: bool | None):
        super().__init__(_reuse=reuse)
        self._num_units = num_units
        self._num_proj = num_proj

    @property
    def state_size(self) -> Any:
        return LSTMStateTuple(self._num_units, self.output_size)

    @property
    def output_size(self) -> int:
        return self._num_units if self._num_proj is None else self._num_proj


class CoupledInputForgetGateLSTMCell(_MemoryCell):
    """LSTM whose input gate is 1 - forget gate: c = f c + (1 - f) activation(j), h = sigmoid(o) activation(c).

    Args:
        num_units: size of c.
        use_peepholes: whether the gates see c, each unit its own.
        initializer: the initializer of the weights; the scope's default if absent.
        num_proj: size of h, which is multiplied by a matrix then.
        proj_clip: h is clipped to [-proj_clip, proj_clip] after that.
        num_unit_shards, num_proj_shards: how many variables the matrices are.
        forget_bias: added to f before its sigmoid.
        state_is_tuple: whether states are LSTMStateTuples; else [c, h], side by side.
        activation: the activation of j and c.
        reuse: whether the variables are to be found, not made.
    """

    def __init__(
        self,
        num_units: int,
        use_peepholes: bool = False,
        initializer: InitializerLike | None = None,
        num_proj: int | None = None,
        proj_clip: float | None = None,
        num_unit_shards: int = 1,
        num_proj_shards: int = 1,
        forget_bias: float = 1.0,
        state_is_tuple: bool = True,
        activation: Callable = math_ops.tanh,
        reuse: bool | None = None,
    ):
        super().__init__(num_units, num_proj, reuse)
        if not state_is_tuple:
            logging.warn(
                "%s: states side by side are slower than tuples; use state_is_tuple=True",
                self,
            )
        self._use_peepholes = use_peepholes
        self._initializer = initializer
        self._proj_clip = proj_clip
        self._num_unit_shards = num_unit_shards
        self._num_proj_shards = num_proj_shards
        self._forget_bias = forget_bias
        self._state_is_tuple = state_is_tuple
        self._activation = activation

    @property
    def state_size(self) -> Any:
        if self._state_is_tuple:
            return super().state_size
        return self._num_units + self.output_size

    def call(self, inputs: TensorTree, state: TensorTree) -> tuple:
        """(h, next state)."""
        n = self._num_units
        if self._state_is_tuple:
            c, h = state
        else:
            c, h = array_ops.split(state, [n, self.output_size], axis=1)
        dtype = inputs.dtype.base_dtype
        with initialized_by(self._initializer):
            rows = last_size(inputs) + self.output_size
            kernel = sharded("W", [rows, 3 * n], dtype, self._num_unit_shards)
            bias = zeros_variable("B", 3 * n, dtype)
            joined = math_ops.matmul(array_ops.concat([inputs, h], 1), kernel)
            j, f, o = array_ops.split(nn_ops.bias_add(joined, bias), 3, axis=1)
            if self._use_peepholes:
                f = f + vs.get_variable("W_F_diag", [n], dtype=dtype) * c
                peephole = vs.get_variable("W_O_diag", [n], dtype=dtype)
            keep = math_ops.sigmoid(f + self._forget_bias)
            c = keep * c + (1.0 - keep) * self._activation(j)
            if self._use_peepholes:
                o = o + peephole * c
            h = math_ops.sigmoid(o) * self._activation(c)
            if self._num_proj is not None:
                shape = [n, self._num_proj]
                projection = sharded("W_P", shape, dtype, self._num_proj_shards)
                h = math_ops.matmul(h, projection)
                if self._proj_clip is not None:
                    h = clip_ops.clip_by_value(h, -self._proj_clip, self._proj_clip)
        if self._state_is_tuple:
            return h, LSTMStateTuple(c, h)
        return h, array_ops.concat([c, h], 1)


class LayerNormBasicLSTMCell(_MemoryCell):
    """An LSTM with layer normalisation (Ba et al. 2016) and dropout of the new input (Semeniuta et al. 2016).

    Each gate, and the memory, is normalised over its units.  The variables "gamma" and "beta" of the scopes "input",
    "transform", "forget", "output" and "state" learn the deviation and the mean, which are at first `norm_gain` and
    `norm_shift`.

    Args:
        num_units: the size of c and h.
        forget_bias: added to the forget gate before its sigmoid.
        input_size: ignored; the inputs say it.
        activation: the function of the new input and of c.
        layer_norm: whether to normalise; if not, the gates have a bias.
        norm_gain, norm_shift: the initial values of gamma and beta.
        dropout_keep_prob: the probability that an element of the new input stays, a number or a scalar.
        dropout_prob_seed: the seed of that choice.
        reuse: whether to find the variables, not make them.
    """

    def __init__(
        self,
        num_units: int,
        forget_bias: float = 1.0,
        input_size: int | None = None,
        activation: Callable = math_ops.tanh,
        layer_norm: bool = True,
        norm_gain: float = 1.0,
        norm_shift: float = 0.0,
        dropout_keep_prob: TensorLike = 1.0,
        dropout_prob_seed: int | None = None,
        reuse: bool | None = None,
    ):
        super().__init__(num_units, None, reuse)
        if input_size is not None:
            logging.warn("%s: The input_size parameter is deprecated.", self)
        self._forget_bias = forget_bias
        self._activation = activation
        self._layer_norm = layer_norm
        self._gain = norm_gain
        self._shift = norm_shift
        self._keep_prob = dropout_keep_prob
        self._seed = dropout_prob_seed

    def _normalised(self, x: ops.Tensor, scope: str) -> ops.Tensor:
        if not self._layer_norm:
            return x
        dtype, shape = x.dtype.base_dtype, x.get_shape()[-1:]
        with vs.variable_scope(scope):
            gain, shift = (
                vs.get_variable(
                    name, shape, dtype, initializer=init_ops.constant_initializer(start)
                )
                for name, start in (("gamma", self._gain), ("beta", self._shift))
            )
        mean, variance = nn_impl.moments(x, [1], keep_dims=True)
        return nn_impl.batch_normalization(x, mean, variance, shift, gain, 1e-12)

    def call(self, inputs: TensorTree, state: TensorTree) -> tuple:
        """(h, next state)."""
        c, h = state
        gates = linear([inputs, h], 4 * self._num_units, bias=not self._layer_norm)
        i, j, f, o = (
            self._normalised(gate, scope)
            for gate, scope in zip(
                array_ops.split(gates, 4, axis=1),
                ("input", "transform", "forget", "output"),
                strict=True,
            )
        )
        new = self._activation(j)
        if isinstance(self._keep_prob, ops.Tensor) or self._keep_prob < 1:
            new = nn_ops.dropout(new, self._keep_prob, seed=self._seed)
        c = c * math_ops.sigmoid(f + self._forget_bias) + math_ops.sigmoid(i) * new
        c = self._normalised(c, "state")
        h = self._activation(c) * math_ops.sigmoid(o)
        return h, LSTMStateTuple(c, h)


class GLSTMCell(_MemoryCell):
    """LSTM in groups of units (Kuchaiev and Ginsburg 2017): a group sees its share of inputs and h alone.

    Args:
        num_units: size of c.
        initializer: the initializer of the weights; the scope's default if absent.
        num_proj: size of h, which is multiplied by a matrix then.
        number_of_groups: the number of groups of the units; 1 is an LSTM.
        forget_bias: added to the forget gate before its sigmoid.
        activation: the activation of the output.
        reuse: whether the variables are to be found, not made.

    Raises:
        ValueError: where the groups do not divide `num_units` or `num_proj`; in a call, the size of the inputs.
    """

    def __init__(
        self,
        num_units: int,
        initializer: InitializerLike | None = None,
        num_proj: int | None = None,
        number_of_groups: int = 1,
        forget_bias: float = 1.0,
        activation: Callable = math_ops.tanh,
        reuse: bool | None = None,
    ):
        super().__init__(num_units, num_proj, reuse)
        for name, size in (("num_units", num_units), ("num_proj", self.output_size)):
            if size % number_of_groups:
                raise ValueError(
                    f"GLSTMCell: number_of_groups must divide {name}, got "
                    f"{number_of_groups} groups and {name} {size}"
                )
        self._initializer = initializer
        self._groups = number_of_groups
        self._forget_bias = forget_bias
        self._activation = activation

    def _gates(self, inputs: Any, h: Any) -> list:
        """i, j, f and o, [batch, num_units] each."""
        size = last_size(inputs)
        if size % self._groups:
            raise ValueError(
                f"GLSTMCell: the {self._groups} groups must divide the size of the "
                f"inputs, got {size}"
            )
        of_groups = []
        shares = zip(
            array_ops.split(inputs, self._groups, axis=1),
            array_ops.split(h, self._groups, axis=1),
            strict=True,
        )
        for i, share in enumerate(shares):
            with vs.variable_scope(f"group{i}"):
                columns = 4 * self._num_units // self._groups
                gates = linear(list(share), columns, bias=False)
            of_groups.append(array_ops.split(gates, 4, axis=1))
        found = []
        for name, parts in zip("ijfo", zip(*of_groups, strict=True), strict=True):
            bias = zeros_variable(
                f"bias_{name}", self._num_units, inputs.dtype.base_dtype
            )
            found.append(nn_ops.bias_add(array_ops.concat(list(parts), 1), bias))
        return found

    def call(self, inputs: TensorTree, state: TensorTree) -> tuple:
        """(h, next state)."""
        c, h = state
        with initialized_by(self._initializer):
            i, j, f, o = self._gates(inputs, h)
            keep = math_ops.sigmoid(f + self._forget_bias)
            c = keep * c + math_ops.sigmoid(i) * math_ops.tanh(j)
            h = math_ops.sigmoid(o) * self._activation(c)
            if self._num_proj is not None:
                with vs.variable_scope("projection"):
                    h = linear(h, self._num_proj, bias=False)
        return h, LSTMStateTuple(c, h)
