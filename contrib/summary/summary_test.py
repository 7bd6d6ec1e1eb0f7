# SPDX-License-Identifier: Apache-2.0
"""A program that writes summaries by tf.contrib.summary; conditions and flushing."""

import glob

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.contrib.summary import summary as module

pytestmark = pytest.mark.usefixtures("fresh_graph")

summary = tf.contrib.summary


def events(folder):
    (path,) = glob.glob(f"{folder}/*tfevents*")
    return [
        (e.step, v.tag, v)
        for e in tf.train.summary_iterator(path)
        for v in e.summary.value
    ]


def test_a_program_writes_every_second_step(tmp_path):
    step = tf.train.create_global_step()
    writer = summary.create_file_writer(str(tmp_path), flush_millis=10_000)
    x = tf.placeholder(tf.float32, [])
    with writer.as_default(), summary.record_summaries_every_n_global_steps(2):
        summary.scalar("x", x)
        summary.histogram("h", tf.stack([x, x]))
        with summary.never_record_summaries():
            summary.scalar("never", x)
    train = tf.assign_add(step, 1)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        with writer.as_default():
            summary.initialize(graph=tf.get_default_graph(), session=session)
        for value in (1.0, 2.0, 3.0):
            session.run(summary.all_summary_ops(), {x: value})
            session.run(train)
        session.run(summary.flush(writer))
    found = [(s, tag, v.simple_value) for s, tag, v in events(tmp_path) if tag == "x"]
    assert found == [(0, "x", 1.0), (2, "x", 3.0)]
    assert sorted({tag for _, tag, _ in events(tmp_path)}) == ["h", "x"]


def test_images_and_nothing_without_a_writer(tmp_path):
    tf.train.create_global_step()
    with summary.always_record_summaries():
        summary.scalar("lost", 1.0)
        with summary.create_file_writer(str(tmp_path)).as_default():
            assert tf.contrib.util.constant_value(tf.convert_to_tensor(summary.should_record_summaries()))  # fmt: skip
            summary.image("i", np.zeros([1, 2, 2, 3], np.float32), max_images=1)
            with tf.Session() as session:
                session.run(tf.global_variables_initializer())
                summary.initialize(session=session)
                session.run(summary.all_summary_ops())
                session.run(summary.flush())
    tags = [tag for _, tag, _ in events(tmp_path)]
    assert len(tags) == 1 and tags[0].startswith("i")


def test_the_module_has_the_same_names():
    names = {n for n in vars(module) if not n.startswith("_")}
    assert {"scalar", "flush", "eval_dir"} < names
    assert all(getattr(summary, n) is getattr(module, n) for n in names)
    assert summary.eval_dir("/m", "a").endswith("a")
