# SPDX-License-Identifier: Apache-2.0
"""The variables of a graph by name: making them, finding them, cutting them."""

from __future__ import annotations

import enum
import inspect
from collections.abc import Callable, Iterable
from typing import Any

from tensorwright.python.framework import dtypes, ops, tensor_shape
from tensorwright.python.framework.type_aliases import (
    DeviceLike,
    DTypeLike,
    InitializerLike,
    ReuseLike,
    ShapeLike,
)
from tensorwright.python.ops import array_ops, init_ops, variables


class _ReuseMode(enum.Enum):
    """Values of `reuse` beside True, False and None."""

    AUTO_REUSE = 1


AUTO_REUSE = _ReuseMode.AUTO_REUSE


class _PartitionInfo:
    """The part of a variable for which an initializer is called."""

    def __init__(self, full_shape: Any, var_offset: Any):
        for name, numbers in (("full_shape", full_shape), ("var_offset", var_offset)):
            if not isinstance(numbers, (list, tuple)):
                raise TypeError(
                    f"{name} must be a list or tuple of numbers, got {numbers!r}"
                )
        if len(full_shape) != len(var_offset):
            raise ValueError(
                f"var_offset must have a number for each of full_shape, got {var_offset} "
                f"for {full_shape}"
            )
        if any(o < 0 or o >= s for o, s in zip(var_offset, full_shape, strict=True)):
            raise ValueError(
                f"Offsets {var_offset} must be at least 0 and below {full_shape}"
            )
        self._full_shape = full_shape
        self._var_offset = var_offset

    @property
    def full_shape(self) -> Any:
        return self._full_shape

    @property
    def var_offset(self) -> Any:
        return self._var_offset

    def single_offset(self, shape: Any) -> int:
        """The offset in the one dimension that is cut; 0 if none is."""
        index = self.single_slice_dim(shape)
        return 0 if index is None else self._var_offset[index]

    def single_slice_dim(self, shape: Any) -> int | None:
        """The one dimension that is cut, or None.

        Raises:
            ValueError: several are cut, or a part of `shape` at the offsets is no part of the whole.
        """
        if len(shape) != len(self._full_shape):
            raise ValueError(
                f"shape must have a size for each of full_shape, got {shape} for "
                f"{self._full_shape}"
            )
        for i, size in enumerate(shape):
            if self._var_offset[i] + size > self._full_shape[i]:
                raise ValueError(
                    f"A part of shape {shape} at the offsets {self._var_offset} would exceed "
                    f"full_shape {self._full_shape} in dimension {i}"
                )
        cut = [i for i, n in enumerate(shape) if n < self._full_shape[i]]
        if len(cut) > 1:
            raise ValueError(
                f"Cannot use single_slice_dim() with shape {shape} and _PartitionInfo "
                f"{self._full_shape}: slice dims {cut}"
            )
        return cut[0] if cut else None


def _check_initializer(name: str, shape: Any, initializer: Any) -> Any:
    """The shape to make: that of a constant initializer where none is given."""
    if callable(initializer):
        if shape is None or not tensor_shape.as_shape(shape).is_fully_defined():
            raise ValueError(
                f"Shape of a new variable ({name}) must be fully defined, but instead "
                f"was {shape}."
            )
        return tensor_shape.as_shape(shape)
    if shape is not None and initializer is not None:
        raise ValueError(
            "If initializer is a constant, do not specify shape: variable "
            f"{name} has that of its initializer, got {shape}"
        )
    return None


class VariableStore:
    """The variables that `get_variable` made in a graph, by full name."""

    def __init__(self) -> None:
        self._vars: dict[str, Any] = {}
        self._partitioned_vars: dict[str, Any] = {}

    def get_variable(
        self,
        name: str,
        shape: ShapeLike = None,
        dtype: DTypeLike = dtypes.float32,
        initializer: InitializerLike | None = None,
        regularizer: Callable | None = None,
        reuse: ReuseLike = None,
        trainable: bool | None = None,
        collections: Iterable[str] | None = None,
        caching_device: DeviceLike = None,
        partitioner: Callable | None = None,
        validate_shape: bool = True,
        use_resource: bool | None = None,
        custom_getter: Callable | None = None,
        constraint: Callable | None = None,
        synchronization: variables.VariableSynchronization = variables.VariableSynchronization.AUTO,
        aggregation: variables.VariableAggregation = variables.VariableAggregation.NONE,
    ) -> Any:
        """The variable of that full name, made if `reuse` allows it.

        `custom_getter(getter, name, ...)` may stand between; it calls `getter` with
        the arguments of this method.
        """
        if custom_getter is not None and not callable(custom_getter):
            raise ValueError(
                f"Passed a custom_getter which is not callable: {custom_getter}"
            )
        if trainable is None:
            # Getters of programs read this argument, so it has the effective value.
            trainable = synchronization != variables.VariableSynchronization.ON_READ
        arguments = {
            "name": name,
            "shape": shape,
            "dtype": dtype,
            "initializer": initializer,
            "regularizer": regularizer,
            "reuse": reuse,
            "trainable": trainable,
            "collections": collections,
            "caching_device": caching_device,
            "partitioner": partitioner,
            "validate_shape": validate_shape,
            "use_resource": use_resource,
            "constraint": constraint,
            "synchronization": synchronization,
            "aggregation": aggregation,
        }
        if custom_getter is None:
            return self._get(**arguments)
        return custom_getter(getter=self._get, **arguments)

    def _get(
        self,
        name: str,
        shape: Any = None,
        dtype: Any = dtypes.float32,
        initializer: Any = None,
        regularizer: Callable | None = None,
        reuse: Any = None,
        trainable: bool | None = None,
        collections: Any = None,
        caching_device: Any = None,
        partitioner: Callable | None = None,
        validate_shape: bool = True,
        use_resource: bool | None = None,
        constraint: Callable | None = None,
        synchronization: Any = variables.VariableSynchronization.AUTO,
        aggregation: Any = variables.VariableAggregation.NONE,
    ) -> Any:
        dtype = dtypes.as_dtype(dtype).base_dtype
        options = {
            "trainable": trainable,
            "collections": collections,
            "caching_device": caching_device,
            "validate_shape": validate_shape,
            "use_resource": use_resource,
            "constraint": constraint,
            "synchronization": synchronization,
            "aggregation": aggregation,
        }
        if partitioner is not None:
            if not callable(partitioner):
                raise ValueError(
                    f"Partitioner must be callable, but received: {partitioner}"
                )
            is_scalar = isinstance(shape, (list, tuple)) and not shape
        # A scalar has no parts: a partitioner of a whole model does not ask for some.
        if partitioner is not None and not is_scalar:
            with ops.name_scope(None):
                return self._get_partitioned(
                    name, shape, dtype, initializer, regularizer, reuse, partitioner,
                    options,
                )  # fmt: skip
        if reuse is True and name in self._partitioned_vars:
            return self._existing(name, self._partitioned_vars[name], shape, dtype)
        if name in self._partitioned_vars or f"{name}/part_0" in self._vars:
            raise ValueError(
                "No partitioner was provided, but a partitioned version of the "
                f"variable was found: {name}/part_0.  Perhaps a variable of the same "
                "name was already created with partitioning?"
            )
        return self._get_single(
            name, shape, dtype, initializer, regularizer, reuse, None, options
        )

    def _existing(self, name: str, found: Any, shape: Any, dtype: Any) -> Any:
        """Returns `found`, if it fits the caller's request."""
        if shape is not None and not tensor_shape.as_shape(shape).is_compatible_with(
            found.get_shape()
        ):
            raise ValueError(
                f"Trying to share variable {name}, but specified shape "
                f"{tensor_shape.as_shape(shape)} and found shape {found.get_shape()}."
            )
        if not dtype.is_compatible_with(found.dtype.base_dtype):
            raise ValueError(
                f"Trying to share variable {name}, but specified dtype {dtype.name} "
                f"and found dtype {found.dtype.name}."
            )
        return found

    def _may_create(self, name: str, reuse: Any) -> None:
        if reuse is True:
            raise ValueError(
                f"Variable {name} does not exist, or was not created with "
                "tf.get_variable(), and reuse=True makes none. Did you mean to set "
                "reuse=tf.AUTO_REUSE in VarScope?"
            )

    def _may_share(self, name: str, found: Any, reuse: Any) -> None:
        if not reuse:
            where = found.op._defined_at() if hasattr(found, "op") else None
            raise ValueError(
                f"Variable {name} already exists, disallowed. Did you mean to set "
                "reuse=True or reuse=tf.AUTO_REUSE in VarScope?"
                + (f" Originally defined at: {where}" if where else "")
            )

    def _get_single(
        self,
        name: str,
        shape: Any,
        dtype: dtypes.DType,
        initializer: Any,
        regularizer: Callable | None,
        reuse: Any,
        partition_info: _PartitionInfo | None,
        options: dict[str, Any],
    ) -> variables.Variable:
        found = self._vars.get(name)
        if found is not None:
            self._may_share(name, found, reuse)
            return self._existing(name, found, shape, dtype)
        self._may_create(name, reuse)
        if isinstance(initializer, type):
            initializer = initializer()
        is_default = initializer is None
        if is_default:
            if shape is None:
                raise ValueError(
                    f"Shape of a new variable ({name}) must be fully defined, but "
                    "instead was <unknown>."
                )
            initializer = default_initializer(name, dtype)
        shape = _check_initializer(name, shape, initializer)
        variable_dtype: Any = dtype
        if not callable(initializer):
            initial = initializer
            if isinstance(initializer, (ops.Tensor, variables.Variable)):
                variable_dtype = None
        elif is_default or _takes_partition_info(initializer, partition_info):
            info = {"partition_info": partition_info}
            sizes = shape.as_list()

            def from_partition() -> Any:
                return initializer(sizes, dtype=dtype, **info)

            initial = from_partition
        else:
            sizes = shape.as_list()

            def from_sizes() -> Any:
                return _call_initializer(initializer, sizes, dtype)

            initial = from_sizes

        variable = variables.Variable(
            initial_value=initial, name=name, dtype=variable_dtype, **options
        )
        self._vars[name] = variable
        if regularizer is not None:
            self._regularize(name, variable, regularizer)
        return variable

    def _regularize(self, name: str, variable: Any, regularizer: Callable) -> None:
        with ops.colocate_with(variable.op), ops.name_scope(name + "/Regularizer/"):
            loss = regularizer(variable)
        if loss is not None:
            ops.add_to_collection(ops.GraphKeys.REGULARIZATION_LOSSES, loss)

    def _get_partitioned(
        self,
        name: str,
        shape: Any,
        dtype: dtypes.DType,
        initializer: Any,
        regularizer: Callable | None,
        reuse: Any,
        partitioner: Callable,
        options: dict[str, Any],
    ) -> variables.PartitionedVariable:
        if name in self._vars:
            raise ValueError(
                "A partitioner was provided, but an unpartitioned version of the "
                f"variable was found: {name}.  Perhaps a variable of the same name was "
                "already created without partitioning?"
            )
        if initializer is not None and not callable(initializer) and shape is None:
            shape = ops.convert_to_tensor(initializer).get_shape()
        shape = tensor_shape.as_shape(shape)
        found = self._partitioned_vars.get(name)
        if found is not None:
            self._may_share(name, found, reuse)
            self._existing(name, found, shape, dtype)
            _check_same_parts(name, found, partitioner, dtype)
            return found
        self._may_create(name, reuse)
        if not shape.is_fully_defined():
            raise ValueError(
                f"Shape of a new partitioned variable ({name}) must be fully defined, "
                f"but instead was {shape}."
            )
        sizes = shape.as_list()
        if not sizes:
            raise ValueError(
                f"A partitioned variable ({name}) must have rank at least 1"
            )
        partitions = _checked_partitions(partitioner(shape=shape, dtype=dtype), sizes)
        axis, count = _partition_axis(partitions)
        parts, offset = [], 0
        base, extra = divmod(sizes[axis], count)
        for i in range(count):
            part_sizes = list(sizes)
            part_sizes[axis] = base + (1 if i < extra else 0)
            offsets = [0] * len(sizes)
            offsets[axis] = offset
            offset += part_sizes[axis]
            part = self._get_single(
                f"{name}/part_{i}",
                *_part_initializer(initializer, offsets, part_sizes, dtype),
                regularizer,
                reuse,
                _PartitionInfo(sizes, offsets),
                options,
            )
            part._set_save_slice_info(
                variables.Variable.SaveSliceInfo(name, sizes, offsets, part_sizes)
            )
            parts.append(part)
        whole = variables.PartitionedVariable(name, shape, dtype, parts, partitions)
        self._partitioned_vars[name] = whole
        return whole


def _part_initializer(
    initializer: Any, offsets: list[int], sizes: list[int], dtype: Any
) -> tuple[Any, Any, Any]:
    """(shape, dtype, initializer) of a part; a constant is sliced."""
    if initializer is None or callable(initializer):
        return sizes, dtype, initializer
    value = ops.convert_to_tensor(initializer)
    return None, value.dtype.base_dtype, array_ops.slice(value, offsets, sizes)


def _checked_partitions(partitions: Any, sizes: list[int]) -> list[int]:
    if not isinstance(partitions, (list, tuple)):
        raise ValueError(f"Partitioner must return a sequence, but saw: {partitions}")
    if len(partitions) != len(sizes):
        raise ValueError(
            f"the partitioner gave {partitions}, which does not fit the rank of {sizes}"
        )
    if any(p < 1 for p in partitions):
        raise ValueError(
            f"Partitioner returned zero partitions for some axes: {partitions}"
        )
    if sum(p > 1 for p in partitions) > 1:
        raise ValueError(
            f"A variable can be cut along one dimension only: partitions {partitions}"
        )
    return list(partitions)


def _partition_axis(partitions: list[int]) -> tuple[int, int]:
    for axis, count in enumerate(partitions):
        if count > 1:
            return axis, count
    return 0, 1


def _takes_partition_info(initializer: Any, info: _PartitionInfo | None) -> bool:
    """Whether an initializer names the argument; one that takes any named argument is given that of a part."""
    try:
        parameters = inspect.signature(initializer).parameters
    except (TypeError, ValueError):  # Functions of C have no signature.
        return False
    if "partition_info" in parameters:
        return True
    return info is not None and any(
        p.kind is inspect.Parameter.VAR_KEYWORD for p in parameters.values()
    )


def _call_initializer(initializer: Any, sizes: list[int], dtype: Any) -> Any:
    """Calls a user's initializer: `f(shape, dtype)`, or `f()` for those without."""
    code = getattr(initializer, "__code__", None)
    if code is not None and code.co_argcount == 0 and not code.co_flags & 0x04:
        return initializer()
    return initializer(sizes, dtype=dtype)


def _check_same_parts(name: str, found: Any, partitioner: Callable, dtype: Any) -> None:
    """Raises ValueError if a partitioner would make other parts than the existing ones."""
    shape = found.get_shape()
    asked = _checked_partitions(partitioner(shape=shape, dtype=dtype), shape.as_list())
    have = list(found._get_partitions())
    if list(asked) != have:
        raise ValueError(
            f"Trying to reuse partitioned variable {name}, but specified partitions "
            f"{list(asked)} and found partitions {have}."
        )


def default_initializer(name: str, dtype: dtypes.DType) -> init_ops.Initializer:
    """Glorot's uniform for floats, zeros for integers and bools, empty strings."""
    if dtype.is_floating:
        return init_ops.GlorotUniform()
    if dtype.is_integer or dtype.is_unsigned or dtype.is_bool or dtype == dtypes.string:
        return init_ops.Zeros(dtype)
    raise ValueError(f"An initializer for variable {name} of {dtype.name} is required")
