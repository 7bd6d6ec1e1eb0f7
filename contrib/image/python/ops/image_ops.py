# SPDX-License-Identifier: Apache-2.0
"""Images seen through projective transforms."""

from __future__ import annotations

from tensorwright.python.framework import dtypes, ops
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import array_ops, gen_image_ops, math_ops

__all__ = [
    "angles_to_projective_transforms",
    "compose_transforms",
    "rotate",
    "transform",
]

_IMAGE_DTYPES = (
    dtypes.uint8,
    dtypes.int32,
    dtypes.int64,
    dtypes.float16,
    dtypes.float32,
    dtypes.float64,
)


def rotate(
    images: TensorLike, angles: TensorLike, interpolation: str = "NEAREST"
) -> ops.Tensor:
    """Images turned counterclockwise about their centres.

    Args:
        images: [n, height, width, channels], [height, width, channels] or [height, width].
        angles: in radians, a scalar or [n].
        interpolation: "NEAREST" or "BILINEAR".

    Raises:
        TypeError: another dtype or rank.
    """
    images = ops.convert_to_tensor(images)
    batch = _batch(images)
    height, width = (
        math_ops.cast(array_ops.shape(batch)[i], dtypes.float32) for i in (1, 2)
    )
    transforms = angles_to_projective_transforms(angles, height, width)
    output = transform(batch, transforms, interpolation)
    return _as(output, images)


def angles_to_projective_transforms(
    angles: TensorLike, image_height: TensorLike, image_width: TensorLike
) -> ops.Tensor:
    """The transforms that turn images about their centres: [n, 8].

    Args:
        angles: in radians, a scalar or [n].
        image_height, image_width: float scalars.

    Raises:
        TypeError: angles of rank 2 or more.
    """
    angles = ops.convert_to_tensor(angles, dtype=dtypes.float32)
    rank = angles.get_shape().ndims
    if rank == 0:
        angles = array_ops.expand_dims(angles, 0)
    elif rank != 1:
        raise TypeError("Angles should have rank 0 or 1.")
    cos, sin = math_ops.cos(angles), math_ops.sin(angles)
    height = math_ops.cast(image_height, dtypes.float32) - 1
    width = math_ops.cast(image_width, dtypes.float32) - 1
    zeros = array_ops.zeros_like(cos)
    rows = [
        cos,
        -sin,
        (width - (cos * width - sin * height)) / 2,
        sin,
        cos,
        (height - (sin * width + cos * height)) / 2,
        zeros,
        zeros,
    ]
    return array_ops.stack(rows, axis=1)


def _batch(images: ops.Tensor) -> ops.Tensor:
    if images.dtype.base_dtype not in _IMAGE_DTYPES:
        raise TypeError(f"Invalid dtype {images.dtype}.")
    rank = images.get_shape().ndims
    if rank == 2:
        return images[None, :, :, None]
    if rank == 3:
        return images[None]
    if rank == 4:
        return images
    raise TypeError("Images should have rank between 2 and 4.")


def _as(batch: ops.Tensor, images: ops.Tensor) -> ops.Tensor:
    rank = images.get_shape().ndims
    output = {2: lambda: batch[0, :, :, 0], 3: lambda: batch[0]}.get(
        rank, lambda: batch
    )()
    output.set_shape(images.get_shape())
    return output


def transform(
    images: TensorLike, transforms: TensorLike, interpolation: str = "NEAREST"
) -> ops.Tensor:
    """Moves images by transforms; pixels outside an image are 0.

    Args:
        images: [n, height, width, channels], [height, width, channels] or [height, width].
        transforms: [8] or [n or 1, 8]: [a0, a1, a2, b0, b1, b2, c0, c1] takes a point (x, y) of the output to
            ((a0 x + a1 y + a2) / k, (b0 x + b1 y + b2) / k), k = c0 x + c1 y + 1, of the input.
        interpolation: "NEAREST" or "BILINEAR".

    Raises:
        TypeError: another dtype or rank.
    """
    images = ops.convert_to_tensor(images)
    transforms = ops.convert_to_tensor(transforms, dtype=dtypes.float32)
    batch = _batch(images)
    rank = transforms.get_shape().ndims
    if rank == 1:
        transforms = array_ops.expand_dims(transforms, 0)
    elif rank != 2:
        raise TypeError("Transforms should have rank 1 or 2.")
    output = gen_image_ops.image_projective_transform_v2(
        batch,
        transforms,
        array_ops.shape(batch)[1:3],
        interpolation=interpolation.upper(),
    )
    return _as(output, images)


def compose_transforms(*transforms: TensorLike) -> ops.Tensor:
    """The transform that is the same as all, each [8] or [n, 8], one after the other: [n, 8].

    Raises:
        ValueError: none.
    """
    if not transforms:
        raise ValueError("transforms cannot be empty")
    matrices = [_matrices(t) for t in transforms]
    composed = matrices[0]
    for matrix in matrices[1:]:
        composed = math_ops.matmul(composed, matrix)
    flat = array_ops.reshape(composed, [-1, 9])
    return (flat / flat[:, 8:])[:, :8]


def _matrices(transforms: TensorLike) -> ops.Tensor:
    flat = ops.convert_to_tensor(transforms, dtype=dtypes.float32)
    if flat.get_shape().ndims == 1:
        flat = array_ops.expand_dims(flat, 0)
    ones = array_ops.ones([array_ops.shape(flat)[0], 1])
    return array_ops.reshape(array_ops.concat([flat, ones], 1), [-1, 3, 3])


def translations_to_projective_transforms(
    translations: TensorLike, name: str | None = None
) -> ops.Tensor:
    """The transforms, [n, 8] or [8], that move images by (dx, dy): [n, 2] or [2]."""
    with ops.name_scope(name, "translations_to_projective_transforms"):
        moves = array_ops.reshape(math_ops.cast(translations, dtypes.float32), [-1, 2])
        ones, zeros = array_ops.ones_like(moves[:, :1]), array_ops.zeros_like(moves[:, :1])  # fmt: skip
        parts = [ones, zeros, -moves[:, :1], zeros, ones, -moves[:, 1:], zeros, zeros]
        return array_ops.concat(parts, 1)


def translate(
    images: TensorLike,
    translations: TensorLike,
    interpolation: str = "NEAREST",
    name: str | None = None,
) -> ops.Tensor:
    """Images that are moved by (dx, dy) pixels, zeros behind them; `interpolation` as in `transform`."""
    with ops.name_scope(name, "translate"):
        moves = translations_to_projective_transforms(translations)
        return transform(images, moves, interpolation)


def flat_transforms_to_matrices(transforms: TensorLike) -> ops.Tensor:
    """The matrices [n, 3, 3] of projective transforms [n, 8] or [8]."""
    flat = array_ops.reshape(ops.convert_to_tensor(transforms), [-1, 8])
    full = array_ops.concat([flat, array_ops.ones_like(flat[:, :1])], 1)
    return array_ops.reshape(full, [-1, 3, 3])


def matrices_to_flat_transforms(transform_matrices: TensorLike) -> ops.Tensor:
    """The projective transforms [n, 8] of matrices [n, 3, 3] or [3, 3], whose last element becomes 1."""
    matrices = ops.convert_to_tensor(transform_matrices)
    flat = array_ops.reshape(matrices, [-1, 9])
    return (flat / flat[:, 8:])[:, :8]
