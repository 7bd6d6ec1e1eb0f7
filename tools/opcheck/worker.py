# SPDX-License-Identifier: Apache-2.0
"""Runs graphs on request, in a process of its own that may die of one: worker.py tensorwright|tensorflow

Started by processes.py.  It knows no op: a request brings a serialized GraphDef, which both libraries read, and
arrays.  stdout carries the answers (wire.py); what a library prints goes to stderr.

A request is a dict with "do": a function of `_REQUESTS` below; the rest are its arguments.
"""

from __future__ import annotations

import os
import re
import resource
import runpy
import sys
import threading
import time
import types
from typing import Any

import numpy as np
import wire

tf: Any = None
_GraphDef: Any = None
_prepared: Any = None
_gradient_seed = 20170711


def _load(library: str) -> None:
    global tf, _GraphDef
    if library == "tensorflow":
        os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
        import tensorflow.compat.v1 as tf1

        tf1.disable_eager_execution()
        tf1.logging.set_verbosity(tf1.logging.FATAL)
        tf, _GraphDef = tf1, tf1.GraphDef
        return
    import tensorwright as tw
    from tensorwright.core.framework import graph_pb2

    tf, _GraphDef = tw, graph_pb2.GraphDef


# Requests. ---------------------------------------------------------------------------------------------------


def ops() -> list[bytes]:
    """The library's registered ops: serialized OpDefs."""
    if hasattr(tf, "compat") and tf.__name__ != "tensorwright":
        from tensorflow.python.framework import op_def_registry
        from tensorflow.python.framework.kernels import get_all_registered_kernels

        names = {k.op for k in get_all_registered_kernels().kernel}
        found = (op_def_registry.get(n) for n in sorted(names))
        return [op.SerializeToString() for op in found if op is not None]
    from tensorwright.python import _pywrap

    return [op["op_def"] for op in _pywrap.op_registrations()]


def kernels(op: str) -> list[dict[str, list[int]]]:
    """The CPU kernels of an op: {type attr: dtypes it takes} each."""
    if tf.__name__ == "tensorwright":
        from tensorwright.python import _pywrap

        return [
            {
                name: [tf.as_dtype(t).as_datatype_enum for t in types]
                for name, types in k["constraints"].items()
            }
            for k in _pywrap.kernel_registrations(op)
            if k["device"] == "CPU" and not k["label"]
        ]
    from tensorflow.python.framework import kernels as registry

    return [
        {c.name: list(c.allowed_values.list.type) for c in k.constraint}
        for k in registry.get_registered_kernels_for_op(op).kernel
        if k.device_type in ("CPU", "DEFAULT") and not k.label
    ]


def run(graphs: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Runs graphs; one answer each.

    A graph is {"def", "feeds", "fetches", "sets", "xs", "threads"}: names of placeholders, names of tensors, for each
    run the arrays fed, names of what to differentiate by (or none), and intra-op threads (0: the default).
    The answer has "error" where the graph could not be built, else "static" (the inferred shapes) and "runs": each
    {"values"} or {"error"}, with "grads" ("none" where there is no path) or "grad_error".
    """
    return [_run_graph(g) for g in graphs]


def run_each(graphs: list[dict[str, Any]]) -> Any:
    """As `run`, with a message for each graph: a driver sees which one was the last."""
    return (_run_graph(g) for g in graphs)


def derivative(graph: dict[str, Any], step: float) -> dict[str, Any]:
    """Compares gradients with finite differences along random directions.

    For each x of graph["xs"], with y fetched and gy a random upstream gradient: sum(gy * dy/dx . u) both ways.
    Returns {"error"} or {"pairs": [(x, by gradient, numeric, scale), ...]}, x an index into "xs".
    """
    try:
        with tf.Graph().as_default(), _session(0) as session:
            return _derivative(session, graph, step)
    except Exception as error:
        return {"error": _describe(error)}


def seconds(graph: dict[str, Any], budget: float) -> dict[str, Any]:
    """The best time of a run of the graph's fetches, within about `budget` seconds."""
    try:
        with tf.Graph().as_default(), _session(0) as session:
            fetches, feeds = _import(graph)
            targets = [t.op for t in fetches]
            values = dict(zip(feeds, _arrays(graph["sets"][0], feeds)))
            best, start = float("inf"), time.perf_counter()
            while time.perf_counter() - start < budget:
                begin = time.perf_counter()
                session.run(targets, values)
                best = min(best, time.perf_counter() - begin)
            return {"seconds": best}
    except Exception as error:
        return {"error": _describe(error)}


def prepare(graph: dict[str, Any]) -> dict[str, Any]:
    """Makes a graph of constants ready for `sample`, in place of the last; {"bytes": of its results} or {"error"}."""
    global _prepared
    _prepared = None
    try:
        with tf.Graph().as_default():
            session = _session(0, as_is=True)
            fetches, _ = _import(graph)
            results = session.run(fetches)
            targets = [t.op for t in fetches]
            _prepared = lambda: session.run(targets)  # noqa: E731
            _prepared()
            return {"bytes": sum(np.asarray(r).nbytes for r in results)}
    except Exception as error:
        return {"error": _describe(error)}


def sample(budget: float) -> float:
    """Seconds that a run of what is prepared takes: the best within about `budget` seconds."""
    times: list[float] = []
    while sum(times) < budget:
        begin = time.perf_counter()
        _prepared()
        times.append(time.perf_counter() - begin)
    return min(times)


def bandwidth() -> float:
    """Bytes a second that two threads read and write in copying: the best of some tries."""
    source, target = np.ones((2, 1 << 23)), np.empty((2, 1 << 23))
    best = float("inf")
    for _ in range(5):
        half = threading.Thread(target=np.copyto, args=(target[0], source[0]))
        start = time.perf_counter()
        half.start()
        np.copyto(target[1], source[1])
        half.join()
        best = min(best, time.perf_counter() - start)
    return 2 * source.nbytes / best


def limit_memory(extra_bytes: int) -> bool:
    """From now on the process cannot map more than `extra_bytes` on top of what it has."""
    with open("/proc/self/statm") as f:
        used = int(f.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + extra_bytes, used + extra_bytes))
    return True


def load(file: str) -> bool:
    """Loads a library of ops, or runs a Python file."""
    if file.endswith(".py"):
        runpy.run_path(file)
    else:
        tf.load_op_library(file)
    return True


_REQUESTS = (
    ops,
    kernels,
    run,
    run_each,
    derivative,
    seconds,
    prepare,
    sample,
    bandwidth,
    limit_memory,
    load,
)


# How. --------------------------------------------------------------------------------------------------------


def _describe(error: Exception) -> tuple[str, str]:
    """(class, text).  A refused graph is an invalid argument, whichever exception says it."""
    name = type(error).__name__
    if isinstance(error, ValueError):
        name = "InvalidArgumentError"
    text = str(getattr(error, "message", None) or error)
    # TensorFlow puts where a node was made in front of what it says.
    text = re.sub(r"\A.*?^Node: '[^']*'\n", "", text, count=1, flags=re.S | re.M)
    text = text.removeprefix("Graph execution error:").strip()
    return name, text[:600]


def _session(threads: int, as_is: bool = False) -> Any:
    """A session; `as_is`: one that does not optimise our graphs either."""
    config = tf.ConfigProto(intra_op_parallelism_threads=threads)
    if as_is or tf.__name__ != "tensorwright":
        config.graph_options.optimizer_options.opt_level = -1
    if tf.__name__ != "tensorwright":
        # Kernels are compared, not Grappler.
        config.graph_options.rewrite_options.disable_meta_optimizer = True
    return tf.Session(config=config)


def _import(graph: dict[str, Any]) -> tuple[list[Any], list[Any]]:
    definition = _GraphDef.FromString(graph["def"])
    found = tf.import_graph_def(
        definition, name="", return_elements=graph["fetches"] + graph["feeds"]
    )
    n = len(graph["fetches"])
    return found[:n], found[n:]


def _arrays(data: list[wire.Array], tensors: list[Any]) -> list[np.ndarray]:
    return [
        wire.decode(d, t.dtype.base_dtype.as_numpy_dtype) for d, t in zip(data, tensors)
    ]


def _encode(value: Any, tensor: Any) -> wire.Array:
    return wire.encode(value, tensor.dtype.base_dtype.as_datatype_enum)


def _static_shape(tensor: Any) -> list[int | None] | None:
    shape = tensor.get_shape()
    return None if shape.ndims is None else shape.as_list()


def _run_graph(graph: dict[str, Any]) -> dict[str, Any]:
    try:
        with tf.Graph().as_default(), _session(graph.get("threads", 0)) as session:
            fetches, feeds = _import(graph)
            gradients = _Gradients(graph, fetches) if graph.get("xs") else None
            answer: dict[str, Any] = {"static": [_static_shape(t) for t in fetches]}
            answer["runs"] = [
                _run_once(
                    session, fetches, dict(zip(feeds, _arrays(s, feeds))), gradients
                )
                for s in graph["sets"]
            ]
            return answer
    except Exception as error:
        return {"error": _describe(error)}


def _run_once(session: Any, fetches: list[Any], feeds: dict[Any, Any], gradients: Any):
    try:
        values = session.run(fetches, feeds)
    except Exception as error:
        return {"error": _describe(error)}
    answer: dict[str, Any] = {
        "values": [_encode(v, t) for v, t in zip(values, fetches)]
    }
    if gradients is not None:
        answer.update(gradients.run(session, values, feeds))
    return answer


class _Gradients:
    """The gradients of the fetched floats by graph["xs"], with random upstream gradients."""

    def __init__(self, graph: dict[str, Any], fetches: list[Any]):
        self.error: tuple[str, str] | None = None
        self.ys = [i for i, t in enumerate(fetches) if _is_real(t)]
        self.gys: list[Any] = []
        self.xs = [
            tf.get_default_graph().get_tensor_by_name(name) for name in graph["xs"]
        ]
        try:
            self.gys = [tf.placeholder(fetches[i].dtype.base_dtype) for i in self.ys]
            ys = [fetches[i] for i in self.ys]
            self.dxs = tf.gradients(ys, self.xs, self.gys) if ys else []
        except Exception as error:
            self.error = _describe(error)

    def upstream(self, values: list[Any]) -> dict[Any, Any]:
        rng = np.random.RandomState(_gradient_seed)
        out = {}
        for i, gy in zip(self.ys, self.gys):
            y = np.asarray(values[i])
            value = rng.normal(size=y.shape)
            if y.dtype.kind == "c":
                value = value + 1j * rng.normal(size=y.shape)
            # What is not a number stays out of the comparison.
            value = np.where(np.isfinite(y.astype(value.dtype)), value, 0)
            out[gy] = value.astype(y.dtype)
        return out

    def run(self, session: Any, values: list[Any], feeds: dict[Any, Any]):
        if self.error is not None:
            return {"grad_error": self.error}
        feeds = {**feeds, **self.upstream(values)}
        wanted = [d for d in self.dxs if d is not None]
        try:
            found = iter(session.run(wanted, feeds) if wanted else [])
            return {
                "grads": [
                    None if d is None else _encode(_dense(next(found), x, feeds), x)
                    for d, x in zip(self.dxs, self.xs)
                ]
            }
        except Exception as error:
            return {"grad_error": _describe(error)}


def _is_real(tensor: Any) -> bool:
    dtype = tensor.dtype
    return not getattr(dtype, "_is_ref_dtype", False) and (
        dtype.is_floating or dtype.is_complex
    )


def _dense(grad: Any, x: Any, feeds: dict[Any, Any]) -> np.ndarray:
    """An array also for the slices that a gather's gradient is made of."""
    if not hasattr(grad, "indices"):
        return np.asarray(grad)
    values = np.asarray(grad.values)
    shape = grad.dense_shape
    if shape is None:
        shape = np.shape(feeds[x]) if x in feeds else x.get_shape().as_list()
    dense = np.zeros(tuple(shape), dtype=values.dtype)
    np.add.at(dense, grad.indices, values)
    return dense


def _derivative(session: Any, graph: dict[str, Any], step: float) -> dict[str, Any]:
    fetches, feeds = _import(graph)
    gradients = _Gradients(graph, fetches)
    if gradients.error is not None:
        return {"error": gradients.error}
    feed = dict(zip(feeds, _arrays(graph["sets"][0], feeds)))
    values = session.run(fetches, feed)
    upstream = gradients.upstream(values)
    answer = gradients.run(session, values, feed)
    if "grad_error" in answer:
        return {"error": answer["grad_error"]}

    def weighted(x: Any, array: np.ndarray) -> tuple[float, float]:
        got = session.run(fetches, {**feed, x: array})
        total = scale = 0.0
        for i, gy in zip(gradients.ys, gradients.gys):
            y = np.asarray(got[i])
            wide = np.complex128 if y.dtype.kind == "c" else np.float64
            y, g = y.astype(wide), upstream[gy].astype(wide)
            if y.shape != g.shape:
                raise ValueError("the output's shape depends on a float's value")
            terms = np.where(g == 0, 0, (y * np.conj(g)).real)
            total += float(terms.sum())
            scale += float(np.abs(terms).sum())
        return total, scale

    rng = np.random.RandomState(_gradient_seed + 1)
    pairs = []
    for index, (x, grad) in enumerate(zip(gradients.xs, answer["grads"])):
        value = feed[x]
        direction = rng.normal(size=value.shape)
        if value.dtype.kind == "c":
            direction = direction + 1j * rng.normal(size=value.shape)
        above = (value + step * direction).astype(value.dtype)
        below = (value - step * direction).astype(value.dtype)
        numeric = (weighted(x, above)[0] - weighted(x, below)[0]) / (2 * step)
        analytic, scale = 0.0, weighted(x, value)[1]
        if grad is not None:
            dense = wire.decode(grad, value.dtype)
            terms = np.conj(dense) * direction
            analytic = float(terms.real.sum())
            scale = max(scale, float(np.abs(terms).sum()))
        pairs.append((index, analytic, numeric, scale, grad is None))
    return {"pairs": pairs}


def main() -> None:
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    answers = os.fdopen(os.dup(1), "wb")
    requests = os.fdopen(os.dup(0), "rb")
    os.dup2(2, 1)
    _load(sys.argv[1])
    np.seterr(all="ignore")
    table = {f.__name__: f for f in _REQUESTS}
    while True:
        try:
            request = wire.receive(requests)
        except EOFError:
            return
        answer = table[request.pop("do")](**request)
        for message in answer if isinstance(answer, types.GeneratorType) else (answer,):
            wire.send(answers, message)


if __name__ == "__main__":
    main()
