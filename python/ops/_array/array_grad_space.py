# SPDX-License-Identifier: Apache-2.0
"""Gradients of array ops that rearrange: diagonals, blocks, mirrors, patches, sequences."""

from __future__ import annotations

from typing import Any

from tensorwright.python.framework import dtypes, ops
from tensorwright.python.ops import array_ops, gen_array_ops, math_ops

# ---- Diagonals and bands.


@ops.RegisterGradient("Diag")
def _diag_grad(op: ops.Operation, grad: Any) -> Any:
    """The diagonal of g."""
    del op
    return array_ops.diag_part(grad)


@ops.RegisterGradient("DiagPart")
def _diag_part_grad(op: ops.Operation, grad: Any) -> Any:
    """g on the diagonal."""
    del op
    return array_ops.diag(grad)


@ops.RegisterGradient("MatrixDiag")
def _matrix_diag_grad(op: ops.Operation, grad: Any) -> Any:
    """The diagonals of g."""
    del op
    return array_ops.matrix_diag_part(grad)


@ops.RegisterGradient("MatrixDiagPart")
def _matrix_diag_part_grad(op: ops.Operation, grad: Any) -> Any:
    """g on the diagonals of zeros."""
    shape = op.inputs[0].get_shape()
    rows, columns = (None, None) if shape.ndims is None else shape.as_list()[-2:]
    if rows is not None and rows == columns:
        return array_ops.matrix_diag(grad)
    return array_ops.matrix_set_diag(array_ops.zeros_like(op.inputs[0]), grad)


@ops.RegisterGradient("MatrixSetDiag")
def _matrix_set_diag_grad(op: ops.Operation, grad: Any) -> Any:
    """g without its diagonals, and the diagonals of g."""
    zeros = array_ops.zeros_like(op.inputs[1])
    return array_ops.matrix_set_diag(grad, zeros), array_ops.matrix_diag_part(grad)


def _align(op: ops.Operation) -> str:
    """The side of their rows on which short diagonals are: the V2 ops have no attr for it."""
    return "LEFT_LEFT" if op.type.endswith("V2") else op.get_attr("align")


@ops.RegisterGradient("MatrixDiagV2")
@ops.RegisterGradient("MatrixDiagV3")
def _matrix_diag_v3_grad(op: ops.Operation, grad: Any) -> Any:
    """The diagonals of g; to the padding, the sum of the rest of g."""
    k, align = op.inputs[1], _align(op)
    diagonal = array_ops.matrix_diag_part(grad, k=k, align=align)
    rest = array_ops.matrix_set_diag(
        grad, array_ops.zeros_like(op.inputs[0]), k=k, align=align
    )
    return diagonal, None, None, None, math_ops.reduce_sum(rest)


@ops.RegisterGradient("MatrixDiagPartV2")
@ops.RegisterGradient("MatrixDiagPartV3")
def _matrix_diag_part_v3_grad(op: ops.Operation, grad: Any) -> Any:
    """g on the diagonals of zeros."""
    k, align = op.inputs[1], _align(op)
    zeros = array_ops.zeros_like(op.inputs[0])
    return array_ops.matrix_set_diag(zeros, grad, k=k, align=align), None, None


@ops.RegisterGradient("MatrixSetDiagV2")
@ops.RegisterGradient("MatrixSetDiagV3")
def _matrix_set_diag_v3_grad(op: ops.Operation, grad: Any) -> Any:
    """g without its diagonals, and the diagonals of g."""
    k, align = op.inputs[2], _align(op)
    zeros = array_ops.zeros_like(op.inputs[1])
    return (
        array_ops.matrix_set_diag(grad, zeros, k=k, align=align),
        array_ops.matrix_diag_part(grad, k=k, align=align),
        None,
    )


@ops.RegisterGradient("MatrixBandPart")
def _matrix_band_part_grad(op: ops.Operation, grad: Any) -> Any:
    """The same band of g."""
    lower, upper = op.inputs[1:]
    return array_ops.matrix_band_part(grad, lower, upper), None, None


# ---- Space in batch and in channels: each is the other's inverse.


@ops.RegisterGradient("SpaceToBatchND")
def _space_to_batch_nd_grad(op: ops.Operation, grad: Any) -> Any:
    """g back in space, without the padding."""
    _, block_shape, paddings = op.inputs
    return gen_array_ops.batch_to_space_nd(grad, block_shape, paddings), None, None


@ops.RegisterGradient("BatchToSpaceND")
def _batch_to_space_nd_grad(op: ops.Operation, grad: Any) -> Any:
    """g back in the batch, zero where it was cropped."""
    _, block_shape, crops = op.inputs
    return gen_array_ops.space_to_batch_nd(grad, block_shape, crops), None, None


@ops.RegisterGradient("SpaceToBatch")
def _space_to_batch_grad(op: ops.Operation, grad: Any) -> Any:
    """g back in space, without the padding."""
    size = op.get_attr("block_size")
    dx = gen_array_ops.batch_to_space(grad, op.inputs[1], block_size=size)
    return dx, None


@ops.RegisterGradient("BatchToSpace")
def _batch_to_space_grad(op: ops.Operation, grad: Any) -> Any:
    """g back in the batch, zero where it was cropped."""
    size = op.get_attr("block_size")
    dx = gen_array_ops.space_to_batch(grad, op.inputs[1], block_size=size)
    return dx, None


@ops.RegisterGradient("SpaceToDepth")
def _space_to_depth_grad(op: ops.Operation, grad: Any) -> Any:
    """g's channels back in space."""
    size, layout = op.get_attr("block_size"), _text(op.get_attr("data_format"))
    return array_ops.depth_to_space(grad, size, data_format=layout)


@ops.RegisterGradient("DepthToSpace")
def _depth_to_space_grad(op: ops.Operation, grad: Any) -> Any:
    """g's blocks back in the channels."""
    size, layout = op.get_attr("block_size"), _text(op.get_attr("data_format"))
    return array_ops.space_to_depth(grad, size, data_format=layout)


def _text(value: Any) -> str:
    return value.decode() if isinstance(value, bytes) else value


@ops.RegisterGradient("ExtractVolumePatches")
def _extract_volume_patches_grad(op: ops.Operation, grad: Any) -> Any:
    """g summed over the windows that each voxel is under, which patches of voxel numbers say; 0 is the padding."""
    volumes = op.inputs[0]
    shape = array_ops.shape(volumes)
    batch, planes, rows, columns, depth = array_ops.unstack(shape, num=5)
    voxels = planes * rows * columns
    numbers = array_ops.reshape(
        math_ops.cast(math_ops.range(1, voxels + 1), dtypes.int64),
        array_ops.stack([1, planes, rows, columns, 1]),
    )
    under = gen_array_ops.extract_volume_patches(
        numbers,
        ksizes=op.get_attr("ksizes"),
        strides=op.get_attr("strides"),
        padding=_text(op.get_attr("padding")),
    )
    under = array_ops.reshape(under, [-1])
    values = array_ops.transpose(
        array_ops.reshape(grad, array_ops.stack([batch, array_ops.size(under), depth])),
        [1, 0, 2],
    )
    summed = math_ops.unsorted_segment_sum(values, under, voxels + 1)
    dx = array_ops.reshape(array_ops.transpose(summed[1:], [1, 0, 2]), shape)
    dx.set_shape(volumes.get_shape())
    return [dx]


@ops.RegisterGradient("ExtractImagePatches")
def _extract_image_patches_grad(op: ops.Operation, grad: Any) -> Any:
    """g summed over the windows that each pixel is under.

    The patches of an image of pixel numbers say which those are; 0 is the padding.
    """
    images = op.inputs[0]
    shape = array_ops.shape(images)
    batch, rows, columns, depth = array_ops.unstack(shape, num=4)
    pixels = rows * columns
    numbers = array_ops.reshape(
        math_ops.cast(math_ops.range(1, pixels + 1), dtypes.int64),
        array_ops.stack([1, rows, columns, 1]),
    )
    attrs = {name: op.get_attr(name) for name in ("ksizes", "strides", "rates")}
    under = gen_array_ops.extract_image_patches(
        numbers, padding=_text(op.get_attr("padding")), **attrs
    )
    under = array_ops.reshape(under, [-1])
    # One row for each element of a patch: [positions, batch, depth].
    values = array_ops.transpose(
        array_ops.reshape(grad, array_ops.stack([batch, array_ops.size(under), depth])),
        [1, 0, 2],
    )
    summed = math_ops.unsorted_segment_sum(values, under, pixels + 1)
    dx = array_ops.reshape(array_ops.transpose(summed[1:], [1, 0, 2]), shape)
    dx.set_shape(images.get_shape())
    return dx


# ---- Padding, sequences, bits.


@ops.RegisterGradient("PadV2")
def _pad_v2_grad(op: ops.Operation, grad: Any) -> Any:
    """The part of g that is not padding; none to the constant, as in TensorFlow."""
    x, paddings = op.inputs[0], op.inputs[1]
    before = array_ops.slice(paddings, [0, 0], array_ops.stack([array_ops.rank(x), 1]))
    begin = array_ops.reshape(before, [-1])
    size = math_ops.cast(array_ops.shape(x), begin.dtype)
    return array_ops.slice(grad, begin, size), None, None


@ops.RegisterGradient("MirrorPad")
def _mirror_pad_grad(op: ops.Operation, grad: Any) -> Any:
    """g with its mirrored edges added back."""
    mode = _text(op.get_attr("mode"))
    return gen_array_ops.mirror_pad_grad(grad, op.inputs[1], mode=mode), None


@ops.RegisterGradient("MirrorPadGrad")
def _mirror_pad_grad_grad(op: ops.Operation, grad: Any) -> Any:
    """g mirrored at its edges."""
    mode = _text(op.get_attr("mode"))
    return gen_array_ops.mirror_pad(grad, op.inputs[1], mode=mode), None


@ops.RegisterGradient("ReverseSequence")
def _reverse_sequence_grad(op: ops.Operation, grad: Any) -> Any:
    """g turned round again."""
    dx = gen_array_ops.reverse_sequence(
        grad,
        op.inputs[1],
        seq_dim=op.get_attr("seq_dim"),
        batch_dim=op.get_attr("batch_dim"),
    )
    return dx, None


@ops.RegisterGradient("ScatterNdNonAliasingAdd")
def _scatter_nd_non_aliasing_add_grad(op: ops.Operation, grad: Any) -> Any:
    """g itself, and g picked up where updates were added."""
    return [grad, None, array_ops.gather_nd(grad, op.inputs[1])]


@ops.RegisterGradient("TensorScatterAdd")
def _tensor_scatter_add_grad(op: ops.Operation, grad: Any) -> Any:
    """g itself, and g picked up where updates were added."""
    return [grad, None, array_ops.gather_nd(grad, op.inputs[1])]


@ops.RegisterGradient("TensorScatterSub")
def _tensor_scatter_sub_grad(op: ops.Operation, grad: Any) -> Any:
    """g itself, and -g picked up where updates were subtracted."""
    return [grad, None, -array_ops.gather_nd(grad, op.inputs[1])]


@ops.RegisterGradient("TensorScatterUpdate")
def _tensor_scatter_update_grad(op: ops.Operation, grad: Any) -> Any:
    """g but where it was replaced, and g from there."""
    indices, updates = op.inputs[1:]
    kept = gen_array_ops.tensor_scatter_update(
        grad, indices, array_ops.zeros_like(updates)
    )
    # GatherNd takes fewer types of indices.
    if indices.dtype == dtypes.uint16:
        indices = math_ops.cast(indices, dtypes.int32)
    return [kept, None, array_ops.gather_nd(grad, indices)]


@ops.RegisterGradient("TensorScatterMin")
@ops.RegisterGradient("TensorScatterMax")
def _tensor_scatter_extremum_grad(op: ops.Operation, grad: Any) -> Any:
    """The taken elements get g; equal elements share it."""
    tensor, indices, updates = op.inputs
    out = op.outputs[0]
    stays = math_ops.cast(math_ops.equal(out, tensor), grad.dtype)
    chosen = math_ops.equal(array_ops.gather_nd(out, indices), updates)
    chosen = math_ops.cast(chosen, grad.dtype)
    share = grad / gen_array_ops.tensor_scatter_add(stays, indices, chosen)
    return [stays * share, None, chosen * array_ops.gather_nd(share, indices)]


@ops.RegisterGradient("BroadcastTo")
def _broadcast_to_grad(op: ops.Operation, grad: Any) -> Any:
    """g, summed over the repeated dimensions."""
    shape = array_ops.shape(op.inputs[0])
    target = math_ops.cast(op.inputs[1], dtypes.int32)
    _, axes = gen_array_ops.broadcast_gradient_args(target, shape)
    summed = math_ops.reduce_sum(grad, axes, keep_dims=True)
    return [array_ops.reshape(summed, shape), None]


@ops.RegisterGradient("EnsureShape")
@ops.RegisterGradient("GuaranteeConst")
def _same_grad(op: ops.Operation, grad: Any) -> Any:
    """g."""
    del op
    return grad


@ops.RegisterGradient("Roll")
def _roll_grad(op: ops.Operation, grad: Any) -> Any:
    """g shifted back."""
    _, shift, axis = op.inputs
    return [gen_array_ops.roll(grad, -shift, axis), None, None]


for _name in (
    "LowerBound",
    "UnravelIndex",
    "UpperBound",
    "Bitcast",
    "ImmutableConst",
    "ListDiff",
    "UniqueWithCounts",
    "UniqueWithCountsV2",
):
    ops.NotDifferentiable(_name)
