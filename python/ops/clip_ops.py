# SPDX-License-Identifier: Apache-2.0
"""Clipping by value and by norm."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tensorwright.python.framework import constant_op, ops
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import array_ops, gen_nn_ops, math_ops


def clip_by_value(
    t: TensorLike,
    clip_value_min: TensorLike,
    clip_value_max: TensorLike,
    name: str | None = None,
) -> ops.Tensor:
    """min(max(t, clip_value_min), clip_value_max); the bounds broadcast to the shape of `t`."""
    with ops.name_scope(
        name, "clip_by_value", [t, clip_value_min, clip_value_max]
    ) as n:
        t = ops.convert_to_tensor(t, name="t")
        low = math_ops.minimum(t, clip_value_max)
        clipped = math_ops.maximum(low, clip_value_min, name=n)
        # Bounds may not widen the tensor.
        t.get_shape().assert_is_compatible_with(clipped.get_shape())
        return clipped


def clip_by_norm(
    t: TensorLike,
    clip_norm: TensorLike,
    axes: TensorLike | None = None,
    name: str | None = None,
) -> ops.Tensor:
    """t * clip_norm / max(||t||_2, clip_norm), the norm over `axes` (all by default)."""
    with ops.name_scope(name, "clip_by_norm", [t, clip_norm]) as scope:
        t = ops.convert_to_tensor(t, name="t")
        squares = math_ops.reduce_sum(t * t, axes, keep_dims=True)
        positive = squares > 0
        # The gradient of sqrt at zero is infinite: keep it out of the graph's backward pass.
        safe = array_ops.where(positive, squares, array_ops.ones_like(squares))
        norm = array_ops.where(positive, math_ops.sqrt(safe), squares)
        scaled = t * clip_norm
        scaled.get_shape().assert_is_compatible_with(t.get_shape())
        return math_ops.div(scaled, math_ops.maximum(norm, clip_norm), name=scope)


def clip_by_average_norm(
    t: TensorLike, clip_norm: TensorLike, name: str | None = None
) -> ops.Tensor:
    """clip_by_norm with the norm divided by the number of elements."""
    with ops.name_scope(name, "clip_by_average_norm", [t, clip_norm]) as scope:
        t = ops.convert_to_tensor(t, name="t")
        count = math_ops.cast(array_ops.size(t), t.dtype.base_dtype)
        norm = math_ops.sqrt(math_ops.reduce_sum(t * t)) / count
        return math_ops.div(
            t * clip_norm, math_ops.maximum(norm, clip_norm), name=scope
        )


def global_norm(t_list: Sequence[TensorLike], name: str | None = None) -> ops.Tensor:
    """sqrt of the sum of the squares of all elements of all tensors; None entries count nothing."""
    _check_sequence(t_list)
    with ops.name_scope(name, "global_norm", list(t_list)):
        values = [_values(t) for t in t_list if t is not None]
        halves = [gen_nn_ops.l2_loss(v) for v in values]
        total = math_ops.reduce_sum(array_ops.stack(halves))
        two = constant_op.constant(2.0, dtype=total.dtype)
        return math_ops.sqrt(total * two, name="global_norm")


def clip_by_global_norm(
    t_list: Sequence[TensorLike],
    clip_norm: TensorLike,
    use_norm: TensorLike | None = None,
    name: str | None = None,
) -> tuple[list[Any], ops.Tensor]:
    """Each t * clip_norm / max(global_norm, clip_norm), and the norm (Pascanu et al. 2012).

    Tensors become NaN where the norm is not finite.  None entries stay None.
    """
    _check_sequence(t_list)
    norm: Any = global_norm(t_list, name) if use_norm is None else use_norm
    with ops.name_scope(name, "clip_by_global_norm", [*t_list, clip_norm]):
        one = constant_op.constant(1.0, dtype=norm.dtype)
        scale = clip_norm * math_ops.minimum(1.0 / norm, one / clip_norm)
        finite = math_ops.is_finite(norm)
        nan = constant_op.constant(float("nan"), dtype=norm.dtype)
        scale = array_ops.where(finite, scale, nan)
        clipped: list[Any] = []
        for t in t_list:
            if t is None:
                clipped.append(None)
            elif isinstance(t, ops.IndexedSlices):
                values = t.values * math_ops.cast(scale, t.values.dtype.base_dtype)
                clipped.append(ops.IndexedSlices(values, t.indices, t.dense_shape))
            else:
                t = ops.convert_to_tensor(t)
                clipped.append(t * math_ops.cast(scale, t.dtype.base_dtype))
        return clipped, norm


def _values(t: Any) -> ops.Tensor:
    return t.values if isinstance(t, ops.IndexedSlices) else ops.convert_to_tensor(t)


def _check_sequence(t_list: Any) -> None:
    if not isinstance(t_list, Sequence) or isinstance(t_list, str):
        raise TypeError(f"t_list must be a list or tuple of tensors, got {t_list!r}")
