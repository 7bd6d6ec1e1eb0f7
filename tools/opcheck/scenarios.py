# SPDX-License-Identifier: Apache-2.0
"""Graphs around ops that cannot be fetched by themselves: one branch of theirs is dead, they live in a loop, or they
only make or unmake what other ops use.

A scenario gets the builder (graphs.py) with the names of the op's inputs; it adds the node "op", what it needs before and
after it, and returns what to fetch.  Such ops are not differentiated here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tensorwright.tools.opcheck import signature as sig

Scenario = Callable[[Any, list[str]], list[str]]
_scenarios: dict[str, Scenario] = {}


def scenario(*ops: str) -> Callable[[Scenario], Scenario]:
    def register(function: Scenario) -> Scenario:
        for op in ops:
            _scenarios[op] = function
        return function

    return register


def find(op: str) -> Scenario | None:
    return _scenarios.get(op)


def _typed(b: Any, op: str, name: str, inputs: list[str], enum: int) -> Any:
    node = b.node(op, name, inputs)
    node.attr["T"].type = enum
    return node


def _plain(shape: list[int], enum: int) -> np.ndarray:
    """Zeros, or empty strings."""
    if enum == sig.STRING:
        return np.full(shape, b"", dtype=object)
    return np.zeros(shape, sig.numpy_type(enum))


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
    enter = _typed(b, enter_op, "entered", inputs[:1], b.case.attrs["T"])
    enter.attr["frame_name"].s = b"frame"
    b.op(["entered", *inputs[1:]])
    return ["op:0"]


@scenario("NextIteration")
def _next_iteration(b: Any, inputs: list[str]) -> list[str]:
    """x = 0; while x < 9: x += 1."""
    enum = b.case.attrs["T"]
    _typed(b, "ZerosLike", "zero", inputs[:1], enum)
    for name, value in (("limit", 9), ("one", 1)):
        b.constant(name, np.array(value, sig.numpy_type(enum)), enum)
    for name, source in (("x", "zero"), ("l", "limit"), ("o", "one")):
        enter = _typed(b, "Enter", f"enter_{name}", [source], enum)
        enter.attr["frame_name"].s = b"loop"
        enter.attr["is_constant"].b = name != "x"
    merge = _typed(b, "Merge", "merge", ["enter_x", "op"], enum)
    merge.attr["N"].i = 2
    _typed(b, "Less", "less", ["merge", "enter_l"], enum)
    b.node("LoopCond", "cond", ["less"])
    _typed(b, "Switch", "switch", ["merge", "cond"], enum)
    _typed(b, "Add", "add", ["switch:1", "enter_o"], enum)
    b.op(["add"])
    _typed(b, "Exit", "exit", ["switch:0"], enum)
    return ["exit:0"]


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


@scenario("StackPush", "StackPop", "StackClose")
def _stack(b: Any, inputs: list[str]) -> list[str]:
    """Push an element, pop it, close: the op is one of the three."""
    name = b.sig.name
    enum = b.case.attrs.get("T", b.case.attrs.get("elem_type", sig.FLOAT))
    stack = b.node("Stack", "stack", [])
    stack.attr["elem_type"].type = enum
    element = inputs[1] if name == "StackPush" else "element"
    if name != "StackPush":
        b.constant("element", _plain([2], enum), enum)
    if name == "StackPush":
        b.op(["stack", element])
        pushed = "^op"
    else:
        _typed(b, "StackPush", "push", ["stack", element], enum)
        pushed = "^push"
    if name == "StackPop":
        b.op(["stack", pushed])
        return ["op:0"]
    pop = b.node("StackPop", "pop", ["stack", pushed])
    pop.attr["elem_type"].type = enum
    if name == "StackClose":
        b.op(["stack", "^pop"])
    return ["pop:0", "op:0"] if name == "StackPush" else ["pop:0"]
