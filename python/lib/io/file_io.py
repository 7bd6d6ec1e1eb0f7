# SPDX-License-Identifier: Apache-2.0
"""Files and folders of the local file system, with TensorFlow's error classes."""

from __future__ import annotations

import contextlib
import errno
import glob
import os
import shutil
import uuid
from collections.abc import Iterator
from typing import Any, NamedTuple

from tensorwright.python.framework import errors_impl
from tensorwright.python.framework.type_aliases import PathLike
from tensorwright.python.util import compat

_CLASSES = {
    errno.ENOENT: errors_impl.NotFoundError,
    errno.EEXIST: errors_impl.AlreadyExistsError,
    errno.EACCES: errors_impl.PermissionDeniedError,
    errno.EPERM: errors_impl.PermissionDeniedError,
    errno.ENOTEMPTY: errors_impl.FailedPreconditionError,
    errno.EISDIR: errors_impl.FailedPreconditionError,
    errno.ENOTDIR: errors_impl.FailedPreconditionError,
    errno.ENOSPC: errors_impl.ResourceExhaustedError,
}


@contextlib.contextmanager
def _os_errors(path: Any) -> Iterator[None]:
    """Turns an OSError into the OpError of its kind."""
    try:
        yield
    except OSError as error:
        cls = _CLASSES.get(error.errno, errors_impl.UnknownError)
        raise cls(None, None, f"{_text(path)}; {error.strerror or error}") from error


def _text(path: Any) -> str:
    return compat.as_text(os.fspath(path))


class FileIO:
    """A file opened at its first use.

    `mode` is r, w, a, r+, w+ or a+; with "b" reads give bytes, else str.
    """

    def __init__(self, name: PathLike, mode: str):
        if mode.replace("b", "") not in ("r", "w", "a", "r+", "w+", "a+"):
            raise errors_impl.InvalidArgumentError(
                None, None, f"{mode!r} is not a supported mode"
            )
        self.__name = name
        self.__mode = mode
        self._file: Any = None

    @property
    def name(self) -> Any:
        return self.__name

    @property
    def mode(self) -> str:
        return self.__mode

    def _open(self, writing: bool) -> Any:
        mode = self.__mode
        if writing and "r" in mode and "+" not in mode:
            raise errors_impl.PermissionDeniedError(
                None, None, f"File isn't open for writing: {_text(self.__name)}"
            )
        if not writing and "+" not in mode and "r" not in mode:
            raise errors_impl.PermissionDeniedError(
                None, None, f"File isn't open for reading: {_text(self.__name)}"
            )
        if self._file is None:
            with _os_errors(self.__name):
                self._file = open(_text(self.__name), mode.replace("b", "") + "b")
        return self._file

    def _result(self, data: bytes) -> Any:
        return data if "b" in self.__mode else data.decode("utf-8")

    def size(self) -> int:
        return stat(self.__name).length

    def write(self, file_content: str | bytes) -> None:
        """Appends str (as UTF-8) or bytes."""
        with _os_errors(self.__name):
            self._open(True).write(compat.as_bytes(file_content))

    def read(self, n: int = -1) -> Any:
        """At most n bytes from the current position on; all by default."""
        with _os_errors(self.__name):
            return self._result(self._open(False).read(n))

    def seek(
        self, offset: int | None = None, whence: int = 0, position: int | None = None
    ) -> None:
        if offset is None and position is None:
            raise TypeError(f"seek() in {self.__name} needs an offset")
        offset = position if offset is None else offset
        with _os_errors(self.__name):
            self._open("r" not in self.__mode).seek(offset, whence)

    def seekable(self) -> bool:
        return True

    def readline(self) -> Any:
        """The next line with its end; empty at the end of the file."""
        with _os_errors(self.__name):
            return self._result(self._open(False).readline())

    def readlines(self) -> list:
        return list(self)

    def tell(self) -> int:
        return self._open("r" not in self.__mode).tell()

    def __enter__(self) -> "FileIO":
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.close()

    def __iter__(self) -> "FileIO":
        return self

    def __next__(self) -> Any:
        line = self.readline()
        if not line:
            raise StopIteration
        return line

    next = __next__

    def flush(self) -> None:
        if self._file is not None:
            with _os_errors(self.__name):
                self._file.flush()

    def close(self) -> None:
        """Closes the file; a file opened for writing exists from then on."""
        if self._file is None and "r" not in self.__mode:
            self._open(True)
        if self._file is not None:
            with _os_errors(self.__name):
                self._file.close()
            self._file = None

    def __del__(self):
        if getattr(self, "_file", None) is not None:
            self._file.close()


class FileStatistics(NamedTuple):
    """What `stat` gives: bytes, nanoseconds since 1970, whether it is a folder."""

    length: int
    mtime_nsec: int
    is_directory: bool


def file_exists(path: PathLike) -> bool:
    """True for files and folders."""
    return os.path.exists(_text(path))


file_exists_v2 = file_exists


def delete_file(filename: PathLike) -> None:
    """NotFoundError where there is none."""
    with _os_errors(filename):
        os.remove(_text(filename))


def read_file_to_string(filename: PathLike, binary_mode: bool = False) -> Any:
    with FileIO(filename, "rb" if binary_mode else "r") as f:
        return f.read()


def write_string_to_file(filename: PathLike, file_content: str | bytes) -> None:
    with FileIO(filename, "w") as f:
        f.write(file_content)


def get_matching_files(filename: PathLike) -> list[str]:
    """The files that a glob pattern, or any of a list of them, matches."""
    patterns = filename if isinstance(filename, (list, tuple)) else [filename]
    return [f for p in patterns for f in sorted(glob.glob(_text(p)))]


def create_dir(dirname: PathLike) -> None:
    """NotFoundError where the parent is missing."""
    with _os_errors(dirname):
        os.mkdir(_text(dirname))


def recursive_create_dir(dirname: PathLike) -> None:
    """Makes a folder with its parents; fine where it exists."""
    with _os_errors(dirname):
        os.makedirs(_text(dirname), exist_ok=True)


def copy(oldpath: PathLike, newpath: PathLike, overwrite: bool = False) -> None:
    """AlreadyExistsError where the target exists and `overwrite` is False."""
    _refuse_existing(newpath, overwrite)
    with _os_errors(oldpath):
        shutil.copyfile(_text(oldpath), _text(newpath))


def rename(oldname: PathLike, newname: PathLike, overwrite: bool = False) -> None:
    """AlreadyExistsError where the target exists and `overwrite` is False."""
    _refuse_existing(newname, overwrite)
    with _os_errors(oldname):
        os.replace(_text(oldname), _text(newname))


def _refuse_existing(path: Any, overwrite: bool) -> None:
    if not overwrite and file_exists(path):
        raise errors_impl.AlreadyExistsError(
            None, None, f"file already exists: {_text(path)}"
        )


def atomic_write_string_to_file(
    filename: PathLike, contents: str | bytes, overwrite: bool = True
) -> None:
    """Writes to a file beside it first: readers see all or nothing."""
    temporary = f"{_text(filename)}.tmp{uuid.uuid4().hex}"
    write_string_to_file(temporary, contents)
    try:
        rename(temporary, filename, overwrite)
    except errors_impl.OpError:
        delete_file(temporary)
        raise


def delete_recursively(dirname: PathLike) -> None:
    """NotFoundError where there is none."""
    with _os_errors(dirname):
        shutil.rmtree(_text(dirname))


def is_directory(dirname: PathLike) -> bool:
    return os.path.isdir(_text(dirname))


def list_directory(dirname: PathLike) -> list[str]:
    """The names in a folder.  NotFoundError where it is none."""
    if not is_directory(dirname):
        raise errors_impl.NotFoundError(
            None, None, f"Could not find directory {_text(dirname)}"
        )
    return os.listdir(_text(dirname))


def walk(top: PathLike, in_order: bool = True) -> Iterator[tuple[str, list, list]]:
    """(folder, its folders, its files) for a tree; parents first if `in_order`."""
    yield from os.walk(_text(top), topdown=in_order)


def stat(filename: PathLike) -> FileStatistics:
    """NotFoundError where there is none."""
    with _os_errors(filename):
        s = os.stat(_text(filename))
    return FileStatistics(s.st_size, s.st_mtime_ns, os.path.isdir(_text(filename)))
