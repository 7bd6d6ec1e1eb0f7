# SPDX-License-Identifier: Apache-2.0
"""Steps with resource variables against the same steps with reference variables, here and in TensorFlow.

Usage: ./run benchmarks/resource_variables.py [--rounds N]

It prints the microseconds of processor time of a step, on one thread, which other programs on the machine hardly
change.  Each number is the best of the rounds, in which libraries and kinds take turns.  The goals are 1 or less for
our `resource/reference`, and less time than TensorFlow.
"""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import subprocess
import sys
import time
from typing import Any

# Name -> function that builds the fetches with `tf`.  Variables are of the scope's kind.
CASES: dict[str, Any] = {}


def _case(build: Any) -> Any:
    CASES[build.__name__.replace("_", " ")] = build
    return build


def _variables(tf: Any, number: int, shape: list[int]) -> list[Any]:
    return [tf.get_variable(f"v{i}", initializer=tf.ones(shape)) for i in range(number)]


@_case
def read_4_MB(tf: Any) -> Any:
    """A product with a vector: a read that copied would take twice the memory traffic."""
    (v,) = _variables(tf, 1, [1024, 1024])
    return tf.matmul(tf.ones([1, 1024]), v)


@_case
def add_to_4_MB(tf: Any) -> Any:
    (v,) = _variables(tf, 1, [1 << 20])
    return tf.assign_add(v, tf.ones([1 << 20])).op


@_case
def add_to_100_of_40_B(tf: Any) -> Any:
    return tf.group(
        *[tf.assign_add(v, tf.ones([10])) for v in _variables(tf, 100, [10])]
    )


@_case
def descend_100_of_40_B(tf: Any) -> Any:
    loss = tf.add_n([tf.reduce_sum(tf.square(v)) for v in _variables(tf, 100, [10])])
    return tf.train.GradientDescentOptimizer(1e-3).minimize(loss)


@_case
def adam_of_4_MB(tf: Any) -> Any:
    (v,) = _variables(tf, 1, [1 << 20])
    return tf.train.AdamOptimizer(1e-3).minimize(tf.reduce_sum(tf.square(v)))


@_case
def rows_of_an_embedding(tf: Any) -> Any:
    (v,) = _variables(tf, 1, [100_000, 64])
    rows = tf.nn.embedding_lookup(v, tf.range(0, 100_000, 1000))
    return tf.train.GradientDescentOptimizer(1e-3).minimize(tf.reduce_sum(rows))


def measure(library: str, kind: str) -> None:
    """Prints microseconds a step of each case, as JSON."""
    if library == "tensorflow":
        os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
        import tensorflow.compat.v1 as tf

        tf.disable_v2_behavior()
        tf.logging.set_verbosity(tf.logging.ERROR)
    else:
        import tensorwright as tf
    config = tf.ConfigProto(
        intra_op_parallelism_threads=1, inter_op_parallelism_threads=1
    )
    results = {}
    for name, build in CASES.items():
        with tf.Graph().as_default(), tf.Session(config=config) as session:
            with tf.variable_scope("", use_resource=kind == "resource"):
                step = build(tf)
            session.run(tf.global_variables_initializer())
            run = session.make_callable(step)
            results[name] = _microseconds(run)
    print(json.dumps(results))


def _microseconds(run: Any) -> float:
    """Processor time of a call: the best of ten batches of 20 ms or more."""
    for _ in range(5):
        run()
    number, best = 1, float("inf")
    while True:
        start = time.process_time()
        for _ in range(number):
            run()
        if time.process_time() - start > 0.02:
            break
        number *= 2
    for _ in range(10):
        start = time.process_time()
        for _ in range(number):
            run()
        best = min(best, (time.process_time() - start) / number)
    return best * 1e6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--measure", nargs=2, metavar=("LIBRARY", "KIND"))
    args = parser.parse_args()
    if args.measure:
        measure(*args.measure)
        return
    sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "tools" / "difftest"))
    import peer_venv

    pythons = {"tensorwright": sys.executable, "tensorflow": peer_venv.python()}
    best: dict[tuple[str, str, str], float] = {}
    for _ in range(args.rounds):
        for library, python in pythons.items():
            for kind in _KINDS:
                command = [python, os.path.abspath(__file__), "--measure"]
                env = dict(os.environ)
                if library == "tensorflow":
                    env.pop("PYTHONPATH", None)
                done = subprocess.run(
                    [*command, library, kind],
                    check=True,
                    stdout=subprocess.PIPE,
                    text=True,
                    env=env,
                )
                for case, took in json.loads(done.stdout.splitlines()[-1]).items():
                    key = case, library, kind
                    best[key] = min(best.get(key, took), took)
    print(f"{'us a step':24}{'reference':>10}{'resource':>10}{'ratio':>7}", end="")
    print(f"{'TF: ref.':>12}{'resource':>10}{'ours/TF':>9}{'':>7}")
    for case in CASES:
        a, b, c, d = (best[case, lib, k] for lib in pythons for k in _KINDS)
        print(f"{case:24}{a:10.1f}{b:10.1f}{b / a:7.2f}{c:12.1f}{d:10.1f}", end="")
        print(f"{a / c:9.2f}{b / d:7.2f}")


_KINDS = ("reference", "resource")


if __name__ == "__main__":
    main()
