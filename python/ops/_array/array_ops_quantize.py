# SPDX-License-Identifier: Apache-2.0
"""Real numbers as codes of a few bits, and floats that feel it."""

from __future__ import annotations

from typing import Any

from tensorwright.python.framework import dtypes, ops
from tensorwright.python.framework.type_aliases import DTypeLike, TensorLike
from tensorwright.python.ops import gen_array_ops, gen_math_ops
from tensorwright.python.ops._array.array_ops_slice import where


def quantize_v2(
    input: TensorLike,
    min_range: TensorLike,
    max_range: TensorLike,
    T: DTypeLike,
    mode: str = "MIN_COMBINED",
    name: str | None = None,
    round_mode: str = "HALF_AWAY_FROM_ZERO",
    narrow_range: bool = False,
    axis: int | None = None,
    ensure_minimum_range: float = 0.01,
) -> gen_array_ops._QuantizeV2Output:
    """`quantize` with its arguments in the order of TensorFlow 1.0."""
    return quantize(
        input,
        min_range,
        max_range,
        T,
        mode,
        round_mode,
        name,
        narrow_range,
        axis,
        ensure_minimum_range,
    )


def quantize(
    input: TensorLike,
    min_range: TensorLike,
    max_range: TensorLike,
    T: DTypeLike,
    mode: str = "MIN_COMBINED",
    round_mode: str = "HALF_AWAY_FROM_ZERO",
    name: str | None = None,
    narrow_range: bool = False,
    axis: int | None = None,
    ensure_minimum_range: float = 0.01,
) -> gen_array_ops._QuantizeV2Output:
    """Codes of type `T` for the numbers of `input`.

    The range is first widened to have 0, and to be at least `ensure_minimum_range`
    times its larger end (or 1) wide.  With `low` and `high` the lowest and highest
    code of T:

      MIN_COMBINED  (x - min) * (high - low) / (max - min) + low, x clamped to the range
      MIN_FIRST     round(x * scale) - round(min * scale) + low with the same scale:
                    real 0 has a code of its own
      SCALED        x * scale with the largest scale that keeps both ends within
                    [low, high]; the range becomes [low / scale, high / scale]

    Args:
      input: float32 [...].
      min_range: the real number of the lowest code: float32 [], or [n] with `axis`.
      max_range: that of the highest code.
      T: qint8, quint8, qint16, quint16 or qint32.
      mode: as above.
      round_mode: HALF_AWAY_FROM_ZERO, or in mode SCALED HALF_TO_EVEN.
      name: the operation's name.
      narrow_range: in mode SCALED, do without the lowest code.
      axis: a dimension whose slices have a range each; None: one range for all.
      ensure_minimum_range: as above.

    Returns:
      output, T [...]; output_min and output_max, the range that the codes have.
    """
    return gen_array_ops.quantize_v2(
        input,
        min_range,
        max_range,
        T=T,
        mode=mode,
        round_mode=round_mode,
        narrow_range=narrow_range,
        axis=_axis_or_none(input, axis),
        ensure_minimum_range=ensure_minimum_range,
        name=name,
    )


def dequantize(
    input: TensorLike,
    min_range: TensorLike,
    max_range: TensorLike,
    mode: str = "MIN_COMBINED",
    name: str | None = None,
    axis: int | None = None,
    narrow_range: bool = False,
    dtype: DTypeLike = dtypes.float32,
) -> ops.Tensor:
    """The numbers that the codes `input` stand for: the inverse of `quantize`.

    Args:
      input: qint8, quint8, qint16, quint16 or qint32 [...].
      min_range: the range, as `quantize` returns it.
      max_range: its other end.
      mode: that of `quantize`.
      name: the operation's name.
      axis: that of `quantize`.
      narrow_range: that of `quantize`.
      dtype: float32, or bfloat16 in modes MIN_COMBINED and SCALED.

    Returns:
      dtype [...].
    """
    return gen_array_ops.dequantize(
        input,
        min_range,
        max_range,
        mode=mode,
        narrow_range=narrow_range,
        axis=_axis_or_none(input, axis),
        dtype=dtype,
        name=name,
    )


def quantize_and_dequantize(
    input: TensorLike,
    input_min: TensorLike,
    input_max: TensorLike,
    signed_input: bool = True,
    num_bits: int = 8,
    range_given: bool = False,
    round_mode: str = "HALF_TO_EVEN",
    name: str | None = None,
    narrow_range: bool = False,
    axis: int | None = None,
) -> ops.Tensor:
    """Rounds `input` to the numbers that integers of `num_bits` bits can represent in a range.

    The gradient passes as if nothing had been rounded.

    Args:
      input: float32 or float64 [...].
      input_min: the lower end of the range: [], or [n] with `axis`; only used if `range_given`.
      input_max: its other end.
      signed_input: the integers are signed.
      num_bits: the number of bits.
      range_given: False: the range is that of the elements.
      round_mode: HALF_TO_EVEN or HALF_UP.
      name: the operation's name.
      narrow_range: do without the lowest integer of signed ones.
      axis: a dimension whose slices have a range each; None: one range for all.

    Returns:
      The type and shape of `input`.
    """
    return gen_array_ops.quantize_and_dequantize_v2(
        input,
        input_min=input_min,
        input_max=input_max,
        signed_input=signed_input,
        num_bits=num_bits,
        range_given=range_given,
        round_mode=round_mode,
        narrow_range=narrow_range,
        axis=_axis_or_none(input, axis),
        name=name,
    )


def quantize_and_dequantize_v2(
    input: TensorLike,
    input_min: TensorLike,
    input_max: TensorLike,
    signed_input: bool = True,
    num_bits: int = 8,
    range_given: bool = False,
    round_mode: str = "HALF_TO_EVEN",
    name: str | None = None,
    narrow_range: bool = False,
    axis: int | None = None,
) -> ops.Tensor:
    """`quantize_and_dequantize` whose gradient is 0 outside [input_min, input_max]."""
    with ops.name_scope(
        name, "quantize_and_dequantize", [input, input_min, input_max]
    ) as scope:
        input = ops.convert_to_tensor(input, name="input")
        low = ops.convert_to_tensor(input_min, dtype=input.dtype, name="input_min")
        high = ops.convert_to_tensor(input_max, dtype=input.dtype, name="input_max")
        y = quantize_and_dequantize(
            input,
            low,
            high,
            signed_input,
            num_bits,
            range_given,
            round_mode,
            narrow_range=narrow_range,
            axis=axis,
        )
        if axis is not None:
            # One range a slice: vectors that broadcast along axis.
            after = input.get_shape().ndims
            if after is None:
                raise ValueError("input must have known rank to use axis")
            shape = [-1] + [1] * (after - 1 - axis % after)
            low = gen_array_ops.reshape(low, shape)
            high = gen_array_ops.reshape(high, shape)
        within = gen_math_ops.logical_and(
            gen_math_ops.greater_equal(input, low),
            gen_math_ops.less_equal(input, high),
        )
        return where(within, y, gen_array_ops.stop_gradient(y), name=scope)


def fake_quant_with_min_max_args(
    inputs: TensorLike,
    min: float = -6,
    max: float = 6,
    num_bits: int = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> ops.Tensor:
    """float32 `inputs` [...] as they would be after quantization to [min, max].

    The range is shifted a little so that 0 is one of the 2^num_bits numbers that are
    left of it (one fewer with `narrow_range`).  2 <= num_bits <= 16.  The gradient
    passes within the range and is 0 outside.
    """
    return gen_array_ops.fake_quant_with_min_max_args(
        inputs,
        min=min,
        max=max,
        num_bits=num_bits,
        narrow_range=narrow_range,
        name=name,
    )


def fake_quant_with_min_max_args_gradient(
    gradients: TensorLike,
    inputs: TensorLike,
    min: float = -6,
    max: float = 6,
    num_bits: int = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> ops.Tensor:
    """The gradient of `fake_quant_with_min_max_args`: float32, the shape of `inputs`."""
    return gen_array_ops.fake_quant_with_min_max_args_gradient(
        gradients,
        inputs,
        min=min,
        max=max,
        num_bits=num_bits,
        narrow_range=narrow_range,
        name=name,
    )


def _axis_or_none(input: Any, axis: int | None) -> int:
    """The attr: -1 for all, or a dimension counted from the front."""
    if axis is None:
        return -1
    if axis >= 0:
        return axis
    rank = ops.convert_to_tensor(input).get_shape().ndims
    if rank is None:
        raise ValueError(f"axis is {axis}, which needs an input of known rank")
    if axis < -rank:
        raise ValueError(f"axis must be in [-{rank}, {rank}), got {axis}")
    return axis + rank
