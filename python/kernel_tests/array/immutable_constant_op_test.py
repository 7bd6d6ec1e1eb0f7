# SPDX-License-Identifier: Apache-2.0
"""ImmutableConst: tensors that lie in files."""

import os

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.ops import gen_array_ops
from tensorwright.python.testing.op_testing import run, values


def read(path, dtype, shape):
    return run(
        lambda: gen_array_ops.immutable_const(
            dtype=dtype, shape=shape, memory_region_name=str(path)
        )
    )


@pytest.mark.parametrize(
    "dtype", [np.int8, np.float16, np.float32, np.int64, np.complex128, np.bool_]
)
@pytest.mark.parametrize("shape", [[], [0], [7], [3, 5]])
def test_the_bytes_are_the_files(tmp_path, dtype, shape):
    x = values(shape, dtype)
    path = tmp_path / "tensor"
    path.write_bytes(x.tobytes() + b"more")
    got = read(path, tf.as_dtype(dtype), shape)
    np.testing.assert_array_equal(got, x)


def test_a_byte_that_is_no_bool_is_true(tmp_path):
    path = tmp_path / "bools"
    path.write_bytes(bytes([0, 1, 2, 255]))
    assert read(path, tf.bool, [4]).tolist() == [False, True, True, True]


def test_bad_files_are_refused(tmp_path):
    path = tmp_path / "short"
    path.write_bytes(b"123")
    with pytest.raises(tf.errors.InvalidArgumentError, match="at least 4 bytes"):
        read(path, tf.float32, [])
    with pytest.raises(tf.errors.InvalidArgumentError, match="at least"):
        read(path, tf.float32, [2**40, 2**20])
    with pytest.raises(tf.errors.NotFoundError):
        read(tmp_path / "none", tf.float32, [])
    with pytest.raises(tf.errors.InvalidArgumentError, match="must be a file"):
        read(tmp_path, tf.float32, [])
    with pytest.raises(tf.errors.InvalidArgumentError, match="plain bytes"):
        read(path, tf.string, [])
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(tf.errors.InvalidArgumentError, match="at least"):
        read(pipe, tf.int8, [1])
