# SPDX-License-Identifier: Apache-2.0
"""Tests of files under TensorFlow's names and error classes."""

import os
import tempfile
import unittest

import pytest

import tensorwright as tf
from tensorwright.python.framework import errors
from tensorwright.python.lib.io import file_io
from tensorwright.python.platform import gfile


class FileIOTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "file")
        self.folder = folder.name

    def test_text_and_bytes(self):
        file_io.write_string_to_file(self.path, "line ü\nnext\n")
        self.assertEqual(file_io.read_file_to_string(self.path), "line ü\nnext\n")
        with gfile.GFile(self.path, "rb") as f:
            self.assertEqual(f.readline(), "line ü\n".encode())
            self.assertEqual(f.tell(), 8)
            f.seek(0)
            self.assertEqual(len(f.readlines()), 2)
        self.assertEqual(gfile.Stat(self.path).length, 13)

    def test_a_file_opened_for_writing_exists_after_close(self):
        gfile.GFile(self.path, "w").close()
        self.assertTrue(gfile.Exists(self.path))

    def test_errors_have_tensorflows_classes(self):
        file_io.write_string_to_file(self.path, "x")
        for call, error in (
            (lambda: file_io.FileIO("/nowhere/x", "r").read(), errors.NotFoundError),
            (lambda: file_io.FileIO(self.path, "q"), errors.InvalidArgumentError),
            (
                lambda: file_io.FileIO(self.path, "r").write("y"),
                errors.PermissionDeniedError,
            ),
            (
                lambda: file_io.FileIO(self.path, "w").read(),
                errors.PermissionDeniedError,
            ),
            (lambda: file_io.copy(self.path, self.path), errors.AlreadyExistsError),
            (lambda: file_io.create_dir(self.folder + "/a/b"), errors.NotFoundError),
            (lambda: file_io.list_directory(self.path), errors.NotFoundError),
            (lambda: file_io.delete_file(self.path + "z"), errors.NotFoundError),
        ):
            with self.assertRaises(error):
                call()

    def test_folders(self):
        file_io.create_dir(self.folder)  # One that exists stays.
        deep = os.path.join(self.folder, "a", "b")
        gfile.MakeDirs(deep)
        file_io.atomic_write_string_to_file(os.path.join(deep, "f"), b"1")
        self.assertTrue(gfile.IsDirectory(deep))
        self.assertEqual(gfile.ListDirectory(deep), ["f"])
        self.assertEqual(len(gfile.Glob(os.path.join(deep, "*"))), 1)
        self.assertEqual([d for d, _, _ in gfile.Walk(self.folder)][-1], deep)
        gfile.DeleteRecursively(os.path.join(self.folder, "a"))
        self.assertFalse(gfile.Exists(deep))

    def test_the_later_names_do_the_same(self):
        files = tf.io.gfile
        deep = files.join(self.folder, "a", "b")
        files.makedirs(deep)
        with files.GFile(files.join(deep, "f"), "w") as f:
            f.write("x")
        files.copy(files.join(deep, "f"), files.join(deep, "g"))
        with self.assertRaises(errors.AlreadyExistsError):
            files.rename(files.join(deep, "f"), files.join(deep, "g"))
        files.rename(files.join(deep, "f"), files.join(deep, "g"), overwrite=True)
        self.assertEqual(files.listdir(deep), ["g"])
        self.assertEqual(files.glob(files.join(deep, "*")), [files.join(deep, "g")])
        self.assertEqual(files.stat(files.join(deep, "g")).length, 1)
        self.assertTrue(files.isdir(deep) and not files.exists(deep + "x"))
        self.assertEqual([names for _, _, names in files.walk(deep)], [["g"]])
        missing = []
        self.assertEqual(list(files.walk(deep + "x", onerror=missing.append)), [])
        self.assertIsInstance(missing[0], errors.NotFoundError)
        files.remove(files.join(deep, "g"))
        files.rmtree(files.join(self.folder, "a"))
        self.assertFalse(files.exists(deep))
        self.assertIn("ram", files.get_registered_schemes())


def test_writing_by_r_plus_makes_a_file(tmp_path):
    path = str(tmp_path / "new")
    with pytest.raises(errors.NotFoundError):
        file_io.FileIO(path, "r+").read()
    with file_io.FileIO(path, "r+") as file:
        file.write("text")
    assert file_io.read_file_to_string(path) == "text"


if __name__ == "__main__":
    unittest.main()
