# SPDX-License-Identifier: Apache-2.0
"""tf.gfile: file_io under its older names."""

from __future__ import annotations

from tensorwright.python.lib.io import file_io as _file_io

Copy = _file_io.copy
DeleteRecursively = _file_io.delete_recursively
Exists = _file_io.file_exists
Glob = _file_io.get_matching_files
IsDirectory = _file_io.is_directory
ListDirectory = _file_io.list_directory
MakeDirs = _file_io.recursive_create_dir
MkDir = _file_io.create_dir
Remove = _file_io.delete_file
Rename = _file_io.rename
Stat = _file_io.stat
Walk = _file_io.walk


class GFile(_file_io.FileIO):
    """A file, by default opened to read text."""

    def __init__(self, name: str, mode: str = "r") -> None:
        super().__init__(name, mode)


class FastGFile(GFile):
    """The same as GFile: there is one implementation."""


Open = GFile
