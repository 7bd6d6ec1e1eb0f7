# SPDX-License-Identifier: Apache-2.0
"""StridedSlice, its gradient, slices assigned, Slice, Reverse, Tile and Pad against NumPy."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.ops import gen_array_ops

DTYPES = [np.bool_, np.int8, np.float16, np.float32, np.int64, np.complex128, object]


def values(shape, dtype=np.float32):
    numbers = np.arange(int(np.prod(shape)))
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


def arguments(spec):
    """NumPy's index expression -> begin, end, strides and the masks."""
    begin, end, strides = [], [], []
    masks = dict.fromkeys(
        [
            "begin_mask",
            "end_mask",
            "ellipsis_mask",
            "new_axis_mask",
            "shrink_axis_mask",
        ],
        0,
    )
    for i, s in enumerate(spec if isinstance(spec, tuple) else (spec,)):
        b, e, step = 0, 0, 1
        if s is Ellipsis:
            masks["ellipsis_mask"] |= 1 << i
        elif s is None:
            masks["new_axis_mask"] |= 1 << i
        elif isinstance(s, slice):
            b, e, step = s.start or 0, s.stop or 0, s.step or 1
            masks["begin_mask"] |= (s.start is None) << i
            masks["end_mask"] |= (s.stop is None) << i
        else:
            b, e = s, s + 1
            masks["shrink_axis_mask"] |= 1 << i
        begin.append(b)
        end.append(e)
        strides.append(step)
    return [np.array(v, np.int32) for v in (begin, end, strides)], masks


SPECS = [
    np.s_[2:5],
    np.s_[1:5:2],
    np.s_[::-1],
    np.s_[4:0:-2],
    np.s_[-3:-1],
    np.s_[5:2],
    np.s_[-100:100],
    np.s_[3],
    np.s_[-1],
    np.s_[...],
    np.s_[..., 1:3],
    np.s_[..., 0],
    np.s_[None, 2],
    np.s_[:, None, 1:, 2],
    np.s_[1, ..., None, ::-2],
    np.s_[::2, ::-1, 1::2],
    np.s_[:, 2:2],
    np.s_[0, 1, 2],
    np.s_[1:4],
    np.s_[None, ..., None],
]


@pytest.mark.parametrize("spec", SPECS, ids=str)
def test_strided_slice_is_numpys(spec):
    x = values([6, 5, 4])
    vectors, masks = arguments(spec)
    got = fed(lambda *a: gen_array_ops.strided_slice(*a, **masks), x, *vectors)
    np.testing.assert_array_equal(got, x[spec])
    with tf.Graph().as_default():
        known = gen_array_ops.strided_slice(x, *vectors, **masks)
        assert known.shape.as_list() == list(x[spec].shape)


@pytest.mark.parametrize("dtype", DTYPES)
def test_strided_slice_of_every_element_size(dtype):
    x = values([7, 9], dtype)
    spec = np.s_[::2, 7:1:-3]
    vectors, masks = arguments(spec)
    got = fed(lambda *a: gen_array_ops.strided_slice(*a, **masks), x, *vectors)
    np.testing.assert_array_equal(got, x[spec])


@pytest.mark.parametrize("spec", SPECS, ids=str)
def test_gradient_goes_back_where_the_slice_was(spec):
    shape = np.array([6, 5, 4], np.int32)
    want = np.zeros(shape, np.float32)
    dy = values(want[spec].shape) + 1
    want[spec] = dy
    vectors, masks = arguments(spec)
    got = fed(
        lambda s, b, e, t, d: gen_array_ops.strided_slice_grad(s, b, e, t, d, **masks),
        shape,
        *vectors,
        dy,
    )
    np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize(
    ("begin", "end", "strides", "masks", "words"),
    [
        ([0], [1], [0], {}, "strides\\[0\\] must be non-zero"),
        ([6], [7], [1], {"shrink_axis_mask": 1}, "out of bounds"),
        ([-7], [7], [1], {"shrink_axis_mask": 1}, "out of bounds"),
        ([0], [1], [-1], {"shrink_axis_mask": 1}, "only stride 1"),
        ([0] * 4, [1] * 4, [1] * 4, {}, None),
        ([0, 0], [1, 1], [1, 1], {"ellipsis_mask": 3}, "ellips"),
        ([0, 0], [1], [1], {}, None),
    ],
)
def test_bad_slices_are_refused(begin, end, strides, masks, words):
    vectors = [np.array(v, np.int32) for v in (begin, end, strides)]
    x = values([6, 5, 4])
    with pytest.raises(tf.errors.InvalidArgumentError, match=words):
        fed(lambda *a: gen_array_ops.strided_slice(*a, **masks), x, *vectors)
    with tf.Graph().as_default(), pytest.raises(ValueError, match=words):
        gen_array_ops.strided_slice(x, *vectors, **masks)


@pytest.mark.parametrize("dtype", DTYPES)
def test_slice_takes_a_box(dtype):
    x = values([5, 6, 7], dtype)
    got = fed(
        gen_array_ops._slice,
        x,
        np.array([1, 0, 3], np.int32),
        np.array([2, -1, 1], np.int32),
    )
    np.testing.assert_array_equal(got, x[1:3, :, 3:4])


@pytest.mark.parametrize(
    ("begin", "size"),
    [([6], [0]), ([-1], [1]), ([2], [4]), ([0], [-2]), ([0, 0], [1, 1])],
)
def test_slice_beyond_the_edge_is_refused(begin, size):
    with pytest.raises(tf.errors.InvalidArgumentError):
        fed(
            gen_array_ops._slice,
            values([5]),
            np.array(begin, np.int32),
            np.array(size, np.int32),
        )


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("axes", [[], [0], [1], [-1, 0], [0, 1, 2]])
def test_reverse_turns_round(dtype, axes):
    x = values([3, 4, 5], dtype)
    want = np.flip(x, axes) if axes else x
    got = fed(gen_array_ops.reverse_v2, x, np.array(axes, np.int32))
    np.testing.assert_array_equal(got, want)
    flags = (
        np.isin(np.arange(3), np.array(axes, int) % 3) if axes else np.zeros(3, bool)
    )
    np.testing.assert_array_equal(fed(gen_array_ops._reverse, x, flags), want)


@pytest.mark.parametrize("axes", [[3], [-4], [1, 1], [1, -2]])
def test_reverse_refuses_bad_axes(axes):
    with pytest.raises(tf.errors.InvalidArgumentError):
        fed(gen_array_ops.reverse_v2, values([3, 4, 5]), np.array(axes, np.int32))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    ("shape", "multiples"),
    [
        ([3], [4]),
        ([2, 3], [1, 2]),
        ([2, 3], [3, 1]),
        ([1, 3, 1], [2, 2, 5]),
        ([2, 3], [0, 2]),
        ([], []),
        ([4, 1], [1, 65]),
    ],
)
def test_tile_repeats(dtype, shape, multiples):
    x = values(shape, dtype)
    got = fed(gen_array_ops.tile, x, np.array(multiples, np.int32))
    np.testing.assert_array_equal(got, np.tile(x, multiples))


@pytest.mark.parametrize("times", [2, 3, 4, 5, 8, 16, 17])
@pytest.mark.parametrize("dtype", [np.int8, np.float32, np.complex128])
def test_large_tile_of_a_column(dtype, times):
    """The tensor has more bytes than caches hold, and cache lines do not divide their number."""
    size = (17 << 20) // (np.dtype(dtype).itemsize * times) + 1
    x = values([size, 1], dtype)
    got = fed(gen_array_ops.tile, x, np.array([1, times], np.int32))
    np.testing.assert_array_equal(got, np.tile(x, [1, times]))


@pytest.mark.parametrize("dtype", [np.uint8, np.float32])
def test_large_copies(dtype):
    width = 1031
    x = values([(35 << 20) // (np.dtype(dtype).itemsize * width), width], dtype)
    np.testing.assert_array_equal(
        fed(gen_array_ops.reverse_v2, x, np.array([1], np.int32)), x[:, ::-1]
    )
    np.testing.assert_array_equal(fed(lambda t: t[1:, 1::2], x), x[1:, 1::2])


@pytest.mark.parametrize("multiples", [[-1, 1], [2], [1, 2, 3]])
def test_tile_refuses_bad_multiples(multiples):
    with pytest.raises(tf.errors.InvalidArgumentError):
        fed(gen_array_ops.tile, values([2, 3]), np.array(multiples, np.int32))


@pytest.mark.parametrize(
    "dtype", [np.bool_, np.int8, np.float16, np.float32, np.complex128]
)
@pytest.mark.parametrize(
    ("shape", "paddings"),
    [
        ([3], [[1, 2]]),
        ([2, 3], [[0, 0], [2, 0]]),
        ([2, 3], [[1, 1], [0, 0]]),
        ([2, 3, 4], [[1, 0], [2, 1], [0, 3]]),
        ([0, 3], [[1, 1], [0, 2]]),
        ([], None),
        ([2, 2], [[0, 0], [0, 0]]),
        ([2, 5, 5, 3], [[0, 0], [1, 1], [1, 1], [0, 0]]),
    ],
)
def test_pad_puts_zeros_around(dtype, shape, paddings):
    x = values(shape, dtype)
    pads = (
        np.zeros([0, 2], np.int32) if paddings is None else np.array(paddings, np.int32)
    )
    want = np.pad(x, pads) if paddings is not None else x
    np.testing.assert_array_equal(fed(gen_array_ops._pad, x, pads), want)


@pytest.mark.parametrize(
    "paddings", [[[-1, 1], [0, 0]], [[1, 1]], [[1, 1, 1], [0, 0, 0]]]
)
def test_pad_refuses_bad_paddings(paddings):
    with pytest.raises(tf.errors.InvalidArgumentError):
        fed(gen_array_ops._pad, values([2, 3]), np.array(paddings, np.int32))


@pytest.mark.parametrize("spec", SPECS, ids=str)
@pytest.mark.parametrize("dtype", DTYPES)
def test_slices_of_variables_are_assigned(spec, dtype):
    start = values([6, 5, 4], dtype)
    new = values(np.shape(start[spec]), dtype)
    want = start.copy()
    want[spec] = new
    with tf.Graph().as_default(), tf.Session() as sess:
        variable = tf.Variable(start)
        sess.run(variable.initializer)
        vectors, masks = arguments(spec)
        assigned = gen_array_ops.strided_slice_assign(
            variable._ref(), *vectors, new, **masks
        )
        assert assigned.shape == start.shape
        np.testing.assert_array_equal(sess.run(assigned), want)
        np.testing.assert_array_equal(sess.run(variable), want)
        sess.run(variable.initializer)
        np.testing.assert_array_equal(sess.run(variable[spec].assign(new)), want)


def test_a_slice_is_assigned_in_its_own_shape():
    with tf.Graph().as_default(), tf.Session() as sess:
        variable = tf.Variable(values([6, 5]))
        sess.run(variable.initializer)
        for slot, value, error in [
            (variable[1:3], np.zeros([2, 4], np.float32), tf.errors.UnimplementedError),
            (variable[1], np.zeros([], np.float32), tf.errors.UnimplementedError),
        ]:
            with pytest.raises(error, match="must have the slice's shape"):
                sess.run(slot.assign(value))
        bad = gen_array_ops.strided_slice_assign(
            variable._ref(),
            tf.constant([9]),
            tf.constant([10]),
            [1],
            np.zeros([5], np.float32),
            shrink_axis_mask=1,
        )
        with pytest.raises(tf.errors.InvalidArgumentError, match="out of bounds"):
            sess.run(bad)


def test_tile_grad_of_old_graphs_sums_the_copies():
    x = values([4, 6, 2])
    graph = tf.Graph()
    with graph.as_default():
        tf.constant(x, name="x")
        tf.constant([2, 3, 1], name="multiples")
    graph_def = graph.as_graph_def()
    node = graph_def.node.add()
    node.name, node.op = "grad", "TileGrad"
    node.input.extend(["x", "multiples"])
    node.attr["T"].type = 1
    graph_def.versions.producer = 2
    graph_def.versions.min_consumer = 0
    with tf.Graph().as_default(), tf.Session() as sess:
        (grad,) = tf.import_graph_def(graph_def, return_elements=["grad:0"])
        assert grad.shape.as_list() == [2, 2, 2]
        want = x.reshape([2, 2, 3, 2, 1, 2]).sum((0, 2, 4))
        np.testing.assert_array_equal(sess.run(grad), want)
