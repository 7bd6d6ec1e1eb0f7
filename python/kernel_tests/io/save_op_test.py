# SPDX-License-Identifier: Apache-2.0
"""Save and SaveSlices: checkpoints of the V1 format."""

import os

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.kernel_tests.io.saved_values import (
    DTYPES,
    assert_same,
    value_of,
)
from tensorwright.python.ops import gen_io_ops


def _restore(path, name, dtype):
    with tf.Graph().as_default(), tf.Session() as session:
        return session.run(gen_io_ops._restore(path, name, dtype))


# The format has no others.
_NONE = {tf.bfloat16, tf.qint16, tf.quint16, tf.uint32, tf.uint64}
_V1_DTYPES = [d for d in DTYPES if d not in _NONE]


@pytest.mark.parametrize("dtype", sorted(_NONE, key=str))
def test_other_dtypes_are_refused(dtype, tmp_path):
    kind = (tf.errors.InvalidArgumentError, tf.errors.UnimplementedError)
    with tf.Graph().as_default(), tf.Session() as session:
        value = tf.constant(value_of(dtype, [2]), dtype)
        with pytest.raises(kind, match="V1 format has no"):
            session.run(gen_io_ops._save(str(tmp_path / "x"), ["x"], [value]))


@pytest.mark.parametrize("shape", [[], [0, 3], [7], [3, 5, 2]])
def test_every_dtype_comes_back(shape, tmp_path):
    path = str(tmp_path / "ckpt")
    wanted = {d.name: value_of(d, shape) for d in _V1_DTYPES}
    with tf.Graph().as_default(), tf.Session() as session:
        tensors = [tf.constant(wanted[d.name], d) for d in _V1_DTYPES]
        session.run(gen_io_ops._save(path, list(wanted), tensors))
    assert os.listdir(tmp_path) == ["ckpt"]
    for dtype in _V1_DTYPES:
        assert_same(_restore(path, dtype.name, dtype), wanted[dtype.name])


def test_slices_make_one_tensor(tmp_path):
    path = str(tmp_path / "ckpt")
    whole = np.arange(12, dtype=np.int64).reshape(3, 4)
    with tf.Graph().as_default(), tf.Session() as session:
        texts = ["3 4 -:0,3", "3 4 -:3,1", ""]
        tensors = [whole[:, :3], whole[:, 3:], np.float32(5)]
        session.run(gen_io_ops._save_slices(path, ["w", "w", "x"], texts, tensors))
    assert_same(_restore(path, "w", tf.int64), whole)
    assert _restore(path, "x", tf.float32) == 5


def test_what_does_not_fit_is_refused(tmp_path):
    path = str(tmp_path / "ckpt")
    with tf.Graph().as_default(), tf.Session() as session:
        for names, texts, tensors, word in (
            (["a", "a"], ["", ""], [1.0, 2.0], "overlap"),
            (["a"], ["2 0,1"], [[1.0, 2.0]], "slice"),
            (["a"], ["2 x"], [[1.0, 2.0]], "slice"),
        ):
            with pytest.raises(tf.errors.InvalidArgumentError, match=word):
                session.run(gen_io_ops._save_slices(path, names, texts, tensors))
        with pytest.raises(ValueError):
            gen_io_ops._save(path, ["a"], [1.0, 2.0])
        with pytest.raises(tf.errors.NotFoundError):
            session.run(gen_io_ops._save(str(tmp_path / "no" / "folder"), ["a"], [1.0]))
    assert os.listdir(tmp_path) == []
