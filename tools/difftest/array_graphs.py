# SPDX-License-Identifier: Apache-2.0
"""Graphs with a TensorArray whose gradient is compared: elements are written before the op, or read after it.

TensorFlow differentiates arrays of the first two generations with ops of the third, which do not take their handles: it
gets the same graph of the third.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tensorwright.tools.opcheck import graphs, signature as sig, wire

_SIZE, _ROW = 4, 3
_WRITTEN = ("Read", "Gather", "Concat", "Pack")
_READ = ("Write", "Scatter", "Split", "Unpack")
# The third generation has these instead.
_LATER = {"Pack": "Gather", "Unpack": "Scatter"}


def graphs_of(op: str, seed: int) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """Our graph and TensorFlow's, where the op writes or reads an array; else nothing."""
    version = op[-2:] if op[-2:] in ("V2", "V3") else ""
    does = op.removeprefix("TensorArray").removesuffix(version)
    if not op.startswith("TensorArray") or does not in _WRITTEN + _READ:
        return []
    mine = _ArrayGraph(op, does, version, seed).graph()
    later = _LATER.get(does, does)
    return [(mine, _ArrayGraph(op, later, "V3", seed).graph())]


class _ArrayGraph:
    """An array of _SIZE elements that are rows of a placeholder, and the op that writes or reads them."""

    def __init__(self, op: str, does: str, version: str, seed: int):
        from tensorwright.core.framework import graph_pb2

        self.op, self.does, self.version = op, does, version
        self.rng = np.random.RandomState(seed % (1 << 32))
        self.enum = (sig.FLOAT, sig.DOUBLE)[self.rng.randint(2)]
        self.definition = graph_pb2.GraphDef()
        ended = sig.Signature(op).op_def.deprecation.version
        self.definition.versions.producer = min(24, ended - 1) if ended else 24
        self.feeds: dict[str, wire.Array] = {}

    def graph(self) -> dict[str, Any]:
        self._constant("size", np.int32(_SIZE), sig.INT32)
        self._constant("start", np.float32(0), sig.FLOAT)
        self._node(
            f"TensorArray{self.version}",
            "array",
            ["size"],
            dtype=self.enum,
            clear_after_read=False,
        )
        flow = self._write() if self.does in _READ else self._elements()
        fetches = self._read(flow)
        return {
            "def": self.definition.SerializeToString(),
            "feeds": list(self.feeds),
            "fetches": fetches,
            "sets": [list(self.feeds.values())],
            "xs": list(self.feeds),
            "threads": 0,
        }

    def _elements(self) -> str:
        """Writes the elements one by one; the flow."""
        flow = "start"
        for i in range(_SIZE):
            rows = self.rng.randint(1, 4) if self.does == "Concat" else 2
            self._constant(f"place{i}", np.int32(i), sig.INT32)
            value = self._fed(f"element{i}", [rows, _ROW])
            inputs = ["array", f"place{i}", value, flow]
            flow = f"write{i}"
            self._node(f"TensorArrayWrite{self.version}", flow, inputs, T=self.enum)
        return flow

    def _write(self) -> str:
        """The op writes; the flow."""
        order = self.rng.permutation(_SIZE).astype(np.int32)
        if self.does == "Write":
            flow = "start"
            for i, place in enumerate(order):
                self._constant(f"place{i}", place, sig.INT32)
                value = self._fed(f"element{i}", [_ROW])
                inputs = ["array", f"place{i}", value, flow]
                flow = f"op{i}"
                self._node(f"TensorArrayWrite{self.version}", flow, inputs, T=self.enum)
            return flow
        inputs = {"Unpack": ["value"], "Scatter": ["indices", "value"]}
        if self.does == "Split":
            lengths = self.rng.randint(0, 4, _SIZE).astype(np.int64)
            self._constant("lengths", lengths, sig.INT64)
            self._fed("value", [int(lengths.sum()), _ROW])
        else:
            # Unpack writes in order, and so does its stand-in.
            self._constant("indices", self._indices(order), sig.INT32)
            self._fed("value", [_SIZE, _ROW])
        own = inputs.get(self.does, ["value", "lengths"])
        name = f"TensorArray{self.does}{self.version}"
        self._node(name, "op", ["array", *own, "start"], T=self.enum)
        return "op"

    def _read(self, flow: str) -> list[str]:
        """Reads the written elements: by the op, or one by one after it."""
        after = ["array", flow]
        if self.does == "Concat" or self.does == "Split":
            name = f"TensorArrayConcat{self.version}"
            self._node(name, "all", after, dtype=self.enum)
            return ["all:0"]
        if self.does in ("Gather", "Pack"):
            order = self.rng.randint(0, _SIZE, 5).astype(np.int32)
            self._constant("order", self._indices(order), sig.INT32)
            own = ["order"] if self.does == "Gather" else []
            name = f"TensorArray{self.does}{self.version}"
            self._node(name, "all", ["array", *own, flow], dtype=self.enum)
            return ["all:0"]
        fetches = []
        for i in range(_SIZE):
            self._constant(f"at{i}", np.int32(i), sig.INT32)
            inputs = ["array", f"at{i}", flow]
            name = f"TensorArrayRead{self.version}"
            self._node(name, f"read{i}", inputs, dtype=self.enum)
            fetches.append(f"read{i}:0")
        return fetches

    def _indices(self, order: np.ndarray) -> np.ndarray:
        """Returns the drawn indices, or all in turn if the op, or the op that it stands for, takes no indices."""
        in_turn = "Pack" in self.op or "Unpack" in self.op
        return np.arange(_SIZE, dtype=np.int32) if in_turn else order

    def _fed(self, name: str, shape: list[int]) -> str:
        node = self._node("Placeholder", name, [], dtype=self.enum)
        graphs.set_attr(node.attr["shape"], "shape", shape)
        value = self.rng.normal(size=shape).astype(sig.numpy_type(self.enum))
        self.feeds[f"{name}:0"] = wire.encode(value, self.enum)
        return name

    def _constant(self, name: str, value: Any, enum: int) -> None:
        node = self._node("Const", name, [], dtype=enum)
        node.attr["value"].tensor.CopyFrom(graphs.tensor_proto(value, enum))

    def _node(self, op: str, name: str, inputs: list[str], **attrs: Any) -> Any:
        node = self.definition.node.add(op=op, name=name)
        node.input.extend(inputs)
        for key, value in attrs.items():
            kind = "bool" if isinstance(value, bool) else "type"
            graphs.set_attr(node.attr[key], kind, value)
        return node
