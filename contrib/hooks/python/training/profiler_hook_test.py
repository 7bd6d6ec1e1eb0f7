# SPDX-License-Identifier: Apache-2.0
"""tf.contrib.hooks.ProfilerHook writes a timeline."""

import json

import pytest

import tensorwright as tf

pytestmark = pytest.mark.usefixtures("fresh_graph")


def test_a_timeline_is_written(tmp_path):
    step = tf.train.get_or_create_global_step()
    count = tf.assign_add(step, 1)
    hook = tf.contrib.hooks.ProfilerHook(save_steps=2, output_dir=str(tmp_path))
    with tf.train.SingularMonitoredSession(hooks=[hook]) as session:
        for _ in range(3):
            session.run(count)
    written = sorted(tmp_path.glob("timeline-*.json"))
    assert written
    assert json.loads(written[0].read_text())["traceEvents"]
