# SPDX-License-Identifier: Apache-2.0
"""FileWriterCache: one writer a folder."""

from __future__ import annotations

import threading

from tensorwright.python.framework import ops
from tensorwright.python.summary.writer.writer import FileWriter

__all__ = ["FileWriter", "FileWriterCache"]


class FileWriterCache:
    """The writers that hooks and programs share, by folder.  Thread-safe."""

    _cache: dict[str, FileWriter] = {}
    _lock = threading.RLock()

    @staticmethod
    def clear() -> None:
        """Closes the writers and forgets them."""
        with FileWriterCache._lock:
            for writer in FileWriterCache._cache.values():
                writer.close()
            FileWriterCache._cache = {}

    @staticmethod
    def get(logdir: str) -> FileWriter:
        """The writer of that folder, made with the default graph if there is none."""
        with FileWriterCache._lock:
            if logdir not in FileWriterCache._cache:
                FileWriterCache._cache[logdir] = FileWriter(
                    logdir, graph=ops.get_default_graph()
                )
            return FileWriterCache._cache[logdir]
