# SPDX-License-Identifier: Apache-2.0
"""CropAndResize and its gradients against NumPy."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.testing.op_testing import fed

pytestmark = pytest.mark.usefixtures("fresh_graph")

DTYPES = [
    np.uint8, np.uint16, np.int8, np.int16, np.int32, np.int64, np.float16, np.float32,
    np.float64,
]  # fmt: skip


def _positions(begin, end, size, crop):
    if crop > 1:
        return begin * (size - 1) + np.arange(crop) * (end - begin) * (size - 1) / (
            crop - 1
        )
    return np.array([0.5 * (begin + end) * (size - 1)])


def _weights(begin, end, size, crop, nearest):
    """[crop, size], and which positions are inside."""
    at = _positions(begin, end, size, crop)
    if nearest:
        at_pixel = np.floor(np.clip(at, 0, size - 1) + 0.5)
        weights = np.eye(size)[at_pixel.astype(int)]
    else:
        weights = np.maximum(
            0, 1 - np.abs(np.clip(at, 0, size - 1)[:, None] - np.arange(size))
        )
    return weights, (at >= 0) & (at <= size - 1)


def _cropped(image, boxes, indices, size, nearest=False, outside=0.0):
    out = []
    for (top, left, bottom, right), i in zip(boxes.astype(np.float64), indices):
        rows, in_rows = _weights(top, bottom, image.shape[1], size[0], nearest)
        columns, in_columns = _weights(left, right, image.shape[2], size[1], nearest)
        crop = np.einsum(
            "yh,xw,hwc->yxc", rows, columns, image[i].astype(np.float64), optimize=True
        )
        crop[~(in_rows[:, None] & in_columns)] = outside
        out.append(crop)
    return np.array(out).reshape([len(boxes), *size, image.shape[3]])


BOXES = np.float32(
    [
        [0.1, 0.2, 0.83, 0.9], [0, 0, 1, 1], [0.77, 0.9, 0.13, 0.21], [-0.31, 0.22, 0.41, 1.63],
        [2, 2, 3, 3],
    ]
)  # fmt: skip
INDICES = np.int32([0, 1, 1, 0, 1])


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("method", ["bilinear", "nearest"])
@pytest.mark.parametrize("depth", [1, 3, 5])
def test_crops_are_those_of_numpy(dtype, method, depth):
    image = np.random.RandomState(1).uniform(0, 100, [2, 7, 9, depth]).astype(dtype)
    for size in [(4, 5), (1, 1), (13, 3)]:
        got = fed(
            lambda i, b, n, s: tf.image.crop_and_resize(
                i, b, n, s, method, extrapolation_value=-7
            ),
            image,
            BOXES,
            INDICES,
            np.int32(size),
        )
        assert got.dtype == np.float32
        want = _cropped(image, BOXES, INDICES, size, method == "nearest", -7)
        np.testing.assert_allclose(got, want, rtol=0, atol=2e-3)


def test_no_boxes():
    image = np.zeros([2, 3, 3, 2], np.float32)
    got = fed(
        lambda i, b, n: tf.image.crop_and_resize(i, b, box_indices=n, crop_size=[2, 2]),
        image,
        np.zeros([0, 4], np.float32),
        np.zeros([0], np.int32),
    )
    assert got.shape == (0, 2, 2, 2)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("method", ["bilinear", "nearest"])
def test_gradient_by_the_image(dtype, method):
    rng = np.random.RandomState(1)
    image = rng.uniform(0, 1, [2, 70, 9, 3]).astype(dtype)
    size = (6, 5)
    grad = rng.normal(size=[len(BOXES), *size, 3]).astype(np.float32)
    x = tf.constant(image)
    crops = tf.image.crop_and_resize(x, BOXES, INDICES, size, method)
    (dx,) = tf.gradients(crops, x, tf.constant(grad))
    with tf.Session() as session:
        got = session.run(dx)
    assert got.dtype == dtype
    want = np.zeros(image.shape)
    for g, box, i in zip(grad, BOXES.astype(np.float64), INDICES):
        nearest = method == "nearest"
        rows, in_rows = _weights(box[0], box[2], image.shape[1], size[0], nearest)
        columns, in_columns = _weights(box[1], box[3], image.shape[2], size[1], nearest)
        g = g * (in_rows[:, None] & in_columns)[..., None]
        want[i] += np.einsum("yh,xw,yxc->hwc", rows, columns, g, optimize=True)
    tolerance = 1e-2 if dtype == np.float16 else 1e-4
    np.testing.assert_allclose(got, want, rtol=0, atol=tolerance)


@pytest.mark.parametrize("size", [(4, 5), (1, 1), (1, 6)])
def test_gradient_by_the_boxes(size):
    rng = np.random.RandomState(2)
    image = rng.uniform(0, 1, [2, 8, 9, 2])
    # Not quite on pixels: there the slope on the left is not that on the right.
    boxes = BOXES[[0, 2, 3]].astype(np.float64) + rng.uniform(0.001, 0.01, [3, 4])
    indices = INDICES[[0, 2, 3]]
    grad = rng.normal(size=[3, *size, 2]).astype(np.float32)
    b = tf.constant(boxes.astype(np.float32))
    crops = tf.image.crop_and_resize(tf.constant(image), b, indices, size)
    (db,) = tf.gradients(crops, b, tf.constant(grad))
    with tf.Session() as session:
        got = session.run(db)
    want = np.zeros([3, 4])
    step = 1e-6
    for k in range(4):
        move = np.zeros(4)
        move[k] = step
        ends = [
            (_cropped(image, boxes + way * move, indices, size) * grad).sum((1, 2, 3))
            for way in (1, -1)
        ]
        want[:, k] = (ends[0] - ends[1]) / (2 * step)
    np.testing.assert_allclose(got, want, rtol=1e-3, atol=1e-3)


def test_large_on_several_threads():
    rng = np.random.RandomState(3)
    image = rng.randint(0, 255, [2, 200, 300, 3]).astype(np.uint8)
    boxes = rng.uniform(0, 1, [40, 4]).astype(np.float32)
    indices = rng.randint(0, 2, 40).astype(np.int32)
    got = fed(
        lambda i, b, n: tf.image.crop_and_resize(i, b, n, [50, 60]),
        image,
        boxes,
        indices,
    )
    want = _cropped(image, boxes, indices, (50, 60))
    assert np.mean(np.abs(got - want)) < 0.01


@pytest.mark.parametrize(
    ("image", "boxes", "indices", "size", "error"),
    [
        ([3, 3, 1], [1, 4], [0], [2, 2], tf.errors.InvalidArgumentError),
        ([1, 3, 3, 1], [1, 5], [0], [2, 2], tf.errors.InvalidArgumentError),
        ([1, 3, 3, 1], [2, 4], [0], [2, 2], tf.errors.InvalidArgumentError),
        ([1, 3, 3, 1], [1, 4], [0], [0, 2], tf.errors.InvalidArgumentError),
        ([1, 0, 3, 1], [1, 4], [0], [2, 2], tf.errors.InvalidArgumentError),
        ([1, 3, 3, 1], [1, 4], [1], [2, 2], tf.errors.OutOfRangeError),
        ([1, 3, 3, 1], [1, 4], [-1], [2, 2], tf.errors.OutOfRangeError),
    ],
)
def test_bad_input(image, boxes, indices, size, error):
    with pytest.raises(error):
        fed(
            tf.image.crop_and_resize,
            np.zeros(image, np.float32),
            np.zeros(boxes, np.float32),
            np.int32(indices),
            np.int32(size),
        )


@pytest.mark.parametrize("side", [np.nan, np.inf, -np.inf])
def test_boxes_that_are_no_numbers_are_refused(side):
    image = np.ones([1, 3, 3, 1], np.float32)
    with pytest.raises(tf.errors.InvalidArgumentError, match="boxes contains"):
        fed(
            lambda i, b: tf.image.crop_and_resize(i, b, [0], [2, 2]),
            image,
            np.float32([[0, 0, side, 1]]),
        )


def test_boxes_far_outside_have_the_extrapolation_value():
    image = np.ones([1, 3, 3, 1], np.float32)
    got = fed(
        lambda i, b: tf.image.crop_and_resize(
            i, b, [0, 0], [2, 2], extrapolation_value=5
        ),
        image,
        np.float32([[7, 0, 1e38, 1], [-1e38, 0, -1e38, 1e38]]),
    )
    assert (got == 5).all()


def test_gradient_by_the_boxes_where_there_are_no_numbers():
    """A crop of them has a box without a gradient; the others have theirs."""
    rng = np.random.RandomState(2)
    image = rng.uniform(0, 1, [2, 8, 9, 2]).astype(np.float32)
    grad = rng.normal(size=[3, 4, 5, 2]).astype(np.float32)

    def slopes(image, grad):
        b = tf.constant(BOXES[[0, 2, 1]])
        crops = tf.image.crop_and_resize(image, b, [0, 0, 1], (4, 5))
        return tf.gradients(crops, b, grad)[0]

    want = fed(slopes, image, grad, known=True)
    grad[1] = want[1] = np.nan
    np.testing.assert_array_equal(fed(slopes, image, grad, known=True), want)
    image[1] = want[2] = np.nan
    np.testing.assert_array_equal(fed(slopes, image, grad, known=True), want)
