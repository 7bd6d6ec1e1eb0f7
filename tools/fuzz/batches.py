# SPDX-License-Identifier: Apache-2.0
"""Runs of a fuzzer in forked children, so that a crash costs a batch of them and names its run.

A child has 4 GiB of memory and ten seconds for a run; what it prints is dropped.  The parent starts no threads and does not
import the library, so that it can fork.
"""

from __future__ import annotations

import argparse
import os
import pathlib
import random
import resource
import signal
import tempfile
import time
import traceback
from collections.abc import Callable

_BATCH = 50
_ADDRESS_SPACE = 4 << 30
_SECONDS_A_RUN = 10
_FINDING = 3


def add_options(parser: argparse.ArgumentParser, runs: int) -> None:
    """Adds --runs, --first, --seconds and --seed."""
    parser.add_argument("--runs", type=int, default=runs)
    parser.add_argument("--first", type=int, default=0, help="the number of the first")
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--seed", type=int, default=0)


def run(args: argparse.Namespace, one: Callable[[random.Random], None]) -> int:
    """Calls `one` with numbers of a new seed until the runs or the seconds of the options are over.

    Returns:
        The exit status: 1 if a run ended its process, raised, or did not end; each of them is printed.
    """
    end = time.monotonic() + args.seconds
    found, number = 0, args.first
    with tempfile.TemporaryDirectory() as folder:
        last = pathlib.Path(folder, "last")
        while number < args.first + args.runs and time.monotonic() < end:
            stop = min(number + _BATCH, args.first + args.runs)
            child = os.fork()
            if child == 0:
                _run_batch(one, args.seed, range(number, stop), last)
            _, status = os.waitpid(child, 0)
            if status != 0:
                found += 1
                number = int(last.read_text())
                print(f"run {number} of seed {args.seed}: status {status}", flush=True)
                number += 1
            else:
                number = stop
    print(f"{number - args.first} runs, {found} findings")
    return 1 if found else 0


def _run_batch(
    one: Callable[[random.Random], None],
    seed: int,
    numbers: range,
    last: pathlib.Path,
) -> None:
    """Exits with _FINDING if a run raises."""
    resource.setrlimit(resource.RLIMIT_AS, (_ADDRESS_SPACE, _ADDRESS_SPACE))
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    report = os.dup(2)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    for number in numbers:
        last.write_text(str(number))
        signal.alarm(_SECONDS_A_RUN)
        try:
            one(random.Random(f"{seed} {number}"))
        except BaseException:
            text = f"run {number}:\n{traceback.format_exc()}\n"
            os.write(report, text.encode())
            os._exit(_FINDING)
    os._exit(0)
