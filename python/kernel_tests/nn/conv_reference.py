# SPDX-License-Identifier: Apache-2.0
"""Helpers of the tests of 2-D convolutions: geometries, and sums of products in NumPy."""

import numpy as np

import tensorwright as tf

TOLERANCE = {
    "float16": 1e-2,
    "bfloat16": 5e-2,
    "float32": 1e-5,
    "float64": 2e-14,
    "int32": 0,
}


def paddings(padding, size, kernel, stride, dilation, explicit):
    extent = (kernel - 1) * dilation + 1
    if padding == "VALID":
        return 0, 0
    if padding == "EXPLICIT":
        return explicit
    out = -(-size // stride)
    need = max(0, (out - 1) * stride + extent - size)
    return need // 2, need - need // 2


def patches(x, f_shape, strides, padding, dilations=(1, 1), explicit=((0, 0), (0, 0))):
    """Views [n, oh, ow, kh, kw, c] of padded NHWC x."""
    pads = [
        paddings(
            padding, x.shape[1 + i], f_shape[i], strides[i], dilations[i], explicit[i]
        )
        for i in range(2)
    ]
    x = np.pad(x, [(0, 0), pads[0], pads[1], (0, 0)])
    ext = [(f_shape[i] - 1) * dilations[i] + 1 for i in range(2)]
    out = [(x.shape[1 + i] - ext[i]) // strides[i] + 1 for i in range(2)]
    result = np.empty([x.shape[0], *out, f_shape[0], f_shape[1], x.shape[3]], x.dtype)
    for i in range(out[0]):
        for j in range(out[1]):
            r, c = i * strides[0], j * strides[1]
            result[:, i, j] = x[
                :, r : r + ext[0] : dilations[0], c : c + ext[1] : dilations[1]
            ]
    return result, pads


def conv(x, f, strides, padding, dilations=(1, 1), explicit=((0, 0), (0, 0))):
    groups = x.shape[3] // f.shape[2]
    p, _ = patches(x, f.shape, strides, padding, dilations, explicit)
    out = []
    step = f.shape[3] // groups
    for g in range(groups):
        part = p[..., g * f.shape[2] : (g + 1) * f.shape[2]]
        out.append(np.tensordot(part, f[..., g * step : (g + 1) * step], 3))
    return np.concatenate(out, -1)


def image(dtype, *shape, seed=0):
    x = np.random.RandomState(seed).randint(-8, 9, shape)
    return x.astype(dtype) if dtype == "int32" else (x / 8).astype(dtype)


def run(function, dtype, *arrays):
    with tf.Graph().as_default(), tf.Session() as sess:
        feed, inputs = {}, []
        for a in arrays:
            p = tf.placeholder(tf.as_dtype(a.dtype))
            feed[p] = a
            inputs.append(
                tf.cast(p, tf.bfloat16)
                if dtype == "bfloat16" and a.dtype == np.float32
                else p
            )
        out = function(*inputs)
        return sess.run(
            tf.cast(out, tf.float32) if out.dtype == tf.bfloat16 else out, feed
        )


def expect(got, want, dtype):
    tol = TOLERANCE[dtype]
    scale = max(1.0, float(np.abs(want).max(initial=0)))
    assert got.shape == want.shape
    np.testing.assert_allclose(got, want, rtol=tol, atol=tol * scale)


CASES = [
    # input, filter, strides, padding, dilations, explicit
    ([2, 5, 6, 3], [3, 3, 3, 4], (1, 1), "SAME", (1, 1), None),
    ([2, 5, 6, 3], [3, 2, 3, 4], (1, 1), "VALID", (1, 1), None),
    ([1, 7, 7, 1], [5, 5, 1, 8], (2, 2), "SAME", (1, 1), None),
    ([3, 8, 9, 16], [3, 3, 16, 16], (2, 1), "VALID", (1, 1), None),
    ([2, 9, 9, 4], [3, 3, 4, 5], (1, 1), "SAME", (2, 2), None),
    ([2, 9, 9, 4], [3, 2, 4, 5], (1, 1), "VALID", (2, 3), None),
    ([2, 5, 5, 2], [3, 3, 2, 3], (2, 2), "EXPLICIT", (1, 1), ((1, 2), (0, 3))),
    ([2, 6, 6, 4], [3, 3, 2, 6], (1, 1), "SAME", (1, 1), None),  # two groups
    ([2, 4, 4, 8], [1, 1, 8, 3], (1, 1), "SAME", (1, 1), None),
    ([2, 4, 4, 3], [1, 1, 3, 3], (3, 3), "SAME", (1, 1), None),
    ([2, 3, 3, 2], [5, 5, 2, 2], (1, 1), "SAME", (1, 1), None),
]


def attrs(strides, padding, dilations, explicit, data_format="NHWC"):
    order = (
        (lambda h, w: [1, h, w, 1])
        if data_format == "NHWC"
        else (lambda h, w: [1, 1, h, w])
    )
    pads = []
    if explicit:
        pads = [0, 0, *explicit[0], *explicit[1], 0, 0]
        if data_format == "NCHW":
            pads = [0, 0, 0, 0, *explicit[0], *explicit[1]]
    return dict(
        strides=order(*strides),
        padding=padding,
        dilations=order(*dilations),
        explicit_paddings=pads,
        data_format=data_format,
    )


def noise(*shape, seed):
    return np.random.RandomState(seed).standard_normal(shape).astype(np.float32)


def adjoints(x, f, dy, pads, strides=(1, 1), dilations=(1, 1)):
    """Gradients of sum(dy * conv(x, f)): of x, of f."""
    padded = np.pad(x.astype(np.float64), [(0, 0), pads[0], pads[1], (0, 0)])
    dx, df = np.zeros_like(padded), np.zeros(f.shape)
    for i in range(f.shape[0]):
        for j in range(f.shape[1]):
            first = (i * dilations[0], j * dilations[1])
            rows, cols = (
                slice(first[k], first[k] + n * strides[k], strides[k])
                for k, n in enumerate(dy.shape[1:3])
            )
            dx[:, rows, cols] += dy @ f[i, j].astype(np.float64).T
            df[i, j] = np.tensordot(padded[:, rows, cols], dy, ([0, 1, 2], [0, 1, 2]))
    (top, _), (left, _) = pads
    return dx[:, top : top + x.shape[1], left : left + x.shape[2]], df
