# SPDX-License-Identifier: Apache-2.0
"""Cells around cells: with attention to earlier outputs, with a highway, compiled as one."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tensorwright.contrib.rnn.python.ops._linear import last_size, linear
from tensorwright.python.framework import ops
from tensorwright.python.framework.type_aliases import (
    DTypeLike,
    TensorLike,
    TensorTree,
)
from tensorwright.python.ops import (
    array_ops,
    init_ops,
    math_ops,
    nn_ops,
    variable_scope as vs,
)
from tensorwright.python.ops.rnn_cell_impl import RNNCell, assert_like_rnncell
from tensorwright.python.platform import tf_logging as logging
from tensorwright.python.util import nest

if TYPE_CHECKING:
    from tensorwright.core.framework.node_def_pb2 import NodeDef
    from tensorwright.python.ops.variable_scope import VariableScope


class AttentionCellWrapper(RNNCell):
    """A cell that sees a weighted mean of its last `attn_length` outputs (Bahdanau et al. 2014).

    The state is (the cell's, the mean [batch, attn_size], the outputs [batch, attn_size attn_length]).

    Args:
        cell: the cell.
        attn_length: the number of outputs that are kept.
        attn_size: the size of the outputs; by default that of the cell's output.
        attn_vec_size: the size of the hidden layer that weighs them; by default `attn_size`.
        input_size: the size of the cell's input; by default that of the inputs.
        state_is_tuple: whether a state is that tuple; if not, its parts lie side by side.
        reuse: whether to find the variables, not make them.

    Raises:
        TypeError: `cell` is no cell.
        ValueError: the cell's states are tuples and `state_is_tuple` is False, or `attn_length` is not positive.
    """

    def __init__(
        self,
        cell: RNNCell,
        attn_length: int,
        attn_size: int | None = None,
        attn_vec_size: int | None = None,
        input_size: int | None = None,
        state_is_tuple: bool = True,
        reuse: bool | None = None,
    ):
        super().__init__(_reuse=reuse)
        assert_like_rnncell("cell", cell)
        if nest.is_sequence(cell.state_size) and not state_is_tuple:
            raise ValueError(
                "AttentionCellWrapper: the cell's states are tuples, so state_is_tuple "
                f"must be True; they have the sizes {cell.state_size}"
            )
        if attn_length <= 0:
            raise ValueError(f"attn_length should be greater than zero: {attn_length}")
        if not state_is_tuple:
            logging.warn(
                "%s: states side by side are slower than tuples; use state_is_tuple=True",
                self,
            )
        self._cell = cell
        self._attn_length = attn_length
        self._attn_size = cell.output_size if attn_size is None else attn_size
        self._attn_vec_size = (
            self._attn_size if attn_vec_size is None else attn_vec_size
        )
        self._input_size = input_size
        self._state_is_tuple = state_is_tuple

    @property
    def _sizes(self) -> tuple:
        kept = self._attn_size * self._attn_length
        return self._cell.state_size, self._attn_size, kept

    @property
    def state_size(self) -> Any:
        return self._sizes if self._state_is_tuple else sum(self._sizes)

    @property
    def output_size(self) -> int:
        return self._attn_size

    def call(self, inputs: TensorTree, state: TensorTree) -> tuple:
        """(outputs [batch, attn_size], next state)."""
        if self._state_is_tuple:
            own, mean, kept = state
        else:
            own, mean, kept = array_ops.split(state, list(self._sizes), axis=1)
        kept = array_ops.reshape(kept, [-1, self._attn_length, self._attn_size])
        size = self._input_size
        if size is None:
            size = last_size(inputs)
        output, own = self._cell(linear([inputs, mean], size, True), own)
        query = array_ops.concat(nest.flatten(own), 1) if nest.is_sequence(own) else own
        mean, kept = self._attention(query, kept)
        with vs.variable_scope("attn_output_projection"):
            output = linear([output, mean], self._attn_size, True)
        kept = array_ops.concat([kept, array_ops.expand_dims(output, 1)], 1)
        kept = array_ops.reshape(kept, [-1, self._attn_length * self._attn_size])
        if self._state_is_tuple:
            return output, (own, mean, kept)
        return output, array_ops.concat([own, mean, kept], 1)

    def _attention(self, query: ops.Tensor, kept: ops.Tensor) -> tuple:
        """(mean of `kept` [batch, length, size] by softmax(v tanh(W kept + U query)), `kept` less the oldest)."""
        dtype = query.dtype.base_dtype
        with vs.variable_scope("attention"):
            shape = [1, 1, self._attn_size, self._attn_vec_size]
            kernel = vs.get_variable("attn_w", shape, dtype=dtype)
            v = vs.get_variable("attn_v", [self._attn_vec_size], dtype=dtype)
            rows = array_ops.reshape(kept, [-1, self._attn_size])
            hidden = array_ops.reshape(
                math_ops.matmul(rows, array_ops.reshape(kernel, shape[2:])),
                [-1, self._attn_length, self._attn_vec_size],
            )
            asked = linear(query, self._attn_vec_size, True)
            asked = array_ops.expand_dims(asked, 1)
            scores = math_ops.reduce_sum(v * math_ops.tanh(hidden + asked), [2])
            weights = array_ops.expand_dims(nn_ops.softmax(scores), 2)
            mean = math_ops.reduce_sum(weights * kept, [1])
        return array_ops.reshape(mean, [-1, self._attn_size]), kept[:, 1:]


class _AroundCell(RNNCell):
    """A cell around another, of the same sizes."""

    def __init__(self, cell: RNNCell):
        super().__init__()
        assert_like_rnncell("cell", cell)
        self._cell = cell

    @property
    def state_size(self) -> Any:
        return self._cell.state_size

    @property
    def output_size(self) -> Any:
        return self._cell.output_size

    def zero_state(self, batch_size: TensorLike, dtype: DTypeLike) -> Any:
        with ops.name_scope(f"{type(self).__name__}ZeroState", values=[batch_size]):
            return self._cell.zero_state(batch_size, dtype)


class HighwayWrapper(_AroundCell):
    """A cell whose inputs flow past it (Srivastava et al. 2015): carry inputs + transform outputs.

    carry = sigmoid(inputs @ carry_w + carry_b).

    Args:
        cell: the cell, whose outputs have the sizes of its inputs.
        couple_carry_transform_gates: whether transform is 1 - carry; else it has weights of its own.
        carry_bias_init: the initial bias of carry; that of transform has the opposite sign.

    A call raises TypeError or ValueError where inputs and outputs differ in structure, ValueError where in shape.
    """

    def __init__(
        self,
        cell: RNNCell,
        couple_carry_transform_gates: bool = True,
        carry_bias_init: float = 1.0,
    ):
        super().__init__(cell)
        self._coupled = couple_carry_transform_gates
        self._carry_bias_init = carry_bias_init

    def _gate(self, name: str, x: ops.Tensor, first_bias: float) -> ops.Tensor:
        size, dtype = last_size(x), x.dtype.base_dtype
        weights = vs.get_variable(f"{name}_w", [size, size], dtype=dtype)
        bias = vs.get_variable(
            f"{name}_b",
            [size],
            dtype=dtype,
            initializer=init_ops.constant_initializer(first_bias),
        )
        return math_ops.sigmoid(nn_ops.bias_add(math_ops.matmul(x, weights), bias))

    def _highway(self, x: ops.Tensor, output: ops.Tensor) -> ops.Tensor:
        x.get_shape().assert_is_compatible_with(output.get_shape())
        carry = self._gate("carry", x, self._carry_bias_init)
        if self._coupled:
            transform = 1.0 - carry
        else:
            transform = self._gate("transform", x, -self._carry_bias_init)
        return x * carry + output * transform

    def __call__(
        self,
        inputs: TensorTree,
        state: TensorTree,
        scope: str | VariableScope | None = None,
    ) -> tuple:
        """(carry inputs + transform outputs, next state)."""
        outputs, new_state = self._cell(inputs, state, scope=scope)
        nest.assert_same_structure(inputs, outputs)
        return nest.map_structure(self._highway, inputs, outputs), new_state


class CompiledWrapper(_AroundCell):
    """A cell whose ops are marked to be compiled together, by the attributes that TensorFlow's compiler reads.

    Our plans fuse what they can, with the marks and without; a saved graph keeps the marks.

    Args:
        cell: the cell.
        compile_stateful: whether stateful ops are marked too, or a function of a NodeDef that says so.
    """

    def __init__(
        self, cell: RNNCell, compile_stateful: bool | Callable[[NodeDef], bool] = False
    ):
        super().__init__(cell)
        self._compile_stateful = compile_stateful
        self._scope_name: str | None = None

    def _marked(self, op: ops.Operation) -> bool:
        if callable(self._compile_stateful):
            return bool(self._compile_stateful(op.node_def))
        return bool(self._compile_stateful) or not op._is_stateful

    def __call__(
        self,
        inputs: TensorTree,
        state: TensorTree,
        scope: str | VariableScope | None = None,
    ) -> tuple:
        """(outputs, next state) of the cell."""
        graph = ops.get_default_graph()
        before = len(graph.get_operations())
        result = self._cell(inputs, state, scope=scope)
        if self._scope_name is None:
            self._scope_name = f"jit_scope_{before}"
        for op in graph.get_operations()[before:]:
            if self._marked(op):
                op._set_attr("_XlaCompile", True)
                op._set_attr("_XlaScope", self._scope_name.encode())
        return result
