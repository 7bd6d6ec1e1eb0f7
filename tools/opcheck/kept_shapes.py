# SPDX-License-Identifier: Apache-2.0
"""Remembers, in kept_shapes.txt, the results of shape functions of ops that are seldom or never called here.

A reader, a dataset, an iterator or a list cannot be drawn, fed or fetched, and an op that takes a function needs one:
opcheck sees few results of such ops that it could compare a promise with.  But it can ask a shape function alone: the
op is added to a graph after placeholders, with shapes that fit and shapes that do not, and nothing runs.  A line is

    OP  DRAW=OUTCOME...

where an outcome is "!" for a refusal, or the outputs' shapes, as in "s,2x?,?": a scalar, a matrix of two rows, anything.
`tw check-op --keep OP...` writes an op's line anew; read the line before you believe it.
"""

from __future__ import annotations

import pathlib
import zlib
from typing import Any

import numpy as np

from tensorwright.tools.opcheck import allowed, graphs, scenarios, signature as sig
from tensorwright.tools.opcheck.outcome import Result
from tensorwright.tools.opcheck.processes import Died, Worker
from tensorwright.tools.opcheck.signature import Arg, Signature

FILE = pathlib.Path(__file__).resolve().with_name("kept_shapes.txt")

REFUSED, NOTHING = "!", "-"
# Draws that are looked at for a line; of them it has the first of each outcome, and so many of one.
_DRAWS, _EACH, _MOST = 300, 2, 10
# Dtypes that only other ops make, and the ways to name such a value: a scalar, or a reference to two strings.
_HANDLES = (sig.RESOURCE, sig.VARIANT)
_FUNCTION = "function"


def read(file: pathlib.Path = FILE) -> dict[str, dict[int, str]]:
    """Op -> draw -> outcome; none where there is no file: a wheel has none."""
    found: dict[str, dict[int, str]] = {}
    if not file.exists():
        return found
    for line in file.read_text().splitlines():
        if line and not line.startswith("#"):
            op, *words = line.split()
            pairs = (word.split("=", 1) for word in words)
            found[op] = {int(number): outcome for number, outcome in pairs}
    return found


def write(lines: dict[str, dict[int, str]], file: pathlib.Path = FILE) -> None:
    head = [line for line in file.read_text().splitlines() if line.startswith("#")]
    body = [
        f"{op:40} {' '.join(f'{n}={o}' for n, o in sorted(lines[op].items()))}"
        for op in sorted(lines)
        if lines[op]
    ]
    file.write_text("\n".join([*head, *body]) + "\n")


def wanted(signature: Signature) -> bool:
    """Is little known of the op's shape function otherwise?"""
    if not signature.has_shape_fn:
        return False
    if allowed.find(signature.name, allowed.VALID) or scenarios.find(signature.name):
        return True
    return any(_is_handle(arg) for arg in (*signature.inputs, *signature.outputs))


def check(result: Result, kept: dict[int, str], worker: Worker) -> None:
    """Finds outcomes that the op's shape function does not give any more."""
    for number, outcome in kept.items():
        try:
            now = _outcome(worker, result.signature, number)
        except Died as death:
            result.find("shape", f"the shape function ended the process: {death.how}")
            return
        result.kept += 1
        if now != outcome:
            words = (
                f"the shape function said {outcome} of draw {number}, and says {now}"
            )
            result.find("kept", f"{words}{_AGAIN}")


_AGAIN = " (`tw check-op --keep` writes the line anew, if that is right)"


def learn(signature: Signature, worker: Worker) -> dict[int, str]:
    """An op's line."""
    line: dict[int, str] = {}
    if not wanted(signature):
        return line
    for number in range(_DRAWS):
        try:
            outcome = _outcome(worker, signature, number)
        except Died:
            continue
        if sum(o == outcome for o in line.values()) < _EACH:
            line[number] = outcome
        if len(line) == _MOST:
            break
    return line


def _outcome(worker: Worker, signature: Signature, number: int) -> str:
    (answer,) = worker.ask("run", graphs=[_Draw(signature, number).graph()])
    if "error" in answer:
        return REFUSED
    shapes = answer["static"] if signature.outputs else []
    return ",".join(map(_words, shapes)) or NOTHING


def _words(shape: list[int | None] | None) -> str:
    if shape is None:
        return "?"
    return "x".join("?" if s is None else str(s) for s in shape) or "s"


def _is_handle(arg: Arg) -> bool:
    """Is it made and used by ops alone?  The first generation's handles are references to strings."""
    return arg.type in _HANDLES or (arg.is_ref and arg.type == sig.STRING)


class _Draw:
    """The graph of a call that may or may not be right: the same for the same number."""

    def __init__(self, signature: Signature, number: int):
        from tensorwright.core.framework import graph_pb2

        self._sig = signature
        self._rng = np.random.RandomState(
            zlib.crc32(f"{signature.name} {number}".encode())
        )
        # Every other call is plain, so that some are accepted.
        self._plain = number % 2 == 0
        self._most_rank = number // 2 % 3
        self._sizes = [2, 5]
        # Lists that belong together are as long as each other.
        self._length = self._rng.randint(1, 4)
        self._definition = graph_pb2.GraphDef()
        ended = signature.op_def.deprecation.version
        self._definition.versions.producer = min(24, ended - 1) if ended else 24

    def graph(self) -> dict[str, Any]:
        attrs = {name: self._attr(name) for name in self._sig.attrs}
        inputs = []
        for arg in self._sig.inputs:
            for enum in self._dtypes(arg, attrs):
                inputs.append(self._input(f"in{len(inputs)}", arg, enum))
        node = self._definition.node.add(op=self._sig.name, name="op")
        node.input.extend(inputs)
        for name, value in attrs.items():
            graphs.set_attr(node.attr[name], self._sig.attrs[name].type, value)
        count = sum(len(self._dtypes(arg, attrs)) for arg in self._sig.outputs)
        fetches = [f"op:{i}" for i in range(count)]
        if not fetches:
            self._constant("done", np.int32(0), sig.INT32, ["^op"])
            fetches = ["done:0"]
        self._add_function()
        return {
            "def": self._definition.SerializeToString(),
            "feeds": [],
            "fetches": fetches,
            "sets": [],
        }

    # Attrs. --------------------------------------------------------------------------------------------------

    def _attr(self, name: str) -> Any:
        attr = self._sig.attrs[name]
        kind = attr.type
        if kind == "func":
            return _FUNCTION
        if kind.startswith("list("):
            item = kind[5:-1]
            return [self._item(item, attr) for _ in range(self._length)]
        other = kind in ("type", "shape") and not self._plain and self._rng.randint(2)
        if attr.HasField("default_value") and not other:
            return _default(attr)
        return self._item(kind, attr)

    def _item(self, kind: str, attr: Any) -> Any:
        if kind == "type":
            types = list(attr.allowed_values.list.type) or [sig.FLOAT, sig.INT64]
            return types[0] if self._plain else types[self._rng.randint(len(types))]
        if kind == "shape":
            return self._shape()
        if kind == "int":
            return max(self._length, attr.minimum if attr.has_minimum else 0)
        if kind == "string":
            allowed_values = attr.allowed_values.list.s
            return allowed_values[0] if allowed_values else b"s"
        plain = {"float": 0.5, "bool": False, "func": _FUNCTION}
        if kind == "tensor":
            return np.zeros([2], np.float32)
        return plain[kind]

    def _dtypes(self, arg: Arg, attrs: dict[str, Any]) -> list[int]:
        """Returns the dtypes of an argument's tensors."""
        if arg.type_list_attr:
            return list(attrs[arg.type_list_attr])
        enum = attrs[arg.type_attr] if arg.type_attr else arg.type
        return [enum] * (attrs[arg.number_attr] if arg.number_attr else 1)

    # Inputs. -------------------------------------------------------------------------------------------------

    def _shape(self) -> list[int] | None:
        """Sizes of which no two are equal; None is any shape."""
        choice = self._rng.randint(12)
        if choice == 0:
            return None
        rank = 0 if choice < 5 else 1 if choice < 8 else 2 if choice < 11 else 3
        return list(map(int, self._rng.permutation(np.arange(2, 8))[:rank]))

    def _plain_shape(self) -> list[int]:
        """A scalar, or for some draws one of few sizes, that may fit each other."""
        return self._sizes[: self._rng.randint(self._most_rank + 1)]

    def _input(self, name: str, arg: Arg, enum: int) -> str:
        shape = self._plain_shape() if self._plain else self._shape()
        if enum in _HANDLES and (self._plain or self._rng.randint(3)):
            shape = []
        if arg.is_ref:
            if enum == sig.STRING and (self._plain or self._rng.randint(3)):
                shape = [2]
            node = self._definition.node.add(op="VariableV2", name=name)
        elif self._rng.randint(2) and shape is not None and enum in sig.INTEGERS:
            value = self._rng.randint(1, 4, shape)
            self._constant(name, value.astype(sig.numpy_type(enum)), enum)
            return name
        else:
            node = self._definition.node.add(op="Placeholder", name=name)
        node.attr["dtype"].type = enum
        graphs.set_attr(node.attr["shape"], "shape", shape)
        return name

    def _constant(
        self, name: str, value: Any, enum: int, inputs: list[str] | None = None
    ) -> None:
        node = self._definition.node.add(op="Const", name=name, input=inputs or [])
        node.attr["dtype"].type = enum
        node.attr["value"].tensor.CopyFrom(graphs.tensor_proto(value, enum))

    def _add_function(self) -> None:
        """One of nothing that gives nothing: shape functions do not look into it."""
        function = self._definition.library.function.add()
        function.signature.name = _FUNCTION


def _default(attr: Any) -> Any:
    """An attr's default as graphs.set_attr takes it."""
    value, kind = attr.default_value, attr.type
    if kind == "shape":
        if value.shape.unknown_rank:
            return None
        return [d.size for d in value.shape.dim]
    field = {
        "int": "i", "float": "f", "bool": "b", "type": "type", "string": "s", "tensor": "tensor",
    }[kind]  # fmt: skip
    return getattr(value, field)
