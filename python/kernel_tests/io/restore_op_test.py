# SPDX-License-Identifier: Apache-2.0
"""Restore and RestoreSlice: one tensor of a checkpoint of the V1 format."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.kernel_tests.io.saved_values import assert_same
from tensorwright.python.ops import gen_io_ops, io_ops

_WHOLE = np.arange(24, dtype=np.float32).reshape(6, 4)


@pytest.fixture
def pattern(tmp_path):
    """Two files with the halves of a tensor."""
    path = str(tmp_path / "ckpt")
    with tf.Graph().as_default(), tf.Session() as session:
        for i, text in enumerate(("6 4 0,3:-", "6 4 3,3:-")):
            half = _WHOLE[3 * i : 3 * i + 3]
            name = f"{path}-0000{i}-of-00002"
            session.run(gen_io_ops._save_slices(name, ["w"], [text], [half]))
    return path + "-?????-of-00002"


def _run(tensor):
    with tf.Session(graph=tensor.graph) as session:
        return session.run(tensor)


def test_files_are_one_checkpoint(pattern):
    with tf.Graph().as_default():
        assert_same(_run(gen_io_ops._restore(pattern, "w", tf.float32)), _WHOLE)
        again = gen_io_ops._restore(pattern, "w", tf.float32, preferred_shard=1)
        assert_same(_run(again), _WHOLE)
        # The new op reads the old format.
        (new,) = io_ops.restore_v2(pattern, ["w"], [""], [tf.float32])
        assert_same(_run(new), _WHOLE)


def test_slices_are_cut_out(pattern):
    with tf.Graph().as_default():
        cut = gen_io_ops._restore_slice(pattern, "w", "6 4 1,4:2,2", tf.float32)
        assert cut.shape.as_list() == [4, 2]
        assert_same(_run(cut), _WHOLE[1:5, 2:])
        whole = gen_io_ops._restore_slice(pattern, "w", "", tf.float32)
        assert_same(_run(whole), _WHOLE)
        (new,) = io_ops.restore_v2(pattern, ["w"], ["6 4 2,2:-"], [tf.float32])
        assert_same(_run(new), _WHOLE[2:4])


def test_what_does_not_fit_is_refused(pattern, tmp_path):
    with tf.Graph().as_default():
        for path, name, text, dtype, error in (
            (pattern, "none", "", tf.float32, tf.errors.NotFoundError),
            (str(tmp_path / "x*"), "w", "", tf.float32, tf.errors.NotFoundError),
            (pattern, "w", "", tf.int32, tf.errors.InvalidArgumentError),
            (pattern, "w", "6 5 -:-", tf.float32, tf.errors.InvalidArgumentError),
        ):
            with pytest.raises(error):
                _run(gen_io_ops._restore_slice(path, name, text, dtype))
        with pytest.raises(ValueError):
            gen_io_ops._restore_slice(pattern, "w", "6 4 5,4:-", tf.float32)


def test_a_path_with_a_zero_byte_is_refused():
    with tf.Graph().as_default():
        for op in (
            gen_io_ops._restore(b"a\0b", "w", tf.float32),
            gen_io_ops._restore_slice(b"a\0b", "w", "", tf.float32),
        ):
            with pytest.raises(tf.errors.InvalidArgumentError, match="a zero byte"):
                _run(op)


def test_broken_files_are_named(pattern, tmp_path):
    path = tmp_path / "ckpt-00001-of-00002"
    data = path.read_bytes()
    path.write_bytes(data[:20] + b"\xff" + data[21:])
    with tf.Graph().as_default():
        with pytest.raises(tf.errors.DataLossError, match=path.name):
            _run(gen_io_ops._restore(pattern, "w", tf.float32))
