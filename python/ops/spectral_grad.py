# SPDX-License-Identifier: Apache-2.0
"""Gradients of Fourier transforms: their adjoints.  n is the number of elements of a transform."""

from __future__ import annotations

from typing import Any

from tensorwright.python.framework import dtypes, ops
from tensorwright.python.ops import array_ops, gen_math_ops, gen_spectral_ops, math_ops

_COMPLEX = {
    1: (gen_spectral_ops.fft, gen_spectral_ops.ifft),
    2: (gen_spectral_ops.fft2d, gen_spectral_ops.ifft2d),
    3: (gen_spectral_ops.fft3d, gen_spectral_ops.ifft3d),
}
_REAL = {
    1: (gen_spectral_ops.rfft, gen_spectral_ops.irfft),
    2: (gen_spectral_ops.rfft2d, gen_spectral_ops.irfft2d),
    3: (gen_spectral_ops.rfft3d, gen_spectral_ops.irfft3d),
}


def _name(base: str, rank: int) -> str:
    return base if rank == 1 else f"{base}{rank}D"


def _count(lengths: ops.Tensor, dtype: Any) -> ops.Tensor:
    return math_ops.cast(gen_math_ops.prod(lengths, [0]), dtype)


def _middle_weights(length: ops.Tensor, weight: float, dtype: Any) -> ops.Tensor:
    """[n / 2 + 1]: `weight` for elements that also stand for their conjugate, 1 for the others."""
    places = math_ops.range(array_ops.where_v2(length > 0, length // 2 + 1, 0))
    alone = gen_math_ops.logical_or(
        gen_math_ops.equal(places, 0), gen_math_ops.equal(2 * places, length)
    )
    ones = array_ops.ones_like(places, dtypes.float64)
    return math_ops.cast(array_ops.where_v2(alone, ones, weight * ones), dtype)


def _padded_like(x: ops.Tensor, like: ops.Tensor, rank: int) -> ops.Tensor:
    """x with zeros behind, up to the last `rank` sizes of `like`."""
    missing = (array_ops.shape(like) - array_ops.shape(x))[-rank:]
    zeros = array_ops.zeros([array_ops.rank(x) - rank], dtypes.int32)
    after = array_ops.concat([zeros, missing], 0)
    padded = array_ops.pad(x, array_ops.stack([array_ops.zeros_like(after), after], 1))
    padded.set_shape(like.get_shape())
    return padded


def _register(rank: int) -> None:
    fft, ifft = _COMPLEX[rank]
    rfft, irfft = _REAL[rank]

    @ops.RegisterGradient(_name("FFT", rank))
    def _fft_grad(op: ops.Operation, grad: Any) -> Any:
        """n times the inverse of g."""
        lengths = array_ops.shape(op.inputs[0])[-rank:]
        return ifft(grad) * _count(lengths, grad.dtype.base_dtype)

    @ops.RegisterGradient(_name("IFFT", rank))
    def _ifft_grad(op: ops.Operation, grad: Any) -> Any:
        """The transform of g over n."""
        lengths = array_ops.shape(op.inputs[0])[-rank:]
        return fft(grad) / _count(lengths, grad.dtype.base_dtype)

    @ops.RegisterGradient(_name("RFFT", rank))
    def _rfft_grad(op: ops.Operation, grad: Any) -> Any:
        """n times the inverse of g; elements that the inverse counts twice are halved first."""
        x, lengths = op.inputs
        weights = _middle_weights(lengths[-1], 0.5, grad.dtype.base_dtype)
        back = irfft(grad * weights, lengths, Treal=x.dtype.base_dtype)
        back *= _count(lengths, x.dtype.base_dtype)
        return _padded_like(back, x, rank), None

    @ops.RegisterGradient(_name("IRFFT", rank))
    def _irfft_grad(op: ops.Operation, grad: Any) -> Any:
        """The transform of g over n, twice where the inverse counts twice."""
        x, lengths = op.inputs
        dtype = x.dtype.base_dtype
        forward = rfft(grad, lengths, Tcomplex=dtype)
        weights = _middle_weights(lengths[-1], 2.0, dtype)
        forward = forward * weights / _count(lengths, dtype)
        return _padded_like(forward, x, rank), None


def _padded_along(x: ops.Tensor, like: ops.Tensor) -> ops.Tensor:
    """x with zeros behind, up to the sizes of `like`."""
    after = array_ops.shape(like) - array_ops.shape(x)
    padded = array_ops.pad(x, array_ops.stack([array_ops.zeros_like(after), after], 1))
    padded.set_shape(like.get_shape())
    return padded


def _along(weights: ops.Tensor, axis: ops.Tensor, x: ops.Tensor) -> ops.Tensor:
    """A vector in a shape that broadcasts to x, along an axis."""
    rank = array_ops.rank(x)
    axis = array_ops.where_v2(axis < 0, axis + rank, axis)
    shape = array_ops.one_hot(axis, rank, array_ops.size(weights), 1)
    return array_ops.reshape(weights, shape)


@ops.RegisterGradient("FFTND")
def _fftnd_grad(op: ops.Operation, grad: Any) -> Any:
    """n times the inverse of g."""
    x, lengths, axes = op.inputs
    back = gen_spectral_ops.ifftnd(grad, lengths, axes)
    back *= _count(lengths, grad.dtype.base_dtype)
    return _padded_along(back, x), None, None


@ops.RegisterGradient("IFFTND")
def _ifftnd_grad(op: ops.Operation, grad: Any) -> Any:
    """The transform of g over n."""
    x, lengths, axes = op.inputs
    forward = gen_spectral_ops.fftnd(grad, lengths, axes)
    forward /= _count(lengths, grad.dtype.base_dtype)
    return _padded_along(forward, x), None, None


@ops.RegisterGradient("RFFTND")
def _rfftnd_grad(op: ops.Operation, grad: Any) -> Any:
    """n times the inverse of g; elements that the inverse counts twice are halved first."""
    x, lengths, axes = op.inputs
    weights = _middle_weights(lengths[-1], 0.5, grad.dtype.base_dtype)
    weights = _along(weights, axes[-1], grad)
    back = gen_spectral_ops.irfftnd(
        grad * weights, lengths, axes, Treal=x.dtype.base_dtype
    )
    back *= _count(lengths, x.dtype.base_dtype)
    return _padded_along(back, x), None, None


@ops.RegisterGradient("IRFFTND")
def _irfftnd_grad(op: ops.Operation, grad: Any) -> Any:
    """The transform of g over n, twice where the inverse counts twice."""
    x, lengths, axes = op.inputs
    dtype = x.dtype.base_dtype
    forward = gen_spectral_ops.rfftnd(grad, lengths, axes, Tcomplex=dtype)
    weights = _along(_middle_weights(lengths[-1], 2.0, dtype), axes[-1], forward)
    forward = forward * weights / _count(lengths, dtype)
    return _padded_along(forward, x), None, None


for _rank in (1, 2, 3):
    _register(_rank)
