# SPDX-License-Identifier: Apache-2.0
"""Spectra on the mel scale, on which equal distances sound equal."""

from __future__ import annotations

from tensorwright.python.framework import dtypes, ops, tensor_util
from tensorwright.python.framework.type_aliases import DTypeLike, TensorLike
from tensorwright.python.ops import array_ops, math_ops

_BREAK_HERTZ = 700.0
_HIGH_Q = 1127.0


def _mel(hertz: ops.Tensor) -> ops.Tensor:
    return _HIGH_Q * math_ops.log1p(hertz / _BREAK_HERTZ)


def linear_to_mel_weight_matrix(
    num_mel_bins: int = 20,
    num_spectrogram_bins: TensorLike = 129,
    sample_rate: TensorLike = 8000,
    lower_edge_hertz: float = 125.0,
    upper_edge_hertz: float = 3800.0,
    dtype: DTypeLike = dtypes.float32,
    name: str | None = None,
) -> ops.Tensor:
    """The matrix that takes magnitudes of linear frequencies to mel bins: [num_spectrogram_bins, num_mel_bins].

    Spectrogram bins are evenly spaced from 0 to half of `sample_rate`.  Mel bins are triangles, evenly spaced on the
    mel scale between the edges, each falling to zero at its neighbours' peaks; the bin of 0 Hz counts for none.

    Raises:
        ValueError: for counts or rates that are not positive, or edges out of order or above half of the rate.
    """
    dtype = dtypes.as_dtype(dtype)
    if not dtype.is_floating:
        raise ValueError(f"dtype must be floating, got {dtype.name}")
    if num_mel_bins <= 0:
        raise ValueError(f"num_mel_bins must be positive, got {num_mel_bins}")
    if lower_edge_hertz < 0:
        raise ValueError(f"lower_edge_hertz must be >= 0, got {lower_edge_hertz}")
    if lower_edge_hertz >= upper_edge_hertz:
        raise ValueError(
            f"lower_edge_hertz must be < upper_edge_hertz, got {lower_edge_hertz} and {upper_edge_hertz}"
        )
    rate = tensor_util.constant_value(ops.convert_to_tensor(sample_rate))
    if rate is not None and rate <= 0:
        raise ValueError(f"sample_rate must be positive, got {rate}")
    if rate is not None and upper_edge_hertz > rate / 2:
        raise ValueError(
            f"upper_edge_hertz must be <= sample_rate / 2, got {upper_edge_hertz} and {rate}"
        )
    with ops.name_scope(name, "linear_to_mel_weight_matrix"):
        nyquist = math_ops.cast(sample_rate, dtype) / 2
        zero = math_ops.cast(0.0, dtype)
        bins = math_ops.cast(num_spectrogram_bins, dtypes.int32)
        frequencies = _mel(math_ops.linspace(zero, nyquist, bins)[1:])[:, None]
        edges = math_ops.linspace(
            _mel(math_ops.cast(lower_edge_hertz, dtype)),
            _mel(math_ops.cast(upper_edge_hertz, dtype)),
            num_mel_bins + 2,
        )
        lower, center, upper = edges[:-2], edges[1:-1], edges[2:]
        rising = (frequencies - lower) / (center - lower)
        falling = (upper - frequencies) / (upper - center)
        weights = math_ops.maximum(zero, math_ops.minimum(rising, falling))
        return array_ops.pad(weights, [[1, 0], [0, 0]], name="weights")
