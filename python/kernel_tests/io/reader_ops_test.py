# SPDX-License-Identifier: Apache-2.0
"""Operations on readers of any kind, of both generations; readers that wait."""

import threading

import pytest

import tensorwright as tf
from tensorwright.python.kernel_tests.io import reader_testing

pytestmark = pytest.mark.usefixtures("fresh_graph")

_MAKERS = {
    "V2": tf.IdentityReader,
    "first": lambda: reader_testing.first_generation("_identity_reader"),
}
both = pytest.mark.parametrize("make", list(_MAKERS.values()), ids=list(_MAKERS))


@both
def test_records_are_counted_and_forgotten(make):
    reader = make()
    queue = tf.FIFOQueue(10, [tf.string], shapes=[[]])
    key, value = reader.read(queue)
    assert key.shape.as_list() == value.shape.as_list() == []
    counts = [reader.num_records_produced(), reader.num_work_units_completed()]
    with tf.Session() as session:
        session.run(queue.enqueue_many([["a", "b", "c"]]))
        assert session.run(counts) == [0, 0]
        assert session.run([key, value]) == [b"a", b"a"]
        assert session.run([key, value]) == [b"b", b"b"]
        assert session.run(counts) == [2, 2]
        session.run(reader.reset())
        assert session.run(counts) == [0, 0]
        assert session.run(value) == b"c"


@both
def test_several_records_are_read_up_to_the_end_of_work(make, tmp_path):
    (tmp_path / "lines").write_text("1\n2\n3\n")
    queue = tf.FIFOQueue(10, [tf.string], shapes=[[]])
    reader = tf.TextLineReader()
    keys, values = reader.read_up_to(queue, tf.constant(2, tf.int64))
    identity = make().read_up_to(queue, 5)
    assert values.shape.as_list() == [None]
    path = str(tmp_path / "lines")
    with tf.Session() as session:
        session.run(queue.enqueue_many([[path, path]]))
        assert session.run(values).tolist() == [b"1", b"2"]
        assert session.run(values).tolist() == [b"3"]
        got = session.run([keys, values])
        assert got[0].tolist() == [f"{path}:{i}".encode() for i in (1, 2)]
        session.run(queue.enqueue_many([["x", "y"]]))
        assert [v.tolist() for v in session.run(identity)] == [[b"x"], [b"x"]]
        session.run(queue.close())
        assert session.run(identity)[1].tolist() == [b"y"]
        with pytest.raises(tf.errors.OutOfRangeError):
            session.run(identity)


@both
def test_a_state_is_saved_and_restored(make):
    reader = make()
    queue = tf.FIFOQueue(10, [tf.string], shapes=[[]])
    value = reader.read(queue)[1]
    state = tf.placeholder(tf.string, [])
    save, restore = reader.serialize_state(), reader.restore_state(state)
    with tf.Session() as session:
        session.run(queue.enqueue_many([["x", "y"]]))
        session.run(value)
        # One unit begun and ended, one record, and the name of the work.
        saved = session.run(save)
        assert saved == b'\x08\x01\x10\x01\x18\x01"\x01x'
        session.run(value)
        session.run(restore, {state: saved})
        assert session.run(reader.num_records_produced()) == 1
        for wrong in (
            b"\xff",
            b"\x08\x02",
            b"\x08\xff" * 5,
            b"\x18" + b"\xff" * 9 + b"\x01",
        ):
            with pytest.raises(tf.errors.InvalidArgumentError):
                session.run(restore, {state: wrong})
        # Half a state is none.
        assert session.run(reader.num_records_produced()) == 0


def test_readers_that_cannot_say_their_state_refuse():
    reader = tf.TextLineReader()
    assert not reader.supports_serialize
    assert tf.IdentityReader().supports_serialize
    with tf.Session() as session:
        with pytest.raises(tf.errors.UnimplementedError):
            session.run(reader.serialize_state())
        with pytest.raises(tf.errors.UnimplementedError):
            session.run(reader.restore_state("x"))


@both
def test_who_reads_waits_for_work(make):
    queue = tf.FIFOQueue(10, [tf.string], shapes=[[]])
    reader = make()
    reads = [reader.read(queue)[1] for _ in range(4)]
    # There is one inter-op thread, which a waiting read does not occupy.
    config = tf.ConfigProto(inter_op_parallelism_threads=1)
    with tf.Session(config=config) as session:
        got = []
        threads = [
            threading.Thread(target=lambda r=r: got.append(session.run(r)))
            for r in reads
        ]
        for thread in threads:
            thread.start()
        put = queue.enqueue(["word"])
        for _ in threads:
            session.run(put)
        for thread in threads:
            thread.join(20)
        assert got == [b"word"] * 4


def test_who_waits_is_cancelled():
    queue = tf.FIFOQueue(10, [tf.string], shapes=[[]])
    value = tf.IdentityReader().read(queue)[1]
    with tf.Session() as session:
        with pytest.raises(tf.errors.DeadlineExceededError):
            session.run(value, options=tf.RunOptions(timeout_in_ms=100))
        session.run(queue.enqueue(["later"]))
        assert session.run(value) == b"later"


def test_queues_of_anything_else_are_refused():
    numbers = tf.FIFOQueue(10, [tf.int32], shapes=[[]])
    value = tf.IdentityReader().read(numbers)[1]
    with tf.Session() as session:
        session.run(numbers.enqueue([1]))
        with pytest.raises(tf.errors.InvalidArgumentError, match="names"):
            session.run(value)
        queue = tf.FIFOQueue(10, [tf.string], shapes=[[]])
        session.run(queue.enqueue(["a"]))
        with pytest.raises(tf.errors.InvalidArgumentError, match="num_records"):
            session.run(tf.IdentityReader().read_up_to(queue, 0))


def test_files_that_are_not_there_are_named(tmp_path):
    for make in (
        tf.TextLineReader,
        tf.TFRecordReader,
        tf.WholeFileReader,
        tf.LMDBReader,
        lambda: tf.FixedLengthRecordReader(3),
    ):
        with pytest.raises(tf.errors.NotFoundError, match="nowhere"):
            reader_testing.read_all(make(), [str(tmp_path / "nowhere")])
