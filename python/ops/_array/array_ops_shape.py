# SPDX-License-Identifier: Apache-2.0
"""Shapes of tensors, and ops that change a shape but no value."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

from tensorwright.python.framework import (
    constant_op,
    dtypes,
    ops,
    sparse_tensor,
    tensor_shape,
    tensor_util,
)
from tensorwright.python.framework.type_aliases import DTypeLike, TensorLike
from tensorwright.python.ops import gen_array_ops, gen_math_ops
from tensorwright.python.util.renamed_arguments import deprecated_argument_lookup

if TYPE_CHECKING:
    from tensorwright.python.framework.sparse_tensor import SparseTensor


def identity(
    input: TensorLike | SparseTensor | ops.IndexedSlices, name: str | None = None
) -> Any:
    """A tensor with the shape and contents of `input`.

    A SparseTensor or IndexedSlices gives one of the same kind, an Identity for each of its tensors; `name` is not used
    then.
    """
    given: Any = input
    if sparse_tensor.is_sparse(input):
        return sparse_tensor.SparseTensor(
            indices=gen_array_ops.identity(given.indices),
            values=gen_array_ops.identity(given.values),
            dense_shape=gen_array_ops.identity(given.dense_shape),
        )
    if isinstance(input, ops.IndexedSlices):
        parts = (input.values, input.indices, input.dense_shape)
        made: Any = [None if p is None else gen_array_ops.identity(p) for p in parts]
        return ops.IndexedSlices(*made)
    return gen_array_ops.identity(given, name=name)


def shape(
    input: TensorLike | SparseTensor,
    name: str | None = None,
    out_type: DTypeLike = dtypes.int32,
) -> ops.Tensor:
    """The shape of `input` as a vector of `out_type` (int32 or int64)."""
    return shape_internal(input, name, optimize=True, out_type=out_type)


def shape_internal(
    input: TensorLike | SparseTensor,
    name: str | None = None,
    optimize: bool = True,
    out_type: DTypeLike = dtypes.int32,
) -> ops.Tensor:
    """`shape`; with `optimize` a statically known shape becomes a constant."""
    out_type = dtypes.int32 if out_type is None else dtypes.as_dtype(out_type)
    name = name or "Shape"
    if sparse_tensor.is_sparse(input):
        return gen_math_ops.cast(cast(Any, input).dense_shape, out_type, name=name)
    input = _dense(input)
    if optimize:
        static = input.get_shape()
        if static.is_fully_defined():
            return constant_op.constant(static.as_list(), out_type, name=name)
    return gen_array_ops.shape(input, out_type=out_type, name=name)


def _dense(input: Any) -> ops.Tensor:
    return input if isinstance(input, ops.Tensor) else ops.convert_to_tensor(input)


def shape_n(
    input: Sequence[TensorLike],
    out_type: DTypeLike = dtypes.int32,
    name: str | None = None,
) -> list[ops.Tensor]:
    """The shapes of several tensors, a vector each."""
    return gen_array_ops.shape_n(input=input, out_type=out_type, name=name)


def size(
    input: TensorLike | SparseTensor,
    name: str | None = None,
    out_type: DTypeLike = dtypes.int32,
) -> ops.Tensor:
    """The number of elements of `input`, a scalar of `out_type`."""
    return size_internal(input, name, optimize=True, out_type=out_type)


def size_internal(
    input: TensorLike | SparseTensor,
    name: str | None = None,
    optimize: bool = True,
    out_type: DTypeLike = dtypes.int32,
) -> ops.Tensor:
    """`size`; with `optimize` a statically known size becomes a constant."""
    out_type = dtypes.int32 if out_type is None else dtypes.as_dtype(out_type)
    name = name or "Size"
    if sparse_tensor.is_sparse(input):
        sizes = gen_math_ops.cast(cast(Any, input).dense_shape, out_type)
        return gen_math_ops._prod(sizes, 0, name=name)
    input = _dense(input)
    if optimize:
        static = input.get_shape()
        if static.is_fully_defined():
            return constant_op.constant(
                cast(int, static.num_elements()), out_type, name=name
            )
    return gen_array_ops.size(input, out_type=out_type, name=name)


def rank(input: TensorLike | SparseTensor, name: str | None = None) -> ops.Tensor:
    """The number of dimensions of `input`, an int32 scalar."""
    return rank_internal(input, name, optimize=True)


def rank_internal(
    input: TensorLike | SparseTensor, name: str | None = None, optimize: bool = True
) -> ops.Tensor:
    """`rank`; with `optimize` a statically known rank becomes a constant."""
    name = name or "Rank"
    if sparse_tensor.is_sparse(input):
        return gen_array_ops.size(cast(Any, input).dense_shape, name=name)
    input = _dense(input)
    static = input.get_shape().ndims
    if optimize and static is not None:
        return constant_op.constant(static, dtypes.int32, name=name)
    return gen_array_ops.rank(input, name=name)


def sizes(tensor: ops.Tensor) -> list[int | ops.Tensor]:
    """The sizes of a tensor of known rank: ints, and int32 scalars where they are not known."""
    known = tensor.get_shape().as_list()
    if None not in known:
        return known
    dynamic = shape(tensor)
    return [dynamic[i] if size is None else size for i, size in enumerate(known)]


def reshape(
    tensor: TensorLike, shape: TensorLike, name: str | None = None
) -> ops.Tensor:
    """The values of `tensor` in another shape; one entry may be -1."""
    result = gen_array_ops.reshape(tensor, shape, name=name)
    return set_shape_from_value(result, shape)


def set_shape_from_value(tensor: ops.Tensor, shape: TensorLike) -> ops.Tensor:
    """Adds to a static shape what the graph knows of a shape tensor's value."""
    if not tensor.get_shape().is_fully_defined() and isinstance(shape, ops.Tensor):
        known = tensor_util.constant_value_as_shape(shape)
        if known.ndims is not None:
            tensor.set_shape(known)
    return tensor


def expand_dims(
    input: TensorLike,
    axis: TensorLike | None = None,
    name: str | None = None,
    dim: TensorLike | None = None,
) -> ops.Tensor:
    """Inserts a dimension of size 1 before `axis` (-1: after the last one)."""
    axis = deprecated_argument_lookup("axis", axis, "dim", dim)
    if axis is None:
        raise ValueError("expand_dims: axis must be given")
    return gen_array_ops.expand_dims(input, axis, name=name)


def squeeze(
    input: TensorLike,
    axis: TensorLike | None = None,
    name: str | None = None,
    squeeze_dims: TensorLike | None = None,
) -> ops.Tensor:
    """Removes the dimensions of size 1, or those of `axis` alone."""
    axis = deprecated_argument_lookup("axis", axis, "squeeze_dims", squeeze_dims)
    if axis is not None and not isinstance(axis, (list, tuple)):
        axis = [axis]
    return gen_array_ops.squeeze(input, squeeze_dims=cast(Any, axis), name=name)


def transpose(
    a: TensorLike,
    perm: TensorLike | None = None,
    name: str | None = "transpose",
    conjugate: bool = False,
) -> ops.Tensor:
    """Permutes dimensions: output i is input `perm[i]`; reversed without `perm`.

    With `conjugate` a complex result is conjugated, too.
    """
    a = ops.convert_to_tensor(a, name="a")
    op = gen_array_ops.transpose
    if conjugate and a.dtype.is_complex:
        op = gen_array_ops.conjugate_transpose
    if perm is not None:
        return op(a, perm, name=name)
    ndims = a.get_shape().ndims
    if ndims is not None:
        return op(a, list(range(ndims))[::-1], name=name)
    with ops.name_scope(name, "transpose", [a]) as scope:
        n = gen_array_ops.rank(a)
        perm = gen_math_ops.sub(gen_math_ops.sub(n, 1), gen_math_ops.range(0, n, 1))
        return op(a, perm, name=scope)


def matrix_transpose(
    a: TensorLike, name: str = "matrix_transpose", conjugate: bool = False
) -> ops.Tensor:
    """Swaps the last two dimensions: [..., m, n] -> [..., n, m].

    With `conjugate` a complex result is conjugated, too.
    """
    with ops.name_scope(name, values=[a]) as scope:
        a = ops.convert_to_tensor(a, name="a")
        ndims = a.get_shape().ndims
        if ndims is None:
            n = gen_array_ops.rank(a)
            first = gen_math_ops.range(0, gen_math_ops.sub(n, 2), 1)
            last = gen_array_ops.pack(
                [gen_math_ops.sub(n, 1), gen_math_ops.sub(n, 2)], axis=0
            )
            perm = gen_array_ops.concat_v2([first, last], 0)
        elif ndims < 2:
            raise ValueError(
                f"matrix_transpose: a should be a (batch) matrix, with rank >= 2, got {a.get_shape()}"
            )
        else:
            perm = [*range(ndims - 2), ndims - 1, ndims - 2]
        return transpose(a, perm, name=scope, conjugate=conjugate)


def broadcast_dynamic_shape(shape_x: TensorLike, shape_y: TensorLike) -> ops.Tensor:
    """The shape, as a tensor, to which two shape tensors broadcast."""
    return gen_array_ops.broadcast_args(shape_x, shape_y)


def broadcast_static_shape(
    shape_x: tensor_shape.TensorShape, shape_y: tensor_shape.TensorShape
) -> tensor_shape.TensorShape:
    """The shape to which two static shapes broadcast; ValueError if they do not."""
    x, y = tensor_shape.as_shape(shape_x), tensor_shape.as_shape(shape_y)
    if x.ndims is None or y.ndims is None:
        return tensor_shape.unknown_shape()
    xs, ys = x.as_list(), y.as_list()
    rank = max(len(xs), len(ys))
    xs, ys = [1] * (rank - len(xs)) + xs, [1] * (rank - len(ys)) + ys
    dims = []
    for a, b in zip(xs, ys, strict=True):
        if 1 in (a, b):
            dims.append(b if a == 1 else a)
        elif None in (a, b):
            dims.append(b if a is None else a)
        elif a == b:
            dims.append(a)
        else:
            raise ValueError(
                f"Incompatible shapes for broadcasting: {shape_x} and {shape_y}"
            )
    return tensor_shape.TensorShape(dims)


def reverse(
    tensor: TensorLike, axis: TensorLike, name: str | None = None
) -> ops.Tensor:
    """Reverses the dimensions listed in `axis`."""
    return gen_array_ops.reverse_v2(tensor, axis, name=name)


reverse_v2 = reverse
