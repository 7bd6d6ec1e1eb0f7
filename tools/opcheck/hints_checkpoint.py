# SPDX-License-Identifier: Apache-2.0
"""Valid inputs of ops that load checkpoints under another vocabulary; see draws.hint.

Checkpoints are TensorFlow's in python/training/testdata; vocabularies are written to a folder of this process.
"""

from __future__ import annotations

import functools
import pathlib
import tempfile

import numpy as np

from tensorwright.tools.opcheck import allowed, signature as sig
from tensorwright.tools.opcheck.draws import Drawer, hint

_READ = pathlib.Path(__file__).parents[2] / "python" / "training" / "testdata"
# Matrices of float in the checkpoints.
_MATRICES = {"float32": (2, 3), "parts": (3, 4), "empty": (0, 4)}
_WORDS = [f"word{i}" for i in range(12)]


@functools.cache
def _folder() -> tempfile.TemporaryDirectory:
    return tempfile.TemporaryDirectory(prefix="opcheck")


def _string(d: Drawer, text: str) -> np.ndarray:
    return d.array(sig.STRING, np.array(text.encode(), object))


def _vocabulary(d: Drawer, which: str) -> tuple[str, int]:
    """A file of some words, each once, and how many."""
    words = d.rng.permutation(_WORDS)[: d.int(1, len(_WORDS))]
    path = pathlib.Path(_folder().name, f"{which}{d.int(0, 10**6)}")
    path.write_text("\n".join(words) + d.pick(["", "\n"]))
    return str(path), len(words)


@hint("GenerateVocabRemapping")
def _generate_vocab_remapping(d: Drawer):
    new, size = _vocabulary(d, "new")
    old, old_size = _vocabulary(d, "old")
    d.attrs["new_vocab_offset"] = offset = d.int(0, size)
    d.attrs["num_new_vocab"] = d.int(0, size - offset)
    d.attrs["old_vocab_size"] = d.pick([-1, old_size, d.int(1, old_size)])
    return [_string(d, new), _string(d, old)]


def _remapping(d: Drawer, old_size: int, low: int) -> np.ndarray:
    """Some old places, each once, and new ones, in any order."""
    old = d.rng.permutation(old_size)[: d.int(0, old_size)]
    new = -np.ones(d.int(low if len(old) == 0 else 0, 3), np.int64)
    return d.array(sig.INT64, d.rng.permutation(np.concatenate([old, new])))


@hint("LoadAndRemapMatrix")
def _load_and_remap_matrix(d: Drawer):
    name = d.pick(list(_MATRICES))
    height, width = _MATRICES[name]
    rows = _remapping(d, height, 0)
    cols = d.array(sig.INT64, [])
    if d.chance(0.7):
        cols = _remapping(d, width, 1)
    d.attrs["num_rows"] = len(rows)
    d.attrs["num_cols"] = num_cols = len(cols) or width
    d.attrs["max_rows_in_memory"] = d.pick([-1, 0, 1, 2, 100])
    loaded = int((rows >= 0).sum()) * (int((cols >= 0).sum()) if len(cols) else width)
    path = f"{_READ}/{d.pick(['v2', 'v2_sharded'])}"
    missing = len(rows) * num_cols - loaded
    return [
        _string(d, path),
        _string(d, name),
        rows,
        cols,
        d.values(sig.FLOAT, [missing]),
    ]


allowed.allow(
    allowed.THREADS,
    ["GenerateVocabRemapping", "LoadAndRemapMatrix"],
    "reads small files; its test reads a large one",
)
