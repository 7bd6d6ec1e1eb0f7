# SPDX-License-Identifier: Apache-2.0
"""Convolutions keep a filter in the order that suits them, until it changes."""

import os
import subprocess
import sys
import threading

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.ops import gen_resource_variable_ops as resources


def _conv(filters):
    """Convolves one pixel of 64 ones with `filters`: a sum of 64 for each output."""
    x = np.ones([1, 1, 1, 64], np.float32)
    return tf.nn.conv2d(x + tf.placeholder_with_default(0.0, []), filters, 1, "SAME")


class _Reference:
    """A reference variable, as tf.Variable is."""

    def __init__(self, value):
        self.shape = value.shape
        self._variable = tf.Variable(value)
        self.initializer = self._variable.initializer
        self.value = self._variable.value()

    def assign(self, value):
        return tf.assign(self._variable, value).op

    def assign_add(self, value):
        return tf.assign_add(self._variable, value).op


class _Resource:
    """A variable as a resource."""

    def __init__(self, value):
        self.shape = value.shape
        self._handle = resources.var_handle_op(tf.float32, value.shape)
        self.initializer = self.assign(value)
        self.value = resources.read_variable_op(self._handle, tf.float32)

    def assign(self, value):
        return resources.assign_variable_op(self._handle, tf.to_float(value))

    def assign_add(self, value):
        return self.assign(self.value + value)


KINDS = {"reference": _Reference, "resource": _Resource}


@pytest.mark.parametrize("kind", KINDS)
def test_a_run_after_an_assignment_sees_the_new_filter(kind):
    with tf.Graph().as_default(), tf.Session() as session:
        v = KINDS[kind](np.ones([1, 1, 64, 32], np.float32))
        y = _conv(v.value)
        new = tf.placeholder(tf.float32, v.shape)
        assign = v.assign(new)
        add = v.assign_add(tf.ones(v.shape))
        session.run(v.initializer)
        value = 1.0
        for step in range(12):
            if step % 4 == 3:  # Three runs in between: the filter is kept.
                if step == 7:
                    session.run(assign, {new: np.full(v.shape, value + 1, np.float32)})
                else:
                    session.run(add)
                value += 1
            np.testing.assert_allclose(
                session.run(y), np.full([1, 1, 1, 32], 64 * value)
            )


@pytest.mark.parametrize("kind", KINDS)
def test_a_filter_that_one_thread_writes_is_never_stale_in_another(kind):
    with tf.Graph().as_default(), tf.Session() as session:
        v = KINDS[kind](np.zeros([1, 1, 64, 32], np.float32))
        y = _conv(v.value)
        add = v.assign_add(tf.ones(v.shape))
        session.run(v.initializer)
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
from tensorwright.python.ops import gen_resource_variable_ops as resources

kind = {kind!r}
value = np.ones([3, 3, 64, 64], np.float32)
if kind == "constant":
    filters, write = tf.constant(value), tf.no_op()
elif kind == "reference":
    filters = tf.Variable(value)
    write = tf.assign(filters, value).op
else:
    handle = resources.var_handle_op(tf.float32, value.shape)
    filters = resources.read_variable_op(handle, tf.float32)
    write = resources.assign_variable_op(handle, tf.constant(value))
image = tf.placeholder_with_default(np.ones([1, 8, 8, 64], np.float32), None)
y = tf.nn.conv2d(image, filters, 1, "SAME")
with tf.Session() as session:
    session.run([write, tf.global_variables_initializer()])
    for run in range(5):
        print("run", run, flush=True)
        session.run(y)
    session.run(write)
    print("run", 5, flush=True)
    session.run(y)
"""


@pytest.mark.parametrize("kind", ["constant", *KINDS])
def test_an_unchanged_filter_is_not_reordered_again(kind):
    """oneDNN lists its executed primitives; the reorders of a run come after the run's number."""
    out = subprocess.run(
        [sys.executable, "-c", _COUNTED.format(kind=kind)],
        # Convolutions for AVX2 want blocks of channels, whatever the processor has besides.
        env=dict(os.environ, DNNL_VERBOSE="1", ONEDNN_MAX_CPU_ISA="AVX2"),
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    reorders = [text.count(",exec,cpu,reorder") for text in out.split("run ")[1:]]
    assert reorders[0] > 0
    # A variable's is kept once it was seen unchanged.
    assert reorders[2:5] == [0, 0, 0]
    assert reorders[5] == (0 if kind == "constant" else reorders[0])
