# SPDX-License-Identifier: Apache-2.0
"""The TensorFlow names that a program uses, read from its source without running it."""

from __future__ import annotations

import ast
import dataclasses
import pathlib
from collections.abc import Iterable, Iterator

PACKAGES = ("tensorflow", "tensorwright")


@dataclasses.dataclass
class Use:
    """One use of a name; `name` begins with "tf", `call` is the call if it is one."""

    name: str
    line: int
    node: ast.AST
    call: ast.Call | None = None
    guarded: bool = False


def python_files(paths: Iterable[str]) -> Iterator[pathlib.Path]:
    """Files, and the Python files of folders."""
    for given in paths:
        path = pathlib.Path(given)
        if path.is_dir():
            yield from sorted(path.rglob("*.py"))
        else:
            yield path


class _Names(ast.NodeVisitor):
    """Follows imports and assignments of modules: `import tensorflow as tf`, `slim = tf.contrib.slim`."""

    def __init__(self) -> None:
        self.known: dict[str, str] = {}
        self.uses: list[Use] = []
        self._guards = 0

    def visit_Import(self, node: ast.Import) -> None:
        for alias in node.names:
            root, _, rest = alias.name.partition(".")
            if root not in PACKAGES:
                continue
            dotted = f"tf.{rest}" if rest else "tf"
            if alias.asname:
                self.known[alias.asname] = dotted
            else:
                self.known[root] = "tf"
            if rest:
                self._use(dotted, node)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        root, _, rest = (node.module or "").partition(".")
        if node.level or root not in PACKAGES:
            return
        prefix = f"tf.{rest}" if rest else "tf"
        for alias in node.names:
            if alias.name == "*":
                self._use(prefix, node)
                continue
            self.known[alias.asname or alias.name] = f"{prefix}.{alias.name}"
            self._use(f"{prefix}.{alias.name}", node)

    def _use(self, name: str, node: ast.AST, call: ast.Call | None = None) -> None:
        line = getattr(node, "lineno", 0)
        self.uses.append(Use(name, line, node, call, self._guards > 0))

    def dotted(self, node: ast.AST) -> str | None:
        """The name that an expression is, if it is one of TensorFlow's."""
        parts: list[str] = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        if not isinstance(node, ast.Name) or node.id not in self.known:
            return None
        return ".".join([self.known[node.id], *reversed(parts)])

    def visit_Assign(self, node: ast.Assign) -> None:
        self.visit(node.value)
        name = self.dotted(node.value)
        for target in node.targets:
            if isinstance(target, ast.Name):
                if name:
                    self.known[target.id] = name
                else:
                    self.known.pop(target.id, None)
            else:
                self.visit(target)

    def visit_Try(self, node: ast.Try) -> None:
        # A name that a program tries, and can do without, is no mistake.
        names = [
            n.id
            for handler in node.handlers
            for n in ast.walk(handler.type or ast.Name("Exception"))
            if isinstance(n, ast.Name)
        ]
        caught = {"ImportError", "ModuleNotFoundError", "AttributeError", "Exception"}
        guards = bool(caught & set(names))
        self._guards += guards
        for statement in node.body:
            self.visit(statement)
        self._guards -= guards
        for part in (*node.handlers, *node.orelse, *node.finalbody):
            self.visit(part)

    def visit_Call(self, node: ast.Call) -> None:
        name = self.dotted(node.func)
        if name and name != "tf":
            self._use(name, node.func, node)
        else:
            self.visit(node.func)
        for argument in node.args:
            self.visit(argument)
        for keyword in node.keywords:
            self.visit(keyword.value)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        name = self.dotted(node)
        if name:
            self._use(name, node)
        else:
            self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Load) and self.known.get(node.id, "tf") != "tf":
            self._use(self.known[node.id], node)


def uses(source: str) -> list[Use]:
    """Returns every use of a TensorFlow name, in order of lines.  SyntaxError if `source` is no Python 3."""
    names = _Names()
    names.visit(ast.parse(source))
    return sorted(names.uses, key=lambda use: use.line)
