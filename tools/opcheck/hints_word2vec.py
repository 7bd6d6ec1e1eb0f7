# SPDX-License-Identifier: Apache-2.0
"""Valid calls of word2vec's ops; see draws.hint.

No two words of a text are equally frequent: their order would be undefined.
"""

from __future__ import annotations

import functools
import pathlib
import tempfile

import numpy as np

from tensorwright.tools.opcheck import allowed, signature as sig
from tensorwright.tools.opcheck.draws import Drawer, hint


@functools.cache
def _folder() -> tempfile.TemporaryDirectory:
    return tempfile.TemporaryDirectory(prefix="opcheck")


@functools.cache
def _text(words: int) -> str:
    """A file in which so many words stand 3, 4, 5, ... times."""
    text = np.repeat([f"word{i}" for i in range(words)], np.arange(words) + 3)
    np.random.RandomState(words).shuffle(text)
    path = pathlib.Path(_folder().name) / f"words{words}"
    path.write_text(" ".join(text))
    return str(path)


@hint("Skipgram")
def _skipgram(d: Drawer):
    d.attrs["filename"] = _text(d.int(10, 14))
    d.attrs["batch_size"] = d.int(0, 30)
    d.attrs["window_size"] = d.int(1, 5)
    d.attrs["min_count"] = d.pick([1, 5, 8])
    d.attrs["subsample"] = d.pick([0.0, 0.01, 0.1])
    return []


allowed.allow(allowed.THREADS, "Skipgram", "reads a small file")


@hint("NegTrain")
def _neg_train(d: Drawer):
    shape = [1000, 4000] if d.huge else [300, 100] if d.big else [d.int(1, 9), d.dim()]
    batch = 300 if d.large else d.dim()
    d.attrs["num_negative_samples"] = samples = d.int(0, 4)
    counts = [d.int(1, 99) for _ in range(shape[0])]
    if samples and not d.large:
        # TensorFlow draws other words in each process: here there is one to draw.
        only = d.int(0, shape[0] - 1)
        counts = [n if i == only else 0 for i, n in enumerate(counts)]
    d.attrs["vocab_count"] = counts
    return [
        d.values(sig.FLOAT, shape, "unit"),
        d.values(sig.FLOAT, shape, "unit"),
        d.ints(sig.INT32, [batch], 0, shape[0] - 1),
        d.ints(sig.INT32, [batch], 0, shape[0] - 1),
        d.array(sig.FLOAT, d.rng.uniform(0.05, 0.9)),
    ]
