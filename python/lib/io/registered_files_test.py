# SPDX-License-Identifier: Apache-2.0
"""File systems written in Python, under gfile and kernels."""

import posixpath

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.lib.io import file_io


class _Writer:
    def __init__(self, fs, path, data):
        self._fs, self._path, self._data = fs, path, bytearray(data)

    def write(self, data):
        self._data += data

    def tell(self):
        return len(self._data)

    def flush(self):
        pass

    def close(self):
        self._fs.files[self._path] = bytes(self._data)


class _Store:
    """An object store with fsspec's methods: names with slashes, folders that are prefixes."""

    def __init__(self):
        self.files = {}
        self.folders = {""}

    def _strip_protocol(self, path):
        return path.removeprefix("store://").strip("/")

    def invalidate_cache(self):
        pass

    def isdir(self, path):
        inside = any(f.startswith(path + "/") for f in [*self.files, *self.folders])
        return path in self.folders or inside

    def exists(self, path):
        return path in self.files or self.isdir(path)

    def info(self, path):
        if path in self.files:
            return {
                "name": path,
                "size": len(self.files[path]),
                "type": "file",
                "mtime": 1.5,
            }
        if self.isdir(path):
            return {"name": path, "size": None, "type": "directory"}
        raise FileNotFoundError(f"no {path}")

    def cat_file(self, path, start=None, end=None):
        if path not in self.files:
            raise FileNotFoundError(f"no {path}")
        return self.files[path][start:end]

    def open(self, path, mode):
        return _Writer(self, path, self.files.get(path, b"") if mode == "ab" else b"")

    def ls(self, path, detail=True):
        assert not detail
        below = [
            f
            for f in [*self.files, *self.folders]
            if f and posixpath.dirname(f) == path
        ]
        return sorted(below)

    def rm_file(self, path):
        if path not in self.files:
            raise FileNotFoundError(f"no {path}")
        del self.files[path]

    def mkdir(self, path, create_parents=True):
        self.folders.add(path)

    def makedirs(self, path, exist_ok=False):
        while path:
            self.folders.add(path)
            path = posixpath.dirname(path)

    def rmdir(self, path):
        self.folders.discard(path)

    def mv(self, source, target, recursive=False):
        self.files[target] = self.files.pop(source)


@pytest.fixture(scope="module")
def store():
    store = _Store()
    tf.gfile.register_filesystem("store", store)
    return store


def test_gfile_uses_it(store):
    tf.gfile.MakeDirs("store://box/inner")
    with tf.gfile.GFile("store://box/inner/a", "w") as f:
        f.write("line\nüber\n")
        assert f.tell() == 11
    with tf.gfile.GFile("store://box/inner/a", "a") as f:
        f.write("end")
    assert store.files["box/inner/a"] == "line\nüber\nend".encode()
    with tf.gfile.GFile("store://box/inner/a") as f:
        assert f.readline() == "line\n"
        assert f.read() == "über\nend"
        f.seek(0)
        assert len(f.readlines()) == 3
    assert tf.gfile.Stat("store://box/inner/a").mtime_nsec == 1_500_000_000
    assert tf.gfile.IsDirectory("store://box") and tf.gfile.Exists(
        "store://box/inner/a"
    )
    assert tf.gfile.Glob("store://box/*/?") == ["store://box/inner/a"]
    tf.gfile.Copy("store://box/inner/a", "ram://copied")
    assert file_io.read_file_to_string("ram://copied").endswith("end")
    tf.gfile.Rename("store://box/inner/a", "store://box/b")
    assert [x[1:] for x in tf.gfile.Walk("store://box")] == [
        (["inner"], ["b"]),
        ([], []),
    ]
    tf.gfile.Remove("store://box/b")
    with pytest.raises(tf.errors.NotFoundError, match="box/b"):
        tf.gfile.GFile("store://box/b").read()
    with pytest.raises(tf.errors.AlreadyExistsError):
        tf.gfile.register_filesystem("store", store)
    assert {"", "ram", "store"} <= set(file_io.get_registered_schemes())


def test_checkpoints_are_kept_there(store):
    with tf.Graph().as_default():
        v = tf.Variable(np.arange(1000.0), name="v")
        saver = tf.train.Saver(max_to_keep=1)
        with tf.Session() as session:
            session.run(v.initializer)
            tf.gfile.MakeDirs("store://run")
            for step in range(2):
                saver.save(session, "store://run/m", step)
            session.run(v.assign(np.zeros(1000)))
            saver.restore(session, tf.train.latest_checkpoint("store://run"))
            np.testing.assert_array_equal(session.run(v), np.arange(1000.0))
        assert sorted(store.files) == [
            "run/checkpoint",
            "run/m-1.data-00000-of-00001",
            "run/m-1.index",
            "run/m-1.meta",
        ]


def test_what_goes_wrong_in_python_has_its_class(store):
    def broken(*_, **__):
        raise PermissionError("not yours")

    with tf.Graph().as_default(), tf.Session() as session:
        store.files["secret"] = b"x"
        read = tf.read_file("store://secret")
        assert session.run(read) == b"x"
        store.cat_file = broken
        try:
            with pytest.raises(tf.errors.PermissionDeniedError, match="not yours"):
                session.run(read)
        finally:
            del store.cat_file
