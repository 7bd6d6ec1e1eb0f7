# SPDX-License-Identifier: Apache-2.0
"""Cells made of cells: in a stack, with dropout, with a short cut, on a device."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from tensorwright.python.framework import dtypes, ops, tensor_util
from tensorwright.python.framework.type_aliases import (
    DeviceLike,
    DTypeLike,
    ShapeLike,
    TensorLike,
    TensorTree,
)
from tensorwright.python.ops import (
    array_ops,
    math_ops,
    nn_ops,
    random_ops,
    tensor_array_ops,
    variable_scope as vs,
)
from tensorwright.python.ops._rnn.rnn_cell_base import (
    RNNCell,
    assert_like_rnncell,
    map_sizes,
    with_batch,
)
from tensorwright.python.ops._rnn.rnn_cell_lstm import LSTMStateTuple
from tensorwright.python.util import nest

if TYPE_CHECKING:
    from tensorwright.python.ops.variable_scope import VariableScope


class MultiRNNCell(RNNCell):
    """Cells one after another: each takes the outputs of the one before.

    Args:
        cells: a list of cells, the first nearest to the inputs.
        state_is_tuple: whether a state is the tuple of the cells' states; else they lie side by side, [batch, n].

    Raises:
        TypeError: where `cells` is no sequence of cells.
        ValueError: where it is empty, or has states that are tuples while `state_is_tuple` is False.
    """

    def __init__(self, cells: Sequence[RNNCell], state_is_tuple: bool = True):
        super().__init__()
        if not nest.is_sequence(cells):
            raise TypeError(
                f"MultiRNNCell: cells must be in a list or tuple, got {cells!r}"
            )
        if not cells:
            raise ValueError("MultiRNNCell needs at least one cell, got none")
        for i, cell in enumerate(cells):
            assert_like_rnncell(f"cells[{i}]", cell)
        self._cells = list(cells)
        self._state_is_tuple = state_is_tuple
        sizes = [c.state_size for c in cells]
        if not state_is_tuple and any(nest.is_sequence(s) for s in sizes):
            raise ValueError(
                "MultiRNNCell: state_is_tuple is not set, but cells have tuples for "
                f"states, of sizes {sizes}"
            )

    @property
    def state_size(self) -> Any:
        sizes = tuple(cell.state_size for cell in self._cells)
        return sizes if self._state_is_tuple else sum(sizes)

    @property
    def output_size(self) -> Any:
        return self._cells[-1].output_size

    @property
    def trainable_weights(self) -> list:
        return _weights(self._cells, "trainable_weights") if self.trainable else []

    @property
    def non_trainable_weights(self) -> list:
        kept = _weights(self._cells, "non_trainable_weights")
        if self.trainable:
            return kept
        return _weights(self._cells, "trainable_weights") + kept

    def zero_state(self, batch_size: TensorLike, dtype: DTypeLike) -> Any:
        if not self._state_is_tuple:
            return super().zero_state(batch_size, dtype)
        with ops.name_scope(f"{type(self).__name__}ZeroState", values=[batch_size]):
            return tuple(cell.zero_state(batch_size, dtype) for cell in self._cells)

    def call(self, inputs: TensorTree, state: TensorTree) -> tuple:
        whole: Any = state
        if self._state_is_tuple:
            if not nest.is_sequence(state) or len(whole) != len(self._cells):
                raise ValueError(
                    f"MultiRNNCell: state must be a tuple of {len(self._cells)}, one for "
                    f"each cell, got {state}"
                )
            states = list(whole)
        else:
            states = array_ops.split(whole, [c.state_size for c in self._cells], axis=1)
        new_states = []
        for i, (cell, own) in enumerate(zip(self._cells, states, strict=True)):
            with vs.variable_scope(f"cell_{i}"):
                inputs, new = cell(inputs, own)
            new_states.append(new)
        if self._state_is_tuple:
            return inputs, tuple(new_states)
        return inputs, array_ops.concat(new_states, 1)


def _weights(cells: list, which: str) -> list:
    found: list = []
    for cell in cells:
        for weight in getattr(cell, which, []):
            if not any(weight is w for w in found):
                found.append(weight)
    return found


class _Wrapper(RNNCell):
    """A cell around another, whose variables and scope it leaves alone."""

    def __init__(self, cell: Any):
        super().__init__()
        assert_like_rnncell("cell", cell)
        self._cell = cell
        self.built = True

    @property
    def wrapped_cell(self) -> Any:
        return self._cell

    @property
    def state_size(self) -> Any:
        return self._cell.state_size

    @property
    def output_size(self) -> Any:
        return self._cell.output_size

    @property
    def trainable_weights(self) -> list:
        return _weights([self._cell], "trainable_weights")

    @property
    def non_trainable_weights(self) -> list:
        return _weights([self._cell], "non_trainable_weights")

    def zero_state(self, batch_size: Any, dtype: Any) -> Any:
        with ops.name_scope(f"{type(self).__name__}ZeroState", values=[batch_size]):
            return self._cell.zero_state(batch_size, dtype)


def _drops_all_but_memories(substate: Any) -> Any:
    """Says which parts of a state dropout applies to: neither an LSTM's memory nor a TensorArray."""
    if isinstance(substate, LSTMStateTuple):
        return LSTMStateTuple(c=False, h=True)
    return not isinstance(substate, tensor_array_ops.TensorArray)


class DropoutWrapper(_Wrapper):
    """A cell with dropout on inputs, outputs and state.

    Args:
        cell: the cell.
        input_keep_prob, output_keep_prob, state_keep_prob: probabilities that elements stay; numbers or scalars.
        variational_recurrent: whether all steps of a run drop the same elements (Gal and Ghahramani 2015).
        input_size: for that, the sizes of the inputs, a structure of TensorShapes or ints; needed if inputs are
        dropped.
        dtype: for that, the dtype of inputs, state and outputs.
        seed: the seed of the choices.
        dropout_state_filter_visitor: f(part of a state), True where it is dropped, False where it is not, or a
            structure of these; by default the memory c of LSTMs and TensorArrays are not.

    Raises:
        TypeError: where `cell` is no cell, or the visitor is not callable.
        ValueError: where a probability is not in [0, 1], or an argument that `variational_recurrent` needs is absent.
    """

    def __init__(
        self,
        cell: RNNCell,
        input_keep_prob: TensorLike = 1.0,
        output_keep_prob: TensorLike = 1.0,
        state_keep_prob: TensorLike = 1.0,
        variational_recurrent: bool = False,
        input_size: ShapeLike | None = None,
        dtype: DTypeLike | None = None,
        seed: int | None = None,
        dropout_state_filter_visitor: Callable | None = None,
    ):
        super().__init__(cell)
        visitor = dropout_state_filter_visitor
        if visitor is not None and not callable(visitor):
            raise TypeError("dropout_state_filter_visitor must be callable")
        self._filter = visitor or _drops_all_but_memories
        self._seed = seed
        self._variational = variational_recurrent
        self._input_keep = _probability("input_keep_prob", input_keep_prob)
        self._output_keep = _probability("output_keep_prob", output_keep_prob)
        self._state_keep = _probability("state_keep_prob", state_keep_prob)
        self._noise: dict[str, Any] = {}
        if variational_recurrent:
            self._draw(input_size, dtype)

    def _draw(self, input_size: Any, dtype: Any) -> None:
        """Draws, once in a run, the elements that all steps drop."""
        if dtype is None:
            raise ValueError("variational_recurrent=True needs a dtype")
        if input_size is None and _drops(self._input_keep):
            raise ValueError(
                "variational_recurrent=True needs an input_size where inputs are dropped "
                f"(input_keep_prob {self._input_keep})"
            )

        def noise(salt: str, sizes: Any) -> Any:
            def draw(i: int, size: Any) -> ops.Tensor:
                return random_ops.random_uniform(
                    with_batch(1, size),
                    seed=self._seed_of(salt, i),
                    dtype=dtypes.as_dtype(dtype),
                )

            numbers = iter(range(1 << 30))
            return map_sizes(lambda size: draw(next(numbers), size), sizes)

        if _drops(self._input_keep):
            self._noise["input"] = noise("input", input_size)
        self._noise["state"] = noise("state", self._cell.state_size)
        self._noise["output"] = noise("output", self._cell.output_size)

    def _seed_of(self, salt: str, index: int) -> int | None:
        """A seed of its own for each choice that the one seed is for, the same as TensorFlow's."""
        if self._seed is None:
            return None
        text = f"{self._seed}{salt}_{index}".encode()
        return int(hashlib.md5(text).hexdigest()[:8], 16) & 0x7FFFFFFF

    def _dropped(self, values: Any, salt: str, keep: Any, filtered: Any = None) -> Any:
        """`values` with dropout where `filtered` is True; None stands for everywhere."""
        if not _drops(keep):
            return values
        if filtered is None:
            filtered = nest.map_structure(lambda _: True, values)
        noise = self._noise.get(salt)
        flags = nest.flatten(filtered)
        parts = nest.flatten_up_to(filtered, values)
        drawn = parts if noise is None else nest.flatten_up_to(filtered, noise)
        flat: list = []
        # A part that stays whole counts as one: seeds go by position, as in TensorFlow.
        for i, (flag, part, own) in enumerate(zip(flags, parts, drawn, strict=True)):
            new = [self._drop(part, salt, i, keep, own)] if flag else nest.flatten(part)
            flat.extend(new)
        return nest.pack_sequence_as(values, flat)

    def _drop(self, value: Any, salt: str, index: int, keep: Any, noise: Any) -> Any:
        if not self._variational:
            return nn_ops.dropout(value, keep, seed=self._seed_of(salt, index))
        keep = math_ops.cast(keep, value.dtype)
        kept = math_ops.div(value, keep) * math_ops.floor(keep + noise)
        kept.set_shape(value.get_shape())
        return kept

    def __call__(
        self,
        inputs: TensorTree,
        state: TensorTree,
        scope: str | VariableScope | None = None,
    ) -> tuple:
        """(outputs, next state) of the cell, with dropout."""
        inputs = self._dropped(inputs, "input", self._input_keep)
        output, new_state = self._cell(inputs, state, scope=scope)
        if _drops(self._state_keep):
            filtered = nest.get_traverse_shallow_structure(self._filter, new_state)
            new_state = self._dropped(new_state, "state", self._state_keep, filtered)
        return self._dropped(output, "output", self._output_keep), new_state


def _probability(name: str, value: Any) -> Any:
    """`value`, as a float if it is known to be 1."""
    tensor = ops.convert_to_tensor(value)
    known = tensor_util.constant_value(tensor)
    if known is None:
        return tensor
    if not 0 <= known <= 1:
        raise ValueError(f"Parameter {name} must be between 0 and 1: {known}")
    return float(known) if known == 1 else value


def _drops(keep: Any) -> bool:
    return not isinstance(keep, float) or keep < 1


class ResidualWrapper(_Wrapper):
    """A cell whose inputs are added to its outputs.

    Args:
        cell: the cell.
        residual_fn: f(inputs, outputs) in place of the sum, in the structure of the outputs.

    Raises:
        TypeError: where inputs and outputs differ in structure.
        ValueError: where they differ in structure, number or shape.
    """

    def __init__(self, cell: RNNCell, residual_fn: Callable | None = None):
        super().__init__(cell)
        self._residual_fn = residual_fn or _sum

    def __call__(
        self,
        inputs: TensorTree,
        state: TensorTree,
        scope: str | VariableScope | None = None,
    ) -> tuple:
        """(outputs + inputs, next state)."""
        outputs, new_state = self._cell(inputs, state, scope=scope)
        result = self._residual_fn(inputs, outputs)
        nest.assert_same_structure(outputs, result)
        return result, new_state


def _sum(inputs: Any, outputs: Any) -> Any:
    nest.assert_same_structure(inputs, outputs)

    def add(x: Any, y: Any) -> ops.Tensor:
        x.get_shape().assert_is_compatible_with(y.get_shape())
        return x + y

    return nest.map_structure(add, inputs, outputs)


class DeviceWrapper(_Wrapper):
    """A cell that runs on a device, a name or a function as `tf.device` takes."""

    def __init__(self, cell: RNNCell, device: DeviceLike):
        super().__init__(cell)
        self._device = device

    def zero_state(self, batch_size: TensorLike, dtype: DTypeLike) -> Any:
        with ops.device(self._device):
            return super().zero_state(batch_size, dtype)

    def __call__(
        self,
        inputs: TensorTree,
        state: TensorTree,
        scope: str | VariableScope | None = None,
    ) -> tuple:
        """(outputs, next state) of the cell, computed on the device."""
        with ops.device(self._device):
            return self._cell(inputs, state, scope=scope)
