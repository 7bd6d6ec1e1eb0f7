# SPDX-License-Identifier: Apache-2.0
"""The symbols of libtensorwright.so that libraries of ops link to, and the list that holds them.

    third_party/tensorflow/interface_symbols.py write LIBTENSORWRIGHT LIBRARY...

writes the list anew: do so when sources of the corpus use more, and, together with a higher
TENSORWRIGHT_ABI_VERSION (core/lib/core/version.h), when something of the list has to go.
docs/decisions/op_binaries.md says what may change.
"""

import pathlib
import re
import subprocess
import sys
from collections.abc import Iterable

LIST = pathlib.Path(__file__).resolve().parent / "interface_symbols.txt"
HEAD = (
    "# Symbols that libraries of ops link to; interface_symbols.py writes this file.\n"
)


def _names(library: pathlib.Path, *flags: str) -> set[str]:
    printed = subprocess.run(
        ["nm", "-D", "--format=posix", *flags, str(library)],
        check=True,
        text=True,
        stdout=subprocess.PIPE,
    ).stdout
    return {line.split()[0].partition("@")[0] for line in printed.splitlines()}


def exported(library: pathlib.Path) -> set[str]:
    """Returns the symbols that the library offers."""
    return _names(library, "--defined-only")


def needed(libraries: Iterable[pathlib.Path], offered: set[str]) -> set[str]:
    """Returns the symbols that the libraries ask for and `offered` has."""
    asked = set()
    for library in libraries:
        asked |= _names(library, "--undefined-only")
    # A library of ops brings instances of others' templates itself.
    return {name for name in asked & offered if "tensorwright" in name}


def read(path: pathlib.Path = LIST) -> tuple[int, set[str]]:
    """The interface's number, and the symbols of the list."""
    lines = [line for line in path.read_text().splitlines() if line[:1] != "#"]
    return int(lines[0].removeprefix("interface ")), set(lines[1:])


def write(interface: int, symbols: set[str], path: pathlib.Path = LIST) -> None:
    lines = [f"interface {interface}", *sorted(symbols)]
    path.write_text(HEAD + "\n".join(lines) + "\n")


def broken(interface: int, offered: set[str], listed: tuple[int, set[str]]) -> str:
    """Says what a release would break; empty if libraries built before still load."""
    number, symbols = listed
    if interface != number:
        return (
            f"the list is that of interface {number}, and this is interface {interface}: "
            "write it anew"
        )
    gone = sorted(symbols - offered)
    if not gone:
        return ""
    return (
        f"{len(gone)} symbols that libraries of ops link to are gone: bring them back, or "
        "raise TENSORWRIGHT_ABI_VERSION in core/lib/core/version.h and write the list "
        f"anew: {', '.join(gone[:10])}"
    )


def interface_of(header: pathlib.Path) -> int:
    """The number in core/lib/core/version.h."""
    match = re.search(r"TENSORWRIGHT_ABI_VERSION (\d+)", header.read_text())
    assert match, header
    return int(match[1])


def main(argv: list[str]) -> None:
    command, framework, *libraries = argv
    if command != "write":
        sys.exit(__doc__)
    header = LIST.parents[2] / "core/lib/core/version.h"
    offered = exported(pathlib.Path(framework))
    symbols = needed(map(pathlib.Path, libraries), offered)
    number, listed = read() if LIST.exists() else (interface_of(header), set())
    if number == interface_of(header):
        # Symbols stay that libraries built before may link to.
        symbols |= listed
    write(interface_of(header), symbols)


if __name__ == "__main__":
    main(sys.argv[1:])
