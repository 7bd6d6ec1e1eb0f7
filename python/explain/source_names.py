# SPDX-License-Identifier: Apache-2.0
"""The functions and ops of the package by their names, and where their sources are."""

from __future__ import annotations

import difflib
import importlib
import importlib.util
import inspect
import pathlib
import pkgutil
import re
import sys
import types
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from tensorwright.python import _pywrap
from tensorwright.python.explain.source_places import (
    Explanation as Explanation,
    Kernel as Kernel,
    OpChain as OpChain,
    Place as Place,
)
from tensorwright.python.framework import load_library

if TYPE_CHECKING:
    from tensorwright.python.framework.operation import Operation

_PACKAGE = __name__.partition(".")[0]


_OPS_PACKAGE = f"{_PACKAGE}.python.ops"


# Python layers that a public function may pass through before it reaches a generated wrapper.
_LAYERS = (
    _OPS_PACKAGE,
    f"{_PACKAGE}.python.layers",
    f"{_PACKAGE}.python.training",
    f"{_PACKAGE}.python.user_ops",
    f"{_PACKAGE}.python.framework.constant_op",
)

# The runtime mentions a failed node of a function in these words.
_IN_FUNCTION = re.compile(r"Function (\S+), node (\S+): ")
# DatasetBase::AtOrigin writes it.
_AT_DATASET = re.compile(r"\((\w*Dataset\w*), node ([^\s()]+)\)")


def similar_names(name: str) -> list[str]:
    """Public functions whose name is close to a misspelt one: "tf.nn.conv2d_transpose"."""
    wanted = name.rpartition(".")[2]
    found: dict[str, str] = {}
    for prefix, module in _public_modules():
        for part, value in vars(module).items():
            if callable(value) and not part.startswith("_"):
                found.setdefault(part, f"{prefix}.{part}")
    root = importlib.import_module(_PACKAGE)
    close = difflib.get_close_matches(wanted, {*found, *dir(root)}, 3, 0.75)
    # `tf` itself imports many of its names only when they are asked for.
    return [f"tf.{part}" if hasattr(root, part) else found[part] for part in close]


def _public_modules() -> list[tuple[str, Any]]:
    root = importlib.import_module(_PACKAGE)
    names = (
        "nn",
        "nn.rnn_cell",
        "layers",
        "train",
        "math",
        "random",
        "user_ops",
        "initializers",
    )
    inner = []
    for name in names:
        module = root
        for part in name.split("."):
            module = getattr(module, part, None)
        if module is not None:
            inner.append((f"tf.{name}", module))
    return [("tf", root), *inner]


def _functions_named(name: str) -> Iterator[tuple[str, Any]]:
    places = _public_modules()
    if "." in name:
        places = places[:1]
    else:
        places.extend((_label(m.__name__), m) for m in _generated_modules())
    for prefix, value in places:
        for part in name.split("."):
            value = getattr(value, part, None)
        if callable(value) and (_is_in_package(value) or _op_of_wrapper(value)):
            yield f"{prefix}.{name}", value
    yield from _functions_of_installed(name)


def _functions_of_installed(name: str) -> Iterator[tuple[str, Any]]:
    """`row_norm`, `row_norm.row_norm`: functions of a package of ops, if it is installed."""
    package, _, rest = name.partition(".")
    if not package.isidentifier() or package in sys.stdlib_module_names:
        return
    try:
        if importlib.util.find_spec(package) is None:
            return
    except ValueError:
        return
    value: Any = importlib.import_module(package)
    for part in (rest or package).split("."):
        value = getattr(value, part, None)
    if callable(value) and not _is_in_package(value):
        yield f"{package}.{rest or package}", value


def _generated_modules() -> list[types.ModuleType]:
    package = importlib.import_module(_OPS_PACKAGE)
    names = [m.name for m in pkgutil.iter_modules(package.__path__)]
    generated = sorted(n for n in names if n.startswith("gen_"))
    modules = [importlib.import_module(f"{_OPS_PACKAGE}.{n}") for n in generated]
    return modules + load_library.loaded_modules()


def _wrapper_of_op(op_name: str) -> Any:
    for module in _generated_modules():
        for value in vars(module).values():
            if not inspect.isfunction(value) or op_name not in value.__code__.co_consts:
                continue
            # It may be a default or a name of something else.
            if _op_of_wrapper(value) == op_name:
                return value
    return None


def _op_of_wrapper(function: Any) -> str | None:
    """The op a generated wrapper adds: the name it hands to apply_op, a constant in its code."""
    module = getattr(function, "__module__", None) or ""
    generated = (f"{_OPS_PACKAGE}.gen_", load_library.PREFIX)
    if not module.startswith(generated) or not inspect.isfunction(function):
        return None
    consts = function.__code__.co_consts[1:]  # the first is the docstring
    return next((c for c in consts if isinstance(c, str) and _is_op(c)), None)


def _is_op(name: str) -> bool:
    try:
        _pywrap.op_registration(name)
    except KeyError:
        return False
    return True


def _is_in_package(value: Any) -> bool:
    return (getattr(value, "__module__", None) or "").startswith(f"{_PACKAGE}.")


def _in_layers(value: Any) -> bool:
    return (getattr(value, "__module__", None) or "").startswith(_LAYERS)


def _place(function: Any) -> Place:
    function = inspect.unwrap(function)
    file = inspect.getsourcefile(function) or "?"
    line = inspect.getsourcelines(function)[1]
    name = f"{_label(function.__module__)}.{function.__qualname__}"
    return Place(name, _tree_path(file), line)


def _label(module: str) -> str:
    """The last part of a module's name; `librow_norm` for that of a loaded library."""
    if module.startswith(load_library.PREFIX):
        file = sys.modules[module].__file__
        assert file is not None
        return pathlib.PurePath(file).stem
    return module.rpartition(".")[2]


def _tree_path(file: str) -> str:
    """`file` relative to the package's root where it lies below it; to a tree's, where bazel-bin has what is generated."""
    marker = f"/{_PACKAGE}/"
    if marker not in file:
        return file
    path = file.rpartition(marker)[2]
    built = f"bazel-bin/{path}"
    root = pathlib.Path(__file__).resolve().parents[2]
    return built if not (root / path).exists() and (root / built).exists() else path


def _is_ours(file: str) -> bool:
    ours = [f"/{_PACKAGE}/{folder}/" for folder in ("python", "user_ops", "tools")]
    if file.endswith("_test.py"):
        return False
    # Frozen: how Python starts a program.
    return file.startswith("<frozen") or any(folder in file for folder in ours)


def _admits(kernel: Kernel, op: Any) -> bool:
    for attr, allowed in kernel.constraints.items():
        value = op.get_attr(attr)
        if getattr(value, "base_dtype", value).name not in allowed:
            return False
    return True


def inside_functions(op: Operation, message: str) -> Iterator[str]:
    """Yields, for each function that an error passed through, the lines that built the node that failed in it."""
    graph = op.graph
    for name, node in _IN_FUNCTION.findall(message):
        graph = getattr(graph._functions.get(name), "graph", None)
        if graph is None:
            return
        try:
            frames = user_frames(graph.get_operation_by_name(node))
        except (KeyError, ValueError):  # Python did not add the node.
            return
        yield f"{frames[-1]}, {node} of {name}"
        if len(frames) > 1:
            yield f"{frames[-2]}"


def datasets_named(op: Operation, message: str) -> Iterator[str]:
    """The lines that built the datasets whose own failure `message` tells.

    The runtime knows a dataset by the name of its node.  More than one function may have a node of that name; then each
    is shown.
    """
    for kind, node in _AT_DATASET.findall(message):
        bodies = [getattr(f, "graph", None) for f in op.graph._functions.values()]
        # A one-shot iterator's function copies nodes that are in the graph already.
        bodies = [b for b in bodies if b is not None and not b._capture_by_value]
        places = {}
        for graph in (op.graph, *bodies):
            try:
                made = graph.get_operation_by_name(node)
            except (KeyError, ValueError):
                continue
            if made.type == kind:
                places[str(_user_place(made))] = None
        for place in places:
            yield f"{place}, {node}"


def user_frames(op: Operation) -> list[Place]:
    """The program's lines that led to `op`, outermost first."""
    frames = [f for f in op.traceback if not _is_ours(f[0])] or list(op.traceback)
    return [Place(function, file, line) for file, line, function in frames]


def _user_place(op: Any) -> Place:
    """The line of a program that added `op`."""
    return (user_frames(op) or [Place("?", "?", 0)])[-1]
