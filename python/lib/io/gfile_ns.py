# SPDX-License-Identifier: Apache-2.0
"""tf.io.gfile: files under the later names of their functions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from tensorwright.python.framework.type_aliases import PathLike
from tensorwright.python.lib.io import file_io
from tensorwright.python.lib.io.file_io import (
    FileStatistics,
    get_registered_schemes as get_registered_schemes,
    join as join,
)
from tensorwright.python.platform.gfile import GFile as GFile

if TYPE_CHECKING:
    from tensorwright.python.framework.errors_impl import OpError


def copy(src: PathLike, dst: PathLike, overwrite: bool = False) -> None:
    """AlreadyExistsError where the target exists and `overwrite` is False."""
    file_io.copy(src, dst, overwrite)


def exists(path: PathLike) -> bool:
    """True for files and folders."""
    return file_io.file_exists(path)


def glob(pattern: PathLike | Sequence[PathLike]) -> list[str]:
    """The files that a pattern, or any of several, matches."""
    return file_io.get_matching_files(pattern)  # type: ignore[arg-type]


def isdir(path: PathLike) -> bool:
    """False also where there is nothing."""
    return file_io.is_directory(path)


def listdir(path: PathLike) -> list[str]:
    """The names in a folder.  NotFoundError where it is none."""
    return file_io.list_directory(path)


def makedirs(path: PathLike) -> None:
    """Makes a folder with its parents; fine where it exists."""
    file_io.recursive_create_dir(path)


def mkdir(path: PathLike) -> None:
    """NotFoundError where the parent is missing."""
    file_io.create_dir(path)


def remove(path: PathLike) -> None:
    """NotFoundError where there is none."""
    file_io.delete_file(path)


def rename(src: PathLike, dst: PathLike, overwrite: bool = False) -> None:
    """AlreadyExistsError where the target exists and `overwrite` is False."""
    file_io.rename(src, dst, overwrite)


def rmtree(path: PathLike) -> None:
    """NotFoundError where there is none."""
    file_io.delete_recursively(path)


def stat(path: PathLike) -> FileStatistics:
    """NotFoundError where there is none."""
    return file_io.stat(path)


def walk(
    top: PathLike,
    topdown: bool = True,
    onerror: Callable[[OpError], None] | None = None,
) -> Iterator[tuple[str, list[str], list[str]]]:
    """(folder, its folders, its files) for a tree; parents first if `topdown`."""
    return file_io.walk(top, topdown, onerror)


__all__ = [
    "GFile",
    "copy",
    "exists",
    "get_registered_schemes",
    "glob",
    "isdir",
    "join",
    "listdir",
    "makedirs",
    "mkdir",
    "remove",
    "rename",
    "rmtree",
    "stat",
    "walk",
]
