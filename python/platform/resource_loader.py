# SPDX-License-Identifier: Apache-2.0
"""Files that lie beside the code."""

import os
import sys


def load_resource(path: str) -> bytes:
    """The contents of a file, by its path below the package.  IOError if missing."""
    with open(os.path.join(_package_folder(), path), "rb") as f:
        return f.read()


def _package_folder() -> str:
    file = sys.modules["tensorwright"].__file__
    assert file is not None
    return os.path.dirname(os.path.abspath(file))


def _caller_folder() -> str:
    """The folder of the file that called our caller."""
    frame = sys._getframe(2)
    return os.path.dirname(os.path.abspath(frame.f_code.co_filename))


def get_data_files_path() -> str:
    """The folder of the file that calls this."""
    return _caller_folder()


def get_root_dir_with_all_resources() -> str:
    """The folder that holds everything the caller's program was built with."""
    folder = _caller_folder()
    head, sep, _ = folder.partition(".runfiles" + os.sep)
    if not sep:
        return folder
    return os.path.join(
        head + ".runfiles", folder[len(head) + len(sep) :].split(os.sep)[0]
    )


def get_path_to_datafile(path: str) -> str:
    """The path of a file that lies beside the file that calls this."""
    return os.path.join(_caller_folder(), path)


def readahead_file_path(path: str, readahead: str = "128M") -> str:
    """The path itself: files need no hint here."""
    del readahead
    return path
