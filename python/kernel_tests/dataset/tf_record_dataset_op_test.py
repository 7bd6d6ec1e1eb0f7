# SPDX-License-Identifier: Apache-2.0
"""The records of TFRecord files."""

import gzip
import struct
import zlib

import pytest

import tensorwright as tf
from tensorwright.python.kernel_tests.dataset.elements import (
    elements,
    refuses,
    scalar,
)

pytestmark = pytest.mark.usefixtures("fresh_graph")

RECORDS = [b"", b"one", b"x" * 70_000, b"\0\1"]


def write(path, records=RECORDS):
    with tf.python_io.TFRecordWriter(str(path)) as writer:
        for record in records:
            writer.write(record)


def test_records(tmp_path):
    write(tmp_path / "a")
    write(tmp_path / "b", [b"last"])
    names = [str(tmp_path / "a"), str(tmp_path / "b")]
    assert elements(tf.data.TFRecordDataset(names)) == [*RECORDS, b"last"]
    assert elements(tf.data.TFRecordDataset(names[1], buffer_size=3)) == [b"last"]


@pytest.mark.parametrize("kind", ["ZLIB", "GZIP"])
def test_compressed(tmp_path, kind):
    write(tmp_path / "plain")
    pack = {"ZLIB": zlib.compress, "GZIP": gzip.compress}[kind]
    (tmp_path / "a").write_bytes(pack((tmp_path / "plain").read_bytes()))
    assert elements(tf.data.TFRecordDataset(str(tmp_path / "a"), kind)) == RECORDS


def test_damaged_files(tmp_path):
    write(tmp_path / "a", [b"first", b"second"])
    data = (tmp_path / "a").read_bytes()
    for wrong in (
        data[:-3],
        data[:-6] + b"?" + data[-5:],
        struct.pack("<Q", 2**60) + data,
    ):
        (tmp_path / "b").write_bytes(wrong)
        refuses(
            r"of \S*/b \(TFRecordDataset, node",
            lambda: tf.data.TFRecordDataset(str(tmp_path / "b")),
            tf.errors.DataLossError,
        )


def test_what_is_refused():
    refuses("compression_type", lambda: tf.data.TFRecordDataset("a", "ZIP"))
    refuses(
        "missing", lambda: tf.data.TFRecordDataset("/missing"), tf.errors.NotFoundError
    )
    refuses("buffer_size", lambda: tf.data.TFRecordDataset("a", buffer_size=scalar(-1)))
