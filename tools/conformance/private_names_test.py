# SPDX-License-Identifier: Apache-2.0
"""docs/private_names.md names what is there, and calls missing what is not."""

import ast
import importlib
import inspect
import pathlib
import re
import types

import pytest

import tensorwright

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs/private_names.md"
NAME = re.compile(r"`([\w.]+)`")


def _rows(section):
    """The cells of the rows of a section's table."""
    text = PAGE.read_text().partition(f"\n## {section}\n")[2].partition("\n## ")[0]
    rows = [line.split("|")[1:-1] for line in text.splitlines() if line[:1] == "|"]
    return rows[2:]


def _imported(dotted):
    """A module, or a class of one."""
    try:
        return importlib.import_module(f"tensorwright.{dotted}")
    except ModuleNotFoundError:
        parent, _, last = dotted.rpartition(".")
        return getattr(importlib.import_module(f"tensorwright.{parent}"), last)


def _there(dotted):
    """Whether a dotted name can be looked up or imported."""
    found = tensorwright
    path = tensorwright.__name__
    for part in dotted.split("."):
        path = f"{path}.{part}"
        if hasattr(found, part):
            found = getattr(found, part)
            continue
        try:
            found = importlib.import_module(path)
        except ImportError:
            return False
    return True


def _listed():
    """Module -> the names that the page has of it."""
    names = {}
    for module, of_it, _ in _rows("Names"):
        (path,) = NAME.findall(module)
        names.setdefault(path, []).extend(NAME.findall(of_it))
    return names


@pytest.mark.parametrize("module", _listed())
def test_the_names_of_a_module_are_there(module):
    found = _imported(module)
    assert [n for n in _listed()[module] if not hasattr(found, n)] == []


def test_the_modules_are_there():
    paths = [p for row in _rows("Modules") for p in NAME.findall(row[0])]
    assert len(paths) > 15
    for path in paths:
        assert isinstance(_imported(path), types.ModuleType)


def test_the_missing_names_are_missing():
    names = [n for row in _rows("Missing") for n in NAME.findall(row[0])]
    assert len(names) > 15
    assert [name for name in names if _there(name)] == []
    assert _there("python.framework.ops.Graph") and _there("nn.relu")


def _reexported(module):
    """The private names that a module imports and does not use."""
    source = inspect.getsource(module)
    names = [
        alias.asname or alias.name
        for node in ast.parse(source).body
        if isinstance(node, ast.ImportFrom) and node.module != "tensorwright.python"
        for alias in node.names
    ]
    return [
        name
        for name in names
        if name.startswith("_")
        and name != "_pywrap"
        and not re.search(
            rf"\b{name}\b(?!,$)(?! as )", re.sub(r"\w+ as ", "", source), re.M
        )
    ]


@pytest.mark.parametrize(
    "module", [m for m in _listed() if inspect.ismodule(_imported(m))]
)
def test_every_private_name_that_a_module_offers_is_on_the_page(module):
    names = set(_reexported(_imported(module)))
    assert names - set(_listed()[module]) == set()
