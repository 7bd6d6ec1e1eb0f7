# SPDX-License-Identifier: Apache-2.0
"""TensorArrays: what is written is what is read, what must not be done is refused."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.ops import gen_data_flow_ops

DTYPES = [
    "float16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8",
    "uint16", "complex64", "complex128", "bool", "str",
]  # fmt: skip


def values(dtype, shape):
    numbers = np.arange(1, 1 + np.prod(shape)).reshape(shape)
    if dtype == "str":
        return np.vectorize(str)(numbers).astype(object)
    return (numbers % 2 == 0) if dtype == "bool" else numbers.astype(dtype)


def as_bytes(x):
    return np.vectorize(str.encode)(x).astype(object) if x.dtype == object else x


def run(build, feed=None):
    with tf.Graph().as_default(), tf.Session() as sess:
        return sess.run(build(), feed)


def tf_type(dtype):
    return tf.string if dtype == "str" else tf.as_dtype(dtype)


@pytest.mark.parametrize("dtype", DTYPES)
def test_elements_are_read_as_they_were_written(dtype):
    x = values(dtype, (2, 3))

    def build():
        array = tf.TensorArray(tf_type(dtype), size=2).write(0, x[1]).write(1, x[0])
        return [array.read(i) for i in (0, 1)]

    got = run(build)
    np.testing.assert_array_equal(got[0], as_bytes(x[1]))
    np.testing.assert_array_equal(got[1], as_bytes(x[0]))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(1,), (5,), (4, 3), (3, 1, 2), (2, 0)])
def test_unstack_and_stack_are_inverse(dtype, shape):
    x = values(dtype, shape) if 0 not in shape else np.zeros(shape, np.float32)
    dtype = "float32" if 0 in shape else dtype
    got = run(lambda: tf.TensorArray(tf_type(dtype), size=shape[0]).unstack(x).stack())
    np.testing.assert_array_equal(got, as_bytes(x))


@pytest.mark.parametrize("dtype", DTYPES)
def test_gather_and_scatter_by_index(dtype):
    x = values(dtype, (3, 2))

    def build():
        array = tf.TensorArray(tf_type(dtype), size=4)
        return array.scatter([3, 0, 2], x).gather([0, 2, 3])

    np.testing.assert_array_equal(run(build), as_bytes(x[[1, 2, 0]]))


@pytest.mark.parametrize("dtype", DTYPES)
def test_split_and_concat_are_inverse(dtype):
    x = values(dtype, (5, 2))

    def build():
        array = tf.TensorArray(tf_type(dtype), size=3, infer_shape=False)
        array = array.split(x, [2, 0, 3])
        return array.read(2), array.size()

    last, size = run(build)
    np.testing.assert_array_equal(last, as_bytes(x[2:]))
    assert size == 3

    def joined():
        array = tf.TensorArray(tf_type(dtype), size=3, infer_shape=False)
        return array.split(x, [2, 0, 3]).concat()

    np.testing.assert_array_equal(run(joined), as_bytes(x))


def test_a_dynamic_array_grows():
    def build():
        array = tf.TensorArray(tf.int32, size=0, dynamic_size=True)
        array = array.write(4, 7)
        return array.size(), array.read(4)

    assert run(build) == (5, 7)


def test_an_unwritten_element_is_zero_if_its_shape_is_known():
    got = run(lambda: tf.TensorArray(tf.float32, 2, element_shape=[3]).read(1))
    np.testing.assert_array_equal(got, np.zeros(3, np.float32))


def test_shapes_are_inferred_and_checked_when_the_graph_is_built():
    with tf.Graph().as_default():
        array = tf.TensorArray(tf.float32, size=3).write(0, [1.0, 2.0])
        assert array.read(0).get_shape().as_list() == [2]
        assert array.stack().get_shape().as_list() == [None, 2]
        with pytest.raises(ValueError, match="elements must have shape"):
            array.write(1, [1.0])


def test_loops_write_and_read():
    def build():
        squares = tf.TensorArray(tf.float32, size=10)
        _, squares = tf.while_loop(
            lambda i, _: i < 10,
            lambda i, a: (i + 1, a.write(i, tf.to_float(i) ** 2)),
            (0, squares),
        )
        return squares.stack()

    np.testing.assert_array_equal(run(build), np.arange(10.0) ** 2)


def test_a_cond_chooses_between_arrays():
    def build(pred):
        array = tf.TensorArray(tf.float32, size=1, clear_after_read=False)
        array = tf.cond(
            tf.constant(pred), lambda: array.write(0, 1.0), lambda: array.write(0, 2.0)
        )
        return array.read(0)

    assert run(lambda: build(True)) == 1.0
    assert run(lambda: build(False)) == 2.0


BAD = {
    "Tried to write to index -1 but array is not resizeable": lambda a: (
        a.write(-1, 1.0).flow
    ),
    "Tried to write to index 2 but array is not resizeable and size is: 2": lambda a: (
        a.write(2, 1.0).flow
    ),
    "Could not write to TensorArray index 0 because it has already been written to": lambda a: (
        a.write(0, 1.0).write(0, 1.0).flow
    ),
    "Tried to read from index 2 but array size is: 2": lambda a: a.read(2),
    "Could not read from TensorArray index 0, which was never written": lambda a: (
        a.read(0)
    ),
    "Could not read index 0 twice because it was cleared": lambda a: _read_twice(a),
    "is closed": lambda a: _closed(a),
    "Dimensions must be equal, but are 2 and 1": lambda a: _scatter(a, [0, 1], [1.0]),
    "lengths must be >= 0, one is -1": lambda a: _split(a, [1.0], [2, -1]),
    "sum of lengths is 3 and value's shape is: .1.": lambda a: _split(a, [1.0], [2, 1]),
    "sum of lengths is too large": lambda a: _split(a, [1.0], [2**62, 2**62]),
    "size is not equal to the size of lengths .2 vs. 1": lambda a: _split(
        a, [1.0], [1]
    ),
}


def _read_twice(array):
    array = array.write(0, 1.0)
    with tf.control_dependencies([array.read(0)]):
        return array.identity().read(0)


def _closed(array):
    with tf.control_dependencies([array.close()]):
        return array.identity().size()


def _scatter(array, indices, value):
    indices = tf.placeholder_with_default(np.int32(indices), None)
    value = tf.placeholder_with_default(np.float32(value), None)
    return gen_data_flow_ops.tensor_array_scatter_v3(
        array.handle, indices, value, array.flow
    )


def _split(array, value, lengths):
    return gen_data_flow_ops.tensor_array_split_v3(
        array.handle, np.float32(value), np.int64(lengths), array.flow
    )


@pytest.mark.parametrize("message", BAD)
def test_wrong_use_is_an_invalid_argument(message):
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        run(lambda: BAD[message](tf.TensorArray(tf.float32, size=2)))


def test_elements_of_another_type_or_shape_are_refused():
    def build():
        handle = tf.TensorArray(tf.float32, size=2, element_shape=[2])
        return gen_data_flow_ops.tensor_array_write_v3(
            handle.handle, 0, tf.constant([1, 2]), handle.flow
        )

    with pytest.raises(
        tf.errors.InvalidArgumentError,
        match="dtype is float but Op is trying to write dtype int32",
    ):
        run(build)


def test_the_wrong_arguments_of_the_class_are_refused():
    with tf.Graph().as_default():
        with pytest.raises(ValueError, match="Size must be declared"):
            tf.TensorArray(tf.float32)
        array = tf.TensorArray(tf.float32, size=1)
        with pytest.raises(ValueError, match="both a handle and size"):
            tf.TensorArray(tf.float32, size=1, handle=array.handle)
        with pytest.raises(TypeError, match="Handle must be a Tensor"):
            tf.TensorArray(tf.float32, handle="x")


@pytest.mark.parametrize("version", ["", "_v2", "_v3"])
def test_every_generation_of_handles_works(version):
    def ops(name):
        return getattr(gen_data_flow_ops, f"_tensor_array{name}{version}")

    def build():
        made = ops("")(3, dtype=tf.float32, clear_after_read=False)
        handle, flow = made if version == "_v3" else (made, tf.constant(0.0))
        flow = ops("_scatter")(handle, [0, 1, 2], [[1.0], [2.0], [3.0]], flow)
        row = ops("_read")(handle, 1, flow, dtype=tf.float32)
        size = ops("_size")(handle, flow)
        rows = ops("_gather")(handle, [2, 0], flow, dtype=tf.float32)
        joined, lengths = ops("_concat")(handle, flow, dtype=tf.float32)
        with tf.control_dependencies([row, size, rows, joined]):
            closed = ops("_close")(handle)
        with tf.control_dependencies([closed]):
            return row, size, rows, joined, tf.identity(lengths)

    row, size, rows, joined, lengths = run(build)
    assert row == [2.0] and size == 3
    np.testing.assert_array_equal(rows, [[3.0], [1.0]])
    np.testing.assert_array_equal(joined, [1.0, 2.0, 3.0])
    np.testing.assert_array_equal(lengths, [1, 1, 1])


@pytest.mark.parametrize("version", ["", "_v2", "_v3"])
def test_every_generation_refuses_what_is_not_in_the_array(version):
    def ops(name):
        return getattr(gen_data_flow_ops, f"_tensor_array{name}{version}")

    def build(use):
        made = ops("")(3, dtype=tf.float32, name="array")
        return use(*(made if version == "_v3" else (made, tf.constant(0.0))))

    def read(handle, flow):
        return ops("_read")(handle, 3, flow, dtype=tf.float32)

    def write(index):
        return lambda handle, flow: ops("_write")(handle, index, 1.0, flow)

    def scatter(index):
        return lambda h, flow: ops("_scatter")(h, [0, index], [1.0, 2.0], flow)

    rule = "TensorArray array.*: Tried to write to index {} but array is not resizeable"
    below, above = rule.format(-1), rule.format(3)
    for use, words in (
        (read, "TensorArray array.*: Tried to read from index 3"),
        (write(-1), below),
        (write(3), above),
        (scatter(-1), below),
        (scatter(3), above),
    ):
        with pytest.raises(tf.errors.InvalidArgumentError, match=words):
            run(lambda use=use: build(use))


@pytest.mark.parametrize("version", ["", "_v2", "_v3"])
def test_what_waits_for_the_close_finds_the_array_closed(version):
    def ops(name):
        return getattr(gen_data_flow_ops, f"_tensor_array{name}{version}")

    def build():
        made = ops("")(1, dtype=tf.float32)
        handle, flow = made if version == "_v3" else (made, tf.constant(0.0))
        with tf.control_dependencies([ops("_close")(handle)]):
            return ops("_size")(handle, flow)

    with pytest.raises(tf.errors.OpError, match="closed|not exist|not found"):
        run(build)


def test_the_first_generation_packs_and_unpacks():
    def build():
        handle = gen_data_flow_ops._tensor_array(2, dtype=tf.float32)
        flow = gen_data_flow_ops._tensor_array_unpack(handle, [1.0, 2.0], 0.0)
        return gen_data_flow_ops._tensor_array_pack(handle, flow, dtype=tf.float32)

    np.testing.assert_array_equal(run(build), [1.0, 2.0])


def gradient(function, x, upstream):
    with tf.Graph().as_default(), tf.Session() as sess:
        p = tf.placeholder(tf.float64, x.shape)
        y = function(p)
        return sess.run(tf.gradients(y, p, np.asarray(upstream, x.dtype)), {p: x})[0]


def test_gradients_of_reads_add_up():
    x = np.array([1.0, 2.0])

    def twice(p):
        array = tf.TensorArray(tf.float64, size=2, clear_after_read=False)
        array = array.unstack(p)
        return array.read(1) * 3.0 + array.read(1) * 4.0 + array.read(0)

    np.testing.assert_allclose(gradient(twice, x, 2.0), [2.0, 14.0])


def test_gradients_of_rows_that_are_not_read_are_zero():
    x = np.arange(6.0).reshape(3, 2)
    got = gradient(
        lambda p: tf.TensorArray(tf.float64, size=3).unstack(p).read(1), x, [5.0, 7.0]
    )
    np.testing.assert_allclose(got, [[0, 0], [5, 7], [0, 0]])


def test_gradients_go_through_gather_split_and_concat():
    x = np.arange(8.0).reshape(4, 2)
    g = np.random.RandomState(0).standard_normal((4, 2))

    def split_and_concat(p):
        array = tf.TensorArray(tf.float64, size=2, infer_shape=False)
        return array.split(p * p, [1, 3]).concat()

    np.testing.assert_allclose(gradient(split_and_concat, x, g), 2 * x * g)

    def scatter_and_gather(p):
        array = tf.TensorArray(tf.float64, size=4)
        return array.scatter([2, 0, 1, 3], p * p).gather([0, 1, 2, 3])

    np.testing.assert_allclose(
        gradient(scatter_and_gather, x, g), 2 * x * g[[2, 0, 1, 3]]
    )


def test_gradients_go_through_a_loop():
    x = np.array([0.5, -1.0, 2.0])
    g = np.array([1.0, 10.0, 100.0])

    def products(p):
        rows = tf.TensorArray(tf.float64, size=3, clear_after_read=False).unstack(p)
        _, _, out = tf.while_loop(
            lambda i, *_: i < 3,
            lambda i, s, a: (i + 1, s * rows.read(i), a.write(i, s * rows.read(i))),
            (0, tf.constant(1.0, tf.float64), tf.TensorArray(tf.float64, size=3)),
        )
        return out.stack()

    def want(x):
        y = np.cumprod(x)
        return np.array(
            [sum(g[j] * y[j] / x[i] for j in range(i, 3)) for i in range(3)]
        )

    np.testing.assert_allclose(gradient(products, x, g), want(x))


def test_a_stack_needs_one_shape():
    def build():
        array = tf.TensorArray(tf.float32, size=2, infer_shape=False)
        return array.write(0, [1.0]).write(1, [1.0, 2.0]).stack()

    words = "inconsistent shapes.  Index 0 has shape: .1. but index 1 has shape: .2."
    with pytest.raises(tf.errors.InvalidArgumentError, match=words):
        run(build)
    with pytest.raises(
        tf.errors.UnimplementedError, match="has size zero, but element"
    ):
        run(lambda: tf.TensorArray(tf.float32, size=0).stack())


def test_a_growing_array_has_no_index_below_0():
    with pytest.raises(tf.errors.InvalidArgumentError, match="-1, which must be >= 0"):
        run(
            lambda: tf.TensorArray(tf.float32, 0, dynamic_size=True).write(-1, 1.0).flow
        )
