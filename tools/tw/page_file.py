# SPDX-License-Identifier: Apache-2.0
"""Pages of one file that draw a graph: puts a template, its styles, its scripts and its data together (page/)."""

from __future__ import annotations

import json
import pathlib
from collections.abc import Iterable
from typing import Any

from tensorwright.tools.tw import graph_bodies

_PAGE = pathlib.Path(__file__).parent / "page"
# The scripts that draw a graph; they begin a page's script, and EVENTS ends what they define.
BASE = ("graph_base.js",)
DRAWING = ("graph_tree.js", "graph_layout.js", "graph_draw.js", "graph_select.js")
EVENTS = ("graph_events.js",)


def html(
    template: str, styles: Iterable[str], scripts: Iterable[str], data: dict[str, Any]
) -> str:
    """The page of these files of page/, in which the element `data` has `data`."""
    text = (_PAGE / template).read_text()
    style = "".join((_PAGE / file).read_text() for file in styles)
    script = "".join((_PAGE / file).read_text() for file in scripts)
    text = text.replace("/*STYLE*/", style).replace("/*SCRIPT*/", script)
    # Neither "</script>" nor "<!--<script>" in a name may be seen as HTML: JSON writes "<" otherwise, too.
    written = json.dumps(data, separators=(",", ":")).replace("<", "\\u003c")
    return text.replace("/*DATA*/", written)


def edges(definitions: list[Any]) -> list[int]:
    """The edges between nodes, flat: from, to, port or -1 of control.  Inputs that are no nodes are left out."""
    index = {definition.name: i for i, definition in enumerate(definitions)}
    found: list[int] = []
    for target, definition in enumerate(definitions):
        for text in definition.input:
            name, port = graph_bodies.split_input(text)
            if name in index:
                found += [index[name], target, port]
    return found


class Tables:
    """Values that many nodes share, each once."""

    def __init__(self, names: Iterable[str]):
        self.lists: dict[str, list[Any]] = {name: [] for name in names}
        self._numbers: dict[tuple[str, Any], int] = {}

    def number(self, table: str, value: Any, key: Any = None) -> int:
        """The place of a value in a table; `key` stands for one that is no key itself."""
        key = (table, value if key is None else key)
        if key not in self._numbers:
            self._numbers[key] = len(self.lists[table])
            self.lists[table].append(value)
        return self._numbers[key]

    def has(self, table: str, key: Any) -> bool:
        """Is a value with that key in the table?"""
        return (table, key) in self._numbers
