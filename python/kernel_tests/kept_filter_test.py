# SPDX-License-Identifier: Apache-2.0
"""Convolutions keep a filter in the order that suits them, until it changes."""

import os
import subprocess
import sys
import threading

import numpy as np
import pytest

import tensorwright as tf


def _conv(filters):
    """What `filters` makes of one pixel of 64 ones: a sum of 64 for each output."""
    x = np.ones([1, 1, 1, 64], np.float32)
    return tf.nn.conv2d(x + tf.placeholder_with_default(0.0, []), filters, 1, "SAME")


@pytest.mark.parametrize("use_resource", [False, True])
def test_a_run_after_an_assignment_sees_the_new_filter(use_resource):
    with tf.Graph().as_default(), tf.Session() as session:
        v = tf.get_variable(
            "v",
            [1, 1, 64, 32],
            initializer=tf.ones_initializer(),
            use_resource=use_resource,
        )
        y = _conv(v)
        new = tf.placeholder(tf.float32, v.shape)
        assign = tf.assign(v, new)
        add = tf.assign_add(v, tf.ones_like(new))
        session.run(tf.global_variables_initializer())
        value = 1.0
        for step in range(12):
            if step % 4 == 3:  # Three runs in between: the filter is kept.
                session.run(
                    add if step % 8 == 3 else assign,
                    {new: np.full(v.shape, value + 1, np.float32)},
                )
                value += 1
            np.testing.assert_allclose(
                session.run(y), np.full([1, 1, 1, 32], 64 * value)
            )


@pytest.mark.parametrize("use_resource", [False, True])
def test_a_filter_that_one_thread_writes_is_never_stale_in_another(use_resource):
    with tf.Graph().as_default(), tf.Session() as session:
        v = tf.get_variable(
            "v",
            [1, 1, 64, 32],
            initializer=tf.zeros_initializer(),
            use_resource=use_resource,
        )
        y = _conv(v)
        add = tf.assign_add(v, tf.ones([1, 1, 64, 32])).op
        session.run(tf.global_variables_initializer())
        writes = 300

        def write():
            for _ in range(writes):
                session.run(add)

        writer = threading.Thread(target=write)
        writer.start()
        seen = 0.0
        while writer.is_alive():
            now = session.run(y).max()
            assert now >= seen
            seen = now
        writer.join()
        for _ in range(3):
            assert session.run(y).max() == 64 * writes


_COUNTED = """
import numpy as np
import tensorwright as tf

kind = {kind!r}
value = np.ones([3, 3, 64, 64], np.float32)
filters = (
    tf.constant(value)
    if kind == "constant"
    else tf.get_variable("v", initializer=value, use_resource=kind == "resource")
)
y = tf.nn.conv2d(tf.placeholder_with_default(np.ones([1, 8, 8, 64], np.float32), None),
                 filters, 1, "SAME")
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for run in range(5):
        print("run", run, flush=True)
        session.run(y)
    if kind != "constant":
        session.run(tf.assign(filters, value))
        print("run", 5, flush=True)
        session.run(y)
"""


@pytest.mark.parametrize("kind", ["constant", "reference", "resource"])
def test_an_unchanged_filter_is_not_reordered_again(kind):
    """oneDNN says what it executes; reorders of a run stand behind its number."""
    out = subprocess.run(
        [sys.executable, "-c", _COUNTED.format(kind=kind)],
        env=dict(os.environ, DNNL_VERBOSE="1"),
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    runs = out.split("\nrun ")[1:]
    reorders = [text.count(",exec,cpu,reorder") for text in runs]
    if reorders[0] == 0:
        pytest.skip("this processor's convolution takes the filter as it is")
    # A variable's is kept once it was seen unchanged.
    assert reorders[2:5] == [0, 0, 0]
    if kind != "constant":
        assert reorders[5] == reorders[0]
