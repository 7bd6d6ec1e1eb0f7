# SPDX-License-Identifier: Apache-2.0
"""Gradients of ops that move data: moved elements move back, and repeated ones are summed."""

from __future__ import annotations

from typing import Any

from tensorwright.python.framework import dtypes, ops, tensor_util
from tensorwright.python.ops import (
    array_ops,
    gen_array_ops,
    gen_math_ops,
    math_ops,
)


@ops.RegisterGradient("Identity")
@ops.RegisterGradient("RefIdentity")
@ops.RegisterGradient("PlaceholderWithDefault")
def _identity_grad(op: ops.Operation, grad: Any) -> Any:
    """g."""
    del op
    return grad


@ops.RegisterGradient("IdentityN")
def _identity_n_grad(op: ops.Operation, *grads: Any) -> Any:
    """Each its own g."""
    del op
    return list(grads)


@ops.RegisterGradient("PreventGradient")
def _prevent_gradient_grad(op: ops.Operation, grad: Any) -> Any:
    """There must be none: LookupError with the op's own message."""
    del grad
    message = op.get_attr("message")
    raise LookupError(f"Gradient explicitly disabled. Reason: {message}")


@ops.RegisterGradient("CheckNumerics")
def _check_numerics_grad(op: ops.Operation, grad: Any) -> Any:
    """g, checked as well."""
    message = f"nan or infinity in the gradient of {op.name}"
    return array_ops.check_numerics(grad, message)


@ops.RegisterGradient("CheckPinned")
def _check_pinned_grad(op: ops.Operation, grad: Any) -> Any:
    """g."""
    del op
    return grad


@ops.RegisterGradient("Reshape")
def _reshape_grad(op: ops.Operation, grad: Any) -> Any:
    """g in the input's shape."""
    return [_like_input(op, grad), None]


@ops.RegisterGradient("ExpandDims")
def _expand_dims_grad(op: ops.Operation, grad: Any) -> Any:
    """g in the input's shape."""
    return [_like_input(op, grad), None]


@ops.RegisterGradient("Squeeze")
def _squeeze_grad(op: ops.Operation, grad: Any) -> Any:
    """g in the input's shape."""
    return _like_input(op, grad)


def _like_input(op: Any, grad: Any) -> Any:
    x = op.inputs[0]
    if isinstance(grad, ops.IndexedSlices):
        grad = ops.convert_to_tensor(grad)
    return array_ops.reshape(grad, array_ops.shape(x))


@ops.RegisterGradient("Fill")
def _fill_grad(op: ops.Operation, grad: Any) -> Any:
    """The sum of g."""
    del op
    return None, math_ops.reduce_sum(grad)


@ops.RegisterGradient("Transpose")
def _transpose_grad(op: ops.Operation, grad: Any) -> Any:
    """g transposed back."""
    p = op.inputs[1]
    return [array_ops.transpose(grad, array_ops.invert_permutation(p)), None]


@ops.RegisterGradient("ConjugateTranspose")
def _conjugate_transpose_grad(op: ops.Operation, grad: Any) -> Any:
    """g transposed back and conjugated."""
    p = op.inputs[1]
    back = gen_array_ops.conjugate_transpose(grad, array_ops.invert_permutation(p))
    return [back, None]


@ops.RegisterGradient("DeepCopy")
def _deep_copy_grad(op: ops.Operation, grad: Any) -> Any:
    """g itself."""
    del op
    return grad


@ops.RegisterGradient("InplaceUpdate")
def _inplace_update_grad(op: ops.Operation, grad: Any) -> Any:
    """g outside the rows i for x; for v the rows of g, 0 for one that a later row has replaced."""
    x, i, v = op.inputs
    rows = array_ops.shape(x)[0]
    i = math_ops.floormod(i, rows)
    numbers = math_ops.range(1, array_ops.size(i) + 1)
    last = math_ops.unsorted_segment_max(numbers, i, rows)
    replaced = gen_math_ops.greater(last, 0)
    stays = gen_math_ops.equal(array_ops.gather(last, i), numbers)
    return [
        array_ops.where(replaced, array_ops.zeros_like(grad), grad),
        None,
        array_ops.where(stays, array_ops.gather(grad, i), array_ops.zeros_like(v)),
    ]


def _inplace_sum_grad(op: Any, grad: Any, sign: Any) -> list[Any]:
    i = math_ops.floormod(op.inputs[1], array_ops.shape(op.inputs[0])[0])
    return [grad, None, sign(array_ops.gather(grad, i))]


@ops.RegisterGradient("InplaceAdd")
def _inplace_add_grad(op: ops.Operation, grad: Any) -> Any:
    """g for x, and the rows i of g for v."""
    return _inplace_sum_grad(op, grad, array_ops.identity)


@ops.RegisterGradient("InplaceSub")
def _inplace_sub_grad(op: ops.Operation, grad: Any) -> Any:
    """g for x, and the rows i of -g for v."""
    return _inplace_sum_grad(op, grad, gen_math_ops.neg)


ops.NotDifferentiable("Empty")

# ---- Joining and cutting.


def _concat_grads(op: Any, grad: Any, axis_index: int, first: int) -> list[Any]:
    """Cuts g along the axis where the inputs met."""
    axis = op.inputs[axis_index]
    values = op.inputs[first : first + len(op.inputs) - 1]
    result: list[Any] = [None]
    if len(values) == 1:
        parts = [grad]
    else:
        static = tensor_util.constant_value(axis)
        sizes = None
        if static is not None:
            dims = [_dim(v, int(static)) for v in values]
            sizes: Any = None if None in dims else dims
        if sizes is None:
            rank = array_ops.rank(values[0])
            where = math_ops.floormod(math_ops.cast(axis, rank.dtype) + rank, rank)
            shapes = array_ops.shape_n(values)
            sizes = array_ops.stack([array_ops.gather(s, where) for s in shapes])
        axis = math_ops.cast(axis, dtypes.int32)  # SplitV takes int32.
        parts = array_ops.split(grad, sizes, axis, num=len(values))
    return result + parts if axis_index == 0 else parts + result


def _dim(t: Any, axis: int) -> int | None:
    shape = t.get_shape()
    return None if shape.ndims is None else shape.as_list()[axis]


@ops.RegisterGradient("Concat")
def _concat_grad(op: ops.Operation, grad: Any) -> Any:
    """g cut up again."""
    return _concat_grads(op, grad, axis_index=0, first=1)


@ops.RegisterGradient("ConcatV2")
def _concat_v2_grad(op: ops.Operation, grad: Any) -> Any:
    """g cut up again."""
    return _concat_grads(op, grad, axis_index=len(op.inputs) - 1, first=0)


@ops.RegisterGradient("Split")
def _split_grad(op: ops.Operation, *grads: Any) -> Any:
    """The g joined again."""
    return None, array_ops.concat(list(grads), op.inputs[0])


@ops.RegisterGradient("SplitV")
def _split_v_grad(op: ops.Operation, *grads: Any) -> Any:
    """The g joined again."""
    return array_ops.concat(list(grads), op.inputs[2]), None, None


@ops.RegisterGradient("Pack")
def _pack_grad(op: ops.Operation, grad: Any) -> Any:
    """g taken apart."""
    return array_ops.unstack(grad, num=op.get_attr("N"), axis=op.get_attr("axis"))


@ops.RegisterGradient("Unpack")
def _unpack_grad(op: ops.Operation, *grads: Any) -> Any:
    """The g stacked."""
    return array_ops.stack(list(grads), axis=op.get_attr("axis"))


@ops.RegisterGradient("Slice")
def _slice_grad(op: ops.Operation, grad: Any) -> Any:
    """g in its place, zeros around it."""
    x, begin = op.inputs[0], op.inputs[1]
    rank = array_ops.rank(x)
    column = array_ops.stack([rank, 1])
    before = array_ops.reshape(begin, column)
    left = array_ops.shape(x) - array_ops.shape(op.outputs[0])
    after = array_ops.reshape(math_ops.cast(left, begin.dtype) - begin, column)
    return array_ops.pad(grad, array_ops.concat([before, after], 1)), None, None


_STRIDED_MASKS = (
    "begin_mask",
    "end_mask",
    "ellipsis_mask",
    "new_axis_mask",
    "shrink_axis_mask",
)


def _as_index(t: Any) -> Any:
    """int32 in place of an integer type that few ops take."""
    wide = t.dtype in (dtypes.int32, dtypes.int64)
    return t if wide else math_ops.cast(t, dtypes.int32)


@ops.RegisterGradient("StridedSlice")
def _strided_slice_grad(op: ops.Operation, grad: Any) -> Any:
    """g at the places it was read from, zeros elsewhere."""
    begin, end, strides = (_as_index(t) for t in op.inputs[1:])
    shape = array_ops.shape(op.inputs[0], out_type=begin.dtype)
    masks = {name: op.get_attr(name) for name in _STRIDED_MASKS}
    dx = gen_array_ops.strided_slice_grad(shape, begin, end, strides, grad, **masks)
    return dx, None, None, None


@ops.RegisterGradient("StridedSliceGrad")
def _strided_slice_grad_grad(op: ops.Operation, grad: Any) -> Any:
    """The slice of g."""
    begin, end, strides = op.inputs[1:4]
    masks = {name: op.get_attr(name) for name in _STRIDED_MASKS}
    dy = gen_array_ops.strided_slice(grad, begin, end, strides, **masks)
    return None, None, None, None, dy


@ops.RegisterGradient("Pad")
def _pad_grad(op: ops.Operation, grad: Any) -> Any:
    """The part of g that is not padding."""
    x, paddings = op.inputs[0], op.inputs[1]
    rank = array_ops.rank(x)
    before = array_ops.slice(paddings, [0, 0], array_ops.stack([rank, 1]))
    begin = array_ops.reshape(before, [-1])
    size = math_ops.cast(array_ops.shape(x), begin.dtype)
    return array_ops.slice(grad, begin, size), None


@ops.RegisterGradient("Tile")
def _tile_grad(op: ops.Operation, grad: Any) -> Any:
    """The sum of g over the copies."""
    x, multiples = op.inputs[0], op.inputs[1]
    shape = math_ops.cast(array_ops.shape(x), multiples.dtype)
    # Axis i of g is [multiples[i], shape[i]]: split it and sum over the former.
    split = array_ops.reshape(
        array_ops.transpose(array_ops.stack([multiples, shape])), [-1]
    )
    axes = math_ops.range(0, array_ops.size(split), 2)
    dx = math_ops.reduce_sum(array_ops.reshape(grad, split), axes)
    return [array_ops.reshape(dx, array_ops.shape(x)), None]


@ops.RegisterGradient("Reverse")
def _reverse_grad(op: ops.Operation, grad: Any) -> Any:
    """g reversed."""
    return gen_array_ops.reverse(grad, op.inputs[1]), None


@ops.RegisterGradient("ReverseV2")
def _reverse_v2_grad(op: ops.Operation, grad: Any) -> Any:
    """g reversed."""
    return gen_array_ops.reverse_v2(grad, op.inputs[1]), None


# ---- Picking and placing by index.


@ops.RegisterGradient("Gather")
def _gather_grad(op: ops.Operation, grad: Any) -> Any:
    """The picked rows' g, as slices: nothing of the size of params is made."""
    params, indices = op.inputs[0], op.inputs[1]
    return [_row_slices(params, indices, grad), None]


def _row_slices(params: Any, indices: Any, grad: Any) -> ops.IndexedSlices:
    with ops.colocate_with(params):
        shape = array_ops.shape(params)
    count = array_ops.reshape(array_ops.size(indices), [1])
    values_shape = array_ops.concat([count, shape[1:]], 0)
    return ops.IndexedSlices(
        array_ops.reshape(grad, values_shape),
        array_ops.reshape(indices, [-1]),
        shape,
    )


@ops.RegisterGradient("GatherV2")
def _gather_v2_grad(op: ops.Operation, grad: Any) -> Any:
    """Along axis 0 the rows' g as slices; else g summed into place along the axis."""
    params, indices, axis = op.inputs
    static = tensor_util.constant_value(axis)
    if static is not None and int(static) == 0:
        return [_row_slices(params, indices, grad), None, None]
    shape, taken = array_ops.shape(params), array_ops.shape(indices)
    rank = array_ops.rank(params)
    axis = math_ops.floormod(math_ops.cast(axis, dtypes.int32) + rank, rank)
    batch = op.get_attr("batch_dims")
    if batch < 0:
        batch = array_ops.rank(indices) + batch
    # params is [batches, outer, length, inner], and indices [batches, count].
    batches, outer, inner, count = (
        math_ops.reduce_prod(sizes)
        for sizes in (
            shape[:batch], shape[batch:axis], shape[axis + 1 :], taken[batch:],
        )
    )  # fmt: skip
    length = shape[axis]
    values = array_ops.reshape(grad, array_ops.stack([batches, outer, count, inner]))
    values = array_ops.transpose(values, [0, 2, 1, 3])
    starts = array_ops.expand_dims(math_ops.range(batches) * length, 1)
    rows = array_ops.reshape(indices, array_ops.stack([batches, count]))
    rows = rows + math_ops.cast(starts, rows.dtype)
    summed = math_ops.unsorted_segment_sum(values, rows, batches * length)
    summed = array_ops.reshape(summed, array_ops.stack([batches, length, outer, inner]))
    back = array_ops.transpose(summed, [0, 2, 1, 3])
    return [array_ops.reshape(back, shape), None, None]


@ops.RegisterGradient("GatherNd")
def _gather_nd_grad(op: ops.Operation, grad: Any) -> Any:
    """g summed into the places it was read from."""
    params, indices = op.inputs[0], _as_index(op.inputs[1])
    shape = array_ops.shape(params, out_type=indices.dtype)
    return [gen_array_ops.scatter_nd(indices, grad, shape), None]


@ops.RegisterGradient("ScatterNd")
def _scatter_nd_grad(op: ops.Operation, grad: Any) -> Any:
    """g picked up again."""
    return [None, gen_array_ops.gather_nd(grad, op.inputs[0]), None]


ops.NotDifferentiable("StopGradient")
for _name in (
    "Const",
    "ZerosLike",
    "OnesLike",
    "Shape",
    "ShapeN",
    "Size",
    "Rank",
    "OneHot",
    "ConcatOffset",
    "InvertPermutation",
    "BroadcastGradientArgs",
    "EditDistance",
    "Where",
    "Unique",
    "UniqueV2",
):
    ops.NotDifferentiable(_name)
