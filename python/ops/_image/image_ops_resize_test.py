# SPDX-License-Identifier: Apache-2.0
"""tf.image.resize_images and its kin: shapes, methods, proportions."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.testing.op_testing import evaluate

pytestmark = pytest.mark.usefixtures("fresh_graph")

_BATCH = np.random.RandomState(1).uniform(0, 9, [2, 6, 9, 3]).astype(np.float32)
_METHODS = {
    tf.image.ResizeMethod.BILINEAR: tf.image.resize_bilinear,
    tf.image.ResizeMethod.NEAREST_NEIGHBOR: tf.image.resize_nearest_neighbor,
    tf.image.ResizeMethod.BICUBIC: tf.image.resize_bicubic,
    tf.image.ResizeMethod.AREA: tf.image.resize_area,
}


def _forms(value, dtype=None):
    """A tensor whose value is known while the graph is built, and one whose is not."""
    value = np.asarray(value, dtype)
    yield tf.constant(value)
    yield tf.placeholder_with_default(tf.constant(value), [None] * value.ndim)


@pytest.mark.parametrize("method", _METHODS)
@pytest.mark.parametrize("align", [False, True])
def test_each_method_resizes_with_its_op(method, align):
    want = evaluate(_METHODS[method](_BATCH, [4, 12], align))
    for images in _forms(_BATCH):
        for size in _forms([4, 12], np.int32):
            got = tf.image.resize_images(images, size, method, align)
            assert got.shape.is_compatible_with([2, 4, 12, 3])
            np.testing.assert_array_equal(evaluate(got), want)
    one = tf.image.resize_images(_BATCH[1], [4, 12], method, align)
    assert one.shape.as_list() == [4, 12, 3]
    np.testing.assert_array_equal(evaluate(one), want[1])


def test_the_words_of_later_versions():
    for word, method in zip(["bilinear", "nearest", "bicubic", "area"], range(4)):
        got, want = (tf.image.resize(_BATCH, [3, 3], m) for m in (word, method))
        np.testing.assert_array_equal(evaluate(got), evaluate(want))


def test_nothing_is_done_to_an_image_of_that_size():
    images = tf.constant(np.arange(24).reshape([1, 4, 6, 1]))
    assert tf.image.resize_images(images, [4, 6]) is images
    assert tf.image.resize_images(images, [4, 5]).dtype == tf.float32


@pytest.mark.parametrize(
    ("size", "want"),
    [([12, 12], (8, 12)), ([3, 100], (3, 4)), ([6, 9], (6, 9)), ([5, 4], (3, 4))],
)
def test_proportions(size, want):
    for images in _forms(_BATCH):
        for s in _forms(size, np.int32):
            got = tf.image.resize_images(images, s, preserve_aspect_ratio=True)
            assert evaluate(got).shape == (2, *want, 3)


def test_padding_around_what_fits():
    want = np.zeros([2, 15, 18, 3], np.float32)
    want[:, 1:13] = evaluate(tf.image.resize_bilinear(_BATCH, [12, 18]))
    for images in _forms(_BATCH):
        for rows in _forms(15, np.int32):
            got = tf.image.resize_image_with_pad(images, rows, 18)
            np.testing.assert_allclose(evaluate(got), want, atol=1e-5)
    one = tf.image.resize_image_with_pad(_BATCH[0], 4, 20, method=1)
    assert one.shape.as_list() == [4, 20, 3]
    nearest = evaluate(tf.image.resize_nearest_neighbor(_BATCH[:1], [4, 6]))
    np.testing.assert_array_equal(evaluate(one)[:, 7:13], nearest[0])
    assert (evaluate(one)[:, :7] == 0).all()


@pytest.mark.parametrize(
    "build",
    [
        lambda: tf.image.resize_images(tf.zeros([3, 3]), [2, 2]),
        lambda: tf.image.resize_images(tf.placeholder(tf.float32), [2, 2]),
        lambda: tf.image.resize_images(_BATCH, [2, 2, 2]),
        lambda: tf.image.resize_images(_BATCH, [2, 2], method=4),
        lambda: tf.image.resize_image_with_pad(_BATCH, 0, 2),
    ],
)
def test_bad_arguments(build):
    with pytest.raises(ValueError):
        build()


def test_is_jpeg():
    file = evaluate(tf.image.encode_jpeg(np.zeros([2, 2, 3], np.uint8)))
    assert evaluate(tf.image.is_jpeg(file))
    assert not evaluate(tf.image.is_jpeg(b"\x89PNG\r\n\x1a\n"))


def test_random_contrast_hue_and_saturation():
    image = np.random.RandomState(0).uniform(0, 1, [4, 5, 3]).astype(np.float32)
    for random, plain, by in [
        (tf.image.random_contrast, tf.image.adjust_contrast, (0.5, 0.5 + 1e-6)),
        (tf.image.random_saturation, tf.image.adjust_saturation, (0.5, 0.5 + 1e-6)),
    ]:
        got = evaluate(random(image, *by, seed=1))
        np.testing.assert_allclose(got, evaluate(plain(image, 0.5)), atol=1e-5)
        for bad in ((1, 0.5), (-1, 1), (1, 1)):
            with pytest.raises(ValueError, match="lower"):
                random(image, *bad)
    still = evaluate(tf.image.random_hue(image, 0.0))
    np.testing.assert_allclose(still, image, atol=1e-5)
    moved = evaluate(tf.image.random_hue(image, 0.5, seed=1))
    np.testing.assert_allclose(moved.max(-1), image.max(-1), atol=1e-5)
    for bad in (0.6, -0.1):
        with pytest.raises(ValueError, match="max_delta"):
            tf.image.random_hue(image, bad)


def test_decode_image_of_other_dtypes():
    image = np.random.RandomState(0).randint(0, 256, [3, 4, 3]).astype(np.uint8)
    file = evaluate(tf.image.encode_png(image))
    got = evaluate(tf.image.decode_image(file, dtype=tf.float64))
    np.testing.assert_allclose(got, image / 255, atol=1e-6)
    assert evaluate(tf.io.decode_image(file, channels=1)).shape == (3, 4, 1)
