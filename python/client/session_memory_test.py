# SPDX-License-Identifier: Apache-2.0
"""A tensor larger than the machine's memory raises ResourceExhausted in TensorFlow's words; the process lives on."""

import numpy as np
import pytest

import tensorwright as tf

_OOM = r"OOM when allocating tensor with shape\[{}\] and type {}"


def _refused(fetch, feeds=None, words=""):
    with tf.Session() as session:
        with pytest.raises(tf.errors.ResourceExhaustedError, match=words):
            session.run(fetch, feeds)
        # The session goes on.
        assert session.run(tf.constant(2) + 3) == 5


def test_a_tensor_beyond_memory():
    with tf.Graph().as_default():
        size = tf.placeholder(tf.int64)
        # Tensors of 4 and of 64 TiB, which the address space would hold but no machine has.
        for exponent in (40, 44):
            words = _OOM.format(1 << exponent, "float")
            _refused(tf.zeros(tf.reshape(size, [1])), {size: 1 << exponent}, words)


def test_what_kernels_need_for_themselves():
    """Patches of a convolution in double precision: outputs times the filter's size."""
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float64, [1, None, None, 1])
        w = tf.placeholder(tf.float64, [None, None, 1, 1])
        y = tf.nn.conv2d(x, w, [1, 1, 1, 1], "SAME")
        side = 1 << 11
        feeds = {x: np.zeros([1, side, side, 1]), w: np.zeros([side, side, 1, 1])}
        words = _OOM.format(f"{side * side},{side * side}", "double")
        _refused(y, feeds, words)
