# SPDX-License-Identifier: Apache-2.0
"""Ops on lists of tensors against lists of Python: values, gradients, bad input."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.ops import gen_list_ops as lists

pytestmark = pytest.mark.usefixtures("fresh_graph")

X = np.arange(12.0).reshape(4, 3)
DTYPES = [
    tf.float32, tf.float64, tf.float16, tf.bfloat16, tf.int8, tf.int16, tf.int32, tf.int64,
    tf.uint8, tf.uint16, tf.bool, tf.complex64, tf.complex128, tf.string,
]  # fmt: skip


def run(tensors, feeds=None):
    with tf.Session() as session:
        return session.run(tensors, feeds)


def stack(handle, dtype=tf.float64, shape=-1):
    return lists.tensor_list_stack(handle, shape, dtype)


def rows(x=X):
    return lists.tensor_list_from_tensor(tf.constant(x), list(np.shape(x)[1:]))


def values_of(dtype):
    if dtype == tf.string:
        return np.array([[b"a", b"bb"], [b"", b"c"], [b"dd", b"e"]], object)
    return (np.arange(6).reshape(3, 2) % 2).astype(dtype.as_numpy_dtype)


@pytest.mark.parametrize("dtype", DTYPES, ids=lambda d: d.name)
def test_every_dtype_goes_in_and_out(dtype):
    x = values_of(dtype)
    handle = lists.tensor_list_from_tensor(tf.constant(x, dtype), [2])
    handle = lists.tensor_list_set_item(handle, 1, tf.constant(x[2], dtype))
    longer = lists.tensor_list_resize(handle, 4)
    got, read, zeros = run(
        [
            stack(longer, dtype, [2]),
            lists.tensor_list_get_item(handle, 1, [2], dtype),
            lists.tensor_list_get_item(longer, 3, [2], dtype),
        ]
    )
    np.testing.assert_array_equal(got[:3], x[[0, 2, 2]])
    np.testing.assert_array_equal(read, x[2])
    np.testing.assert_array_equal(got[3], zeros)
    assert not any(bool(z) for z in zeros)


def test_pushing_and_popping():
    handle = lists.empty_tensor_list([3], -1, tf.float64)
    for row in X:
        handle = lists.tensor_list_push_back(handle, row)
    shorter, last = lists.tensor_list_pop_back(handle, [3], tf.float64)
    again = lists.tensor_list_push_back(shorter, last + 1)
    got = run([stack(handle), stack(shorter), last, stack(again)])
    np.testing.assert_array_equal(got[0], X)
    np.testing.assert_array_equal(got[1], X[:3])
    np.testing.assert_array_equal(got[2], X[3])
    np.testing.assert_array_equal(got[3][3], X[3] + 1)


@pytest.mark.parametrize("n", [0, 1, 31, 32, 33, 64, 65, 200])
def test_long_lists_change_without_their_copies(n):
    x = np.random.default_rng(n).normal(size=(n, 2))
    first = rows(x)
    handle, expected = first, x.copy()
    for i in range(0, n, 7):
        handle = lists.tensor_list_set_item(handle, i, np.array([9.0, i]))
        expected[i] = 9, i
    cut = lists.tensor_list_resize(handle, n // 2)
    longer = lists.tensor_list_resize(cut, n)
    end = np.concatenate([expected[: n // 2], np.zeros((n - n // 2, 2))])
    got = run([stack(first), stack(handle, shape=[2]), stack(cut), stack(longer)])
    np.testing.assert_array_equal(got[0], x)
    np.testing.assert_array_equal(got[1], expected)
    np.testing.assert_array_equal(got[2], expected[: n // 2])
    np.testing.assert_array_equal(got[3], end)
    assert run(lists.tensor_list_length(longer)) == n


def test_a_list_grows_in_a_loop():
    _, handle = tf.while_loop(
        lambda i, h: i < 100,
        lambda i, h: (i + 1, lists.tensor_list_push_back(h, tf.cast(i, tf.float64))),
        [0, lists.empty_tensor_list(tf.constant([], tf.int32), -1, tf.float64)],
    )
    np.testing.assert_array_equal(run(stack(handle)), np.arange(100.0))


def test_rows_are_scattered_and_gathered():
    made = lists.tensor_list_scatter(X, [5, 0, 3, 1], [3])
    second = lists.tensor_list_scatter_v2(X, [5, 0, 3, 1], [3], 8)
    any_size = lists.tensor_list_scatter_v2(X, [5, 0, 3, 1], [3], -1)
    into = lists.tensor_list_scatter_into_existing_list(made, X[:2] + 50, [3, 7])
    expected = np.zeros((6, 3))
    expected[[5, 0, 3, 1]] = X
    np.testing.assert_array_equal(run(stack(made)), expected)
    np.testing.assert_array_equal(run(stack(any_size)), expected)
    np.testing.assert_array_equal(run(stack(second))[:6], expected)
    assert run(stack(second)).shape == (8, 3)
    wider = np.zeros((8, 3))
    wider[:6] = expected
    wider[[3, 7]] = X[:2] + 50
    np.testing.assert_array_equal(run(stack(into)), wider)
    got = run(lists.tensor_list_gather(into, [7, 2, 7, 0], [3], tf.float64))
    np.testing.assert_array_equal(got, wider[[7, 2, 7, 0]])


def test_pieces_end_to_end():
    lengths = np.int64([2, 0, 1, 1])
    pieces = lists.tensor_list_split(X, [-1, 3], lengths)
    joined, sizes = lists.tensor_list_concat_v2(
        pieces, [-1, 3], np.int64([]), tf.float64
    )
    old, _ = lists.tensor_list_concat(pieces, tf.float64, element_shape=[None, 3])
    unset = lists.tensor_list_resize(pieces, 5)
    padded, padded_sizes = lists.tensor_list_concat_v2(
        unset, [-1, 3], np.int64([9, 9, 9, 9, 2]), tf.float64
    )
    assert joined.shape.as_list() == [None, 3]
    got = run([joined, sizes, old, padded, padded_sizes])
    np.testing.assert_array_equal(got[0], X)
    np.testing.assert_array_equal(got[1], lengths)
    np.testing.assert_array_equal(got[2], X)
    np.testing.assert_array_equal(got[3], np.concatenate([X, np.zeros((2, 3))]))
    np.testing.assert_array_equal(got[4], [*lengths, 2])


def test_lists_of_several_handles():
    a, b = rows(), rows(X[:2] + 1)
    both = lists.tensor_list_concat_lists(a, b, tf.float64)
    pair = tf.stack([a, b])
    pushed = lists.tensor_list_push_back_batch(pair, X[2:] + 7)
    first, second = tf.unstack(pushed, 2)
    got = run([stack(both), stack(first), stack(second)])
    np.testing.assert_array_equal(got[0], np.concatenate([X, X[:2] + 1]))
    np.testing.assert_array_equal(got[1], np.concatenate([X, X[2:3] + 7]))
    np.testing.assert_array_equal(got[2], np.concatenate([X[:2] + 1, X[3:] + 7]))


def test_shapes_are_what_is_known():
    handle = lists.tensor_list_reserve([-1, 3], 2, tf.float64)
    for dtype in (tf.int32, tf.int64):
        assert run(lists.tensor_list_element_shape(handle, dtype)).tolist() == [-1, 3]
    any_shape = lists.tensor_list_reserve(-1, 2, tf.float64)
    assert run(lists.tensor_list_element_shape(any_shape, tf.int32)) == -1
    assert stack(rows()).shape.as_list() == [None, 3]
    assert lists.tensor_list_get_item(rows(), 0, -1, tf.float64).shape == [3]
    assert run(stack(lists.tensor_list_reserve([2, 3], 0, tf.float64))).shape == (
        0,
        2,
        3,
    )


GRADIENTS = {
    "stack": lambda x: stack(lists.tensor_list_from_tensor(x, [3])),
    "get": lambda x: (
        lists.tensor_list_get_item(
            lists.tensor_list_from_tensor(x, [3]), 2, [3], tf.float64
        )
        * lists.tensor_list_get_item(
            lists.tensor_list_from_tensor(x, [3]), 1, [3], tf.float64
        )
    ),
    "set": lambda x: stack(
        lists.tensor_list_set_item(
            lists.tensor_list_from_tensor(x, [3]), 1, x[0] * x[2]
        )
    ),
    "set behind the end": lambda x: stack(
        lists.tensor_list_set_item(
            lists.tensor_list_from_tensor(x, [3]),
            6,
            x[0] * x[2],
            resize_if_index_out_of_bounds=True,
        )
    ),
    "push": lambda x: stack(
        lists.tensor_list_push_back(lists.tensor_list_from_tensor(x, [3]), x[0] * x[1])
    ),
    "pop": lambda x: (
        lists.tensor_list_pop_back(
            lists.tensor_list_from_tensor(x, [3]), [3], tf.float64
        )[1]
        ** 2
    ),
    "pop and use the rest": lambda x: stack(
        lists.tensor_list_pop_back(
            lists.tensor_list_from_tensor(x, [3]), [3], tf.float64
        )[0]
    ),
    "resize": lambda x: stack(
        lists.tensor_list_resize(lists.tensor_list_from_tensor(x, [3]), 2)
    ),
    "gather": lambda x: lists.tensor_list_gather(
        lists.tensor_list_from_tensor(x, [3]), [1, 1, 3], [3], tf.float64
    ),
    "scatter": lambda x: stack(lists.tensor_list_scatter(x * x, [5, 0, 3, 1], [3])),
    "scatter_v2": lambda x: stack(
        lists.tensor_list_scatter_v2(x * x, [5, 0, 3, 1], [3], 7)
    ),
    "scatter_into": lambda x: stack(
        lists.tensor_list_scatter_into_existing_list(
            lists.tensor_list_from_tensor(x, [3]), x[:2] * x[1:3], [2, 6]
        )
    ),
    "split": lambda x: lists.tensor_list_concat_v2(
        lists.tensor_list_split(x * x, [-1, 3], np.int64([1, 0, 3])),
        [-1, 3],
        np.int64([]),
        tf.float64,
    )[0],
    "concat": lambda x: lists.tensor_list_concat(
        lists.tensor_list_split(x * x, [-1, 3], np.int64([1, 0, 3])),
        tf.float64,
        element_shape=[None, 3],
    )[0],
}


@pytest.mark.parametrize("name", sorted(GRADIENTS))
def test_gradients(name):
    x = tf.constant(X / 7 + 0.1)
    y = GRADIENTS[name](x)
    shape = run(y).shape
    with tf.Session():
        assert (
            tf.test.compute_gradient_error(x, [4, 3], y, list(shape), X / 7 + 0.1)
            < 1e-5
        )


def test_a_list_that_is_read_twice_adds_its_gradients():
    x = tf.constant(X / 7)
    handle = lists.tensor_list_from_tensor(x, [3])
    y = stack(handle) * 2 + lists.tensor_list_gather(
        handle, [0, 0, 1, 2], [3], tf.float64
    )
    with tf.Session():
        assert tf.test.compute_gradient_error(x, [4, 3], y, [4, 3]) < 1e-6


BAD = {
    "index": (lambda: lists.tensor_list_get_item(rows(), 4, [3], tf.float64), "element 4"),
    "negative": (
        lambda: lists.tensor_list_set_item(rows(), -1, X[0]),
        "element -1 in a list with 4",
    ),
    "dtype": (lambda: stack(hidden(rows()), tf.float32), "Invalid data types"),
    "shape": (
        lambda: lists.tensor_list_set_item(hidden(rows()), 0, np.ones(1)),
        "does not fit the list's element shape",
    ),
    "empty": (
        lambda: lists.tensor_list_pop_back(
            lists.empty_tensor_list([3], -1, tf.float64), [3], tf.float64
        )[1],
        "empty list",
    ),
    "full": (
        lambda: stack(
            lists.tensor_list_push_back(
                lists.tensor_list_push_back(
                    lists.empty_tensor_list([3], 1, tf.float64), X[0]
                ),
                X[1],
            )
        ),
        "full list",
    ),
    "too long": (
        lambda: stack(lists.tensor_list_reserve([3], 2**31 - 1, tf.float64)),
        "at most",
    ),
    "less than none": (
        lambda: stack(lists.tensor_list_reserve([3], -1, tf.float64)),
        "non negative",
    ),
    "unknown": (
        lambda: stack(lists.tensor_list_reserve([-1], 2, tf.float64)),
        "non-fully-defined",
    ),
    "unset": (
        lambda: lists.tensor_list_get_item(
            lists.tensor_list_reserve([-1], 2, tf.float64), 0, -1, tf.float64
        ),
        "uninitialized",
    ),
    "ragged": (
        lambda: stack(lists.tensor_list_split(X, -1, np.int64([1, 3]))),
        "unequal",
    ),
    "lengths": (
        lambda: stack(lists.tensor_list_split(X, -1, np.int64([1, 2]))),
        "Unused values",
    ),
    "too many": (
        lambda: stack(lists.tensor_list_split(X, -1, np.int64([1, 2**62]))),
        "Attempting to slice",
    ),
    "negative length": (
        lambda: stack(lists.tensor_list_split(X, -1, np.int64([5, -1]))),
        "lengths",
    ),
    "count": (
        lambda: lists.tensor_list_stack(rows(), [3], tf.float64, num_elements=3),
        "expected a list with 3",
    ),
    "scattered": (
        lambda: stack(lists.tensor_list_scatter_v2(X, [0, 1, 2, 9], [3], 5)),
        "out of range",
    ),
    "scattered below": (
        lambda: stack(lists.tensor_list_scatter(X, [0, 1, 2, -9], [3])),
        "non-negative",
    ),
    "gathered": (
        lambda: lists.tensor_list_gather(rows(), [4], [3], tf.float64),
        "out of range",
    ),
    "scalars": (
        lambda: lists.tensor_list_concat_v2(
            lists.tensor_list_from_tensor(X[0], -1), -1, np.int64([]), tf.float64
        )[0],
        "at least vectors",
    ),
    "no list": (
        lambda: lists.tensor_list_length(
            tf.data.Dataset.range(3)._variant_tensor
        ),
        "not a list",
    ),
    "other lists": (
        lambda: stack(lists.tensor_list_concat_lists(rows(), rows(X[:, :2]), tf.float64)),
        "identical",
    ),
}  # fmt: skip


def hidden(handle):
    """Returns the list, of whose elements the graph knows neither dtype nor shape."""
    return tf.placeholder_with_default(handle, [])


@pytest.mark.parametrize("name", sorted(BAD))
def test_what_does_not_fit_is_refused(name):
    build, text = BAD[name]
    with pytest.raises(tf.errors.InvalidArgumentError, match=text):
        run(build())


def test_what_the_graph_knows_is_checked_when_it_is_built():
    for build in (
        lambda: lists.tensor_list_set_item(rows(), 0, [1.0]),
        lambda: stack(rows(), tf.float32),
        lambda: lists.tensor_list_from_tensor(X, [4]),
        lambda: lists.tensor_list_gather(rows(), [[1]], [3], tf.float64),
        lambda: lists.tensor_list_split(X, [-1, 4], np.int64([4])),
    ):
        with pytest.raises(ValueError):
            build()


def test_lists_in_lists_however_deep_are_given_back():
    """The end of the outermost list releases all of them, one after the other."""
    empty = lists.empty_tensor_list(tf.constant([], tf.int32), -1, tf.variant)
    _, nested = tf.while_loop(
        lambda i, handle: i < 100000,
        lambda i, handle: (i + 1, lists.tensor_list_push_back(empty, handle)),
        [tf.constant(0), empty],
        back_prop=False,
    )
    assert run(lists.tensor_list_length(nested)) == 1
