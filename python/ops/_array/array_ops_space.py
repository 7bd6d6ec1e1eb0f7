# SPDX-License-Identifier: Apache-2.0
"""Space moved into batch or channels and back, and patches of images."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from tensorwright.python.framework import constant_op, dtypes, ops, tensor_util
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import gen_array_ops, gen_math_ops
from tensorwright.python.ops.gen_array_ops import (  # noqa: F401 (re-exported)
    batch_to_space_nd,
    space_to_batch_nd,
)
from tensorwright.python.util.renamed_arguments import deprecated_argument_lookup

if TYPE_CHECKING:
    from tensorwright.python.framework.tensor import Tensor


def _block_size(block_size: Any, block_shape: Any) -> Any:
    size = deprecated_argument_lookup(
        "block_shape", block_shape, "block_size", block_size
    )
    if size is None:
        raise ValueError("block_size must be given")
    return [size, size] if isinstance(size, (int, np.integer)) else size


def space_to_batch(
    input: TensorLike,
    paddings: TensorLike,
    block_size: int | None = None,
    name: str | None = None,
    block_shape: TensorLike | None = None,
) -> ops.Tensor:
    """`space_to_batch_nd` of images [batch, height, width, depth].

    `block_size` is one number for both dimensions; paddings: [2, 2].

    Raises:
        ValueError: images of another rank than 4.
    """
    shape = _block_size(block_size, block_shape)
    result = gen_array_ops.space_to_batch_nd(
        input, block_shape=shape, paddings=paddings, name=name
    )
    return _as_images(result)


def batch_to_space(
    input: TensorLike,
    crops: TensorLike,
    block_size: int | None = None,
    name: str | None = None,
    block_shape: TensorLike | None = None,
) -> ops.Tensor:
    """The inverse of `space_to_batch`; crops: [2, 2] are cut off the result.

    Raises:
        ValueError: images of another rank than 4.
    """
    shape = _block_size(block_size, block_shape)
    result = gen_array_ops.batch_to_space_nd(
        input, block_shape=shape, crops=crops, name=name
    )
    return _as_images(result)


def _as_images(result: ops.Tensor) -> ops.Tensor:
    result.set_shape(result.get_shape().with_rank(4))
    return result


def space_to_depth(
    input: TensorLike,
    block_size: int,
    name: str | None = None,
    data_format: str = "NHWC",
) -> ops.Tensor:
    """Blocks as channels: [b, h, w, c] -> [b, h / s, w / s, c * s * s]."""
    return gen_array_ops.space_to_depth(
        input, block_size=block_size, data_format=data_format, name=name
    )


def depth_to_space(
    input: TensorLike,
    block_size: int,
    name: str | None = None,
    data_format: str = "NHWC",
) -> ops.Tensor:
    """Channels as blocks: [b, h, w, c] -> [b, h * s, w * s, c / (s * s)]."""
    return gen_array_ops.depth_to_space(
        input, block_size=block_size, data_format=data_format, name=name
    )


def required_space_to_batch_paddings(
    input_shape: TensorLike,
    block_shape: TensorLike,
    base_paddings: TensorLike | None = None,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """(paddings, crops) that make `input_shape` a multiple of `block_shape`.

    Args:
      input_shape: int32 [n], the space dimensions.
      block_shape: int32 [n].
      base_paddings: int32 [n, 2], the least paddings; None: zeros.
      name: the name of the operations, if any: constants give NumPy arrays' constants.

    Returns:
      paddings int32 [n, 2] for `space_to_batch_nd`, at least base_paddings, and crops
      [n, 2] for `batch_to_space_nd` that remove the additional paddings.
    """
    with ops.name_scope(
        name, "required_space_to_batch_paddings", [input_shape, block_shape]
    ):
        input_shape = ops.convert_to_tensor(
            input_shape, dtype=dtypes.int32, name="input_shape"
        )
        block_shape = ops.convert_to_tensor(
            block_shape, dtype=dtypes.int32, name="block_shape"
        )
        blocks = block_shape.get_shape().with_rank(1)
        if not blocks.is_fully_defined():
            raise ValueError(
                "required_space_to_batch_paddings: block_shape must be of known length"
            )
        n = blocks.as_list()[0]
        input_shape.get_shape().assert_is_compatible_with([n])
        if n == 0:
            empty = constant_op.constant(np.zeros([0, 2], np.int32))
            return empty, empty
        if base_paddings is None:
            base_paddings = np.zeros([n, 2], np.int32)
        base_paddings = ops.convert_to_tensor(
            base_paddings, dtype=dtypes.int32, name="base_paddings"
        )
        base_paddings.get_shape().assert_is_compatible_with([n, 2])
        values = [
            tensor_util.constant_value(t)
            for t in (input_shape, block_shape, base_paddings)
        ]
        if all(v is not None for v in values):
            size, block, base = values
            rest = -(size + base[:, 0] + base[:, 1]) % block
            paddings = np.stack([base[:, 0], base[:, 1] + rest], 1)
            crops = np.stack([np.zeros_like(rest), rest], 1)
            return (
                ops.convert_to_tensor(paddings, name="paddings"),
                ops.convert_to_tensor(crops, name="crops"),
            )
        start, end = gen_array_ops.unpack(base_paddings, num=2, axis=1)
        full = gen_math_ops.add(gen_math_ops.add(input_shape, start), end)
        rest = gen_math_ops.floor_mod(
            gen_math_ops.sub(block_shape, gen_math_ops.floor_mod(full, block_shape)),
            block_shape,
        )
        paddings = gen_array_ops.pack(
            [start, gen_math_ops.add(end, rest)], axis=1, name="paddings"
        )
        zero = gen_array_ops.zeros_like(rest)
        crops = gen_array_ops.pack([zero, rest], axis=1, name="crops")
        return paddings, crops


def extract_image_patches(
    images: TensorLike,
    ksizes: Sequence[int] | None = None,
    strides: Sequence[int] | None = None,
    rates: Sequence[int] | None = None,
    padding: str | None = None,
    name: str | None = None,
    sizes: Sequence[int] | None = None,
) -> ops.Tensor:
    """The elements under each window of an image as one long pixel.

    Args:
      images: [batch, rows, cols, depth].
      ksizes: [1, rows, cols, 1] of a window.
      strides: [1, rows, cols, 1] from one window to the next.
      rates: [1, rows, cols, 1] from one element of a window to the next.
      padding: "VALID" or "SAME", which puts zeros around.
      name: the op's name.
      sizes: another name of ksizes.

    Returns:
      [batch, out_rows, out_cols, ksizes[1] * ksizes[2] * depth].
    """
    ksizes = deprecated_argument_lookup("sizes", sizes, "ksizes", ksizes)
    attrs: Any = {"strides": strides, "rates": rates, "padding": padding}
    return gen_array_ops.extract_image_patches(
        images, ksizes=cast(Any, ksizes), name=name, **attrs
    )


def extract_patches(
    images: TensorLike,
    sizes: Sequence[int],
    strides: Sequence[int],
    rates: Sequence[int],
    padding: str,
    name: str | None = None,
) -> ops.Tensor:
    """`extract_image_patches` with TensorFlow 2's argument names."""
    return extract_image_patches(images, sizes, strides, rates, padding, name)


def extract_volume_patches(
    input: TensorLike,
    ksizes: Sequence[int],
    strides: Sequence[int],
    padding: str,
    name: str | None = None,
) -> ops.Tensor:
    """The elements under each window of a volume as one long voxel.

    Args:
      input: [batch, planes, rows, cols, depth].
      ksizes: [1, planes, rows, cols, 1] of a window.
      strides: [1, planes, rows, cols, 1] from one window to the next.
      padding: "VALID" or "SAME", which puts zeros around.
      name: the op's name.

    Returns:
      [batch, out_planes, out_rows, out_cols, ksizes[1] * ksizes[2] * ksizes[3] * depth].
    """
    return gen_array_ops.extract_volume_patches(
        input, ksizes=ksizes, strides=strides, padding=padding, name=name
    )


def fingerprint(
    data: TensorLike, method: TensorLike = "farmhash64", name: str | None = None
) -> ops.Tensor:
    """Eight bytes for each slice of `data` [n, ...], numbers or strings: uint8 [n, 8].

    method: "farmhash64", the only one.
    """
    return gen_array_ops.fingerprint(data, method, name=name)
