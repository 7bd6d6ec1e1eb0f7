# SPDX-License-Identifier: Apache-2.0
"""Runs graphs on request, in a process of its own that may die of one: worker.py tensorwright|tensorflow

Started by processes.py.  It knows no op: a request brings a serialized GraphDef, which both libraries read, and
arrays.  stdout carries the answers (wire.py); what a library prints goes to stderr.

A request is a dict with "do": a function of `_REQUESTS` below; the rest are its arguments.
"""

from __future__ import annotations

import ctypes
import gc
import os
import resource
import runpy
import sys
import threading
import time
import types
from typing import Any

import numpy as np
import wire
import worker_derivatives as derivatives
import worker_library as library
import worker_seal

_prepared: Any = None
# The number of parts of the runs in which memory is counted.
_PARTS = 5


# Requests. ---------------------------------------------------------------------------------------------------


def ops() -> list[bytes]:
    """The library's registered ops: serialized OpDefs."""
    if library.tf.__name__ != "tensorwright":
        from tensorflow.python.framework import op_def_registry
        from tensorflow.python.framework.kernels import get_all_registered_kernels

        names = {k.op for k in get_all_registered_kernels().kernel}
        found = (op_def_registry.get(n) for n in sorted(names))
        return [op.SerializeToString() for op in found if op is not None]
    from tensorwright.python import _pywrap

    return [op["op_def"] for op in _pywrap.op_registrations()]


def kernels(op: str) -> list[dict[str, list[int]]]:
    """The CPU kernels of an op: {type attr: dtypes it takes} each."""
    if library.tf.__name__ == "tensorwright":
        from tensorwright.python import _pywrap

        return [
            {
                name: [library.tf.as_dtype(t).as_datatype_enum for t in types]
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
    """Runs graphs; returns one answer for each.

    A graph is {"def", "feeds", "fetches", "sets", "xs", "threads"}: names of placeholders, names of tensors, for each
    run the arrays fed, names of what to differentiate by (or none), and intra-op threads (0: the default); with "repeats"
    true it runs under tf.Policy(deterministic=True); with "as_is" true no pass rewrites it; "seconds" ends what waits or asks whether it is wanted; with "shapes_only" true values come
    without contents.
    The answer has "error" where the graph could not be built, else "static" (the inferred shapes) and "runs": each
    {"values"} or {"error"}, with "grads" ("none" where there is no path) or "grad_error".
    """
    return [_run_graph(g) for g in graphs]


def run_each(graphs: list[dict[str, Any]]) -> Any:
    """As `run`, with a message for each graph: a driver sees which one was the last."""
    return (_run_graph(g) for g in graphs)


def derivative(graph: dict[str, Any]) -> dict[str, Any]:
    """Compares gradients with finite differences along random directions; see finite_differences.py.

    The graph is one of graphs.derivative.  With y fetched and gy a random upstream gradient, sum(gy * dy/dx . u) both
    ways, for each x of graph["by"].  Returns {"error"} or {"pairs": [(index into "by", fields of a Pair, problem)]},
    the problem being "none" for no gradient, or that it is of another shape or dtype than x.
    """
    try:
        with library.tf.Graph().as_default(), library.new_session(0) as session:
            return derivatives.derivative(session, graph)
    except Exception as error:
        return {"error": library.describe(error)}


def gradients(graph: dict[str, Any]) -> dict[str, Any]:
    """Computes the gradients of such a graph: {"error"} or {"problems": [(index into "by", words)]}."""
    try:
        with library.tf.Graph().as_default(), library.new_session(0) as session:
            point = derivatives.Point(session, graph)
            if point.error is not None:
                return {"error": point.error}
            problems = [
                (i, derivatives.problem(grad, point.feed[fed]))
                for i, (grad, fed) in enumerate(zip(point.grads, point.fed))
                if grad is not None
            ]
            return {"problems": [p for p in problems if p[1]]}
    except Exception as error:
        return {"error": library.describe(error)}


def seconds(graph: dict[str, Any], budget: float) -> dict[str, Any]:
    """The best time of a run of the graph's fetches, within about `budget` seconds."""
    try:
        with library.tf.Graph().as_default(), library.new_session(0) as session:
            fetches, feeds = library.import_graph(graph)
            targets = [t.op for t in fetches]
            values = dict(zip(feeds, library.arrays(graph["sets"][0], feeds)))
            best, start = float("inf"), time.perf_counter()
            while time.perf_counter() - start < budget:
                begin = time.perf_counter()
                session.run(targets, values)
                best = min(best, time.perf_counter() - begin)
            return {"seconds": best}
    except Exception as error:
        return {"error": library.describe(error)}


def prepare(graph: dict[str, Any]) -> dict[str, Any]:
    """Makes a graph of constants ready for `sample`, in place of the last; {"bytes": of its results} or {"error"}."""
    global _prepared
    _prepared = None
    try:
        with library.tf.Graph().as_default():
            session = library.new_session(0, as_is=True)
            fetches, _ = library.import_graph(graph)
            results = session.run(fetches)
            targets = [t.op for t in fetches]
            _prepared = lambda: session.run(targets)  # noqa: E731
            _prepared()
            return {"bytes": sum(np.asarray(r).nbytes for r in results)}
    except Exception as error:
        return {"error": library.describe(error)}


def sample(budget: float) -> float:
    """Measures the seconds that a run of the prepared graph takes: the best within about `budget` seconds."""
    times: list[float] = []
    while sum(times) < budget:
        begin = time.perf_counter()
        _prepared()
        times.append(time.perf_counter() - begin)
    return min(times)


def growth(graph: dict[str, Any], calls: int, anew: bool = False) -> dict[str, Any]:
    """Runs a graph so many times; {"parts": [(calls, bytes that the memory in use has grown by), ...]} or {"error"}.

    The C library counts the memory in use.  The runs before the first part fill the caches.  `anew`: each is in a
    session of its own, which takes its resources along.
    """
    try:
        with library.tf.Graph().as_default():
            with library.new_session(1, as_is=True) as session:
                fetches, feeds = library.import_graph(graph)
                targets = [t.op for t in fetches]
                values = dict(zip(feeds, library.arrays(graph["sets"][0], feeds)))
                parts, share = [], calls // _PARTS
                for part in range(_PARTS):
                    before = library.memory_in_use()
                    for _ in range(share):
                        if anew:
                            with library.new_session(1, as_is=True) as other:
                                other.run(targets, values)
                        else:
                            session.run(targets, values)
                    parts.append((share, library.memory_in_use() - before))
                return {"parts": parts[1:]}
    except Exception as error:
        return {"error": library.describe(error)}


def sequence(graph: dict[str, Any]) -> dict[str, Any]:
    """Runs the parts of a graph's fetches one after the other in a session; graph["sizes"] has their lengths.

    Returns {"error"} where it cannot be built, else {"static": shapes of each part, "runs": {"values"} or {"error"} of
    each}.
    """
    try:
        with library.tf.Graph().as_default():
            with library.new_session(1, as_is=True) as session:
                fetches, _ = library.import_graph(graph)
                answer: dict[str, Any] = {"static": [], "runs": []}
                for size in graph["sizes"]:
                    part, fetches = fetches[:size], fetches[size:]
                    shapes = [library.static_shape(t) for t in part]
                    answer["static"].append(shapes)
                    answer["runs"].append(_run_once(session, part, {}, None))
                return answer
    except Exception as error:
        return {"error": library.describe(error)}


def together(graph: dict[str, Any], calls: int) -> dict[str, Any]:
    """Runs a graph in two threads of one session, so many times in each; {"error"} or {}.

    Its first run is one by itself, which makes the kernels and their resources.
    """
    try:
        with library.tf.Graph().as_default():
            with library.new_session(graph["threads"], as_is=True) as session:
                fetches, feeds = library.import_graph(graph)
                targets = [t.op for t in fetches]
                values = dict(zip(feeds, library.arrays(graph["sets"][0], feeds)))
                session.run(targets, values)
                start = threading.Barrier(2)
                pair = [
                    threading.Thread(
                        target=_run_again, args=(start, session, targets, values, calls)
                    )
                    for _ in range(2)
                ]
                for thread in pair:
                    thread.start()
                for thread in pair:
                    thread.join()
                return {}
    except Exception as error:
        return {"error": library.describe(error)}


def sealed(graph: dict[str, Any], forbidden: list[str]) -> dict[str, Any]:
    """Runs a graph once by threads that may not make system calls of these kinds; {"error"} or {}.

    The process ends by SIGSYS at such a call.  Python has run the same graph before, so that it imports nothing then.
    """
    try:
        with library.tf.Graph().as_default() as made:
            fetches, feeds = library.import_graph(graph)
            values = dict(zip(feeds, library.arrays(graph["sets"][0], feeds)))

            def call() -> None:
                # The session's threads are made here, and are sealed like this one.
                with made.as_default(), library.new_session(2, True) as session:
                    session.run(fetches, values)

            worker_seal.run(call, forbidden)
            return {}
    except Exception as error:
        return {"error": library.describe(error)}


def leaks() -> bool:
    """Has LeakSanitizer report the memory that nobody can reach any more; False where it does not run."""
    check = getattr(ctypes.CDLL(None), "__lsan_do_recoverable_leak_check", None)
    if check is None:
        return False
    gc.collect()
    check()
    return True


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
    """Keeps the process from mapping more than `extra_bytes` on top of its present memory."""
    with open("/proc/self/statm") as f:
        used = int(f.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + extra_bytes, used + extra_bytes))
    return True


def load(file: str) -> bool:
    """Loads a library of ops, or runs a Python file."""
    if file.endswith(".py"):
        runpy.run_path(file)
    else:
        library.tf.load_op_library(file)
    return True


_REQUESTS = (
    ops,
    kernels,
    run,
    run_each,
    derivative,
    gradients,
    seconds,
    prepare,
    sample,
    growth,
    sequence,
    together,
    sealed,
    leaks,
    bandwidth,
    limit_memory,
    load,
)


# How. --------------------------------------------------------------------------------------------------------


def _run_graph(graph: dict[str, Any]) -> dict[str, Any]:
    try:
        with (
            library.tf.Graph().as_default(),
            library.new_session(
                graph.get("threads", 0),
                graph.get("as_is", False),
                graph.get("repeats", False),
            ) as session,
        ):
            fetches, feeds = library.import_graph(graph)
            gradients = None
            if graph.get("xs"):
                tensor = library.tf.get_default_graph().get_tensor_by_name
                gradients = derivatives.Gradients(
                    [tensor(x) for x in graph["xs"]], fetches
                )
            answer: dict[str, Any] = {
                "static": [library.static_shape(t) for t in fetches]
            }
            answer["runs"] = [
                _run_once(
                    session,
                    fetches,
                    dict(zip(feeds, library.arrays(s, feeds))),
                    gradients,
                    graph.get("seconds", 0),
                    graph.get("shapes_only", False),
                )
                for s in graph["sets"]
            ]
            return answer
    except Exception as error:
        return {"error": library.describe(error)}


def _run_again(
    start: threading.Barrier, session: Any, targets: Any, feeds: Any, calls: int
) -> None:
    start.wait()
    for _ in range(calls):
        try:
            session.run(targets, feeds)
        except library.tf.errors.OpError:
            pass  # The state that they share may not allow it.


def _run_once(
    session: Any,
    fetches: list[Any],
    feeds: dict[Any, Any],
    gradients: Any,
    seconds: float = 0,
    shapes_only: bool = False,
) -> dict[str, Any]:
    options = None
    if seconds:
        options = library.tf.RunOptions(timeout_in_ms=int(seconds * 1000))
    try:
        values = session.run(fetches, feeds, options=options)
    except Exception as error:
        return {"error": library.describe(error)}
    if shapes_only:
        return {
            "values": [
                (t.dtype.as_datatype_enum, np.shape(v), b"")
                for v, t in zip(values, fetches)
            ]
        }
    answer: dict[str, Any] = {
        "values": [library.encode(v, t) for v, t in zip(values, fetches)]
    }
    if gradients is not None:
        answer.update(gradients.run(session, values, feeds))
    return answer


def main() -> None:
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    answers = os.fdopen(os.dup(1), "wb")
    requests = os.fdopen(os.dup(0), "rb")
    os.dup2(2, 1)
    library.load(sys.argv[1])
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
