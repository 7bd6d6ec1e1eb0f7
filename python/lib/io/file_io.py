# SPDX-License-Identifier: Apache-2.0
"""Files of the local machine under TensorFlow's names and error classes."""

from __future__ import annotations

import collections
import contextlib
import glob
import os
import shutil
import uuid
from collections.abc import Iterator
from typing import Any

from tensorwright.python.framework import errors
from tensorwright.python.util import compat

FileStatistics = collections.namedtuple(
    "FileStatistics", ["length", "mtime_nsec", "is_directory"]
)

_CLASS_OF_ERROR: tuple[tuple[type[OSError], type[errors.OpError]], ...] = (
    (FileNotFoundError, errors.NotFoundError),
    (FileExistsError, errors.AlreadyExistsError),
    (PermissionError, errors.PermissionDeniedError),
    (IsADirectoryError, errors.FailedPreconditionError),
    (NotADirectoryError, errors.FailedPreconditionError),
)


@contextlib.contextmanager
def _tensorflow_errors() -> Iterator[None]:
    try:
        yield
    except OSError as e:
        for kind, mapped in _CLASS_OF_ERROR:
            if isinstance(e, kind):
                raise mapped(None, None, str(e)) from e
        raise errors.UnknownError(None, None, str(e)) from e


class FileIO:
    """A file of bytes ("rb", "wb", "ab") or UTF-8 text ("r", "w", "a", with "+" too).

    Opened at the first use, as TensorFlow's is; raises NotFoundError and the like, not OSError.
    """

    def __init__(self, name: str | bytes, mode: str) -> None:
        self.__name = compat.as_str(name)
        self.__mode = mode
        self._file: Any = None

    @property
    def name(self) -> str:
        return self.__name

    @property
    def mode(self) -> str:
        return self.__mode

    def _open(self) -> Any:
        if self._file is None:
            with _tensorflow_errors():
                encoding = None if "b" in self.__mode else "utf-8"
                self._file = open(self.__name, self.__mode, encoding=encoding)
        return self._file

    def size(self) -> int:
        """Bytes in the file."""
        return stat(self.__name).length

    def write(self, file_content: str | bytes) -> None:
        """Appends `file_content` at the file's position."""
        binary = "b" in self.__mode
        convert = compat.as_bytes if binary else compat.as_str
        with _tensorflow_errors():
            self._open().write(convert(file_content))

    def read(self, n: int = -1) -> Any:
        """The next `n` bytes or characters, all that follow for -1."""
        with _tensorflow_errors():
            return self._open().read(n)

    def seek(
        self, offset: int | None = None, whence: int = 0, position: int | None = None
    ) -> None:
        """Moves to `offset` from the start (whence 0), here (1) or the end (2)."""
        offset = position if offset is None else offset
        if offset is None:
            raise TypeError("seek(): offset argument required")
        with _tensorflow_errors():
            self._open().seek(offset, whence)

    def seekable(self) -> bool:
        return True

    def readline(self) -> Any:
        with _tensorflow_errors():
            return self._open().readline()

    def readlines(self) -> list[Any]:
        return list(self)

    def tell(self) -> int:
        return self._open().tell()

    def flush(self) -> None:
        if self._file is not None:
            with _tensorflow_errors():
                self._file.flush()

    def close(self) -> None:
        if self._file is not None:
            with _tensorflow_errors():
                self._file.close()
            self._file = None

    def next(self) -> Any:
        line = self.readline()
        if not line:
            raise StopIteration
        return line

    __next__ = next

    def __iter__(self) -> FileIO:
        return self

    def __enter__(self) -> FileIO:
        return self

    def __exit__(self, *unused: Any) -> None:
        self.close()


def file_exists(filename: str) -> bool:
    return os.path.exists(compat.as_str(filename))


def delete_file(filename: str) -> None:
    with _tensorflow_errors():
        os.remove(compat.as_str(filename))


def read_file_to_string(filename: str, binary_mode: bool = False) -> Any:
    with FileIO(filename, "rb" if binary_mode else "r") as f:
        return f.read()


def write_string_to_file(filename: str, file_content: str | bytes) -> None:
    binary = isinstance(file_content, bytes)
    with FileIO(filename, "wb" if binary else "w") as f:
        f.write(file_content)


def atomic_write_string_to_file(
    filename: str, contents: str | bytes, overwrite: bool = True
) -> None:
    """Writes a new file beside `filename`, then renames it: readers see the old or the new one."""
    temporary = f"{compat.as_str(filename)}.tmp{uuid.uuid4().hex}"
    write_string_to_file(temporary, contents)
    try:
        rename(temporary, filename, overwrite)
    except errors.OpError:
        delete_file(temporary)
        raise


def get_matching_files(filename: str | list[str]) -> list[str]:
    """Files that match a glob pattern, or any of several."""
    patterns = [filename] if isinstance(filename, (str, bytes)) else filename
    return [f for p in patterns for f in sorted(glob.glob(compat.as_str(p)))]


def create_dir(dirname: str) -> None:
    with _tensorflow_errors():
        os.mkdir(compat.as_str(dirname))


def recursive_create_dir(dirname: str) -> None:
    with _tensorflow_errors():
        os.makedirs(compat.as_str(dirname), exist_ok=True)


def copy(oldpath: str, newpath: str, overwrite: bool = False) -> None:
    _refuse_existing(newpath, overwrite)
    with _tensorflow_errors():
        shutil.copyfile(compat.as_str(oldpath), compat.as_str(newpath))


def rename(oldname: str, newname: str, overwrite: bool = False) -> None:
    _refuse_existing(newname, overwrite)
    with _tensorflow_errors():
        os.replace(compat.as_str(oldname), compat.as_str(newname))


def _refuse_existing(name: str, overwrite: bool) -> None:
    if not overwrite and file_exists(name):
        raise errors.AlreadyExistsError(None, None, f"file {name} exists")


def delete_recursively(dirname: str) -> None:
    with _tensorflow_errors():
        shutil.rmtree(compat.as_str(dirname))


def is_directory(dirname: str) -> bool:
    return os.path.isdir(compat.as_str(dirname))


def list_directory(dirname: str) -> list[str]:
    with _tensorflow_errors():
        return sorted(os.listdir(compat.as_str(dirname)))


def walk(top: str, in_order: bool = True) -> Iterator[tuple[str, list[str], list[str]]]:
    """(folder, subfolders, files) of each folder below `top`; parents first if `in_order`."""
    return os.walk(compat.as_str(top), topdown=in_order)


def stat(filename: str) -> FileStatistics:
    with _tensorflow_errors():
        s = os.stat(compat.as_str(filename))
    return FileStatistics(s.st_size, s.st_mtime_ns, is_directory(filename))
