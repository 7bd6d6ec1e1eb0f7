# SPDX-License-Identifier: Apache-2.0
"""ReadFile and WriteFile: files as strings."""

import pytest

import tensorwright as tf
from tensorwright.python.kernel_tests.io import reader_testing

_BYTES = b"zero \x00, high \xff, long " + b"x" * 300_000


def test_what_is_written_is_read(tmp_path):
    path = str(tmp_path / "new" / "folder" / "file")
    with tf.Graph().as_default(), tf.Session() as session:
        write = tf.write_file(path, _BYTES)
        read = tf.read_file(path)
        assert read.shape.as_list() == []
        session.run(write)
        assert session.run(read) == _BYTES
        # Each run reads anew.
        session.run(tf.write_file(path, "short"))
        assert session.run(read) == b"short"


def test_files_in_memory_are_read_and_written():
    with tf.Graph().as_default(), tf.Session() as session:
        session.run(tf.write_file("ram://whole/file", _BYTES))
        assert session.run(tf.read_file("ram://whole/file")) == _BYTES
    tf.gfile.DeleteRecursively("ram://whole")


def test_what_cannot_be_read_or_written_says_so(tmp_path):
    with tf.Graph().as_default(), tf.Session() as session:
        for path, error in (
            (str(tmp_path / "none"), tf.errors.NotFoundError),
            ("nowhere://file", tf.errors.UnimplementedError),
        ):
            with pytest.raises(error, match=path.rpartition("/")[2]):
                session.run(tf.read_file(path))
        with pytest.raises(tf.errors.OpError, match="not a directory|Not a directory"):
            (tmp_path / "file").write_text("")
            session.run(tf.write_file(str(tmp_path / "file" / "below"), ""))
        with pytest.raises(ValueError):
            tf.read_file(["a", "b"])


def test_a_reader_gives_whole_files(tmp_path):
    paths = [tmp_path / "a", tmp_path / "empty"]
    paths[0].write_bytes(_BYTES)
    paths[1].write_bytes(b"")
    names = [str(p) for p in paths]
    want = [(names[0].encode(), _BYTES), (names[1].encode(), b"")]
    with tf.Graph().as_default():
        assert reader_testing.read_all(tf.WholeFileReader(), names) == want
    with tf.Graph().as_default():
        old = reader_testing.first_generation("_whole_file_reader")
        assert reader_testing.read_all(old, names) == want
