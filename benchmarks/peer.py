# SPDX-License-Identifier: Apache-2.0
"""Times tensorwright and tensorflow-cpu side by side: ./run benchmarks/peer.py [--only NAME] [--samples N].

The samples of the two libraries alternate, so both meet the same machine; medians and their ratio are printed, and
the share of the machine's peak (arithmetic or memory, measured in the same run) that each reaches.
See README.md in this folder.
"""

from __future__ import annotations

import argparse
import difflib
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
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


def import_times(python: dict[str, str]) -> dict[str, list[float]]:
    """Library -> seconds of five imports, alternating."""
    times: dict[str, list[float]] = {OURS: [], THEIRS: []}
    for _ in range(5):
        for library, seconds in times.items():
            seconds.append(import_seconds(python[library], library))
    return times


class Peaks:
    """The machine's FLOP/s and bytes/s, by a small program that is compiled on first use.

    Without a C++ compiler there are none, and no shares are printed.
    """

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="peak_probe")
        self._program = pathlib.Path(self._folder.name) / "peak_probe"
        flags = ["-O3", "-march=native", "-ffast-math", "-pthread", "-std=c++17"]
        source = str(HERE / "peak_probe.cc")
        try:
            command = ["g++", *flags, source, "-o", str(self._program)]
            subprocess.run(command, check=True)
        except (OSError, subprocess.CalledProcessError) as error:
            print(f"no peaks: {error}", file=sys.stderr)

    def measure(self) -> tuple[float, float]:
        if not self._program.exists():
            return 0.0, 0.0
        threads = str(len(os.sched_getaffinity(0)))
        out = subprocess.run(
            [str(self._program), threads], check=True, capture_output=True, text=True
        )
        flops, bandwidth = out.stdout.split()
        return float(flops), float(bandwidth)


def peak_memory(python: str, library: str, case: str) -> float:
    """Bytes of resident memory at most, of a process that does nothing but run the case."""
    out = subprocess.run(
        [python, str(HERE / "peer_worker.py"), library, "--memory", case],
        env=_environment(library),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        check=True,
        text=True,
    )
    return float(out.stdout.split()[-1])


def show(
    name: str,
    ours: list[float],
    theirs: list[float],
    work: dict[str, float],
    peaks: Peaks | None,
) -> dict:
    """Prints a line; `work` has the flops and bytes of one operation."""
    a, b = statistics.median(ours), statistics.median(theirs)
    row = {"case": name, "ours_s": a, "tensorflow_s": b, "ratio": a / b}
    speed = ""
    if peaks is not None and (work["flops"] or work["bytes"]):
        flops, bandwidth = peaks.measure()
        kind = "flops" if work["flops"] else "bytes"
        peak = flops if kind == "flops" else bandwidth
        row |= {"bound": kind, "peak": peak, "work": work[kind]}
        unit = "GFLOP/s" if kind == "flops" else "GB/s"
        speed = f"{work[kind] / a / 1e9:8.1f}{work[kind] / b / 1e9:8.1f} {unit:8}"
        if peak:
            shares = [work[kind] / t / peak for t in (a, b)]
            row |= {"ours_share": shares[0], "tensorflow_share": shares[1]}
            speed += f"{shares[0]:6.0%}{shares[1]:6.0%} of {peak / 1e9:.0f}"
    print(f"{name:31}{_time(a):>11}{_time(b):>11}{a / b:8.3f}{speed}", flush=True)
    return row


def _time(seconds: float) -> str:
    if seconds < 1e-3:
        return f"{seconds * 1e6:.2f} us"
    return f"{seconds * 1e3:.2f} ms" if seconds < 1 else f"{seconds:.2f} s"


def _markdown(rows: list[dict[str, Any]]) -> str:
    lines = ["| case | tensorwright | tensorflow-cpu | ratio |"]
    lines += ["| --- | ---: | ---: | ---: |"]
    for row in rows:
        times = f"{_time(row['ours_s'])} | {_time(row['tensorflow_s'])}"
        lines.append(f"| {row['case']} | {times} | {row['ratio']:.3f} |")
    return "\n".join(lines) + "\n"


def _no_case(part: str) -> str:
    known = ["import", *cases.CASES]
    close = difflib.get_close_matches(part, known, n=5)
    names = f"close are: {', '.join(close)}" if close else f"cases: {', '.join(known)}"
    return f"no case has {part!r} in its name; {names}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="cases whose name contains this")
    parser.add_argument("--samples", type=int, default=11, help="samples a library")
    parser.add_argument("--seconds", type=float, default=0.1, help="length of a sample")
    parser.add_argument("--list", action="store_true", help="name the cases and stop")
    parser.add_argument(
        "--no-memory", action="store_true", help="no peak memory of training steps"
    )
    parser.add_argument("--json", type=pathlib.Path, help="write the figures here")
    parser.add_argument(
        "--markdown", type=pathlib.Path, help="write a table of all cases here"
    )
    args = parser.parse_args()
    names = [n for n in ("import", *cases.CASES) if args.only in n]
    if not names:
        parser.error(_no_case(args.only))
    if args.list:
        try:
            print("\n".join(names), flush=True)
        except BrokenPipeError:
            # `--list | head`: whoever reads has seen enough.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return
    python = {OURS: sys.executable, THEIRS: peer_venv.python()}
    print(
        f"{'case':31}{'ours':>11}{'tensorflow':>11}{'ratio':>8}  speed and share of peak: ours, TF"
    )
    rows = []
    peaks = Peaks()
    if "import" in names:
        names.remove("import")
        times = import_times(python)
        rows.append(show("import", times[OURS], times[THEIRS], {}, None))
    workers = {lib: Worker(python[lib], lib) for lib in (OURS, THEIRS)}
    for name in names:
        times = {OURS: [], THEIRS: []}
        work: dict[str, float] = {}
        for _ in range(args.samples):
            for library, worker in workers.items():
                work = worker.ask(case=name, seconds=args.seconds)
                times[library].append(work["seconds"])
        for worker in workers.values():
            worker.ask(case=name, drop=True)
        rows.append(show(name, times[OURS], times[THEIRS], work, peaks))
        if name in cases.TRAINING and not args.no_memory:
            memory = [peak_memory(python[lib], lib, name) for lib in (OURS, THEIRS)]
            ratio = memory[0] / memory[1]
            megabytes = [f"{m / 2**20:.0f} MB" for m in memory]
            line = "".join(f"{m:>11}" for m in megabytes)
            print(f"{'  peak memory':31}{line}{ratio:8.3f}", flush=True)
            rows[-1] |= {"ours_bytes": memory[0], "tensorflow_bytes": memory[1]}
    for worker in workers.values():
        worker.close()
    if args.json:
        args.json.write_text(json.dumps(rows, indent=1) + "\n")
    if args.markdown:
        args.markdown.write_text(_markdown(rows))


if __name__ == "__main__":
    main()
