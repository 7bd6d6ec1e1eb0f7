# SPDX-License-Identifier: Apache-2.0
"""Grid recurrent networks (Kalchbrenner et al. 2015): a cell for each dimension, all of which see all outputs."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tensorwright.python.framework import ops
from tensorwright.python.framework.type_aliases import ScopeLike, TensorLike
from tensorwright.python.ops import (
    array_ops,
    init_ops,
    math_ops,
    nn_ops,
    variable_scope as vs,
)
from tensorwright.python.ops.rnn_cell_impl import (
    BasicLSTMCell,
    BasicRNNCell,
    GRUCell,
    LSTMCell,
    LSTMStateTuple,
    RNNCell,
)
from tensorwright.python.platform import tf_logging as logging
from tensorwright.python.util import nest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tensorwright.python.framework.type_aliases import TensorTree


def _dims(given: Any, count: int) -> list[int]:
    """Dimensions as a list; ValueError where one is not in [0, count)."""
    if given is None:
        return []
    listed = list(given) if isinstance(given, (list, tuple)) else [given]
    if any(d < 0 or d >= count for d in listed):
        raise ValueError(f"Invalid dims: {given}. Must be in [0, {count})")
    return listed


class GridRNNCell(RNNCell):
    """A recurrent cell along `num_dims` dimensions.

    Args:
        num_units: size of every dimension's output.
        num_dims: the number of dimensions.
        input_dims: where inputs come in, side by side and projected: there they are in place of the state.
        output_dims: whose outputs are those of the cell.
        priority_dims: computed behind all others, whose new outputs they see.
        non_recurrent_dims: without a state: a linear map with `non_recurrent_fn`.
        tied: whether all dimensions have the same variables.
        cell_fn: f(num_units) -> a cell; LSTMCell if absent.
        non_recurrent_fn: relu if absent.
        state_is_tuple: whether the state is a tuple, an entry for each recurrent dimension; else they lie side by side.
        output_is_tuple: likewise the outputs.

    Raises:
        TypeError: where `num_dims` is not positive, or `cell_fn` gives no cell.
        ValueError: where a dimension is out of range.
    """

    def __init__(
        self,
        num_units: int,
        num_dims: int = 1,
        input_dims: int | Sequence[int] | None = None,
        output_dims: int | Sequence[int] | None = None,
        priority_dims: int | Sequence[int] | None = None,
        non_recurrent_dims: int | Sequence[int] | None = None,
        tied: bool = False,
        cell_fn: Callable | None = None,
        non_recurrent_fn: Callable | None = None,
        state_is_tuple: bool = True,
        output_is_tuple: bool = True,
    ):
        super().__init__()
        if not state_is_tuple:
            logging.warning(
                "%s: states side by side are slower than tuples; use state_is_tuple=True",
                self,
            )
        if num_dims < 1:
            raise TypeError(f"dims must be specified: {num_dims}")
        self._num_units = num_units
        self._num_dims = num_dims
        self._inputs = _dims(0 if input_dims is None else input_dims, num_dims)
        self._outputs = _dims(
            num_dims - 1 if output_dims is None else output_dims, num_dims
        )
        self._priority = _dims(priority_dims, num_dims)
        without = _dims(non_recurrent_dims, num_dims)
        self._recurrents = [d for d in range(num_dims) if d not in without]
        self._non_recurrent_fn = non_recurrent_fn or nn_ops.relu
        self._tied = tied
        self._state_is_tuple = state_is_tuple
        self._output_is_tuple = output_is_tuple
        make = cell_fn or (lambda n: LSTMCell(n, state_is_tuple=state_is_tuple))
        if tied:
            self._cells = [make(num_units)] * num_dims
        else:
            self._cells = [make(num_units) for _ in range(num_dims)]
        if not isinstance(self._cells[0], RNNCell):
            raise TypeError(
                f"cell_fn must return an RNNCell instance, saw: {type(self._cells[0])}"
            )

    @property
    def output_size(self) -> Any:
        size = self._cells[0].output_size
        if self._output_is_tuple:
            return (size,) * len(self._outputs)
        return size * len(self._outputs)

    @property
    def _own_state_size(self) -> int:
        return sum(nest.flatten(self._cells[0].state_size))

    @property
    def state_size(self) -> Any:
        if self._state_is_tuple:
            return (self._cells[0].state_size,) * len(self._recurrents)
        return self._own_state_size * len(self._recurrents)

    def __call__(
        self, inputs: TensorLike, state: TensorTree, scope: ScopeLike | None = None
    ) -> tuple:
        """(outputs of `output_dims`, next state)."""
        memories, outputs = self._split_state(state)
        with vs.variable_scope(scope or type(self).__name__):
            if inputs is not None and self._inputs:
                self._project(inputs, memories, outputs)
            new_outputs: list = [None] * self._num_dims
            new_states: list = [None] * self._num_dims
            others = [d for d in range(self._num_dims) if d not in self._priority]
            first = True
            for dims in (others, self._priority):
                first = self._propagate(
                    dims, memories, outputs, new_outputs, new_states, first
                )
        found = [new_outputs[d] for d in self._outputs]
        states = [new_states[d] for d in self._recurrents]
        result: Any = tuple(found) if self._output_is_tuple else _joined(found)
        if self._state_is_tuple:
            return result, tuple(states)
        return result, _joined(nest.flatten(states))

    def _split_state(self, state: Any) -> tuple[list, list]:
        """Returns, for each dimension, its memory (None if cells have none), and its output of the step before."""
        n, total = self._num_units, self._own_state_size
        memories: list = [None] * self._num_dims
        outputs: list = [None] * self._num_dims
        if self._state_is_tuple:
            if len(state) != len(self._recurrents):
                raise ValueError(
                    f"Expected state as a tuple of {len(self._recurrents)} elements, got "
                    f"{len(state)}"
                )
            for d, own in zip(self._recurrents, state, strict=True):
                if total > n:
                    memories[d], outputs[d] = own
                else:
                    outputs[d] = own
            return memories, outputs
        for i, d in enumerate(self._recurrents):
            own = array_ops.slice(state, [0, i * total], [-1, total])
            if total > n:
                memories[d], outputs[d] = array_ops.split(own, [n, total - n], axis=1)
            else:
                outputs[d] = own
        return memories, outputs

    def _project(self, inputs: Any, memories: list, outputs: list) -> None:
        """Puts projected inputs in place of memories and outputs."""
        if inputs.get_shape().with_rank(2)[1].value == 0:
            return
        dtype = inputs.dtype.base_dtype
        parts = array_ops.split(inputs, len(self._inputs), axis=1)
        for d, part in zip(self._inputs, parts, strict=True):
            shape = [part.get_shape()[1].value, self._num_units]
            outputs[d] = math_ops.matmul(
                part, vs.get_variable(f"project_m_{d}", shape, dtype=dtype)
            )
            if self._own_state_size > self._num_units:
                memories[d] = math_ops.matmul(
                    part, vs.get_variable(f"project_c_{d}", shape, dtype=dtype)
                )

    def _propagate(
        self,
        dims: list[int],
        memories: list,
        outputs: list,
        new_outputs: list,
        new_states: list,
        first: bool,
    ) -> bool:
        """Computes `dims`, all from the values before; returns whether variables are still to be made."""
        if not dims:
            return first
        seen = [
            old if new is None else new
            for old, new in zip(outputs, new_outputs, strict=True)
        ]
        # The last dimension's output is where a cell has that of the step before.
        *sides, last = seen
        if sides:
            inputs = array_ops.concat(sides, 1)
        else:
            inputs = array_ops.zeros([array_ops.shape(last)[0], 0], last.dtype)
            inputs.set_shape([last.get_shape()[0], 0])
        for d in dims:
            kind = "recurrent" if d in self._recurrents else "non_recurrent"
            with vs.variable_scope(kind if self._tied else f"{kind}/cell_{d}"):
                if self._tied and not first:
                    vs.get_variable_scope().reuse_variables()
                first = False
                if d not in self._recurrents:
                    new_outputs[d] = self._mapped(array_ops.concat([inputs, last], 1))
                    continue
                state: Any = last
                if memories[d] is not None:
                    state = self._cell_state(memories[d], last)
                new_outputs[d], new_states[d] = self._cells[d](inputs, state)
        return first

    def _cell_state(self, memory: Any, output: Any) -> Any:
        if nest.is_sequence(self._cells[0].state_size):
            return LSTMStateTuple(memory, output)
        return array_ops.concat([memory, output], 1)

    def _mapped(self, x: ops.Tensor) -> ops.Tensor:
        size, dtype = x.get_shape()[1].value, x.dtype.base_dtype
        initializer = vs.get_variable_scope().initializer
        with vs.variable_scope("fully_connected"):
            weights = vs.get_variable(
                "weights",
                [size, self._num_units],
                dtype=dtype,
                initializer=initializer or init_ops.glorot_uniform_initializer(),
            )
            biases = vs.get_variable(
                "biases",
                [self._num_units],
                dtype=dtype,
                initializer=init_ops.zeros_initializer(),
            )
        return self._non_recurrent_fn(
            nn_ops.bias_add(math_ops.matmul(x, weights), biases)
        )


def _joined(values: list) -> ops.Tensor:
    return array_ops.concat(values, 1) if values else array_ops.zeros([0, 0])


class Grid1BasicRNNCell(GridRNNCell):
    """One dimension of BasicRNNCell."""

    def __init__(
        self, num_units: int, state_is_tuple: bool = True, output_is_tuple: bool = True
    ):
        super().__init__(
            num_units, 1, 0, 0, 0,
            cell_fn=BasicRNNCell,
            state_is_tuple=state_is_tuple,
            output_is_tuple=output_is_tuple,
        )  # fmt: skip


class _Grid(GridRNNCell):
    """Several dimensions: inputs, outputs, priority and, with `non_recurrent_fn`, no recurrence in the first one."""

    def __init__(
        self,
        num_units: int,
        num_dims: int,
        tied: bool,
        non_recurrent_fn: Callable | None,
        cell_fn: Callable,
        state_is_tuple: bool,
        output_is_tuple: bool,
    ):
        super().__init__(
            num_units, num_dims, 0, 0, 0,
            non_recurrent_dims=None if non_recurrent_fn is None else 0,
            tied=tied,
            cell_fn=cell_fn,
            non_recurrent_fn=non_recurrent_fn,
            state_is_tuple=state_is_tuple,
            output_is_tuple=output_is_tuple,
        )  # fmt: skip


class Grid2BasicRNNCell(_Grid):
    """Two dimensions of BasicRNNCell."""

    def __init__(
        self,
        num_units: int,
        tied: bool = False,
        non_recurrent_fn: Callable | None = None,
        state_is_tuple: bool = True,
        output_is_tuple: bool = True,
    ):
        super().__init__(
            num_units, 2, tied, non_recurrent_fn, BasicRNNCell,
            state_is_tuple, output_is_tuple,
        )  # fmt: skip


class Grid1BasicLSTMCell(_Grid):
    """One dimension of BasicLSTMCell."""

    def __init__(
        self,
        num_units: int,
        forget_bias: float = 1,
        state_is_tuple: bool = True,
        output_is_tuple: bool = True,
    ):
        def cell(n: int) -> RNNCell:
            return BasicLSTMCell(n, forget_bias, state_is_tuple=state_is_tuple)

        super().__init__(
            num_units, 1, False, None, cell, state_is_tuple, output_is_tuple
        )


class Grid2BasicLSTMCell(_Grid):
    """Two dimensions of BasicLSTMCell."""

    def __init__(
        self,
        num_units: int,
        tied: bool = False,
        non_recurrent_fn: Callable | None = None,
        forget_bias: float = 1,
        state_is_tuple: bool = True,
        output_is_tuple: bool = True,
    ):
        def cell(n: int) -> RNNCell:
            return BasicLSTMCell(n, forget_bias, state_is_tuple=state_is_tuple)

        super().__init__(
            num_units, 2, tied, non_recurrent_fn, cell, state_is_tuple, output_is_tuple
        )


def _lstm(use_peepholes: bool, forget_bias: float, state_is_tuple: bool) -> Callable:
    return lambda n: LSTMCell(
        n,
        use_peepholes=use_peepholes,
        forget_bias=forget_bias,
        state_is_tuple=state_is_tuple,
    )


class Grid1LSTMCell(_Grid):
    """One dimension of LSTMCell."""

    def __init__(
        self,
        num_units: int,
        use_peepholes: bool = False,
        forget_bias: float = 1.0,
        state_is_tuple: bool = True,
        output_is_tuple: bool = True,
    ):
        cell = _lstm(use_peepholes, forget_bias, state_is_tuple)
        super().__init__(
            num_units, 1, False, None, cell, state_is_tuple, output_is_tuple
        )


class Grid2LSTMCell(_Grid):
    """Two dimensions of LSTMCell."""

    def __init__(
        self,
        num_units: int,
        tied: bool = False,
        non_recurrent_fn: Callable | None = None,
        use_peepholes: bool = False,
        forget_bias: float = 1.0,
        state_is_tuple: bool = True,
        output_is_tuple: bool = True,
    ):
        cell = _lstm(use_peepholes, forget_bias, state_is_tuple)
        super().__init__(
            num_units, 2, tied, non_recurrent_fn, cell, state_is_tuple, output_is_tuple
        )


class Grid3LSTMCell(_Grid):
    """Three dimensions of LSTMCell."""

    def __init__(
        self,
        num_units: int,
        tied: bool = False,
        non_recurrent_fn: Callable | None = None,
        use_peepholes: bool = False,
        forget_bias: float = 1.0,
        state_is_tuple: bool = True,
        output_is_tuple: bool = True,
    ):
        cell = _lstm(use_peepholes, forget_bias, state_is_tuple)
        super().__init__(
            num_units, 3, tied, non_recurrent_fn, cell, state_is_tuple, output_is_tuple
        )


class Grid2GRUCell(_Grid):
    """Two dimensions of GRUCell."""

    def __init__(
        self,
        num_units: int,
        tied: bool = False,
        non_recurrent_fn: Callable | None = None,
        state_is_tuple: bool = True,
        output_is_tuple: bool = True,
    ):
        super().__init__(
            num_units, 2, tied, non_recurrent_fn, GRUCell,
            state_is_tuple, output_is_tuple,
        )  # fmt: skip
