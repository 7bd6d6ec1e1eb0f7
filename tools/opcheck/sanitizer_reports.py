# SPDX-License-Identifier: Apache-2.0
"""Reads what sanitizers report, and finds the line of an op's source that it is about."""

from __future__ import annotations

import dataclasses
import os
import pathlib
import re
from collections.abc import Iterable, Sequence

_FRAME = re.compile(
    r"^\s+#\d+ (?:0x[0-9a-f]+ in )?(?P<function>.*?) (?P<file>/[^:\s]+):(?P<line>\d+)"
)
# The first line of a report, by the sanitizer.
_HEADS = (
    ("address", re.compile(r"^==\d+==ERROR: AddressSanitizer:? (?P<title>.*)$")),
    ("thread", re.compile(r"^WARNING: ThreadSanitizer: (?P<title>.*)$")),
    (
        "leak",
        re.compile(r"^(?P<title>(?:Direct|Indirect) leak of .*) allocated from:$"),
    ),
    (
        "undefined",
        re.compile(
            r"^(?P<file>/[^:\s]+):(?P<line>\d+):\d+: runtime error: (?P<title>.*)$"
        ),
    ),
)
# A line that tells of an access, or which memory it is.
_WORDS = re.compile(
    r"^\s*(?:READ|WRITE) of size|^\s*(?:Previous |Atomic )?(?:[Aa]tomic )?(?:[Rr]ead|[Ww]rite) of size|^(?:freed|previously allocated|allocated) by|"
    r"is located|^\s+Location is"
)
_ADDRESS = re.compile(
    r" (?:on (?:unknown )?address|at|in thread T|thread T)[ ]?0x[0-9a-f]+.*| \(pid=\d+\).*"
)


@dataclasses.dataclass(frozen=True)
class Place:
    """A frame of a stack that is in the sources of an op."""

    function: str
    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line} in {self.function}"

    def source(self) -> str:
        """The line itself; "" if the file is not there."""
        try:
            lines = pathlib.Path(self.file).read_text(errors="replace").splitlines()
        except OSError:
            return ""
        return lines[self.line - 1].strip() if self.line <= len(lines) else ""


@dataclasses.dataclass(frozen=True)
class Report:
    """One error that a sanitizer has found."""

    kind: str  # "address", "undefined", "thread" or "leak".
    title: str
    # Each of its stacks gives the innermost frame in the op's sources, with the words above the stack.
    places: tuple[tuple[str, Place], ...]

    def key(self) -> tuple[str, str, str]:
        """Equal for reports on one mistake."""
        place = str(self.places[0][1]) if self.places else ""
        return self.kind, re.sub(r"\d+", "N", self.title), place

    def lines(self) -> list[str]:
        """The report in words: the error with its place, then the other places."""
        first = f"{self.kind}: {self.title}"
        if not self.places:
            return [first]
        words, place = self.places[0]
        more = f", {words}" if words else ""
        found = [f"{first}{more}, at {place}"]
        if place.source():
            found.append(f"    {place.line}: {place.source()[:160]}")
        for words, other in self.places[1:]:
            found.append(f"    {words or 'and'}: {other}")
        return found


def read(text: str, sources: Sequence[str]) -> list[Report]:
    """The reports in a text that lead to these sources, or to files in their folders; every one once.

    Reports of the kinds address and undefined end the process, so they count wherever they lead.
    """
    found: dict[tuple[str, str, str], Report] = {}
    for kind, title, file, line, body in _split(text):
        places = list(_places(body, sources))
        if kind == "undefined":
            place = _undefined(file, line, places)
            # The words stand in the title.
            places = [("", place), *((f"called from{w}", p) for w, p in places[:2])]
            places = list({(p.file, p.line): (w, p) for w, p in places[::-1]}.values())
            places = places[::-1]
        if places or kind in ("address", "undefined"):
            report = Report(kind, title, tuple(places[:4]))
            found.setdefault(report.key(), report)
    return list(found.values())


def _split(text: str) -> Iterable[tuple[str, str, str, int, list[str]]]:
    """(kind, title, file, line, lines that follow) of each report."""
    current: tuple[str, str, str, int, list[str]] | None = None
    for line in text.splitlines():
        for kind, pattern in _HEADS:
            match = pattern.match(line)
            if match:
                if current:
                    yield current
                groups = match.groupdict()
                title = _ADDRESS.sub("", groups["title"]).strip().rstrip(":")
                at = int(groups.get("line") or 0)
                current = kind, title, groups.get("file") or "", at, []
                break
        else:
            if current:
                current[4].append(line)
    if current:
        yield current


def _places(lines: list[str], sources: Sequence[str]) -> Iterable[tuple[str, Place]]:
    """The innermost frame of each stack that is in the sources, with the words above it."""
    folders = {os.path.dirname(s) for s in sources}
    words, done = "", False
    for line in lines:
        match = _FRAME.match(line)
        if _WORDS.search(line):
            words, done = _plain(line), False
        elif not line.strip():
            done = False
        elif match and not done:
            file = match["file"]
            if file in sources or os.path.dirname(file) in folders:
                yield words, Place(short(match["function"]), file, int(match["line"]))
                words, done = "", True


def _undefined(file: str, line: int, places: list[tuple[str, Place]]) -> Place:
    for _, place in places:
        if (place.file, place.line) == (file, line):
            return place
    return Place("", file, line)


def _plain(line: str) -> str:
    """Words without addresses and threads."""
    line = re.sub(r" at 0x[0-9a-f]+| by (?:main )?thread.*| thread T\d+.*", "", line)
    line = re.sub(r"^\s*0x[0-9a-f]+ is located", "it is", line)
    line = re.sub(r" \[?\(?0x[0-9a-f]+,0x[0-9a-f]+\)\]?", "", line)
    return line.strip().rstrip(":")


def short(function: str) -> str:
    """A function without its parameters and namespaces that have no name."""
    function = re.sub(r"\(anonymous namespace\)::|tensorwright::", "", function)
    return re.sub(r"\(.*", "", function) or function


# How much of each file has been read.
_seen: dict[pathlib.Path, int] = {}


def folder(path: str) -> str:
    """The text of the reports in a folder that nobody has read yet."""
    texts = []
    for file in sorted(pathlib.Path(path).iterdir()):
        # A process keeps its file open for its next report, which would be lost if the file were removed.
        with file.open("rb") as reports:
            reports.seek(_seen.get(file, 0))
            texts.append(reports.read().decode(errors="replace"))
            _seen[file] = reports.tell()
    return "\n".join(texts)
