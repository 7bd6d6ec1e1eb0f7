# SPDX-License-Identifier: Apache-2.0
"""Arguments of layers in one form, and the sizes that windows leave."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorwright.python.framework import ops, tensor_util
from tensorwright.python.framework.type_aliases import Ints, TensorLike
from tensorwright.python.ops import control_flow_ops, variables
from tensorwright.python.util import compat


def convert_data_format(data_format: str, ndim: int) -> str:
    """ "channels_last" or "channels_first" as ops of `ndim` (3, 4 or 5) dimensions name it."""
    if data_format not in ("channels_last", "channels_first"):
        raise ValueError(f"Invalid data_format: {data_format}")
    spatial = {3: "W", 4: "HW", 5: "DHW"}.get(ndim)
    if spatial is None:
        raise ValueError(f"Input rank not supported: {ndim}")
    return f"N{spatial}C" if data_format == "channels_last" else f"NC{spatial}"


def normalize_tuple(value: Ints, n: int, name: str) -> tuple[int, ...]:
    """`value` as `n` ints: one int, which stands for all, or an iterable of n.

    Raises ValueError that calls the argument `name`.
    """
    if isinstance(value, compat.integral_types):
        return (int(value),) * n
    given: Any = value
    try:
        values = tuple(given)
    except TypeError:
        values = ()
    try:
        ints = tuple(int(v) for v in values)
    except (TypeError, ValueError):
        ints = ()
    if len(values) != n or len(ints) != n:
        raise ValueError(f"`{name}` must be one integer or {n} integers, got {value!r}")
    return ints


def normalize_data_format(value: str) -> str:
    """ "channels_first" or "channels_last", in lower case; else ValueError."""
    data_format = value.lower()
    if data_format not in ("channels_first", "channels_last"):
        raise ValueError(
            f"data_format must be channels_first or channels_last, got {value!r}"
        )
    return data_format


def normalize_padding(value: str) -> str:
    """ "valid" or "same", in lower case; else ValueError."""
    padding = value.lower()
    if padding not in ("valid", "same"):
        raise ValueError(f"padding must be valid or same, got {value!r}")
    return padding


def _check_padding(padding: str, *allowed: str) -> None:
    if padding not in allowed:
        raise ValueError(f"padding must be one of {allowed}, got {padding!r}")


def conv_output_length(
    input_length: int | None, filter_size: int, padding: str, stride: int, dilation: int = 1
) -> int | None:  # fmt: skip
    """Returns the length of a convolution's output; None if the input's length is None."""
    if input_length is None:
        return None
    _check_padding(padding, "same", "valid", "full")
    reach = (filter_size - 1) * dilation
    length = {
        "same": input_length,
        "valid": input_length - reach,
        "full": input_length + reach,
    }[padding]
    return (length + stride - 1) // stride


def conv_input_length(
    output_length: int | None, filter_size: int, padding: str, stride: int
) -> int | None:
    """The least length of an input whose convolution has that length."""
    if output_length is None:
        return None
    _check_padding(padding, "same", "valid", "full")
    pad = {"same": filter_size // 2, "valid": 0, "full": filter_size - 1}[padding]
    return (output_length - 1) * stride - 2 * pad + filter_size


def deconv_output_length(
    input_length: int | None, filter_size: int, padding: str, stride: int
) -> int | None:
    """Returns the length of a transposed convolution's output."""
    if input_length is None:
        return None
    _check_padding(padding, "same", "valid", "full")
    length = input_length * stride
    if padding == "valid":
        return length + max(filter_size - stride, 0)
    if padding == "full":
        return length - (stride + filter_size - 2)
    return length


def smart_cond(
    pred: bool | int | TensorLike, true_fn: Callable | None = None, false_fn: Callable | None = None,
    name: str | None = None,
) -> Any:  # fmt: skip
    """`tf.cond`, or the one branch where `pred` is known while the graph is built."""
    if isinstance(pred, variables.Variable):
        return control_flow_ops.cond(
            pred, true_fn=true_fn, false_fn=false_fn, name=name
        )
    known = constant_value(pred)
    if known is None:
        return control_flow_ops.cond(
            pred, true_fn=true_fn, false_fn=false_fn, name=name
        )
    chosen: Any = true_fn if known else false_fn
    return chosen()


def constant_value(pred: bool | int | TensorLike) -> bool | None:
    """`pred` (a bool, 0, 1 or a bool tensor) as a bool; None if it is known in runs only."""
    if isinstance(pred, variables.Variable):
        return None
    if isinstance(pred, ops.Tensor):
        known = tensor_util.constant_value(pred)
        return None if known is None else bool(known)
    if isinstance(pred, bool) or pred in (0, 1):
        return bool(pred)
    raise TypeError(f"`pred` must be a Tensor, a bool, 0 or 1, got {pred!r}")
