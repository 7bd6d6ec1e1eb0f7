# SPDX-License-Identifier: Apache-2.0
"""Files of images: BMP, GIF, JPEG and PNG."""

from __future__ import annotations

from tensorwright.python.framework import dtypes, ops, tensor_util
from tensorwright.python.framework.type_aliases import DTypeLike, TensorLike
from tensorwright.python.ops import (
    gen_image_ops,
    gen_math_ops,
    gen_string_ops,
    random_ops,
)
from tensorwright.python.ops._image.image_ops_color import convert_image_dtype

# The dtypes of DecodeImage; it makes other dtypes from 16 bits.
_DECODED_DTYPES = (dtypes.float32, dtypes.uint8, dtypes.uint16)

_BEST_QUALITY = 100


def decode_image(
    contents: TensorLike,
    channels: int | None = None,
    dtype: DTypeLike = dtypes.uint8,
    name: str | None = None,
    expand_animations: bool = True,
) -> ops.Tensor:
    """The image in a BMP, GIF, JPEG or PNG file.

    Args:
        contents: a string scalar, the bytes of the file.
        channels: 0 or None (those of the file), 1, 3 or 4.
        dtype: the dtype of the result; intensities are scaled as `convert_image_dtype` does.
        name: the op's name.
        expand_animations: whether a GIF file is [frames, height, width, 3], or its first frame alone.

    Returns:
        [height, width, channels], the rank unknown while the graph is built where animations are expanded.
    """
    with ops.name_scope(name, "decode_image", [contents]) as scope:
        dtype = dtypes.as_dtype(dtype)
        decoded = dtype if dtype in _DECODED_DTYPES else dtypes.uint16
        image = gen_image_ops.decode_image(
            contents,
            channels=channels or 0,
            dtype=decoded,
            expand_animations=expand_animations,
        )
        return convert_image_dtype(image, dtype, name=scope)


def is_jpeg(contents: TensorLike, name: str | None = None) -> ops.Tensor:
    """Whether a file (a string scalar) begins as JPEG files do: a bool scalar."""
    with ops.name_scope(name, "is_jpeg", [contents]) as scope:
        contents = ops.convert_to_tensor(contents, dtypes.string, name="contents")
        start = gen_string_ops.substr(contents, 0, 3)
        return gen_math_ops.equal(start, b"\xff\xd8\xff", name=scope)


def adjust_jpeg_quality(
    image: TensorLike,
    jpeg_quality: TensorLike,
    dct_method: str = "",
    name: str | None = None,
) -> ops.Tensor:
    """Encodes an image as a JPEG and decodes it again: [height, width, 1 or 3] -> the same shape and dtype.

    Args:
        image: an image; dtypes other than uint8 are converted for the file.
        jpeg_quality: an int32 scalar in [0, 100].
        dct_method: the decoder's method: "INTEGER_FAST", the default "", or "INTEGER_ACCURATE".
        name: the op's name.
    """
    with ops.name_scope(name, "adjust_jpeg_quality", [image]):
        image = ops.convert_to_tensor(image, name="image")
        shape = image.get_shape().with_rank(3)
        file = gen_image_ops.encode_jpeg_variable_quality(
            convert_image_dtype(image, dtypes.uint8, saturate=True), jpeg_quality
        )
        decoded = gen_image_ops.decode_jpeg(
            file, channels=shape.as_list()[-1] or 0, dct_method=dct_method
        )
        decoded.set_shape(shape)
        return convert_image_dtype(decoded, image.dtype, saturate=True)


def random_jpeg_quality(
    image: TensorLike,
    min_jpeg_quality: int,
    max_jpeg_quality: int,
    seed: int | None = None,
) -> ops.Tensor:
    """`adjust_jpeg_quality` by a number drawn from [min_jpeg_quality, max_jpeg_quality).

    Raises ValueError unless 0 <= min_jpeg_quality < max_jpeg_quality <= 100.
    """
    low, high = map(_known, (min_jpeg_quality, max_jpeg_quality))
    if not 0 <= low < high <= _BEST_QUALITY:
        raise ValueError(
            "random_jpeg_quality: 0 <= min_jpeg_quality < max_jpeg_quality <= 100 must hold, "
            f"got {low} and {high}"
        )
    quality = random_ops.random_uniform([], low, high, seed=seed, dtype=dtypes.int32)
    return adjust_jpeg_quality(image, quality)


def _known(number: int) -> int:
    if isinstance(number, ops.Tensor):
        number = tensor_util.constant_value(number)
    return int(number)
