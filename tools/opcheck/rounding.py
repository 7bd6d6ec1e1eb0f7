# SPDX-License-Identifier: Apache-2.0
"""Ops whose results depend on the number of threads in the last bits, and how much."""

from __future__ import annotations

import pathlib

import numpy as np

from tensorwright.tools.opcheck import signature as sig, wire

# Ops of matrix products.  On a processor without AVX-512, oneDNN shares the terms of a sum among threads, so that the
# rounding depends on their number.
PRODUCTS = (
    ("MatMul", "SparseMatMul", "BlockLSTMGrad", "BlockLSTMGradV2", "GRUBlockCellGrad")
    if "avx512f" not in pathlib.Path("/proc/cpuinfo").read_text()
    else ()
)
_TERMS = 128


def bound(values: list) -> float:
    """Bounds the difference of a sum of some hundred terms that are added in another order; see PRODUCTS."""
    bound = 0.0
    for value in values:
        if value[0] in sig.FLOATS:
            array = wire.decode(value, sig.numpy_type(value[0]))
            bits = {2: 8, 4: 23, 8: 52}[array.dtype.itemsize]
            numbers = np.abs(array.astype(np.float64))
            largest = numbers[np.isfinite(numbers)].max(initial=1)
            bound = max(bound, 2.0**-bits * largest)
    return _TERMS * bound
