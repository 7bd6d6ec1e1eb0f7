# SPDX-License-Identifier: Apache-2.0
"""Graphs around ops that cannot be fetched by themselves: one of their branches is dead, they live in a loop, or they
only make or unmake the inputs of other ops.

A scenario gets the builder (graphs.py) with the names of the op's inputs; it adds the node "op", what it needs before and
after it, and returns what to fetch.  A loop of nodes alone cannot be differentiated: a program (programs.py) makes it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tensorwright.tools.opcheck import draws, signature as sig

Scenario = Callable[[Any, list[str]], list[str]]
_scenarios: dict[str, Scenario] = {}
# Op -> the program in which it is differentiated.
_PROGRAMS = {"Enter": "loop", "Exit": "loop", "NextIteration": "loop"}


def scenario(*ops: str) -> Callable[[Scenario], Scenario]:
    def register(function: Scenario) -> Scenario:
        for op in ops:
            _scenarios[op] = function
        return function

    return register


def find(op: str) -> Scenario | None:
    return _scenarios.get(op)


def program(op: str) -> str | None:
    return _PROGRAMS.get(op)


def differentiable(op: str) -> bool:
    """Can the scenario be differentiated by its feeds, here and in TensorFlow?"""
    return op == "Switch" or (op.startswith("TensorArray") and op.endswith("V3"))


def _typed(b: Any, op: str, name: str, inputs: list[str], enum: int) -> Any:
    node = b.node(op, name, inputs)
    node.attr["T"].type = enum
    return node


def _plain(shape: list[int], enum: int) -> np.ndarray:
    """Zeros, or empty strings."""
    if enum == sig.STRING:
        return np.full(shape, b"", dtype=object)
    return np.zeros(shape, sig.numpy_type(enum))


def _counted(start: int, size: int, enum: int) -> np.ndarray:
    """A vector of a dtype whose elements differ, as far as it has so many: start, start + 1, ..."""
    numbers = np.arange(start, start + size)
    if enum == sig.STRING:
        return np.array([b"%d" % n for n in numbers], dtype=object)
    dtype = sig.numpy_type(enum)
    if dtype.names:
        return numbers.astype(dtype[0]).view(dtype)
    return numbers.astype(dtype)


@scenario("Switch", "RefSwitch")
def _switch(b: Any, inputs: list[str]) -> list[str]:
    """Whichever side is alive, by a Merge."""
    b.op(inputs)
    merge = "RefMerge" if b.sig.name == "RefSwitch" else "Merge"
    node = _typed(b, merge, "merged", ["op:0", "op:1"], b.case.attrs["T"])
    node.attr["N"].i = 2
    return ["merged:0", "merged:1"]


@scenario("Enter", "RefEnter")
def _enter(b: Any, inputs: list[str]) -> list[str]:
    b.op(inputs)
    exit_op = b.sig.name.replace("Enter", "Exit")
    _typed(b, exit_op, "left", ["op:0"], b.case.attrs["T"])
    return ["left:0"]


@scenario("Exit", "RefExit")
def _exit(b: Any, inputs: list[str]) -> list[str]:
    enter_op = b.sig.name.replace("Exit", "Enter")
    enter = _typed(b, enter_op, "entered", inputs, b.case.attrs["T"])
    enter.attr["frame_name"].s = b"frame"
    # The shape of a changing value is not known.
    enter.attr["is_constant"].b = b.shapes_known
    b.op(["entered"])
    return ["op:0"]


@scenario("GetSessionHandle")
def _session_handle(b: Any, inputs: list[str]) -> list[str]:
    """The handle as a string: fetched by itself it is an object of the session."""
    b.op(inputs)
    _typed(b, "Identity", "copied", ["op:0"], sig.STRING)
    return ["copied:0"]


@scenario("NextIteration")
def _next_iteration(b: Any, inputs: list[str]) -> list[str]:
    """i = 0; while i < 3: i += 1, x = x."""
    enum = b.case.attrs["T"]
    for name, value in (("i", 0), ("limit", 3), ("one", 1)):
        b.constant(name, np.int32(value), sig.INT32)
        _enter_loop(b, name, name, sig.INT32, is_constant=name != "i")
    _enter_loop(b, "x", inputs[0], enum)
    for name, back, t in (("i", "next_i", sig.INT32), ("x", "op", enum)):
        merge = _typed(b, "Merge", f"merge_{name}", [f"enter_{name}", back], t)
        merge.attr["N"].i = 2
    _typed(b, "Less", "less", ["merge_i", "enter_limit"], sig.INT32)
    b.node("LoopCond", "cond", ["less"])
    _typed(b, "Switch", "switch_i", ["merge_i", "cond"], sig.INT32)
    _typed(b, "Switch", "switch_x", ["merge_x", "cond"], enum)
    _typed(b, "Add", "add", ["switch_i:1", "enter_one"], sig.INT32)
    _typed(b, "NextIteration", "next_i", ["add"], sig.INT32)
    b.op(["switch_x:1"])
    _typed(b, "Exit", "exit", ["switch_x:0"], enum)
    return ["exit:0"]


def _enter_loop(
    b: Any, name: str, source: str, enum: int, is_constant: bool = False
) -> None:
    enter = _typed(b, "Enter", f"enter_{name}", [source], enum)
    enter.attr["frame_name"].s = b"loop"
    enter.attr["is_constant"].b = is_constant


@scenario("Placeholder", "PlaceholderV2")
def _placeholder(b: Any, inputs: list[str]) -> list[str]:
    """Unfed, it says so: there is nothing to compare but the error."""
    b.op(inputs)
    return ["op:0"]


@scenario("Variable", "VariableV2", "TemporaryVariable")
def _variable(b: Any, inputs: list[str]) -> list[str]:
    b.op(inputs)
    enum = b.case.attrs["dtype"]
    shape = [max(s, 0) for s in b.case.attrs["shape"] or [2] if s < 1000]
    b.constant("start", _plain(shape, enum), enum)
    assign = _typed(b, "Assign", "assign", ["op", "start"], enum)
    assign.attr["validate_shape"].b = True
    return ["assign:0"]


@scenario("DestroyTemporaryVariable")
def _destroy(b: Any, inputs: list[str]) -> list[str]:
    enum = b.case.attrs["T"]
    variable = b.node("TemporaryVariable", "temporary", [])
    variable.attr["dtype"].type = enum
    variable.attr["shape"].shape.SetInParent()
    variable.attr["var_name"].s = b"name"
    b.constant("start", _plain([], enum), enum)
    assign = _typed(b, "Assign", "assign", ["temporary", "start"], enum)
    assign.attr["validate_shape"].b = False
    b.op(["assign"])
    del inputs
    return ["op:0"]


@scenario(*(f"Stack{do}{v}" for do in ("Push", "Pop", "Close") for v in ("", "V2")))
def _stack(b: Any, inputs: list[str]) -> list[str]:
    """Push an element, pop it, close: the op is one of the three."""
    version = "V2" if b.sig.name.endswith("V2") else ""
    name = b.sig.name.removesuffix(version)
    enum = b.case.attrs.get("T", b.case.attrs.get("elem_type", sig.FLOAT))
    if version:
        b.constant("most", np.int32(9), sig.INT32)
    stack = b.node(f"Stack{version}", "stack", ["most"] if version else [])
    stack.attr["elem_type"].type = enum
    pushed = "^op"
    if name == "StackPush":
        b.op(["stack", inputs[1]])
    else:
        b.constant("element", _plain([2], enum), enum)
        _typed(b, f"StackPush{version}", "push", ["stack", "element"], enum)
        pushed = "^push"
    if name == "StackPop":
        b.op(["stack", pushed])
        return ["op:0"]
    pop = b.node(f"StackPop{version}", "pop", ["stack", pushed])
    pop.attr["elem_type"].type = enum
    if name == "StackClose":
        b.op(["stack", "^pop"])
    return ["pop:0", "op:0"] if name == "StackPush" else ["pop:0"]


_ARRAY_SIZE = 4
# The length of each of its elements.
ELEMENT = {draws.SMALL: 2, draws.SMOOTH: 2, draws.BIG: 20_011, draws.HUGE: 2}
_READERS = ("Read", "Gather", "Concat", "Pack", "Size", "Grad", "Close")
_WRITERS = ("Write", "Scatter", "Split", "Unpack")
_READER_OF = dict(Write="Read", Scatter="Gather", Split="Concat", Unpack="Pack")


@scenario(
    *(f"TensorArray{do}{v}" for do in _READERS + _WRITERS for v in ("", "V2", "V3"))
)
def _tensor_array(b: Any, inputs: list[str]) -> list[str]:
    """An array of four vectors, written first if the op reads; a write of the op is read back."""
    version = b.sig.name[-2:] if b.sig.name[-2:] in ("V2", "V3") else ""
    does = b.sig.name.removeprefix("TensorArray").removesuffix(version)
    enum = b.case.attrs.get("dtype", b.case.attrs.get("T", sig.FLOAT))
    b.constant("size", np.int32(_ARRAY_SIZE), sig.INT32)
    array = b.node(f"TensorArray{version}", "array", ["size"])
    array.attr["dtype"].type = enum
    array.attr["clear_after_read"].b = False
    width = ELEMENT[b.case.size]
    if version == "V3" and does in _READERS and b.case.seed % 2:
        array.attr["element_shape"].shape.dim.add(size=width)
    b.constant("flow", np.float32(0), sig.FLOAT)
    flow = "flow"
    for i in range(_ARRAY_SIZE if does in _READERS else 0):
        b.constant(f"index{i}", np.int32(i), sig.INT32)
        element = _counted(2 * i + 1, width, enum)
        b.feed(f"element{i}", element, enum, "an element")
        write = ["array:0", f"index{i}", f"element{i}", flow]
        _typed(b, f"TensorArrayWrite{version}", f"write{i}", write, enum)
        flow = f"write{i}"
    given = {"handle": "array:0", "flow_in": flow}
    n = len(b.sig.inputs)
    own = [given.get(a.name, i) for a, i in zip(b.sig.inputs, inputs)]
    if does == "Close":
        own.append(f"^{flow}")
    b.op(own + inputs[n:])
    handles = (sig.STRING, sig.RESOURCE)
    fetches = [
        f"op:{i}"
        for i, arg in enumerate(b.sig.outputs)
        if not (arg.type in handles and "handle" in arg.name)
    ]
    if does in _WRITERS:
        # The written elements are read back where they are, gathered in order, joined, or all of them.
        reader = _READER_OF[does]
        where = [inputs[1]] if does in ("Write", "Scatter") else []
        read = b.node(
            f"TensorArray{reader}{version}", "read", ["array:0", *where, "op:0"]
        )
        read.attr["dtype"].type = enum
        fetches.append("read:0")
    return fetches


@scenario("TensorArray", "TensorArrayV2", "TensorArrayV3", "StackV2", "VarHandleOp")
def _maker(b: Any, inputs: list[str]) -> list[str]:
    """The output is a handle, another one in each run: the scenario only sees that the op runs."""
    b.op(inputs)
    b.constant("made", np.int32(0), sig.INT32, ["^op"])
    return ["made:0"]
