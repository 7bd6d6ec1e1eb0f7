# SPDX-License-Identifier: Apache-2.0
"""PaddingFIFOQueue: batches of elements of different sizes."""

import numpy as np
import pytest

import tensorwright as tf


def padded(arrays, shape):
    """Returns the batch in which arrays are padded to the largest of them."""
    largest = [
        max([s or 0, *(a.shape[d] for a in arrays)]) for d, s in enumerate(shape)
    ]
    batch = np.zeros([len(arrays), *largest], arrays[0].dtype)
    if batch.dtype == object:
        batch[...] = b""
    for row, a in zip(batch, arrays):
        row[tuple(slice(0, n) for n in a.shape)] = a
    return batch


@pytest.mark.parametrize(
    "shape", [[None], [2, None], [None, 3], [None] * 3, [None] * 6]
)
@pytest.mark.parametrize("dtype", [tf.uint8, tf.int64, tf.float32, tf.complex128])
def test_a_batch_has_the_largest_sizes_and_zeros(shape, dtype):
    rng = np.random.RandomState(len(shape))
    arrays = []
    for _ in range(4):
        size = [rng.randint(0, 4) if s is None else s for s in shape]
        arrays.append(rng.randint(1, 100, size).astype(dtype.as_numpy_dtype))
    with tf.Graph().as_default(), tf.Session() as session:
        queue = tf.PaddingFIFOQueue(9, dtype, shapes=[shape])
        x = tf.placeholder(dtype)
        for a in arrays:
            session.run(queue.enqueue(x), {x: a})
        # One by itself is not padded.
        np.testing.assert_array_equal(session.run(queue.dequeue()), arrays[0])
        batch = session.run(queue.dequeue_many(3))
        np.testing.assert_array_equal(batch, padded(arrays[1:], shape))
        empty = session.run(queue.dequeue_many(0))
        assert empty.shape == (0, *(s or 0 for s in shape))


def test_strings_are_padded_with_empty_ones():
    with tf.Graph().as_default(), tf.Session() as session:
        queue = tf.PaddingFIFOQueue(9, [tf.string, tf.int32], shapes=[[None], []])
        x = tf.placeholder(tf.string)
        for words in (["a"], ["b", "c"], []):
            session.run(queue.enqueue([x, len(words)]), {x: np.array(words, object)})
        session.run(queue.close())
        words, n = session.run(queue.dequeue_up_to(9))
        assert words.tolist() == [[b"a", b""], [b"b", b"c"], [b"", b""]]
        assert n.tolist() == [1, 2, 0]


def test_batches_are_taken_apart():
    with tf.Graph().as_default(), tf.Session() as session:
        queue = tf.PaddingFIFOQueue(9, tf.int32, shapes=[[None, 2]])
        session.run(queue.enqueue_many([np.arange(12).reshape(2, 3, 2)]))
        np.testing.assert_array_equal(
            session.run(queue.dequeue()), np.arange(6).reshape(3, 2)
        )
        assert queue.dequeue().shape.as_list() == [None, 2]
        assert queue.dequeue_many(4).shape.as_list() == [4, None, 2]


def test_what_does_not_fit_is_refused():
    with tf.Graph().as_default(), tf.Session() as session:
        queue = tf.PaddingFIFOQueue(9, tf.int32, shapes=[[None, 2]])
        x = tf.placeholder(tf.int32)
        for value in (1, [1, 2], [[1, 2, 3]]):
            with pytest.raises(tf.errors.InvalidArgumentError, match="Shape mismatch"):
                session.run(queue.enqueue(x), {x: value})
        with pytest.raises(ValueError, match="defined rank"):
            tf.PaddingFIFOQueue(9, tf.int32, shapes=[tf.TensorShape(None)])
        with pytest.raises(ValueError, match="as many shapes"):
            tf.PaddingFIFOQueue(9, [tf.int32] * 2, shapes=[[None]])
