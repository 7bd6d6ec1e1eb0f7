# SPDX-License-Identifier: Apache-2.0
"""Linear algebra and Fourier transforms: many small matrices, some of 32, one of 256 and one of 1024."""

from __future__ import annotations

from typing import Any

import numpy as np
from cases import Case, case, run_op, values

SIZES = {
    "10000x4": (10_000, 4, 4),
    "100x32": (100, 32, 32),
    "256": (256, 256),
    "1024": (1024, 1024),
}


def _positive(shape: tuple[int, ...]) -> np.ndarray:
    x = values(*shape)
    n = shape[-1]
    product = np.matmul(x, np.swapaxes(x, -1, -2)) + n * np.eye(n)
    return product.astype(np.float32)


def _outputs(result: Any) -> Any:
    return result[-1] if isinstance(result, (list, tuple)) else result


_OPS = {
    "cholesky": lambda tf, a, b: tf.linalg.cholesky(a),
    "inverse": lambda tf, a, b: tf.linalg.inv(a),
    "determinant": lambda tf, a, b: tf.linalg.slogdet(a),
    "solve": lambda tf, a, b: tf.linalg.solve(a, b),
    "triangular_solve": lambda tf, a, b: tf.linalg.triangular_solve(a, b),
    "least_squares": lambda tf, a, b: tf.linalg.lstsq(b, a, fast=False),
    "qr": lambda tf, a, b: tf.linalg.qr(b),
    "eigh": lambda tf, a, b: tf.linalg.eigh(a),
    "svd": lambda tf, a, b: tf.linalg.svd(b),
}


def _add(op: str, size: str) -> None:
    def linalg(tf: Any) -> Case:
        shape = SIZES[size]

        def build() -> Any:
            a, b = tf.Variable(_positive(shape)), tf.Variable(values(*shape, seed=1))
            return _outputs(_OPS[op](tf, a, b))

        return run_op(tf, build)

    linalg.__name__ = f"linalg_{op}_{size}"
    case(linalg)


for _op in _OPS:
    for _size in SIZES:
        _add(_op, _size)

# A power of two, a product of small primes, a prime.
_LENGTHS = {"1024": (4096, 1024), "1050": (4096, 1050), "1021": (4096, 1021)}


def _add_fft(length: str) -> None:
    def fft(tf: Any) -> Case:
        def build() -> Any:
            x = values(*_LENGTHS[length])
            return tf.signal.fft(tf.Variable((x + 1j * x).astype(np.complex64)))

        return run_op(tf, build)

    def rfft(tf: Any) -> Case:
        def build() -> Any:
            return tf.signal.rfft(tf.Variable(values(*_LENGTHS[length])))

        return run_op(tf, build)

    fft.__name__, rfft.__name__ = f"fft_{length}", f"rfft_{length}"
    case(fft)
    case(rfft)


for _length in _LENGTHS:
    _add_fft(_length)
