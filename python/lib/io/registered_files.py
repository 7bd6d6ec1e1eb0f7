# SPDX-License-Identifier: Apache-2.0
"""File systems written in Python: any of fsspec's, or an object with the same methods.

`tf.gfile` and kernels alike use the file systems registered here.
"""

from __future__ import annotations

import datetime
from typing import Any

from tensorwright.python import _pywrap
from tensorwright.python.framework import errors_impl

_CODES = (
    (FileNotFoundError, errors_impl.NOT_FOUND),
    (FileExistsError, errors_impl.ALREADY_EXISTS),
    (PermissionError, errors_impl.PERMISSION_DENIED),
    (IsADirectoryError, errors_impl.FAILED_PRECONDITION),
    (NotADirectoryError, errors_impl.FAILED_PRECONDITION),
    (NotImplementedError, errors_impl.UNIMPLEMENTED),
    (TimeoutError, errors_impl.DEADLINE_EXCEEDED),
    (ConnectionError, errors_impl.UNAVAILABLE),
    (ValueError, errors_impl.INVALID_ARGUMENT),
)


# Reads ask for at least so many bytes at once: most file systems answer over a network.
_READ_AHEAD = 4 << 20


class _Reader:
    """Ranges of a file, as it was when it was opened."""

    def __init__(self, fs: Any, path: str):
        self._fs = fs
        self._path = path
        self._size = fs.info(path)["size"]
        # The place and the bytes of the last read, in one object, for many threads.
        self._ahead = (0, b"")

    def read_at(self, offset: int, n: int) -> bytes:
        if self._size is None:
            return self._fs.cat_file(self._path, start=offset, end=offset + n)
        end = min(offset + n, self._size)
        if offset >= end:
            return b""
        begin, data = self._ahead
        if begin <= offset and end <= begin + len(data):
            return data[offset - begin : end - begin]
        far = min(max(end, offset + _READ_AHEAD), self._size)
        data = self._fs.cat_file(self._path, start=offset, end=far)
        # A piece as large as that is hardly asked for again.
        self._ahead = (offset, data if n < _READ_AHEAD else b"")
        return data[: end - offset]


class _Adapter:
    """The methods that python/pywrap/file_systems.cc calls, for an fsspec file system."""

    def __init__(self, fs: Any):
        self._fs = fs

    def _path(self, path: str) -> str:
        return self._fs._strip_protocol(path)

    def code_of(self, error: BaseException) -> int:
        if isinstance(error, errors_impl.OpError):
            return error.error_code
        for kind, code in _CODES:
            if isinstance(error, kind):
                return code
        return errors_impl.UNKNOWN

    def reader(self, path: str) -> _Reader:
        if self._fs.isdir(self._path(path)):
            raise IsADirectoryError(f"{path} is a directory")
        return _Reader(self._fs, self._path(path))

    def writer(self, path: str, mode: str) -> Any:
        return self._fs.open(self._path(path), mode)

    def read_all(self, path: str) -> bytes:
        return self._fs.cat_file(self._path(path))

    def exists(self, path: str) -> bool:
        # Changes by others count.
        self._fs.invalidate_cache()
        return self._fs.exists(self._path(path))

    def children(self, path: str) -> list[str]:
        if not self._fs.isdir(self._path(path)):
            raise FileNotFoundError(f"{path} is no directory")
        names = self._fs.ls(self._path(path), detail=False)
        return [name.rstrip("/").rpartition("/")[2] for name in names]

    def stat(self, path: str) -> tuple[int, int, bool]:
        info = self._fs.info(self._path(path))
        return info.get("size") or 0, _mtime(info), info["type"] == "directory"

    def delete_file(self, path: str) -> None:
        self._fs.rm_file(self._path(path))

    def create_dir(self, path: str) -> None:
        if self._fs.exists(self._path(path)):
            raise FileExistsError(f"{path} exists")
        self._fs.mkdir(self._path(path), create_parents=False)

    def create_dirs(self, path: str) -> None:
        self._fs.makedirs(self._path(path), exist_ok=True)

    def delete_dir(self, path: str) -> None:
        self._fs.rmdir(self._path(path))

    def rename(self, source: str, target: str) -> None:
        self._fs.mv(self._path(source), self._path(target), recursive=True)


def _mtime(info: dict[str, Any]) -> int:
    """Nanoseconds since 1970 of whatever a file system calls that time; 0 if it has none."""
    for key in ("mtime", "LastModified", "last_modified", "updated", "created"):
        when = info.get(key)
        if isinstance(when, datetime.datetime):
            return int(when.timestamp() * 1e9)
        if isinstance(when, (int, float)):
            return int(when * 1e9)
    return 0


def register_filesystem(scheme: str, filesystem: Any) -> None:
    """Makes paths `scheme://...` those of `filesystem`, for gfile and kernels.

    Args:
      scheme: such as "s3".
      filesystem: an fsspec file system, or an object with its methods.  It is called by
        many threads, one at a time, and stays for as long as the process lives.

    Raises:
      AlreadyExistsError: the scheme has a file system.
    """
    _pywrap.files.register(scheme, _Adapter(filesystem))
