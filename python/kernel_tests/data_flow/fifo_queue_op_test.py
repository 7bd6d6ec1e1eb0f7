# SPDX-License-Identifier: Apache-2.0
"""FIFOQueue: order, dtypes, names, shared queues."""

import numpy as np
import pytest

import tensorwright as tf

DTYPES = [
    tf.bool, tf.uint8, tf.int8, tf.int16, tf.uint16, tf.int32, tf.int64, tf.float16,
    tf.bfloat16, tf.float32, tf.float64, tf.complex64, tf.complex128,
]  # fmt: skip


@pytest.mark.parametrize("dtype", DTYPES, ids=lambda d: d.name)
@pytest.mark.parametrize("shape", [[], [0], [3], [2, 3]])
def test_elements_come_in_the_order_in_which_they_went(dtype, shape):
    values = np.arange(5 * int(np.prod(shape))).reshape([5, *shape])
    values = values.astype(dtype.as_numpy_dtype)
    with tf.Graph().as_default(), tf.Session() as session:
        queue = tf.FIFOQueue(9, dtype, shapes=[shape])
        x = tf.placeholder(dtype)
        session.run(queue.enqueue(x), {x: values[0]})
        session.run(queue.enqueue_many(x), {x: values[1:]})
        np.testing.assert_array_equal(session.run(queue.dequeue()), values[0])
        batch = session.run(queue.dequeue_many(3))
        assert batch.dtype == values.dtype
        np.testing.assert_array_equal(batch, values[1:4])
        assert session.run(queue.dequeue_many(0)).shape == (0, *shape)


def test_strings_and_several_components():
    with tf.Graph().as_default(), tf.Session() as session:
        queue = tf.FIFOQueue(
            9, [tf.string, tf.int32], shapes=[[2], []], names=["word", "n"]
        )
        session.run(queue.enqueue({"n": 1, "word": ["a", "b" * 99]}))
        session.run(queue.enqueue_many({"n": [2, 3], "word": [["c", ""], ["d", "e"]]}))
        one = session.run(queue.dequeue())
        assert one["n"] == 1 and one["word"].tolist() == [b"a", b"b" * 99]
        two = session.run(queue.dequeue_many(2))
        assert two["word"].tolist() == [[b"c", b""], [b"d", b"e"]]
        assert two["n"].tolist() == [2, 3]


def test_what_is_known_of_shapes():
    with tf.Graph().as_default():
        queue = tf.FIFOQueue(9, [tf.int32, tf.float32], shapes=[[], [4]])
        assert [c.shape for c in queue.dequeue()] == [[], [4]]
        assert [c.shape for c in queue.dequeue_many(3)] == [[3], [3, 4]]
        n = tf.placeholder(tf.int32, [])
        assert [c.shape.as_list() for c in queue.dequeue_many(n)] == [[None], [None, 4]]
        assert [c.shape.as_list() for c in queue.dequeue_up_to(3)][1] == [None, 4]
        assert queue.size().shape == []
        for wrong in ([1], [1, [2.0]]):
            with pytest.raises(ValueError):
                queue.enqueue(wrong)
        with pytest.raises(ValueError, match="n must be >= 0"):
            queue.dequeue_many(-1)
        with pytest.raises(ValueError, match="fully defined"):
            tf.FIFOQueue(9, tf.int32, shapes=[[None]])
        with pytest.raises(ValueError, match="as many shapes"):
            tf.FIFOQueue(9, tf.int32, shapes=[[], []])
        with pytest.raises(ValueError, match="same length"):
            tf.FIFOQueue(9, tf.int32, names=["a", "b"])
        with pytest.raises(ValueError, match="do not match names"):
            tf.FIFOQueue(9, tf.int32, names="a").enqueue({"b": 1})
        with pytest.raises(ValueError, match="must have names"):
            queue.enqueue({"b": 1})
        with pytest.raises(ValueError, match="enqueue a dictionary"):
            tf.FIFOQueue(9, tf.int32, names="a").enqueue(1)


def test_batches_need_shapes():
    with tf.Graph().as_default(), tf.Session() as session:
        queue = tf.FIFOQueue(9, tf.int32)
        session.run(queue.enqueue([[1, 2]]))
        with pytest.raises(tf.errors.InvalidArgumentError, match="specified shapes"):
            session.run(queue.dequeue_many(1))
        assert session.run(queue.dequeue()).tolist() == [1, 2]


def test_a_shared_name_is_one_queue():
    with tf.Graph().as_default(), tf.Session() as session:
        one = tf.FIFOQueue(9, tf.int32, shapes=[[]], shared_name="shared")
        two = tf.FIFOQueue(9, tf.int32, shapes=[[]], shared_name="shared")
        session.run(one.enqueue(4))
        assert session.run(two.dequeue()) == 4
        bad = {
            "capacity": tf.FIFOQueue(8, tf.int32, shapes=[[]], shared_name="shared"),
            "component types": tf.FIFOQueue(
                9, tf.int64, shapes=[[]], shared_name="shared"
            ),
            "component shapes": tf.FIFOQueue(
                9, tf.int32, shapes=[[1]], shared_name="shared"
            ),
            "Expected FIFOQueue": tf.RandomShuffleQueue(
                9, 1, tf.int32, shapes=[[]], shared_name="shared"
            ),
        }
        for message, queue in bad.items():
            with pytest.raises(tf.errors.InvalidArgumentError, match=message):
                session.run(queue.size())


def test_a_queue_of_a_list():
    with tf.Graph().as_default(), tf.Session() as session:
        queues = [tf.FIFOQueue(9, tf.int32, shapes=[[]]) for _ in range(3)]
        for i, queue in enumerate(queues):
            session.run(queue.enqueue(i * 10))
        which = tf.placeholder(tf.int32, [])
        chosen = tf.QueueBase.from_list(which, queues)
        assert chosen.shapes[0] == []
        for i in range(3):
            assert session.run(chosen.dequeue(), {which: i}) == i * 10
        other = tf.FIFOQueue(9, tf.float32)
        with pytest.raises(TypeError, match="dtypes"):
            tf.QueueBase.from_list(which, [queues[0], other])
        with pytest.raises(TypeError, match="list of queues"):
            tf.QueueBase.from_list(which, [1, 2])
        named = tf.FIFOQueue(9, tf.int32, shapes=[[]], names="a")
        with pytest.raises(ValueError, match="names"):
            tf.QueueBase.from_list(which, [queues[0], named])


def test_a_queue_without_a_limit():
    with tf.Graph().as_default(), tf.Session() as session:
        queue = tf.FIFOQueue(-1, tf.int32, shapes=[[]])
        session.run(queue.enqueue_many([np.arange(5000)]))
        assert session.run(queue.size()) == 5000
