# SPDX-License-Identifier: Apache-2.0
"""The stubs tell type checkers the truth: their names are those of the running package."""

import ast
import importlib
import pathlib

import pytest

import tensorwright as tf
from tensorwright.python import _pywrap
from tensorwright.python.framework import tensor_operators, type_aliases

ROOT = pathlib.Path(tf.__file__).parent


def _stub(path):
    return ast.parse((ROOT / path).read_text())


def _names_of_tf():
    """{name: its value} of the stub: what it imports, star imports as a facade offers them."""
    names = {}
    for node in _stub("__init__.pyi").body:
        if not isinstance(node, ast.ImportFrom):
            continue
        module = importlib.import_module(node.module)
        for alias in node.names:
            if alias.name != "*":
                value = getattr(module, alias.name, None)
                if value is None:
                    value = importlib.import_module(f"{node.module}.{alias.name}")
                names[alias.asname or alias.name] = value
                continue
            for name in getattr(module, "__all__", dir(module)):
                if tf._public(module, name) and not name.startswith("_"):
                    names[name] = getattr(module, name)
    return names


def test_tf_has_every_name_of_its_stub():
    names = _names_of_tf()
    assert len(names) > 500
    wrong = [n for n, value in names.items() if getattr(tf, n, None) is not value]
    assert wrong == []


def test_the_stub_has_every_name_of_tf():
    present = [n for n in dir(tf) if not n.startswith("__") and hasattr(tf, n)]
    # Folders of the package become attributes when something in them is imported.
    folders = {"core", "tools"}
    assert set(present) - set(_names_of_tf()) - folders == set()


def _bound_classes():
    classes = [n for n in _stub("python/_pywrap.pyi").body if type(n) is ast.ClassDef]
    assert classes
    return classes


@pytest.mark.parametrize("stub", _bound_classes(), ids=lambda c: c.name)
def test_bound_classes_have_every_member_of_the_stub(stub):
    bound = getattr(_pywrap, stub.name)
    members = {m.name for m in stub.body if isinstance(m, ast.FunctionDef)}
    members |= {m.target.id for m in stub.body if isinstance(m, ast.AnnAssign)}
    # A stub's __getattr__ stands for the members it does not list.
    assert members
    assert {m for m in members - {"__getattr__"} if not hasattr(bound, m)} == set()
    if "__getattr__" not in members:
        public = {m for m in vars(bound) if not m.startswith("_")}
        assert public - members == set()


def test_the_operators_are_those_that_the_ops_layer_overrides():
    declared = {n for n in vars(tensor_operators.TensorOperators) if n[2:3].isalpha()}
    declared -= {"__module__", "__doc__", "__dict__", "__weakref__"}
    identity = {"__eq__", "__ne__"}
    assert declared == tf.Tensor.OVERLOADABLE_OPERATORS - identity


def test_aliases_cost_nothing_when_a_program_runs():
    tree = _stub("python/framework/type_aliases.py")
    imported = [n for n in tree.body if isinstance(n, (ast.Import, ast.ImportFrom))]
    assert {n.module for n in imported} == {"__future__", "typing"}
    seen, run = (set(), set())
    (switch,) = [n for n in tree.body if isinstance(n, ast.If)]
    for node in ast.walk(ast.Module(switch.body, [])):
        if isinstance(node, ast.AnnAssign):
            seen.add(node.target.id)
        # A TypeVar cannot be annotated.
        elif isinstance(node, ast.Assign):
            seen |= {t.id for t in node.targets}
    for node in switch.orelse:
        run |= {t.id for t in node.targets}
    assert seen and seen == run
    assert all(hasattr(type_aliases, name) for name in seen)
