# SPDX-License-Identifier: Apache-2.0
"""Graphs that only Python can build, with their gradients: loops, branches, resource variables, functions of Python's.

A loop has gradients while Python knows that it is one, which a GraphDef does not say.  So a program is a function of
the library, tensorwright or TensorFlow, that both sides run.  This file is loaded by their workers
(tools/opcheck/worker.py), which then take {"program": name, "seed": n} for a graph: it imports neither library, and
nothing of this tree.

A program gets a Maker, draws its inputs with it, and returns the floats to fetch; these are differentiated by all floats
that were drawn, unless it takes some out of `xs`.
"""

from __future__ import annotations

import pathlib
import runpy
import sys
from collections.abc import Callable
from typing import Any

import numpy as np


class Maker:
    """Holds what a program builds with: the library `tf`, a session, `rng`, and placeholders for drawn values."""

    def __init__(self, library: Any, seed: int, session: Any):
        self.library, self.tf, self.session = library, library.tf, session
        self.rng = np.random.RandomState(seed)
        self.dtype = (np.float32, np.float64)[self.rng.randint(2)]
        self.feeds: dict[Any, np.ndarray] = {}
        self.xs: list[Any] = []

    def fed(self, value: Any) -> Any:
        value = np.asarray(value)
        # The shape is known or not: loops are built otherwise.
        shape = value.shape if self.rng.randint(2) else [None] * value.ndim
        x = self.tf.placeholder(value.dtype, shape)
        self.feeds[x] = value
        if value.dtype.kind == "f":
            self.xs.append(x)
        return x

    def floats(self, *shape: int) -> Any:
        return self.fed(self.rng.uniform(-1.5, 1.5, shape).astype(self.dtype))

    def count(self, low: int = 0, high: int = 4) -> Any:
        return self.fed(np.int32(self.rng.randint(low, high + 1)))


Program = Callable[[Maker], list[Any]]
_programs: dict[str, Program] = {}


def program(function: Program) -> Program:
    _programs[function.__name__] = function
    return function


@program
def power_loop(m: Maker) -> list[Any]:
    """while i < n: x = tanh(x * w + b), with w and b from outside."""
    n, x, w, b = m.count(), m.floats(2, 3), m.floats(2, 3), m.floats(3)
    loop = m.tf.while_loop(
        lambda i, x: i < n,
        lambda i, x: (i + 1, m.tf.tanh(x * w + b)),
        [m.tf.constant(0), x],
        shape_invariants=[m.tf.TensorShape([]), m.tf.TensorShape([None, None])],
        parallel_iterations=int(m.rng.choice([1, 10])),
    )
    return [loop[1]]


@program
def nested_loop(m: Maker) -> list[Any]:
    """Two loops, one in the other, that share constant values."""
    n, k = m.count(0, 3), m.count(0, 3)
    x, w = m.floats(3), m.floats(3)

    def outer(i: Any, x: Any) -> Any:
        inner = m.tf.while_loop(
            lambda j, y: j < k,
            lambda j, y: (j + 1, m.tf.sin(y) * w),
            [m.tf.constant(0), x],
            shape_invariants=[m.tf.TensorShape([]), m.tf.TensorShape([None])],
        )
        return i + 1, inner[1] + w

    return m.tf.while_loop(
        lambda i, x: i < n,
        outer,
        [m.tf.constant(0), x],
        shape_invariants=[m.tf.TensorShape([]), m.tf.TensorShape([None])],
    )[1:]


@program
def branch(m: Maker) -> list[Any]:
    """A cond of which one side uses x alone, the other y too."""
    x, y = m.floats(4), m.floats(4)
    chosen = m.tf.cond(
        m.fed(np.bool_(m.rng.randint(2))), lambda: x * y, lambda: m.tf.exp(x)
    )
    return [chosen * 2]


@program
def branch_in_loop(m: Maker) -> list[Any]:
    """A loop whose body is another one every second time."""
    n, x, w = m.count(0, 5), m.floats(2), m.floats(2)

    def body(i: Any, x: Any) -> Any:
        even = m.tf.equal(i % 2, 0)
        return i + 1, m.tf.cond(even, lambda: x * w, lambda: x + m.tf.square(w))

    return m.tf.while_loop(
        lambda i, x: i < n,
        body,
        [m.tf.constant(0), x],
        shape_invariants=[m.tf.TensorShape([]), m.tf.TensorShape([None])],
    )[1:]


@program
def array_in_loop(m: Maker) -> list[Any]:
    """A loop that reads one TensorArray and writes another."""
    n = m.rng.randint(1, 5)
    rows, w = m.floats(n, 2), m.floats(2)
    source = m.tf.TensorArray(m.dtype, size=n).unstack(rows)
    target = m.tf.TensorArray(m.dtype, size=n)

    def body(i: Any, state: Any, out: Any) -> Any:
        state = m.tf.tanh(state + source.read(i) * w)
        state.set_shape([2])
        return i + 1, state, out.write(n - 1 - i, state)

    _, state, target = m.tf.while_loop(
        lambda i, *_: i < n,
        body,
        [m.tf.constant(0), m.tf.zeros([2], m.dtype), target],
    )
    return [state, target.stack()]


@program
def python_function(m: Maker) -> list[Any]:
    """A function of Python's, with one output and with two."""
    stateful = m.rng.randint(2) == 1
    x, y = m.floats(2, 3), m.floats(3)
    one = m.tf.py_func(lambda x, y: x * y - 1, [x, y], x.dtype, stateful=stateful)
    two = m.tf.py_func(lambda x: (x + 1, x.sum()), [x], [x.dtype] * 2, stateful=False)
    m.xs.clear()
    return [one, *two, *m.tf.py_func(lambda y: [y], [y], [y.dtype])]


@program
def resource_variable(m: Maker) -> list[Any]:
    """A read of a resource variable, differentiated by its handle."""
    x = m.floats(3)
    nodes = (
        ("VarHandleOp", "handle", []),
        ("Placeholder", "start", []),
        ("AssignVariableOp", "assign", ["handle", "start"]),
        ("ReadVariableOp", "read", ["handle", "^assign"]),
    )
    definition = m.library._GraphDef()
    for op, name, inputs in nodes:
        node = definition.node.add(op=op, name=name)
        node.input.extend(inputs)
        node.attr["dtype"].type = x.dtype.as_datatype_enum
        if op == "VarHandleOp":
            node.attr["shape"].shape.dim.add(size=3)
    start = m.floats(3)
    m.xs.remove(start)
    handle, read = m.tf.import_graph_def(
        definition,
        name="",
        input_map={"start:0": start},
        return_elements=["handle:0", "read:0"],
    )
    m.xs.append(handle)
    return [m.tf.exp(read) * x]


@program
def resource_rows(m: Maker) -> list[Any]:
    """Rows and slices of a resource variable, differentiated by its handle."""
    x, start = m.floats(2, 3), m.floats(4, 3)
    m.xs.remove(start)
    definition = m.library._GraphDef()
    for op, name, inputs in (
        ("VarHandleOp", "handle", []),
        ("Placeholder", "start", []),
        ("Placeholder", "rows", []),
        ("Placeholder", "places", []),
        ("AssignVariableOp", "assign", ["handle", "start"]),
        ("ResourceGather", "gather", ["handle", "rows", "^assign"]),
        ("ResourceGatherNd", "gather_nd", ["handle", "places", "^assign"]),
    ):
        node = definition.node.add(op=op, name=name)
        node.input.extend(inputs)
        is_index = name in ("rows", "places")
        dtype = m.tf.int32 if is_index else x.dtype
        node.attr["dtype"].type = dtype.as_datatype_enum
        if op == "VarHandleOp":
            for size in (4, 3):
                node.attr["shape"].shape.dim.add(size=size)
        if op.startswith("Resource"):
            node.attr["Tindices"].type = m.tf.int32.as_datatype_enum
    handle, rows, slices = m.tf.import_graph_def(
        definition,
        name="",
        input_map={
            "start:0": start,
            "rows:0": m.tf.constant(m.rng.randint(0, 4, [2]), m.tf.int32),
            "places:0": m.tf.constant(m.rng.randint(0, 3, [3, 2]), m.tf.int32),
        },
        return_elements=["handle:0", "gather:0", "gather_nd:0"],
    )
    m.xs.append(handle)
    return [m.tf.exp(rows) * x, m.tf.exp(slices)]


@program
def session_tensor(m: Maker) -> list[Any]:
    """A tensor that an earlier run has left in the session: read, dropped, and then missing."""
    handle = m.session.run(m.tf.get_session_handle(m.floats(2, 3)), m.feeds).handle
    m.feeds.clear()
    m.xs.clear()
    holder, read = m.tf.get_session_tensor(handle, m.dtype)
    found = m.session.run(read, {holder: handle})
    its_holder, drop = m.tf.delete_session_tensor(handle)
    m.session.run(drop, {its_holder: handle})
    try:
        gone = len(m.session.run(read, {holder: handle})) < 0
    except m.tf.errors.InvalidArgumentError:
        gone = True
    return [m.tf.constant(found), m.tf.constant(m.dtype(gone))]


_DATA = runpy.run_path(str(pathlib.Path(__file__).with_name("programs_data.py")))
for _pipeline in _DATA["PROGRAMS"]:
    program(_pipeline)


def run(library: Any, request: dict[str, Any]) -> dict[str, Any]:
    """Answers like worker.run for a graph, with the program's ops under "ops"."""
    tf = library.tf
    try:
        with tf.Graph().as_default() as graph, library.new_session(0) as session:
            made = Maker(library, request["seed"], session)
            ys = _programs[request["program"]](made)
            answer: dict[str, Any] = {
                "ops": sorted({op.type for op in graph.get_operations()}),
                # Python's guess of an array's size is not compared.
                "static": [None] * len(ys),
            }
            values = session.run(ys, made.feeds)
            found = {"values": [library.encode(v, y) for v, y in zip(values, ys)]}
            answer["runs"] = [found]
            found.update(_gradients(library, session, made, ys, values))
            return answer
    except Exception as error:
        return {"error": library.describe(error)}


def _gradients(
    library: Any, session: Any, made: Maker, ys: list[Any], values: list[Any]
) -> dict[str, Any]:
    upstream = [made.rng.normal(size=v.shape).astype(v.dtype) for v in values]
    try:
        gys = [library.tf.constant(u) for u in upstream]
        dxs = library.tf.gradients(ys, made.xs, gys)
        # Rows become whole arrays.
        dxs = [None if d is None else library.tf.convert_to_tensor(d) for d in dxs]
        wanted = [d for d in dxs if d is not None]
        got = iter(session.run(wanted, made.feeds) if wanted else [])
        grads = [None if d is None else library.encode(next(got), d) for d in dxs]
        return {"grads": grads}
    except Exception as error:
        return {"grad_error": library.describe(error)}


def install(worker: Any) -> None:
    """Teaches a worker to run these programs."""
    plain, library = worker._run_graph, worker.library
    worker._run_graph = lambda graph: (
        run(library, graph) if graph.get("program") in _programs else plain(graph)
    )


if __name__ == "<run_path>":
    install(sys.modules["__main__"])
