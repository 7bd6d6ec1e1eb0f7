# SPDX-License-Identifier: Apache-2.0
"""Skipgram: the vocabulary, and which pairs of words come out."""

import collections

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.ops import gen_word2vec_ops

pytestmark = pytest.mark.usefixtures("fresh_graph")

NAMES = (
    "vocab_word vocab_freq words_per_epoch current_epoch total_words_processed "
    "examples labels"
).split()


def write(path, words):
    path.write_text(" ".join(words) + "\n")
    return str(path)


def skipgram(path, batch_size=10, **attrs):
    return dict(
        zip(NAMES, gen_word2vec_ops.skipgram(path, batch_size, **attrs), strict=True)
    )


def runs(outputs, times):
    with tf.Session() as session:
        return [session.run(outputs) for _ in range(times)]


def test_vocabulary(tmp_path):
    words = ["b"] * 5 + ["a"] * 9 + ["rare"] + ["löß"] * 5 + ["c\x00d"] * 3
    text = "\n \t".join(words)
    (tmp_path / "text").write_text(text)
    (got,) = runs(skipgram(str(tmp_path / "text"), window_size=1, min_count=3), 1)
    # The most frequent first, equal ones by their bytes.
    assert got["vocab_word"].tolist() == [
        b"UNK", b"a", b"b", "löß".encode(), b"c\x00d",
    ]  # fmt: skip
    assert got["vocab_freq"].tolist() == [1, 9, 5, 5, 3]
    assert got["words_per_epoch"] == 23
    assert [got[n].dtype for n in NAMES[1:]] == [
        np.int32, np.int64, np.int32, np.int64, np.int32, np.int32,
    ]  # fmt: skip


def test_pairs_of_a_sentence_in_order(tmp_path):
    """All words differ: a pair says where it was."""
    n, window = 1000, 3
    words = [f"w{i:04}" for i in range(n)]
    outputs = skipgram(
        write(tmp_path / "text", words), 1000, window_size=window, min_count=1,
        subsample=0.0,
    )  # fmt: skip
    batches = runs(outputs, 3)
    # Equally frequent words are in the order of their bytes, which is that of the text.
    example = np.concatenate([b["examples"] for b in batches]) - 1
    label = np.concatenate([b["labels"] for b in batches]) - 1
    assert (example != label).all()
    assert set(np.diff(example)) <= {0, 1}
    distances = collections.Counter()
    for word in range(example[-1]):
        near = sorted(label[example == word])
        reach = max(abs(near[0] - word), abs(near[-1] - word))
        distances[int(reach)] += 1
        around = range(max(0, word - reach), min(n, word + reach + 1))
        assert near == [w for w in around if w != word]
    assert set(distances) == {1, 2, 3}
    assert batches[0]["current_epoch"] == 0


def test_epochs_and_words_are_counted(tmp_path):
    words = ["a", "b"] * 600
    path = write(tmp_path / "text", words)
    batches = runs(skipgram(path, 6000, min_count=1, subsample=0.0), 5)
    processed = [int(b["total_words_processed"]) for b in batches]
    assert processed == sorted(processed) and processed[0] > 0
    for got in batches:
        # Sentences are read whole, and examples made 3,000 ahead.
        ahead = got["total_words_processed"] + 1000
        assert 0 <= got["current_epoch"] <= ahead // len(words)
    assert batches[-1]["current_epoch"] > 0


def test_the_same_file_gives_the_same_pairs(tmp_path):
    rng = np.random.RandomState(0)
    path = write(tmp_path / "text", [f"w{i}" for i in rng.geometric(0.05, 5000)])
    first, second = (runs(skipgram(path, 200, subsample=0.01), 20) for _ in range(2))
    for a, b in zip(first, second):
        for name in NAMES:
            np.testing.assert_array_equal(a[name], b[name])
    assert not np.array_equal(first[0]["examples"], first[1]["examples"])


def test_frequent_words_are_dropped(tmp_path):
    """A word of frequency f stays with probability (sqrt(f / s) + 1) s / f."""
    rng = np.random.RandomState(1)
    words = np.where(rng.random_sample(20000) < 0.5, "often", "seldom0")
    words = [w if w == "often" else f"seldom{rng.randint(200)}" for w in words.tolist()]
    path = write(tmp_path / "text", words)
    subsample = 0.01
    outputs = skipgram(path, 20000, min_count=1, subsample=subsample)
    (got,) = runs({n: outputs[n] for n in ("vocab_word", "examples")}, 1)
    assert got["vocab_word"][1] == b"often"
    f = words.count("often") / len(words)
    keep = (np.sqrt(f / subsample) + 1) * subsample / f
    share = f * keep / (f * keep + 1 - f)
    assert abs(np.mean(got["examples"] == 1) - share) < 0.02


def test_an_empty_batch(tmp_path):
    path = write(tmp_path / "text", ["a", "b"] * 40)
    (got,) = runs(skipgram(path, 0), 1)
    assert got["examples"].shape == (0,)


def test_bad_input(tmp_path):
    path = write(tmp_path / "text", ["a", "b"] * 20)

    def refused(error, words, path=path, batch_size=3, **attrs):
        with tf.Graph().as_default(), pytest.raises(error, match=words):
            runs(skipgram(path, batch_size, **attrs), 1)

    refused(tf.errors.NotFoundError, "nowhere", path=str(tmp_path / "nowhere"))
    invalid = (tf.errors.InvalidArgumentError, ValueError)
    refused(invalid, "too little data: 40 words")
    refused(invalid, "window_size", window_size=0)
    refused(invalid, "batch_size", batch_size=-1, window_size=1)
    refused(invalid, "subsample", window_size=1, subsample=1e-30)
