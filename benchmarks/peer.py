# SPDX-License-Identifier: Apache-2.0
"""Times tensorwright and tensorflow-cpu side by side: ./run benchmarks/peer.py [--only NAME] [--samples N].

The samples of the two libraries alternate, so both meet the same machine; medians and their ratio are printed.
See README.md in this folder.
"""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
from typing import Any

import cases

from tensorwright.tools.difftest import peer_venv

HERE = pathlib.Path(__file__).resolve().parent
OURS, THEIRS = "tensorwright", "tensorflow"


class Worker:
    """A process that has one library loaded and takes samples on request."""

    def __init__(self, python: str, library: str) -> None:
        self.python, self.library = python, library
        self._process = subprocess.Popen(
            [python, str(HERE / "peer_worker.py"), library],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL if library == THEIRS else None,
            env=_environment(library),
            text=True,
        )

    def ask(self, **request: Any) -> dict[str, Any]:
        assert self._process.stdin and self._process.stdout
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"the {self.library} worker ended at {request}")
        return json.loads(line)

    def close(self) -> None:
        assert self._process.stdin
        self._process.stdin.close()
        self._process.wait()


def _environment(library: str) -> dict[str, str]:
    env = dict(os.environ)
    if library == THEIRS:
        env.pop("PYTHONPATH", None)  # the peer sees its own packages only
        env["TF_CPP_MIN_LOG_LEVEL"] = "3"
    return env


def import_seconds(python: str, library: str) -> float:
    """Seconds to import the library in a fresh process, on top of NumPy."""
    code = (
        "import numpy, time; t = time.perf_counter(); "
        f"import {library}; print(time.perf_counter() - t)"
    )
    out = subprocess.run(
        [python, "-c", code],
        env=_environment(library),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        check=True,
        text=True,
    )
    return float(out.stdout.split()[-1])


def show(name: str, ours: list[float], theirs: list[float], flops: float) -> dict:
    a, b = statistics.median(ours), statistics.median(theirs)
    speed = f"{flops / a / 1e9:9.0f}{flops / b / 1e9:9.0f}" if flops else ""
    print(f"{name:28}{_time(a):>12}{_time(b):>12}{a / b:9.3f}{speed}", flush=True)
    return {"case": name, "ours_s": a, "tensorflow_s": b, "ratio": a / b}


def _time(seconds: float) -> str:
    if seconds < 1e-3:
        return f"{seconds * 1e6:.2f} us"
    return f"{seconds * 1e3:.2f} ms" if seconds < 1 else f"{seconds:.2f} s"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="cases whose name contains this")
    parser.add_argument("--samples", type=int, default=11, help="samples a library")
    parser.add_argument("--seconds", type=float, default=0.1, help="length of a sample")
    parser.add_argument("--list", action="store_true", help="name the cases and stop")
    parser.add_argument("--json", type=pathlib.Path, help="write the figures here")
    args = parser.parse_args()
    names = [n for n in ("import", *cases.CASES) if args.only in n]
    if args.list:
        print("\n".join(names))
        return
    python = {OURS: sys.executable, THEIRS: peer_venv.python()}
    print(f"{'case':28}{'ours':>12}{'tensorflow':>12}{'ratio':>9}  GFLOP/s ours, TF")
    rows = []
    if "import" in names:
        names.remove("import")
        times: dict[str, list[float]] = {OURS: [], THEIRS: []}
        for _ in range(5):
            for library, seconds in times.items():
                seconds.append(import_seconds(python[library], library))
        rows.append(show("import", times[OURS], times[THEIRS], 0.0))
    workers = {lib: Worker(python[lib], lib) for lib in (OURS, THEIRS)}
    for name in names:
        times = {OURS: [], THEIRS: []}
        flops = 0.0
        for _ in range(args.samples):
            for library, worker in workers.items():
                answer = worker.ask(case=name, seconds=args.seconds)
                times[library].append(answer["seconds"])
                flops = answer["flops"]
        for worker in workers.values():
            worker.ask(case=name, drop=True)
        rows.append(show(name, times[OURS], times[THEIRS], flops))
    for worker in workers.values():
        worker.close()
    if args.json:
        args.json.write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()
