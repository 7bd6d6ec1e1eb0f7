# SPDX-License-Identifier: Apache-2.0
"""Shrinks models for tests, and loads their packages."""

from __future__ import annotations

import importlib
import pathlib
import sys
from types import ModuleType

import tensorwright as tf
from tensorwright.tools.tw import main

# The list of objects, among the runfiles of a test.
OBJECTS = pathlib.Path("tools/shrink/objects.txt")


def shrink(*arguments: object) -> int:
    """`tw shrink`; its exit status."""
    command = [*map(str, arguments), "--objects", str(OBJECTS.absolute())]
    return main.main(["shrink", *command])


def load(folder: pathlib.Path, name: str) -> ModuleType:
    """The package `name`, imported from the folder."""
    sys.modules.pop(name, None)
    sys.path.insert(0, str(folder))
    try:
        return importlib.import_module(name)
    finally:
        sys.path.pop(0)


def write(path: pathlib.Path) -> pathlib.Path:
    """Writes the default graph; returns the path."""
    path.write_bytes(tf.get_default_graph().as_graph_def().SerializeToString())
    return path
