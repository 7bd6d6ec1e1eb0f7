# SPDX-License-Identifier: Apache-2.0
"""DepthwiseConv2dNative and its gradients against a sum over taps in NumPy."""

import itertools

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.ops import gen_nn_ops
from tensorwright.python.testing.op_testing import fed

TOLERANCE = {"float16": 2e-2, "bfloat16": 6e-2, "float32": 1e-5, "float64": 2e-14}
CASES = [
    # input, filter, strides, padding, dilations
    ([2, 5, 6, 3], [3, 3, 3, 1], (1, 1), "SAME", (1, 1)),
    ([2, 7, 6, 16], [3, 3, 16, 1], (2, 2), "SAME", (1, 1)),
    ([1, 5, 4, 17], [2, 3, 17, 1], (1, 1), "VALID", (1, 1)),
    ([2, 5, 5, 4], [3, 2, 4, 3], (1, 1), "SAME", (1, 1)),
    ([1, 9, 8, 5], [3, 3, 5, 2], (1, 1), "VALID", (2, 3)),
    ([1, 4, 4, 1], [2, 2, 1, 4], (2, 1), "VALID", (1, 1)),
    ([1, 4, 5, 2], [3, 3, 2, 1], (1, 1), ((0, 0), (2, 0), (1, 2), (0, 0)), (1, 1)),
]


class Reference:
    def __init__(self, shape, f_shape, strides, padding, dilations):
        self.shape, self.f_shape = shape, f_shape
        self.strides, self.dilations = strides, dilations
        self.pads, self.out = [(0, 0)], []
        for i, (s, d) in enumerate(zip(strides, dilations)):
            size, extent = shape[1 + i], (f_shape[i] - 1) * d + 1
            pad = (0, 0)
            if padding == "SAME":
                need = max(0, (-(-size // s) - 1) * s + extent - size)
                pad = (need // 2, need - need // 2)
            elif padding != "VALID":
                pad = padding[1 + i]
            self.pads.append(pad)
            self.out.append((size + sum(pad) - extent) // s + 1)
        self.pads.append((0, 0))
        self.y_shape = [shape[0], *self.out, f_shape[2] * f_shape[3]]

    def taps(self):
        for tap in itertools.product(*[range(n) for n in self.f_shape[:2]]):
            where = [slice(None)]
            for t, s, d, o in zip(tap, self.strides, self.dilations, self.out):
                where.append(slice(t * d, t * d + (o - 1) * s + 1, s))
            yield tap, tuple(where)

    def split(self, y):
        return y.reshape(*y.shape[:3], *self.f_shape[2:])

    def forward(self, x, f):
        x, y = np.pad(x, self.pads), self.split(np.zeros(self.y_shape))
        for tap, where in self.taps():
            y += x[where][..., None] * f[tap]
        return y.reshape(self.y_shape)

    def input_grad(self, f, g):
        dx = np.pad(np.zeros(self.shape), self.pads)
        for tap, where in self.taps():
            dx[where] += (self.split(g) * f[tap]).sum(-1)
        inner = [slice(b, b + n) for (b, _), n in zip(self.pads, self.shape)]
        return dx[tuple(inner)]

    def filter_grad(self, x, g):
        x, df = np.pad(x, self.pads), np.zeros(self.f_shape)
        for tap, where in self.taps():
            df[tap] = (x[where][..., None] * self.split(g)).sum((0, 1, 2))
        return df


def values(shape, dtype, seed):
    numbers = np.random.RandomState(seed).randint(-4, 5, shape) / 4
    return numbers.astype(tf.as_dtype(dtype).as_numpy_dtype)


def attrs(strides, padding, dilations, data_format="NHWC"):
    def order(v, one=1):
        return [one, one, *v] if data_format == "NCHW" else [one, *v, one]

    explicit = []
    if not isinstance(padding, str):
        explicit = list(itertools.chain(*order(padding[1:3], (0, 0))))
        padding = "EXPLICIT"
    return dict(
        strides=order(strides),
        padding=padding,
        explicit_paddings=explicit,
        dilations=order(dilations),
        data_format=data_format,
    )


@pytest.mark.parametrize("data_format", ["NHWC", "NCHW"])
@pytest.mark.parametrize("case", CASES)
def test_against_taps(case, data_format):
    shape, f_shape, *geometry = case
    ref = Reference(shape, f_shape, *geometry)

    def layout(a):
        return a.transpose(0, 3, 1, 2).copy() if data_format == "NCHW" else a

    options = attrs(*geometry, data_format)
    for dtype, tol in TOLERANCE.items():
        x, f = values(shape, dtype, 0), values(f_shape, dtype, 1)
        g = values(ref.y_shape, dtype, 2)
        wide = [a.astype(np.float64) for a in (x, f, g)]
        got = fed(
            lambda a, b: gen_nn_ops.depthwise_conv2d_native(a, b, **options),
            layout(x),
            f,
        )
        want = layout(ref.forward(wide[0], wide[1]))
        np.testing.assert_allclose(np.float64(got), want, rtol=tol, atol=tol * 4)
        got = fed(
            lambda s, b, c: gen_nn_ops.depthwise_conv2d_native_backprop_input(
                s, b, c, **options
            ),
            np.int32(layout(x).shape),
            f,
            layout(g),
        )
        want = layout(ref.input_grad(wide[1], wide[2]))
        np.testing.assert_allclose(np.float64(got), want, rtol=tol, atol=tol * 4)
        got = fed(
            lambda a, s, c: gen_nn_ops.depthwise_conv2d_native_backprop_filter(
                a, s, c, **options
            ),
            layout(x),
            np.int32(f_shape),
            layout(g),
        )
        want = ref.filter_grad(wide[0], wide[2])
        np.testing.assert_allclose(np.float64(got), want, rtol=tol, atol=tol * 20)


def test_first_and_second_derivatives():
    with tf.Graph().as_default(), tf.Session():
        x = tf.constant(values([1, 4, 3, 2], "float64", 0))
        f = tf.constant(values([2, 2, 2, 2], "float64", 1))
        y = tf.nn.depthwise_conv2d(x, f, strides=[1, 1, 1, 1], padding="SAME")
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


def test_separable_and_atrous():
    x, d = values([2, 6, 5, 3], "float32", 0), values([3, 3, 3, 2], "float32", 1)
    p = values([1, 1, 6, 4], "float32", 2)
    ref = Reference(x.shape, d.shape, (1, 1), "SAME", (2, 2))
    got = fed(
        lambda a, b: tf.nn.depthwise_conv2d(a, b, [1, 1, 1, 1], "SAME", rate=[2, 2]),
        x,
        d,
    )
    np.testing.assert_allclose(got, ref.forward(x, d), rtol=1e-5, atol=1e-5)
    got = fed(
        lambda a, b, c: tf.nn.separable_conv2d(
            a, b, c, [1, 1, 1, 1], "SAME", rate=[2, 2]
        ),
        x,
        d,
        p,
    )
    want = ref.forward(x, d) @ p[0, 0]
    np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-4)
    with pytest.raises(ValueError, match="strides > 1"):
        tf.nn.depthwise_conv2d(x, d, [1, 2, 2, 1], "SAME", rate=[2, 2])


@pytest.mark.parametrize(
    ("x", "f", "options", "words"),
    [
        ([3, 3, 2], [1, 1, 2, 2], {}, "rank 4|4-dim"),
        (
            [1, 3, 3, 2],
            [1, 1, 3, 2],
            {},
            "DepthwiseConv2dNative: .*(equal depths|same depth)",
        ),
        ([1, 1, 3, 2], [3, 1, 2, 2], {"padding": "VALID"}, "negative"),
        (
            [1, 3, 3, 2],
            [1, 1, 2, 2],
            {"strides": [1, 0, 1, 1]},
            "DepthwiseConv2dNative: .*> 0",
        ),
        ([1, 3, 3, 2], [1, 1, 2, 2], {"strides": [1, 1]}, "4 values"),
    ],
)
def test_bad_arguments(x, f, options, words):
    options = {"strides": [1] * 4, "padding": "SAME", **options}
    with pytest.raises((tf.errors.InvalidArgumentError, ValueError), match=words):
        fed(
            lambda a, b: gen_nn_ops.depthwise_conv2d_native(a, b, **options),
            np.zeros(x, np.float32),
            np.zeros(f, np.float32),
        )


def test_the_public_functions_take_pairs_of_paddings():
    rng = np.random.RandomState(0)
    x, f = rng.standard_normal((2, 5, 6, 3)), rng.standard_normal((3, 2, 3, 2))
    pairs = [[0, 0], [1, 2], [0, 1], [0, 0]]
    with tf.Graph().as_default(), tf.Session() as session:
        y = tf.nn.depthwise_conv2d_native(x, f, [1, 1, 1, 1], pairs)
        padded = tf.nn.depthwise_conv2d_native(
            np.pad(x, pairs), f, [1, 1, 1, 1], "VALID"
        )
        dy = tf.constant(rng.standard_normal(y.get_shape().as_list()))
        dx, df = tf.gradients(y, [y.op.inputs[0], y.op.inputs[1]], dy)
        arguments = dy, [1, 1, 1, 1], pairs
        got = session.run(
            [
                y,
                tf.nn.depthwise_conv2d_backprop_input(x.shape, f, *arguments),
                tf.nn.depthwise_conv2d_backprop_filter(x, f.shape, *arguments),
            ]
        )
        for a, b in zip(got, session.run([padded, dx, df])):
            np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-12)
        with pytest.raises(ValueError, match="four \\[before, after\\] pairs"):
            tf.nn.depthwise_conv2d_native(x, f, [1, 1, 1, 1], [[1, 1]])
