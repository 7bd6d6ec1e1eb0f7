# SPDX-License-Identifier: Apache-2.0
"""DecodeCompressed, against Python's zlib and gzip."""

import gzip
import zlib

import numpy as np
import pytest

import tensorwright as tf

pytestmark = pytest.mark.usefixtures("fresh_graph")

_TEXTS = [b"", b"a", b"abc" * 1000, np.random.RandomState(0).bytes(300_000)]


def _run(tensor, feeds=None):
    with tf.Session() as session:
        return session.run(tensor, feeds)


@pytest.mark.parametrize(
    ("kind", "compress"),
    [("ZLIB", zlib.compress), ("GZIP", gzip.compress), ("", bytes)],
)
def test_what_was_compressed_is_decompressed(kind, compress):
    packed = np.array([compress(t) for t in _TEXTS], object).reshape(2, 2)
    got = _run(tf.decode_compressed(packed, kind))
    assert got.ravel().tolist() == _TEXTS
    assert got.shape == (2, 2)


def test_streams_behind_one_another_are_one():
    two = gzip.compress(b"one ") + gzip.compress(b"two")
    assert _run(tf.decode_compressed(two, "GZIP")) == b"one two"


def test_broken_data_is_lost():
    whole = zlib.compress(b"abcdefgh" * 20)
    fed = tf.placeholder(tf.string, [])
    decoded = tf.decode_compressed(fed, "ZLIB")
    changed = [b"junk", *(whole[:n] for n in range(1, len(whole)))]
    with tf.Session() as session:
        for data in changed:
            with pytest.raises(tf.errors.DataLossError, match="inflate"):
                session.run(decoded, {fed: data})
        for bit in range(0, 8 * len(whole), 97):
            data = bytearray(whole)
            data[bit // 8] ^= 1 << bit % 8
            with pytest.raises(tf.errors.DataLossError, match="inflate"):
                session.run(decoded, {fed: bytes(data)})


def test_other_kinds_are_refused():
    with pytest.raises(tf.errors.InvalidArgumentError, match="compression_type"):
        _run(tf.decode_compressed("a", "LZ4"))
