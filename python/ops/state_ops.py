# SPDX-License-Identifier: Apache-2.0
"""Variables at the level of ops: making, assigning, scattering."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any, cast

from tensorwright.python.framework import dtypes, ops, tensor_shape
from tensorwright.python.framework.type_aliases import DTypeLike, ShapeLike, TensorLike
from tensorwright.python.ops import (
    array_ops,
    gen_math_ops,
    gen_resource_variable_ops,
    gen_state_ops,
)

if TYPE_CHECKING:
    from tensorwright.python.ops._variables.variables_variable import Variable


def variable_op(
    shape: ShapeLike,
    dtype: DTypeLike,
    name: str = "Variable",
    set_shape: bool = True,
    container: str = "",
    shared_name: str = "",
) -> ops.Tensor:
    """A reference to a variable (the older op, which needs no `shape`)."""
    if not set_shape:
        shape = tensor_shape.unknown_shape()
    return gen_state_ops.variable(
        shape=shape,
        dtype=dtype,
        container=container,
        shared_name=shared_name,
        name=name,
    )


def variable_op_v2(
    shape: ShapeLike,
    dtype: DTypeLike,
    name: str = "Variable",
    container: str = "",
    shared_name: str = "",
) -> ops.Tensor:
    """A reference to a variable of a shape (partly) known."""
    return gen_state_ops.variable_v2(
        shape=shape,
        dtype=dtype,
        container=container,
        shared_name=shared_name,
        name=name,
    )


def is_variable_initialized(
    ref: Variable | ops.Tensor, name: str | None = None
) -> ops.Tensor:
    """Whether a variable has a value, a bool scalar."""
    # The op runs where the variable is, whatever the device scopes say: references do not leave their task.
    with ops.device(ref.device) if ref.device else contextlib.nullcontext():
        if _has_handle(ref):
            held: Any = ref
            return held.is_initialized(name=name)
        if isinstance(ref, ops.Tensor) and ref.dtype == dtypes.resource:
            return gen_resource_variable_ops.var_is_initialized_op(ref, name=name)
        return gen_state_ops.is_variable_initialized(_ref(ref), name=name)


def _has_handle(variable: Any) -> bool:
    """Whether a variable is behind a handle: then its own methods change it."""
    return isinstance(getattr(variable, "handle", None), ops.Tensor)


def _is_value(ref: Any) -> bool:
    """Whether `ref` is a tensor that refers to no variable.

    A slice of a variable, such as `v[0:2]`, has a method that assigns to it; others have none.
    """
    return isinstance(ref, ops.Tensor) and not ref.dtype._is_ref_dtype


def _method(ref: Any, name: str) -> Any:
    """The method of `ref` that changes it; AttributeError, as programs expect, if it has none."""
    method = getattr(ref, name, None)
    if method is None:
        raise AttributeError(
            f"{name}: ref must be a variable, got {ref!r}, which has no attribute {name!r}"
        )
    return method


def _ref(variable: Any) -> Any:
    """The reference of a Variable; a reference tensor itself."""
    return variable._ref() if hasattr(variable, "_ref") else variable


def assign(
    ref: Variable | ops.Tensor,
    value: TensorLike,
    validate_shape: bool | None = None,
    use_locking: bool | None = None,
    name: str | None = None,
) -> ops.Tensor:
    """Gives a variable, or a slice of one, a value.  The result is the variable after the assignment.

    Raises:
        AttributeError: a tensor that is no reference and no slice of a variable.
    """
    if _has_handle(ref) or _is_value(ref):
        return _method(ref, "assign")(value, name=name)
    return gen_state_ops.assign(
        _ref(ref),
        value,
        validate_shape=cast(Any, validate_shape),
        use_locking=cast(Any, use_locking),
        name=name,
    )


def assign_add(
    ref: Variable | ops.Tensor,
    value: TensorLike,
    use_locking: bool | None = None,
    name: str | None = None,
) -> ops.Tensor:
    """Adds `value` to a variable.  The result is the reference, after the update.

    Raises:
        AttributeError: a tensor that is no reference.
    """
    if _has_handle(ref) or _is_value(ref):
        return _method(ref, "assign_add")(value, name=name)
    return gen_state_ops.assign_add(
        _ref(ref), value, use_locking=cast(Any, use_locking), name=name
    )


def assign_sub(
    ref: Variable | ops.Tensor,
    value: TensorLike,
    use_locking: bool | None = None,
    name: str | None = None,
) -> ops.Tensor:
    """Subtracts `value` from a variable; the reference, after the update.

    Raises:
        AttributeError: a tensor that is no reference.
    """
    if _has_handle(ref) or _is_value(ref):
        return _method(ref, "assign_sub")(value, name=name)
    return gen_state_ops.assign_sub(
        _ref(ref), value, use_locking=cast(Any, use_locking), name=name
    )


def count_up_to(
    ref: Variable | ops.Tensor, limit: int, name: str | None = None
) -> ops.Tensor:
    """Increments a variable and gives the value before; OutOfRangeError at `limit`."""
    if _has_handle(ref):
        held: Any = ref
        return held.count_up_to(limit)
    return gen_state_ops.count_up_to(_ref(ref), limit=limit, name=name)


_SCATTERS = {
    "update": gen_state_ops.scatter_update,
    "add": gen_state_ops.scatter_add,
    "sub": gen_state_ops.scatter_sub,
    "mul": gen_state_ops.scatter_mul,
    "div": gen_state_ops.scatter_div,
    "min": gen_state_ops.scatter_min,
    "max": gen_state_ops.scatter_max,
}
_SCATTERS_ND = {
    "update": gen_state_ops.scatter_nd_update,
    "add": gen_state_ops.scatter_nd_add,
    "sub": gen_state_ops.scatter_nd_sub,
}


def scatter_rows(
    change: str,
    ref: Variable | ops.Tensor,
    indices: TensorLike,
    updates: TensorLike,
    use_locking: bool,
    name: str | None,
) -> Any:
    """Changes rows of a variable: by its own method where it is behind a handle, else by the op for references."""
    if _has_handle(ref):
        updates = ops.convert_to_tensor(updates, dtype=ref.dtype)
        rows = ops.IndexedSlices(updates, ops.convert_to_tensor(indices))
        return getattr(ref, f"scatter_{change}")(rows, name=name)
    op = _SCATTERS[change]
    return op(_ref(ref), indices, updates, use_locking=use_locking, name=name)


def scatter_slices(
    change: str,
    ref: Variable | ops.Tensor,
    indices: TensorLike,
    updates: TensorLike,
    use_locking: bool,
    name: str | None,
) -> Any:
    """Changes slices at coordinates, as `scatter_rows` changes rows."""
    if _has_handle(ref):
        return getattr(ref, f"scatter_nd_{change}")(indices, updates, name=name)
    op = _SCATTERS_ND[change]
    return op(_ref(ref), indices, updates, use_locking=use_locking, name=name)


def scatter_update(
    ref: Variable | ops.Tensor,
    indices: TensorLike,
    updates: TensorLike,
    use_locking: bool = True,
    name: str | None = None,
) -> ops.Tensor:
    """Replaces rows: ref[indices[i]] = updates[i].  The result is the reference."""
    return scatter_rows("update", ref, indices, updates, use_locking, name)


def scatter_add(
    ref: Variable | ops.Tensor,
    indices: TensorLike,
    updates: TensorLike,
    use_locking: bool = False,
    name: str | None = None,
) -> ops.Tensor:
    """Adds to rows: ref[indices[i]] += updates[i].  The result is the reference."""
    return scatter_rows("add", ref, indices, updates, use_locking, name)


def scatter_sub(
    ref: Variable | ops.Tensor,
    indices: TensorLike,
    updates: TensorLike,
    use_locking: bool = False,
    name: str | None = None,
) -> ops.Tensor:
    """Subtracts from rows: ref[indices[i]] -= updates[i]; the reference."""
    return scatter_rows("sub", ref, indices, updates, use_locking, name)


def scatter_mul(
    ref: Variable | ops.Tensor,
    indices: TensorLike,
    updates: TensorLike,
    use_locking: bool = False,
    name: str | None = None,
) -> ops.Tensor:
    """Multiplies rows: ref[indices[i]] *= updates[i]; the reference."""
    return scatter_rows("mul", ref, indices, updates, use_locking, name)


def scatter_div(
    ref: Variable | ops.Tensor,
    indices: TensorLike,
    updates: TensorLike,
    use_locking: bool = False,
    name: str | None = None,
) -> ops.Tensor:
    """Divides rows: ref[indices[i]] /= updates[i]; the reference."""
    return scatter_rows("div", ref, indices, updates, use_locking, name)


def scatter_min(
    ref: Variable | ops.Tensor,
    indices: TensorLike,
    updates: TensorLike,
    use_locking: bool = False,
    name: str | None = None,
) -> ops.Tensor:
    """The smaller of rows and updates; the reference."""
    return scatter_rows("min", ref, indices, updates, use_locking, name)


def scatter_max(
    ref: Variable | ops.Tensor,
    indices: TensorLike,
    updates: TensorLike,
    use_locking: bool = False,
    name: str | None = None,
) -> ops.Tensor:
    """The larger of rows and updates; the reference."""
    return scatter_rows("max", ref, indices, updates, use_locking, name)


def scatter_nd_update(
    ref: Variable | ops.Tensor,
    indices: TensorLike,
    updates: TensorLike,
    use_locking: bool = True,
    name: str | None = None,
) -> ops.Tensor:
    """Replaces slices at coordinates: indices [i..., k]; the reference."""
    return scatter_slices("update", ref, indices, updates, use_locking, name)


def scatter_nd_add(
    ref: Variable | ops.Tensor,
    indices: TensorLike,
    updates: TensorLike,
    use_locking: bool = False,
    name: str | None = None,
) -> ops.Tensor:
    """Adds to slices at coordinates: indices [i..., k]; the reference."""
    return scatter_slices("add", ref, indices, updates, use_locking, name)


def scatter_nd_sub(
    ref: Variable | ops.Tensor,
    indices: TensorLike,
    updates: TensorLike,
    use_locking: bool = False,
    name: str | None = None,
) -> ops.Tensor:
    """Subtracts from slices at coordinates: indices [i..., k]; the reference."""
    return scatter_slices("sub", ref, indices, updates, use_locking, name)


def batch_scatter_update(
    ref: Variable | ops.Tensor,
    indices: TensorLike,
    updates: TensorLike,
    use_locking: bool = True,
    name: str | None = None,
) -> ops.Tensor:
    """Replaces rows within each batch; the result is the reference.

    ref: [b..., n, rest...], indices: int [b..., m], updates: [b..., m, rest...].
    """
    with ops.name_scope(name):
        indices = ops.convert_to_tensor(indices, name="indices")
        shape = array_ops.shape(indices)
        rank = indices.get_shape().ndims
        if rank is None:
            raise ValueError("batch_scatter_update: the rank of indices must be known")
        batch_dims = rank - 1
        # Each index becomes its coordinates: those of its batch, and itself.
        grids = []
        for d in range(batch_dims):
            place = [1] * (batch_dims + 1)
            place[d] = -1
            numbers = gen_math_ops.cast(
                gen_math_ops.range(0, shape[d], 1), DstT=indices.dtype.base_dtype
            )
            zeros = array_ops.zeros_like(indices)
            grids.append(gen_math_ops.add(zeros, array_ops.reshape(numbers, place)))
        coordinates = array_ops.stack([*grids, indices], axis=-1)
        return scatter_nd_update(ref, coordinates, updates, use_locking=use_locking)
