# SPDX-License-Identifier: Apache-2.0
"""Differences from TensorFlow that are meant, of Fourier transforms."""

import numpy as np

from tensorwright.tools.difftest import compare
from tensorwright.tools.difftest.difference import GRADIENT
from tensorwright.tools.difftest.examples import but, call, on, seen
from tensorwright.tools.difftest.explanation import ours_is, upstream
from tensorwright.tools.difftest.records import (
    death,
    gradient,
    no_gradient,
    refusal,
    shaped,
    value,
)


def _parts(d):
    """(fft_length, the sizes that it transforms, their axes, the upstream gradient in double precision)."""
    rank = int(d.op[-2]) if d.op.endswith("D") else 1
    sizes, axes = [int(n) for n in d.input(1)], tuple(range(-rank, 0))
    up = compare.widest(upstream(d.outputs[0][0])) if d.outputs[0] else None
    return sizes, list(d.input(0).shape[-rank:]), axes, up


def _other_lengths(d):
    """The input is cropped: its last sizes are not those of a transform of fft_length."""
    sizes, inside, *_ = _parts(d)
    if d.op.startswith("I"):
        sizes[-1] = sizes[-1] // 2 + 1
    return inside != sizes


def _resized(x, sizes):
    """Its last axes cropped or padded with zeros."""
    x = x[(..., *(slice(n) for n in sizes))]
    missing = [(0, n - m) for n, m in zip(sizes, x.shape[-len(sizes) :])]
    return np.pad(x, [(0, 0)] * (x.ndim - len(sizes)) + missing)


def _of_real(d):
    """RFFT's gradient: n times the real part of the inverse transform of g, with zeros where g has no element."""
    sizes, inside, axes, g = _parts(d)
    back = np.fft.ifftn(_resized(g, sizes), axes=axes).real * np.prod(sizes)
    return _resized(back, inside)


def _of_inverse(d):
    """IRFFT's gradient: the transform of g over n, twice where an element stands for its conjugate too."""
    sizes, inside, axes, g = _parts(d)
    forward = np.fft.rfftn(g, axes=axes) / np.prod(sizes)
    places = np.arange(forward.shape[-1])
    alone = (places == 0) | (2 * places == sizes[-1])
    return _resized(forward * np.where(alone, 1, 2), inside)


def _is_of_inverse(d):
    wanted, by = _of_inverse(d), 8 * compare.TOLERANCE[d.enum]
    return wanted.shape == d.here.shape and compare.close(d.here, wanted, by).all()


# How much of the sum of the sizes of a transform's terms rounding may leave where they cancel.
_LEFT = 2.0**-22


def _cancelled(d):
    """Elements as far from NumPy's transform as the rounding of its terms lets them be."""
    x, name = compare.widest(d.input(0)), d.op.removeprefix("Batch")
    axes = tuple(range(-int(name[-2]) if name.endswith("D") else -1, 0))
    wanted = (np.fft.ifftn if name.startswith("I") else np.fft.fftn)(x, axes=axes)
    terms = np.abs(x).sum(axes, keepdims=True)
    if name.startswith("I"):
        terms = terms / np.prod([x.shape[a] for a in axes])
    return np.abs(compare.widest(d.here) - wanted) <= _LEFT * terms


def _of_infinite_samples(d):
    """bool [channels, frames, 1]: the frame has a sample that is infinite."""
    samples, size = d.wide(0), d.attrs["window_size"]
    starts = np.arange(d.here.shape[1]) * d.attrs["stride"]
    frames = samples[starts[:, None] + np.arange(size)]
    return np.isinf(frames).any(1).T[..., None]


# The second element of the transform of four ones is 0.
_ONES = on(np.ones(4, np.complex64))
# Transforms of the first element of three: the element itself.
_X = np.array([1.0, 2.0, 3.0])
_ONE, _REAL = np.zeros(1, np.complex128), np.zeros(1)
_G, _G_REAL = upstream(_ONE)[0].real, upstream(_REAL)[0]
_OF_REAL = seen(on(_X, [1]), [_G, 0, 0], [5, 5, 5], dtype="float64", outputs=[_ONE])
_OF_INVERSE = dict(dtype="complex128", outputs=[_REAL])
_TRUE = on(_X + 0j, [1])
_CROPS = "TensorFlow's gradient takes the sizes of the input for those of fft_length"

# fmt: off
TABLE = [
    value("FFT FFT2D FFT3D IFFT IFFT2D IFFT3D BatchFFT BatchFFT2D BatchFFT3D BatchIFFT BatchIFFT2D BatchIFFT3D",
        "of terms that cancel their rounding is left, of either sign, and none where TensorFlow adds them in another order",
        "complex64", 0, where=_cancelled, gives="as near as the terms' rounding lets it be", also=("twice", "other sign"),
        when=lambda d: bool(d.case.inputs), true=[seen(_ONES, [4, 3e-7, 0, 0], [4, 0, 0, 0])],
        wrong=[but(ours=[4, 3e-6, 0, 0]), but(dtype="complex128")]),
    no_gradient("RFFT RFFT2D IRFFT IRFFT2D", _CROPS,
        theirs="InvalidArgumentError: <Incompatible shapes|Matrix size-incompatible~Incompatible shapes>: ",
        when=_other_lengths,
        true=[on(np.ones(4), [3]), call("RFFT2D", np.ones([5, 7]), [5, 2]), call("IRFFT", np.ones(4) + 0j, [4])],
        wrong=[on(np.ones(4), [4]), call("IRFFT", np.ones(4) + 0j, [6])]),
    gradient("RFFT RFFT2D", _CROPS, "float32 float64", 0, ours_is(_of_real, 1.6e-4), gives="zeros where nothing is read",
        when=_other_lengths, true=[_OF_REAL], wrong=[but(ours=[2 * _G, 0, 0])]),
    gradient("IRFFT IRFFT2D", _CROPS, "complex64 complex128", 0, ours_is(_of_inverse, 1.6e-4),
        gives="zeros where nothing is read", when=_other_lengths,
        true=[seen(_TRUE, [_G_REAL, 0, 0], [5, 5, 5], **_OF_INVERSE)], wrong=[but(ours=[2 * _G_REAL, 0, 0])]),
    shaped("IRFFT IRFFT2D", _CROPS, "complex64 complex128", 0, _is_of_inverse, when=_other_lengths, kind=GRADIENT,
        true=[seen(_TRUE, [_G_REAL, 0, 0], [_G_REAL], **_OF_INVERSE)],
        wrong=[but(ours=[2 * _G_REAL, 0, 0]), but(ours=[_G_REAL], theirs=[_G_REAL, 0, 0])]),
    refusal("RFFT RFFT2D RFFT3D IRFFT IRFFT2D IRFFT3D", "an input without elements is not too short for any length",
        theirs=r"InvalidArgumentError: Input dimension <\d~1> must have length of at least <8> but got: <1>",
        when=lambda d: d.input(0).size == 0, true=[on(np.zeros([0, 1]), [8])], wrong=[on(np.zeros([2, 1]), [8])]),
    value("AudioSpectrogram", "the order of sums decides what an infinite sample leaves of its frame", "float32", 0,
        where=lambda d: np.isnan(d.here) & np.isinf(d.there) & _of_infinite_samples(d), gives="NaN", there="infinity",
        when=lambda d: np.isinf(d.input(0)).any(),
        true=[seen(on(np.float32([[1], [np.inf]]), window_size=2, stride=1), [[[np.nan, np.nan]]], [[[np.inf, np.nan]]])],
        wrong=[on(np.float32([[1], [2]]), window_size=2, stride=1), but(ours=[[[np.inf, np.nan]]], theirs=[[[1, np.nan]]])]),
    death("RFFT2D", "TensorFlow's transform ends the process where it has no elements", theirs="Died: SIG<ABRT|FPE~ABRT>",
        when=lambda d: 0 in d.input(1), true=[on(np.ones([6, 6]), [0, 0])], wrong=[on(np.ones([6, 6]), [1, 1])]),
    refusal("Mfcc", "a spectrogram has no frequencies beyond half the sample rate; TensorFlow says so in a log, and gives 0",
        ours="InvalidArgumentError: Mfcc: upper_frequency_limit <2546> is beyond half of sample_rate <1>",
        when=lambda d: 2 * d.attrs["upper_frequency_limit"] > d.input(1),
        true=[on(np.zeros([1, 1, 129]), 1, upper_frequency_limit=2546.0)],
        wrong=[on(np.zeros([1, 1, 129]), 8000, upper_frequency_limit=2546.0)]),
]
