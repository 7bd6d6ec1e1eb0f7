# SPDX-License-Identifier: Apache-2.0
"""tf.image: dtypes, brightness and colours, against NumPy and colorsys."""

import colorsys

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.testing.op_testing import evaluate

pytestmark = pytest.mark.usefixtures("fresh_graph")

_RANDOM = np.random.RandomState(3)
_RGB = _RANDOM.uniform(size=[2, 5, 4, 3]).astype(np.float32)
_BYTES = _RANDOM.randint(0, 256, size=[5, 4, 3]).astype(np.uint8)


_INTEGERS = [np.uint8, np.int8, np.uint16, np.int16, np.int32, np.int64]


@pytest.mark.parametrize("saturate", [True, False])
@pytest.mark.parametrize("to", _INTEGERS)
@pytest.mark.parametrize("dtype", _INTEGERS)
def test_integers_keep_their_share_of_the_range(dtype, to, saturate):
    most, new_most = (int(np.iinfo(t).max) for t in (dtype, to))
    x = np.array([0, 1, most // 2, most // 2 + 1, most], dtype)
    if most > new_most:
        expected = [int(v) // ((most + 1) // (new_most + 1)) for v in x]
    else:
        expected = [int(v) * ((new_most + 1) // (most + 1)) for v in x]
    result = tf.image.convert_image_dtype(x, to, saturate)
    assert result.dtype == tf.as_dtype(to)
    np.testing.assert_array_equal(evaluate(result), np.array(expected, to))


@pytest.mark.parametrize(
    ("floating", "dtype"),
    [(np.float16, np.uint8), (np.float16, np.int16)]  # uint16 ends beyond half.
    + [(f, i) for f in (np.float32, np.float64) for i in (np.uint8, np.uint16)],
)
def test_floating_numbers_are_shares(dtype, floating):
    most = np.iinfo(dtype).max
    x = np.array([0, 1, most // 3, most], dtype)
    shares = evaluate(tf.image.convert_image_dtype(x, floating))
    assert shares.dtype == floating
    tolerance = 1e-3 if floating == np.float16 else 1e-6
    np.testing.assert_allclose(shares, x / most, rtol=tolerance, atol=tolerance / 10)
    if floating == np.float16:
        return
    np.testing.assert_array_equal(
        evaluate(tf.image.convert_image_dtype(shares, dtype)), x
    )
    beyond = np.array([-3, 7], floating)
    cut = evaluate(tf.image.convert_image_dtype(beyond, dtype, saturate=True))
    np.testing.assert_array_equal(cut, [np.iinfo(dtype).min, most])


def test_one_floating_dtype_is_cast_to_another():
    x = np.array([-2.5, 0.25, 1e4], np.float64)
    np.testing.assert_array_equal(
        evaluate(tf.image.convert_image_dtype(x, tf.float32)), x
    )
    np.testing.assert_array_equal(
        evaluate(tf.image.convert_image_dtype(x, tf.float64)), x
    )


def test_brightness_is_added():
    for delta in (0.2, -0.5, 2.0):
        np.testing.assert_allclose(
            evaluate(tf.image.adjust_brightness(_RGB, delta)),
            _RGB + np.float32(delta),
            rtol=1e-6,
        )
        got = evaluate(tf.image.adjust_brightness(_BYTES, delta)).astype(int)
        expected = np.clip(_BYTES / 255 + delta, 0, 1) * 255
        assert np.abs(got - expected).max() <= 1
    fed = tf.placeholder(tf.float32, [])
    result = tf.image.adjust_brightness(tf.constant(_RGB[0]), fed)
    np.testing.assert_allclose(evaluate(result, {fed: 0.5}), _RGB[0] + 0.5, rtol=1e-6)


def test_random_brightness_is_within_its_bound():
    change = tf.image.random_brightness(tf.zeros([1, 2, 3]), 0.25, seed=3)
    with tf.Session() as session:
        drawn = np.array([session.run(change) for _ in range(50)])
    assert np.ptp(drawn, axis=(1, 2, 3)).max() == 0
    drawn = drawn[:, 0, 0, 0]
    assert np.abs(drawn).max() <= 0.25 and drawn.min() < -0.1 and drawn.max() > 0.1


@pytest.mark.parametrize(("gamma", "gain"), [(1, 1), (0.5, 1.0), (2.0, 0.5), (0, 1)])
def test_gamma_is_a_power(gamma, gain):
    for g in (
        gamma,
        tf.constant(float(gamma)),
        tf.placeholder_with_default(float(gamma), []),
    ):
        np.testing.assert_allclose(
            evaluate(tf.image.adjust_gamma(_RGB, g, gain)),
            gain * _RGB**gamma,
            rtol=1e-5,
        )
        got = evaluate(tf.image.adjust_gamma(_BYTES, g, gain)).astype(int)
        expected = np.clip(gain * (_BYTES / 255) ** gamma, 0, 1) * 255
        assert np.abs(got - expected).max() <= 1


@pytest.mark.parametrize("image", [_RGB, _BYTES, _RGB.astype(np.float64)])
def test_standardized_images_have_mean_0_and_variance_1(image):
    for shape in (image.shape, [None] * image.ndim, None):
        x = tf.placeholder_with_default(tf.constant(image), shape)
        result = tf.image.per_image_standardization(x)
        assert result.dtype == tf.float32
        got = evaluate(result)
        axes = (-3, -2, -1)
        np.testing.assert_allclose(got.mean(axes), 0, atol=1e-5)
        np.testing.assert_allclose(got.std(axes), 1, rtol=1e-5)


def test_an_image_of_one_colour_becomes_zeros():
    x = np.full([3, 4, 3], 7, np.uint8)
    assert not evaluate(tf.image.per_image_standardization(x)).any()
    # The least deviation divided by is one over the root of the count, 6.
    x[0, 0, 0] += 1
    got = evaluate(tf.image.per_image_standardization(x))
    deviation = max(x.std(), 1 / 6)
    np.testing.assert_allclose(got, (x - x.mean()) / deviation, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("shape", [[3], [4, 3], [2, 5, 4, 3], [0, 4, 3]])
def test_grayscale_is_luma(shape):
    image = _RANDOM.uniform(size=shape).astype(np.float32)
    expected = image @ np.array([[0.2989], [0.587], [0.114]])
    for known in (shape, [None] * len(shape), None):
        result = tf.image.rgb_to_grayscale(tf.placeholder_with_default(image, known))
        assert result.shape.is_compatible_with(expected.shape)
        np.testing.assert_allclose(evaluate(result), expected, rtol=1e-5)
    gray = evaluate(tf.image.rgb_to_grayscale(_BYTES)).astype(int)
    expected = _BYTES @ np.array([[0.2989], [0.587], [0.114]])
    assert gray.shape == (5, 4, 1) and np.abs(gray - expected).max() <= 1


@pytest.mark.parametrize("shape", [[1], [4, 1], [2, 3, 4, 1], [0, 1]])
def test_gray_pixels_are_repeated(shape):
    image = _RANDOM.randint(0, 9, size=shape)
    for known in (shape, [None] * len(shape), None):
        result = tf.image.grayscale_to_rgb(tf.placeholder_with_default(image, known))
        assert result.shape.is_compatible_with([*shape[:-1], 3])
        assert known is None or result.shape[-1] == 3
        np.testing.assert_array_equal(evaluate(result), np.repeat(image, 3, -1))


def test_yiq_is_that_of_colorsys():
    got = evaluate(tf.image.rgb_to_yiq(_RGB)).reshape(-1, 3)
    # colorsys rounds its matrix to two digits.
    expected = [colorsys.rgb_to_yiq(*pixel) for pixel in _RGB.reshape(-1, 3)]
    np.testing.assert_allclose(got, expected, atol=0.01)


def test_yuv_is_its_definition():
    y, u, v = np.moveaxis(evaluate(tf.image.rgb_to_yuv(_RGB)), -1, 0)
    r, g, b = np.moveaxis(_RGB.astype(np.float64), -1, 0)
    luma = 0.299 * r + 0.587 * g + 0.114 * b
    np.testing.assert_allclose(y, luma, rtol=1e-5)
    np.testing.assert_allclose(u, 0.492 * (b - luma), atol=1e-3)
    np.testing.assert_allclose(v, 0.877 * (r - luma), atol=1e-3)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("name", ["yiq", "yuv"])
def test_colours_come_back(name, dtype):
    image = _RGB.astype(dtype)
    for shape in (image.shape, [None] * 4, None):
        x = tf.placeholder_with_default(image, shape)
        there = getattr(tf.image, f"rgb_to_{name}")(x)
        back = getattr(tf.image, f"{name}_to_rgb")(there)
        assert back.dtype == tf.as_dtype(dtype)
        tolerance = 1e-2 if dtype == np.float16 else 1e-4
        np.testing.assert_allclose(evaluate(back), image, atol=tolerance)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: tf.image.adjust_brightness(x, 0.5),
        lambda x: tf.image.adjust_gamma(x, 2.5),
        tf.image.per_image_standardization,
        tf.image.rgb_to_grayscale,
        tf.image.rgb_to_yiq,
        tf.image.yuv_to_rgb,
        lambda x: tf.image.grayscale_to_rgb(x[..., :1]),
        lambda x: tf.image.convert_image_dtype(x, tf.float64),
    ],
)
def test_gradients(function):
    start = _RGB[0] + 0.5
    with tf.Session():
        x = tf.constant(start)
        y = function(x)
        error = tf.test.compute_gradient_error(
            x, start.shape, y, y.shape.as_list(), x_init_value=start, delta=0.01
        )
    assert error < 5e-3


@pytest.mark.parametrize(
    ("build", "error", "words"),
    [
        (lambda: tf.image.convert_image_dtype(_RGB, tf.bool), AttributeError, "bool"),
        (
            lambda: tf.image.convert_image_dtype([True], tf.uint8),
            AttributeError,
            "bool",
        ),
        (
            lambda: tf.image.random_brightness(_RGB, -1.0),
            ValueError,
            "must be non-negative",
        ),
        (lambda: tf.image.adjust_gamma(_RGB, -1.0), ValueError, "gamma must be >= 0"),
        (lambda: tf.image.rgb_to_grayscale(_RGB[..., :2]), ValueError, "3 channels"),
        (lambda: tf.image.rgb_to_yiq(_BYTES), TypeError, "uint8"),
        (lambda: tf.image.yuv_to_rgb(tf.zeros([4])), ValueError, "3 channels"),
        (
            lambda: tf.image.grayscale_to_rgb(_RGB),
            ValueError,
            "must have 1 channel, got 3",
        ),
        (lambda: tf.image.grayscale_to_rgb(1.0), ValueError, "rank"),
        (
            lambda: tf.image.per_image_standardization([1.0]),
            ValueError,
            "at least three-dimensional",
        ),
    ],
)
def test_mistakes_are_named(build, error, words):
    with pytest.raises(error, match=words):
        build()


def test_mistakes_that_only_the_run_knows():
    x = tf.placeholder(tf.float32)
    for result, words in (
        (tf.image.grayscale_to_rgb(x), "must have 1 channel"),
        (tf.image.rgb_to_yuv(x), "inner dimensions|Dimensions must be equal"),
        (tf.image.adjust_gamma(_RGB, x), "gamma must be >= 0"),
    ):
        value = -1.0 if "gamma" in words else np.zeros([2, 2, 4])
        with pytest.raises(tf.errors.InvalidArgumentError, match=words):
            evaluate(result, {x: value})
