# SPDX-License-Identifier: Apache-2.0
"""tf.image: edges and the likeness of images, against NumPy and SciPy."""

import numpy as np
import pytest
from scipy import ndimage

import tensorwright as tf
from tensorwright.python.testing.op_testing import evaluate

pytestmark = pytest.mark.usefixtures("fresh_graph")

_RANDOM = np.random.RandomState(3)
_A = _RANDOM.uniform(size=[2, 19, 16, 3]).astype(np.float32)
_B = np.clip(_A + _RANDOM.normal(size=_A.shape) * 0.1, 0, 1).astype(np.float32)


def _forms(value):
    """A tensor of known shape, of known rank, of unknown rank."""
    for shape in (value.shape, [None] * value.ndim, None):
        yield tf.placeholder_with_default(tf.constant(value), shape)


def test_image_gradients_are_differences():
    for shape in (_A.shape, [None] * 4):
        down, right = tf.image.image_gradients(tf.placeholder_with_default(_A, shape))
        assert down.shape.is_compatible_with(_A.shape) and down.shape.ndims == 4
        rows = np.diff(_A, axis=1, append=_A[:, -1:])
        columns = np.diff(_A, axis=2, append=_A[:, :, -1:])
        np.testing.assert_array_equal(evaluate(down), rows)
        np.testing.assert_array_equal(evaluate(right), columns)


def test_total_variation_adds_up_differences():
    expected = [
        np.abs(np.diff(a, axis=0)).sum() + np.abs(np.diff(a, axis=1)).sum() for a in _A
    ]
    np.testing.assert_allclose(
        evaluate(tf.image.total_variation(_A)), expected, rtol=1e-5
    )
    one = tf.placeholder_with_default(_A[0], [None, None, None])
    np.testing.assert_allclose(
        evaluate(tf.image.total_variation(one)), expected[0], rtol=1e-5
    )


@pytest.mark.parametrize("shape", [_A.shape, [1, 2, 2, 1], [2, 3, 5, 0], [0, 4, 4, 2]])
def test_sobel_is_scipys(shape):
    image = _RANDOM.normal(size=shape).astype(np.float32)
    kernel = np.array([[-1, -2, -1], [0, 0, 0], [1, 2, 1]], np.float32)
    expected = np.stack(
        [
            ndimage.correlate(image, k[None, :, :, None], mode="mirror")
            for k in (kernel, kernel.T)
        ],
        -1,
    )
    for x in _forms(image):
        edges = tf.image.sobel_edges(x)
        assert edges.shape.is_compatible_with(expected.shape) and edges.shape.ndims == 5
        np.testing.assert_allclose(evaluate(edges), expected, atol=1e-5)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.uint8])
def test_psnr_is_its_formula(dtype):
    most = 255 if dtype == np.uint8 else 1.0
    a, b = (np.asarray(x * most, dtype) for x in (_A, _B))
    error = np.square(a.astype(float) - b).mean((1, 2, 3))
    expected = 20 * np.log10(most) - 10 * np.log10(error)
    for x, y in zip(_forms(a), _forms(b), strict=True):
        result = tf.image.psnr(x, y, most)
        assert result.dtype == tf.float32
        np.testing.assert_allclose(evaluate(result), expected, rtol=1e-4)
    assert evaluate(tf.image.psnr(a[0], a[0], most)) == np.inf
    assert evaluate(tf.image.psnr(a[0], b, most)).shape == (2,)


def _ssim_maps(a, b, most, size, sigma, k1, k2):
    """The two quotients for each window and channel, in doubles."""
    i = np.arange(size) - (size - 1) / 2
    window = np.exp(-0.5 * (i / sigma) ** 2)
    window = np.outer(window, window) / window.sum() ** 2
    low, rest = size // 2, size - size // 2 - 1

    def mean(x):
        # A window of an even size is centred at size // 2 there.
        full = ndimage.correlate(x, window[None, :, :, None], mode="constant")
        return full[:, low : full.shape[1] - rest, low : full.shape[2] - rest]

    a, b = a.astype(np.float64), b.astype(np.float64)
    c1, c2 = (k1 * most) ** 2, (k2 * most) ** 2
    ma, mb = mean(a), mean(b)
    light = (2 * ma * mb + c1) / (ma**2 + mb**2 + c1)
    covariance = mean(a * b) - ma * mb
    variances = mean(a * a) - ma**2 + mean(b * b) - mb**2
    return light, (2 * covariance + c2) / (variances + c2)


@pytest.mark.parametrize(
    ("size", "sigma", "k1", "k2"),
    [
        (11, 1.5, 0.01, 0.03),
        (7, 0.8, 0.1, 0.05),
        (4, 2.0, 0.01, 0.03),
        (16, 1.5, 0.01, 0.03),
    ],
)
def test_ssim_is_its_formula(size, sigma, k1, k2):
    light, contrast = _ssim_maps(_A, _B, 1.0, size, sigma, k1, k2)
    expected = light * contrast
    numbers = {"filter_size": size, "filter_sigma": sigma, "k1": k1, "k2": k2}
    for a, b in zip(_forms(_A), _forms(_B), strict=True):
        got = evaluate(tf.image.ssim(a, b, 1.0, **numbers))
        np.testing.assert_allclose(got, expected.mean((1, 2, 3)), rtol=1e-4)
        windows = evaluate(tf.image.ssim(a, b, 1.0, **numbers, return_index_map=True))
        np.testing.assert_allclose(windows, expected.mean(-1), rtol=1e-3, atol=1e-4)


def test_ssim_of_integers_of_single_images_and_of_batches_of_batches():
    expected = evaluate(tf.image.ssim(_A, _B, 1.0))
    np.testing.assert_allclose(
        evaluate(tf.image.ssim(_A[0], _B[0], 1.0)), expected[0], rtol=1e-5
    )
    np.testing.assert_allclose(
        evaluate(tf.image.ssim(_A[None], _B, 1.0)), [expected], rtol=1e-5
    )
    a, b = (np.asarray(x * 255, np.uint8) for x in (_A, _B))
    np.testing.assert_allclose(evaluate(tf.image.ssim(a, b, 255)), expected, rtol=1e-2)
    np.testing.assert_allclose(evaluate(tf.image.ssim(_A, _A, 1.0)), [1, 1], rtol=1e-6)


def _halved(x):
    x = np.pad(
        x, [(0, 0), (0, x.shape[1] % 2), (0, x.shape[2] % 2), (0, 0)], mode="symmetric"
    )
    return (x[:, ::2, ::2] + x[:, 1::2, ::2] + x[:, ::2, 1::2] + x[:, 1::2, 1::2]) / 4


@pytest.mark.parametrize("powers", [(1.0,), (0.3, 0.7), (0.2, 0.3, 0.5)])
def test_multiscale_ssim_is_its_formula(powers):
    a, b = _A, _B
    expected = 1.0
    for i, power in enumerate(powers):
        light, contrast = _ssim_maps(a, b, 1.0, 3, 1.5, 0.01, 0.03)
        term = light * contrast if i == len(powers) - 1 else contrast
        expected = expected * np.maximum(term.mean((1, 2)), 0) ** power
        a, b = _halved(a), _halved(b)
    for x, y in zip(_forms(_A), _forms(_B), strict=True):
        got = tf.image.ssim_multiscale(x, y, 1.0, powers, filter_size=3)
        np.testing.assert_allclose(evaluate(got), expected.mean(-1), rtol=1e-4)


def test_multiscale_ssim_of_five_scales():
    a = _RANDOM.uniform(size=[1, 176, 180, 1]).astype(np.float32)
    b = np.clip(a + 0.1 * _RANDOM.normal(size=a.shape), 0, 1).astype(np.float32)
    alike, equal = evaluate([tf.image.ssim_multiscale(a, x, 1.0) for x in (b, a)])
    assert 0.5 < alike[0] < 0.999
    np.testing.assert_allclose(equal, [1], rtol=1e-5)
    # Opposite images have negative covariances, which are cut off.
    assert evaluate(tf.image.ssim_multiscale(a, 1 - a, 1.0)) == [0]


@pytest.mark.parametrize(
    "function",
    [
        tf.image.sobel_edges,
        lambda x: tf.image.image_gradients(x)[0],
        tf.image.total_variation,
        lambda x: tf.image.psnr(x, _B[:1, :6, :5], 1.0),
        lambda x: tf.image.ssim(x, _B[:1, :6, :5], 1.0, filter_size=3, k1=0.1, k2=0.3),
        lambda x: tf.image.ssim_multiscale(
            x, x * x, 1.0, power_factors=[0.5, 0.5], filter_size=3, k1=0.1, k2=0.3
        ),
    ],
)
def test_gradients(function):
    start = _A[:1, :6, :5]
    with tf.Session():
        x = tf.constant(start)
        y = function(x)
        error = tf.test.compute_gradient_error(
            x, start.shape, y, y.shape.as_list(), x_init_value=start, delta=1e-3
        )
    assert error < 2e-2


@pytest.mark.parametrize(
    ("build", "words"),
    [
        (lambda: tf.image.image_gradients(_A[0]), "rank 4"),
        (lambda: tf.image.image_gradients(tf.placeholder("float")), "rank 4"),
        (lambda: tf.image.total_variation(_A[0, 0]), "rank 3 or 4"),
        (lambda: tf.image.sobel_edges(_A[0]), "rank"),
        (lambda: tf.image.psnr(_A, _B[:, 1:], 1.0), "of one size"),
        (lambda: tf.image.psnr(_A[0, 0], _B[0, 0], 1.0), "rank at least 3"),
        (lambda: tf.image.psnr(_A, np.concatenate([_B, _B]), 1.0), "broadcast"),
        (
            lambda: tf.image.ssim(_A, tf.zeros(_A.shape, "float64"), 1.0),
            "dtype|float64",
        ),
        (lambda: tf.image.ssim(_A, _B, 1.0, filter_size=17), "filter_size 17"),
        (lambda: tf.image.ssim_multiscale(_A, _B, 1.0), "filter_size 11"),
        (lambda: tf.image.ssim_multiscale(_A, _B, 1.0, ()), "power_factors"),
    ],
)
def test_mistakes_are_named(build, words):
    with pytest.raises((ValueError, TypeError), match=words):
        build()


def test_mistakes_that_only_the_run_knows():
    x = tf.placeholder(tf.float32)
    for result, value, words in (
        (tf.image.psnr(x, _B, 1.0), _A[:, 1:], "of one size"),
        (tf.image.ssim(x, x, 1.0), _A[:, :5], "filter_size 11"),
        (tf.image.ssim_multiscale(x, x, 1.0), _A, "filter_size 11"),
        (tf.image.sobel_edges(x), _A[:, :1], "MirrorPad|REFLECT"),
    ):
        with pytest.raises(tf.errors.InvalidArgumentError, match=words):
            evaluate(result, {x: value})
