# SPDX-License-Identifier: Apache-2.0
"""ImageSummary: PNG files, read back by a reader of the test's own."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.kernel_tests.logging import png_testutil
from tensorwright.python.ops import gen_logging_ops

pytestmark = pytest.mark.usefixtures("fresh_graph")


def images(tensor, max_outputs=3, **kwargs):
    """The values of a summary, and the pixels of their images."""
    with tf.Graph().as_default(), tf.Session() as session:
        summary = session.run(
            gen_logging_ops.image_summary(
                "img", tensor, max_images=max_outputs, **kwargs
            )
        )
    values = tf.Summary.FromString(summary).value
    return values, [png_testutil.decode(v.image.encoded_image_string) for v in values]


def random(shape, dtype=np.uint8):
    return np.random.RandomState(3).randint(0, 256, shape).astype(dtype)


@pytest.mark.parametrize("channels", [1, 3, 4])
@pytest.mark.parametrize("size", [(1, 1), (5, 7), (33, 64)])
def test_bytes_stay_as_they_are(channels, size):
    x = random([2, *size, channels])
    values, pixels = images(x)
    for i, value in enumerate(values):
        assert value.tag == f"img/image/{i}"
        found = (value.image.height, value.image.width, value.image.colorspace)
        assert found == (*size, channels)
        np.testing.assert_array_equal(pixels[i], x[i])


def test_as_many_as_are_asked_for():
    x = random([4, 2, 2, 1])
    assert [v.tag for v in images(x, 2)[0]] == ["img/image/0", "img/image/1"]
    assert [v.tag for v in images(x, 1)[0]] == ["img/image"]
    assert [v.tag for v in images(x[:1], 3)[0]] == ["img/image/0"]
    assert len(images(x[:0], 3)[0]) == 0


def scaled(x, dtype):
    """One image as bytes, as the documentation of tf.summary.image says."""
    low, high = np.float32(x.min()), np.float32(x.max())
    if low < 0:
        largest = max(-low, high)
        scale, offset = np.float32(127) / largest, 128
    else:
        scale, offset = np.float32(255) / high, 0
    return (x * dtype(scale) + dtype(offset)).astype(np.uint8)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("low", [-1, 0])
def test_numbers_are_scaled_image_by_image(dtype, low):
    x = np.random.RandomState(1).uniform(low, 1, [2, 6, 5, 3]).astype(dtype)
    x[1] *= 7
    _, pixels = images(x)
    for got, image in zip(pixels, x):
        # A product that is rounded otherwise may fall to the next integer.
        assert np.abs(got.astype(int) - scaled(image, dtype)).max() <= 1
        extreme = np.unravel_index(np.abs(image).argmax(), image.shape)
        assert got[extreme] in ((0, 1, 255, 254) if low < 0 else (255, 254))


def test_all_but_zero_is_dark_or_grey():
    x = np.full([1, 2, 2, 1], 1e-7, np.float32)
    assert (images(x)[1][0] == 0).all()
    x[0, 0, 0, 0] = -1e-7
    assert (images(x)[1][0] == 128).all()


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_what_is_not_finite_has_the_bad_color(value):
    x = np.ones([1, 2, 2, 3], np.float32)
    x[0, 0, 1, 2] = value
    _, (pixels,) = images(x)
    np.testing.assert_array_equal(pixels[0, 1], [255, 0, 0])
    np.testing.assert_array_equal(pixels[0, 0], [255, 255, 255])
    color = np.array([1, 2, 3], np.uint8)
    _, (pixels,) = images(x, bad_color=tf.make_tensor_proto(color))
    np.testing.assert_array_equal(pixels[0, 1], color)


@pytest.mark.parametrize(
    "shape",
    [[2, 2, 3], [1, 2, 2, 2], [1, 2, 2, 0], [1, 2, 2, 5], [1, 0, 2, 1], [0, 2, 0, 1]],
)
def test_shapes_that_are_no_images(shape):
    with pytest.raises(tf.errors.InvalidArgumentError):
        images(np.zeros(shape, np.float32))


def test_a_number_of_images_is_an_int32():
    with pytest.raises(tf.errors.InvalidArgumentError, match="max_images"):
        images(np.zeros([1, 1, 1, 1], np.float32), max_outputs=2**31)


def test_a_color_must_have_all_channels():
    with pytest.raises(tf.errors.InvalidArgumentError, match="bad_color"):
        images(
            np.zeros([1, 1, 1, 4], np.float32),
            bad_color=tf.make_tensor_proto(np.zeros(3, np.uint8)),
        )
    with pytest.raises(tf.errors.InvalidArgumentError, match="bad_color"):
        images(
            np.zeros([1, 1, 1, 4], np.float32),
            bad_color=tf.make_tensor_proto(np.zeros(4, np.float32)),
        )


def test_the_public_function_collects():
    with tf.Graph().as_default():
        op = tf.summary.image("pictures", random([1, 2, 2, 3]), family="f")
        assert tf.get_collection(tf.GraphKeys.SUMMARIES) == [op]
        with tf.Session() as session:
            summary = tf.Summary.FromString(session.run(op))
    assert summary.value[0].tag == "f/f/pictures/image/0"
