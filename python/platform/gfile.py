# SPDX-License-Identifier: Apache-2.0
"""`tf.gfile`: files under TensorFlow's names."""

# ruff: noqa: F401
from typing import Any as _Any

from tensorwright.python.lib.io import file_io as _file_io
from tensorwright.python.lib.io.file_io import FileIO as _FileIO
from tensorwright.python.lib.io.file_io import copy as Copy
from tensorwright.python.lib.io.file_io import create_dir as MkDir
from tensorwright.python.lib.io.file_io import delete_file as Remove
from tensorwright.python.lib.io.file_io import delete_recursively as DeleteRecursively
from tensorwright.python.lib.io.file_io import get_matching_files as Glob
from tensorwright.python.lib.io.file_io import is_directory as IsDirectory
from tensorwright.python.lib.io.file_io import list_directory as ListDirectory
from tensorwright.python.lib.io.file_io import recursive_create_dir as MakeDirs
from tensorwright.python.lib.io.file_io import rename as Rename
from tensorwright.python.lib.io.file_io import stat as Stat
from tensorwright.python.lib.io.file_io import walk as Walk


def Exists(filename: _Any) -> bool:
    """True for files and folders."""
    return _file_io.file_exists(filename)


class GFile(_FileIO):
    """A file; text mode unless "b" is in `mode`."""

    def __init__(self, name: str, mode: str = "r"):
        super().__init__(name=name, mode=mode)


class FastGFile(GFile):
    """The same."""


Open = GFile
