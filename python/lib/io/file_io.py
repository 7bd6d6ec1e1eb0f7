# SPDX-License-Identifier: Apache-2.0
"""Files and folders of every registered file system, with TensorFlow's error classes.

Local files are opened by Python itself; what else there is goes through C++, where the
file systems are registered by scheme.
"""

from __future__ import annotations

import contextlib
import errno
import io
import os
import uuid
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from tensorwright.python import _pywrap
from tensorwright.python.framework import errors_impl
from tensorwright.python.framework.type_aliases import PathLike
from tensorwright.python.util import compat

_files = _pywrap.files

_CLASSES: dict[int | None, Callable[[None, None, str], errors_impl.OpError]] = {
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


class _Readable(io.RawIOBase):
    """A file of a registered file system, to be read."""

    def __init__(self, path: str):
        self._path = path
        self._file = _files.Readable(path)
        self._position = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._position

    def seek(self, offset: int, whence: int = 0) -> int:
        start = (
            (0, self._position, 0)[whence] if whence < 2 else stat(self._path).length
        )
        self._position = start + offset
        return self._position

    def readinto(self, buffer: Any) -> int:
        data = self._file.read(self._position, len(buffer))
        buffer[: len(data)] = data
        self._position += len(data)
        return len(data)


class _Writable(io.RawIOBase):
    """A file of a registered file system, to be written at its end."""

    def __init__(self, path: str, append: bool):
        self._file = _files.Writable(path, append)

    def writable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._file.tell()

    def write(self, data: Any) -> int:
        self._file.append(data)
        return len(data)

    def flush(self) -> None:
        if not self.closed:
            self._file.flush()

    def close(self) -> None:
        if not self.closed:
            super().close()
            self._file.close()


def _is_local(path: str) -> bool:
    return "://" not in path


def _open(path: str, mode: str) -> Any:
    """A buffered binary file."""
    if _is_local(path):
        return open(path, mode + "b")
    if "+" in mode:
        raise errors_impl.UnimplementedError(
            None, None, f"{path}: only local files are both read and written"
        )
    if mode == "r":
        return io.BufferedReader(_Readable(path), 1 << 18)
    return io.BufferedWriter(_Writable(path, mode == "a"), 1 << 18)


class FileIO:
    """A file opened at its first use.

    `mode` is r, w, a, r+, w+ or a+; with "b" reads give bytes, else str.
    """

    def __init__(self, name: PathLike, mode: str):
        if mode.replace("b", "") not in ("r", "w", "a", "r+", "w+", "a+"):
            raise errors_impl.InvalidArgumentError(
                None,
                None,
                "mode is not 'r' or 'w' or 'a' or 'r+' or 'w+' or 'a+', with or without "
                f"'b': {mode!r}",
            )
        self.__name = name
        self.__mode = mode
        self._file: Any = None

    @property
    def name(self) -> PathLike:
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
            how = mode.replace("b", "")
            if writing and how == "r+" and not file_exists(self.__name):
                how = "w+"  # Writing makes the file.
            with _os_errors(self.__name):
                self._file = _open(_text(self.__name), how)
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
        """Reads at most n bytes from the current position on; all by default."""
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
    """The result of `stat`: bytes, nanoseconds since 1970, whether it is a folder."""

    length: int
    mtime_nsec: int
    is_directory: bool


def file_exists(path: PathLike) -> bool:
    """True for files and folders."""
    return _files.file_exists(_text(path))


file_exists_v2 = file_exists


def delete_file(filename: PathLike) -> None:
    """NotFoundError where there is none."""
    _files.delete_file(_text(filename))


def read_file_to_string(filename: PathLike, binary_mode: bool = False) -> Any:
    """All of a file, as str (UTF-8), or as bytes if `binary_mode`."""
    with FileIO(filename, "rb" if binary_mode else "r") as f:
        return f.read()


def write_string_to_file(filename: PathLike, file_content: str | bytes) -> None:
    """Makes a file of str (as UTF-8) or bytes."""
    with FileIO(filename, "w") as f:
        f.write(file_content)


def get_matching_files(filename: PathLike) -> list[str]:
    """The files that a glob pattern, or any of a list of them, matches."""
    patterns = filename if isinstance(filename, (list, tuple)) else [filename]
    return [f for p in patterns for f in _files.get_matching_files(_text(p))]


def create_dir(dirname: PathLike) -> None:
    """Makes a folder; fine where it exists.  NotFoundError where the parent is missing."""
    try:
        _files.create_dir(_text(dirname))
    except errors_impl.AlreadyExistsError:
        return


def recursive_create_dir(dirname: PathLike) -> None:
    """Makes a folder with its parents; fine where it exists."""
    _files.recursive_create_dir(_text(dirname))


def copy(oldpath: PathLike, newpath: PathLike, overwrite: bool = False) -> None:
    """AlreadyExistsError where the target exists and `overwrite` is False."""
    _refuse_existing(newpath, overwrite)
    _files.copy(_text(oldpath), _text(newpath))


def rename(oldname: PathLike, newname: PathLike, overwrite: bool = False) -> None:
    """AlreadyExistsError where the target exists and `overwrite` is False."""
    _refuse_existing(newname, overwrite)
    _files.rename(_text(oldname), _text(newname))


def _refuse_existing(path: Any, overwrite: bool) -> None:
    if not overwrite and file_exists(path):
        raise errors_impl.AlreadyExistsError(
            None, None, f"file already exists: {_text(path)}"
        )


def has_atomic_move(path: PathLike) -> bool:
    """Whether a file renamed on its file system is never seen half."""
    return _files.has_atomic_move(_text(path))


def atomic_write_string_to_file(
    filename: PathLike, contents: str | bytes, overwrite: bool = True
) -> None:
    """Writes to a file beside it first: readers see all or nothing."""
    if not has_atomic_move(filename):
        _refuse_existing(filename, overwrite)
        write_string_to_file(filename, contents)
        return
    temporary = f"{_text(filename)}.tmp{uuid.uuid4().hex}"
    try:
        write_string_to_file(temporary, contents)
        rename(temporary, filename, overwrite)
    except errors_impl.OpError:
        # The disk may be full, the folder may not be there.
        with contextlib.suppress(errors_impl.OpError):
            delete_file(temporary)
        raise


def delete_recursively(dirname: PathLike) -> None:
    """NotFoundError where there is none."""
    _files.delete_recursively(_text(dirname))


def is_directory(dirname: PathLike) -> bool:
    """False also where there is nothing."""
    try:
        return stat(dirname).is_directory
    except errors_impl.OpError:
        return False


def list_directory(dirname: PathLike) -> list[str]:
    """The names in a folder.  NotFoundError where it is none."""
    if not is_directory(dirname):
        raise errors_impl.NotFoundError(
            None, None, f"Could not find directory {_text(dirname)}"
        )
    return _files.get_children(_text(dirname))


def walk(
    top: PathLike,
    in_order: bool = True,
    onerror: Callable[[errors_impl.OpError], None] | None = None,
) -> Iterator[tuple[str, list[str], list[str]]]:
    """(folder, its folders, its files) for a tree; parents first if `in_order`.

    A folder that cannot be listed is passed by, after a call of `onerror` if given.
    """
    top = _text(top)
    try:
        names = list_directory(top)
    except errors_impl.OpError as error:
        if onerror is not None:
            onerror(error)
        return
    folders, files = [], []
    for name in sorted(names):
        path = join(top, name)
        # A link to a folder is listed, not followed: it may lead up.
        (folders if is_directory(path) else files).append(name)
    if in_order:
        yield top, folders, files
    for name in folders:
        path = join(top, name)
        if not (_is_local(path) and os.path.islink(path)):
            yield from walk(path, in_order, onerror)
    if not in_order:
        yield top, folders, files


def join(path: PathLike, *paths: PathLike) -> str:
    """One path of several, with a slash between them; an absolute one starts anew."""
    return os.path.join(_text(path), *(_text(p) for p in paths))


def stat(filename: PathLike) -> FileStatistics:
    """NotFoundError where there is none."""
    return FileStatistics(*_files.stat(_text(filename)))


def get_registered_schemes() -> list[str]:
    """The schemes that have a file system; that of local files is ""."""
    return _files.registered_schemes()
