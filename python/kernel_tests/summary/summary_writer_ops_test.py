# SPDX-License-Identifier: Apache-2.0
"""SummaryWriter, CreateSummaryFileWriter, FlushSummaryWriter, CloseSummaryWriter."""

import pytest

import tensorwright as tf
from tensorwright.python.ops import gen_summary_ops

pytestmark = pytest.mark.usefixtures("fresh_graph")


def make(folder, max_queue=100, flush_millis=10**8, suffix=""):
    """A writer, the op that makes it, and one that writes a scalar."""
    writer = gen_summary_ops.summary_writer()
    made = gen_summary_ops.create_summary_file_writer(
        writer, str(folder), max_queue, flush_millis, suffix
    )
    write = gen_summary_ops.write_scalar_summary(writer, 7, "tag", 2.5)
    return writer, made, write


def events(folder):
    (path,) = folder.iterdir()
    return list(tf.train.summary_iterator(str(path)))


def test_a_file_begins_with_its_version(tmp_path):
    _, made, _ = make(tmp_path / "a" / "b", suffix=".end")
    with tf.Session() as session:
        session.run(made)
        (path,) = (tmp_path / "a" / "b").iterdir()
        assert path.name.startswith("events.out.tfevents.")
        assert path.name.endswith(".end")
        (event,) = events(tmp_path / "a" / "b")
    assert event.file_version == "brain.Event:2"
    assert event.wall_time > 1e9


def test_a_second_making_changes_nothing(tmp_path):
    _, made, write = make(tmp_path, max_queue=0)
    with tf.Session() as session:
        for _ in range(2):
            session.run(made)
            session.run(write)
        assert len(events(tmp_path)) == 3


def test_events_wait_until_the_queue_is_full(tmp_path):
    _, made, write = make(tmp_path, max_queue=2)
    with tf.Session() as session:
        session.run(made)
        seen = []
        for _ in range(4):
            session.run(write)
            seen.append(len(events(tmp_path)) - 1)
    assert seen == [0, 0, 3, 3]


def test_events_do_not_wait_longer_than_they_may(tmp_path):
    _, made, write = make(tmp_path, flush_millis=0)
    with tf.Session() as session:
        session.run(made)
        session.run(write)
        assert len(events(tmp_path)) == 2


def test_flush_writes_what_waits(tmp_path):
    writer, made, write = make(tmp_path)
    flush = gen_summary_ops.flush_summary_writer(writer)
    with tf.Session() as session:
        session.run(made)
        session.run(write)
        session.run(flush)
        assert [e.step for e in events(tmp_path)] == [0, 7]


def test_close_writes_what_waits_and_ends_the_writer(tmp_path):
    writer, made, write = make(tmp_path)
    close = gen_summary_ops.close_summary_writer(writer)
    with tf.Session() as session:
        session.run(made)
        session.run(write)
        session.run(close)
        assert len(events(tmp_path)) == 2
        for op in (write, close, gen_summary_ops.flush_summary_writer(writer)):
            with pytest.raises(tf.errors.NotFoundError):
                session.run(op)


def test_the_end_of_a_session_writes_what_waits(tmp_path):
    _, made, write = make(tmp_path)
    session = tf.Session()
    session.run(made)
    session.run(write)
    session.close()
    del session
    assert len(events(tmp_path)) == 2


def test_writers_of_one_name_are_one(tmp_path):
    one = gen_summary_ops.summary_writer(shared_name="w")
    other = gen_summary_ops.summary_writer(shared_name="w")
    made = gen_summary_ops.create_summary_file_writer(one, str(tmp_path), 0, 0, "")
    write = gen_summary_ops.write_scalar_summary(other, 1, "t", 1)
    with tf.Session() as session:
        session.run(made)
        session.run(write)
        assert len(events(tmp_path)) == 2


def test_a_folder_that_cannot_be_made(tmp_path):
    (tmp_path / "file").write_text("")
    _, made, _ = make(tmp_path / "file" / "x")
    with tf.Session() as session, pytest.raises(tf.errors.OpError, match="file"):
        session.run(made)


def test_arguments_must_be_scalars():
    writer = gen_summary_ops.summary_writer()
    for arguments in (
        (["a"], 1, 1, ""),
        ("a", [1], 1, ""),
        ("a", 1, [1, 2], ""),
        ("a", 1, 1, [[""]]),
    ):
        with pytest.raises(ValueError, match="rank 0"):
            gen_summary_ops.create_summary_file_writer(writer, *arguments)


def test_a_handle_of_another_kind_is_refused(tmp_path):
    other = tf.get_variable("v", initializer=1.0, use_resource=True).handle
    op = gen_summary_ops.flush_summary_writer(other)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        with pytest.raises(tf.errors.InvalidArgumentError):
            session.run(op)
