# SPDX-License-Identifier: Apache-2.0
"""Runs the commands of a page of docs/ and compares what they print.

Usage: tutorial.py PAGE.md --wheel FILE.whl [--tree]

A code block below `<!-- file: NAME -->` is written to that file.  In a `console` block a
line that starts with "$ " is a command, run by one shell for the whole page, and the
lines below it are what it prints: all of them, with `...` for any text and a line of
`...` for any lines.  A command must succeed, unless its line ends in `# fails`.  A block below `<!-- needs: PROGRAM -->` is run where that
program is; one below `<!-- in the tree -->` only with --tree, in the tree's root.
"""

from __future__ import annotations

import argparse
import dataclasses
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

TREE = pathlib.Path(__file__).absolute().parents[2]

_BLOCK = re.compile(
    r"(?:^<!-- (?P<key>file|needs|in the tree):? ?(?P<value>.*?) ?-->\n)?"
    r"^```(?P<language>[\w+]*)\n(?P<text>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)


@dataclasses.dataclass
class Block:
    """A code block of the page, with the comment above it."""

    key: str
    value: str
    language: str
    text: str
    line: int


@dataclasses.dataclass
class Command:
    text: str
    expected: list[str]
    line: int


def blocks(page: str) -> list[Block]:
    found = []
    for match in _BLOCK.finditer(page):
        line = page.count("\n", 0, match.start("text")) + 1
        parts = (match[name] or "" for name in ("key", "value", "language", "text"))
        found.append(Block(*parts, line))
    return found


def commands(block: Block) -> list[Command]:
    found: list[Command] = []
    for number, line in enumerate(block.text.splitlines(), block.line):
        if line.startswith("$ "):
            found.append(Command(line[2:], [], number))
        else:
            found[-1].expected.append(line)
    return found


def matches(expected: list[str], printed: str) -> bool:
    """Says whether `printed` fits the description `expected`."""
    pattern = ""
    for line in expected:
        if line.strip() == "...":
            pattern += r"(?:.*\n)*?"
            continue
        parts = (re.escape(p.rstrip() if last else p) for p, last in _parts(line))
        pattern += r"[^\n]*".join(parts) + r"[ \t]*\n"
    if printed and not printed.endswith("\n"):
        printed += "\n"
    return re.fullmatch(pattern, printed) is not None


def _parts(line: str) -> list[tuple[str, bool]]:
    pieces = line.split("...")
    return [(piece, i == len(pieces) - 1) for i, piece in enumerate(pieces)]


class Shell:
    """One bash for the page; each command's output and status on their own."""

    def __init__(self, folder: pathlib.Path):
        # As a user's: nothing of this process's Python.
        env = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
        env.pop("VIRTUAL_ENV", None)
        self._process = subprocess.Popen(
            ["bash"],
            cwd=folder,
            env=env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def run(self, command: str) -> tuple[str, int]:
        """Runs a command; returns its output and its exit status."""
        mark = f"---end-{time.monotonic_ns()}---"
        self._process.stdin.write(f"{command}\necho {mark} $?\n")
        self._process.stdin.flush()
        printed = ""
        for line in self._process.stdout:
            before, found, status = line.partition(f"{mark} ")
            printed += before
            if found:
                return printed, int(status)
        raise SystemExit(f"the shell has ended: {command}\n{printed}")

    def close(self) -> None:
        self._process.stdin.close()
        self._process.wait(60)


def run_page(page: pathlib.Path, wheel: pathlib.Path, tree: bool) -> int:
    """Runs the page's blocks; returns the number of commands whose output differs."""
    failed = count = 0
    with tempfile.TemporaryDirectory() as scratch:
        shutil.copy(wheel, scratch)
        outside = Shell(pathlib.Path(scratch))
        inside = Shell(TREE) if tree else None
        for block in blocks(page.read_text()):
            shell = inside if block.key == "in the tree" else outside
            if shell is None or block.key == "needs" and not _has(block.value):
                continue
            if block.key == "file":
                folder = shell.run("pwd")[0].strip()
                pathlib.Path(folder, block.value).write_text(block.text)
            elif block.language == "console":
                for command in commands(block):
                    start = time.monotonic()
                    printed, status = shell.run(command.text)
                    seconds = time.monotonic() - start
                    should_fail = command.text.endswith("# fails")
                    good = (status != 0) == should_fail
                    good &= matches(command.expected, printed)
                    count, failed = count + 1, failed + (not good)
                    verdict = "ok    " if good else "FAILED"
                    print(
                        f"{verdict} {seconds:6.1f} s  {page.name}:{command.line}: {command.text}"
                    )
                    if not good:
                        print(
                            f"--- expected\n{_lines(command.expected)}\n--- printed (status {status})\n{printed}---"
                        )
        outside.close()
        if inside is not None:
            inside.close()
    print(f"{count - failed} of {count} commands do what {page.name} says")
    return failed


def _lines(lines: list[str]) -> str:
    return "\n".join(lines)


def _has(program: str) -> bool:
    cuda = pathlib.Path(os.environ.get("CUDA_HOME", "/usr/local/cuda"), "bin", program)
    return shutil.which(program) is not None or cuda.exists()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("page", type=pathlib.Path)
    parser.add_argument("--wheel", type=pathlib.Path, required=True)
    parser.add_argument("--tree", action="store_true")
    args = parser.parse_args()
    return 1 if run_page(args.page, args.wheel, args.tree) else 0


if __name__ == "__main__":
    sys.exit(main())
