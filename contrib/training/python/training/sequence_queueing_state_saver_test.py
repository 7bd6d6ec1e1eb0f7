# SPDX-License-Identifier: Apache-2.0
"""Parts of sequences come in order, with the states of the parts before; networks go on where they stopped."""

import numpy as np
import pytest

import tensorwright as tf

pytestmark = pytest.mark.usefixtures("fresh_graph")

training = tf.contrib.training


def saver(batch_size=2, num_unroll=3, **options):
    key, length = tf.placeholder(tf.string, []), tf.placeholder(tf.int32, [])
    x = tf.placeholder(tf.float32, [None, 2])
    made = training.SequenceQueueingStateSaver(
        batch_size, num_unroll, length, key, {"x": x}, {"c": tf.fill([1], tf.size(x))},
        {"s": tf.constant([5.0, 6.0])}, **options,
    )  # fmt: skip
    return made, key, length, x


def values(first, steps):
    return first + np.arange(2.0 * steps).reshape(steps, 2)


def test_parts_have_the_states_of_those_before():
    made, key, length, x = saver()
    batch = made.next_batch
    assert made.next_batch is batch and batch.sequences["x"].get_shape().as_list() == [2, 3, 2]  # fmt: skip
    save = batch.save_state("s", batch.state("s") + 10.0 * tf.cast(batch.sequence + 1, tf.float32)[:, None])  # fmt: skip
    fetched = {
        n: getattr(batch, n)
        for n in ("key", "next_key", "sequence", "sequence_count", "total_length", "length", "insertion_index", "sequences", "context", "batch_size")
    }  # fmt: skip
    fetched.update(state=batch.state("s"), save=save)
    with tf.Session() as session:
        session.run(made.prefetch_op, {key: b"a", length: 5, x: values(0, 6)})
        session.run(made.prefetch_op, {key: b"b", length: 6, x: values(50, 6)})
        first, second = session.run(fetched), session.run(fetched)
        session.run(made.close())
        with pytest.raises(tf.errors.OutOfRangeError):
            session.run(batch.key)
    assert first["key"].tolist() == [b"00000_of_00002:a", b"00000_of_00002:b"]
    assert first["next_key"].tolist() == second["key"].tolist()
    assert second["next_key"].tolist() == [b"STOP:a", b"STOP:b"]
    assert first["sequence"].tolist() == [0, 0] and second["sequence"].tolist() == [1, 1]  # fmt: skip
    assert first["sequence_count"].tolist() == [2, 2] and first["batch_size"] == 2
    assert first["total_length"].tolist() == [5, 6]
    assert first["length"].tolist() == [3, 3] and second["length"].tolist() == [2, 3]
    assert first["state"].tolist() == [[5, 6], [5, 6]]
    assert second["state"].tolist() == [[15, 16], [15, 16]]
    np.testing.assert_array_equal(first["sequences"]["x"], [values(0, 3), values(50, 3)])  # fmt: skip
    np.testing.assert_array_equal(second["sequences"]["x"], [values(6, 3), values(56, 3)])  # fmt: skip
    assert first["context"]["c"].tolist() == [[12], [12]]
    assert list(first["insertion_index"]) == sorted(first["insertion_index"])


def test_the_last_batch_may_be_small_and_few_wait():
    made, key, length, x = saver(allow_small_batch=True, capacity=2)
    batch = made.next_batch
    fetched = batch.key, batch.save_state("s", batch.state("s"))
    short = tf.RunOptions(timeout_in_ms=300)
    with tf.Session() as session:
        for name in (b"a", b"b"):
            session.run(made.prefetch_op, {key: name, length: 3, x: values(0, 3)})
        more = {key: b"c", length: 3, x: values(0, 3)}
        with pytest.raises(tf.errors.DeadlineExceededError):
            session.run(made.prefetch_op, more, options=short)
        assert len(session.run(fetched)[0]) == 2
        session.run(made.prefetch_op, more)
        session.run(made.close())
        assert session.run(fetched)[0].tolist() == [b"00000_of_00001:c"]


def test_what_is_refused():
    with pytest.raises(ValueError, match="capacity"):
        saver(capacity=1)
    given = {"batch_size": 1, "num_unroll": 2, "input_length": 2, "input_key": "k", "input_sequences": {"x": tf.zeros([2, 1])}, "input_context": {}, "initial_states": {}}  # fmt: skip
    for changed, kind, text in (
        ({"input_sequences": {}}, ValueError, "at least one"),
        ({"input_sequences": [1]}, TypeError, "must be a dict"),
        ({"initial_states": {"x": tf.zeros([1])}}, ValueError, "names of states"),
        ({"input_context": {"c": tf.placeholder(tf.float32)}}, ValueError, "must be known"),
    ):  # fmt: skip
        with pytest.raises(kind, match=text):
            training.SequenceQueueingStateSaver(**{**given, **changed})
    made, key, length, x = saver()
    with tf.Session() as session:
        with pytest.raises(tf.errors.InvalidArgumentError, match="multiple"):
            session.run(made.prefetch_op, {key: b"a", length: 4, x: values(0, 4)})
        with pytest.raises(tf.errors.InvalidArgumentError, match="input_length"):
            session.run(made.prefetch_op, {key: b"a", length: 4, x: values(0, 3)})
    with pytest.raises(KeyError, match="not declared"):
        made.next_batch.state("t")
    with pytest.raises(KeyError, match="not declared"):
        made.next_batch.save_state("t", 1.0)


def test_a_network_goes_on_where_it_stopped():
    """The outputs of parts are those of whole sequences."""
    rng = np.random.RandomState(0)
    data = [rng.randn(n, 2).astype(np.float32) for n in (7, 4, 9)]
    number = tf.train.range_input_producer(3, num_epochs=1, shuffle=False).dequeue()
    x = tf.py_func(lambda i: data[i], [number], tf.float32)
    x.set_shape([None, 2])
    batch = training.batch_sequences_with_states(
        tf.as_string(number), {"x": x}, {"n": number}, None, {"h": tf.zeros([5])},
        num_unroll=3, batch_size=2, num_threads=1, make_keys_unique=True,
    )  # fmt: skip
    cell = tf.nn.rnn_cell.BasicRNNCell(5)
    with tf.variable_scope("rnn"):
        outputs, _ = tf.nn.static_state_saving_rnn(
            cell, tf.unstack(batch.sequences["x"], axis=1), batch, "h", batch.length
        )
    fetched = tf.stack(outputs, 1), batch.context["n"], batch.sequence, batch.length
    found = [[] for _ in data]
    with tf.Session() as session:
        session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])  # fmt: skip
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(session, coord)
        with pytest.raises(tf.errors.OutOfRangeError):
            while True:
                for steps, n, part, length in zip(*session.run(fetched)):
                    assert part == len(found[n])
                    found[n].append(steps[:length])
        coord.request_stop()
        coord.join(threads)
        kernel, bias = session.run(tf.trainable_variables())
    for rows, got in zip(data, found):
        h, want = np.zeros(5), []
        for row in rows:
            h = np.tanh(np.concatenate([row, h]) @ kernel + bias)
            want.append(h)
        np.testing.assert_allclose(np.concatenate(got), want, rtol=1e-4, atol=1e-5)
