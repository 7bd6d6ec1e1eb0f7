# SPDX-License-Identifier: Apache-2.0
"""Records of equal length."""

import gzip

import pytest

import tensorwright as tf
from tensorwright.python.kernel_tests.dataset.elements import (
    Dataset,
    elements,
    refuses,
    scalar,
)
from tensorwright.python.ops import gen_dataset_ops

pytestmark = pytest.mark.usefixtures("fresh_graph")


def test_records(tmp_path):
    (tmp_path / "a").write_bytes(b"HHaabbccF")
    (tmp_path / "b").write_bytes(b"HHF")
    (tmp_path / "c").write_bytes(b"HHddF")
    names = [str(tmp_path / n) for n in "abc"]
    want = [b"aa", b"bb", b"cc", b"dd"]
    assert elements(tf.data.FixedLengthRecordDataset(names, 2, 2, 1)) == want
    assert elements(tf.data.FixedLengthRecordDataset(names, 2, 2, 1, 1)) == want
    assert elements(tf.data.FixedLengthRecordDataset(names[0], 3)) == [
        b"HHa",
        b"abb",
        b"ccF",
    ]


def test_compressed(tmp_path):
    (tmp_path / "a").write_bytes(gzip.compress(b"H" + b"ab" * 5000 + b"FF"))
    got = elements(
        tf.data.FixedLengthRecordDataset(
            str(tmp_path / "a"), 2, 1, 2, compression_type="GZIP"
        )
    )
    assert got == [b"ab"] * 5000


def test_the_first_form_of_the_op(tmp_path):
    (tmp_path / "a").write_bytes(b"aabb")
    variant = gen_dataset_ops.fixed_length_record_dataset(
        str(tmp_path / "a"), 0, 2, 0, 0
    )
    made = Dataset._from_variant(variant, tf.TensorSpec([], tf.string))
    assert elements(made) == [b"aa", b"bb"]


def test_what_is_refused(tmp_path):
    (tmp_path / "a").write_bytes(b"aabbc")
    name = str(tmp_path / "a")
    refuses("Excess bytes", lambda: tf.data.FixedLengthRecordDataset(name, 2))
    refuses("shorter", lambda: tf.data.FixedLengthRecordDataset(name, 2, 9, 9))
    refuses("must be > 0", lambda: tf.data.FixedLengthRecordDataset(name, scalar(0)))
    refuses(
        "must be >= 0", lambda: tf.data.FixedLengthRecordDataset(name, 1, scalar(-1))
    )
