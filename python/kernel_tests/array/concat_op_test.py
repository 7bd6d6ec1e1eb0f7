# SPDX-License-Identifier: Apache-2.0
"""Concat, Pack, Split and Unpack against NumPy, for every size of element."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.ops import gen_array_ops

DTYPES = [np.bool_, np.int8, np.float16, np.float32, np.int64, np.complex128, object]


def values(shape, dtype, start=0):
    """Different elements, as far as the dtype has them."""
    n = int(np.prod(shape))
    numbers = np.arange(start, start + n)
    if dtype is object:
        return np.array([b"s%d" % i for i in numbers], dtype=object).reshape(shape)
    return (numbers % 100).astype(dtype).reshape(shape)


def fed(build, *arrays):
    """Runs what `build` makes of placeholders of unknown shape."""
    with tf.Graph().as_default(), tf.Session() as sess:
        placeholders = [
            tf.placeholder(tf.as_dtype(a.dtype) if a.dtype != object else tf.string)
            for a in arrays
        ]
        return sess.run(build(*placeholders), dict(zip(placeholders, arrays)))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    ("shapes", "axis"),
    [
        (([3], [1], [0]), 0),
        (([2, 3], [2, 1], [2, 4]), 1),
        (([2, 3], [2, 1]), -1),
        (([1, 3], [5, 3]), 0),
        (([2, 3, 4], [2, 7, 4]), 1),
        (([2, 0, 4], [2, 0, 4]), 1),
        (([0, 2], [0, 3]), 1),
    ],
)
def test_concat_joins_along_axis(dtype, shapes, axis):
    parts = [values(s, dtype, 7 * i) for i, s in enumerate(shapes)]
    got = fed(lambda *p: gen_array_ops.concat_v2(p[:-1], p[-1]), *parts, np.int32(axis))
    np.testing.assert_array_equal(got, np.concatenate(parts, axis))


def test_concat_of_large_parts_on_all_threads():
    parts = [values([300, 999], np.float32), values([300, 1001], np.float32)]
    got = fed(lambda a, b: gen_array_ops.concat_v2([a, b], 1), *parts)
    np.testing.assert_array_equal(got, np.concatenate(parts, 1))


def test_concat_of_old_takes_its_dimension_first():
    a, b = values([2, 3], np.int32), values([1, 3], np.int32)
    got = fed(lambda x, y: gen_array_ops._concat(0, [x, y]), a, b)
    np.testing.assert_array_equal(got, np.concatenate([a, b]))


@pytest.mark.parametrize(
    ("a", "b", "axis", "words"),
    [
        ([2, 3], [3, 3], 1, None),
        ([2, 3], [2, 3, 1], 0, None),
        ([2, 3], [2, 3], 2, None),
        ([2, 3], [2, 3], -3, None),
        ([], [], 0, None),
    ],
)
def test_concat_refuses_shapes_that_do_not_fit(a, b, axis, words):
    with pytest.raises(tf.errors.InvalidArgumentError, match=words):
        fed(
            lambda x, y, d: gen_array_ops.concat_v2([x, y], d),
            values(a, np.float32),
            values(b, np.float32),
            np.int32(axis),
        )
    with tf.Graph().as_default(), pytest.raises(ValueError):
        gen_array_ops.concat_v2([values(a, np.float32), values(b, np.float32)], axis)


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_concat_offset_adds_sizes_up(axis):
    shapes = [np.array([2, 3], np.int32), np.array([2, 3], np.int32)]
    got = fed(
        lambda d, a, b: gen_array_ops._concat_offset(d, [a, b]), np.int32(axis), *shapes
    )
    want = np.zeros([2, 2], np.int32)
    want[1, axis] = shapes[0][axis]
    np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize(
    ("dim", "shapes", "words"),
    [
        (0, [[[2, 2]], [[3, 2]]], r"input 1 should be a vector, but got shape \[1,2\]"),
        (0, [[2, 2], [[3, 2]]], r"input 2 should be a vector, but got shape \[1,2\]"),
        (0, [2, 3], r"input 1 should be a vector, but got shape \[\]"),
        ([0, 0], [[2], [3]], "Concat dim tensor should be a scalar integer"),
        (2, [[2, 2], [3, 2]], "Concat dim is out of range: 2 vs. 2"),
        (0, [[2, 2], [3]], "should contain 2 elements, but got 1"),
        (0, [[2, 2], [3, 3]], "All dimensions except 0 must match"),
    ],
)
def test_concat_offset_refuses_in_the_run_what_are_no_shapes(dim, shapes, words):
    with tf.Graph().as_default(), tf.Session() as sess:
        offsets = gen_array_ops.concat_offset(dim, shapes)
        with pytest.raises(tf.errors.InvalidArgumentError, match=words):
            sess.run(offsets)


@pytest.mark.parametrize("dtype", [np.bool_, np.float16, np.float32, np.complex128])
@pytest.mark.parametrize(("n", "shape"), [(1, []), (3, []), (2, [0]), (5, [2, 3])])
def test_parallel_stack_is_stack(dtype, n, shape):
    parts = [np.full(shape, i).astype(dtype) for i in range(n)]
    with tf.Graph().as_default(), tf.Session() as sess:
        stacked = tf.parallel_stack(parts)
        assert stacked.shape.as_list() == [n, *shape]
        np.testing.assert_array_equal(sess.run(stacked), np.stack(parts))


def test_parallel_stack_needs_one_known_shape():
    with tf.Graph().as_default():
        with pytest.raises(ValueError, match="fully defined"):
            tf.parallel_stack([tf.placeholder(tf.float32), tf.constant(1.0)])
        with pytest.raises(ValueError, match="equal"):
            tf.parallel_stack([[1.0], [1.0, 2.0]])


def test_parts_that_share_memory_with_the_whole_keep_their_values():
    x = values([4, 32], np.float32)
    with tf.Graph().as_default(), tf.Session() as sess:
        variable = tf.Variable(x)
        sess.run(variable.initializer)
        parts = [
            *tf.split(variable, 2),
            *tf.unstack(variable),
            variable[1:3],
            tf.slice(variable, [2, 0], [1, -1]),
        ]
        got = sess.run(parts)
        sess.run(variable.assign_add(np.ones_like(x)))
        # Written after the read, and read again.
        for part, want in zip(got, [x[:2], x[2:], *x, x[1:3], x[2:3]]):
            np.testing.assert_array_equal(part, want)
        changed = sess.run([tf.square(p) for p in parts])
        np.testing.assert_array_equal(changed[1], (x[2:] + 1) ** 2)
        np.testing.assert_array_equal(sess.run(variable), x + 1)


@pytest.mark.parametrize("known", [False, True])
def test_the_gradient_with_an_int64_axis(known):
    with tf.Graph().as_default(), tf.Session() as sess:
        shapes = [2, 3], [2, 1]
        parts = [tf.placeholder(tf.float32, s if known else None) for s in shapes]
        axis = tf.placeholder_with_default(np.int64(-1), [])
        joined = gen_array_ops.concat_v2(parts, axis)
        upstream = np.arange(8, dtype=np.float32).reshape(2, 4)
        grads = tf.gradients(joined, parts, tf.constant(upstream))
        feeds = {p: np.zeros(s, np.float32) for p, s in zip(parts, shapes)}
        one, two = sess.run(grads, feeds)
    np.testing.assert_array_equal(one, upstream[:, :3])
    np.testing.assert_array_equal(two, upstream[:, 3:])
