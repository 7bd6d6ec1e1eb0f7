# SPDX-License-Identifier: Apache-2.0
"""ParameterizedTruncatedNormal in NumPy, with which the explanation of its halves compares ours."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np

from tensorwright.tools.difftest.difference import Difference

_WORD = (1 << 32) - 1
# The limits of a batch, in proposals for each sample; the samples of a batch if all batches share their parameters;
# and the samples of the batches that are drawn in one stream.
_PROPOSALS, _BATCH, _STREAM = 1000, 100, 1000
# Normal numbers are proposed if so many deviations on one side of the mean are inside of the bounds.
_INSIDE = np.float32(1.3)
_Real = np.float32
# Proposals and whether each is accepted.
_Proposals = Iterator[tuple[_Real, bool]]


def _blocks(seed: int, seed2: int, at: int) -> Iterator[np.ndarray]:
    """The words of Philox 4x32-10 (Salmon et al., 2011), four at a time, from the `at`-th block on."""
    while True:
        block = [at & _WORD, at >> 32, seed2 & _WORD, (seed2 >> 32) & _WORD]
        key = [seed & _WORD, (seed >> 32) & _WORD]
        for _ in range(10):
            first, second = 0xD2511F53 * block[0], 0xCD9E8D57 * block[2]
            block = [
                second >> 32 ^ block[1] ^ key[0],
                second & _WORD,
                first >> 32 ^ block[3] ^ key[1],
                first & _WORD,
            ]
            key = [(key[0] + 0x9E3779B9) & _WORD, (key[1] + 0xBB67AE85) & _WORD]
        yield np.array(block, np.uint32)
        at += 1


def _uniform(block: np.ndarray, bits: int) -> np.ndarray:
    """Returns numbers in [0, 1), multiples of 2^-bits."""
    return np.float32((block & ((1 << bits) - 1)) / 2.0**bits)


def _normal(blocks: Iterator[np.ndarray], dtype: np.dtype) -> Iterator[_Real]:
    """Box and Muller's pairs, rounded to a dtype."""
    for block in blocks:
        u = _uniform(block, 23)
        for v, turn in (u[:2], u[2:]):
            radius = np.sqrt(-2 * np.log(np.maximum(v, _Real(1e-7))))
            angle = _Real(2 * np.pi * np.float64(turn))
            for f in (np.sin, np.cos):
                yield _Real((radius * f(angle)).astype(dtype))


def _proposals(
    low: _Real, high: _Real, blocks: Iterator[np.ndarray], dtype: np.dtype
) -> _Proposals:
    """Robert, "Simulation of Truncated Normal Variables" (1995): the proposal that accepts most."""
    bits = 10 if dtype == np.float16 else 7
    root = np.sqrt(low * low + 4)
    cutoff = 2 * np.exp(_Real(0.5) + low * (low - root) / 4) / (low + root)
    if (low < -_INSIDE and high >= 0) or (high > _INSIDE and low <= 0):
        for z in _normal(blocks, dtype):
            yield np.clip(z, low, high), low <= z <= high
    elif high - low < cutoff:
        nearest = _Real(0) if low < 0 else low * low
        while True:
            place, u = (_uniform(next(blocks), bits) for _ in range(2))
            for p, v in zip(place, u):
                z = p * (high - low) + low
                yield z, v <= np.exp((nearest - z * z) / 2)
    else:
        alpha = (low + root) / 2
        for block in blocks:
            u = _uniform(block, bits)
            for p, v in (u[:2], u[2:]):
                z = -np.log(p) / alpha + low
                x = alpha - z if low < alpha else low - alpha
                yield min(z, high), v <= np.exp(-x * x / 2) and z < high


def _samples(proposals: _Proposals, count: int) -> list[_Real]:
    return list(itertools.islice((z for z, accepted in proposals if accepted), count))


def truncated(d: Difference) -> np.ndarray:
    """The samples whose proposals, of the dtype's random numbers, are accepted or not in float32."""
    assert d.case is not None and d.arrays is not None and d.arrays.theirs is not None
    shape, dtype = d.arrays.theirs.shape, d.input(1).dtype
    parameters = [np.asarray(i, np.float32).reshape(-1) for i in d.case.inputs[1:]]
    scalars = all(np.ndim(i) == 0 for i in d.case.inputs[3:])
    one_for_all = scalars and all(len(p) == 1 for p in parameters)
    size = int(np.prod(shape))
    batch = _BATCH if one_for_all else size // max(shape[0], 1)
    found: list[np.ndarray] = []
    together = max(_STREAM // max(batch, 1), 1)
    with np.errstate(all="ignore"):
        for b, first in enumerate(range(0, size, max(batch, 1))):
            mean, stdev, low, high = (p[b if len(p) > 1 else 0] for p in parameters)
            # An interval that is open on the left, or left of the mean, is turned around.
            if np.isneginf(low) or high < mean:
                low, high, stdev = high, low, -stdev
            if b % together == 0:
                start = b * 2 * _PROPOSALS * (batch + 3) // 4
                blocks = _blocks(d.attrs["seed"], d.attrs["seed2"], start)
            proposals = _proposals(
                (low - mean) / stdev, (high - mean) / stdev, blocks, dtype
            )
            z = np.array(_samples(proposals, min(batch, size - first)), np.float32)
            found.append((z * stdev + mean).astype(dtype))
    return np.concatenate([*found, np.zeros(0, dtype)]).reshape(shape)
