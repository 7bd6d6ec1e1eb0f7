# SPDX-License-Identifier: Apache-2.0
"""Tests of skip grams."""

import pytest

import tensorwright as tf

pytestmark = pytest.mark.usefixtures("fresh_graph")

text = tf.contrib.text
WORDS = "the quick brown fox jumps".split()


def run(fetches):
    with tf.Session() as session:
        session.run(tf.tables_initializer())
        tokens, labels = session.run(fetches)
        return [(t.decode(), w.decode()) for t, w in zip(tokens, labels)]


def near(words, distance, with_self=False):
    return [
        (t, words[j])
        for i, t in enumerate(words)
        for j in range(max(0, i - distance), min(len(words), i + distance + 1))
        if with_self or j != i
    ]


@pytest.mark.parametrize("with_self", [True, False])
def test_pairs(with_self):
    pairs = text.skip_gram_sample(WORDS, 2, 2, emit_self_as_target=with_self)
    assert run(pairs) == near(WORDS, 2, with_self)
    pairs = text.skip_gram_sample(WORDS, 1, 1, start=1, limit=3)
    assert run(pairs) == near(WORDS[1:4], 1)


def test_rare_words_go(tmp_path):
    path = tmp_path / "counts"
    path.write_text("the,90\nquick,3\nbrown,1\njumps,5\n")
    pairs = text.skip_gram_sample_with_text_vocab(
        WORDS, str(path), vocab_min_count=3, min_skips=1, max_skips=1
    )
    assert run(pairs) == near(["the", "quick", "jumps"], 1)
    pairs = text.skip_gram_sample_with_text_vocab(
        ["the"] * 1000 + ["jumps"] * 4,
        str(path),
        vocab_subsampling=0.05,
        min_skips=0,
        max_skips=0,
        emit_self_as_target=True,
        seed=1,
    )
    kept = run(pairs)
    # jumps: 5 of 99 words are hardly more than a twentieth.
    assert kept.count(("jumps", "jumps")) == 4
    share = 90 / (0.05 * 99)
    assert abs(kept.count(("the", "the")) / 1000 - (share**0.5 + 1) / share) < 0.06


def test_skip_grams_come_in_batches():
    tokens, labels = text.skip_gram_sample(WORDS, 1, 1, batch_size=3)
    with tf.Session() as session:
        coordinator = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(session, coordinator)
        assert session.run(tokens).shape == (3,)
        coordinator.request_stop()
        coordinator.join(threads)


def test_arguments_that_do_not_go_together():
    for arguments in (
        dict(vocab_min_count=3),
        dict(vocab_subsampling=0.1),
        dict(corpus_size=3),
        dict(batch_capacity=3),
    ):
        with pytest.raises(ValueError):
            text.skip_gram_sample(WORDS, **arguments)
    for columns in ((0, 0), (-1, 0)):
        with pytest.raises(ValueError, match="index"):
            text.skip_gram_sample_with_text_vocab(
                WORDS, "x", vocab_token_index=columns[0], vocab_freq_index=columns[1]
            )
