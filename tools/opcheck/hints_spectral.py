# SPDX-License-Identifier: Apache-2.0
"""Valid inputs of Fourier transforms; see draws.hint."""

from __future__ import annotations

from tensorwright.tools.opcheck import signature as sig
from tensorwright.tools.opcheck.draws import Drawer, hint


def _rank(d: Drawer) -> int:
    return {"2D": 2, "3D": 3}.get(d.sig.name[-2:], 1)


def _shape(d: Drawer) -> list[int]:
    rank = _rank(d)
    if d.huge:
        return [4096, 1024] if rank < 3 else [16, 64, 64, 64]
    if d.big:
        return [60, 700] if rank < 3 else [4, 30, 20, 24]
    return [*(d.dim() for _ in range(d.int(0, 2))), *(d.int(1, 9) for _ in range(rank))]


@hint(
    "FFT", "FFT2D", "FFT3D", "IFFT", "IFFT2D", "IFFT3D", "BatchFFT", "BatchFFT2D",
    "BatchFFT3D", "BatchIFFT", "BatchIFFT2D", "BatchIFFT3D",
)  # fmt: skip
def _fft(d: Drawer):
    what = "Tcomplex" if "Tcomplex" in d.attrs else sig.COMPLEX64
    return [d.values(what, _shape(d), "normal")]


@hint("RFFT", "RFFT2D", "RFFT3D", "IRFFT", "IRFFT2D", "IRFFT3D")
def _rfft(d: Drawer):
    inverse = d.sig.name.startswith("I")
    shape, rank = _shape(d), _rank(d)
    whole = d.large or d.chance(0.5)
    lengths = [n if whole else d.int(1, n) for n in shape[-rank:]]
    if inverse:
        shape[-1] = shape[-1] // 2 + 1
    x = d.values("Tcomplex" if inverse else "Treal", shape, "normal")
    return [x, d.array(sig.INT32, lengths)]
