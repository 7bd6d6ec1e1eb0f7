# SPDX-License-Identifier: Apache-2.0
"""Producers and batches, through queues that threads fill."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.training import input as training_input


def all_of(session, fetches):
    """Runs the fetches until the input ends, and returns all their values."""
    session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess=session, coord=coord)
    got = []
    try:
        # Until the queue is empty: the threads may have asked for a stop before.
        while True:
            got.append(session.run(fetches))
    except tf.errors.OutOfRangeError:
        pass
    finally:
        coord.request_stop()
    coord.join(threads)
    return got


def in_session(build):
    with tf.Graph().as_default(), tf.Session() as session:
        return all_of(session, build())


def test_strings_come_for_so_many_epochs():
    got = in_session(
        lambda: tf.train.string_input_producer(
            ["a", "b", "c"], num_epochs=2, shuffle=False
        ).dequeue()
    )
    assert got == [b"a", b"b", b"c"] * 2


def test_each_epoch_has_an_order_of_its_own():
    def build():
        return tf.train.range_input_producer(50, num_epochs=2, seed=3).dequeue()

    got = in_session(build)
    first, second = got[:50], got[50:]
    assert sorted(first) == sorted(second) == list(range(50))
    assert first != second != sorted(second)


def test_rows_of_several_tensors_stay_together():
    x = np.arange(20).reshape(10, 2)
    got = in_session(
        lambda: tf.train.slice_input_producer([x, np.arange(10)], num_epochs=1)
    )
    assert sorted(n for _, n in got) == list(range(10))
    assert all(row.tolist() == x[n].tolist() for row, n in got)


def test_batches_in_order():
    def build():
        n = tf.train.range_input_producer(7, num_epochs=1, shuffle=False).dequeue()
        return tf.train.batch({"n": n, "square": n * n}, 3)

    got = in_session(build)
    assert [b["n"].tolist() for b in got] == [[0, 1, 2], [3, 4, 5]]
    assert got[1]["square"].tolist() == [9, 16, 25]


def test_the_last_batch_may_be_smaller():
    def build(enqueue_many):
        n = tf.train.range_input_producer(7, num_epochs=1, shuffle=False)
        n = n.dequeue_up_to(4) if enqueue_many else n.dequeue()
        batch = tf.train.batch(
            [n], 3, enqueue_many=enqueue_many, allow_smaller_final_batch=True
        )
        assert batch.shape.as_list() == [None]
        return batch

    for many in (False, True):
        got = in_session(lambda many=many: build(many))
        assert [b.tolist() for b in got] == [[0, 1, 2], [3, 4, 5], [6]]


def test_batches_are_padded():
    def build():
        n = tf.train.range_input_producer(4, num_epochs=1, shuffle=False).dequeue()
        return tf.train.batch([tf.range(n), n], 2, dynamic_pad=True)

    got = in_session(build)
    assert got[0][0].tolist() == [[0], [0]]
    assert got[1][0].tolist() == [[0, 1, 0], [0, 1, 2]]


def test_shuffled_batches_have_every_element():
    def build():
        n = tf.train.range_input_producer(40, num_epochs=1, shuffle=False).dequeue()
        return tf.train.shuffle_batch(
            [n, -n], 8, capacity=30, min_after_dequeue=20, num_threads=2, seed=1
        )

    got = in_session(build)
    flat = [int(x) for batch, _ in got for x in batch]
    assert sorted(flat) == list(range(40)) != flat
    assert all((b == -m).all() for b, m in got)


@pytest.mark.parametrize("shuffle", [False, True])
def test_several_inputs_are_joined(shuffle):
    def build():
        inputs = []
        for k in range(3):
            n = tf.train.range_input_producer(10, num_epochs=1).dequeue()
            inputs.append([n, tf.constant(k)])
        if shuffle:
            return tf.train.shuffle_batch_join(inputs, 5, 50, 10)
        return tf.train.batch_join(inputs, 5)

    pairs = [(int(n), int(k)) for ns, ks in in_session(build) for n, k in zip(ns, ks)]
    assert sorted(pairs) == [(n, k) for n in range(10) for k in range(3)]


@pytest.mark.parametrize("shuffle", [False, True])
@pytest.mark.parametrize("many", [False, True])
def test_elements_that_are_not_kept(shuffle, many):
    def build():
        n = tf.train.range_input_producer(12, num_epochs=1, shuffle=False)
        n = n.dequeue_many(4) if many else n.dequeue()
        keep = tf.equal(n % 3, 0)
        more = dict(enqueue_many=many, allow_smaller_final_batch=True)
        if shuffle:
            return tf.train.maybe_shuffle_batch([n], 3, 10, 1, keep, **more)
        return tf.train.maybe_batch([n], keep, 3, **more)

    flat = [int(x) for batch in in_session(build) for x in batch]
    assert sorted(flat) == [0, 3, 6, 9]


def test_the_rest_of_the_family():
    def build():
        n = tf.train.range_input_producer(6, num_epochs=1).dequeue()
        joined = tf.train.maybe_batch_join([[n]], True, 2)
        return joined

    assert sorted(int(x) for b in in_session(build) for x in b) == list(range(6))

    def shuffled():
        n = tf.train.range_input_producer(6, num_epochs=1).dequeue()
        return tf.train.maybe_shuffle_batch_join([[n]], 2, 10, 1, True)

    assert sorted(int(x) for b in in_session(shuffled) for x in b) == list(range(6))


def test_an_error_of_the_input_is_raised_by_join():
    with (
        tf.Graph().as_default(),
        tf.Session() as session,
        pytest.raises(tf.errors.InvalidArgumentError, match="non-null"),
    ):
        empty = tf.placeholder_with_default(np.array([], object), [None])
        all_of(session, tf.train.string_input_producer(empty).dequeue())


def test_bad_arguments_are_refused():
    with tf.Graph().as_default():
        x = tf.constant([1, 2])
        unknown = tf.placeholder(tf.int32)
        bad = [
            (ValueError, "> 0", lambda: tf.train.limit_epochs(x, 0)),
            (ValueError, "non-null", lambda: tf.train.string_input_producer([])),
            (ValueError, "at least one", lambda: tf.train.slice_input_producer([])),
            (ValueError, "at least one", lambda: tf.train.batch([], 2)),
            (ValueError, "at least one", lambda: tf.train.batch_join([], 2)),
            (TypeError, "list", lambda: tf.train.batch(x, 2)),
            (ValueError, "rank", lambda: tf.train.batch([unknown], 2)),
            (ValueError, "fully defined", lambda: tf.train.input_producer(unknown)),
            (TypeError, "consistent", lambda: tf.train.batch_join([[x], [[1.0, 2.0]]], 2)),
            (ValueError, "vector", lambda: tf.train.maybe_batch([x], [True, False], 2)),
        ]  # fmt: skip
        for error, words, call in bad:
            with pytest.raises(error, match=words):
                call()


def _dense(value):
    out = np.zeros(value.dense_shape, value.values.dtype)
    out[tuple(value.indices.T)] = value.values
    return out


def _sparse_row(i):
    """[i, 0, i] as a sparse vector."""
    return tf.SparseTensor([[0], [2]], tf.stack([i, i]), [3])


@pytest.mark.parametrize("as_dictionary", [False, True])
def test_sparse_tensors_are_batched(as_dictionary):
    def build():
        i = tf.train.range_input_producer(6, num_epochs=1, shuffle=False).dequeue()
        tensors = [_sparse_row(i), i]
        if as_dictionary:
            batch = tf.train.batch({"a": tensors[0], "b": tensors[1]}, 3)
            return [batch["a"], batch["b"]]
        return tf.train.batch(tensors, 3)

    got = in_session(build)
    assert [numbers.tolist() for _, numbers in got] == [[0, 1, 2], [3, 4, 5]]
    for sparse, numbers in got:
        assert sparse.dense_shape.tolist() == [3, 3]
        np.testing.assert_array_equal(_dense(sparse), [[i, 0, i] for i in numbers])


def test_rows_of_sparse_tensors_are_shuffled_with_the_others():
    def build():
        i = tf.train.range_input_producer(4, num_epochs=3, shuffle=False).dequeue()
        rows = tf.SparseTensor([[0, 0], [1, 1]], tf.stack([i, i + 1]), [2, 2])
        return tf.train.shuffle_batch(
            [rows, tf.stack([i, i + 1])], 4, 50, 8, enqueue_many=True, seed=4
        )

    got = in_session(build)
    seen = [i for _, numbers in got for i in numbers.tolist()]
    assert sorted(seen) == sorted([0, 1, 1, 2, 2, 3, 3, 4] * 3)
    for sparse, numbers in got:
        assert _dense(sparse).sum(1).tolist() == numbers.tolist()


@pytest.mark.parametrize("shuffle", [False, True])
def test_sparse_tensors_are_kept_by_a_tensor(shuffle):
    def build():
        i = tf.train.range_input_producer(12, num_epochs=1, shuffle=False).dequeue()
        tensors, keep = [_sparse_row(i), i], tf.equal(i % 3, 1)
        if shuffle:
            return tf.train.maybe_shuffle_batch(tensors, 2, 10, 1, keep)
        return tf.train.maybe_batch(tensors, keep, 2)

    got = in_session(build)
    assert sorted(i for _, numbers in got for i in numbers.tolist()) == [1, 4, 7, 10]
    for sparse, numbers in got:
        np.testing.assert_array_equal(_dense(sparse), [[i, 0, i] for i in numbers])


def test_rows_of_sparse_tensors_are_kept_by_a_vector():
    def build():
        i = tf.train.range_input_producer(8, num_epochs=1, shuffle=False)
        i = i.dequeue_many(4)
        places = tf.stack([tf.range(4), tf.constant([0, 2, 1, 2])], 1)
        rows = tf.SparseTensor(tf.cast(places, tf.int64), i * 10, [4, 3])
        keep = tf.equal(i % 2, 1)
        return tf.train.maybe_batch([rows, i], keep, 2, enqueue_many=True)

    got = in_session(build)
    assert [numbers.tolist() for _, numbers in got] == [[1, 3], [5, 7]]
    for sparse, (one, two) in got:
        np.testing.assert_array_equal(
            _dense(sparse), [[0, 0, 10 * one], [0, 0, 10 * two]]
        )


def test_queues_summarize_how_full_they_are():
    with tf.Graph().as_default() as graph, tf.Session() as session:
        tf.train.string_input_producer(["a", "b"], shuffle=False, name="names")
        tf.train.batch([tf.constant(1)], 2, capacity=8)
        tf.train.shuffle_batch([tf.constant(1)], 2, capacity=10, min_after_dequeue=4)
        tag = "shuffle_batch/fraction_over_4_of_6_full"
        enqueue = "shuffle_batch/random_shuffle_queue_enqueue"
        session.run(graph.get_operation_by_name(enqueue))
        merged = tf.Summary.FromString(session.run(tf.summary.merge_all()))
        full = {value.tag: value.simple_value for value in merged.value}
        assert full == {
            "names/fraction_of_32_full": 0,
            "batch/fraction_of_8_full": 0,
            tag: 0,
        }
        for _ in range(6):
            session.run(graph.get_operation_by_name(enqueue))
        merged = tf.Summary.FromString(session.run(tf.summary.merge_all()))
        full = {value.tag: value.simple_value for value in merged.value}
        assert full[tag] == pytest.approx(3 / 6)


def test_sparse_tensors_of_several_inputs():
    def build():
        i = tf.train.range_input_producer(8, num_epochs=1, shuffle=False).dequeue()
        return tf.train.batch_join([[_sparse_row(i)], [_sparse_row(i)]], 4)

    got = in_session(build)
    rows = np.concatenate([_dense(sparse) for sparse in got])
    assert sorted(rows[:, 0].tolist()) == list(range(8))


def test_inputs_must_agree_on_what_is_sparse():
    with tf.Graph().as_default(), pytest.raises(TypeError, match="sparse"):
        tf.train.batch_join([[_sparse_row(1)], [tf.constant(1)]], 4)


def test_names_of_files_may_be_a_variable(tmp_path):
    for name, lines in [("a1", "x\ny\n"), ("a2", "z\n"), ("b1", "no\n")]:
        (tmp_path / name).write_text(lines)
    names = tf.train.match_filenames_once(str(tmp_path / "a*"))
    queue = tf.train.string_input_producer(names, shuffle=False, num_epochs=1)
    _, line = tf.TextLineReader().read(queue)
    with tf.Session() as session:
        session.run(tf.local_variables_initializer())
        coordinator = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(session, coordinator)
        assert [session.run(line) for _ in range(3)] == [b"x", b"y", b"z"]
        with pytest.raises(tf.errors.OutOfRangeError):
            session.run(line)
        coordinator.request_stop()
        coordinator.join(threads)


def test_tensors_of_a_dictionary_are_a_list_and_back():
    from_dict = training_input._as_tensor_list({"b": 2, "a": 1})
    assert from_dict == [1, 2] and training_input._as_tensor_list([3, 4]) == [3, 4]
    assert training_input._as_original_type({"b": 0, "a": 0}, from_dict) == {
        "a": 1,
        "b": 2,
    }
    assert training_input._as_original_type({"a": 0}, 5) == {"a": 5}
    assert training_input._as_original_type([0, 0], [1, 2]) == [1, 2]
    lists = training_input._as_tensor_list_list([{"b": 2, "a": 1}, {"a": 3, "b": 4}])
    assert lists == [[1, 2], [3, 4]]
    with pytest.raises(ValueError, match="same keys"):
        training_input._as_tensor_list_list([{"a": 1}, {"b": 1}])
    with pytest.raises(TypeError, match="all lists or all dictionaries"):
        training_input._as_tensor_list_list([{"a": 1}, [1]])
    with pytest.raises(ValueError, match="at least one input in tensors_list"):
        training_input._as_tensor_list_list([])


@pytest.mark.parametrize("capacity", [4, 5])
def test_a_queue_that_could_give_no_batch_is_refused(capacity):
    one = tf.constant(1)
    builds = (
        lambda: tf.train.shuffle_batch([one], 2, capacity, 5),
        lambda: tf.train.shuffle_batch_join([[one]], 2, capacity, 5),
        lambda: tf.train.maybe_shuffle_batch([one], 2, capacity, 5, True),
        lambda: tf.train.maybe_shuffle_batch_join([[one]], 2, capacity, 5, True),
    )
    for build in builds:
        with pytest.raises(ValueError, match="must be bigger than min_after_dequeue 5"):
            build()
