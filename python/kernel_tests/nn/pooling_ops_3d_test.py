# SPDX-License-Identifier: Apache-2.0
"""Pools with planes, places of maxima and second gradients against loops in NumPy."""

import itertools

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.kernel_tests.op_table import rounding
from tensorwright.python.ops import gen_nn_ops
from tensorwright.python.testing.op_testing import fed

CASES_3D = [
    # input, window, strides, padding
    ([2, 4, 5, 6, 3], (2, 2, 2), (2, 2, 2), "VALID"),
    ([1, 5, 4, 7, 16], (2, 3, 3), (2, 1, 2), "SAME"),
    ([2, 3, 3, 3, 1], (4, 4, 4), (1, 1, 1), "SAME"),
    ([1, 3, 4, 5, 17], (1, 1, 1), (2, 2, 2), "SAME"),
]
CASES_2D = [
    ([2, 4, 6, 3], (2, 2), (2, 2), "VALID"),
    ([2, 5, 7, 3], (2, 3), (2, 2), "SAME"),
    ([3, 5, 5, 17], (3, 3), (1, 1), "SAME"),
]
ALL = ["float32", "float64", "float16", "int8", "int16", "int32", "int64"]
ALL += ["uint8", "uint16", "uint32", "uint64"]


def windows(size, window, stride, padding):
    """[first, last) of each window along one dimension."""
    out = -(-size // stride) if padding == "SAME" else (size - window) // stride + 1
    before = 0
    if padding == "SAME":
        before = max(0, (out - 1) * stride + window - size) // 2
    starts = [o * stride - before for o in range(out)]
    return [slice(max(0, s), min(size, s + window)) for s in starts]


def each_window(shape, window, strides, padding):
    """(position in the output, slices of the input) of each window."""
    axes = [
        list(enumerate(windows(n, w, s, padding)))
        for n, w, s in zip(shape[1:-1], window, strides)
    ]
    for combination in itertools.product(*axes):
        yield tuple(i for i, _ in combination), tuple(s for _, s in combination)


def output_shape(shape, window, strides, padding):
    sizes = [
        len(windows(n, w, s, padding)) for n, w, s in zip(shape[1:-1], window, strides)
    ]
    return [shape[0], *sizes, shape[-1]]


def argmax(x, window, strides, padding):
    """Flat positions in x of the first maximum of each window."""
    flat = np.arange(x.size).reshape(x.shape)
    out = np.zeros(output_shape(x.shape, window, strides, padding), np.int64)
    for to, at in each_window(x.shape, window, strides, padding):
        for b, c in itertools.product(range(x.shape[0]), range(x.shape[-1])):
            part = x[(b, *at, c)]
            out[(b, *to, c)] = flat[(b, *at, c)].flat[part.argmax()]
    return out


def gradient_to_all_maxima(x, y, g, geometry):
    """g[window] to each element of the window in x that equals y[window]."""
    x, y, g = (v.astype(np.float64) for v in (x, y, g))
    want = np.zeros(x.shape)
    for to, at in each_window(x.shape, *geometry):
        part = (slice(None), *at)
        peak, grad = (v[(slice(None), *to)][:, None, None, None] for v in (y, g))
        want[part] += np.where(x[part] == peak, grad, 0)
    return want


def image(dtype, *shape, seed=0):
    n = int(np.prod(shape))
    values = np.random.RandomState(seed).permutation(n)
    if dtype in ("float32", "float64", "bfloat16"):
        return (
            ((values - n // 2) / 8)
            .astype(tf.as_dtype(dtype).as_numpy_dtype)
            .reshape(shape)
        )
    return (values % 120).astype(dtype).reshape(shape)


def attrs(window, strides, padding, channels_first=False):
    def order(v):
        return [1, 1, *v] if channels_first else [1, *v, 1]

    names = {4: ("NHWC", "NCHW"), 5: ("NDHWC", "NCDHW")}
    return dict(
        ksize=order(window),
        strides=order(strides),
        padding=padding,
        data_format=names[len(window) + 2][channels_first],
    )


def first(x):
    return np.moveaxis(x, -1, 1).copy()


@pytest.mark.parametrize("channels_first", [False, True])
@pytest.mark.parametrize("case", CASES_3D)
def test_max_pool3d_and_gradients(case, channels_first):
    shape, *geometry = case
    layout = first if channels_first else lambda a: a
    options = attrs(*geometry, channels_first)
    for dtype in ("float32", "float16", "bfloat16"):
        x = image(dtype, *shape)
        places = argmax(x.astype(np.float64), *geometry)
        y = x.ravel()[places]
        got = fed(lambda v: gen_nn_ops.max_pool3d(v, **options), layout(x))
        np.testing.assert_array_equal(got, layout(y))
        g = (image("float32", *y.shape, seed=2) % 4).astype(x.dtype)
        want = gradient_to_all_maxima(x, y, g, geometry)
        got = fed(
            lambda a, b, c: gen_nn_ops.max_pool3d_grad(a, b, c, **options),
            layout(x),
            layout(y),
            layout(g),
        )
        np.testing.assert_allclose(
            np.float64(got), layout(want), rtol=rounding(dtype, 1)
        )
        gg = image("float32", *shape, seed=3).astype(x.dtype)
        got = fed(
            lambda a, b, c: gen_nn_ops.max_pool3d_grad_grad(a, b, c, **options),
            layout(x),
            layout(y),
            layout(gg),
        )
        np.testing.assert_array_equal(got, layout(gg.ravel()[places]))


@pytest.mark.parametrize("channels_first", [False, True])
@pytest.mark.parametrize("case", CASES_3D)
def test_each_of_several_maxima_has_the_gradient_whole(case, channels_first):
    """As in TensorFlow's pools with planes; without planes only the first has."""
    shape, *geometry = case
    layout = first if channels_first else lambda a: a
    for dtype in ("float32", "float16", "bfloat16"):
        x = (np.random.RandomState(4).randint(0, 3, shape)).astype(np.float32)
        places = argmax(x, *geometry)
        y = x.ravel()[places]
        g = (image("float32", *y.shape, seed=2) % 4).astype(np.float32)
        want = gradient_to_all_maxima(x, y, g, geometry)
        np_type = tf.as_dtype(dtype).as_numpy_dtype
        arrays = (layout(v).astype(np_type) for v in (x, y, g))
        got = fed(
            lambda a, b, c: gen_nn_ops.max_pool3d_grad(
                a, b, c, **attrs(*geometry, channels_first)
            ),
            *arrays,
        )
        np.testing.assert_allclose(
            np.float32(got), layout(want), rtol=rounding(dtype, 1)
        )


@pytest.mark.parametrize("channels", [1, 17])
def test_windows_without_a_number(channels):
    """The maximum of -inf alone is -inf, that of NaN is NaN; the lowest finite number counts as a number."""
    inf, lowest = np.inf, np.finfo(np.float32).min
    rows = [[-inf] * 8, [-inf] * 7 + [lowest], [-inf] * 7 + [3], [np.nan] * 8]
    x = np.repeat(np.array(rows, np.float32)[..., None], channels, -1)
    want = np.array([-inf, lowest, 3, np.nan], np.float32)
    for shape in ([4, 2, 2, 2, channels], [4, 2, 4, channels]):
        window = shape[1:-1]
        options = attrs(window, window, "VALID")
        pool = gen_nn_ops.max_pool3d if len(window) == 3 else gen_nn_ops.max_pool
        got = fed(lambda v, p=pool, o=options: p(v, **o), x.reshape(shape))
        for c in range(channels):
            np.testing.assert_array_equal(got[..., c].ravel(), want)


@pytest.mark.parametrize("channels_first", [False, True])
@pytest.mark.parametrize("case", CASES_3D)
def test_avg_pool3d_and_gradient(case, channels_first):
    shape, *geometry = case
    layout = first if channels_first else lambda a: a
    options = attrs(*geometry, channels_first)
    for dtype in ("float32", "float64", "float16"):
        tol = rounding(dtype, 4)
        x = image("float32", *shape).astype(dtype) % 8
        y = np.zeros(output_shape(shape, *geometry))
        g = np.arange(y.size, dtype=np.float64).reshape(y.shape) % 7
        dx = np.zeros(shape)
        for to, at in each_window(shape, *geometry):
            part = x[(slice(None), *at)].astype(np.float64)
            y[(slice(None), *to)] = part.mean((1, 2, 3))
            share = g[(slice(None), *to)] / np.prod(part.shape[1:-1])
            dx[(slice(None), *at)] += share[:, None, None, None]
        got = fed(lambda v: gen_nn_ops.avg_pool3d(v, **options), layout(x))
        np.testing.assert_allclose(got, layout(y), rtol=tol, atol=tol)
        got = fed(
            lambda s, c: gen_nn_ops.avg_pool3d_grad(s, c, **options),
            np.int32(layout(x).shape),
            layout(g).astype(dtype),
        )
        np.testing.assert_allclose(got, layout(dx), rtol=tol, atol=tol * 10)


@pytest.mark.parametrize("case", CASES_2D)
def test_max_pool_grad_grad(case):
    shape, *geometry = case
    for dtype in ALL:
        x, gg = image(dtype, *shape), image(dtype, *shape, seed=3)
        places = argmax(x, *geometry)
        y = x.ravel()[places]
        got = fed(
            lambda a, b, c: gen_nn_ops.max_pool_grad_grad(a, b, c, **attrs(*geometry)),
            x,
            y,
            gg,
        )
        np.testing.assert_array_equal(got, gg.ravel()[places])
    got = fed(
        lambda a, b, c: gen_nn_ops.max_pool_grad_grad(
            a, b, c, **attrs(*geometry, True)
        ),
        first(x),
        first(y),
        first(gg),
    )
    np.testing.assert_array_equal(got, first(gg.ravel()[places]))


@pytest.mark.parametrize("include_batch", [False, True])
@pytest.mark.parametrize("case", CASES_2D)
def test_max_pool_with_argmax(case, include_batch):
    shape, *geometry = case
    options = attrs(*geometry)
    del options["data_format"]
    options["include_batch_in_index"] = include_batch
    for dtype, index in itertools.product(ALL, (np.int32, np.int64)):
        x = image(dtype, *shape)
        places = argmax(x, *geometry)
        size = int(np.prod(shape[1:]))
        indices = (places if include_batch else places % size).astype(index)
        got = fed(
            lambda v: gen_nn_ops.max_pool_with_argmax(
                v, Targmax=tf.as_dtype(index), **options
            ),
            x,
        )
        np.testing.assert_array_equal(got[0], x.ravel()[places])
        np.testing.assert_array_equal(got[1], indices)
        assert got[1].dtype == index
        g = (image(dtype, *places.shape, seed=4) % 5).astype(dtype)
        want = np.zeros(x.size, np.float64)
        np.add.at(want, places.ravel(), g.ravel().astype(np.float64))
        got = fed(
            lambda a, b, c: gen_nn_ops.max_pool_grad_with_argmax(a, b, c, **options),
            x,
            g,
            indices,
        )
        np.testing.assert_array_equal(got, want.reshape(shape).astype(dtype))
        gg = image(dtype, *shape, seed=5)
        got = fed(
            lambda a, b, c: gen_nn_ops.max_pool_grad_grad_with_argmax(
                a, b, c, **options
            ),
            x,
            gg,
            indices,
        )
        np.testing.assert_array_equal(got, gg.ravel()[places])


@pytest.mark.parametrize("bad", [-1, 48, 2**31 - 1])
def test_an_argmax_outside_its_image_is_refused(bad):
    x, g = np.zeros([2, 4, 4, 3], np.float32), np.zeros([2, 2, 2, 3], np.float32)
    indices = np.zeros([2, 2, 2, 3], np.int64)
    indices[1, 1, 0, 2] = bad
    for function, grad in [
        (gen_nn_ops.max_pool_grad_with_argmax, g),
        (gen_nn_ops.max_pool_grad_grad_with_argmax, x),
    ]:
        with pytest.raises(tf.errors.InvalidArgumentError, match="argmax must lie"):
            fed(
                lambda a, b, c, f=function: f(
                    a, b, c, [1, 2, 2, 1], [1, 2, 2, 1], "VALID"
                ),
                x,
                grad,
                indices,
            )


def test_second_derivatives():
    with tf.Graph().as_default(), tf.Session():
        x = tf.constant(image("float64", 1, 4, 5, 2) / 4)
        v = tf.constant(image("float32", 1, 4, 4, 4, 1) / 4)
        argmax_pool = tf.nn.max_pool_with_argmax(x, 2, 1, "SAME")[0]
        pools = [
            (x, tf.nn.max_pool(x, 2, 1, "SAME"), 1e-6),
            (x, argmax_pool, 1e-6),
            # float32 holds such values and steps exactly.
            (v, tf.nn.max_pool3d(v, 2, 1, "SAME"), 1e-5),
            (v, tf.nn.avg_pool3d(v, 2, 1, "SAME"), 1e-5),
        ]
        for source, y, tolerance in pools:
            dx = tf.gradients(y * y * y, source)[0]
            for t in (y, dx):
                error = tf.test.compute_gradient_error(
                    source,
                    source.get_shape().as_list(),
                    t,
                    t.get_shape().as_list(),
                    x_init_value=source.eval(),
                    delta=2.0**-7,
                )
                assert error < tolerance, (y.op.type, error)


def test_pools_by_rank_and_by_name():
    x3, x2 = image("float32", 2, 3, 4, 5, 2), image("float32", 2, 6, 5, 2)
    x1 = image("float32", 2, 7, 3)
    row = x1[:, None]
    with tf.Graph().as_default(), tf.Session() as sess:
        for kind, function in [("MAX", np.max), ("AVG", np.mean)]:
            for x, window in [(x1, [3]), (x2, [3, 2]), (x3, [3, 2, 2])]:
                want = np.zeros(output_shape(x.shape, window, [1] * 3, "SAME"))
                for to, at in each_window(x.shape, window, [1] * 3, "SAME"):
                    axes = tuple(range(1, len(window) + 1))
                    want[(slice(None), *to)] = function(x[(slice(None), *at)], axes)
                channels_first = "NC" + "DHW"[3 - len(window) :]
                pool_v2 = tf.nn.max_pool_v2 if kind == "MAX" else tf.nn.avg_pool_v2
                got = sess.run(
                    [
                        tf.nn.pool(x, window, kind, "SAME"),
                        pool_v2(x, window, 1, "SAME"),
                        tf.nn.pool(
                            first(x), window, kind, "SAME", data_format=channels_first
                        ),
                    ]
                )
                np.testing.assert_allclose(got[0], want, rtol=1e-5, atol=1e-5)
                np.testing.assert_allclose(got[1], want, rtol=1e-5, atol=1e-5)
                np.testing.assert_allclose(got[2], first(want), rtol=1e-5, atol=1e-5)
        got, want = sess.run(
            [
                tf.nn.max_pool1d(x1, 2, 2, "VALID"),
                tf.nn.max_pool(row, [1, 1, 2, 1], [1, 1, 2, 1], "VALID")[:, 0],
            ]
        )
        np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize(
    ("shape", "options", "words"),
    [
        ([1, 4, 4, 2], {}, "rank 5|5-dim"),
        (
            [1, 1, 4, 4, 2],
            {"ksize": [1, 3, 1, 1, 1], "padding": "VALID"},
            "Pool3D: .*negative",
        ),
        ([1, 4, 4, 4, 2], {"ksize": [2, 2, 2, 2, 1]}, "batch"),
        ([1, 4, 4, 4, 2], {"ksize": [1, 2, 2, 2, 2]}, "(Max|Avg)Pool3D: Non-spatial"),
        ([1, 4, 4, 4, 2], {"strides": [1, 0, 1, 1, 1]}, "(Max|Avg)Pool3D: .*positive"),
    ],
)
def test_bad_arguments(shape, options, words):
    options = {
        "ksize": [1, 2, 2, 2, 1],
        "strides": [1] * 5,
        "padding": "SAME",
    } | options
    errors = (tf.errors.InvalidArgumentError, tf.errors.UnimplementedError, ValueError)
    for function in (gen_nn_ops.max_pool3d, gen_nn_ops.avg_pool3d):
        with pytest.raises(errors, match=words):
            fed(lambda v, f=function: f(v, **options), np.zeros(shape, np.float32))


def test_pools_with_planes_of_nothing():
    for function in (gen_nn_ops.max_pool3d, gen_nn_ops.avg_pool3d):
        y = fed(
            lambda v, f=function: f(v, **attrs((2, 2, 2), (2, 2, 2), "SAME")),
            np.zeros([0, 4, 4, 4, 2], np.float32),
        )
        assert y.shape == (0, 2, 2, 2, 2)
