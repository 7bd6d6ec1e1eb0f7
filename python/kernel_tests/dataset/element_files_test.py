# SPDX-License-Identifier: Apache-2.0
"""Files of elements that are cut off or changed: errors, never crashes."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.kernel_tests.dataset.elements import (
    Dataset,
    elements,
)

pytestmark = pytest.mark.usefixtures("fresh_graph")

_ERRORS = (
    tf.errors.DataLossError,
    tf.errors.InvalidArgumentError,
    tf.errors.OutOfRangeError,
)


def _dataset():
    sparse = tf.SparseTensor([[0, 1], [1, 0]], [1.5, 2.5], [2, 3])
    dense = np.arange(8.0).reshape(2, 4)
    return Dataset.from_tensor_slices((sparse, dense, [b"one", b"two"]))


def _file(folder, compression):
    with tf.Session() as session:
        session.run(_dataset().save(str(folder), compression=compression))
    (name,) = folder.rglob("*.snapshot")
    return name


def _load(folder, compression):
    """The elements, or the error; anything else fails the test."""
    with tf.Graph().as_default():
        try:
            return elements(Dataset.load(str(folder), compression=compression))
        except _ERRORS as error:
            return error


@pytest.mark.parametrize("compression", [None, "GZIP", "SNAPPY"])
def test_files_that_are_cut_off(tmp_path, compression):
    name = _file(tmp_path, compression)
    whole, want = name.read_bytes(), elements(_dataset())
    for n in range(0, len(whole), 7):
        name.write_bytes(whole[:n])
        found = _load(tmp_path, compression)
        # A file that is cut between two elements is a valid, shorter one.
        assert isinstance(found, _ERRORS) or found == want[: len(found)]
        assert found != want


@pytest.mark.parametrize("compression", [None, "GZIP", "SNAPPY"])
def test_a_bit_is_changed(tmp_path, compression):
    name = _file(tmp_path, compression)
    whole, want = name.read_bytes(), elements(_dataset())
    for bit in range(0, 8 * len(whole), 97):
        changed = bytearray(whole)
        changed[bit // 8] ^= 1 << bit % 8
        name.write_bytes(changed)
        found = _load(tmp_path, compression)
        # A header of GZIP has bits that mean nothing.
        assert isinstance(found, _ERRORS) or found == want


def test_lengths_that_are_huge(tmp_path):
    name = _file(tmp_path, "SNAPPY")
    whole = name.read_bytes()
    for head in (b"\xff\xff\xff\xff", b"\x00\x00\x00\x05\xff\xff\xff\xff\x0f"):
        name.write_bytes(head + whole)
        found = _load(tmp_path, "SNAPPY")
        assert isinstance(found, tf.errors.DataLossError), found
    name = tmp_path / "snapshot.metadata"
    name.write_bytes(b"\x12\x05../..\x20\x02" + b"\xff" * 9)
    assert isinstance(_load(tmp_path, "SNAPPY"), tf.errors.DataLossError)


def test_what_has_no_form_in_files(tmp_path):
    windows = Dataset.range(4).window(2)
    with tf.Session() as session:
        with pytest.raises(tf.errors.InvalidArgumentError, match="cannot be written"):
            session.run(windows.save(str(tmp_path)))
