# SPDX-License-Identifier: Apache-2.0
"""The lines of files."""

import gzip
import zlib

import pytest

import tensorwright as tf
from tensorwright.python.kernel_tests.dataset.elements import (
    Dataset,
    elements,
    refuses,
    scalar,
)

pytestmark = pytest.mark.usefixtures("fresh_graph")


def test_lines(tmp_path):
    (tmp_path / "a").write_bytes(b"one\ntwo\r\n\nlast")
    (tmp_path / "b").write_bytes(b"")
    (tmp_path / "c").write_bytes(b"more\n")
    names = [str(tmp_path / n) for n in "abc"]
    want = [b"one", b"two", b"", b"last", b"more"]
    assert elements(tf.data.TextLineDataset(names)) == want
    assert elements(tf.data.TextLineDataset(names[0])) == want[:4]
    assert elements(tf.data.TextLineDataset(names, buffer_size=2)) == want
    listed = Dataset.list_files(str(tmp_path / "*"), shuffle=False)
    assert elements(listed) == [n.encode() for n in names]
    assert elements(tf.data.TextLineDataset(listed)) == want
    parallel = tf.data.TextLineDataset(listed, num_parallel_reads=2)
    assert sorted(elements(parallel)) == sorted(want)


@pytest.mark.parametrize("kind", ["ZLIB", "GZIP"])
def test_compressed(tmp_path, kind):
    pack = {"ZLIB": zlib.compress, "GZIP": gzip.compress}[kind]
    text = b"".join(b"line %d\n" % i for i in range(3000))
    (tmp_path / "a").write_bytes(pack(text))
    got = elements(tf.data.TextLineDataset(str(tmp_path / "a"), kind))
    assert got == text.splitlines()


def test_what_is_refused(tmp_path):
    (tmp_path / "a").write_bytes(b"one\n")
    name = str(tmp_path / "a")
    refuses("compression_type", lambda: tf.data.TextLineDataset(name, "ZIP"))
    refuses(
        "buffer_size", lambda: tf.data.TextLineDataset(name, buffer_size=scalar(-1))
    )
    missing = lambda: tf.data.TextLineDataset(str(tmp_path / "missing"))  # noqa: E731
    refuses("missing", missing, tf.errors.NotFoundError)
    both = tf.data.TextLineDataset([str(tmp_path / "missing"), name])
    assert elements(both.ignore_errors()) == [b"one"]
    refuses("No files matched", lambda: Dataset.list_files(str(tmp_path / "z*")))
