# SPDX-License-Identifier: Apache-2.0
"""CTCLoss against the sum over all alignments, and against the recursion in logarithms where there are too many."""

import itertools

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.kernel_tests.ctc.ctc_testing import (
    collapsed,
    draw,
    log_softmax,
)
from tensorwright.python.kernel_tests.op_table import check_gradient
from tensorwright.python.ops import gen_ctc_ops
from tensorwright.python.testing.op_testing import evaluate, fed

pytestmark = pytest.mark.usefixtures("fresh_graph")


def loss_of_all(logits, labels, merge=True):
    """The loss of one row, [time, classes], from all its alignments."""
    log_p = log_softmax(logits.astype(np.float64))
    steps, classes = log_p.shape
    total = -np.inf
    for a in itertools.product(range(classes), repeat=steps):
        if collapsed(a, classes - 1, merge) == tuple(labels):
            total = np.logaddexp(total, log_p[range(steps), a].sum())
    return -total


def loss_by_recursion(logits, labels):
    """The same of long rows, in logarithms, blanks and labels in one list."""
    log_p = log_softmax(logits.astype(np.float64))
    blank = log_p.shape[1] - 1
    states = [blank]
    for label in labels:
        states += [label, blank]
    alpha = np.full(len(states) + 2, -np.inf)
    alpha[2] = 0.0  # Two places in front; the first step enters from here.
    skip = [i >= 2 and s != blank and s != states[i - 2] for i, s in enumerate(states)]
    alpha[2] = log_p[0, blank]
    if labels:
        alpha[3] = log_p[0, states[1]]
    for row in log_p[1:]:
        arrived = np.logaddexp(alpha[2:], alpha[1:-1])
        arrived = np.where(skip, np.logaddexp(arrived, alpha[:-2]), arrived)
        alpha[2:] = arrived + row[states]
    return -np.logaddexp.reduce(alpha[2:][-2:])


def sparse(rows):
    """Indices and values."""
    indices = [[b, i] for b, row in enumerate(rows) for i in range(len(row))]
    values = [label for row in rows for label in row]
    return np.array(indices, np.int64).reshape(-1, 2), np.array(values, np.int32)


def run(logits, rows, lengths, known=False, **attrs):
    """(loss, gradient) of the op."""
    indices, values = sparse(rows)
    return fed(
        lambda *x: gen_ctc_ops.ctc_loss(*x, **attrs),
        logits, indices, values, np.array(lengths, np.int32), known=known,
    )  # fmt: skip


ROWS = [[0, 1], [1, 1], [], [2], [0, 2, 0]]
LENGTHS = [4, 3, 2, 1, 5]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("merge", [True, False])
def test_values_are_sums_over_all_alignments(merge, dtype):
    logits = draw(5, len(ROWS), 4, dtype)
    for known in (False, True):
        loss, gradient = run(
            logits, ROWS, LENGTHS, known=known, ctc_merge_repeated=merge
        )
        want = [
            loss_of_all(logits[:n, b], row, merge)
            for b, (row, n) in enumerate(zip(ROWS, LENGTHS))
        ]
        assert loss.dtype == gradient.dtype == dtype
        np.testing.assert_allclose(
            loss, want, rtol=1e-5 if dtype == np.float32 else 1e-12
        )
        for b, n in enumerate(LENGTHS):
            assert not gradient[n:, b].any()
            assert np.abs(gradient[:n, b]).max() > 0
        np.testing.assert_allclose(gradient.sum(-1), 0, atol=1e-6)


@pytest.mark.parametrize("merge", [True, False])
def test_gradient(merge):
    indices, values = sparse(ROWS)

    def loss(x):
        labels = tf.SparseTensor(indices, values, [len(ROWS), 3])
        return tf.nn.ctc_loss(labels, x, LENGTHS, ctc_merge_repeated=merge)

    check_gradient(loss, [draw(5, len(ROWS), 4)], [0])


def test_labels_that_repeat_are_collapsed_first():
    logits = draw(6, 2, 4)
    rows = [[1, 1, 0, 0, 0], [2, 2]]
    loss, gradient = run(logits, rows, [6, 4], preprocess_collapse_repeated=True)
    want, same = run(logits, [[1, 0], [2]], [6, 4])
    np.testing.assert_array_equal(loss, want)
    np.testing.assert_array_equal(gradient, same)


def test_blanks_behind_the_labels_do_not_count():
    logits = draw(5, 2, 4)
    loss, _ = run(logits, [[1, 0, 3, 3], [3]], [5, 5])
    want, _ = run(logits, [[1, 0], []], [5, 5])
    np.testing.assert_array_equal(loss, want)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("scale", [1.0, 8.0])
def test_long_rows(scale, dtype):
    """So long that plain probabilities of whole sequences are 0."""
    rng = np.random.RandomState(3)
    rows = [rng.randint(0, 20, n).tolist() for n in (100, 37, 0, 250)]
    lengths = [400, 390, 300, 400]
    logits = draw(400, 4, 21, dtype, scale=scale)
    loss, gradient = run(logits, rows, lengths)
    want = [
        loss_by_recursion(logits[:n, b], r)
        for b, (r, n) in enumerate(zip(rows, lengths))
    ]
    assert min(want[0], want[3]) > 800
    np.testing.assert_allclose(loss, want, rtol=2e-6)
    np.testing.assert_allclose(gradient.sum(-1), 0, atol=2e-5)


def test_unlikely_labels_keep_their_digits():
    """The share that leads to the end is 1e-1300 of a step's sum or less: doubles lose it beside the rest."""
    steps = 300
    logits = np.zeros([steps, 2, 3])
    # Blanks, by far; then the labels, which must have come.
    logits[:, 0, 2] = 30.0
    logits[:, 1, 0] = 40.0
    rows = [[0, 1] * 70, [1] * 70]
    loss, gradient = run(logits, rows, [steps, steps])
    want = [loss_by_recursion(logits[:, b], row) for b, row in enumerate(rows)]
    np.testing.assert_allclose(loss, want, rtol=1e-12)
    for b, row in enumerate(rows):
        for t, c in [(0, 2), (150, 0), (299, 1)]:
            moved = logits[:, b].copy()
            moved[t, c] += 1e-3
            up = loss_by_recursion(moved, row)
            moved[t, c] -= 2e-3
            slope = (up - loss_by_recursion(moved, row)) / 2e-3
            np.testing.assert_allclose(gradient[t, b, c], slope, atol=1e-5)


def test_far_logits_are_not_impossible():
    """A class whose probability a float cannot hold."""
    logits = np.zeros([3, 1, 3], np.float32)
    logits[:, :, 2] = 500
    loss, gradient = run(logits, [[0]], [3])
    np.testing.assert_allclose(loss, [500 - np.log(3)], rtol=1e-6)
    np.testing.assert_allclose(gradient[:, 0, 0], np.full(3, -1 / 3), rtol=1e-5)


def test_rows_without_steps_and_with_too_many_labels():
    logits = draw(4, 3, 4, np.float32)
    rows = [[], [0, 1, 2, 0, 1], [1, 1, 1]]
    loss, gradient = run(
        logits, rows, [0, 4, 2], ignore_longer_outputs_than_inputs=True
    )
    np.testing.assert_array_equal(loss, np.zeros(3))
    np.testing.assert_array_equal(gradient, np.zeros(logits.shape))


@pytest.mark.parametrize("impossible", ["no time for blanks", "a class of weight 0"])
def test_what_has_no_alignment_is_infinitely_unlikely(impossible):
    logits, row = draw(4, 1, 3), [[1, 1, 1]]
    if impossible == "a class of weight 0":
        logits[:, 0, 1], row = -np.inf, [[1]]
    loss, gradient = run(logits, row, [4])
    assert np.isposinf(loss).all()
    np.testing.assert_allclose(gradient, np.exp(log_softmax(logits)), rtol=1e-10)


@pytest.mark.parametrize("dtype", [tf.float16, tf.bfloat16, tf.float32])
def test_public_function(dtype):
    logits = draw(5, 2, 4, np.float32)
    indices, values = sparse(ROWS[:2])
    labels = tf.SparseTensor(indices, values, [2, 2])
    x = tf.cast(tf.constant(logits), dtype)
    lengths = [4, 5]
    major = tf.nn.ctc_loss(labels, inputs=x, sequence_length=lengths)
    minor = tf.nn.ctc_loss(
        labels,
        logits=tf.transpose(x, [1, 0, 2]),
        sequence_length=lengths,
        time_major=False,
    )
    assert major.dtype == dtype and major.shape == [2]
    major, minor, x = evaluate([tf.cast(t, tf.float32) for t in (major, minor, x)])
    want = [loss_of_all(x[:n, b], ROWS[b]) for b, n in enumerate(lengths)]
    tolerance = {tf.float16: 1e-3, tf.bfloat16: 1e-2}.get(dtype, 1e-5)
    np.testing.assert_allclose(major, want, rtol=tolerance)
    np.testing.assert_array_equal(minor, major)
    with pytest.raises(TypeError, match="SparseTensor"):
        tf.nn.ctc_loss([[1]], logits, lengths)
    with pytest.raises(ValueError, match="sequence_length"):
        tf.nn.ctc_loss(labels, logits)
    with pytest.raises(ValueError, match="logits"):
        tf.nn.ctc_loss(labels, sequence_length=lengths)


def test_there_is_no_second_derivative():
    x = tf.constant(draw(3, 1, 3))
    labels = tf.SparseTensor([[0, 0]], [1], [1, 1])
    (dx,) = tf.gradients(tf.nn.ctc_loss(labels, x, [3]), x)
    with pytest.raises(LookupError, match="ctc_loss"):
        tf.gradients(dx, x)


@pytest.mark.parametrize("blank", [None, 0, 2, 3, -1, -3])
@pytest.mark.parametrize("time_major", [True, False])
def test_dense_labels_and_any_blank(time_major, blank):
    logits = draw(6, 3, 4)
    at = (0 if blank is None else blank) % 4
    names = np.array([c for c in range(4) if c != at])
    dense = names[np.array([[0, 1, 1, 2], [2, 2, 0, 0], [0, 0, 0, 0]])]
    label_length, logit_length = [4, 2, 0], [6, 5, 4]
    order = [*names, at]
    want = [
        loss_of_all(logits[:n, b][:, order], [order.index(c) for c in dense[b][:m]])
        for b, (m, n) in enumerate(zip(label_length, logit_length))
    ]
    major, perm = (True, [0, 1, 2]) if time_major else (False, [1, 0, 2])
    x = tf.placeholder(tf.float64, [None, None, None])
    feed = {x: logits.transpose(perm)}
    loss = tf.nn.ctc_loss_v2(
        dense, x, label_length, logit_length,
        logits_time_major=major, blank_index=blank,
    )  # fmt: skip
    np.testing.assert_allclose(evaluate(loss, feed), want, rtol=1e-10)
    unique = tf.nn.ctc_unique_labels(dense)
    loss = tf.nn.ctc_loss_v2(
        dense, tf.constant(feed[x]), label_length, logit_length, major, unique, blank
    )
    np.testing.assert_allclose(evaluate(loss), want, rtol=1e-10)
    if blank is not None:
        rows = [dense[b][:m] for b, m in enumerate(label_length)]
        indices, values = sparse(rows)
        loss = tf.nn.ctc_loss_v2(
            tf.SparseTensor(indices, values, [3, 4]), x, None, logit_length,
            logits_time_major=major, blank_index=blank,
        )  # fmt: skip
        np.testing.assert_allclose(evaluate(loss, feed), want, rtol=1e-10)


def test_dense_labels_that_do_not_fit_are_infinitely_unlikely():
    logits = draw(3, 3, 3, np.float32)
    loss = tf.nn.ctc_loss_v2(
        [[1, 2, 1, 2], [1, 1, 1, 0], [1, 1, 0, 0]], logits, [4, 3, 2], [3, 3, 3]
    )
    loss = evaluate(loss)
    assert np.isposinf(loss[:2]).all() and np.isfinite(loss[2])
    with pytest.raises(ValueError, match="blank_index"):
        tf.nn.ctc_loss_v2(tf.SparseTensor([[0, 0]], [1], [1, 1]), logits, None, [3])
    with pytest.raises(ValueError, match="blank_index"):
        tf.nn.ctc_loss_v2([[1]], logits, [1], [3], blank_index=3)


def test_learns_a_sequence():
    labels = tf.SparseTensor([[0, 0], [0, 1], [0, 2]], [0, 0, 1], [1, 3])
    logits = tf.get_variable("logits", [8, 1, 3], initializer=tf.zeros_initializer())
    loss = tf.reduce_sum(tf.nn.ctc_loss(labels, logits, [8]))
    train = tf.train.GradientDescentOptimizer(1.0).minimize(loss)
    (decoded,), _ = tf.nn.ctc_greedy_decoder(logits, [8])
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for _ in range(200):
            session.run(train)
        assert session.run(loss) < 0.05
        assert session.run(decoded).values.tolist() == [0, 0, 1]


def test_a_nan_spoils_its_row_alone():
    logits = draw(4, 2, 3, np.float32)
    logits[2, 0, 1] = np.nan
    loss, gradient = run(logits, [[0], [1]], [4, 4])
    assert np.isnan(loss).tolist() == [True, False]
    assert np.isnan(gradient[:, 0]).all() and np.isfinite(gradient[:, 1]).all()


GOOD = (
    np.zeros([4, 2, 3], np.float32),
    np.array([[0, 0], [1, 0]], np.int64),
    np.array([0, 1], np.int32),
    np.array([4, 4], np.int32),
)


@pytest.mark.parametrize(
    ("argument", "value", "words"),
    [
        (0, np.zeros([4, 2], np.float32), "rank"),
        (0, np.zeros([4, 0, 3], np.float32), "imension|batch_size"),
        (0, np.zeros([4, 2, 0], np.float32), "class"),
        (0, np.zeros([4, 3, 3], np.float32), "imension"),
        (1, np.zeros([2], np.int64), "rank"),
        (1, np.zeros([2, 1], np.int64), "labels_indices"),
        (1, np.array([[1, 0], [0, 0]]), "order"),
        (1, np.array([[0, 0], [0, 0]]), "repeated"),
        (1, np.array([[0, 0], [2, 0]]), "not valid"),
        (1, np.array([[0, -1], [1, 0]]), "not valid"),
        (1, np.array([[0, 0], [1, 2**63 - 1]]), "too large"),
        (1, np.zeros([3, 2], np.int64), "imension"),
        (2, np.array([-1, 0], np.int32), "nonnegative"),
        (2, np.zeros([2, 1], np.int32), "rank"),
        (3, np.array([5, 4], np.int32), r"sequence_length\(0\)"),
        (3, np.array([4, -1], np.int32), r"sequence_length\(1\)"),
        (3, np.array([4, 0], np.int32), "not enough time"),
        (3, np.array([4], np.int32), "imension"),
    ],
)
def test_bad_input(argument, value, words):
    arrays = list(GOOD)
    arrays[argument] = value
    with pytest.raises((tf.errors.InvalidArgumentError, ValueError), match=words):
        fed(gen_ctc_ops.ctc_loss, *arrays)


def test_labels_after_a_blank_are_refused():
    with pytest.raises(tf.errors.InvalidArgumentError, match="follows a blank"):
        run(draw(4, 1, 3), [[0, 2, 1]], [4])
    with pytest.raises(tf.errors.InvalidArgumentError, match="there are 3"):
        run(draw(2, 1, 3), [[0, 0, 0]], [2])
