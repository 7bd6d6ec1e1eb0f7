# SPDX-License-Identifier: Apache-2.0
"""Files that lie beside the caller's source."""

from __future__ import annotations

import os
import sys


def load_resource(path: str) -> bytes:
    """The bytes of `path`, relative to the caller's folder.  Raises OSError."""
    with open(os.path.join(_folder_of_caller(), path), "rb") as f:
        return f.read()


def get_data_files_path() -> str:
    """The caller's folder."""
    return _folder_of_caller()


def get_root_dir_with_all_resources() -> str:
    """The folder that data files are found under: the caller's."""
    return _folder_of_caller()


def get_path_to_datafile(path: str) -> str:
    """The full path of a file beside the caller's source."""
    return os.path.join(_folder_of_caller(), path)


def readahead_file_path(path: str, readahead: str = "128M") -> str:
    """`path`: local files need no prefetch hint."""
    del readahead
    return path


def _folder_of_caller() -> str:
    return os.path.dirname(os.path.abspath(sys._getframe(2).f_code.co_filename))
