# SPDX-License-Identifier: Apache-2.0
"""Runs test files by pytest without Bazel: ./run tools/dev/pytest_in_tree.py FILE... [pytest's options]

Takes seconds where Bazel's sandbox takes a minute.  The package is the one that `./run` builds; tests, and modules that only
tests import, come from the tree.  Bazel has the last word: there a test sees its own dependencies alone.
"""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import os
import pathlib
import sys
import tempfile
from collections.abc import Sequence
from types import ModuleType

import pytest

PACKAGE = "tensorwright"
ROOT = pathlib.Path(__file__).resolve().parents[2]


class TreeFinder(importlib.abc.MetaPathFinder):
    """Finds modules of the package that are in the tree and not in what was built.

    Stands behind all other finders.
    """

    def __init__(self, root: pathlib.Path):
        self._root = root

    def find_spec(
        self,
        name: str,
        path: Sequence[str] | None,
        target: ModuleType | None = None,
    ) -> importlib.machinery.ModuleSpec | None:
        package, _, rest = name.partition(".")
        if package != PACKAGE or not rest:
            return None
        place = self._root.joinpath(*rest.split("."))
        if place.with_suffix(".py").is_file():
            return importlib.util.spec_from_file_location(
                name, place.with_suffix(".py")
            )
        if not place.is_dir():
            return None
        spec = importlib.machinery.ModuleSpec(name, None, is_package=True)
        spec.submodule_search_locations = [str(place)]
        return spec


def run(arguments: list[str], root: pathlib.Path = ROOT) -> int:
    """Runs pytest; arguments that are files or folders of the tree at `root` are its tests.

    Returns pytest's status.
    """
    # The package adds finders of its own, behind which this one stands.
    importlib.import_module(PACKAGE)
    finder = TreeFinder(root)
    sys.meta_path.append(finder)
    try:
        with tempfile.TemporaryDirectory() as scratch:
            # pytest names a module after the folders above it that are packages, and imports these: below the checkout's own
            # name they would be a second package.
            link = pathlib.Path(scratch, PACKAGE)
            link.symlink_to(root)
            options = ["-c", os.devnull, "-p", "no:cacheprovider", "-q"]
            options += [f"--rootdir={scratch}", "--import-mode=importlib"]
            options += ["-p", "tensorwright.python.testing.plugin"]
            return int(
                pytest.main(options + [_below(a, link, root) for a in arguments])
            )
    finally:
        sys.meta_path.remove(finder)


def _below(argument: str, link: pathlib.Path, root: pathlib.Path) -> str:
    """The argument with a path of the tree led through the link; `FILE::TEST` too."""
    file, colons, test = argument.partition("::")
    if file.startswith("-") or not os.path.exists(file):
        return argument
    path = pathlib.Path(file).resolve()
    if not path.is_relative_to(root):
        return argument
    inside = path.relative_to(root)
    # Those that were built: pytest would take a package that is not imported yet from the tree.
    packages = inside.parts if path.is_dir() else inside.parts[:-1]
    importlib.import_module(".".join([PACKAGE, *packages]))
    return f"{link / inside}{colons}{test}"


if __name__ == "__main__":
    # Tests of the whole suite do not see a library for GPUs either (.bazelrc).
    os.environ.setdefault("TW_GPU", "off")
    sys.path.pop(0)
    sys.exit(run(sys.argv[1:]))
