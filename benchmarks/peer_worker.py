# SPDX-License-Identifier: Apache-2.0
"""One side of peer.py: loads a library and times cases on demand, a JSON line in, a JSON line out.

Requests: {"case": NAME, "seconds": S} takes one sample: the case's call repeated for about S seconds; answers
{"seconds": time of one operation, "flops" and "bytes" of one operation}.  {"case": NAME, "drop": true} frees the
case.  `peer_worker.py LIBRARY --memory NAME` runs a case for a while instead and prints the peak of resident memory.
"""

from __future__ import annotations

import gc
import json
import os
import resource
import sys
import time
from typing import Any

import cases
import cases_array  # noqa: F401 (registers its cases)
import cases_data_flow  # noqa: F401 (likewise)
import cases_dataset  # noqa: F401 (likewise)
import cases_elementwise  # noqa: F401 (likewise)
import cases_graph  # noqa: F401 (likewise)
import cases_image  # noqa: F401 (likewise)
import cases_kernels  # noqa: F401 (likewise)
import cases_linalg  # noqa: F401 (likewise)
import cases_records  # noqa: F401 (likewise)
import cases_training  # noqa: F401 (likewise)


def _load(library: str) -> Any:
    if library == "tensorflow":
        os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
        import tensorflow.compat.v1 as tf

        tf.disable_v2_behavior()
        return tf
    import tensorwright as tf

    if "BENCHMARK_PASSES" in os.environ:
        _run_only(tf, os.environ["BENCHMARK_PASSES"].split(","))
    return tf


def _run_only(tf: Any, passes: list[str]) -> None:
    """Every session from now on runs these graph passes alone (passes.py)."""
    session = tf.Session
    config = tf.ConfigProto()
    config.graph_options.rewrite_options.optimizers.extend(passes)
    tf.Session = lambda graph: session(graph=graph, config=config)


def _sample(case: cases.Case, seconds: float) -> float:
    calls = 0
    start = time.perf_counter()
    while True:
        case.call()
        calls += 1
        spent = time.perf_counter() - start
        if spent >= seconds:
            return spent / (calls * case.count)


def _peak_memory(tf: Any, name: str) -> int:
    """Bytes after a second of work."""
    _sample(cases.CASES[name](tf), 1.0)
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def main() -> None:
    # Libraries print banners: keep the real stdout for answers alone.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    tf = _load(sys.argv[1])
    if sys.argv[2:3] == ["--memory"]:
        answers.write(f"{_peak_memory(tf, sys.argv[3])}\n")
        answers.flush()
        return
    ready: dict[str, cases.Case] = {}
    for line in sys.stdin:
        request = json.loads(line)
        name = request["case"]
        answer: dict[str, Any] = {}
        if request.get("drop"):
            ready.pop(name, None)
            gc.collect()
        else:
            if name not in ready:
                ready[name] = cases.CASES[name](tf)
                _sample(ready[name], request["seconds"])  # warm-up
            answer["seconds"] = _sample(ready[name], request["seconds"])
            answer["flops"] = ready[name].flops
            answer["bytes"] = ready[name].bytes
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
