# SPDX-License-Identifier: Apache-2.0
"""Conv against Conv2D and Conv3D of one image at a time, and against a sum over taps in NumPy."""

import itertools

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.testing.op_testing import fed

TOLERANCE = {
    "float16": 2e-2,
    "bfloat16": 6e-2,
    "float32": 1e-5,
    "float64": 2e-14,
    "int32": 0,
}
# Space, filter [space..., in, out], channels, strides, dilations, padding.
CASES = [
    ([5, 6], [3, 3, 3, 4], 3, (1, 1), (1, 1), "SAME"),
    ([5, 6], [3, 2, 3, 4], 3, (2, 1), (1, 2), "VALID"),
    ([6, 7], [3, 3, 2, 6], 4, (1, 2), (1, 1), "SAME"),  # Two groups.
    ([5, 5], [3, 3, 2, 3], 2, (2, 2), (1, 1), ((1, 2), (0, 3))),
    ([4, 5, 6], [2, 3, 3, 3, 5], 3, (1, 1, 1), (1, 1, 1), "VALID"),
    ([5, 4, 7], [3, 3, 2, 2, 4], 2, (2, 1, 2), (1, 2, 1), "SAME"),
    ([3, 4, 3], [2, 2, 2, 2, 3], 2, (1, 1, 2), (1, 1, 1), ((1, 1), (0, 2), (2, 0))),
]


def pads_of(case):
    """(before, after) of each dimension of space."""
    space, f_shape, _, strides, dilations, padding = case
    pads = []
    for i, size in enumerate(space):
        extent = (f_shape[i] - 1) * dilations[i] + 1
        if padding == "SAME":
            need = max(0, (-(-size // strides[i]) - 1) * strides[i] + extent - size)
            pads.append((need // 2, need - need // 2))
        else:
            pads.append((0, 0) if padding == "VALID" else padding[i])
    return pads


def reference(x, f, case):
    """Sums over the taps of the filter; x: [n, space..., channels]."""
    space, f_shape, channels, strides, dilations, _ = case
    pads, n = pads_of(case), len(space)
    x = np.pad(x, [(0, 0), *pads, (0, 0)])
    extents = [(f_shape[i] - 1) * dilations[i] + 1 for i in range(n)]
    out = [(x.shape[1 + i] - extents[i]) // strides[i] + 1 for i in range(n)]
    y = np.zeros([len(x), *out, f_shape[-1]], f.dtype)
    own, groups = f_shape[-2], channels // f_shape[-2]
    per = f_shape[-1] // groups
    for tap in itertools.product(*[range(k) for k in f_shape[:n]]):
        where = [
            slice(t * d, t * d + (o - 1) * s + 1, s)
            for t, d, o, s in zip(tap, dilations, out, strides, strict=True)
        ]
        for g in range(groups):
            part = x[(slice(None), *where, slice(g * own, (g + 1) * own))]
            weights = f[(*tap, slice(None), slice(g * per, (g + 1) * per))]
            y[..., g * per : (g + 1) * per] += part @ weights
    return y


def attrs(case, first=False, batch_dims=1):
    *_, strides, dilations, padding = case
    order = (lambda v, one: [one, one, *v]) if first else (lambda v, one: [one, *v, one])  # fmt: skip # noqa: E501
    made = {
        "strides": order(strides, 1),
        "padding": padding if isinstance(padding, str) else "EXPLICIT",
        "dilations": order(dilations, 1),
        "data_format": "CHANNELS_FIRST" if first else "CHANNELS_LAST",
        "batch_dims": batch_dims,
        "groups": case[2] // case[1][-2],
    }
    if not isinstance(padding, str):
        made["explicit_paddings"] = [p for pair in order(padding, (0, 0)) for p in pair]
    return made


def drawn(shape, dtype, seed):
    x = np.random.RandomState(seed).randint(-4, 5, shape)
    return (x if dtype == "int32" else x / 4).astype(tf.as_dtype(dtype).as_numpy_dtype)


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("first", [False, True])
@pytest.mark.parametrize("case", CASES)
def test_values(case, first, dtype):
    space, f_shape, channels, *_ = case
    f = drawn(f_shape, dtype, 1)
    wide = f.astype(np.int64 if dtype == "int32" else np.float64)
    for batch in ([], [2], [2, 3], [1, 2, 2], [0], [2, 0]):
        x = drawn([*batch, *space, channels], dtype, 0)
        flat = x.reshape(int(np.prod(batch)), *space, channels).astype(wide.dtype)
        want = reference(flat, wide, case)
        want = want.reshape(*batch, *want.shape[1:])
        options = attrs(case, first, len(batch))
        if first:
            x = np.moveaxis(x, -1, len(batch)).copy()
            want = np.moveaxis(want, -1, len(batch))
        for known in (False, True):
            got = fed(lambda a, b: tf.conv(a, b, **options), x, f, known=known)
            assert got.dtype == f.dtype and got.shape == want.shape
            tol = TOLERANCE[dtype]
            np.testing.assert_allclose(
                got.astype(wide.dtype), want, rtol=tol, atol=tol * 8
            )


def test_dilations_may_be_left_out():
    x, f = drawn([1, 5, 6, 3], "float32", 0), drawn([3, 3, 3, 4], "float32", 1)
    got = fed(lambda a, b: tf.conv(a, b, [1, 2, 1, 1], "SAME"), x, f)
    want = fed(lambda a, b: tf.nn.conv2d(a, b, [1, 2, 1, 1], "SAME"), x, f)
    np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("first", [False, True])
@pytest.mark.parametrize("batch_dims", [0, 1, 2])
@pytest.mark.parametrize("case", CASES)
def test_first_and_second_derivatives(case, first, batch_dims):
    space, f_shape, channels, *_ = case
    with tf.Graph().as_default(), tf.Session():
        shape = [*[2, 1][:batch_dims], *space, channels]
        x = drawn(shape, "float64", 0)
        x = tf.constant(np.moveaxis(x, -1, batch_dims).copy() if first else x)
        f = tf.constant(drawn(f_shape, "float64", 1))
        y = tf.conv(x, f, **attrs(case, first, batch_dims))
        dx, df = tf.gradients(tf.square(y), [x, f])
        for t in (y, dx, df):
            for v in (x, f):
                error = tf.test.compute_gradient_error(
                    v, v.shape.as_list(), t, t.shape.as_list(), v.eval()
                )
                assert error < 1e-5


def test_what_is_known_of_shapes():
    with tf.Graph().as_default():
        f = tf.ones([3, 3, 3, 4])
        x = tf.placeholder(tf.float32, [None, 2, None, 6, 3])
        y = tf.conv(x, f, [1] * 4, "VALID", batch_dims=2)
        assert y.shape.as_list() == [None, 2, None, 4, 4]
        unknown = tf.placeholder(tf.float32)
        y = tf.conv(unknown, f, [1] * 4, "VALID", batch_dims=2)
        assert y.shape.as_list() == [None, None, None, None, 4]
        y = tf.conv(x, unknown, [1] * 4, "VALID", batch_dims=2)
        assert y.shape.as_list() == [None] * 5
        assert tf.conv(unknown, unknown, [1] * 4, "VALID").shape.ndims is None


@pytest.mark.parametrize(
    ("x", "f", "options", "words"),
    [
        ([2, 6, 3], [3, 3, 4], {"strides": [1] * 3}, "rank 4 or 5"),
        ([5, 6, 3], [3, 3, 3, 4], {}, "rank"),
        ([2, 5, 6, 3], [3, 3, 3, 4], {"batch_dims": 2}, "rank"),
        ([2, 5, 6, 3], [3, 3, 3, 4], {"batch_dims": -1}, "batch_dims must be in"),
        ([2, 5, 6, 3], [3, 3, 2, 4], {}, "groups times the channels"),
        ([2, 5, 6, 4], [3, 3, 2, 4], {}, "groups times the channels"),
        ([2, 5, 6, 4], [3, 3, 4, 4], {"groups": 2}, "groups times the channels"),
        ([2, 5, 6, 4], [3, 3, 2, 5], {"groups": 2}, "groups must divide"),
        ([2, 5, 6, 4], [3, 3, 2, 4], {"groups": 0}, "groups must be > 0"),
        ([2, 5, 6, 0], [3, 3, 0, 4], {}, "filter must have channels"),
        ([2, 5, 6, 3], [3, 3, 3, 4], {"strides": [1, 1, 1]}, "strides must have 4"),
        ([2, 5, 6, 3], [3, 3, 3, 4], {"strides": [2, 1, 1, 1]}, "1 in the batch"),
        ([2, 5, 6, 3], [3, 3, 3, 4], {"strides": [1, 0, 1, 1]}, "must be > 0"),
        ([2, 5, 6, 3], [3, 3, 3, 4], {"dilations": [1, 2]}, "dilations must have 4"),
        ([2, 2, 2, 3], [3, 3, 3, 4], {"padding": "VALID"}, "negative"),
        ([2, 5, 6, 3], [3, 3, 3, 4], {"padding": "EXPLICIT"}, "explicit_paddings"),
    ],
)
def test_bad_arguments(x, f, options, words):
    options = {"strides": [1] * 4, "padding": "SAME", **options}
    arrays = np.zeros(x, np.float32), np.zeros(f, np.float32)
    with pytest.raises((tf.errors.InvalidArgumentError, ValueError), match=words):
        fed(lambda a, b: tf.conv(a, b, **options), *arrays)
    with pytest.raises(ValueError, match=words):
        fed(lambda a, b: tf.conv(a, b, **options), *arrays, known=True)
