# SPDX-License-Identifier: Apache-2.0
"""The gradient of Conv, by those of Conv2D and Conv3D."""

from __future__ import annotations

from typing import Any

from tensorwright.python.framework import ops
from tensorwright.python.ops import array_ops, gen_nn_ops


def _as_one_batch(x: Any, batch_dims: int) -> Any:
    """x with one dimension in the place of those of the batch."""
    if batch_dims == 1:
        return x
    return array_ops.reshape(
        x, array_ops.concat([[-1], array_ops.shape(x)[batch_dims:]], 0)
    )


@ops.RegisterGradient("Conv")
def _conv_grad(op: ops.Operation, grad: Any) -> Any:
    """Input: g spread by the filter; filter: correlation of input and g."""
    x, w = op.inputs
    batch_dims = op.get_attr("batch_dims")
    one, g = _as_one_batch(x, batch_dims), _as_one_batch(grad, batch_dims)
    # A stride for each axis of the filter.
    is_plane = len(op.get_attr("strides")) == 4
    of_x, of_w = (_gradients_2d if is_plane else _gradients_3d)(op, one, w, g)
    if batch_dims != 1:
        of_x = array_ops.reshape(of_x, array_ops.shape(x))
    return of_x, of_w


def _attrs(op: Any, formats: tuple[str, str]) -> dict[str, Any]:
    """The attrs of Conv2D or Conv3D, whose formats with channels last and first are given."""
    strides = list(op.get_attr("strides"))
    first = op.get_attr("data_format") in ("CHANNELS_FIRST", b"CHANNELS_FIRST")
    return {
        "strides": strides,
        "dilations": list(op.get_attr("dilations")) or [1] * len(strides),
        "data_format": formats[first],
    }


def _gradients_2d(op: Any, x: Any, w: Any, g: Any) -> tuple[Any, Any]:
    attrs = _attrs(op, ("NHWC", "NCHW"))
    attrs["padding"] = op.get_attr("padding")
    attrs["explicit_paddings"] = list(op.get_attr("explicit_paddings"))
    shape_x, shape_w = array_ops.shape_n([x, w])
    return (
        gen_nn_ops.conv2d_backprop_input(shape_x, w, g, **attrs),
        gen_nn_ops.conv2d_backprop_filter(x, shape_w, g, **attrs),
    )


def _gradients_3d(op: Any, x: Any, w: Any, g: Any) -> tuple[Any, Any]:
    """Conv3D has no paddings of its own, so what they add is part of the image."""
    attrs = _attrs(op, ("NDHWC", "NCDHW"))
    pads = list(op.get_attr("explicit_paddings"))
    attrs["padding"] = "VALID" if pads else op.get_attr("padding")
    if not pads:
        shape_x, shape_w = array_ops.shape_n([x, w])
        return (
            gen_nn_ops.conv3d_backprop_input_v2(shape_x, w, g, **attrs),
            gen_nn_ops.conv3d_backprop_filter_v2(x, shape_w, g, **attrs),
        )
    padded = array_ops.pad(x, [pads[i : i + 2] for i in range(0, len(pads), 2)])
    shape_x, shape_w = array_ops.shape_n([padded, w])
    of_padded = gen_nn_ops.conv3d_backprop_input_v2(shape_x, w, g, **attrs)
    return (
        array_ops.slice(of_padded, pads[::2], array_ops.shape(x)),
        gen_nn_ops.conv3d_backprop_filter_v2(padded, shape_w, g, **attrs),
    )
