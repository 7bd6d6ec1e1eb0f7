# SPDX-License-Identifier: Apache-2.0
"""Finds where a name is executed: from the Python function down to the kernel's line and the library under it.

Nothing here is a table kept by hand.  Registrations record their own file and line (REGISTER_OP,
REGISTER_KERNEL_BUILDER, RegisterGradient); which op a Python function rests on is read from its source.
`tw where NAME` prints what `chains_of_name` finds, `tf.explain(tensor)` what `explain` returns.
"""

from __future__ import annotations

import dataclasses
import importlib
import importlib.util
import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

from tensorwright.python import _pywrap
from tensorwright.python.explain import source_built
from tensorwright.python.explain.source_calls import (
    functions_called as _functions_called,
)
from tensorwright.python.explain.source_names import (
    _OPS_PACKAGE,
    _PACKAGE,
    _admits,
    _functions_named,
    _in_layers,
    _is_op,
    _op_of_wrapper,
    _place,
    _tree_path,
    _user_place,
    _wrapper_of_op,
    datasets_named,
    inside_functions,
    similar_names as similar_names,
    user_frames as user_frames,
)
from tensorwright.python.explain.source_places import (
    Algorithm as Algorithm,
    Explanation as Explanation,
    Kernel as Kernel,
    OpChain as OpChain,
    Place as Place,
)
from tensorwright.python.framework import gradient_registry

if TYPE_CHECKING:
    from google.protobuf.message import Message

    from tensorwright.python.framework.operation import Operation
    from tensorwright.python.framework.tensor import Tensor

_MAX_DEPTH = 6
# A function with more ops behind it than this is not the Python side of all of them.
_FEW = 4


def explain(value: Tensor | Operation | str) -> Explanation:
    """The chain behind a tensor or operation of a graph: who built it, and what would execute it.

    Only kernels whose type constraints admit the node's attrs are listed.  `print` shows it; its fields are there for
    programs.  A name ("nn.conv2d", "Conv2D") is explained as `tw where` does; ValueError if nothing is called so.
    """
    if isinstance(value, str):
        found = explain_name(value)
        if not found:
            raise ValueError(f"nothing is called {value!r}")
        return found[0]
    op = cast("Operation", getattr(value, "op", value))
    chain = chain_of_op(op.type)
    admitted = tuple(k for k in chain.kernels if _admits(k, op))
    inputs = ", ".join(t.name for t in op.inputs)
    title = f"{op.name} = {op.type}({inputs})"
    chain = dataclasses.replace(chain, kernels=admitted)
    written = _python_op(op)
    if written is not None:
        # An op written in Python has its own shape function and gradient.
        title = f"{op.name} = {written.op_def.name}({inputs}), run by {op.type}"
        chain = _chain_of_python_op(written, chain)
    return Explanation(
        title,
        (_user_place(op),),
        (chain,),
        calls=_function_called(op),
        choice=_choice_for(op),
    )


def kernel_choice(
    node_def: Message, input_shapes: list[list[int]], output_shapes: list[list[int]]
) -> str:
    """Says which algorithm of the CPU kernel runs a NodeDef on tensors of these shapes: "Winograd 4x4: why".

    Returns "" if the kernel has only one algorithm, or none for these shapes.
    """
    choice = _pywrap.kernel_choice(
        node_def.SerializeToString(), input_shapes, output_shapes
    )
    return ": ".join(choice) if choice else ""


def _choice_for(op: Any) -> str:
    """Returns the `kernel_choice` for an op of a graph; "" if its shapes are not known."""
    if "GPU" in op.device.upper():
        return ""
    shapes = [[t.get_shape() for t in ts] for ts in (op.inputs, op.outputs)]
    if not all(s.is_fully_defined() for group in shapes for s in group):
        return ""
    inputs, outputs = ([s.as_list() for s in group] for group in shapes)
    return kernel_choice(op.node_def, inputs, outputs)


def failure_text(op: Operation, source: str = "", message: str = "") -> str:
    """For the error of a run: where the failing op comes from, which kernel ran it, the requirement at `source`
    ("FILE:LINE" or "") that was not met, and the lines of functions and datasets of the graph that `message` names.
    """
    data = _pywrap.op_registration(op.type)
    rows = [
        f"python  {_user_place(op)}",
        f"op      {Place(op.type, data['file'], data['line'])}",
    ]
    device = "GPU" if "GPU" in op.device.upper() else "CPU"
    kernels = [k for k in _kernels_of(op.type) if k.device == device and _admits(k, op)]
    rows.extend(f"kernel  {k.place}" for k in kernels)
    if source:
        file, _, line = source.rpartition(":")
        rows.append(f"failed  {Place('OP_REQUIRES', file, int(line))}")
    called = _function_called(op)
    if called is not None:
        rows.append(f"calls   {called}")
    rows.extend(f"inside  {places}" for places in inside_functions(op, message))
    rows.extend(f"dataset {places}" for places in datasets_named(op, message))
    return "\n".join(f"\t {row}" for row in rows)


def _script_ops() -> Any:
    return importlib.import_module(f"{_OPS_PACKAGE}.script_ops")


def _calls_python(op: Any) -> bool:
    return op.type in ("PyFunc", "PyFuncStateless")


def _python_op(op: Any) -> Any:
    """The tf.user_op behind a PyFunc; None for any other op."""
    call = _script_ops().details_of(op) if _calls_python(op) else None
    return getattr(call, "user_op", None)


def _function_called(op: Any) -> Place | None:
    """The Python function behind a PyFunc; None where it is not known."""
    if not _calls_python(op):
        return None
    written = _python_op(op)
    function = written.function if written else _script_ops().function_of(op)
    code = getattr(inspect.unwrap(function), "__code__", None) if function else None
    if code is None:
        return None
    return Place(code.co_qualname, _tree_path(code.co_filename), code.co_firstlineno)


def _python_op_place(written: Any, name: str) -> Place:
    file, line = written.location
    return Place(name, _tree_path(file), line)


def _chain_of_python_op(written: Any, chain: OpChain) -> OpChain:
    def place(function: Any) -> Place | None:
        return _place(function) if function else None

    return dataclasses.replace(
        chain,
        op=_python_op_place(written, written.op_def.name),
        wrapper=None,
        shape_function=place(written._shape),
        gradient=place(written._gradient),
        differentiable=True if written._gradient else None,
    )


def chain_of_op(op_name: str) -> OpChain:
    """Returns all that the registries know about `op_name`.  Raises KeyError for an unknown op."""
    data = _pywrap.op_registration(op_name)
    # Registers the gradients, which a program may not have asked for yet.
    importlib.import_module(f"{_OPS_PACKAGE}.gradients_impl")
    wrapper = _wrapper_of_op(op_name)
    differentiable, gradient = None, None
    entry = gradient_registry.lookup_location(op_name)
    if entry is not None:
        differentiable = entry.function is not None
        if differentiable:
            gradient = Place(entry.name, _tree_path(entry.file), entry.line)
    shape = None
    if data["shape_fn_file"]:
        name = data["shape_fn_name"] or "lambda"
        shape = Place(name, data["shape_fn_file"], data["shape_fn_line"])
    return OpChain(
        op=Place(op_name, data["file"], data["line"]),
        wrapper=_place(wrapper) if wrapper else None,
        shape_function=shape,
        gradient=gradient,
        differentiable=differentiable,
        kernels=_kernels_of(op_name),
    )


def _kernels_of(op_name: str) -> tuple[Kernel, ...]:
    return tuple(
        Kernel(
            Place(k["class_name"], k["file"].removeprefix("./"), k["line"]),
            k["device"],
            {name: list(allowed) for name, allowed in k["constraints"].items()},
            k["label"],
            k["primitive"],
            tuple(
                Algorithm(
                    a["name"], a["file"], k["primitive"] if a["calls_primitive"] else ""
                )
                for a in k["algorithms"]
            ),
        )
        for k in _pywrap.kernel_registrations(op_name)
    )


def explain_name(name: str) -> list[Explanation]:
    """Explanations for a public name ("nn.conv2d"), a wrapper ("conv2d") or an op ("Conv2D").

    A bare name may stand for several functions: each gets an explanation.  Empty when nothing has the name.
    """
    name = name.removeprefix("tf.").removeprefix(f"{_PACKAGE}.")
    found = [Explanation(name, (), (chain_of_op(name),))] if _is_op(name) else []
    seen: set[int] = set()
    for dotted, function in _functions_named(name):
        if id(function) in seen:
            continue
        seen.add(id(function))
        explanation = _explain_function(dotted, function)
        told = {chain.op.name for earlier in found for chain in earlier.chains}
        # A wrapper alone says nothing new where a function above leads to it.
        if explanation.path or told.isdisjoint(c.op.name for c in explanation.chains):
            found.append(explanation)
    return found


def _explain_function(dotted: str, function: Callable[..., Any]) -> Explanation:
    if hasattr(function, "op_def") and hasattr(function, "location"):  # A tf.user_op.
        chain = _chain_of_python_op(function, chain_of_op("PyFunc"))
        return Explanation(dotted, (_python_op_place(function, dotted),), (chain,))
    op_name = _op_of_wrapper(function)
    if op_name:
        return Explanation(dotted, (), (chain_of_op(op_name),))
    built = source_built.build(function)
    if built is not None:
        return Explanation(
            dotted,
            built.path,
            tuple(map(chain_of_op, built.ops)),
            built.others,
            built=built.how,
            variants=built.variants,
        )
    reached = _wrappers_reached(function)
    chains = _main_ops(function, {name: depth for name, (depth, _) in reached.items()})
    if not chains:
        made_of = _made_of(function)
        path = (_place(function),)
        if len(made_of) <= 2 * _FEW:
            return Explanation(dotted, path, tuple(map(chain_of_op, made_of)))
        return Explanation(dotted, path, (), made_of=tuple(sorted(made_of)))
    others = sorted(set(reached) - set(chains))
    path = [_place(function)]
    for name in chains:
        path.extend(p for p in map(_place, reached[name][1]) if p not in path)
    return Explanation(
        dotted, tuple(path), tuple(map(chain_of_op, chains)), tuple(others)
    )


def _main_ops(function: Any, depths: dict[str, int]) -> list[str]:
    """The ops that `function` is the Python side of: those of its name, else the nearest.

    None where it is made of many and none bears its name, as tf.gradients.
    """
    name = function.__name__.replace("_", "").lower()
    nearest = [n for n, depth in depths.items() if depth == min(depths.values())]
    nearest.sort(key=lambda n: n.lower() != name)  # MatMul before SparseMatMul.
    if len(depths) <= _FEW:
        return nearest
    namesakes = [n for n in depths if name in n.lower()]
    if namesakes:
        # MatMul before SparseMatMul and BatchMatMul.
        return sorted(namesakes, key=lambda n: (n.lower() != name, depths[n]))
    return nearest if len(depths) <= 2 * _FEW and len(nearest) <= _FEW else []


def _made_of(root: Any) -> list[str]:
    """Returns the ops of `root` and the helpers in its module, and the main ops of the functions that they call.

    Ops of side branches are left out: those by which `cast` handles complex numbers are no part of a function that
    casts.
    """
    found: dict[str, None] = {}
    visited: set[int] = set()

    def visit(function: Any) -> None:
        visited.add(id(function))
        for called in _functions_called(function):
            op_name = _op_of_wrapper(called)
            if op_name:
                found.setdefault(op_name)
            elif id(called) in visited:
                continue
            elif called.__module__ == root.__module__:
                visit(called)
            elif _in_layers(called):
                visited.add(id(called))
                reached = _wrappers_reached(called)
                depths = {name: depth for name, (depth, _) in reached.items()}
                main = _main_ops(called, depths) if depths else ()
                found.update(dict.fromkeys(main or sorted(reached)))

    visit(root)
    return list(found)


def _wrappers_reached(root: Any) -> dict[str, tuple[int, tuple[Any, ...]]]:
    """Ops that `root` can reach: op name -> (calls between, functions on the way)."""
    reached: dict[str, tuple[int, tuple[Any, ...]]] = {}
    queue: list[tuple[Any, int, tuple[Any, ...]]] = [(root, 0, ())]
    visited = {id(root)}
    for function, depth, way in queue:  # grows while it is walked: breadth first
        for called in _functions_called(function):
            op_name = _op_of_wrapper(called)
            if op_name:
                reached.setdefault(op_name, (depth, way))
            elif (
                id(called) not in visited and depth < _MAX_DEPTH and _in_layers(called)
            ):
                visited.add(id(called))
                queue.append((called, depth + 1, (*way, called)))
    return reached
