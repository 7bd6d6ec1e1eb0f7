# SPDX-License-Identifier: Apache-2.0
"""Checks of the arguments of functions of images: at once where values are known, else asserted in the run."""

from __future__ import annotations

from tensorwright.python.framework import dtypes, ops, tensor_util
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import array_ops, control_flow_ops, math_ops

# One image, or a batch of them.
IMAGE_OR_BATCH = (3, 4)


def checked_image(
    image: TensorLike, op_name: str, ranks: tuple[int, ...] | None = IMAGE_OR_BATCH
) -> ops.Tensor:
    """Returns `image` as a tensor [..., height, width, channels] that is not empty in these three.

    Args:
        image: a value that can be converted to a tensor.
        op_name: the op's name in messages.
        ranks: the ranks that the image may have; None for 3 and more.

    Raises:
        ValueError: the static shape breaks a rule; if only the run knows, it fails with InvalidArgumentError.
    """
    image = ops.convert_to_tensor(image, name="image")
    shape = image.get_shape()
    checks = []
    if shape.ndims is None:
        rank = array_ops.rank(image)
        right = rank >= 3
        if ranks is not None:
            right = math_ops.reduce_any(math_ops.equal(rank, list(ranks)))
        message = f"{op_name}: {_rule(ranks)} Got shape "
        checks.append(control_flow_ops.Assert(right, [message, array_ops.shape(image)]))
    elif shape.ndims < 3 if ranks is None else shape.ndims not in ranks:
        raise ValueError(f"{op_name}: {_rule(ranks)} Got shape {shape}")
    message = f"{op_name}: all dims of 'image.shape' must be > 0, got "
    if shape.ndims is not None and 0 in shape[-3:].as_list():
        raise ValueError(f"{message}shape {shape}")
    if shape.ndims is None or not shape[-3:].is_fully_defined():
        inner = array_ops.shape(image)[-3:]
        checks.append(
            control_flow_ops.Assert(math_ops.reduce_all(inner > 0), [message, inner])
        )
    return after(checks, image)


def _rule(ranks: tuple[int, ...] | None) -> str:
    if ranks is None:
        return "'image' must be at least three-dimensional."
    if len(ranks) == 1:
        return f"'image' must have {ranks[0]} dimensions."
    return f"'image' must have either {' or '.join(map(str, ranks))} dimensions."


def after(checks: list[ops.Operation], image: ops.Tensor) -> ops.Tensor:
    """`image`, once the checks, if there are any, have passed."""
    return control_flow_ops.with_dependencies(checks, image) if checks else image


def require(
    op_name: str, *rules: tuple[object, str, TensorLike]
) -> list[ops.Operation]:
    """Sees to rules (whether it holds: a bool or a tensor, its words, the value it is about).

    Returns:
        The assertions of those that only the run knows.

    Raises:
        ValueError: a rule is known not to hold.
    """
    checks = []
    for holds, words, value in rules:
        message = f"{op_name}: {words}, got "
        if ops.is_dense_tensor_like(holds):
            checks.append(control_flow_ops.Assert(holds, [message, value]))
        elif not holds:
            raise ValueError(f"{message}{value}")
    return checks


def count(value: TensorLike, name: str) -> int | ops.Tensor:
    """A number of pixels: an int where it is known, else an int32 scalar."""
    if not ops.is_dense_tensor_like(value):
        value = ops.convert_to_tensor(value, name=name, dtype_hint=dtypes.int32)
    if not value.dtype.is_integer:
        raise TypeError(f"{name} must be an integer, got {value.dtype.name}")
    value.get_shape().assert_has_rank(0)
    static = tensor_util.constant_value(value)
    return math_ops.cast(value, dtypes.int32) if static is None else int(static)


def greater(a: TensorLike, b: TensorLike) -> int | ops.Tensor:
    """The greater of two counts."""
    if isinstance(a, int) and isinstance(b, int):
        return max(a, b)
    return math_ops.maximum(a, b)


def lesser(a: TensorLike, b: TensorLike) -> int | ops.Tensor:
    """The lesser of two counts."""
    if isinstance(a, int) and isinstance(b, int):
        return min(a, b)
    return math_ops.minimum(a, b)
