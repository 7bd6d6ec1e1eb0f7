# SPDX-License-Identifier: Apache-2.0
"""ScaleAndTranslate and its gradient against weights in NumPy."""

import ml_dtypes
import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.ops import gen_image_ops
from tensorwright.python.testing.op_testing import fed

pytestmark = pytest.mark.usefixtures("fresh_graph")


def _lanczos(radius):
    return radius, lambda x: np.where(x <= radius, np.sinc(x) * np.sinc(x / radius), 0)


def _cubic(x, near, far):
    return np.where(
        x >= 2, 0, np.where(x >= 1, np.polyval(far, x), np.polyval(near, x))
    )


KERNELS = {
    "lanczos1": _lanczos(1),
    "lanczos3": _lanczos(3),
    "lanczos5": _lanczos(5),
    "gaussian": (1.5, lambda x: np.where(x < 1.5, np.exp(-2 * x * x), 0)),
    "box": (0.5, lambda x: np.where(x < 0.5, 1.0, np.where(x == 0.5, 0.5, 0))),
    "triangle": (1, lambda x: np.maximum(0, 1 - x)),
    "keyscubic": (2, lambda x: _cubic(x, [1.5, -2.5, 0, 1], [-0.5, 2.5, -4, 2])),
    "mitchellcubic": (
        2,
        lambda x: _cubic(x, [7 / 6, -2, 0, 8 / 9], [-7 / 18, 2, -10 / 3, 16 / 9]),
    ),
}


def _weights(n, m, scale, move, kernel, antialias):
    """[m, n]."""
    radius, function = KERNELS[kernel]
    stretch = max(1 / scale, 1) if antialias else 1
    at = (np.arange(m) + 0.5) / scale - move / scale
    distance = np.abs(np.arange(n) + 0.5 - at[:, None]) / stretch
    weights = function(distance)
    weights = np.where(distance <= radius, weights, 0)
    total = weights.sum(1, keepdims=True)
    weights = np.where(np.abs(total) > 1e-30, weights / np.where(total, total, 1), 0)
    weights[(at < 0) | (at > n)] = 0
    return weights


SCALES = [((1.3, 0.77), (0.4, -1.2)), ((2.1, 3.3), (-3.1, 2.2)), ((0.31, 0.45), (0.2, 0.1))]  # fmt: skip


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("antialias", [True, False])
def test_moved_images_are_those_of_numpy(kernel, antialias):
    x = np.random.RandomState(1).uniform(0, 1, [2, 9, 11, 3]).astype(np.float32)
    for scale, move in SCALES:
        for size in [(7, 8), (1, 20)]:
            got = fed(
                lambda x, s, t, size=size: gen_image_ops.scale_and_translate(
                    x, size, s, t, kernel_type=kernel, antialias=antialias
                ),
                x,
                np.float32(scale),
                np.float32(move),
            )
            rows, columns = (
                _weights(x.shape[1 + i], size[i], scale[i], move[i], kernel, antialias)
                for i in range(2)
            )
            want = np.einsum("yh,xw,bhwc->byxc", rows, columns, x, optimize=True)
            np.testing.assert_allclose(got, want, rtol=0, atol=2e-4)


@pytest.mark.parametrize(
    "dtype",
    [
        np.int8, np.uint8, np.int16, np.uint16, np.int32, np.int64, ml_dtypes.bfloat16,
        np.float16, np.float64,
    ],
)  # fmt: skip
def test_dtypes(dtype):
    x = np.random.RandomState(1).uniform(0, 100, [1, 5, 6, 2]).astype(dtype)
    got = fed(
        lambda x: gen_image_ops.scale_and_translate(x, [5, 6], [1.2, 0.8], [0.3, 0.2]),
        x,
    )
    same = fed(
        lambda x: gen_image_ops.scale_and_translate(x, [5, 6], [1.2, 0.8], [0.3, 0.2]),
        x.astype(np.float32),
    )
    np.testing.assert_array_equal(got, same)


@pytest.mark.parametrize("kernel", KERNELS)
def test_gradient_is_the_transpose(kernel):
    rng = np.random.RandomState(2)
    x = tf.constant(rng.uniform(0, 1, [2, 9, 11, 3]).astype(np.float32))
    scale, move = SCALES[0]
    y = gen_image_ops.scale_and_translate(x, [7, 8], scale, move, kernel_type=kernel)
    grad = rng.normal(size=[2, 7, 8, 3]).astype(np.float32)
    (dx,) = tf.gradients(y, x, tf.constant(grad))
    with tf.Session() as session:
        got = session.run(dx)
    rows = _weights(9, 7, scale[0], move[0], kernel, True)
    columns = _weights(11, 8, scale[1], move[1], kernel, True)
    want = np.einsum("yh,xw,byxc->bhwc", rows, columns, grad, optimize=True)
    np.testing.assert_allclose(got, want, rtol=0, atol=5e-4)


def test_an_infinite_scale_shows_the_first_pixel_everywhere():
    image = np.arange(1, 17, dtype=np.float32).reshape(1, 4, 4, 1)
    y = gen_image_ops.scale_and_translate(
        image, [2, 3], [np.inf, np.inf], [0.0, 0.0], kernel_type="triangle"
    )
    with tf.Session() as session:
        np.testing.assert_array_equal(session.run(y), np.ones((1, 2, 3, 1)))


@pytest.mark.parametrize(
    ("scale", "move", "words"),
    [
        ([0, 1], [0, 0], "scale"),
        ([1, -1], [0, 0], "scale"),
        ([1, np.nan], [0, 0], "scale"),
        ([1, 1], [np.inf, 0], "translation"),
        ([1, 1, 1], [0, 0], "2"),
    ],
)
def test_bad_input(scale, move, words):
    with pytest.raises(tf.errors.InvalidArgumentError, match=words):
        fed(
            lambda s, t: gen_image_ops.scale_and_translate(
                tf.zeros([1, 4, 4, 1]), [3, 3], s, t
            ),
            np.float32(scale),
            np.float32(move),
        )


def test_bad_kernel():
    y = gen_image_ops.scale_and_translate(
        tf.zeros([1, 4, 4, 1]), [3, 3], [1.0, 1.0], [0.0, 0.0], kernel_type="sinc"
    )
    with tf.Session() as session, pytest.raises(tf.errors.InvalidArgumentError, match="kernel_type"):  # fmt: skip
        session.run(y)
