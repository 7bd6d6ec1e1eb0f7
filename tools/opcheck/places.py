# SPDX-License-Identifier: Apache-2.0
"""Leads from the addresses of a report on a crash to the line of an op's source."""

from __future__ import annotations

import itertools
import os
import re
import shutil
import subprocess
from collections.abc import Iterable

from tensorwright.tools.opcheck.sanitizer_reports import Place, short

# The lines of the report: the place of the fault, or the calls that led to it, the innermost first.
_ADDRESS = re.compile(r"^    (?:stopped|called) at +(\S.*)\+(0x[0-9a-f]+)$", re.M)
_LIBRARY = re.compile(r"^    library +(\S.*)$", re.M)
# Functions of headers, which an op's library has too.
_OF_HEADERS = re.compile(r"\b(?:absl|Eigen|std|__gnu_cxx)::")
_SECONDS = 60


def lines(said: str) -> list[str]:
    """The place in the op's own library that a process's last words lead to, as lines of a finding; none if it is unknown."""
    found = of_report(said)
    if found is None:
        return []
    if not found.file:
        return [
            f"    in {found.function}: built by `tw build`, or with -g1, it would have a line"
        ]
    source = found.source()
    more = [f"    {found.line}: {source[:160]}"] if source else []
    return [f"    at {found}", *more]


def of_report(said: str) -> Place | None:
    """The first frame of the report's library that is in a source of the op, or else names a function of it."""
    library = _LIBRARY.search(said)
    addresses = _ADDRESS.findall(said)
    if library is None:
        return None
    offsets = [offset for file, offset in addresses if file == library[1]]
    frames = list(_frames(library[1], offsets))
    for frame in frames:
        if frame.file and not _is_header(frame.file):
            return frame
    for frame in frames:
        if frame.function != "??" and not _OF_HEADERS.search(frame.function):
            return Place(frame.function, "", 0)
    return None


def _frames(library: str, offsets: list[str]) -> Iterable[Place]:
    """The functions and lines of some places, of each with those that it is inlined into."""
    tool = shutil.which("addr2line")
    if tool is None or not offsets:
        return
    try:
        done = subprocess.run(
            [tool, "-Cfie", library, *offsets],
            capture_output=True,
            text=True,
            timeout=_SECONDS,
        )
    except (OSError, subprocess.TimeoutExpired):
        return
    printed = iter(done.stdout.splitlines())
    for function, place in itertools.zip_longest(printed, printed, fillvalue="??:0"):
        file, _, line = place.partition(" (disc")[0].rpartition(":")
        known = file != "??" and line.isdigit() and int(line) > 0
        yield Place(
            short(function),
            os.path.normpath(file) if known else "",
            int(line) if known else 0,
        )


def _is_header(file: str) -> bool:
    """Is it of the package, the compiler or the system?"""
    from tensorwright.python.platform import sysconfig

    roots = (sysconfig.get_include(), "/usr/include", "/usr/lib", "/usr/local/include")
    return file.startswith(tuple(f"{os.path.normpath(r)}/" for r in roots))
