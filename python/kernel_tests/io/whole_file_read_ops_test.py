# SPDX-License-Identifier: Apache-2.0
"""ReadFile and WriteFile: files as strings."""

import pytest

import tensorwright as tf

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
