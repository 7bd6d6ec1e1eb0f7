# SPDX-License-Identifier: Apache-2.0
"""Checks of summaries of files, and of a writer without files."""

import unittest

import pytest

import tensorwright as tf

pytestmark = pytest.mark.usefixtures("fresh_graph")

testing = tf.contrib.testing


def test_summaries_of_a_folder(tmp_path):
    assert testing.latest_event_file(str(tmp_path)) is None
    assert testing.latest_events(str(tmp_path)) == []
    x = tf.placeholder(tf.float32, [])
    merged = tf.summary.merge([tf.summary.scalar("a", x), tf.summary.scalar("b", -x)])
    writer = tf.summary.FileWriter(str(tmp_path))
    with tf.Session() as session:
        for step, value in enumerate((1.0, 2.0)):
            written = session.run(merged, {x: value})
            writer.add_summary(written, step)
    writer.close()
    testing.assert_summary({"a", "b"}, {"b": -2.0}, testing.to_summary_proto(written))
    with pytest.raises(AssertionError, match="expected 3"):
        testing.assert_summary({"a", "b"}, {"a": 3}, testing.to_summary_proto(written))
    with pytest.raises(AssertionError, match="tags"):
        testing.assert_summary({"a"}, {}, testing.to_summary_proto(written))
    assert [e.step for e in testing.latest_summaries(str(tmp_path))] == [0, 1]
    events = testing.latest_events(str(tmp_path))
    assert len(events) == 3
    assert testing.simple_values_from_events(events, ["a", "c"]) == {"a": 2.0}


def test_a_writer_without_files(tmp_path):
    case = unittest.TestCase()
    step = tf.train.create_global_step()
    loss = tf.summary.scalar("loss", tf.cast(step, tf.float32) * 2)
    testing.FakeSummaryWriter.install()
    try:
        with pytest.raises(ValueError, match="already installed"):
            testing.FakeSummaryWriter.install()
        writer = tf.summary.FileWriterCache.get(str(tmp_path))
        hook = tf.train.SummarySaverHook(1, summary_writer=writer, summary_op=loss)
        with tf.train.MonitoredSession(hooks=[hook]) as session:
            session.run(step)
    finally:
        testing.FakeSummaryWriter.uninstall()
    writer.assert_summaries(case, str(tmp_path), tf.get_default_graph(), {0: {"loss": 0.0}})  # fmt: skip
    with pytest.raises(AssertionError):
        writer.assert_summaries(case, expected_summaries={0: {"loss": 1.0}})
    with pytest.raises(AssertionError):
        writer.assert_summaries(case, expected_summaries={7: {}})
    with pytest.raises(ValueError, match="not installed"):
        testing.FakeSummaryWriter.uninstall()
    assert isinstance(tf.summary.FileWriterCache.get(str(tmp_path)), tf.summary.FileWriter)  # fmt: skip
