# SPDX-License-Identifier: Apache-2.0
"""Buckets, samples and Python input through queues."""

import numpy as np
import pytest

import tensorwright as tf

pytestmark = pytest.mark.usefixtures("fresh_graph")

training = tf.contrib.training


def batches(fetches, count=None):
    """Values until the input ends, or so many."""
    found = []
    with tf.Session() as session:
        session.run(
            [tf.global_variables_initializer(), tf.local_variables_initializer()]
        )
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(session, coord)
        try:
            while count is None or len(found) < count:
                found.append(session.run(fetches))
        except tf.errors.OutOfRangeError:
            pass
        coord.request_stop()
        coord.join(threads, stop_grace_period_secs=5)
    return found


def test_elements_of_one_bucket_make_a_batch():
    x = tf.train.limit_epochs(tf.train.range_input_producer(12, shuffle=False).dequeue(), 12)  # fmt: skip
    which, batch = training.bucket({"x": x}, x % 3, 2, 3, keep_input=x < 11)
    found = batches([which, batch])
    assert len(found) == 5
    seen = [n for w, b in found for n in b["x"] if (b["x"] % 3 == w).all()]
    assert len(seen) == len(set(seen)) == 10 and 11 not in seen


def test_sequences_of_similar_lengths():
    length = tf.train.limit_epochs(tf.train.range_input_producer(9, shuffle=False).dequeue() + 1, 9)  # fmt: skip
    row = tf.fill([length], length)
    lengths, (rows,) = training.bucket_by_sequence_length(
        length, [row], 2, [4, 7], dynamic_pad=True, allow_smaller_final_batch=True
    )
    found = batches([lengths, rows])
    assert sorted(n for ls, _ in found for n in ls) == list(range(1, 10))
    for ls, values in found:
        assert values.shape == (len(ls), max(ls))
        assert len({(n >= 4) + (n >= 7) for n in ls.tolist()}) == 1
        assert [(v == n).sum() for v, n in zip(values, ls)] == ls.tolist()


def test_buckets_that_cannot_be():
    x = tf.constant(1)
    for build in (
        lambda: training.bucket([x], 0, 2, 1),
        lambda: training.bucket([], 0, 2, 2),
        lambda: training.bucket([x], 0, [2], 2),
        lambda: training.bucket([tf.placeholder(tf.int32)], 0, 2, 2),
        lambda: training.bucket_by_sequence_length(x, [x], 2, []),
        lambda: training.bucket_by_sequence_length(x, [x], 2, [2, 1]),
    ):
        with pytest.raises(ValueError):
            build()
    for wrong in (3, [1.5]):
        with pytest.raises(TypeError):
            training.bucket_by_sequence_length(x, [x], 2, wrong)


def test_elements_are_kept_by_their_probability():
    x = tf.train.range_input_producer(10, shuffle=False).dequeue()
    (batch,) = training.rejection_sample(
        [x], lambda t: tf.cast(t[0] % 2, tf.float32), 5, runtime_checks=True
    )
    found = np.concatenate(batches(batch, 4))
    assert found.size == 20 and (found % 2 == 1).all()


@pytest.mark.parametrize("given", [True, False])
def test_classes_get_their_distribution(given):
    labels = tf.constant([0] * 9 + [1])
    initial = [0.9, 0.1] if given else None
    (data,), classes = training.stratified_sample(
        [labels * 2], labels, [0.5, 0.5], 50, initial, enqueue_many=True
    )
    found = batches([data, classes], 8)
    for x, c in found:
        np.testing.assert_array_equal(x, 2 * c)
    assert abs(np.mean([c for _, c in found[1:]]) - 0.5) < 0.12


def test_rows_come_as_often_as_their_rates_say():
    x = tf.range(3)
    (fixed,) = training.resample_at_rate([x], [2.0, 0.0, 1.0])
    (half,) = training.resample_at_rate([tf.range(1000)], tf.fill([1000], 0.5), seed=1)
    weights = np.repeat([1.0, 3.0], 500).astype(np.float32)
    (heavy,), rates = training.weighted_resample([weights], weights, 0.5, seed=2)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        fixed, half, heavy, rates = session.run([fixed, half, heavy, rates])
    assert fixed.tolist() == [0, 0, 2]
    assert 420 < half.size < 580 and (np.diff(half) > 0).all()
    np.testing.assert_allclose(rates, heavy / 2 * 0.5, rtol=1e-5)
    assert 420 < heavy.size < 580


def test_a_generator_is_input():
    def examples():
        yield {"x": [1.0, 2.0], "words": ["a", "b", "c"]}
        yield {"words": []}

    features = {
        "x": tf.FixedLenFeature([2], tf.float32, [9.0, 9.0]),
        "words": tf.VarLenFeature(tf.string),
    }
    found = training.python_input(examples, features)
    with tf.Session() as session:
        first, second = session.run(found), session.run(found)
        with pytest.raises(tf.errors.OutOfRangeError):
            session.run(found)
    assert first["x"].tolist() == [1, 2] and second["x"].tolist() == [9, 9]
    assert first["words"].values.tolist() == [b"a", b"b", b"c"]
    assert second["words"].dense_shape.tolist() == [0]
    with pytest.raises(TypeError):
        training.python_input(examples, {"x": tf.float32})
    with pytest.raises(ValueError):
        training.python_input(examples, {})


def test_threads_feed_what_they_enqueue():
    queue = tf.FIFOQueue(10, tf.int32, [[]])
    x = tf.placeholder(tf.int32, [])
    numbers = iter(range(4))
    runner = training.FeedingQueueRunner(
        queue, [queue.enqueue(x)], feed_fns=[lambda: {x: next(numbers)}]
    )
    tf.train.add_queue_runner(runner)
    assert batches(queue.dequeue()) == [0, 1, 2, 3]
    with pytest.raises(ValueError):
        training.FeedingQueueRunner(queue, [queue.enqueue(x)], feed_fns=[])
