# SPDX-License-Identifier: Apache-2.0
"""How costs grow with the size of a graph, here and in TensorFlow.

Usage: ./run benchmarks/scaling.py [--only SUBSTRING] [--parts 1000 4000 16000 64000] [--ours] [--limit SECONDS]

Each shape of graph is made of so many parts: 1, 4, 16 and 64 thousand.  Seconds of processor time, of all threads, are
those of building it, of building its gradients where it has some, of the first run, and of the fifth; each in a process
of its own.  The exponent is that of the last two sizes that took more than 20 ms: 1 is linear.  A size is left out
where the one before took longer than the limit.  The exit status is 1 if an exponent of ours is over 1.2.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

PHASES = ("build", "gradient", "first run", "later run")
# Shorter times, in seconds, tell more about the machine than about the graph.
_FLOOR = 0.02
_LARGEST_EXPONENT = 1.2

# (tf, parts) -> the fetches, the feeds, and (y, xs) to differentiate or None.
Shape = Callable[[Any, int], tuple[Any, dict[Any, Any], Any]]
SHAPES: dict[str, Shape] = {}


def _shape(build: Shape) -> Shape:
    SHAPES[build.__name__.replace("_", " ")] = build
    return build


@_shape
def chain(tf: Any, n: int) -> Any:
    """Ops one after the other."""
    x = y = tf.placeholder(tf.float32, [4])
    for _ in range(n):
        y = tf.sin(y)
    return y, {x: [1.0] * 4}, (y, [x])


@_shape
def fan(tf: Any, n: int) -> Any:
    """One tensor that all use."""
    x = tf.placeholder(tf.float32, [4])
    y = tf.add_n([tf.sin(x) for _ in range(n)])
    return y, {x: [1.0] * 4}, (y, [x])


@_shape
def fetches(tf: Any, n: int) -> Any:
    x = tf.placeholder(tf.float32, [4])
    return [tf.sin(x) for _ in range(n)], {x: [1.0] * 4}, None


@_shape
def feeds(tf: Any, n: int) -> Any:
    xs = [tf.placeholder(tf.float32, []) for _ in range(n)]
    y = tf.add_n([tf.sin(x) for x in xs])
    return y, dict.fromkeys(xs, 1.0), (y, xs)


@_shape
def split_of_a_constant(tf: Any, n: int) -> Any:
    parts = tf.split(tf.ones([n]), n)
    return tf.add_n([tf.sin(p) for p in parts]), {}, None


@_shape
def sum_of_unstacked_rows(tf: Any, n: int) -> Any:
    x = tf.placeholder(tf.float32, [n, 2])
    y = tf.add_n(tf.unstack(x))
    return y, {x: [[1.0, 2.0]] * n}, (y, [x])


@_shape
def concat(tf: Any, n: int) -> Any:
    x = tf.placeholder(tf.float32, [1])
    y = tf.concat([tf.sin(x) for _ in range(n)], 0)
    return y, {x: [1.0]}, (y, [x])


@_shape
def variables(tf: Any, n: int) -> Any:
    """Variables of a model, initialised, read and updated."""
    vs = [tf.Variable([1.0, 2.0], name="v") for _ in range(n // 4)]
    with tf.control_dependencies([tf.group(*[v.initializer for v in vs])]):
        y = tf.add_n([tf.square(v.read_value()) for v in vs])
    return y, {}, (tf.add_n([tf.square(v) for v in vs]), vs)


@_shape
def controls(tf: Any, n: int) -> Any:
    """One op that waits for all others."""
    x = tf.placeholder(tf.float32, [])
    return tf.group(*[tf.sin(x) for _ in range(n)]), {x: 1.0}, None


@_shape
def names(tf: Any, n: int) -> Any:
    """Scopes in scopes, and names that are taken."""
    x = y = tf.placeholder(tf.float32, [])
    for i in range(n // 4):
        with tf.name_scope("block"), tf.name_scope("part"):
            y = tf.add(y, x, name="sum") if i % 2 else tf.multiply(y, 0.5, name="sum")
    return y, {x: 1.0}, (y, [x])


@_shape
def small_constants(tf: Any, n: int) -> Any:
    x = y = tf.placeholder(tf.float32, [])
    for i in range(n // 2):
        y = y + tf.constant(float(i))
    return y, {x: 1.0}, (y, [x])


@_shape
def conds(tf: Any, n: int) -> Any:
    x = y = tf.placeholder(tf.float32, [])
    for i in range(n // 16):
        y = tf.cond(y > i, lambda v=y: v + 1.0, lambda v=y: v - 1.0)
    return y, {x: 1.0}, (y, [x])


@_shape
def loops_beside_each_other(tf: Any, n: int) -> Any:
    x = tf.placeholder(tf.float32, [])
    ys = [
        tf.while_loop(lambda v: v < 4.0, lambda v: v + 1.0, [x]) for _ in range(n // 16)
    ]
    y = tf.add_n(ys)
    return y, {x: 1.0}, (y, [x])


@_shape
def loops_in_each_other(tf: Any, n: int) -> Any:
    """As deep as the logarithm; the innermost has the parts."""
    x = tf.placeholder(tf.float32, [])

    def nested(depth: int, v: Any) -> Any:
        if depth == 0:
            for _ in range(n // 4):
                v = tf.sin(v)
            return v
        i = tf.constant(0)
        return tf.while_loop(
            lambda i, v: i < 1,
            lambda i, v: (i + 1, nested(depth - 1, v)),
            [i, v],
        )[1]

    y = nested(int(math.log2(n)) // 3, x)
    return y, {x: 1.0}, None


@_shape
def imported(tf: Any, n: int) -> Any:
    """A graph that comes from a GraphDef."""
    with tf.Graph().as_default() as source:
        x = y = tf.placeholder(tf.float32, [4], name="x")
        for _ in range(n):
            y = tf.sin(y)
        tf.identity(y, name="y")
    x, y = tf.import_graph_def(
        source.as_graph_def(), return_elements=["x:0", "y:0"], name=""
    )
    return y, {x: [1.0] * 4}, (y, [x])


def measure(library: str, shape: str, parts: int) -> dict[str, float]:
    """Seconds of processor time, by phase."""
    if library == "tensorflow":
        os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
        import tensorflow.compat.v1 as tf

        tf.disable_v2_behavior()
        tf.logging.set_verbosity(tf.logging.ERROR)
    else:
        import tensorwright as tf
    seconds: dict[str, float] = {}

    def timed(phase: str, call: Callable[[], Any]) -> Any:
        start = time.process_time()
        result = call()
        seconds[phase] = time.process_time() - start
        return result

    # Libraries load and make some things once, which must not count.
    with tf.Graph().as_default(), tf.Session() as session:
        fetched, fed, gradient = SHAPES[shape](tf, 32)
        if gradient is not None:
            tf.gradients(*gradient)
        session.run(fetched, fed)
    with tf.Graph().as_default(), tf.Session() as session:
        fetched, fed, gradient = timed("build", lambda: SHAPES[shape](tf, parts))
        if gradient is not None:
            timed("gradient", lambda: tf.gradients(*gradient))
        timed("first run", lambda: session.run(fetched, fed))
        for _ in range(3):
            session.run(fetched, fed)
        timed("later run", lambda: session.run(fetched, fed))
    return seconds


def _in_a_process(
    library: str, shape: str, parts: int, limit: float
) -> dict[str, float]:
    from tensorwright.tools.difftest import peer_venv

    python = peer_venv.python() if library == "tensorflow" else sys.executable
    try:
        done = subprocess.run(
            [python, __file__, "--measure", library, shape, str(parts)],
            capture_output=True, text=True, timeout=20 * limit + 60,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return {}
    if done.returncode != 0:
        print(f"{library}, {shape}, {parts}: {done.stderr.strip().splitlines()[-1:]}")
        return {}
    return json.loads(done.stdout.strip().splitlines()[-1])


def _exponent(parts: list[int], times: list[float | None]) -> float | None:
    known = [(n, t) for n, t in zip(parts, times) if t is not None and t > _FLOOR]
    if len(known) < 2:
        return None
    (n0, t0), (n1, t1) = known[-2:]
    return math.log(t1 / t0) / math.log(n1 / n0)


def _text(t: float | None, digits: int = 3) -> str:
    return "-" if t is None else f"{t:.{digits}f}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--measure", nargs=3, help=argparse.SUPPRESS)
    parser.add_argument("--only", default="", help="shapes with this in their names")
    parser.add_argument(
        "--parts", type=int, nargs="+", default=[1000, 4000, 16000, 64000]
    )
    parser.add_argument("--ours", action="store_true", help="without TensorFlow")
    parser.add_argument("--limit", type=float, default=20.0, help="seconds")
    args = parser.parse_args()
    if args.measure:
        library, shape, parts = args.measure
        print(json.dumps(measure(library, shape, int(parts))))
        return 0
    libraries = ["tensorwright"] if args.ours else ["tensorwright", "tensorflow"]
    steep = []
    print(
        f"{'':40}{''.join(f'{n:>9}' for n in args.parts)}  exponent   (TensorFlow ...)"
    )
    for shape in SHAPES:
        if args.only not in shape:
            continue
        found: dict[str, list[dict[str, float]]] = {}
        for library in libraries:
            rows: list[dict[str, float]] = []
            for parts in args.parts:
                slow = bool(rows) and sum(rows[-1].values()) > args.limit
                missing = bool(rows) and not rows[-1]
                rows.append(
                    {}
                    if slow or missing
                    else _in_a_process(library, shape, parts, args.limit)
                )
            found[library] = rows
        for phase in PHASES:
            if phase not in found["tensorwright"][0]:
                continue
            line = f"{shape + ', ' + phase:40}"
            for library in libraries:
                times = [row.get(phase) for row in found[library]]
                exponent = _exponent(args.parts, times)
                cells = "".join(f"{_text(t):>9}" for t in times)
                if library == "tensorwright":
                    line += f"{cells}  {_text(exponent, 2):>8}"
                    if exponent is not None and exponent > _LARGEST_EXPONENT:
                        steep.append(f"{shape}, {phase}: {exponent:.2f}")
                else:
                    line += f"   ({cells.strip()}; {_text(exponent, 2)})"
            print(line, flush=True)
    for text in steep:
        print(f"grows faster than linear: {text}")
    return 1 if steep else 0


if __name__ == "__main__":
    sys.exit(main())
