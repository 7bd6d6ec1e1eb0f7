# SPDX-License-Identifier: Apache-2.0
"""FixedLengthRecordReader, against slices of bytes."""

import gzip
import zlib

import pytest

import tensorwright as tf
from tensorwright.python.kernel_tests.io import reader_testing

pytestmark = pytest.mark.usefixtures("fresh_graph")

_BYTES = bytes(range(40))


def _records(data, record, header, footer, hop):
    end = len(data) - footer
    return [
        data[i : i + record]
        for i in range(header, max(header, end - record + 1), hop or record)
    ]


@pytest.mark.parametrize("encoding", ["", "ZLIB", "GZIP"])
@pytest.mark.parametrize(
    ("record", "header", "footer", "hop"),
    [
        (5, 0, 0, 0),
        (7, 3, 2, 0),
        (6, 1, 1, 2),
        (3, 0, 4, 10),
        (40, 0, 0, 0),
        (41, 0, 0, 0),
        (1, 50, 0, 0),
        (1, 0, 50, 0),
        (4, 2, 0, 4),
    ],
)
def test_pieces_are_those_of_slices(tmp_path, record, header, footer, hop, encoding):
    path = tmp_path / "bytes"
    pack = {"": bytes, "ZLIB": zlib.compress, "GZIP": gzip.compress}[encoding]
    path.write_bytes(pack(_BYTES))
    want = [
        (f"{path}:{i}".encode(), piece)
        for i, piece in enumerate(_records(_BYTES, record, header, footer, hop))
    ]
    reader = tf.FixedLengthRecordReader(record, header, footer, hop, encoding=encoding)
    assert reader_testing.read_all(reader, [str(path)]) == want
    if not encoding:
        old = reader_testing.first_generation(
            "_fixed_length_record_reader",
            record_bytes=record,
            header_bytes=header,
            footer_bytes=footer,
            hop_bytes=hop,
        )
        assert reader_testing.read_all(old, [str(path)]) == want


def test_records_may_be_longer_than_a_file(tmp_path):
    (tmp_path / "bytes").write_bytes(_BYTES)
    reader = tf.FixedLengthRecordReader(1 << 50, 1 << 50, 1 << 50)
    assert reader_testing.read_all(reader, [str(tmp_path / "bytes")]) == []


@pytest.mark.parametrize(
    "wrong",
    [
        {"record_bytes": 0},
        {"record_bytes": -3},
        {"record_bytes": 1, "header_bytes": -1},
        {"record_bytes": 1, "footer_bytes": -1},
        {"record_bytes": 1, "hop_bytes": -1},
        {"record_bytes": 1, "encoding": "x"},
    ],
)
def test_wrong_layouts_are_refused(wrong):
    with pytest.raises(tf.errors.InvalidArgumentError, match=list(wrong)[-1]):
        reader_testing.read_all(tf.FixedLengthRecordReader(**wrong), ["x"])
