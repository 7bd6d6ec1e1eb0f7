# SPDX-License-Identifier: Apache-2.0
"""Lists the functions that a Python function of the package calls, in the order of the calls."""

from __future__ import annotations

import ast
import functools
import importlib
import inspect
import textwrap
import types
import typing
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from tensorwright.python.explain.source_names import (
    _PACKAGE,
    _in_layers,
    _is_in_package,
    _op_of_wrapper,
    _wrapper_of_op,
)

if TYPE_CHECKING:
    from collections.abc import Callable


# Annotations of parameters that are tensors.
_TENSORS = ("TensorLike", "ops.Tensor", "Tensor")


def functions_called(
    function: Callable[..., object],
) -> Iterator[Callable[..., object]]:
    """Yields the functions and classes of this package that `function` calls, in the order of the calls.

    Arguments are called before the function that takes them.  `a + b` is a call of the wrapper behind the operator, if
    the source shows that the operands are tensors.
    """
    if inspect.isclass(function):
        for member in vars(function).values():
            member = getattr(member, "__func__", member)
            if inspect.isfunction(member):
                yield from functions_called(member)
        return
    function = inspect.unwrap(function)
    if not inspect.isfunction(function):
        return
    tree = _tree_of(function.__code__)
    if tree is None:
        return
    calls = _Calls(function.__globals__)
    calls.visit(tree)
    yield from calls.found


@functools.cache
def _tree_of(code: types.CodeType) -> ast.AST | None:
    """The definition of a function; a lambda's may be a piece of a line that cannot be read alone."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(code)))
    except (OSError, SyntaxError, TypeError):
        return None
    return tree.body[0] if tree.body else None


class _Calls(ast.NodeVisitor):
    """Visits a definition in the order of evaluation."""

    def __init__(self, names: dict[str, Any]):
        self.found: list[Any] = []
        self._names = names
        self._tensors: set[str] = set()  # Local names that hold tensors.
        self._depth = 0

    def _value_of(self, node: ast.AST) -> Any:
        """Returns the value of a global name, or of a module's attribute; else None."""
        if isinstance(node, ast.Name):
            return self._names.get(node.id)
        if isinstance(node, ast.Attribute):
            module = self._value_of(node.value)
            if isinstance(module, types.ModuleType):
                return getattr(module, node.attr, None)
        return None

    def _tell(self, value: Any) -> None:
        if callable(value) and (_is_in_package(value) or _op_of_wrapper(value)):
            self.found.append(value)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        # Decorators and annotations are not called by it.
        if self._depth == 0:
            for argument in [*node.args.posonlyargs, *node.args.args]:
                text = ast.unparse(argument.annotation) if argument.annotation else ""
                if text.partition(" ")[0] in _TENSORS:
                    self._tensors.add(argument.arg)
        self._depth += 1
        for statement in node.body:
            self.visit(statement)
        self._depth -= 1

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.visit(node.value)

    def visit_Name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Load):
            self._tell(self._value_of(node))

    def visit_Attribute(self, node: ast.Attribute) -> None:
        self.visit(node.value)
        self._tell(self._value_of(node))

    def visit_Call(self, node: ast.Call) -> None:
        for argument in [*node.args, *node.keywords]:
            self.visit(argument)
        self.visit(node.func)

    def visit_Assign(self, node: ast.Assign) -> None:
        self.visit(node.value)
        for target in node.targets:
            self._assign(target, node.value)
            self.visit(target)

    def _assign(self, target: ast.AST, value: ast.AST) -> None:
        """Notes the names that an assignment gives to tensors, also in `a, b = x, y`."""
        if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
            for each, given in zip(target.elts, value.elts):
                self._assign(each, given)
        elif isinstance(target, ast.Name) and self._is_tensor(value):
            self._tensors.add(target.id)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        self.generic_visit(node)
        if self._is_tensor(node):
            self._tell(_wrapper_of_operator(type(node.op).__name__))

    def visit_UnaryOp(self, node: ast.UnaryOp) -> None:
        self.generic_visit(node)
        if self._is_tensor(node.operand):
            self._tell(_wrapper_of_operator(type(node.op).__name__))

    def _is_tensor(self, node: ast.AST) -> bool:
        if isinstance(node, ast.Name):
            return node.id in self._tensors
        if isinstance(node, ast.BinOp):
            return self._is_tensor(node.left) or self._is_tensor(node.right)
        if isinstance(node, ast.UnaryOp):
            return self._is_tensor(node.operand)
        if isinstance(node, ast.IfExp):
            return self._is_tensor(node.body) or self._is_tensor(node.orelse)
        if isinstance(node, ast.Call):
            called = self._value_of(node.func)
            if called is typing.cast:
                return self._is_tensor(node.args[1])
            return _gives_tensor(called)
        return False


def _gives_tensor(function: Any) -> bool:
    """Says whether a called function adds ops: it is a wrapper, or public and annotated to return a tensor."""
    if _op_of_wrapper(function):
        return True
    if not (inspect.isfunction(function) and _in_layers(function)):
        return False
    returned = function.__annotations__.get("return", "")
    return str(returned) in _TENSORS


@functools.cache
def _wrapper_of_operator(name: str) -> Any:
    """Returns the wrapper that an operator calls on tensors, by trying it; None if tensors do not have the operator."""
    operators = {
        "Add": lambda x: x + x,
        "Sub": lambda x: x - x,
        "Mult": lambda x: x * x,
        "Div": lambda x: x / x,
        "Pow": lambda x: x**x,
        "USub": lambda x: -x,
    }
    if name not in operators:
        return None
    root = importlib.import_module(_PACKAGE)
    with root.Graph().as_default():
        x = root.placeholder(root.float32, [2])
        return _wrapper_of_op(operators[name](x).op.type)
