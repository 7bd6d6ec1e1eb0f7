# SPDX-License-Identifier: Apache-2.0
"""FusedBatchNorm and its gradients against NumPy in double."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.ops import gen_nn_ops

EPSILON = 1e-3
SHAPES = [
    [1, 1, 1, 1],
    [2, 1, 1, 3],
    [2, 3, 5, 1],
    [3, 5, 7, 3],
    [2, 9, 7, 16],
    [2, 5, 6, 17],
    [1, 4, 4, 33],
    [2, 8, 9, 64],
    [4, 3, 3, 100],
    [2, 2, 2, 1030],
    [3, 40, 41, 2],  # NCHW: several pieces a plane
]


def values(shape, seed=0, mean=0.0):
    normal = np.random.RandomState(seed).standard_normal(shape)
    return (normal + mean).astype(np.float32)


def run(fetch, *arrays):
    with tf.Graph().as_default(), tf.Session() as sess:
        placeholders = [tf.placeholder(tf.float32, a.shape) for a in arrays]
        return sess.run(fetch(*placeholders), dict(zip(placeholders, arrays)))


def nchw(x):
    return x.transpose(0, 3, 1, 2).copy()


def normalize(x, scale, offset, mean, variance):
    x, mean, variance = (np.float64(a) for a in (x, mean, variance))
    return (x - mean) / np.sqrt(variance + EPSILON) * scale + offset


def parameters(channels):
    scale = values([channels], 1) + 2
    offset, mean = values([channels], 2), values([channels], 3)
    return scale, offset, mean, np.abs(values([channels], 4)) + 0.1


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("data_format", ["NHWC", "NCHW"])
def test_training(shape, data_format):
    layout = nchw if data_format == "NCHW" else lambda a: a
    x = values(shape, mean=3.0)
    scale, offset, _, _ = parameters(shape[-1])
    empty = np.zeros([0], np.float32)
    got = run(
        lambda *a: gen_nn_ops.fused_batch_norm(
            *a, epsilon=EPSILON, data_format=data_format
        ),
        layout(x),
        scale,
        offset,
        empty,
        empty,
    )
    count = x.size // shape[-1]
    mean = x.mean((0, 1, 2), dtype=np.float64)
    variance = x.var((0, 1, 2), dtype=np.float64)
    y = normalize(x, scale, offset, mean, variance)
    np.testing.assert_allclose(got[0], layout(y), rtol=5e-6, atol=5e-6)
    unbiased = variance * count / max(1, count - 1)
    for statistic, want in zip(got[1:], [mean, unbiased, mean, variance]):
        np.testing.assert_allclose(statistic, want, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("data_format", ["NHWC", "NCHW"])
def test_inference(shape, data_format):
    layout = nchw if data_format == "NCHW" else lambda a: a
    x = values(shape)
    stats = parameters(shape[-1])
    got = run(
        lambda *a: gen_nn_ops.fused_batch_norm(
            *a, epsilon=EPSILON, data_format=data_format, is_training=False
        ),
        layout(x),
        *stats,
    )
    want = layout(normalize(x, *stats))
    np.testing.assert_allclose(got[0], want, rtol=1e-6, atol=1e-6)
    np.testing.assert_array_equal(got[1], stats[2])
    np.testing.assert_array_equal(got[2], stats[3])


def test_a_large_mean_leaves_the_variance_its_digits():
    x = values([4, 16, 16, 5], mean=10000.0)
    scale, offset = np.ones([5], np.float32), np.zeros([5], np.float32)
    _, mean, variance = run(lambda *a: tf.nn.fused_batch_norm(*a), x, scale, offset)
    np.testing.assert_allclose(mean, x.mean((0, 1, 2), dtype=np.float64), rtol=3e-7)
    want = x.var((0, 1, 2), dtype=np.float64, ddof=1)
    np.testing.assert_allclose(variance, want, rtol=1e-4)


def test_running_statistics():
    x = values([2, 3, 4, 3])
    stats = parameters(3)
    _, mean, variance = run(
        lambda *a: tf.nn.fused_batch_norm(*a, exponential_avg_factor=0.25), x, *stats
    )
    want = 0.75 * stats[2] + 0.25 * x.mean((0, 1, 2))
    np.testing.assert_allclose(mean, want, rtol=2e-7, atol=2e-8)
    want = 0.75 * stats[3] + 0.25 * x.var((0, 1, 2), ddof=1)
    np.testing.assert_allclose(variance, want, rtol=4e-7)


@pytest.mark.parametrize("data_format", ["NHWC", "NCHW"])
def test_the_gradient_of_inference_does_not_look_at_x(data_format):
    layout = nchw if data_format == "NCHW" else lambda a: a
    shape = (2, 3, 5, 19)
    x, dy = values(shape), values(shape, 7)
    scale, _, mean, variance = parameters(shape[-1])
    x[0, 0, 0, 3], mean[4] = np.nan, np.inf
    got = run(
        lambda *a: gen_nn_ops.fused_batch_norm_grad(
            *a, epsilon=EPSILON, data_format=data_format, is_training=False
        ),
        layout(dy), layout(x), scale, mean, variance,
    )  # fmt: skip
    want = dy * (scale / np.sqrt(np.float64(variance) + EPSILON))
    np.testing.assert_allclose(got[0], layout(want), rtol=3e-7)
    assert np.isnan(got[1]).nonzero()[0].tolist() == [3, 4]


@pytest.mark.parametrize("is_training", [True, False])
@pytest.mark.parametrize("data_format", ["NHWC", "NCHW"])
@pytest.mark.parametrize("shape", SHAPES)
def test_gradient(shape, data_format, is_training):
    layout = nchw if data_format == "NCHW" else lambda a: a
    x, dy = values(shape, mean=1.0), values(shape, 7)
    scale, _, mean, variance = parameters(shape[-1])
    axes = (0, 1, 2)
    if is_training:
        mean, variance = x.mean(axes), x.var(axes)
    got = run(
        lambda *a: gen_nn_ops.fused_batch_norm_grad(
            *a, epsilon=EPSILON, data_format=data_format, is_training=is_training
        ),
        layout(dy),
        layout(x),
        scale,
        mean,
        variance,
    )
    r = 1 / np.sqrt(np.float64(variance) + EPSILON)
    h, g = (np.float64(x) - mean) * r, np.float64(dy)
    dx = g
    if is_training:
        dx = g - g.mean(axes) - h * (g * h).mean(axes)
    np.testing.assert_allclose(got[0], layout(scale * r * dx), rtol=5e-6, atol=5e-6)
    np.testing.assert_allclose(got[1], (g * h).sum(axes), rtol=5e-6, atol=1.5e-5)
    np.testing.assert_allclose(got[2], g.sum(axes), rtol=5e-6, atol=1.5e-5)
    assert got[3].shape == got[4].shape == (0,)


@pytest.mark.parametrize("is_training", [True, False])
@pytest.mark.parametrize("data_format", ["NHWC", "NCHW"])
def test_first_and_second_derivatives(is_training, data_format):
    layout = nchw if data_format == "NCHW" else lambda a: a
    with tf.Graph().as_default(), tf.Session():
        x = tf.constant(layout(values([2, 3, 2, 2])))
        scale, offset, mean, variance = (tf.constant(p) for p in parameters(2))
        y, _, _ = tf.nn.fused_batch_norm(
            x,
            scale,
            offset,
            None if is_training else mean,
            None if is_training else variance,
            epsilon=0.1,
            data_format=data_format,
            is_training=is_training,
        )
        weights = tf.constant(layout(values([2, 3, 2, 2], 9)))
        dy = weights * weights
        first = tf.gradients(y, [x, scale, offset], dy)
        for t in (y, *first):
            for v in (x, scale, dy):
                if v is dy and t is y or t is first[2] and v is not dy:
                    continue  # constant
                theory, numeric = tf.test.compute_gradient(
                    v,
                    v.get_shape().as_list(),
                    t,
                    t.get_shape().as_list(),
                    x_init_value=v.eval(),
                    delta=1e-2,
                )
                np.testing.assert_allclose(theory, numeric, rtol=3e-4, atol=3e-4)


def test_half_is_computed_in_float():
    x = values([2, 3, 3, 4]).astype(np.float16)
    with tf.Graph().as_default(), tf.Session() as sess:
        scale, offset, _, _ = parameters(4)
        y, mean, _ = sess.run(tf.nn.fused_batch_norm(tf.constant(x), scale, offset))
    assert y.dtype == np.float16 and mean.dtype == np.float32
    wide = x.astype(np.float64)
    want = normalize(wide, scale, offset, wide.mean((0, 1, 2)), wide.var((0, 1, 2)))
    np.testing.assert_allclose(y, want, rtol=5e-4, atol=2e-5)


def test_an_empty_batch_has_no_statistics():
    p = np.ones([3], np.float32)
    y, mean, variance = run(
        lambda *a: tf.nn.fused_batch_norm(*a), np.zeros([0, 2, 2, 3], np.float32), p, p
    )
    assert y.shape == (0, 2, 2, 3)
    assert np.isnan(mean).all() and np.isnan(variance).all()


def test_statistics_do_not_depend_on_threads():
    x, p = values([8, 33, 31, 24]), np.ones([24], np.float32)
    results = []
    for threads in (1, 2, 4):
        config = tf.ConfigProto(intra_op_parallelism_threads=threads)
        with tf.Graph().as_default(), tf.Session(config=config) as sess:
            results.append(sess.run(tf.nn.fused_batch_norm(tf.constant(x), p, p)))
    for other in results[1:]:
        for a, b in zip(results[0], other):
            np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize(
    ("shapes", "is_training", "words"),
    [
        ([[2, 3], [3], [3], [0], [0]], True, "rank 4|4-dim"),
        ([[1, 2, 2, 2, 3], [3], [3], [0], [0]], True, "rank 4|4-dim"),
        ([[1, 2, 2, 3], [2], [3], [0], [0]], True, "equal|vector of 3"),
        ([[1, 2, 2, 3], [3], [3, 1], [0], [0]], True, "rank 1|vector"),
        ([[1, 2, 2, 3], [3], [3], [0], [0]], False, "equal|vector of 3"),
        ([[1, 2, 2, 3], [3], [3], [3], [4]], False, "equal|vector of 3"),
    ],
)
def test_bad_arguments(shapes, is_training, words):
    with pytest.raises((tf.errors.InvalidArgumentError, ValueError), match=words):
        run(
            lambda *a: gen_nn_ops.fused_batch_norm(*a, is_training=is_training),
            *[np.zeros(s, np.float32) for s in shapes],
        )


def test_statistics_are_required_where_they_are_used():
    x, p = np.zeros([1, 2, 2, 3], np.float32), np.ones([3], np.float32)
    with pytest.raises(ValueError, match="must be a 1D tensor"):
        tf.nn.fused_batch_norm(x, p, p, is_training=False)
