# SPDX-License-Identifier: Apache-2.0
"""Helpers of the tests of elementwise ops: dtypes, values, runs of one op, comparisons."""

import numpy as np

import tensorwright as tf

FLOATS = ["float16", "bfloat16", "float32", "float64"]
COMPLEX = ["complex64", "complex128"]
SIGNED = ["int8", "int16", "int32", "int64"]
UNSIGNED = ["uint8", "uint16", "uint32", "uint64"]
TOLERANCE = {
    "float16": 2e-3,
    "bfloat16": 1e-2,
    "float32": 2e-6,
    "complex64": 4e-6,
    "float64": 4e-15,
    "complex128": 8e-15,
}
SIZES = [0, 1, 17, 5000]


def run(function, dtype, *arrays):
    """function(*arrays) as `dtype`; bfloat16 goes in and out as float32."""
    with tf.Graph().as_default(), tf.Session() as sess:
        feed, inputs = {}, []
        for a in arrays:
            narrow = dtype == "bfloat16" and a.dtype == np.float32
            p = tf.placeholder(tf.as_dtype(a.dtype))
            feed[p] = a
            inputs.append(tf.cast(p, tf.bfloat16) if narrow else p)
        out = function(*inputs)
        if out.dtype == tf.bfloat16:
            out = tf.cast(out, tf.float32)
        return sess.run(out, feed)


def numbers(dtype, shape, low, high, seed=0):
    """Random values in [low, high); of floats such as bfloat16 holds exactly."""
    rng = np.random.RandomState(seed)
    if dtype in SIGNED + UNSIGNED:
        return rng.randint(
            max(low, 0) if dtype in UNSIGNED else low, high, shape
        ).astype(dtype)
    x = rng.uniform(low, high, shape)
    if dtype in COMPLEX:
        return (x + 1j * rng.uniform(-1, 1, shape)).astype(dtype)
    rounded = x.astype(np.float32).view(np.uint32) & np.uint32(0xFFFF0000)
    return rounded.view(np.float32).astype("float32" if dtype == "bfloat16" else dtype)


def expect(got, want, dtype):
    """Equal integers; numbers within what the dtype resolves."""
    assert got.shape == want.shape
    if got.dtype.kind in "fc":
        tol = TOLERANCE[dtype]
        np.testing.assert_allclose(got, want.astype(got.dtype), rtol=tol, atol=tol)
    else:
        np.testing.assert_array_equal(got, want)


def wide(x):
    """x as NumPy computes it best."""
    return x.astype(np.float64) if x.dtype.kind == "f" else x


def sigmoid(x):
    return 1 / (1 + np.exp(-x))
