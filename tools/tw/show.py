# SPDX-License-Identifier: Apache-2.0
"""`tw show FILE[:LINE]`: the source that `tw where` names, from the tree or, with a wheel, from its archive of sources.

    $ tw show conv_ops.cc:157

FILE is a path, or the end of one.
"""

from __future__ import annotations

import argparse
import difflib
import pathlib
import sys
import tarfile

_PACKAGE = pathlib.Path(__file__).resolve().parents[2]
# Written by tools/pip_package: the registrations of ops, and kernels.
ARCHIVE = "sources.tar.xz"
FOLDERS = ("core/ops", "core/kernels", "user_ops")
_SUFFIXES = (".cc", ".h", ".cu.cc")


def add_command(commands: argparse._SubParsersAction) -> None:
    parser = commands.add_parser(
        "show",
        help="a source of an op or kernel",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("place", metavar="FILE[:LINE]")
    parser.add_argument(
        "-n",
        "--lines",
        type=int,
        default=20,
        help="lines shown on each side of LINE (20)",
    )
    parser.set_defaults(do=_show)


def sources(tree: pathlib.Path) -> list[pathlib.Path]:
    """Lists the files of a tree that the archive holds."""
    return [
        path
        for folder in FOLDERS
        for path in sorted((tree / folder).rglob("*"))
        if path.name.endswith(_SUFFIXES) and not path.name.endswith("_test.cc")
    ]


class _Sources:
    """Texts by path from the root of the tree."""

    def __init__(self, package: pathlib.Path) -> None:
        self._package = package
        archive = package / ARCHIVE
        self._archive = tarfile.open(archive) if archive.exists() else None
        if self._archive:
            self.names = self._archive.getnames()
        else:
            self.names = [str(p.relative_to(package)) for p in sources(package)]
        modules = [*package.glob("python/**/*.py"), *package.glob("user_ops/*.py")]
        self.names += [str(p.relative_to(package)) for p in modules]

    def read(self, name: str) -> str:
        path = self._package / name
        if self._archive and not path.exists():
            return self._archive.extractfile(name).read().decode()
        return path.read_text()


def _show(args: argparse.Namespace) -> int:
    wanted, _, number = args.place.partition(":")
    if number and not number.isdigit():
        print(f"tw show: a line is a number, got {number!r}", file=sys.stderr)
        return 2
    if pathlib.Path(wanted).is_file():  # The user's own.
        return _print(wanted, pathlib.Path(wanted).read_text(), number, args.lines)
    known = _Sources(_PACKAGE)
    end = wanted.removeprefix("./").removeprefix("bazel-bin/")
    found = [n for n in known.names if n == end or n.endswith(f"/{end}")]
    if len(found) == 1:
        return _print(found[0], known.read(found[0]), number, args.lines)
    if found:
        print(f"tw show: which? {', '.join(sorted(found))}", file=sys.stderr)
        return 2
    bases = sorted({n.rpartition("/")[2] for n in known.names})
    close = difflib.get_close_matches(end.rpartition("/")[2], bases, 3)
    hint = f"; similar: {', '.join(close)}" if close else ""
    print(f"tw show: no source {wanted!r}{hint}", file=sys.stderr)
    return 1


def _print(name: str, text: str, number: str, around: int) -> int:
    lines = text.splitlines()
    first, last, at = 1, len(lines), 0
    if number:
        at = int(number)
        if not 1 <= at <= len(lines):
            print(f"tw show: {name} has {len(lines)} lines", file=sys.stderr)
            return 1
        first, last = max(1, at - around), min(len(lines), at + around)
    print(name)
    for i in range(first, last + 1):
        print(f"{'>' if i == at else ' '}{i:5}  {lines[i - 1]}".rstrip())
    return 0
