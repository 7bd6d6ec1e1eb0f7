# SPDX-License-Identifier: Apache-2.0
"""RNNCell: one step of a recurrent network, from inputs and a state to outputs and the next state."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from tensorwright.python.framework import dtypes, ops, tensor_shape, tensor_util
from tensorwright.python.framework.type_aliases import DTypeLike, TensorLike, TensorTree
from tensorwright.python.ops import array_ops, variable_scope as vs
from tensorwright.python.ops._layers import base
from tensorwright.python.util import nest

if TYPE_CHECKING:
    from tensorwright.python.framework.type_aliases import ShapeLike
    from tensorwright.python.ops.variable_scope import VariableScope


def _lacks(cell: object) -> list[str]:
    """Lists the attributes of a cell that `cell` lacks."""
    lacks = [
        f"{name!r} is missing"
        for name in ("output_size", "state_size")
        if not hasattr(cell, name)
    ]
    if not hasattr(cell, "zero_state") and not hasattr(cell, "get_initial_state"):
        lacks.append("'zero_state' or 'get_initial_state' is missing")
    if not callable(cell):
        lacks.append("it is not callable")
    return lacks


def _like_rnncell(cell: object) -> bool:
    """Whether an object has the attributes of a cell, whatever its class."""
    return not _lacks(cell)


def assert_like_rnncell(cell_name: str, cell: object) -> None:
    """Raises TypeError, naming the argument, if `cell` lacks an attribute of a cell."""
    lacks = _lacks(cell)
    if lacks:
        raise TypeError(
            f"The argument {cell_name!r} ({cell}) is not an RNNCell: {', '.join(lacks)}."
        )


def with_batch(
    batch_size: TensorLike, size: ShapeLike | ops.Tensor
) -> list[int] | ops.Tensor:
    """[batch_size, *size] as a list of ints, or a tensor where something is known in runs only.

    `size` is an int, a TensorShape, or an int32 tensor: a scalar or a vector.
    """
    if isinstance(size, ops.Tensor):
        static = tensor_util.constant_value(size)
        if static is not None:
            size = static.tolist()
    if isinstance(size, ops.Tensor):
        tail = array_ops.reshape(size, [-1])
    else:
        tail = tensor_shape.as_shape(size).as_list()
        if None in tail:
            raise ValueError(f"the size of a state must be fully known, got {size}")
    if isinstance(batch_size, ops.Tensor):
        known = tensor_util.constant_value(batch_size)
        batch_size = batch_size if known is None else int(known)
    if isinstance(batch_size, ops.Tensor) or isinstance(tail, ops.Tensor):
        head = array_ops.reshape(batch_size, [1])
        return array_ops.concat([head, tail], 0)
    rows: Any = batch_size
    return [int(rows), *tail]


def static_with_batch(
    batch_size: TensorLike | None, size: ShapeLike | ops.Tensor
) -> tensor_shape.TensorShape:
    """Returns the static shape of [batch_size, *size], as far as the graph knows it."""
    if isinstance(batch_size, ops.Tensor):
        batch_size = tensor_util.constant_value(batch_size)
    if isinstance(size, ops.Tensor):
        known = tensor_util.constant_value(size)
        if known is None:
            # A scalar is one size, a vector is as many as it is long.
            rank = size.get_shape().num_elements()
            tail = tensor_shape.TensorShape(None if rank is None else [None] * rank)
        else:
            tail = tensor_shape.as_shape(known.tolist())
    else:
        tail = tensor_shape.as_shape(size)
    rows: Any = batch_size
    batch = None if rows is None else int(rows)
    return tensor_shape.TensorShape([batch]).concatenate(tail)


def _concat(prefix: Any, suffix: Any, static: bool = False) -> Any:
    """The shape `prefix` followed by `suffix`.

    Args:
        prefix: an int, a TensorShape, or an int32 tensor: a scalar or a vector.
        suffix: the same.
        static: whether to return the static shape.

        Returns:
            An int32 vector; if `static` a list with None for unknown sizes, or None for an unknown rank.

    Raises:
        ValueError: for a shape that is not fully known, unless `static`.
    """

    def known(part: Any) -> tensor_shape.TensorShape:
        if not isinstance(part, ops.Tensor):
            return tensor_shape.as_shape(part)
        if part.get_shape().ndims == 0:
            return tensor_util.constant_value_as_shape(array_ops.expand_dims(part, 0))
        return tensor_util.constant_value_as_shape(part)

    def vector(part: Any) -> ops.Tensor:
        if isinstance(part, ops.Tensor):
            return array_ops.reshape(part, [-1])
        if not known(part).is_fully_defined():
            raise ValueError(f"prefix and suffix must be fully known, got {part}")
        return ops.convert_to_tensor(known(part).as_list(), dtypes.int32)

    if static:
        shape = known(prefix).concatenate(known(suffix))
        return None if shape.ndims is None else shape.as_list()
    return array_ops.concat([vector(prefix), vector(suffix)], 0)


def _zero_state_tensors(state_size: Any, batch_size: Any, dtype: Any) -> Any:
    """Zeros [batch_size, *size] for each size of a structure."""

    def zeros(size: Any) -> ops.Tensor:
        made = array_ops.zeros(with_batch(batch_size, size), dtype=dtype)
        made.set_shape(static_with_batch(batch_size, size))
        return made

    return map_sizes(zeros, state_size)


def map_sizes(function: Any, sizes: Any) -> Any:
    """`function` of each size of a structure.  A TensorShape is one size."""
    if isinstance(sizes, tensor_shape.TensorShape) or not nest.is_sequence(sizes):
        return function(sizes)
    return nest.map_structure(function, sizes)


class RNNCell(base.Layer):
    """One step: `outputs, state = cell(inputs, state)`.

    Inputs are [batch, n], outputs [batch, output_size], and so is each part of a state, whose sizes are the structure
    `state_size`.  The variables are in a scope of the cell's own, made in the first call, which later calls reuse.
    Subclasses define `state_size`, `output_size` and `call(inputs, state)`; variables that `call` gets by
    `get_variable` are the cell's.
    """

    def __call__(
        self,
        inputs: TensorTree,
        state: TensorTree,
        scope: str | VariableScope | None = None,
    ) -> Any:  # type: ignore[override]
        """(outputs, next state); `scope` is a variable scope, or its name, for the variables."""
        if scope is not None:
            with vs.variable_scope(scope, custom_getter=self._get_variable) as entered:
                return super().__call__(inputs, state, scope=entered)
        current = vs.variable_scope(
            vs.get_variable_scope(),
            custom_getter=self._get_variable,
            auxiliary_name_scope=False,
        )
        with current:
            return super().__call__(inputs, state)

    def _get_variable(self, getter: Any, *args: Any, **kwargs: Any) -> Any:
        variable = getter(*args, **kwargs)
        for part in variable if hasattr(variable, "_get_partitions") else [variable]:
            self._keep(part, part.trainable)
        return variable

    @property
    def state_size(self) -> Any:
        """Sizes of the state: an int, a TensorShape, or a structure of such."""
        raise NotImplementedError(f"{type(self).__name__} has no state_size")

    @property
    def output_size(self) -> Any:
        """Size of the outputs: an int, a TensorShape, or a structure of such."""
        raise NotImplementedError(f"{type(self).__name__} has no output_size")

    def build(self, _: object) -> None:
        # Variables are made in call().
        self.built = True

    def get_initial_state(
        self,
        inputs: TensorTree | None = None,
        batch_size: TensorLike | None = None,
        dtype: DTypeLike | None = None,
    ) -> Any:
        """The state to begin with; batch size and dtype are those of `inputs` where it is given."""
        if inputs is not None:
            inputs = ops.convert_to_tensor(cast(Any, inputs))
            static = inputs.get_shape()
            known = static.ndims is not None and static[0].value is not None
            batch_size = static[0].value if known else array_ops.shape(inputs)[0]
            dtype = inputs.dtype.base_dtype
        if batch_size is None or dtype is None:
            raise ValueError(
                "get_initial_state: either `inputs` or both `batch_size` and `dtype` "
                f"are needed, got batch_size={batch_size}, dtype={dtype}"
            )
        return self.zero_state(batch_size, dtype)

    def zero_state(self, batch_size: TensorLike, dtype: DTypeLike) -> Any:
        """A state of zeros: [batch_size, size] for each size of `state_size`."""
        with ops.name_scope(f"{type(self).__name__}ZeroState", values=[batch_size]):
            return _zero_state_tensors(self.state_size, batch_size, dtype)


class LayerRNNCell(RNNCell):
    """A cell that makes its variables in `build`, as layers do."""

    def __call__(
        self,
        inputs: TensorTree,
        state: TensorTree,
        scope: str | VariableScope | None = None,
    ) -> Any:
        """(outputs, next state); `scope` is a variable scope, or its name, for the variables.

        Raises ValueError for inputs or states that are not floating.
        """
        for value in nest.flatten([inputs, state]):
            dtype = getattr(value, "dtype", None)
            if dtype is not None and not dtypes.as_dtype(dtype).is_floating:
                raise ValueError(f"{self.name}: inputs must be floating, got {dtype}")
        return base.Layer.__call__(self, inputs, state, scope=scope)
