# SPDX-License-Identifier: Apache-2.0
"""GenerateBoundingBoxProposals against the steps of Faster R-CNN, one box at a time."""

import numpy as np
import pytest

import tensorwright as tf

propose = tf.image.generate_bounding_box_proposals


def reference(scores, deltas, info, anchors, threshold, before, min_size, after):
    """rois and probabilities, computed in float64."""
    images = len(scores)
    rois, probabilities = np.zeros([images, after, 4]), np.zeros([images, after])
    for b in range(images):
        flat, height, width, scale = scores[b].ravel(), *info[b, :3]
        d, taken = deltas[b].reshape(-1, 4).astype(np.float64), []
        order = sorted(range(flat.size), key=lambda i: (-flat[i], i))[:before]
        for i in order:
            top, left, bottom, right = anchors[i % len(anchors)].astype(np.float64)
            h, w = bottom - top, right - left
            y, x = (top + bottom) / 2 + d[i, 0] * h, (left + right) / 2 + d[i, 1] * w
            h, w = (s * min(np.exp(e), 62.5) for s, e in ((h, d[i, 2]), (w, d[i, 3])))
            box = np.array([y - h / 2, x - w / 2, y + h / 2, x + w / 2])
            box = np.clip(box, 0, [height, width, height, width])
            sides = box[2:] - box[:2]
            if sides.min() < min_size * scale or len(taken) == after:
                continue
            if all(overlap(box, other) <= threshold for other in taken):
                rois[b, len(taken)], probabilities[b, len(taken)] = box, flat[i]
                taken.append(box)
    return rois, probabilities


def overlap(a, b):
    areas = [np.prod(box[2:] - box[:2]) for box in (a, b)]
    if min(areas) <= 0:
        return 0.0
    sides = np.maximum(np.minimum(a[2:], b[2:]) - np.maximum(a[:2], b[:2]), 0)
    return np.prod(sides) / (sum(areas) - np.prod(sides))


def drawn(images=2, height=4, width=5, count=3, everywhere=False, seed=0):
    rng = np.random.RandomState(seed)
    scores = rng.permutation(images * height * width * count).astype(np.float32)
    scores = scores.reshape(images, height, width, count) / scores.size
    deltas = rng.normal(0, 0.5, [images, height, width, 4 * count]).astype(np.float32)
    info = np.float32([[90, 110, 1 + b, 0, 0] for b in range(images)])
    n = count if everywhere else height * width * count
    corner = rng.uniform(-10, 80, [n, 2])
    anchors = np.concatenate([corner, corner + rng.uniform(5, 60, [n, 2])], 1)
    return scores, deltas, info.reshape(images, 5), anchors.astype(np.float32)


def run(inputs, **options):
    with tf.Graph().as_default(), tf.Session() as session:
        return session.run(propose(*map(tf.constant, inputs), **options))


@pytest.mark.parametrize("everywhere", [False, True])
@pytest.mark.parametrize(
    ("threshold", "before", "min_size", "after"),
    [
        (0.7, 6000, 0.0, 300),
        (0.5, 30, 10.0, 7),
        (0.0, 60, 1.0, 60),
        (1.0, 5, 0.0, 3),
        (0.3, 1, 16.0, 1),
    ],
)
def test_the_best_boxes_that_overlap_little(
    everywhere, threshold, before, min_size, after
):
    inputs = drawn(everywhere=everywhere, seed=before)
    limits = threshold, before, min_size
    got = run(inputs, nms_threshold=threshold, pre_nms_topn=before, min_size=min_size, post_nms_topn=after)  # fmt: skip # noqa: E501
    want = reference(*inputs, *limits, after)
    assert [g.shape for g in got] == [(2, after, 4), (2, after)]
    np.testing.assert_allclose(got[0], want[0], rtol=1e-5, atol=1e-4)
    np.testing.assert_allclose(got[1], want[1], rtol=1e-6)


def test_sides_grow_no_more_than_they_may_and_stay_in_the_image():
    scores, info = np.ones([1, 1, 1, 1], np.float32), np.float32([[900, 800, 1, 0, 0]])
    anchors = np.float32([[400, 300, 404, 308]])
    got = run([scores, np.float32([[[[0, 0, 9, 99]]]]), info, anchors], post_nms_topn=2)
    np.testing.assert_allclose(got[0], [[[277, 54, 527, 554], [0] * 4]], rtol=1e-5)
    got = run([scores, np.float32([[[[99, -40, 9, 9]]]]), info, anchors], min_size=0.0)
    np.testing.assert_allclose(got[0][0, 0], [673, 0, 900, 234], rtol=1e-5)


def test_equal_scores_come_in_their_order_and_nan_does_not_come():
    scores = np.float32([1, np.nan, 1, 2]).reshape(1, 2, 2, 1)
    anchors = np.float32([[20 * i, 0, 20 * i + 20, 20] for i in range(4)])
    deltas, info = np.zeros([1, 2, 2, 4], np.float32), np.float32([[99, 99, 1, 0, 0]])
    rois, probabilities = run([scores, deltas, info, anchors], post_nms_topn=4)
    assert rois[0, :, 0].tolist() == [60, 0, 40, 0]
    assert probabilities.tolist() == [[2, 1, 1, 0]]


@pytest.mark.parametrize("sizes", [(0, 2, 2, 1), (2, 0, 3, 2), (1, 2, 2, 0)])
def test_nothing_to_propose(sizes):
    rois, probabilities = run(drawn(*sizes, everywhere=True), post_nms_topn=3)
    assert rois.shape == (sizes[0], 3, 4) and not rois.any()
    assert probabilities.shape == (sizes[0], 3) and not probabilities.any()


def test_no_gradient():
    with tf.Graph().as_default():
        inputs = [tf.constant(a) for a in drawn()]
        assert tf.gradients(propose(*inputs)[0], inputs) == [None] * 4


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"nms_threshold": 1.5}, "nms_threshold must be in"),
        ({"nms_threshold": float("nan")}, "nms_threshold must be in"),
        ({"pre_nms_topn": 0}, "pre_nms_topn must be > 0"),
    ],
)
def test_limits_out_of_their_range(options, words):
    with pytest.raises(tf.errors.InvalidArgumentError, match=words):
        run(drawn(), **options)


def test_anchors_may_have_the_shape_of_the_deltas():
    scores, deltas, info, anchors = drawn()
    want = run((scores, deltas, info, anchors))
    got = run((scores, deltas, info, anchors.reshape(4, 5, 12)))
    for g, w in zip(got, want, strict=True):
        np.testing.assert_array_equal(g, w)


@pytest.mark.parametrize("wrong", range(7))
def test_shapes_that_do_not_fit(wrong):
    scores, deltas, info, anchors = drawn()
    inputs = [
        (scores[0], deltas, info, anchors),
        (scores, deltas[..., :8], info, anchors),
        (scores, deltas, info[:1], anchors),
        (scores, deltas, info[:, :3], anchors),
        (scores, deltas, info, anchors[:, :3]),
        (scores, deltas[:, :3], info, anchors),
        (scores, deltas, info, anchors.ravel()),
    ][wrong]
    with pytest.raises(ValueError, match="GenerateBoundingBoxProposals"):
        run(inputs)


def test_other_numbers_of_anchors_and_boxes():
    scores, deltas, info, anchors = drawn()
    with pytest.raises(tf.errors.InvalidArgumentError, match="anchors must be 3 or 60"):
        run((scores, deltas, info, anchors[:7]))
    with pytest.raises(ValueError, match="post_nms_topn must be > 0"):
        run((scores, deltas, info, anchors), post_nms_topn=0)
