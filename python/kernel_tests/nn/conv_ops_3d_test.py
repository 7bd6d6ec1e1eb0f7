# SPDX-License-Identifier: Apache-2.0
"""Conv3D and its gradients against a sum over taps in NumPy."""

import itertools

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.ops import gen_nn_ops
from tensorwright.python.testing.op_testing import fed

TOLERANCE = {"float16": 2e-2, "bfloat16": 6e-2, "float32": 1e-5, "float64": 2e-14}
CASES = [
    # input, filter, strides, padding, dilations
    ([2, 4, 5, 6, 3], [2, 3, 3, 3, 5], (1, 1, 1), "VALID", (1, 1, 1)),
    ([1, 5, 4, 7, 2], [3, 3, 2, 2, 4], (2, 1, 2), "SAME", (1, 1, 1)),
    ([2, 6, 5, 7, 4], [2, 2, 3, 4, 3], (1, 1, 1), "SAME", (2, 1, 3)),
    ([1, 3, 3, 3, 16], [1, 1, 1, 16, 8], (1, 1, 1), "VALID", (1, 1, 1)),
    ([1, 3, 4, 3, 6], [2, 2, 2, 3, 4], (1, 1, 1), "SAME", (1, 1, 1)),  # 2 groups
    ([2, 3, 3, 3, 1], [3, 3, 3, 1, 1], (3, 3, 3), "SAME", (1, 1, 1)),
]


class Reference:
    """Every tap of the filter sees a strided part of the padded input."""

    def __init__(self, shape, f_shape, strides, padding, dilations):
        self.shape, self.f_shape = shape, f_shape
        self.strides, self.dilations = strides, dilations
        self.pads, self.out = [(0, 0)], []
        for i, (s, d) in enumerate(zip(strides, dilations)):
            size, extent = shape[1 + i], (f_shape[i] - 1) * d + 1
            out, need = (size - extent) // s + 1, 0
            if padding == "SAME":
                out = -(-size // s)
                need = max(0, (out - 1) * s + extent - size)
            self.pads.append((need // 2, need - need // 2))
            self.out.append(out)
        self.pads.append((0, 0))
        self.groups = shape[-1] // f_shape[-2]
        self.y_shape = [shape[0], *self.out, f_shape[-1]]

    def taps(self):
        for tap in itertools.product(*[range(n) for n in self.f_shape[:-2]]):
            where = [slice(None)]
            for t, s, d, o in zip(tap, self.strides, self.dilations, self.out):
                where.append(slice(t * d, t * d + (o - 1) * s + 1, s))
            for g in range(self.groups):
                c = self.f_shape[-2]
                m = self.f_shape[-1] // self.groups
                yield (
                    tap,
                    (*where, slice(g * c, (g + 1) * c)),
                    slice(g * m, (g + 1) * m),
                )

    def forward(self, x, f):
        x, y = np.pad(x, self.pads), np.zeros(self.y_shape)
        for tap, where, channels in self.taps():
            y[..., channels] += x[where] @ f[(*tap, slice(None), channels)]
        return y

    def input_grad(self, f, g):
        dx = np.pad(np.zeros(self.shape), self.pads)
        for tap, where, channels in self.taps():
            dx[where] += g[..., channels] @ f[(*tap, slice(None), channels)].T
        inner = [slice(b, b + n) for (b, _), n in zip(self.pads, self.shape)]
        return dx[tuple(inner)]

    def filter_grad(self, x, g):
        x, df = np.pad(x, self.pads), np.zeros(self.f_shape)
        axes = list(range(len(self.shape) - 1))
        for tap, where, channels in self.taps():
            df[(*tap, slice(None), channels)] = np.tensordot(
                x[where], g[..., channels], (axes, axes)
            )
        return df


def values(shape, dtype, seed):
    numbers = np.random.RandomState(seed).randint(-4, 5, shape) / 4
    return numbers.astype(tf.as_dtype(dtype).as_numpy_dtype)


def first(x):
    return np.moveaxis(x, -1, 1).copy()


def attrs(strides, padding, dilations, channels_first=False):
    def order(v):
        return [1, 1, *v] if channels_first else [1, *v, 1]

    return dict(
        strides=order(strides),
        padding=padding,
        dilations=order(dilations),
        data_format="NCDHW" if channels_first else "NDHWC",
    )


@pytest.mark.parametrize("channels_first", [False, True])
@pytest.mark.parametrize("case", CASES)
def test_against_taps(case, channels_first):
    shape, f_shape, *geometry = case
    ref = Reference(shape, f_shape, *geometry)
    layout = first if channels_first else lambda a: a
    options = attrs(*geometry, channels_first)
    for dtype, tol in TOLERANCE.items():
        x, f = values(shape, dtype, 0), values(f_shape, dtype, 1)
        g = values(ref.y_shape, dtype, 2)
        wide = [a.astype(np.float64) for a in (x, f, g)]
        sizes = np.int32(layout(x).shape)
        got = fed(lambda a, b: gen_nn_ops.conv3d(a, b, **options), layout(x), f)
        want = layout(ref.forward(wide[0], wide[1]))
        np.testing.assert_allclose(np.float64(got), want, rtol=tol, atol=tol * 4)
        for size_type in (np.int32, np.int64):
            got = fed(
                lambda s, b, c: gen_nn_ops.conv3d_backprop_input_v2(s, b, c, **options),
                sizes.astype(size_type),
                f,
                layout(g),
            )
            want = layout(ref.input_grad(wide[1], wide[2]))
            np.testing.assert_allclose(np.float64(got), want, rtol=tol, atol=tol * 4)
        got = fed(
            lambda a, s, c: gen_nn_ops.conv3d_backprop_filter_v2(a, s, c, **options),
            layout(x),
            np.int32(f_shape),
            layout(g),
        )
        want = ref.filter_grad(wide[0], wide[2])
        np.testing.assert_allclose(np.float64(got), want, rtol=tol, atol=tol * 20)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_the_older_gradients_take_tensors_for_sizes(dtype):
    shape, f_shape, strides, padding, dilations = CASES[1]
    ref = Reference(shape, f_shape, strides, padding, dilations)
    x, f = values(shape, dtype, 0), values(f_shape, dtype, 1)
    g = values(ref.y_shape, dtype, 2)
    options = dict(strides=[1, *strides, 1], padding=padding)
    tol = TOLERANCE[dtype]
    got = fed(
        lambda a, b, c: gen_nn_ops.conv3d_backprop_input(a, b, c, **options), x, f, g
    )
    np.testing.assert_allclose(got, ref.input_grad(f, g), rtol=tol, atol=tol * 8)
    got = fed(
        lambda a, b, c: gen_nn_ops.conv3d_backprop_filter(a, b, c, **options), x, f, g
    )
    np.testing.assert_allclose(got, ref.filter_grad(x, g), rtol=tol, atol=tol * 20)


def test_empty_batch_and_empty_gradient():
    f = np.ones([1, 2, 2, 3, 4], np.float32)
    options = attrs((1, 1, 1), "VALID", (1, 1, 1))
    x = np.zeros([0, 2, 3, 3, 3], np.float32)
    y = fed(lambda a, b: gen_nn_ops.conv3d(a, b, **options), x, f)
    assert y.shape == (0, 2, 2, 2, 4)
    df = fed(
        lambda a, s, c: gen_nn_ops.conv3d_backprop_filter_v2(a, s, c, **options),
        x,
        np.int32(f.shape),
        y,
    )
    np.testing.assert_array_equal(df, np.zeros_like(f))


def test_first_and_second_derivatives():
    with tf.Graph().as_default(), tf.Session():
        x = tf.constant(values([1, 3, 3, 2, 2], "float64", 0))
        f = tf.constant(values([2, 2, 1, 2, 2], "float64", 1))
        y = tf.nn.conv3d(x, f, strides=[1, 1, 1, 1, 1], padding="SAME")
        dx, df = tf.gradients(tf.square(y), [x, f])
        for t in (y, dx, df):
            for v in (x, f):
                error = tf.test.compute_gradient_error(
                    v,
                    v.get_shape().as_list(),
                    t,
                    t.get_shape().as_list(),
                    x_init_value=v.eval(),
                )
                assert error < 1e-6


@pytest.mark.parametrize(
    ("x", "f", "options", "words"),
    [
        ([1, 3, 3, 2], [1, 1, 1, 2, 2], {}, "rank 5|5-dim"),
        ([1, 3, 3, 3, 3], [1, 1, 1, 2, 2], {}, "Conv3D: .*(multiple|divisible)"),
        ([1, 3, 3, 3, 4], [1, 1, 1, 2, 3], {}, "groups"),
        ([1, 1, 3, 3, 2], [3, 1, 1, 2, 2], {"padding": "VALID"}, "Conv3D: .*negative"),
        (
            [1, 3, 3, 3, 2],
            [1, 1, 1, 2, 2],
            {"strides": [1, 0, 1, 1, 1]},
            "Conv3D: .*> 0",
        ),
        ([1, 3, 3, 3, 2], [1, 1, 1, 2, 2], {"strides": [2, 1, 1, 1, 1]}, "batch"),
        (
            [1, 3, 3, 3, 2],
            [1, 1, 1, 2, 2],
            {"dilations": [1, 1, 1]},
            "Conv3D: .*5 values",
        ),
    ],
)
def test_bad_arguments(x, f, options, words):
    options = {"strides": [1] * 5, "padding": "SAME", **options}
    with pytest.raises((tf.errors.InvalidArgumentError, ValueError), match=words):
        fed(
            lambda a, b: gen_nn_ops.conv3d(a, b, **options),
            np.zeros(x, np.float32),
            np.zeros(f, np.float32),
        )


def test_bad_sizes():
    f = np.zeros([1, 1, 1, 2, 2], np.float32)
    g = np.zeros([1, 3, 3, 3, 2], np.float32)
    for sizes in ([1, 3, 3, 4, 2], [1, 3, 3, -3, 2], [1, 3, 3]):
        with pytest.raises((tf.errors.InvalidArgumentError, ValueError)):
            fed(
                lambda s, b, c: gen_nn_ops.conv3d_backprop_input_v2(
                    s, b, c, strides=[1] * 5, padding="SAME"
                ),
                np.int32(sizes),
                f,
                g,
            )
