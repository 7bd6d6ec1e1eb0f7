# SPDX-License-Identifier: Apache-2.0
"""Bytecode of modules, kept by what is in them, so that the tests of a tree compile each module once.

Bazel runs each test in a folder of its own, where Python finds no bytecode beside the sources: it would compile all
that a test imports each time.  Here a file has the hash of a source as its name.  A changed source has another file,
and nothing goes stale.
"""

from __future__ import annotations

import hashlib
import importlib.machinery as machinery
import importlib.util
import marshal
import os
import pathlib
import sys
import tempfile
import types
from typing import Any


def keep_in(folder: pathlib.Path) -> None:
    """Keeps the bytecode of modules that are imported from now on in `folder`, and takes it from there.

    Nothing is kept where the folder cannot be made, or where another user can write: whoever writes bytecode decides
    what the process does.
    """
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        made = folder.lstat()
    except OSError:
        return
    if not folder.is_dir() or made.st_uid != os.getuid() or made.st_mode & 0o022:
        return

    class Loader(_Loader):
        kept = folder

    finder = machinery.FileFinder.path_hook(
        (machinery.ExtensionFileLoader, machinery.EXTENSION_SUFFIXES),
        (Loader, machinery.SOURCE_SUFFIXES),
        (machinery.SourcelessFileLoader, machinery.BYTECODE_SUFFIXES),
    )
    sys.path_hooks.insert(0, finder)
    sys.path_importer_cache.clear()
    # Python would write what it has compiled beside the source, too.
    sys.dont_write_bytecode = True


class _Loader(machinery.SourceFileLoader):
    """Loads sources; is asked to compile those that have no bytecode beside them."""

    kept: pathlib.Path

    def source_to_code(self, data: Any, path: Any) -> types.CodeType:
        if not isinstance(data, bytes):
            return super().source_to_code(data, path)
        key = hashlib.blake2b(data, digest_size=20, key=importlib.util.MAGIC_NUMBER)
        file = self.kept / key.hexdigest()
        try:
            return _placed(marshal.loads(file.read_bytes()), path)
        except (OSError, EOFError, ValueError, TypeError, AttributeError):
            code = super().source_to_code(data, path)
            _write(file, marshal.dumps(code))
            return code


def _placed(code: types.CodeType, path: str) -> types.CodeType:
    """The code of a module, and all in it, as that of the file `path`: the same source can stand elsewhere."""
    constants = tuple(
        _placed(c, path) if isinstance(c, types.CodeType) else c for c in code.co_consts
    )
    return code.replace(co_filename=path, co_consts=constants)


def _write(file: pathlib.Path, content: bytes) -> None:
    """Makes the file at once, since other processes read it."""
    try:
        with tempfile.NamedTemporaryFile(dir=file.parent, delete=False) as begun:
            begun.write(content)
        os.replace(begun.name, file)
    except OSError:
        pass
