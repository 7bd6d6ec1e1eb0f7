# SPDX-License-Identifier: Apache-2.0
"""TFRecordReader, and tf.python_io, which writes what it reads."""

import gzip
import zlib

import pytest

import tensorwright as tf
from tensorwright.python.kernel_tests.io import reader_testing

pytestmark = pytest.mark.usefixtures("fresh_graph")

_RECORDS = [b"", b"a", b"x" * 300_000, *(b"%d" % i for i in range(50))]
_TYPES = tf.python_io.TFRecordCompressionType


def _write(path, options=None):
    with tf.python_io.TFRecordWriter(path, options) as writer:
        for record in _RECORDS:
            writer.write(record)


@pytest.mark.parametrize("kind", [_TYPES.NONE, _TYPES.ZLIB, _TYPES.GZIP])
def test_what_was_written_is_read(tmp_path, kind):
    path = str(tmp_path / "records")
    options = tf.python_io.TFRecordOptions(kind)
    _write(path, options)
    assert list(tf.python_io.tf_record_iterator(path, options)) == _RECORDS
    text = options.get_compression_type_string(options)
    old = reader_testing.first_generation("_tf_record_reader", compression_type=text)
    for reader in (tf.TFRecordReader(options=options), old):
        got = reader_testing.read_all(reader, [path, path])
        assert [value for _, value in got] == _RECORDS * 2
        # 12 bytes before a record, 4 behind it.
        assert [key for key, _ in got[:3]] == [
            f"{path}:{n}".encode() for n in (0, 16, 33)
        ]


def test_compressed_files_are_those_of_zlib_and_gzip(tmp_path):
    plain, packed = str(tmp_path / "plain"), str(tmp_path / "packed")
    _write(plain)
    with open(plain, "rb") as file:
        raw = file.read()
    for kind, unpack in (("ZLIB", zlib.decompress), ("GZIP", gzip.decompress)):
        _write(packed, kind)
        with open(packed, "rb") as file:
            assert unpack(file.read()) == raw
    sizes = []
    for level in (0, 9):
        _write(packed, tf.python_io.TFRecordOptions("GZIP", compression_level=level))
        assert list(tf.python_io.tf_record_iterator(packed, "GZIP")) == _RECORDS
        sizes.append((tmp_path / "packed").stat().st_size)
    assert sizes[0] > len(raw) > sizes[1]


def test_what_was_flushed_is_there(tmp_path):
    path = str(tmp_path / "records")
    for options in (None, "ZLIB"):
        writer = tf.python_io.TFRecordWriter(path, options)
        writer.write(b"one")
        writer.flush()
        assert next(tf.python_io.tf_record_iterator(path, options)) == b"one"
        writer.close()
        writer.close()
        with pytest.raises(tf.errors.FailedPreconditionError, match="closed"):
            writer.write(b"two")


def test_other_options_are_refused(tmp_path):
    for wrong in ("LZ4", 7):
        with pytest.raises(ValueError, match="compression_type"):
            tf.python_io.TFRecordOptions(wrong)
    writer = tf.python_io.TFRecordWriter(
        str(tmp_path / "x"), tf.python_io.TFRecordOptions("ZLIB", mem_level=99)
    )
    with pytest.raises(tf.errors.InvalidArgumentError, match="zlib"):
        writer.write(b"a")
    with pytest.raises(tf.errors.OpError):
        tf.python_io.TFRecordWriter(str(tmp_path / "no" / "folder"))


@pytest.mark.parametrize("kind", ["", "GZIP"])
def test_changed_and_cut_files_are_lost(tmp_path, kind):
    path = tmp_path / "records"
    with tf.python_io.TFRecordWriter(str(path), kind) as writer:
        for i in range(5):
            writer.write(b"record %d" % i)
    whole = path.read_bytes()

    def read(data):
        path.write_bytes(data)
        records = []
        try:
            for record in tf.python_io.tf_record_iterator(str(path), kind):
                records.append(record)
        except tf.errors.DataLossError as error:
            assert str(path) in str(error)
            return records, True
        return records, False

    for bit in range(0, 8 * len(whole), 97):
        data = bytearray(whole)
        data[bit // 8] ^= 1 << bit % 8
        records, lost = read(bytes(data))
        # A byte of gzip's header may mean nothing; no record is another one.
        assert lost or (kind and len(records) == 5)
        assert records == [b"record %d" % i for i in range(len(records))]
    for length in range(1, len(whole)):
        records, lost = read(whole[:length])
        assert lost or length % 24 == 0 and not kind
    if not kind:
        huge = whole[:24] + b"\xff" * 7 + b"\x00" + whole[8:]
        assert read(huge) == ([b"record 0"], True)


def test_a_lost_record_is_an_error_of_the_run(tmp_path):
    path = tmp_path / "records"
    _write(str(path))
    path.write_bytes(path.read_bytes()[:20])
    with pytest.raises(tf.errors.DataLossError, match="truncated record at 16 of"):
        reader_testing.read_all(tf.TFRecordReader(), [str(path)])
    with pytest.raises(tf.errors.InvalidArgumentError, match="compression_type"):
        reader = reader_testing.first_generation(
            "_tf_record_reader", compression_type="x"
        )
        reader_testing.read_all(reader, [str(path)])
