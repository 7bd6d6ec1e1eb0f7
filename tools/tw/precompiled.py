# SPDX-License-Identifier: Apache-2.0
"""Headers that a source begins with, compiled once for the many times that `tw dev` compiles the source.

A small op is 30 lines behind 225,000 of headers: they take three quarters of its compilation.  The compiler reads them
from a file of its own form here, about 200 MB in the temporary folder, which is removed with the object.
"""

from __future__ import annotations

import pathlib
import re
import subprocess
import tempfile

_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
_INCLUDE = re.compile(r'\s*#\s*include\s*(?:<([^>]+)>|"([^"]+)")\s*$')
_DEFINE = re.compile(r"\s*#\s*define\b.*[^\\]$")


def leading_headers(text: str, folder: pathlib.Path) -> str:
    """The includes that a source begins with, and what it defines before and between them, one a line.

    They end before a header of the source's own folder, which changes while the op is written, and before any other
    line, on which later headers may depend.
    """
    lines = []
    for line in _COMMENT.sub("", text).splitlines():
        include = _INCLUDE.match(line)
        own = include and include[2] and (folder / include[2]).exists()
        if (include and not own) or _DEFINE.match(line):
            lines.append(line.strip())
        elif line.strip():
            break
    return "".join(f"{line}\n" for line in lines)


class PrecompiledHeaders:
    """The leading headers of one source; made beside other work, and used as soon as they are there.

    One thread uses it.  Where the compiler cannot make them, sources are compiled without.
    """

    def __init__(self, source: pathlib.Path):
        self._source = source
        self._scratch = tempfile.TemporaryDirectory(prefix="tw_dev_")
        self._file = pathlib.Path(self._scratch.name, "leading.h")
        self._headers = ""
        self._command: list[str] = []
        self._making: subprocess.Popen[bytes] | None = None

    def options(self, source: pathlib.Path, command: list[str]) -> list[str]:
        """Further options for `command`, which compiles `source`: none unless its headers are ready for it."""
        if source != self._source or self._making is None or self._making.poll() != 0:
            return []
        same = self._headers == self._read() and self._command == command
        return ["-include", str(self._file)] if same else []

    def make(self, command: list[str]) -> None:
        """Begins to compile the headers as `command` compiles the source, unless that was done or is under way."""
        headers = self._read()
        if headers == self._headers and command == self._command:
            return
        self.end()
        self._headers, self._command = headers, list(command)
        if not headers:
            return
        self._file.write_text(headers)
        output = f"{self._file}.gch"
        pathlib.Path(output).unlink(missing_ok=True)
        self._making = subprocess.Popen(
            [*command, "-w", "-x", "c++-header", str(self._file), "-o", output],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def wait(self) -> bool:
        """Waits for headers that are being compiled; whether there are any."""
        return self._making is not None and self._making.wait() == 0

    def end(self) -> None:
        """Ends a compilation that is under way."""
        making, self._making = self._making, None
        if making is not None and making.poll() is None:
            making.kill()
            making.wait()

    def close(self) -> None:
        """Removes the files."""
        self.end()
        self._scratch.cleanup()

    def _read(self) -> str:
        try:
            return leading_headers(self._source.read_text(), self._source.parent)
        except FileNotFoundError:
            return ""  # An editor is just writing it.
