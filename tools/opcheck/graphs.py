# SPDX-License-Identifier: Apache-2.0
"""A Case as a GraphDef that this library and TensorFlow both read, with its feeds and fetches.

Inputs are placeholders, of shapes known in full, in part or not at all; references are variables that are assigned
first.  The op's node is "op".  The graph's dict is what worker.py runs.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tensorwright.tools.opcheck import handles, scenarios, signature as sig, wire
from tensorwright.tools.opcheck.draws import Case
from tensorwright.tools.opcheck.node_values import (  # noqa: F401
    set_attr,
    set_tensor,
    tensor_proto,
)
from tensorwright.tools.opcheck.signature import Signature

# How much a shape function gets to know when the node is added.
KNOWN, PARTIAL, UNKNOWN = "known", "partial", "unknown"
# Nothing is fed: every input is a constant.
CONSTANT = "constant"
_MAX_CONSTANT = 32


def build(
    signature: Signature,
    cases: list[Case],
    knowledge: str = UNKNOWN,
    gradients: bool = False,
    threads: int = 0,
    without_attrs: frozenset[str] = frozenset(),
) -> dict[str, Any]:
    """The graph of calls that share attrs (and with KNOWN, shapes), each a run.

    KNOWN gives small integer inputs as constants too, CONSTANT all inputs.  `without_attrs` are attrs that the reader does not have.
    """
    return _Builder(signature, cases, knowledge, without_attrs).graph(
        gradients, threads
    )


def derivative(
    signature: Signature, case: Case, knowledge: str = UNKNOWN
) -> dict[str, Any]:
    """The graph of a call for the worker's "derivative" and "gradients": its fetches are the op's own outputs.

    graph["by"] has, for each number that the op's outputs depend on: what to differentiate by, what to feed to change
    it (for a variable, the value assigned), the name of the op's input, and the dtype.
    """
    program = scenarios.program(signature.name)
    if program is not None:
        return _program(signature, case, program)
    builder = _Builder(signature, [case], knowledge, frozenset())
    graph = builder.graph(True, 0)
    graph["by"] = builder.numbers()
    graph["fetches"] = [f for f in graph["fetches"] if not f.startswith("after_")]
    return graph


def _program(signature: Signature, case: Case, program: str) -> dict[str, Any]:
    """The graph that one of programs.py makes of the call's inputs."""
    flat = case.flat()
    numbers = (*sig.FLOATS, *sig.COMPLEXES)
    return {
        "program": program,
        "op": signature.name,
        "sets": [[wire.encode(*item) for item in flat]],
        "fetches": [],
        "by": [
            (f"in{i}:0", f"in{i}:0", signature.inputs[i].name, enum)
            for i, (_, enum) in enumerate(flat)
            if enum in numbers
        ],
    }


def sequence(base: Case, calls: list[Case]) -> dict[str, Any]:
    """The graph of calls that share the resource of `base`, for the worker's "sequence": a list of fetches for each."""
    builder = _Builder(Signature(base.op), [base], CONSTANT, frozenset())
    steps: list[list[str]] = []
    for k, call in enumerate(calls):
        builder.call(call, f"s{k}", [])
        signature = Signature(call.op)
        fetches = _outputs(signature, call.attrs, f"s{k}")
        if not fetches:
            builder.constant(f"done{k}", np.int32(0), sig.INT32, [f"^s{k}"])
            fetches = [f"done{k}:0"]
        steps.append(fetches)
    return {
        "def": builder.definition.SerializeToString(),
        "feeds": [],
        "fetches": [fetch for step in steps for fetch in step],
        "sizes": [len(step) for step in steps],
    }


class _Builder:
    def __init__(
        self,
        signature: Signature,
        cases: list[Case],
        knowledge: str,
        without_attrs: frozenset[str],
    ):
        from tensorwright.core.framework import graph_pb2

        self.sig, self.cases, self.knowledge = signature, cases, knowledge
        self.case = cases[0]
        self.without = without_attrs
        self.definition = graph_pb2.GraphDef()
        # As old as the op needs where later graphs may not have it.
        ended = signature.op_def.deprecation.version
        self.definition.versions.producer = min(24, ended - 1) if ended else 24
        self.feeds: list[str] = []
        self.fed: list[int] = []  # Indices into Case.flat().
        self.added: list[wire.Array] = []  # Fed after these.
        self.by: list[tuple[str, str, str, int]] = []  # See `derivative`.
        self.arguments = _arguments(signature, self.case)

    def graph(self, gradients: bool, threads: int) -> dict[str, Any]:
        inputs, controls, variables = [], [], []
        scenario = scenarios.find(self.sig.name)
        flat = self.case.flat()
        variable_of = self._variables()
        handle_of = self._handles()
        if self.case.state is not None:
            for k, call in enumerate(self.case.state.before):
                self.call(call, f"before{k}", controls)
                controls = [f"^before{k}"]
        for i, (array, enum) in enumerate(flat):
            if handle_of[i] is not None:
                inputs.append(self.handle(handle_of[i]))
            elif variable_of[i] is not None:
                variable_of[i](i, array, enum)
                variables.append((f"var{i}", enum))
                controls.append(f"^assign{i}")
                inputs.append(f"var{i}")
            else:
                inputs.append(self._input(f"in{i}", i, array, enum))
        if scenario is None:
            self.op(inputs + controls)
            fetches = _outputs(self.sig, self.case.attrs, "op")
        else:
            fetches = scenario(self, inputs + controls)
            gradients = gradients and scenarios.differentiable(self.sig.name)
        done = ["^op"] if scenario is None else [f"^{f.split(':')[0]}" for f in fetches]
        for name, enum in variables:
            # A variable that the op has destroyed cannot be read.
            if self.sig.name == "DestroyResourceOp":
                break
            resource = any(
                n.name == name and n.op == "VarHandleOp" for n in self.definition.node
            )
            op, attr = ("ReadVariableOp", "dtype") if resource else ("Identity", "T")
            after = self.node(op, f"after_{name}", [name, *done, *controls])
            after.attr[attr].type = enum
            fetches.append(f"after_{name}:0")
        if not fetches:
            self.constant("done", np.int32(0), sig.INT32, ["^op"])
            fetches = ["done:0"]
        sets = []
        for c in self.cases:
            values = c.flat()
            sets.append([wire.encode(*values[i]) for i in self.fed] + self.added)
        return {
            "def": self.definition.SerializeToString(),
            "feeds": self.feeds,
            "fetches": fetches,
            "sets": sets,
            "xs": [x for x, feed, *_ in self.numbers() if x == feed]
            if gradients
            else [],
            "threads": threads,
        }

    def numbers(self) -> list[tuple[str, str, str, int]]:
        """Returns those of self.by on which the op depends."""
        nodes = {n.name: n for n in self.definition.node}
        reached, queue = set(), ["op"]
        while queue:
            name = queue.pop()
            if name in reached or name not in nodes:
                continue
            reached.add(name)
            data = (i for i in nodes[name].input if not i.startswith("^"))
            queue.extend(i.split(":")[0] for i in data)
        return [b for b in self.by if b[0].split(":")[0] in reached]

    @property
    def shapes_known(self) -> bool:
        return self.knowledge in (KNOWN, CONSTANT)

    def _variables(self) -> list[Any]:
        """Per tensor of Case.flat(): the function that makes its variable, or None."""
        out = []
        for arg, value in zip(self.sig.inputs, self.case.inputs):
            make = self._variable if arg.is_ref else None
            if arg.type == sig.RESOURCE:
                make = self._resource_variable
            out += [make] * (len(value) if isinstance(value, list) else 1)
        return out

    def _handles(self) -> list[int | None]:
        """Per tensor of Case.flat(): the number of the resource that the case's state has for it, or None."""
        out: list[int | None] = []
        for arg, value in zip(self.sig.inputs, self.case.inputs):
            for _ in value if isinstance(value, list) else [value]:
                taken = self.case.state is not None and arg.type == sig.RESOURCE
                number = sum(k is not None for k in out)
                out.append(number if taken else None)
        return out

    def handle(self, number: int) -> str:
        """The node that makes a resource of the case's state; the calls before have the first ones, too."""
        name = f"state{number}"
        if all(n.name != name for n in self.definition.node):
            assert self.case.state is not None
            made = self.call(self.case.state.maker, name, [])
            if "shared_name" in made.attr:
                made.attr["shared_name"].s = name.encode()
        return name

    def call(self, case: Case, name: str, controls: list[str]) -> Any:
        """Adds a call of another op: its inputs are constants, and its resources those of the case's state."""
        signature = Signature(case.op)
        inputs: list[str] = []
        resources = 0
        for i, (arg, value) in enumerate(zip(signature.inputs, case.inputs)):
            types = case.types[i] if isinstance(value, list) else [case.types[i]]
            items = value if isinstance(value, list) else [value]
            for k, (array, enum) in enumerate(zip(items, types)):
                if arg.type == sig.RESOURCE:
                    inputs.append(self.handle(resources))
                    resources += 1
                else:
                    self.constant(f"{name}_in{i}_{k}", array, enum)
                    inputs.append(f"{name}_in{i}_{k}")
        node = self.node(case.op, name, [*inputs, *controls])
        for attr, value in case.attrs.items():
            kind = signature.attrs[attr].type
            if value is not None or kind == "shape":
                set_attr(node.attr[attr], kind, value)
        return node

    def node(self, op: str, name: str, inputs: list[str]) -> Any:
        node = self.definition.node.add(op=op, name=name)
        node.input.extend(inputs)
        return node

    def op(self, inputs: list[str]) -> None:
        """Adds the op itself, as the first case has it."""
        node = self.node(self.sig.name, "op", inputs)
        for name, value in self.case.attrs.items():
            if name not in self.without:
                set_attr(node.attr[name], self.sig.attrs[name].type, value)

    def constant(
        self, name: str, array: Any, enum: int, inputs: list[str] | None = None
    ) -> None:
        node = self.node("Const", name, inputs or [])
        node.attr["dtype"].type = enum
        set_tensor(node.attr["value"].tensor, array, enum)

    def _input(self, name: str, index: int, array: np.ndarray, enum: int) -> str:
        constant = (
            self.knowledge == KNOWN
            and enum in (sig.INT32, sig.INT64)
            and array.size <= _MAX_CONSTANT
            and len(self.cases) == 1
        )
        if constant or self.knowledge == CONSTANT:
            self.constant(name, array, enum)
            return name
        self._placeholder(name, index, array, enum)
        self.fed.append(index)
        if name.startswith("in"):
            self._number(f"{name}:0", f"{name}:0", self.arguments[index], enum)
        return name

    def feed(self, name: str, array: np.ndarray, enum: int, argument: str) -> None:
        """Adds a placeholder that is fed with something else than an input; `argument` names what it stands for."""
        if self.knowledge == CONSTANT:
            self.constant(name, array, enum)
            return
        self._placeholder(name, 0, array, enum)
        self.added.append(wire.encode(array, enum))
        self._number(f"{name}:0", f"{name}:0", argument, enum)

    def _placeholder(self, name: str, index: int, array: np.ndarray, enum: int) -> None:
        node = self.node("Placeholder", name, [])
        node.attr["dtype"].type = enum
        shape = node.attr["shape"].shape
        shape.SetInParent()
        if self.knowledge == UNKNOWN:
            shape.unknown_rank = True
        for i, size in enumerate(array.shape if self.knowledge != UNKNOWN else ()):
            known = self.knowledge == KNOWN or (index + i + self.cases[0].seed) % 2
            shape.dim.add(size=size if known else -1)
        self.feeds.append(f"{name}:0")

    def _number(self, x: str, feed: str, argument: str, enum: int) -> None:
        if enum in sig.FLOATS or enum in sig.COMPLEXES:
            self.by.append((x, feed, argument, enum))

    def _resource_variable(self, i: int, array: np.ndarray, enum: int) -> None:
        value = self._input(f"start{i}", i, array, enum)
        self._number(f"var{i}:0", f"start{i}:0", self.arguments[i], enum)
        handle = self.node("VarHandleOp", f"var{i}", [])
        handle.attr["dtype"].type = enum
        # Without a name TensorFlow takes them all for one.
        handle.attr["shared_name"].s = f"var{i}".encode()
        shape = list(array.shape) if self.shapes_known else None
        set_attr(handle.attr["shape"], "shape", shape)
        assign = self.node("AssignVariableOp", f"assign{i}", [f"var{i}", value])
        assign.attr["dtype"].type = enum

    def _variable(self, i: int, array: np.ndarray, enum: int) -> None:
        value = self._input(f"start{i}", i, array, enum)
        self._number(f"var{i}:0", f"start{i}:0", self.arguments[i], enum)
        var = self.node("VariableV2", f"var{i}", [])
        var.attr["dtype"].type = enum
        set_attr(
            var.attr["shape"],
            "shape",
            list(array.shape) if self.shapes_known else None,
        )
        assign = self.node("Assign", f"assign{i}", [f"var{i}", value])
        assign.attr["T"].type = enum
        assign.attr["validate_shape"].b = self.shapes_known


def _arguments(signature: Signature, case: Case) -> list[str]:
    """The input's name for each tensor of Case.flat()."""
    out = []
    for arg, value in zip(signature.inputs, case.inputs):
        out += [arg.name] * (len(value) if isinstance(value, list) else 1)
    return out


def _only_variants(signature: Signature) -> bool:
    return {output.type for output in signature.outputs} == {sig.VARIANT}


def _outputs(signature: Signature, attrs: dict[str, Any], node: str) -> list[str]:
    """The outputs of a node that can be fetched: no variant is, nor a handle that a library's op makes.

    The op runs for what is fetched after it.
    """
    if _only_variants(signature) or handles.is_maker(signature.name):
        return []
    return [f"{node}:{i}" for i in range(_num_outputs(signature, attrs))]


def _num_outputs(signature: Signature, attrs: dict[str, Any]) -> int:
    n = 0
    for arg in signature.outputs:
        if arg.number_attr:
            n += (
                max(int(attrs[arg.number_attr]), 0)
                if attrs[arg.number_attr] < 1000
                else 0
            )
        elif arg.type_list_attr:
            n += len(attrs[arg.type_list_attr])
        else:
            n += 1
    return n
