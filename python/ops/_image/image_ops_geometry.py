# SPDX-License-Identifier: Apache-2.0
"""Turns, mirrors, cuts and pads images.

An image is [height, width, channels], a batch of them [batch, height, width, channels].  Functions that cut or pad
take a tensor of unknown rank for one image.
"""

from __future__ import annotations

from typing import Any

from tensorwright.python.framework import dtypes, ops, tensor_util
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import (
    array_ops,
    control_flow_ops,
    math_ops,
    random_ops,
)
from tensorwright.python.ops._image.image_ops_checks import (
    after,
    checked_image,
    count,
    greater,
    lesser,
    require,
)

# Counted from the end, as they are the same with and without a batch.
_ROWS, _COLUMNS = -3, -2


def flip_left_right(image: TensorLike) -> ops.Tensor:
    """The image, or each image of a batch, mirrored: columns in reverse order."""
    return _flipped(image, _COLUMNS, "flip_left_right")


def flip_up_down(image: TensorLike) -> ops.Tensor:
    """The image, or each image of a batch, upside down: rows in reverse order."""
    return _flipped(image, _ROWS, "flip_up_down")


def _flipped(image: Any, axis: int, name: str) -> ops.Tensor:
    with ops.name_scope(None, name, [image]) as scope:
        return array_ops.reverse(checked_image(image, name), [axis], name=scope)


def random_flip_left_right(image: TensorLike, seed: int | None = None) -> ops.Tensor:
    """`flip_left_right` of each image, with a chance of one half."""
    return _flipped_at_random(image, _COLUMNS, seed, "random_flip_left_right")


def random_flip_up_down(image: TensorLike, seed: int | None = None) -> ops.Tensor:
    """`flip_up_down` of each image, with a chance of one half."""
    return _flipped_at_random(image, _ROWS, seed, "random_flip_up_down")


def _flipped_at_random(
    image: Any, axis: int, seed: int | None, name: str
) -> ops.Tensor:
    with ops.name_scope(None, name, [image]):
        image = array_ops.identity(
            checked_image(image, name), name="control_dependency"
        )
        if image.get_shape().ndims == 3:
            draw = random_ops.random_uniform([], seed=seed)
            flipped = control_flow_ops.cond(
                draw < 0.5, lambda: array_ops.reverse(image, [axis]), lambda: image
            )
            flipped.set_shape(image.get_shape())
            return flipped
        # Each image has its own draw; for a single image, found in the run, the lower half flips, as above.
        batch = array_ops.shape(image)[:-3]
        draws = random_ops.random_uniform(batch, seed=seed)
        flips = draws > 0.5
        if image.get_shape().ndims is None:
            single = math_ops.equal(array_ops.size(batch), 0)
            flips = array_ops.where_v2(single, draws < 0.5, flips)
        flips = array_ops.reshape(flips, array_ops.concat([batch, [1, 1, 1]], 0))
        mirrored = array_ops.reverse(image, [axis])
        chosen = array_ops.where_v2(flips, mirrored, image)
        chosen.set_shape(image.get_shape())
        return chosen


def transpose(image: TensorLike, name: str | None = None) -> ops.Tensor:
    """The image, or each image of a batch, with rows and columns exchanged."""
    with ops.name_scope(name, "transpose", [image]) as scope:
        image = checked_image(image, "transpose")
        return _transposed(image, scope)


transpose_image = transpose


def _transposed(image: ops.Tensor, name: str | None = None) -> ops.Tensor:
    rank = image.get_shape().ndims
    if rank is not None:
        order = [*range(rank - 3), rank - 2, rank - 3, rank - 1]
    else:
        batch = array_ops.rank(image) - 3
        order = array_ops.concat([math_ops.range(batch), batch + [1, 0, 2]], 0)
    return array_ops.transpose(image, order, name=name)


def rot90(image: TensorLike, k: TensorLike = 1, name: str | None = None) -> ops.Tensor:
    """The image, or each image of a batch, turned counter-clockwise by `k` quarters; `k` is an int32 scalar."""
    with ops.name_scope(name, "rot90", [image, k]):
        image = checked_image(image, "rot90")
        k = count(k, "k")
        branches = [
            lambda: array_ops.identity(image),
            lambda: _transposed(array_ops.reverse(image, [_COLUMNS])),
            lambda: array_ops.reverse(image, [_ROWS, _COLUMNS]),
            lambda: array_ops.reverse(_transposed(image), [_COLUMNS]),
        ]
        if isinstance(k, int):
            return branches[k % 4]()
        turned = control_flow_ops.switch_case(k % 4, branches)
        if image.get_shape().ndims is not None:
            shape = image.get_shape().as_list()
            turned.set_shape([*shape[:-3], None, None, shape[-1]])
        return turned


def crop_to_bounding_box(
    image: TensorLike,
    offset_height: TensorLike,
    offset_width: TensorLike,
    target_height: TensorLike,
    target_width: TensorLike,
) -> ops.Tensor:
    """Cuts out the part of each image that begins at the offsets: [..., target_height, target_width, channels].

    The numbers are ints or integer scalars.

    Raises:
        ValueError: the box is known not to lie inside the image, or to be empty; if only the run knows, it raises
            InvalidArgumentError.
    """
    name = "crop_to_bounding_box"
    with ops.name_scope(None, name, [image]):
        image = _of_known_rank(image, name)
        top, left, rows, columns = _box(
            offset_height, offset_width, target_height, target_width
        )
        height, width = _sides(image)
        checks = require(
            name,
            (top >= 0, "offset_height must be >= 0", top),
            (left >= 0, "offset_width must be >= 0", left),
            (rows > 0, "target_height must be > 0", rows),
            (columns > 0, "target_width must be > 0", columns),
            _ordered("height must be >= target + offset", top + rows, height),
            _ordered("width must be >= target + offset", left + columns, width),
        )
        return _cropped(after(checks, image), top, left, rows, columns)


def pad_to_bounding_box(
    image: TensorLike,
    offset_height: TensorLike,
    offset_width: TensorLike,
    target_height: TensorLike,
    target_width: TensorLike,
) -> ops.Tensor:
    """Puts each image amid zeros, with its first pixel at the offsets: [..., target_height, target_width, channels].

    The numbers are ints or integer scalars.

    Raises:
        ValueError: the image is known not to lie inside the box; if only the run knows, it raises
            InvalidArgumentError.
    """
    name = "pad_to_bounding_box"
    with ops.name_scope(None, name, [image]):
        image = _of_known_rank(image, name)
        top, left, rows, columns = _box(
            offset_height, offset_width, target_height, target_width
        )
        height, width = _sides(image)
        checks = require(
            name,
            (top >= 0, "offset_height must be >= 0", top),
            (left >= 0, "offset_width must be >= 0", left),
            _ordered("height must be <= target - offset", height, rows - top),
            _ordered("width must be <= target - offset", width, columns - left),
        )
        return _padded(after(checks, image), top, left, rows, columns)


def resize_image_with_crop_or_pad(
    image: TensorLike, target_height: TensorLike, target_width: TensorLike
) -> ops.Tensor:
    """Cuts each image to its middle, or pads it with zeros: [..., target_height, target_width, channels].

    If an odd number of rows or columns is cut or added, the greater part is the one after the image.  The numbers are
    ints or integer scalars.

    Raises:
        ValueError: a size is known not to be positive; if only the run knows it, the run raises InvalidArgumentError.
    """
    name = "resize_image_with_crop_or_pad"
    with ops.name_scope(None, name, [image]):
        image = _of_known_rank(image, name)
        rows = count(target_height, "target_height")
        columns = count(target_width, "target_width")
        checks = require(
            name,
            (rows > 0, "target_height must be > 0", rows),
            (columns > 0, "target_width must be > 0", columns),
        )
        image = after(checks, image)
        height, width = _sides(image)
        image = _cropped(
            image,
            greater((height - rows) // 2, 0),
            greater((width - columns) // 2, 0),
            lesser(height, rows),
            lesser(width, columns),
        )
        top = greater((rows - height) // 2, 0)
        left = greater((columns - width) // 2, 0)
        return _padded(image, top, left, rows, columns)


resize_with_crop_or_pad = resize_image_with_crop_or_pad


def central_crop(image: TensorLike, central_fraction: TensorLike) -> ops.Tensor:
    """Keeps the middle of each image: `central_fraction` of its rows and columns, in (0, 1].

    The same number of rows or columns, rounded down, is cut before and after.

    Raises:
        ValueError: the fraction is known to be out of range (otherwise the run raises InvalidArgumentError), or the
            rank of the image is not known to be 3 or 4.
    """
    name = "central_crop"
    with ops.name_scope(None, name, [image]):
        image = ops.convert_to_tensor(image, name="image")
        fraction: Any = central_fraction
        if ops.is_dense_tensor_like(fraction):
            static = tensor_util.constant_value(fraction)
            fraction = math_ops.cast(fraction, "float64") if static is None else static
        words = "central_fraction must be within (0, 1]"
        inside = (
            math_ops.logical_and(fraction > 0, fraction <= 1)
            if ops.is_dense_tensor_like(fraction)
            else 0 < fraction <= 1
        )
        checks = require(name, (inside, words, fraction))
        image = after(checks, image)
        if not ops.is_dense_tensor_like(fraction) and fraction == 1:
            return image
        image = checked_image(image, name)
        if image.get_shape().ndims is None:
            raise ValueError(f"{name}: the rank of image must be known")
        height, width = _sides(image)
        top, left = _margin(height, fraction), _margin(width, fraction)
        return _cropped(image, top, left, height - 2 * top, width - 2 * left)


def _margin(size: Any, fraction: Any) -> int | ops.Tensor:
    """Returns the number of rows, out of `size`, to leave out on each side, computed in doubles."""
    if isinstance(size, int) and not ops.is_dense_tensor_like(fraction):
        return int((size - size * fraction) / 2)
    size = math_ops.cast(size, dtypes.float64)
    return math_ops.cast((size - size * fraction) / 2, dtypes.int32)


def _box(top: Any, left: Any, rows: Any, columns: Any) -> tuple[Any, ...]:
    return (
        count(top, "offset_height"),
        count(left, "offset_width"),
        count(rows, "target_height"),
        count(columns, "target_width"),
    )


def _ordered(words: str, size: Any, limit: Any) -> tuple[Any, str, Any]:
    """The rule that `size` is at most `limit`."""
    value = (
        f"{size} and {limit}"
        if isinstance(size, int) and isinstance(limit, int)
        else array_ops.stack([size, limit])
    )
    return size <= limit, words, value


def _of_known_rank(image: Any, name: str) -> ops.Tensor:
    """The checked image; one of unknown rank is taken for a single image."""
    image = ops.convert_to_tensor(image, name="image")
    if image.get_shape().ndims is not None:
        return checked_image(image, name)
    image = checked_image(image, name, ranks=(3,))
    image.set_shape([None, None, None])
    return image


def _sides(image: ops.Tensor) -> tuple[Any, Any]:
    """Height and width: ints where they are known."""
    height, width = array_ops.sizes(image)[-3:-1]
    return height, width


def _cropped(
    image: ops.Tensor, top: Any, left: Any, rows: Any, columns: Any
) -> ops.Tensor:
    if _is_all(image, rows, columns):
        return image
    part = image[..., top : top + rows, left : left + columns, :]
    return _of_sides(part, image, rows, columns)


def _padded(
    image: ops.Tensor, top: Any, left: Any, rows: Any, columns: Any
) -> ops.Tensor:
    if _is_all(image, rows, columns):
        return image
    height, width = _sides(image)
    rank = image.get_shape().ndims
    assert rank is not None
    batch = [[0, 0]] * (rank - 3)
    paddings = [
        *batch,
        [top, rows - top - height],
        [left, columns - left - width],
        [0, 0],
    ]
    return _of_sides(array_ops.pad(image, paddings), image, rows, columns)


def _is_all(image: ops.Tensor, rows: Any, columns: Any) -> bool:
    """True if the image is known to have these sizes."""
    if not isinstance(rows, int) or not isinstance(columns, int):
        return False
    return _sides(image) == (rows, columns)


def _of_sides(
    result: ops.Tensor, image: ops.Tensor, rows: Any, columns: Any
) -> ops.Tensor:
    """Sets the static shape of `result`: that of `image`, except for the sides."""
    shape = image.get_shape().as_list()
    sides = [size if isinstance(size, int) else None for size in (rows, columns)]
    result.set_shape([*shape[:-3], *sides, shape[-1]])
    return result
