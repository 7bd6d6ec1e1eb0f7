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


@pytest.mark.parametrize("version", ["", "_v2", "_v3"])
@pytest.mark.parametrize("is_training", [True, False])
@pytest.mark.parametrize("data_format", ["NHWC", "NCHW"])
def test_first_and_second_derivatives(is_training, data_format, version):
    function = getattr(gen_nn_ops, f"fused_batch_norm{version}")
    layout = nchw if data_format == "NCHW" else lambda a: a
    with tf.Graph().as_default(), tf.Session():
        x = tf.constant(layout(values([2, 3, 2, 2])))
        scale, offset, mean, variance = (tf.constant(p) for p in parameters(2))
        empty = tf.zeros([0])
        y, *_ = function(
            x,
            scale,
            offset,
            empty if is_training else mean,
            empty if is_training else variance,
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


# The later ones: halves, and three dimensions of space. --------------------------------------------------------


def _images(x, dtype):
    return x.astype(tf.as_dtype(dtype).as_numpy_dtype)


@pytest.mark.parametrize("version", ["v2", "v3"])
@pytest.mark.parametrize(
    "dtype, bits", [("float32", 23), ("float16", 10), ("bfloat16", 7)]
)
@pytest.mark.parametrize("is_training", [True, False])
def test_later_versions_keep_statistics_in_floats(version, dtype, bits, is_training):
    shape = [3, 5, 7, 3]
    x = _images(values(shape, mean=1.0), dtype)
    scale, offset, mean, variance = parameters(3)
    empty = np.zeros([0], np.float32)
    given = (empty, empty) if is_training else (mean, variance)
    function = getattr(gen_nn_ops, f"fused_batch_norm_{version}")
    with tf.Graph().as_default(), tf.Session() as session:
        found = function(
            x, scale, offset, *given, epsilon=EPSILON, is_training=is_training
        )
        y, *statistics = session.run(list(found))
    wide = x.astype(np.float64)
    if is_training:
        mean, variance = wide.mean((0, 1, 2)), wide.var((0, 1, 2))
    want = normalize(wide, scale, offset, mean, variance)
    # One rounding of the result; the statistics are exact to a float.
    bound = 2.0**-bits * np.abs(want) + 1e-5
    assert y.dtype == x.dtype
    assert (np.abs(y.astype(np.float64) - want) <= bound).all()
    assert [s.dtype for s in statistics] == [np.float32] * len(statistics)
    np.testing.assert_allclose(statistics[2], mean, rtol=1e-5)
    np.testing.assert_allclose(statistics[3], variance, rtol=1e-5)
    if version == "v3":
        assert statistics[4].shape == ()


@pytest.mark.parametrize("data_format", ["NDHWC", "NCDHW"])
@pytest.mark.parametrize("is_training", [True, False])
def test_images_with_depth_are_normalized_by_channel(data_format, is_training):
    channel = -1 if data_format == "NDHWC" else 1
    x = values([2, 3, 4, 5, 6], mean=2.0)
    channels = x.shape[channel]
    scale, offset, mean, variance = parameters(channels)
    axes = tuple(i for i in range(5) if i != channel % 5)
    spread = [1] * 5
    spread[channel] = channels
    if is_training:
        mean, variance = x.mean(axes), x.var(axes)
    empty = np.zeros([0], np.float32)
    given = (empty, empty) if is_training else (mean, variance)
    with tf.Graph().as_default(), tf.Session() as session:
        image = tf.constant(x)
        y, *_ = gen_nn_ops.fused_batch_norm_v3(
            image, scale, offset, *given,
            epsilon=EPSILON, is_training=is_training, data_format=data_format,
        )  # fmt: skip
        upstream = values(x.shape, 7)
        (dx,) = tf.gradients(y, image, tf.constant(upstream))
        assert y.shape == dx.shape == x.shape
        got, got_dx = session.run([y, dx])
    parts = [np.reshape(p, spread) for p in (scale, offset, mean, variance)]
    np.testing.assert_allclose(got, normalize(x, *parts), rtol=1e-5, atol=1e-5)
    inverse = parts[0] / np.sqrt(parts[3] + EPSILON)
    want = upstream * inverse
    if is_training:
        h = (x - parts[2]) / np.sqrt(parts[3] + EPSILON)
        along = (upstream * h).mean(axes, keepdims=True)
        want = inverse * (upstream - upstream.mean(axes, keepdims=True) - h * along)
    np.testing.assert_allclose(got_dx, want, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("version", ["v2", "v3"])
@pytest.mark.parametrize("is_training", [True, False])
def test_gradients_of_later_versions_are_derivatives(version, is_training):
    x = values([2, 3, 3, 2])
    scale, offset, mean, variance = parameters(2)
    empty = np.zeros([0], np.float32)
    given = (empty, empty) if is_training else (mean, variance)
    function = getattr(gen_nn_ops, f"fused_batch_norm_{version}")
    with tf.Graph().as_default(), tf.Session():
        inputs = [tf.constant(a) for a in (x, scale, offset)]
        y, *_ = function(*inputs, *given, epsilon=EPSILON, is_training=is_training)
        y = y * tf.constant(values(x.shape, 9))
        for t in inputs:
            shape = t.shape.as_list()
            error = tf.test.compute_gradient_error(t, shape, y, y.shape.as_list())
            assert error < 2e-2
        # And of these: the derivative of a gradient.
        (dx,) = tf.gradients(y, inputs[0])
        error = tf.test.compute_gradient_error(inputs[1], [2], dx, x.shape, delta=1e-2)
        assert error < 2e-2


@pytest.mark.parametrize("version", ["v2", "v3"])
def test_halves_have_gradients_of_their_own_type(version):
    function = getattr(gen_nn_ops, f"fused_batch_norm_{version}")
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.constant(values([2, 3, 3, 2]), tf.bfloat16)
        scale = tf.constant([1.0, 2.0])
        y, *_ = function(x, scale, scale, [], [])
        dx, dscale = tf.gradients(y * y, [x, scale])
        (twice,) = tf.gradients(dx, x)
        assert (dx.dtype, twice.dtype, dscale.dtype) == (x.dtype, x.dtype, tf.float32)
        for value in session.run([dx, dscale, twice]):
            assert np.isfinite(value.astype(np.float32)).all()


@pytest.mark.parametrize(
    "shape, size, words",
    [
        ([2, 3, 2], 2, "rank 4|4-dimensional"),
        ([2, 3, 3, 3, 2], 2, "rank 4|4-dimensional"),
        ([2, 3, 3, 2], 3, "equal|vector of 2"),
    ],
)
def test_v3_refuses_other_shapes(shape, size, words):
    for known in (True, False):
        with tf.Graph().as_default(), tf.Session() as session:
            x = tf.placeholder(tf.float32, shape if known else None)
            scale = tf.placeholder(tf.float32, [size] if known else None)
            with pytest.raises(
                (ValueError, tf.errors.InvalidArgumentError), match=words
            ):
                y, *_ = gen_nn_ops.fused_batch_norm_v3(x, scale, scale, [], [])
                session.run(y, {x: np.zeros(shape), scale: np.zeros(size)})
