# SPDX-License-Identifier: Apache-2.0
"""How long adding to an event file keeps a program waiting, here and in TensorFlow.

Usage: ./run benchmarks/event_files.py [--rounds N]
Each line is one kind of summary: microseconds per add_summary, and per add with the writing (until flush is done),
the best of the rounds, in which the two take turns.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys

from tensorwright.tools.difftest import peer_venv

# Run in either library, with `tf` and `summary_pb2` of it.
PROGRAM = """
import json, shutil, sys, tempfile, time
if sys.argv[1] == "ours":
    import tensorwright as tf
    from tensorwright.core.framework import summary_pb2
else:
    import os
    os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
    import tensorflow.compat.v1 as tf
    from tensorflow.core.framework import summary_pb2
    tf.disable_eager_execution()
def scalars(n):
    values = [summary_pb2.Summary.Value(tag="t%d" % i, simple_value=i) for i in range(n)]
    return summary_pb2.Summary(value=values).SerializeToString()
def image(size):
    value = summary_pb2.Summary.Value(tag="image")
    value.image.encoded_image_string = bytes(range(256)) * (size // 256)
    return summary_pb2.Summary(value=[value]).SerializeToString()
cases = [("1 scalar", scalars(1), 20000), ("50 scalars", scalars(50), 5000),
         ("an image of 100 kB", image(100000), 500)]
results = {}
for name, summary, n in cases:
    folder = tempfile.mkdtemp()
    writer = tf.summary.FileWriter(folder, max_queue=10 * n)
    writer.add_summary(summary, 0)
    writer.flush()
    start = time.perf_counter()
    for step in range(n):
        writer.add_summary(summary, step)
    added = time.perf_counter() - start
    writer.flush()
    written = time.perf_counter() - start
    writer.close()
    shutil.rmtree(folder)
    results[name] = (added / n * 1e6, written / n * 1e6)
print(json.dumps(results))
"""


def measure(python: str, who: str) -> dict[str, list[float]]:
    env = dict(os.environ)
    if who == "ours":
        env["PYTHONPATH"] = os.pathsep.join(sys.path)
    else:
        env = {k: v for k, v in env.items() if not k.startswith("PYTHON")}
    done = subprocess.run(
        [python, "-c", PROGRAM, who],
        env=env,
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    return json.loads(done.stdout.splitlines()[-1])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    args = parser.parse_args()
    who = {"ours": sys.executable, "TensorFlow": peer_venv.python()}
    best: dict[tuple[str, str], list[float]] = {}
    for _ in range(args.rounds):
        for name, python in who.items():
            for case, times in measure(python, name).items():
                old = best.get((case, name), times)
                best[case, name] = [min(pair) for pair in zip(old, times)]
    print(f"{'add_summary, us':24}{'ours':>10}{'TF':>10}{'ratio':>8}", end="")
    print(f"{'written: ours':>16}{'TF':>10}{'ratio':>8}")
    for case in dict.fromkeys(case for case, _ in best):
        (a, b), (c, d) = best[case, "ours"], best[case, "TensorFlow"]
        print(f"{case:24}{a:10.1f}{c:10.1f}{a / c:8.2f}{b:16.1f}{d:10.1f}{b / d:8.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
