# SPDX-License-Identifier: Apache-2.0
"""Discrete Fourier and cosine transforms of the innermost dimensions."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from tensorwright.python.framework import dtypes, ops, tensor_util
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import (
    array_ops,
    gen_math_ops,
    gen_spectral_ops,
    math_ops,
)
from tensorwright.python.ops.gen_spectral_ops import (
    fft as fft,
    fft2d as fft2d,
    fft3d as fft3d,
    ifft as ifft,
    ifft2d as ifft2d,
    ifft3d as ifft3d,
)


def _lengths(x: ops.Tensor, rank: int, inverse: bool) -> ops.Tensor:
    """Returns the default of fft_length: all of x."""
    shape = x.get_shape()
    if shape.ndims is not None:
        sizes = shape.as_list()[-rank:]
        if None not in sizes:
            if inverse:
                sizes[-1] = max(0, 2 * (sizes[-1] - 1))
            return ops.convert_to_tensor(sizes, dtypes.int32)
    sizes = array_ops.shape(x)[-rank:]
    if not inverse:
        return sizes
    last = gen_math_ops.maximum(0, 2 * (sizes[-1:] - 1))
    return array_ops.concat([sizes[:-1], last], 0)


def _padded(x: ops.Tensor, rank: int, lengths: ops.Tensor, inverse: bool) -> ops.Tensor:
    """x with zeros behind, where it is shorter than the transform."""
    needed = lengths
    if inverse:
        last = lengths[-1:]
        half = array_ops.where_v2(last > 0, last // 2 + 1, array_ops.zeros_like(last))
        needed = array_ops.concat([lengths[:-1], half], 0)
    known = tensor_util.constant_value(needed)
    static = x.get_shape()
    if known is not None and static.ndims is not None:
        sizes = static.as_list()[-rank:]
        if None not in sizes and all(n <= s for n, s in zip(known, sizes, strict=True)):
            return x
    missing = gen_math_ops.maximum(0, needed - array_ops.shape(x)[-rank:])
    zeros = array_ops.zeros([array_ops.rank(x) - rank], dtypes.int32)
    after = array_ops.concat([zeros, missing], 0)
    out = array_ops.pad(x, array_ops.stack([array_ops.zeros_like(after), after], 1))
    if static.ndims is not None:
        sizes = static.as_list()
        for i in range(rank):
            at = static.ndims - rank + i
            if known is None or sizes[at] is None:
                sizes[at] = None
            else:
                sizes[at] = max(sizes[at], int(known[i]))
        out.set_shape(sizes)
    return out


_OTHER = {
    dtypes.float32: dtypes.complex64,
    dtypes.float64: dtypes.complex128,
    dtypes.complex64: dtypes.float32,
    dtypes.complex128: dtypes.float64,
}


def _real_transform(
    op: Callable[..., ops.Tensor], rank: int, inverse: bool, label: str
) -> Callable[..., ops.Tensor]:
    def transform(
        input_tensor: TensorLike,
        fft_length: TensorLike | None = None,
        name: str | None = None,
    ) -> ops.Tensor:
        with ops.name_scope(name, label, [input_tensor, fft_length]) as scope:
            preferred = dtypes.complex64 if inverse else dtypes.float32
            if hasattr(input_tensor, "dtype"):
                preferred = None  # An array's own.
            x = ops.convert_to_tensor(input_tensor, preferred_dtype=preferred)
            x.get_shape().with_rank_at_least(rank)
            other = _OTHER.get(x.dtype.base_dtype)
            if other is None or other.is_complex == inverse:
                raise ValueError(f"{label}: {x.dtype.name} is no dtype of its input")
            if fft_length is None:
                lengths = _lengths(x, rank, inverse)
            else:
                lengths = ops.convert_to_tensor(fft_length, dtypes.int32)
            x = _padded(x, rank, lengths, inverse)
            if inverse:
                return op(x, lengths, Treal=other, name=scope)
            return op(x, lengths, Tcomplex=other, name=scope)

    what = "one dimension" if rank == 1 else f"{rank} dimensions"
    if inverse:
        transform.__doc__ = f"""The inverse of a Fourier transform of real numbers, along the last {what}.

    Args:
        input_tensor: complex64 or complex128 [..., *m]: the first half, and one, of the last dimension's frequencies.
        fft_length: int32 [{rank}], the sizes of the result; the input is cut, or padded with zeros, to what they need.
            2 (m - 1) of the last dimension, m of the others if it is None.

    Returns:
        float32 or float64 [..., *fft_length].
    """
    else:
        transform.__doc__ = f"""The Fourier transform of real numbers, along the last {what}.

    Args:
        input_tensor: float32 or float64 [..., *m].
        fft_length: int32 [{rank}], to which the input is cut, or padded with zeros; m if it is None.

    Returns:
        complex64 or complex128 [..., *fft_length], of the last dimension n / 2 + 1: the rest are conjugates of these.
    """
    transform.__name__ = transform.__qualname__ = label
    return transform


rfft = _real_transform(gen_spectral_ops.rfft, 1, False, "rfft")
irfft = _real_transform(gen_spectral_ops.irfft, 1, True, "irfft")
rfft2d = _real_transform(gen_spectral_ops.rfft2d, 2, False, "rfft2d")
irfft2d = _real_transform(gen_spectral_ops.irfft2d, 2, True, "irfft2d")
rfft3d = _real_transform(gen_spectral_ops.rfft3d, 3, False, "rfft3d")
irfft3d = _real_transform(gen_spectral_ops.irfft3d, 3, True, "irfft3d")


# Cosine transforms. ------------------------------------------------------------------------------------------


def _check_dct(
    x: ops.Tensor, type: int, n: int | None, axis: int, norm: str | None
) -> None:
    if axis != -1:
        raise NotImplementedError(f"dct: axis must be -1, got {axis}")
    if n is not None and n < 1:
        raise ValueError(f"dct: n must be at least 1, got {n}")
    if type not in (1, 2, 3, 4):
        raise ValueError(f"dct: type must be 1, 2, 3 or 4, got {type}")
    if norm not in (None, "ortho"):
        raise ValueError(f"dct: norm must be None or 'ortho', got {norm!r}")
    if type == 1 and norm == "ortho":
        raise ValueError("dct: there is no orthonormal one of type 1")
    size = x.get_shape()[-1].value if x.get_shape().ndims else None
    if type == 1 and size is not None and size < 2:
        raise ValueError("dct: type 1 needs at least 2 elements")


def _of_length(x: ops.Tensor, n: int | None) -> ops.Tensor:
    """The last dimension cut, or padded with zeros, to n."""
    if n is None:
        return x
    x = x[..., :n]
    missing = n - array_ops.shape(x)[-1]
    zeros = array_ops.zeros([array_ops.rank(x) - 1], dtypes.int32)
    after = array_ops.concat([zeros, [missing]], 0)
    static = x.get_shape()
    x = array_ops.pad(x, array_ops.stack([array_ops.zeros_like(after), after], 1))
    if static.ndims is not None:
        x.set_shape([*static.as_list()[:-1], n])
    return x


def _size(x: ops.Tensor) -> Any:
    """Returns the size of the last dimension, a number if it is known."""
    static = x.get_shape()
    size = static[-1].value if static.ndims is not None else None
    return array_ops.shape(x)[-1] if size is None else size


def _turns(n: Any, sign: float, dtype: Any) -> ops.Tensor:
    """exp(sign pi i k / 2 n) for k in [0, n)."""
    angle = math_ops.cast(math_ops.range(n), dtype)
    angle = angle * (sign * math.pi / 2) / math_ops.cast(n, dtype)
    return math_ops.complex(gen_math_ops.cos(angle), gen_math_ops.sin(angle))


def dct(
    input: TensorLike,
    type: int = 2,
    n: int | None = None,
    axis: int = -1,
    norm: str | None = None,
    name: str | None = None,
) -> ops.Tensor:
    """The discrete cosine transform of the last dimension, as `scipy.fft.dct`.

    Args:
        input: float32 or float64 [..., m].
        type: 1, 2, 3 or 4.
        n: to which the input is cut, or padded with zeros.
        axis: -1.
        norm: None, or "ortho": orthonormal, not of type 1.

    Raises:
        ValueError, NotImplementedError: for other arguments.
    """
    with ops.name_scope(name, "dct", [input]):
        x = ops.convert_to_tensor(input, preferred_dtype=dtypes.float32)
        _check_dct(x, type, n, axis, norm)
        x = _of_length(x, n)
        dtype = x.dtype.base_dtype
        size = _size(x)
        length = math_ops.cast(size, dtype)
        if type == 1:
            both = array_ops.concat([x, x[..., -2:0:-1]], -1)
            return math_ops.real(rfft(both))
        if type == 2:
            spectrum = rfft(x, fft_length=[2 * size])[..., :size]
            y = 2 * math_ops.real(spectrum * _turns(size, -1.0, dtype))
            if norm == "ortho":
                y = y * _ortho_weights(size, length, dtype)
            return y
        if type == 3:
            # The inverse transform divides by 2 n.
            x = x * (2 * length)
            if norm == "ortho":
                x = x * _ortho_weights(size, length, dtype) * _first_twice(size, dtype)
            turned = math_ops.complex(x, array_ops.zeros_like(x))
            turned = turned * _turns(size, 1.0, dtype)
            return irfft(turned, fft_length=[2 * size])[..., :size]
        doubled = array_ops.concat([x, array_ops.zeros_like(x)], -1)
        y = dct(doubled, type=2)[..., 1::2]
        if norm == "ortho":
            y = y * gen_math_ops.rsqrt(2 * length)
        return y


def _ortho_weights(size: Any, length: ops.Tensor, dtype: Any) -> ops.Tensor:
    """sqrt(1 / 4 n) for the first, sqrt(1 / 2 n) for the others."""
    first = gen_math_ops.equal(math_ops.range(size), 0)
    ones = array_ops.ones_like(first, dtype)
    return array_ops.where_v2(
        first,
        ones * gen_math_ops.rsqrt(4 * length),
        ones * gen_math_ops.rsqrt(2 * length),
    )


def _first_twice(size: Any, dtype: Any) -> ops.Tensor:
    first = gen_math_ops.equal(math_ops.range(size), 0)
    return array_ops.ones_like(first, dtype) + math_ops.cast(first, dtype)


def idct(
    input: TensorLike,
    type: int = 2,
    n: int | None = None,
    axis: int = -1,
    norm: str | None = None,
    name: str | None = None,
) -> ops.Tensor:
    """The inverse of `dct`, but for a factor of 2 n (of type 1, 2 (n - 1)) where norm is None."""
    inverse = {1: 1, 2: 3, 3: 2, 4: 4}.get(type, type)
    return dct(input, type=inverse, n=n, axis=axis, norm=norm, name=name)
