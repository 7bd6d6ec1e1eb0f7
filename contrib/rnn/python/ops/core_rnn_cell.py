# SPDX-License-Identifier: Apache-2.0
"""The cells of `tf.nn.rnn_cell` under contrib's names, and wrappers that embed or project."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from tensorwright.contrib.rnn.python.ops._linear import (
    Linear as _Linear,
    activated,
    linear as _linear,
)
from tensorwright.python.framework import ops
from tensorwright.python.framework.type_aliases import (
    DTypeLike,
    InitializerLike,
    TensorLike,
    TensorTree,
)
from tensorwright.python.ops import (
    array_ops,
    embedding_ops,
    init_ops,
    variable_scope as vs,
)
from tensorwright.python.ops.rnn_cell_impl import (
    BasicLSTMCell as BasicLSTMCell,
    BasicRNNCell as BasicRNNCell,
    DeviceWrapper as DeviceWrapper,
    DropoutWrapper as DropoutWrapper,
    GRUCell as GRUCell,
    LSTMCell as LSTMCell,
    LSTMStateTuple as LSTMStateTuple,
    MultiRNNCell as MultiRNNCell,
    ResidualWrapper as ResidualWrapper,
    RNNCell as RNNCell,
    assert_like_rnncell,
)

__all__ = [
    "BasicLSTMCell",
    "BasicRNNCell",
    "DeviceWrapper",
    "DropoutWrapper",
    "EmbeddingWrapper",
    "GRUCell",
    "InputProjectionWrapper",
    "LSTMCell",
    "LSTMStateTuple",
    "MultiRNNCell",
    "OutputProjectionWrapper",
    "RNNCell",
    "ResidualWrapper",
    "_Linear",
    "_linear",
]


class _VariablesAroundCell(RNNCell):
    """A cell around another, with variables of its own beside those of the other."""

    def __init__(self, cell: RNNCell, reuse: bool | None):
        super().__init__(_reuse=reuse)
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


class EmbeddingWrapper(_VariablesAroundCell):
    """A cell whose inputs are ids: [batch] or [batch, 1] integers, rows of the variable "embedding".

    Args:
        cell: the cell that takes the embedded inputs [batch, embedding_size].
        embedding_classes: the number of ids.
        embedding_size: the size of the vector of an id.
        initializer: the initializer of the vectors; if absent that of the scope, or else uniform numbers of variance 1.
        reuse: whether the variable is to be found, not made.

    Raises:
        TypeError: where `cell` is no cell.
        ValueError: where a size is not positive.
    """

    def __init__(
        self,
        cell: RNNCell,
        embedding_classes: int,
        embedding_size: int,
        initializer: InitializerLike | None = None,
        reuse: bool | None = None,
    ):
        super().__init__(cell, reuse)
        if embedding_classes <= 0 or embedding_size <= 0:
            raise ValueError(
                "Both embedding_classes and embedding_size must be > 0: "
                f"{embedding_classes}, {embedding_size}."
            )
        self._embedding_classes = embedding_classes
        self._embedding_size = embedding_size
        self._initializer = initializer

    def call(self, inputs: TensorTree, state: TensorTree) -> tuple:
        """(outputs of the cell, next state)."""
        initializer = self._initializer or vs.get_variable_scope().initializer
        if initializer is None:
            # Uniform over [-sqrt(3), sqrt(3)] has variance 1.
            initializer = init_ops.random_uniform_initializer(
                -math.sqrt(3), math.sqrt(3)
            )
        first = state
        while isinstance(first, tuple):
            first = first[0]
        with ops.device("/cpu:0"):
            embedding = vs.get_variable(
                "embedding",
                [self._embedding_classes, self._embedding_size],
                initializer=initializer,
                dtype=first.dtype.base_dtype,
            )
            ids = array_ops.reshape(inputs, [-1])
            embedded = embedding_ops.embedding_lookup(embedding, ids)
        return self._cell(embedded, state)


class InputProjectionWrapper(_VariablesAroundCell):
    """A cell whose inputs are activation(inputs @ kernel + bias), [batch, num_proj].

    Args:
        cell: the cell.
        num_proj: the size of the inner cell's inputs.
        activation: none if absent.
        input_size: ignored; the inputs say it.
        reuse: whether the variables are to be found, not made.

    Raises:
        TypeError: where `cell` is no cell.
    """

    def __init__(
        self,
        cell: RNNCell,
        num_proj: int,
        activation: Callable | None = None,
        input_size: int | None = None,
        reuse: bool | None = None,
    ):
        del input_size
        super().__init__(cell, reuse)
        self._num_proj = num_proj
        self._activation = activation

    def call(self, inputs: TensorTree, state: TensorTree) -> tuple:
        """(outputs of the cell, next state)."""
        projected = _linear(inputs, self._num_proj, True)
        return self._cell(activated(projected, self._activation), state)


class OutputProjectionWrapper(_VariablesAroundCell):
    """A cell whose outputs are activation(outputs @ kernel + bias), [batch, output_size].

    Args:
        cell: the cell.
        output_size: the size of the outputs.
        activation: none if absent.
        reuse: whether the variables are to be found, not made.

    Raises:
        TypeError: where `cell` is no cell.
        ValueError: where `output_size` is not positive.
    """

    def __init__(
        self,
        cell: RNNCell,
        output_size: int,
        activation: Callable | None = None,
        reuse: bool | None = None,
    ):
        super().__init__(cell, reuse)
        if output_size < 1:
            raise ValueError(f"Parameter output_size must be > 0: {output_size}.")
        self._output_size = output_size
        self._activation = activation

    @property
    def output_size(self) -> int:
        return self._output_size

    def call(self, inputs: TensorTree, state: TensorTree) -> tuple:
        """(projected outputs, next state)."""
        output, new_state = self._cell(inputs, state)
        projected = _linear(output, self._output_size, True)
        return activated(projected, self._activation), new_state
