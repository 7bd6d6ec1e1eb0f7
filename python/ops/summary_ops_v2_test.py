# SPDX-License-Identifier: Apache-2.0
"""Summaries that the graph writes: tf.summary.initialize and what goes with it."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.ops import summary_ops_v2 as summary

pytestmark = pytest.mark.usefixtures("fresh_graph")


def events(folder):
    (path,) = folder.iterdir()
    return list(tf.train.summary_iterator(str(path)))


def test_a_training_loop_writes_its_summaries(tmp_path):
    step = tf.train.create_global_step()
    writer = summary.create_file_writer(str(tmp_path), max_queue=0)
    with writer.as_default(), summary.always_record_summaries():
        with tf.name_scope("scope"):
            loss = summary.scalar("loss", tf.cast(step, tf.float32) * 2)
        summary.histogram("spread", [1.0, 2.0], family="fam")
        summary.image("picture", np.zeros([1, 2, 2, 3], np.float32), max_images=1)
        summary.audio("sound", [[0.0, 1.0]], 8000.0, 1, step=100)
        summary.generic("all", [1, 2])
        assert len(summary.all_summary_ops()) == 5
        assert tf.summary.all_v2_summary_ops() == summary.all_summary_ops()
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            tf.summary.initialize(graph=session.graph, session=session)
            for _ in range(2):
                session.run(summary.all_summary_ops())
                session.run(tf.assign_add(step, 1))
            assert session.run(loss)
    got = events(tmp_path)
    names = [node.name for node in tf.GraphDef.FromString(got[1].graph_def).node]
    assert "global_step" in names
    seen = [(v.tag, e.step) for e in got[2:] for v in e.summary.value]
    assert set(seen) == {
        ("scope/loss", 0), ("scope/loss", 1), ("scope/loss", 2),
        ("fam/fam/spread", 0), ("fam/fam/spread", 1),
        ("picture/image", 0), ("picture/image", 1),
        ("sound/audio", 100), ("all", 0), ("all", 1),
    }  # fmt: skip
    losses = [
        v.simple_value for e in got for v in e.summary.value if v.tag == "scope/loss"
    ]
    assert losses == [0, 2, 4]


def test_every_n_steps(tmp_path):
    step = tf.train.create_global_step()
    with (
        summary.create_file_writer(str(tmp_path), max_queue=0).as_default(),
        summary.record_summaries_every_n_global_steps(3),
    ):
        recorded = summary.scalar("loss", 1.0)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            summary.initialize(session=session)
            was = []
            for _ in range(7):
                was.append(bool(session.run(recorded)))
                session.run(tf.assign_add(step, 1))
    assert was == [True, False, False, True, False, False, True]
    assert [e.step for e in events(tmp_path)[1:]] == [0, 3, 6]


def test_nothing_is_written_unless_it_should_be(tmp_path):
    with tf.Session() as session:
        step = tf.constant(0, tf.int64)
        assert session.run(summary.scalar("a", 1.0)) is None
        with summary.create_file_writer(str(tmp_path)).as_default():
            summary.initialize()
            assert not summary.should_record_summaries()
            assert not session.run(summary.scalar("a", 1.0, step=step))
            with summary.always_record_summaries():
                assert summary.should_record_summaries()
                with summary.never_record_summaries():
                    assert not session.run(summary.scalar("b", 1.0, step=step))
                assert session.run(summary.scalar("c", 1.0, step=step))
            session.run(summary.flush())
    tags = [v.tag for e in events(tmp_path) for v in e.summary.value]
    assert tags == ["c"]


def test_a_writer_without_a_folder_writes_nothing(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    writer = summary.create_file_writer(None)
    with (
        writer.as_default(),
        summary.always_record_summaries(),
        tf.Session() as session,
    ):
        session.run([summary.scalar("a", 1.0), writer.init(), writer.flush()])
        session.run(writer.close())
    assert not list(tmp_path.rglob("*"))


def test_a_graph_and_events_as_tensors(tmp_path):
    writer = summary.create_file_writer(str(tmp_path), filename_suffix=".x")
    event = tf.Event(step=5)
    with writer.as_default(), tf.Session() as session:
        text = tf.placeholder(tf.string, [])
        write = [
            summary.graph(text, step=2),
            summary.import_event(event.SerializeToString()),
        ]
        session.run(writer.init())
        session.run(write, {text: tf.GraphDef().SerializeToString()})
        session.run(writer.close())
        with pytest.raises(TypeError, match="tf.Tensor"):
            summary.graph(session.graph)
    assert sorted(e.step for e in events(tmp_path)) == [0, 2, 5]


def test_initialize_says_what_is_missing(tmp_path):
    with pytest.raises(RuntimeError, match="No default"):
        tf.summary.initialize()
    with (
        summary.create_file_writer(str(tmp_path)).as_default(),
        pytest.raises(ValueError, match="session"),
    ):
        tf.summary.initialize()


def test_the_folder_of_an_evaluation():
    assert summary.eval_dir("m") == "m/eval"
    assert summary.eval_dir("m", "train") == "m/eval_train"
