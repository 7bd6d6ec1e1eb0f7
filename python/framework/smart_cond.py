# SPDX-License-Identifier: Apache-2.0
"""Conds that are decided while the graph is built, where their predicates are known then."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from tensorwright.python.framework import ops, tensor_util
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import control_flow_ops

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tensorwright.python.framework.tensor import Tensor


def smart_cond(
    pred: TensorLike,
    true_fn: Callable[..., object] | None = None,
    false_fn: Callable[..., object] | None = None,
    name: str | None = None,
) -> Any:
    """`true_fn()` or `false_fn()` if `pred` is known now, else `tf.cond` of them.

    Args:
        pred: a bool, 0 or 1, or a scalar bool tensor.
        true_fn: called if `pred` is true.
        false_fn: called if `pred` is false.
        name: the name of the cond.

    Raises:
        TypeError: for a function that cannot be called, or another `pred`.
    """
    for argument, function in (("true_fn", true_fn), ("false_fn", false_fn)):
        if not callable(function):
            raise TypeError(f"`{argument}` must be callable, got {function!r}.")
    known = smart_constant_value(pred)
    if known is None:
        return control_flow_ops.cond(pred, true_fn=true_fn, false_fn=false_fn, name=name)  # fmt: skip
    return true_fn() if known else false_fn()  # type: ignore[misc]


def smart_constant_value(pred: TensorLike) -> bool | None:
    """The value of a predicate as it is known while the graph is built, or None.

    Raises TypeError unless `pred` is a bool, 0, 1 or a tensor.
    """
    if isinstance(pred, ops.Tensor):
        return tensor_util.constant_value(pred)
    if isinstance(pred, (bool, np.bool_)) or pred in {0, 1}:
        return bool(pred)
    raise TypeError(
        "`pred` must be a Tensor, or a Python bool, or 1 or 0. "
        f"Found instead: {type(pred)}"
    )


def smart_case(
    pred_fn_pairs: Sequence[tuple[TensorLike, Callable[[], object]]]
    | Mapping[Tensor, Callable[[], object]],
    default: Callable[..., object] | None = None,
    exclusive: bool = False,
    name: str = "smart_case",
) -> Any:
    """`tf.case` of the pairs whose predicates are not known now; the first that is true ends them.

    Args:
        pred_fn_pairs: a list of (predicate, function) pairs or a dict of them.
        default: called if no predicate is true.
        exclusive: at most one predicate may be true.
        name: the case's name.

    Raises:
        TypeError: `pred_fn_pairs` is neither a list nor a dict of pairs, or a function cannot be called.
        ValueError: if no predicate can be true and there is no `default`.
    """
    if isinstance(pred_fn_pairs, dict):
        pairs = sorted(pred_fn_pairs.items(), key=lambda pair: str(pair[0]))
    elif isinstance(pred_fn_pairs, (list, tuple)):
        pairs = list(pred_fn_pairs)
    else:
        raise TypeError(
            f"pred_fn_pairs must be a list, tuple, or dict, got {pred_fn_pairs!r}"
        )
    open_pairs: list[tuple[Any, Callable[[], Any]]] = []
    for pred, function in pairs:
        if not callable(function):
            raise TypeError(f"fn for pred {pred!r} must be callable, got {function!r}.")
        known = smart_constant_value(pred)
        if known is None:
            open_pairs.append((pred, function))
        elif known:
            # No later pair matters, unless two may not be true at once.
            if not open_pairs:
                return function()
            default = function
            break
    if not open_pairs:
        if default is None:
            raise ValueError(
                "smart_case: no predicate is true, and there is no default"
            )
        return default()
    return control_flow_ops.case(
        open_pairs, default=default, exclusive=exclusive, name=name
    )
