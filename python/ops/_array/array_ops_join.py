# SPDX-License-Identifier: Apache-2.0
"""Putting tensors together and taking them apart along a dimension; padding."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import numpy as np

from tensorwright.python.framework import (
    constant_op,
    dtypes,
    ops,
    tensor_shape,
    tensor_util,
)
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import gen_array_ops, gen_math_ops
from tensorwright.python.ops._array.array_ops_shape import reshape, size

if TYPE_CHECKING:
    from tensorwright.python.framework.type_aliases import DTypeLike


def concat(values: TensorLike, axis: TensorLike, name: str = "concat") -> ops.Tensor:
    """Joins tensors along `axis`; their other dimensions agree."""
    parts = values if isinstance(values, (list, tuple)) else [values]
    if len(parts) != 1:
        return gen_array_ops.concat_v2(parts, axis, name=name)
    (whole,) = parts
    with ops.name_scope(name) as scope:
        # The axis does not count, but one that is no integer is refused here, too.
        ops.convert_to_tensor(axis, name="concat_dim", dtype=dtypes.int32)
        return gen_array_ops.identity(whole, name=scope)


def stack(values: TensorLike, axis: int = 0, name: str = "stack") -> ops.Tensor:
    """Joins tensors of one shape along a new dimension `axis`."""
    if axis == 0:
        try:
            return ops.convert_to_tensor(values, name=name)
        except (TypeError, ValueError):
            pass  # The op reports the fault.
    parts: Any = values
    rank = ops.convert_to_tensor(parts[0], name="value_0").get_shape().ndims
    if rank is not None and not -(rank + 1) <= axis <= rank:
        raise ValueError(f"axis = {axis} not in [{-(rank + 1)}, {rank + 1})")
    return gen_array_ops.pack(parts, axis=axis, name=name)


def unstack(
    value: TensorLike, num: int | None = None, axis: int = 0, name: str = "unstack"
) -> list[ops.Tensor]:
    """The `num` slices of `value` along `axis`, without that dimension.

    Raises ValueError if `num` is neither given nor known.
    """
    if num is None:
        value = ops.convert_to_tensor(value)
        shape = value.get_shape()
        if shape.ndims is not None:
            if not -shape.ndims <= axis < shape.ndims:
                raise ValueError(
                    f"axis = {axis} not in [{-shape.ndims}, {shape.ndims})"
                )
            num = shape.as_list()[axis]
        if num is None:
            raise ValueError(f"Cannot infer num from shape {shape}")
    return gen_array_ops.unpack(value, num=num, axis=axis, name=name)


def parallel_stack(values: TensorLike, name: str = "parallel_stack") -> ops.Tensor:
    """Joins tensors of one shape, known altogether, along a new first dimension."""
    with ops.name_scope(name):
        tensors = [ops.convert_to_tensor(v) for v in cast(Any, values)]
        shape = tensors[0].get_shape()
        rows = [gen_array_ops.expand_dims(t, 0) for t in tensors]
        return gen_array_ops.parallel_concat(
            rows, shape=tensor_shape.TensorShape([len(rows)]).concatenate(shape)
        )


def split(
    value: TensorLike,
    num_or_size_splits: TensorLike,
    axis: TensorLike = 0,
    num: int | None = None,
    name: str = "split",
) -> list[ops.Tensor]:
    """Cuts `value` along `axis` into equal parts, or into parts of the given sizes.

    A scalar int is the number of parts; a vector holds their sizes, and `num` says
    how many there are where the vector's length is unknown.
    """
    if isinstance(num_or_size_splits, (int, np.integer)):
        return gen_array_ops.split(
            axis, value, num_split=int(num_or_size_splits), name=name
        )
    sizes = ops.convert_to_tensor(num_or_size_splits)
    if sizes.get_shape().ndims == 0:
        if sizes.dtype.is_integer and tensor_util.constant_value(sizes) is not None:
            parts = int(tensor_util.constant_value(sizes))
            return gen_array_ops.split(axis, value, num_split=parts, name=name)
        raise ValueError("split: num_or_size_splits must be known or a vector")
    if num is None:
        shape = sizes.get_shape()
        num = shape.as_list()[0] if shape.ndims is not None else None
    if num is None:
        raise ValueError("Cannot infer num from shape of num_or_size_splits")
    return gen_array_ops.split_v(
        value=value, size_splits=sizes, split_dim=axis, num_split=num, name=name
    )


def pad(
    tensor: TensorLike,
    paddings: TensorLike,
    mode: str = "CONSTANT",
    name: str | None = None,
    constant_values: TensorLike = 0,
) -> ops.Tensor:
    """Surrounds `tensor` with more; paddings: [rank, 2] before and after.

    Args:
      tensor: any shape and dtype.
      paddings: int32 or int64.
      mode: "CONSTANT"; "REFLECT", the tensor's own elements mirrored at its edge, or
        "SYMMETRIC", which repeats the edge, too; in upper or lower case.
      name: the op's name.
      constant_values: a scalar of the tensor's dtype.
    """
    mode = mode.upper()
    if mode in ("REFLECT", "SYMMETRIC"):
        return gen_array_ops.mirror_pad(tensor, paddings, mode=mode, name=name)
    if mode != "CONSTANT":
        raise ValueError(f"Unknown padding mode: {mode}")
    if isinstance(constant_values, (int, float)) and constant_values == 0:
        return gen_array_ops.pad(tensor, paddings, name=name)
    return gen_array_ops.pad_v2(tensor, paddings, constant_values, name=name)


def meshgrid(*args: TensorLike, **kwargs: str | None) -> list[ops.Tensor]:
    """Coordinate grids of vectors; `indexing` is 'xy' (default) or 'ij'."""
    indexing = kwargs.pop("indexing", "xy")
    name = kwargs.pop("name", "meshgrid")
    if kwargs:
        key = next(iter(kwargs))
        raise TypeError(f"meshgrid takes no argument {key!r}, only indexing and name")
    if indexing not in ("xy", "ij"):
        raise ValueError(f"meshgrid: indexing must be xy or ij, got {indexing!r}")
    with ops.name_scope(name, "meshgrid", args):
        n = len(args)
        vectors = [ops.convert_to_tensor(x) for x in args]
        order = list(range(n))
        if indexing == "xy" and n > 1:
            order[0], order[1] = 1, 0
        lengths = [size(x) for x in vectors]
        dims = gen_array_ops.pack([lengths[i] for i in order], axis=0) if n else []
        grids = []
        for i, x in enumerate(vectors):
            place = [1] * n
            place[order.index(i)] = -1
            unit = constant_op.constant(1, x.dtype.base_dtype)
            grids.append(
                gen_math_ops.mul(reshape(x, place), gen_array_ops.fill(dims, unit))
            )
        return grids


def _contains_tensor(value: Any) -> bool:
    for item in value:
        if ops.is_dense_tensor_like(item):
            return True
        if isinstance(item, (list, tuple)) and _contains_tensor(item):
            return True
    return False


def _dtype_of_first_tensor(value: Any) -> dtypes.DType | None:
    for item in value:
        if ops.is_dense_tensor_like(item):
            return item.dtype.base_dtype
        if isinstance(item, (list, tuple)):
            found = _dtype_of_first_tensor(item)
            if found is not None:
                return found
    return None


def _pack_nested(value: Any, dtype: dtypes.DType, name: str) -> ops.Tensor:
    """Packs a nested list, of which some leaves are tensors, from the inside out."""
    items = []
    for i, item in enumerate(value):
        if isinstance(item, (list, tuple)) and _contains_tensor(item):
            items.append(_pack_nested(item, dtype, str(i)))
            continue
        if ops.is_dense_tensor_like(item) and item.dtype.base_dtype != dtype:
            raise TypeError(
                f"a list with {item!r} cannot be packed to a tensor of {dtype.name}: "
                f"it is of {item.dtype.name}"
            )
        items.append(ops.convert_to_tensor(item, dtype=dtype, name=str(i)))
    return gen_array_ops.pack(items, axis=0, name=name)


def convert_list(
    value: object,
    dtype: DTypeLike | None = None,
    name: str | None = None,
    as_ref: bool = False,
) -> ops.Tensor:
    """Lists with tensors in them become a Pack; others are left to `constant`."""
    if as_ref or not _contains_tensor(value):
        return NotImplemented
    inferred = _dtype_of_first_tensor(value)
    if inferred is None:
        return NotImplemented
    dtype = inferred if dtype is None else dtypes.as_dtype(dtype).base_dtype
    with ops.name_scope(name or "packed") as scope:
        return _pack_nested(value, dtype, scope)


ops.register_tensor_conversion_function((list, tuple), convert_list, 99)
