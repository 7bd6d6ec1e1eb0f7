# SPDX-License-Identifier: Apache-2.0
"""The decoders against loops, and against all label sequences with all their alignments."""

import itertools

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.kernel_tests.ctc.ctc_testing import (
    collapsed,
    draw,
    log_softmax,
)
from tensorwright.python.ops import gen_ctc_ops
from tensorwright.python.testing.op_testing import evaluate, fed

pytestmark = pytest.mark.usefixtures("fresh_graph")


def rows_of(value, batch):
    """A SparseTensorValue as lists, its indices and shape checked."""
    rows = [[] for _ in range(batch)]
    for (b, i), label in zip(value.indices, value.values):
        assert i == len(rows[b])
        rows[b].append(int(label))
    assert value.dense_shape.tolist() == [batch, max(map(len, rows))]
    return rows


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("merge", [True, False])
@pytest.mark.parametrize("blank", [None, 0, 2, -2])
def test_greedy(blank, merge, dtype):
    logits, lengths = draw(20, 4, 5, dtype), [20, 7, 0, 1]
    (decoded,), score = evaluate(
        tf.nn.ctc_greedy_decoder(logits, lengths, merge, blank)
    )
    at = (-1 if blank is None else blank) % 5
    want = []
    for b, n in enumerate(lengths):
        best = logits[:n, b].argmax(-1)
        want.append(list(collapsed(best, at, merge)))
        np.testing.assert_allclose(score[b, 0], -logits[:n, b].max(-1).sum(), rtol=1e-5)
    assert score.dtype == dtype and score.shape == (4, 1)
    assert rows_of(decoded, 4) == want


def test_greedy_takes_the_first_of_equal_classes():
    (decoded,), score = evaluate(
        tf.nn.ctc_greedy_decoder(np.zeros([3, 1, 3]), [3], merge_repeated=False)
    )
    assert decoded.values.tolist() == [0, 0, 0] and score.item() == 0


def test_a_nan_spoils_its_row_alone():
    logits = draw(4, 2, 3, np.float32)
    logits[2, 0, 1] = np.nan
    _, score = evaluate(tf.nn.ctc_greedy_decoder(logits, [4, 4]))
    assert np.isnan(score[:, 0]).tolist() == [True, False]
    _, score = evaluate(tf.nn.ctc_beam_search_decoder(logits, [4, 4]))
    assert np.isnan(score[:, 0]).tolist() == [True, False]


def probabilities(logits):
    """{labels: logarithm of the probability} of all sequences of one row."""
    log_p = log_softmax(logits.astype(np.float64))
    steps, classes = log_p.shape
    found = {}
    for a in itertools.product(range(classes), repeat=steps):
        labels = collapsed(a, classes - 1, True)
        log = log_p[range(steps), a].sum()
        found[labels] = np.logaddexp(found.get(labels, -np.inf), log)
    return found


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("merge", [True, False])
def test_a_wide_beam_finds_the_best_of_all(merge, dtype):
    lengths, paths = [6, 5, 3], 4
    logits = draw(6, 3, 4, dtype)
    decoded, score = evaluate(
        tf.nn.ctc_beam_search_decoder(logits, lengths, 2000, paths, merge)
    )
    assert score.dtype == dtype and score.shape == (3, paths)
    rows = [rows_of(d, 3) for d in decoded]
    for b, n in enumerate(lengths):
        best = sorted(probabilities(logits[:n, b]).items(), key=lambda x: -x[1])
        for i, (labels, log) in enumerate(best[:paths]):
            if merge:
                labels = [k for k, _ in itertools.groupby(labels)]
            assert rows[i][b] == list(labels)
            np.testing.assert_allclose(score[b, i], log, rtol=1e-5)


def beam_search(logits, width):
    """[(labels, log p)], the best first, of TensorFlow's search, in dictionaries.

    A sequence that falls out of the beam, and that its parent does not bring back, is not extended any more, although
    what would follow might be likely.
    """
    log_p = log_softmax(logits.astype(np.float64))
    blank = log_p.shape[1] - 1
    # labels -> logarithms: that end with a blank, with the last label.
    beam = {(): (0.0, -np.inf)}
    for row in log_p:
        leaves, forgotten = {}, set()
        for labels, (ends, last) in beam.items():
            if labels and labels[:-1] in beam:
                parent = beam[labels[:-1]]
                repeats = labels[-2:-1] == labels[-1:]
                last = np.logaddexp(
                    last, parent[0] if repeats else np.logaddexp(*parent)
                )
            total = np.logaddexp(*beam[labels])
            leaves[labels] = (
                total + row[blank],
                last + row[labels[-1]] if labels else -np.inf,
            )

        def wanted(log):
            worst = min(np.logaddexp(*p) for p in leaves.values())
            return len(leaves) < width or log > worst

        for labels, (ends, last) in beam.items():
            total = np.logaddexp(ends, last)
            if labels in forgotten or not wanted(total):
                continue
            for label in range(blank):
                child = (*labels, label)
                if child in leaves:
                    continue
                log = row[label] + (ends if labels[-1:] == (label,) else total)
                if wanted(log):
                    if len(leaves) == width:
                        del leaves[min(leaves, key=lambda k: np.logaddexp(*leaves[k]))]
                    leaves[child] = (-np.inf, log)
                elif child in beam:
                    forgotten.add(child)
        best = sorted(leaves.items(), key=lambda x: -np.logaddexp(*x[1]))
        beam = dict(best)
    return [(labels, np.logaddexp(*p)) for labels, p in beam.items()]


@pytest.mark.parametrize("width", [1, 2, 5, 30])
def test_a_narrow_beam(width):
    logits = draw(40, 3, 7, seed=width, scale=1.5)
    paths = min(width, 3)
    decoded, score = evaluate(
        tf.nn.ctc_beam_search_decoder_v2(logits, [40, 25, 1], width, paths)
        if width < 6
        else tf.nn.ctc_beam_search_decoder(
            logits, [40, 25, 1], width, paths, merge_repeated=False
        )
    )
    rows = [rows_of(d, 3) for d in decoded]
    for b, n in enumerate([40, 25, 1]):
        for i, (labels, log) in enumerate(beam_search(logits[:n, b], width)[:paths]):
            assert rows[i][b] == list(labels)
            np.testing.assert_allclose(score[b, i], log, rtol=1e-9)


def test_merged_neighbours_lose_the_blank_between_them():
    logits = np.log([[[0.9, 0.1]], [[0.1, 0.9]], [[0.9, 0.1]]])
    kept, merged = (
        evaluate(tf.nn.ctc_beam_search_decoder(logits, [3], merge_repeated=merge)[0][0])
        for merge in (False, True)
    )
    assert kept.values.tolist() == [0, 0]
    assert merged.values.tolist() == [0]


def test_no_steps_have_the_empty_sequence():
    (decoded,), score = evaluate(
        tf.nn.ctc_beam_search_decoder(draw(2, 2, 3), [0, 0], 3, 1)
    )
    assert decoded.values.size == 0 and decoded.dense_shape.tolist() == [2, 0]
    np.testing.assert_array_equal(score, np.zeros([2, 1]))


@pytest.mark.parametrize(
    "op",
    [
        gen_ctc_ops.ctc_greedy_decoder,
        lambda *x: gen_ctc_ops.ctc_beam_search_decoder(*x, beam_width=3, top_paths=2),
    ],
)
def test_bad_input(op):
    lengths = np.int32([2, 2])
    for logits, n, words in [
        (np.zeros([2, 3]), lengths, "rank"),
        (np.zeros([2, 3, 3]), lengths, "imension"),
        (np.zeros([2, 2, 3]), lengths[0], "rank"),
        (np.zeros([0, 2, 3]), lengths, "max_time"),
        (np.zeros([2, 2, 0]), lengths, "class"),
    ]:
        with pytest.raises((tf.errors.InvalidArgumentError, ValueError), match=words):
            fed(op, logits, n)
    for n in ([2, 3], [-1, 2]):
        with pytest.raises(tf.errors.FailedPreconditionError, match="sequence_length"):
            fed(op, np.zeros([2, 2, 3]), np.int32(n))


def test_bad_attrs():
    logits, lengths = np.zeros([2, 1, 3]), np.int32([2])
    for blank in (3, -4):
        with pytest.raises(tf.errors.InvalidArgumentError, match="blank_index"):
            evaluate(tf.nn.ctc_greedy_decoder(logits, lengths, blank_index=blank)[1])
    with pytest.raises(tf.errors.InvalidArgumentError, match="beam_width"):
        evaluate(tf.nn.ctc_beam_search_decoder(logits, lengths, 2, 3)[1])
    # One step has three sequences.
    with pytest.raises(tf.errors.InvalidArgumentError, match="only 3"):
        evaluate(tf.nn.ctc_beam_search_decoder(logits[:1], [1], 10, 4)[1])
