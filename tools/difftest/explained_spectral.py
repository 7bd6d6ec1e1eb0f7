# SPDX-License-Identifier: Apache-2.0
"""Differences from TensorFlow that are meant, of Fourier transforms."""

from __future__ import annotations

from typing import Any

import numpy as np

from tensorwright.tools.difftest import compare
from tensorwright.tools.difftest.difference import (
    GRADIENT,
    GRADIENT_ERROR,
    REFUSAL,
    VALUE,
    Difference,
)
from tensorwright.tools.difftest.explanation import (
    Explanation,
    call,
    gave,
    ours_is,
    refused,
    upstream,
)


def _rank(d: Difference) -> int:
    return int(d.op[-2]) if d.op.endswith("D") else 1


def _lengths(d: Difference) -> list[int]:
    return [int(n) for n in d.input(1)]


def _other_lengths(d: Difference) -> bool:
    """The input is cropped: its last sizes are not those of a transform of fft_length."""
    sizes = _lengths(d)
    if d.op.startswith("I"):
        sizes[-1] = sizes[-1] // 2 + 1
    return list(d.input(0).shape[-_rank(d) :]) != sizes


def _resized(x: np.ndarray, sizes: list[int]) -> np.ndarray:
    """Its last axes cropped or padded with zeros."""
    rank = len(sizes)
    x = x[(..., *(slice(n) for n in sizes))]
    missing = [(0, n - m) for n, m in zip(sizes, x.shape[-rank:])]
    return np.pad(x, [(0, 0)] * (x.ndim - rank) + missing)


def _real_gradient(d: Difference) -> np.ndarray:
    """Of RFFT: n times the real part of the inverse transform of g, with zeros where g has no element."""
    rank, sizes = _rank(d), _lengths(d)
    axes = tuple(range(-rank, 0))
    g = compare.widest(upstream(d.outputs[0][0]))
    back = np.fft.ifftn(_resized(g, sizes), axes=axes).real * np.prod(sizes)
    return _resized(back, list(d.input(0).shape[-rank:]))


def _inverse_gradient(d: Difference) -> np.ndarray:
    """Of IRFFT: the transform of g over n, twice where an element stands for its conjugate too."""
    rank, sizes = _rank(d), _lengths(d)
    axes = tuple(range(-rank, 0))
    g = compare.widest(upstream(d.outputs[0][0]))
    forward = np.fft.rfftn(g, axes=axes) / np.prod(sizes)
    places = np.arange(forward.shape[-1])
    alone = (places == 0) | (2 * places == sizes[-1])
    forward = forward * np.where(alone, 1, 2)
    return _resized(forward, list(d.input(0).shape[-rank:]))


def _is_inverse_gradient(d: Difference) -> bool:
    """Of a gradient that has another shape in TensorFlow."""
    assert d.arrays is not None and d.arrays.ours is not None
    wanted, ours = _inverse_gradient(d), d.arrays.ours
    tolerance = 8 * compare.TOLERANCE[d.enum]
    return wanted.shape == ours.shape and bool(
        compare.close(ours, wanted, tolerance).all()
    )


# How much of the sum of the sizes of a transform's terms rounding may leave where they cancel.
_LEFT = 2.0**-22


def _cancelled(d: Difference) -> np.ndarray:
    """Elements as far from NumPy's transform as the rounding of its terms lets them be."""
    assert d.arrays is not None and d.arrays.ours is not None
    x = compare.widest(d.input(0))
    axes = tuple(range(-_rank(d), 0))
    inverse = d.op.removeprefix("Batch").startswith("I")
    wanted = (np.fft.ifftn if inverse else np.fft.fftn)(x, axes=axes)
    terms = np.abs(x).sum(axes, keepdims=True)
    if inverse:
        terms = terms / np.prod([x.shape[a] for a in axes])
    off = np.abs(compare.widest(d.arrays.ours) - wanted) <= _LEFT * terms
    return off[d.arrays.far]


def _rest_of_ones(ours: float, dtype: str = "complex64") -> Difference:
    """The second element of the transform of four ones is 0."""
    case = call("FFT", np.ones(4, np.complex64))
    return gave(case, [4, ours, 0, 0], [4, 0, 0, 0], dtype)


_X4 = np.arange(4.0)
_OF_X3 = np.array([1.0, 2.0, 3.0])
# A transform of one element is that element.
_G1 = upstream(np.zeros(1, np.complex128))[0].real
_G1_REAL = upstream(np.zeros(1))[0]


def _cropped(op: str, ours: list[Any], theirs: list[Any], **what: Any) -> Difference:
    """The gradient of a transform of the first element of three."""
    inverse = op.startswith("I")
    dtype = "complex128" if inverse else "float64"
    output = np.zeros(1, "float64" if inverse else "complex128")
    x = _OF_X3.astype(dtype)
    return gave(
        call(op, x, np.int32([1])), ours, theirs, dtype,
        kind=GRADIENT, outputs=([output], [output]), **what,
    )  # fmt: skip


def _refuses(op: str, theirs: str, x: Any, *lengths: int) -> Difference:
    case = call(op, np.asarray(x), np.int32(lengths))
    return refused(case, theirs=theirs, kind=GRADIENT_ERROR)


_CROPS = "TensorFlow's gradient takes the sizes of the input for those of fft_length"
_SHAPES = "InvalidArgumentError: Incompatible shapes: [4] vs. [9]"
_TOO_SHORT = (
    "InvalidArgumentError: Input dimension 1 must have length of at least 8 but got: 1"
)
_PRODUCT = (
    "InvalidArgumentError: Matrix size-incompatible: In[0]: [5,8,7,7], In[1]: [5,8,2,1]"
)

TABLE: list[Explanation] = [
    Explanation(
        "FFT FFT2D FFT3D IFFT IFFT2D IFFT3D BatchFFT BatchFFT2D BatchFFT3D BatchIFFT BatchIFFT2D BatchIFFT3D",
        VALUE,
        "of terms that cancel their rounding is left, of either sign, and none where TensorFlow adds them in another order",
        dtypes="complex64",
        outputs=(0,),
        elements=_cancelled,
        bound=np.inf,
        also=("twice", "other sign"),
        when=lambda d: bool(d.case.inputs),  # type: ignore[union-attr]
        true=[_rest_of_ones(3e-7)],
        wrong=[_rest_of_ones(3e-6), _rest_of_ones(3e-7, "complex128")],
    ),
    Explanation(
        "RFFT RFFT2D IRFFT IRFFT2D",
        GRADIENT_ERROR,
        _CROPS,
        theirs=r"InvalidArgumentError: (Incompatible shapes: |Matrix size-incompatible: )",
        when=_other_lengths,
        true=[
            _refuses("RFFT", _SHAPES, _X4, 3),
            _refuses("RFFT2D", _PRODUCT, np.ones([5, 7]), 5, 2),
            _refuses("IRFFT", _SHAPES, _X4 + 0j, 4),
        ],
        wrong=[
            _refuses("RFFT", _SHAPES, _X4, 4),
            _refuses("IRFFT", _SHAPES, _X4 + 0j, 6),
        ],
    ),
    Explanation(
        "RFFT RFFT2D",
        GRADIENT,
        _CROPS,
        dtypes="float32 float64",
        outputs=(0,),
        elements=ours_is(_real_gradient, 8 * 2e-5),
        bound=np.inf,
        when=_other_lengths,
        true=[_cropped("RFFT", [_G1, 0, 0], [5, 5, 5])],
        wrong=[_cropped("RFFT", [2 * _G1, 0, 0], [5, 5, 5])],
    ),
    Explanation(
        "IRFFT IRFFT2D",
        GRADIENT,
        _CROPS,
        dtypes="complex64 complex128",
        outputs=(0,),
        elements=ours_is(_inverse_gradient, 8 * 2e-5),
        bound=np.inf,
        when=_other_lengths,
        true=[_cropped("IRFFT", [_G1_REAL, 0, 0], [5, 5, 5])],
        wrong=[_cropped("IRFFT", [2 * _G1_REAL, 0, 0], [5, 5, 5])],
    ),
    Explanation(
        "IRFFT IRFFT2D",
        GRADIENT,
        _CROPS,
        dtypes="complex64 complex128",
        outputs=(0,),
        shapes=_is_inverse_gradient,
        when=_other_lengths,
        true=[_cropped("IRFFT", [_G1_REAL, 0, 0], [_G1_REAL])],
        wrong=[
            _cropped("IRFFT", [2 * _G1_REAL, 0, 0], [_G1_REAL]),
            _cropped("IRFFT", [_G1_REAL], [_G1_REAL, 0, 0]),
        ],
    ),
    Explanation(
        "RFFT RFFT2D RFFT3D IRFFT IRFFT2D IRFFT3D",
        REFUSAL,
        "an input without elements is not too short for any length",
        theirs=r"InvalidArgumentError: Input dimension \d must have length of at least \d+ but got: \d+",
        when=lambda d: d.input(0).size == 0,
        true=[
            refused(call("RFFT", np.zeros([0, 1]), np.int32([8])), theirs=_TOO_SHORT)
        ],
        wrong=[
            refused(call("RFFT", np.zeros([2, 1]), np.int32([8])), theirs=_TOO_SHORT)
        ],
    ),
]
