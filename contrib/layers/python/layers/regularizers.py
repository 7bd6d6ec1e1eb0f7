# SPDX-License-Identifier: Apache-2.0
"""Losses of weights."""

from __future__ import annotations

import numbers
from collections.abc import Callable, Sequence
from typing import Any

from tensorwright.python.framework import constant_op, ops
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import math_ops, nn_ops
from tensorwright.python.platform import tf_logging as logging

__all__ = [
    "apply_regularization",
    "l1_l2_regularizer",
    "l1_regularizer",
    "l2_regularizer",
    "sum_regularizer",
]

Regularizer = Callable[..., Any]


def _nothing(_: Any, name: str | None = None) -> None:
    """A regularizer that is switched off."""


def _checked(scale: Any) -> None:
    if isinstance(scale, numbers.Integral):
        raise ValueError(f"scale cannot be an integer: {scale}")
    if isinstance(scale, numbers.Real):
        if scale < 0.0:
            raise ValueError(
                f"Setting a scale less than 0 on a regularizer: {scale:g}."
            )
        if scale == 0.0:
            logging.info("Scale of 0 disables regularizer.")


def _scaled(
    scale: Any, scope: str | None, default: str, norm: Callable[[Any], ops.Tensor]
) -> Regularizer:
    _checked(scale)
    if isinstance(scale, numbers.Real) and scale == 0.0:
        return _nothing

    def regularizer(weights: Any) -> ops.Tensor:
        with ops.name_scope(scope, default, [weights]) as name:
            factor = ops.convert_to_tensor(
                scale, dtype=weights.dtype.base_dtype, name="scale"
            )
            return math_ops.multiply(factor, norm(weights), name=name)

    return regularizer


def l1_regularizer(scale: float, scope: str | None = None) -> Regularizer:
    """scale * sum |w|.

    Args:
        scale: a float, 0.0 for no regularization, or a scalar tensor.
        scope: the name scope.

    Raises:
        ValueError: a negative scale or an integer.
    """
    return _scaled(
        scale, scope, "l1_regularizer", lambda w: math_ops.reduce_sum(math_ops.abs(w))
    )


def l2_regularizer(scale: float, scope: str | None = None) -> Regularizer:
    """scale * sum w^2 / 2; arguments as for `l1_regularizer`."""
    return _scaled(scale, scope, "l2_regularizer", nn_ops.l2_loss)


def l1_l2_regularizer(
    scale_l1: float = 1.0, scale_l2: float = 1.0, scope: str | None = None
) -> Regularizer:
    """The sum of `l1_regularizer(scale_l1)` and `l2_regularizer(scale_l2)`."""
    for name, scale in (("scale_l1", scale_l1), ("scale_l2", scale_l2)):
        if isinstance(scale, numbers.Integral):
            raise ValueError(f"{name} cannot be an integer: {scale}")
    both = [l1_regularizer(scale_l1), l2_regularizer(scale_l2)]
    return sum_regularizer(both, scope=scope or "l1_l2_regularizer")


def sum_regularizer(
    regularizer_list: Sequence[Regularizer | None], scope: str | None = None
) -> Regularizer | None:
    """The sum of regularizers; None if all of them are None."""
    regularizers = [r for r in regularizer_list if r is not None]
    if not regularizers:
        return None

    def sum_reg(weights: Any) -> Any:
        with ops.name_scope(scope, "sum_regularizer", [weights]) as name:
            losses = [r(weights) for r in regularizers]
            losses = [loss for loss in losses if loss is not None]
            return math_ops.add_n(losses, name=name) if losses else None

    return sum_reg


def apply_regularization(
    regularizer: Regularizer, weights_list: Sequence[TensorLike] | None = None
) -> ops.Tensor:
    """The sum of a regularizer over weights, which joins REGULARIZATION_LOSSES.

    Args:
        regularizer: gives a scalar, or None for 0.
        weights_list: tensors or variables; None: those of the WEIGHTS collection.

    Raises:
        ValueError: no weights, or a loss that is no scalar.
    """
    weights = list(weights_list or ops.get_collection(ops.GraphKeys.WEIGHTS))
    if not weights:
        raise ValueError("No weights to regularize.")
    with ops.name_scope("get_regularization_penalty", values=weights) as scope:
        penalties = [regularizer(w) for w in weights]
        penalties = [constant_op.constant(0.0) if p is None else p for p in penalties]
        for penalty in penalties:
            if penalty.get_shape().ndims != 0:
                raise ValueError(
                    "regularizer must return a scalar Tensor instead of a Tensor with rank "
                    f"{penalty.get_shape().ndims}."
                )
        total = math_ops.add_n(penalties, name=scope)
    ops.add_to_collection(ops.GraphKeys.REGULARIZATION_LOSSES, total)
    return total
