# SPDX-License-Identifier: Apache-2.0
"""NonMaxSuppression in all versions against loops."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.ops import gen_image_ops
from tensorwright.python.testing.op_testing import fed


def _overlap(a, b):
    a = np.sort(np.asarray(a, np.float64).reshape(2, 2), 0)
    b = np.sort(np.asarray(b, np.float64).reshape(2, 2), 0)
    area = [np.prod(box[1] - box[0]) for box in (a, b)]
    if min(area) <= 0:
        return 0.0
    sides = np.maximum(np.minimum(a[1], b[1]) - np.maximum(a[0], b[0]), 0)
    common = np.prod(sides)
    return common / (sum(area) - common)


def _select(overlap, scores, most, threshold=0.5, least=-np.inf, sigma=0.0):
    """Returns (index, score) of each selected box."""
    left = {i: float(s) for i, s in enumerate(scores) if s > least}
    chosen = []
    while left and len(chosen) < most:
        best = min(left, key=lambda i: (-left[i], i))
        score = left.pop(best)
        chosen.append((best, score))
        for i in list(left):
            common = overlap(best, i)
            if common > threshold and sigma == 0:
                del left[i]
            elif sigma > 0:
                left[i] *= np.exp(-(common**2) / (2 * sigma))
                if left[i] <= least:
                    del left[i]
    return chosen


def _boxes(n, seed=0):
    rng = np.random.RandomState(seed)
    middle, half = rng.uniform(0, 1, [n, 2]), rng.uniform(0.05, 0.3, [n, 2])
    boxes = np.concatenate([middle - half, middle + half], 1)
    flipped = rng.uniform(size=n) < 0.2
    boxes[flipped] = boxes[flipped][:, [2, 3, 0, 1]]
    return boxes.astype(np.float32), rng.permutation(n).astype(np.float32) / max(n, 1)


@pytest.mark.parametrize("n", [0, 1, 5, 60])
@pytest.mark.parametrize("threshold", [0.0, 0.3, 0.5, 1.0])
def test_hard_versions(n, threshold):
    boxes, scores = _boxes(n)
    for most in (0, 3, 100):
        pairs = _select(
            lambda i, j: _overlap(boxes[i], boxes[j]), scores, most, threshold
        )
        want = [i for i, _ in pairs]
        most = np.int32(most)
        first = fed(
            lambda b, s, m: gen_image_ops.non_max_suppression(b, s, m, threshold),
            boxes,
            scores,
            most,
        )
        second = fed(
            gen_image_ops.non_max_suppression_v2,
            boxes,
            scores,
            most,
            np.float32(threshold),
        )
        third = fed(
            lambda b, s, m: tf.image.non_max_suppression(b, s, m, threshold),
            boxes,
            scores,
            most,
        )
        for got in (first, second, third):
            assert got.dtype == np.int32 and got.tolist() == want
        padded, valid = fed(
            lambda b, s, m: tf.image.non_max_suppression_padded(
                b, s, m, threshold, pad_to_max_output_size=True
            ),
            boxes,
            scores,
            most,
        )
        assert valid == len(want)
        assert padded.tolist() == want + [0] * (most - len(want))


def test_scores_must_be_above_the_threshold():
    boxes, scores = _boxes(40)
    scores[3] = np.nan
    got = fed(
        lambda b, s: tf.image.non_max_suppression(b, s, 40, 1.0, 0.5), boxes, scores
    )
    want = [i for i in np.argsort(-scores) if scores[i] > 0.5]
    assert got.tolist() == want


def test_the_first_of_equal_scores_is_the_best():
    boxes = np.float32([[0, 0, 1, 1], [0, 0, 1, 1], [3, 3, 4, 4]])
    inputs = boxes, np.ones(3, np.float32), np.int32(3), np.float32(0.5)
    ops = gen_image_ops
    first = fed(lambda b, s, m: ops.non_max_suppression(b, s, m), *inputs[:3])
    second = fed(ops.non_max_suppression_v2, *inputs)
    third = fed(ops.non_max_suppression_v3, *inputs, np.float32(-1))
    fourth, valid = fed(ops.non_max_suppression_v4, *inputs, np.float32(-1))
    fifth, scores, five_valid = fed(
        ops.non_max_suppression_v5, *inputs, np.float32(-1), np.float32(0)
    )
    for got in (first, second, third, fourth, fifth):
        assert got.tolist() == [0, 2]
    assert valid == five_valid == 2 and scores.tolist() == [1, 1]


@pytest.mark.parametrize("sigma", [0.0, 0.5, 1.5])
@pytest.mark.parametrize("least", [-np.inf, 0.2])
def test_soft(sigma, least):
    boxes, scores = _boxes(30, 2)
    scores += 0.01
    indices, kept = fed(
        lambda b, s: tf.image.non_max_suppression_with_scores(
            b, s, 25, 0.3, least, sigma
        ),
        boxes,
        scores,
    )
    pairs = _select(
        lambda i, j: _overlap(boxes[i], boxes[j]),
        scores,
        25,
        0.3,
        least,
        sigma,
    )
    assert indices.tolist() == [i for i, _ in pairs]
    np.testing.assert_allclose(kept, [s for _, s in pairs], rtol=1e-5)


def test_halves():
    boxes = np.float16([[0, 0, 1, 1], [0, 0.125, 1, 1.125], [0, 2, 1, 3]])
    scores = np.float16([0.25, 0.75, 0.5])
    for op in (tf.image.non_max_suppression, tf.image.non_max_suppression_with_scores):
        got = fed(lambda b, s, op=op: op(b, s, 3), boxes, scores)
        got = got[0] if isinstance(got, tuple) else got
        assert got.tolist() == [1, 2]


def test_overlaps():
    rng = np.random.RandomState(3)
    overlaps = rng.uniform(0, 1, [20, 20]).astype(np.float32)
    overlaps = np.maximum(overlaps, overlaps.T)
    scores = rng.uniform(0, 1, 20).astype(np.float32)
    got = fed(
        lambda o, s: tf.image.non_max_suppression_overlaps(o, s, 9, 0.7, 0.1),
        overlaps,
        scores,
    )
    want = _select(lambda i, j: overlaps[i, j], scores, 9, 0.7, 0.1)
    assert got.tolist() == [i for i, _ in want]


@pytest.mark.parametrize("own", [False, True])
@pytest.mark.parametrize("pad_per_class", [False, True])
def test_combined(own, pad_per_class):
    rng = np.random.RandomState(5)
    batch, n, classes = 2, 15, 3
    boxes = np.stack(
        [
            np.stack([_boxes(n, b * 7 + c)[0] for c in range(classes if own else 1)], 1)
            for b in range(batch)
        ]
    )
    scores = rng.permutation(batch * n * classes).reshape([batch, n, classes]) / 100
    scores = scores.astype(np.float32)
    per_class, total = 2, 9
    got_boxes, got_scores, got_classes, valid = fed(
        lambda b, s: tf.image.combined_non_max_suppression(
            b, s, per_class, total, 0.4, 0.15, pad_per_class=pad_per_class
        ),
        boxes,
        scores,
    )
    size = min(total, per_class * classes) if pad_per_class else total
    assert got_boxes.shape == (batch, size, 4)
    for b in range(batch):
        want = []
        for c in range(classes):
            mine = boxes[b, :, c if own else 0]
            chosen = _select(
                lambda i, j, m=mine: _overlap(m[i], m[j]),
                scores[b, :, c],
                per_class,
                0.4,
                0.15,
            )
            want += [(score, c, mine[i]) for i, score in chosen]
        want.sort(key=lambda found: -found[0])
        assert valid[b] == len(want[:size])
        for i, (score, c, box) in enumerate(want[:size]):
            assert got_scores[b, i] == np.float32(score) and got_classes[b, i] == c
            np.testing.assert_array_equal(got_boxes[b, i], np.clip(box, 0, 1))
        assert (got_boxes[b, valid[b] :] == 0).all()


def test_equal_scores_are_taken_in_the_order_of_boxes():
    one = [[0, 0, 0.1, 0.1], [0.3, 0.3, 0.4, 0.4], [0.6, 0.6, 0.7, 0.7]]
    boxes = np.float32(one)[None, :, None]
    scores = np.float32([0.5, 0.9, 0.5])[None, :, None]
    got = fed(
        lambda b, s: tf.image.combined_non_max_suppression(b, s, 3, 3, 0.5, 0.1),
        boxes,
        scores,
    )
    np.testing.assert_array_equal(got[0], np.float32([[one[1], one[0], one[2]]]))
    np.testing.assert_array_equal(got[1], np.float32([[0.9, 0.5, 0.5]]))
    np.testing.assert_array_equal(got[2], [[0, 0, 0]])
    np.testing.assert_array_equal(got[3], [3])
    apart = fed(
        lambda o, s: gen_image_ops.non_max_suppression_with_overlaps(o, s, 3, 0.5, 0.1),
        np.eye(3, dtype=np.float32),
        np.float32([0.5, 0.9, 0.5]),
    )
    np.testing.assert_array_equal(apart, [1, 0, 2])


def test_batches_of_boxes():
    boxes, scores = zip(*[_boxes(12, seed) for seed in range(6)])
    boxes = np.reshape(boxes, [2, 3, 12, 4])
    scores = np.reshape(scores, [2, 3, 12])
    with tf.Graph().as_default(), tf.Session() as session:
        got, valid = session.run(
            tf.image.non_max_suppression_padded(
                boxes, scores, 5, pad_to_max_output_size=True
            )
        )
    assert got.shape == (2, 3, 5) and valid.shape == (2, 3)
    for at in np.ndindex(2, 3):
        one = fed(
            lambda b, s: tf.image.non_max_suppression(b, s, 5), boxes[at], scores[at]
        )
        assert got[at][: valid[at]].tolist() == one.tolist()


@pytest.mark.parametrize(
    ("boxes", "scores", "most", "threshold"),
    [
        ([3, 5], [3], 1, 0.5),
        ([3, 4], [2], 1, 0.5),
        ([3, 4], [3, 1], 1, 0.5),
        ([3, 4], [3], -1, 0.5),
        ([3, 4], [3], 1, 1.5),
        ([3, 4], [3], 1, -0.1),
        ([3, 4], [3], 1, np.nan),
    ],
)
def test_bad_input(boxes, scores, most, threshold):
    for op in (gen_image_ops.non_max_suppression_v2, tf.image.non_max_suppression):
        with pytest.raises(tf.errors.InvalidArgumentError):
            fed(
                op,
                np.zeros(boxes, np.float32),
                np.zeros(scores, np.float32),
                np.int32(most),
                np.float32(threshold),
            )
