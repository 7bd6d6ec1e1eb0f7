# SPDX-License-Identifier: Apache-2.0
"""Differences from TensorFlow that are meant, of word2vec."""

from __future__ import annotations

from tensorwright.tools.difftest.difference import ERROR_CLASS, REFUSAL
from tensorwright.tools.difftest.explanation import Explanation, call, refused

_SAMPLES = "InvalidArgumentError: NegTrain: num_negative_samples must be in [0, 1048576], got -2"
_NO_FILE = "NotFoundError: \xff: No such file or directory"
_NO_TEXT = "InvalidArgumentError: 'utf-8' codec can't decode byte 0xff in position 0: invalid start byte"

_WINDOW = "InvalidArgumentError: Skipgram: window_size must be > 0, got -5"

TABLE: list[Explanation] = [
    Explanation(
        "NegTrain",
        REFUSAL,
        "there is no negative number of samples; TensorFlow takes it for none",
        ours=r"InvalidArgumentError: NegTrain: num_negative_samples must be in \[0, \d+\], got -\d+",
        when=lambda d: d.attrs["num_negative_samples"] < 0,
        true=[refused(call("NegTrain", num_negative_samples=-2), _SAMPLES)],
        wrong=[
            refused(call("NegTrain", num_negative_samples=2), _SAMPLES),
            refused(
                call("NegTrain", num_negative_samples=-2),
                "InvalidArgumentError: NegTrain: vocab_count must not be negative",
            ),
        ],
    ),
    Explanation(
        "Skipgram",
        REFUSAL,
        "a window has words; TensorFlow finds none in one of a size below 1",
        ours=r"InvalidArgumentError: Skipgram: window_size must be > 0, got ",
        when=lambda d: d.attrs.get("window_size", 1) <= 0,
        true=[refused(call("Skipgram", window_size=-5), _WINDOW)],
        wrong=[refused(call("Skipgram", window_size=5), _WINDOW)],
    ),
    Explanation(
        "Skipgram",
        ERROR_CLASS,
        "a file's name is any bytes; TensorFlow's front end cannot say so of one that is not there",
        ours=r"NotFoundError: .*No such file",
        theirs="InvalidArgumentError: 'utf-8' codec can't decode byte",
        true=[refused("Skipgram", _NO_FILE, _NO_TEXT)],
        wrong=[
            refused("Skipgram", _NO_TEXT, _NO_TEXT.replace("utf-8", "ascii")),
            refused("ReadFile", _NO_FILE, _NO_TEXT),
        ],
    ),
]
