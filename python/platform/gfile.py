# SPDX-License-Identifier: Apache-2.0
"""`tf.gfile`: files under TensorFlow's names."""

from typing import Any as _Any

from tensorwright.python.lib.io import file_io as _file_io
from tensorwright.python.lib.io.file_io import (
    FileIO as _FileIO,
    copy as Copy,
    create_dir as MkDir,
    delete_file as Remove,
    delete_recursively as DeleteRecursively,
    get_matching_files as Glob,
    is_directory as IsDirectory,
    list_directory as ListDirectory,
    recursive_create_dir as MakeDirs,
    rename as Rename,
    stat as Stat,
    walk as Walk,
)
from tensorwright.python.lib.io.registered_files import (
    register_filesystem as register_filesystem,
)


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

__all__ = [
    "Copy",
    "DeleteRecursively",
    "Exists",
    "FastGFile",
    "GFile",
    "Glob",
    "IsDirectory",
    "ListDirectory",
    "MakeDirs",
    "MkDir",
    "Open",
    "Remove",
    "Rename",
    "Stat",
    "Walk",
    "register_filesystem",
]
