# SPDX-License-Identifier: Apache-2.0
"""Fourier transforms along any axes, as `numpy.fft.fftn`: tf.signal.fftnd and its kin."""

from __future__ import annotations

from collections.abc import Callable

from tensorwright.python.framework import dtypes, ops
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import array_ops, gen_math_ops, gen_spectral_ops, math_ops

_NORMS = (None, "backward", "forward", "ortho")
_REAL = {dtypes.complex64: dtypes.float32, dtypes.complex128: dtypes.float64}
_COMPLEX = {real: complex_ for complex_, real in _REAL.items()}


def _axes(x: ops.Tensor, lengths: ops.Tensor | None, axes: TensorLike | None):
    """int32 [n], from 0: those that are given; the last n; or all."""
    rank = array_ops.rank(x)
    if axes is not None:
        axes = ops.convert_to_tensor(axes, dtypes.int32)
        return array_ops.where_v2(axes < 0, axes + rank, axes)
    if lengths is None:
        return math_ops.range(rank)
    return math_ops.range(rank - array_ops.size(lengths), rank)


def _last_half(sizes: ops.Tensor) -> ops.Tensor:
    """[n], the last of which is that of the half of a spectrum."""
    last = sizes[-1:]
    half = array_ops.where_v2(last > 0, last // 2 + 1, array_ops.zeros_like(last))
    return array_ops.concat([sizes[:-1], half], 0)


def _padded(x: ops.Tensor, axes: ops.Tensor, needed: ops.Tensor) -> ops.Tensor:
    """x with zeros behind, where it is shorter along axes than needed."""
    missing = gen_math_ops.maximum(
        0, needed - array_ops.gather(array_ops.shape(x), axes)
    )
    after = array_ops.scatter_nd(
        array_ops.expand_dims(axes, 1), missing, [array_ops.rank(x)]
    )
    return array_ops.pad(x, array_ops.stack([array_ops.zeros_like(after), after], 1))


def _scaled(
    y: ops.Tensor, lengths: ops.Tensor, norm: str | None, inverse: bool
) -> ops.Tensor:
    """Rescales the op's result: the op itself divides by n, and only backward."""
    if norm in (None, "backward"):
        return y
    n = math_ops.cast(gen_math_ops.prod(lengths, [0]), dtypes.float64)
    if norm == "ortho":
        n = gen_math_ops.sqrt(n)
    n = math_ops.cast(n, y.dtype.base_dtype)
    return y * n if inverse else y / n


def _transform(
    label: str, inverse: bool, real: bool, summary: str
) -> Callable[..., ops.Tensor]:
    op = getattr(gen_spectral_ops, label)

    def transform(
        input_tensor: TensorLike,
        fft_length: TensorLike | None = None,
        axes: TensorLike | None = None,
        norm: str | None = None,
        name: str | None = None,
    ) -> ops.Tensor:
        if norm not in _NORMS:
            raise ValueError(f"{label}: norm must be one of {_NORMS}, got {norm!r}")
        with ops.name_scope(name, label, [input_tensor, fft_length, axes]):
            preferred = dtypes.float32 if real and not inverse else dtypes.complex64
            if hasattr(input_tensor, "dtype"):
                preferred = None  # An array's own.
            x = ops.convert_to_tensor(input_tensor, preferred_dtype=preferred)
            dtype = x.dtype.base_dtype
            if dtype not in (_COMPLEX if real and not inverse else _REAL):
                raise ValueError(f"{label}: {dtype.name} is no dtype of its input")
            lengths = None
            if fft_length is not None:
                lengths = ops.convert_to_tensor(fft_length, dtypes.int32)
            places = _axes(x, lengths, axes)
            if lengths is None:
                lengths = array_ops.gather(array_ops.shape(x), places)
                if real and inverse:
                    last = gen_math_ops.maximum(0, 2 * (lengths[-1:] - 1))
                    lengths = array_ops.concat([lengths[:-1], last], 0)
            needed = _last_half(lengths) if real and inverse else lengths
            x = _padded(x, places, needed)
            kinds = {}
            if real:
                kinds = (
                    {"Treal": _REAL[dtype]}
                    if inverse
                    else {"Tcomplex": _COMPLEX[dtype]}
                )
            y = op(x, lengths, places, **kinds)
            return _scaled(y, lengths, norm, inverse)

    transform.__doc__ = f"""{summary}

    Args:
        input_tensor: {"float32 or float64" if real and not inverse else "complex64 or complex128"}, of any shape.
        fft_length: int32 [n], to which the input is cut, or padded with zeros, along axes; all of it if it is None.
        axes: int32 [n]; the last n, or all where fft_length is None too, if it is None.
        norm: "backward", as None: the inverse divides by the number of elements; "forward": the other one; "ortho":
            both by its square root.
        name: of the ops.

    Raises:
        ValueError: for another norm or dtype.
    """
    transform.__name__ = transform.__qualname__ = label
    return transform


fftnd = _transform("fftnd", False, False, "The Fourier transform along some axes.")
ifftnd = _transform("ifftnd", True, False, "The inverse of `fftnd`.")
rfftnd = _transform(
    "rfftnd",
    False,
    True,
    "The Fourier transform of real numbers; of the last of the axes the first half, and one.",
)
irfftnd = _transform("irfftnd", True, True, "The inverse of `rfftnd`.")
