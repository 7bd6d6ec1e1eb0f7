# SPDX-License-Identifier: Apache-2.0
"""Finds the ops of a layer, a cell or an optimizer: builds it with small inputs and reads the graph.

Which of its branches such an object takes depends on its arguments, so its source alone does not tell the ops.
"""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import logging
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from tensorwright.python.explain.source_names import _PACKAGE, _is_ours, _place
from tensorwright.python.explain.source_places import Place

if TYPE_CHECKING:
    from tensorwright.python.framework.operation import Operation
    from tensorwright.python.framework.tensor import Tensor

# Modules whose functions are layers if their first parameter is `inputs`.
_LAYER_MODULES = (f"{_PACKAGE}.python.layers.", f"{_PACKAGE}.contrib.layers.")
_BATCH, _SIZE, _CHANNELS = 2, 8, 4
# Values of required arguments; any other is 2.
_ARGUMENTS: dict[str, Any] = {"kernel_size": 3, "learning_rate": 0.1, "momentum": 0.9}
# Ops that hold or tell values and compute none.
_SILENT = {
    *("Const", "Placeholder", "Identity", "NoOp", "Shape", "ShapeN", "Size", "Rank"),
    *("VariableV2", "VarHandleOp", "ReadVariableOp", "IsVariableInitialized"),
}
_WHOLE = ("int32", "int64")


@dataclasses.dataclass(frozen=True)
class Built:
    """An object that was built, as its graph shows it.

    Attributes:
        how: the call, as "Conv2D(filters=2, kernel_size=3) on float32 [2, 8, 8, 4]".
        ops: the types of the ops that compute its result, in order of call.
        others: those that prepare their shapes and indices.
        path: the functions of the package between the object and the ops.
        variants: (circumstance, types) of other ops that the object may add.
    """

    how: str
    ops: tuple[str, ...]
    others: tuple[str, ...]
    path: tuple[Place, ...]
    variants: tuple[tuple[str, tuple[str, ...]], ...] = ()


def build(value: object) -> Built | None:
    """Returns what `value` adds to a graph; None if it is nothing to build, or cannot be built without more than sizes."""
    root = importlib.import_module(_PACKAGE)
    layer = getattr(value, "layer", value)
    if inspect.isclass(layer) and issubclass(layer, root.train.Optimizer):
        return _without_logs(lambda: _built_optimizer(root, layer))
    is_layer = inspect.isclass(layer) and issubclass(layer, root.layers.Layer)
    if is_layer or _is_layer_function(value):
        return _without_logs(lambda: _built_layer(root, layer))
    return None


def _without_logs(make: Callable[[], Built | None]) -> Built | None:
    logger = logging.getLogger(_PACKAGE)
    before = logger.disabled
    logger.disabled = True
    try:
        return make()
    finally:
        logger.disabled = before


def _is_layer_function(value: Any) -> bool:
    module = f"{getattr(value, '__module__', '')}."
    if not inspect.isroutine(value) or not module.startswith(_LAYER_MODULES):
        return False
    return next(iter(inspect.signature(value).parameters), "") == "inputs"


def _arguments(root: Any, function: Any) -> dict[str, Any]:
    """Values for the parameters of `function` that have no default, less `inputs`."""
    found = {}
    for p in inspect.signature(function).parameters.values():
        # Layers behave as in training, where dropout and normalization compute most.
        if p.name == "training" and p.default is not p.empty:
            found[p.name] = True
        if p.default is not p.empty or p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD):
            continue
        if p.name == "global_step":
            found[p.name] = root.train.get_or_create_global_step()
        elif p.name == "cell":
            found[p.name] = root.nn.rnn_cell.BasicRNNCell(_CHANNELS)
        elif p.name == "cells":
            cells = [root.nn.rnn_cell.BasicRNNCell(_CHANNELS) for _ in range(2)]
            found[p.name] = cells
        elif p.name != "inputs":
            found[p.name] = _ARGUMENTS.get(p.name, 2)
    return found


def _text_of(name: str, arguments: dict[str, Any]) -> str:
    plain = {
        k: v
        for k, v in arguments.items()
        if isinstance(v, bool | int | float) and v is not None
    }
    return f"{name}({', '.join(f'{k}={v}' for k, v in plain.items())})"


def _built_layer(root: Any, layer: Any) -> Built | None:
    """Builds the layer on the inputs of few dimensions that it accepts; the one with fewest ops shows it best."""
    found = [b for b in (_built_on(root, layer, rank) for rank in (4, 2, 3, 5)) if b]
    return min(found, key=lambda built: len(built.ops), default=None)


def _built_on(root: Any, layer: Any, rank: int) -> Built | None:
    shape = [_BATCH, *[_SIZE] * (rank - 2), _CHANNELS]
    with root.Graph().as_default() as graph:
        inputs = root.placeholder(root.float32, shape)
        try:
            arguments = _arguments(root, layer)
            if isinstance(layer, type):
                made = layer(**arguments)
                result = made(inputs, **_call_arguments(root, made))
            else:
                result = layer(inputs, **arguments)
        except (TypeError, ValueError, AttributeError, NotImplementedError):
            return None  # An input of other dimensions, or no layer of sizes alone.
        outputs = [t for t in root.nest.flatten(result) if isinstance(t, root.Tensor)]
        updates = graph.get_collection(root.GraphKeys.UPDATE_OPS)
        ops, others = _computing(outputs)
        more = [op.type for op in _computing_updates(updates, ops)]
    if not ops:
        return None
    how = _text_of(layer.__name__, arguments)
    return Built(
        f"{how} on float32 {shape}",
        _types(ops),
        tuple(t for t in _types(others) if t not in _types(ops)),
        tuple(_path(ops, layer)),
        (("its update ops", tuple(dict.fromkeys(more))),) if more else (),
    )


def _call_arguments(root: Any, made: Any) -> dict[str, Any]:
    """The arguments that the call of a layer needs beside its inputs."""
    arguments: dict[str, Any] = {}
    parameters = inspect.signature(made.call).parameters
    if "training" in parameters:
        arguments["training"] = True
    if "state" in parameters:
        arguments["state"] = made.zero_state(_BATCH, root.float32)
    return arguments


def _types(ops: Iterable[Operation]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(op.type for op in ops))


def _computing(outputs: list[Tensor]) -> tuple[list[Operation], list[Operation]]:
    """(the ops that compute `outputs` from values, those that prepare shapes and indices for them), in order.

    An integer input of an op that takes other inputs too is a shape, an axis or an index.
    """
    values = _behind([t.op for t in outputs], _value_inputs)
    everything = _behind([t.op for t in outputs], lambda op: op.inputs)
    ops = [op for op in values if op.type not in _SILENT]
    others = [op for op in everything if op not in values and op.type != "Const"]
    return ops, others


def _value_inputs(op: Operation) -> Iterator[Tensor]:
    if op.type in ("Shape", "ShapeN", "Size", "Rank"):
        return
    whole = [t for t in op.inputs if t.dtype.base_dtype.name in _WHOLE]
    only_whole = len(whole) == len(op.inputs)
    for tensor in op.inputs:
        if only_whole or tensor.dtype.base_dtype.name not in _WHOLE:
            yield tensor


def _computing_updates(
    updates: Iterable[Operation], known: list[Operation]
) -> list[Operation]:
    ops = _behind([getattr(u, "op", u) for u in updates], _value_inputs)
    return [op for op in ops if op.type not in _SILENT and op not in known]


def _behind(
    ends: Iterable[Operation], inputs: Callable[[Operation], Iterable[Tensor]]
) -> list[Operation]:
    """The ops that lead to `ends` through `inputs`, in the order in which they were made."""
    found = list(dict.fromkeys(ends))
    seen = set(found)
    for op in found:  # Grows while it is walked.
        for tensor in inputs(op):
            if tensor.op not in seen:
                seen.add(tensor.op)
                found.append(tensor.op)
    return sorted(found, key=lambda op: op._id)


def _built_optimizer(root: Any, optimizer: Any) -> Built | None:
    """Builds one step on a variable of each kind, with dense and with sparse gradients."""
    ops = _step(root, optimizer)
    if not ops:
        return None
    variants = []
    for circumstance, sparse, resource in (
        ("with sparse gradients", True, False),
        ("on resource variables", False, True),
    ):
        types_ = _types(_step(root, optimizer, sparse, resource))
        if types_ and types_ != _types(ops):
            variants.append((circumstance, types_))
    with root.Graph().as_default():
        arguments = _arguments(root, optimizer)
    step = f"{_text_of(optimizer.__name__, arguments)}.apply_gradients"
    shape = f"a variable of float32 [{_SIZE}, {_CHANNELS}]"
    path = tuple(_path(ops, optimizer))
    return Built(f"{step} on {shape}", _types(ops), (), path, tuple(variants))


def _step(
    root: Any, optimizer: Any, sparse: bool = False, resource: bool = False
) -> list[Operation]:
    """The ops of a step; none if the optimizer takes no such gradients."""
    with root.Graph().as_default() as graph:
        try:
            made = optimizer(**_arguments(root, optimizer))
            variable = root.get_variable(
                "v", [_SIZE, _CHANNELS], root.float32, use_resource=resource
            )
            gradient = root.placeholder(root.float32, [_SIZE, _CHANNELS])
            if sparse:
                rows = root.placeholder(root.int32, [_SIZE])
                gradient = root.IndexedSlices(gradient, rows, [_SIZE, _CHANNELS])
            step = made.apply_gradients([(gradient, variable)])
        except (TypeError, ValueError, AttributeError, NotImplementedError):
            return []
        initializers = _behind(
            [v.initializer for v in graph.get_collection("variables")],
            lambda op: op.inputs,
        )
        found = _before(step)
    return [op for op in found if op not in initializers and op.type not in _SILENT]


def _before(step: Operation) -> list[Operation]:
    """All that a step runs, through data and control edges."""
    found, seen = [step], {step}
    for op in found:  # Grows while it is walked.
        for near in (*(t.op for t in op.inputs), *op.control_inputs):
            if near not in seen:
                seen.add(near)
                found.append(near)
    return sorted(found, key=lambda op: op._id)


# How any object of the kind is called, and how any op is added, tells nothing about this one.
_PASSED = (
    "/python/explain/",
    "/python/framework/",
    "/python/ops/_layers/",
    "/gen_",
    "/layer_function.py",
)


def _path(ops: Iterable[Operation], start: Any) -> Iterator[Place]:
    """The functions of the package that added `ops`, in the order of the calls, behind `start`."""
    yield _place(start)
    told = {_place(start)}
    functions: dict[str, list[Any]] = {}
    for op in ops:
        for file, line, name in op.traceback:
            if not _is_ours(file) or any(part in file for part in _PASSED):
                continue
            if file not in functions:
                functions[file] = list(_functions_of(file))
            for function in functions[file]:
                if function.__name__ == name and _has_line(function, line):
                    place = _place(function)
                    if place not in told:
                        told.add(place)
                        yield place


def _functions_of(file: str) -> Iterator[Any]:
    """The functions and methods that a file of the package defines."""
    for module in [m for m in sys.modules.values() if hasattr(m, "__file__")]:
        if module.__file__ != file:
            continue
        for value in list(vars(module).values()):
            members = list(vars(value).values()) if inspect.isclass(value) else [value]
            for member in members:
                function = inspect.unwrap(getattr(member, "__func__", member))
                if inspect.isfunction(function):
                    if function.__code__.co_filename == file:
                        yield function


def _has_line(function: Any, line: int) -> bool:
    return any(line == at for _, _, at in function.__code__.co_lines())
