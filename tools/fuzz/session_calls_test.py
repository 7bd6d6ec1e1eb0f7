# SPDX-License-Identifier: Apache-2.0
"""Sessions live through a few calls of the fuzzer; and a run that raises, dies or does not end is a finding."""

import pathlib
import subprocess
import sys

import pytest

_FOLDER = pathlib.Path(__file__).resolve().parent
_RUNS = """\
import argparse, os, signal, sys
import batches
parser = argparse.ArgumentParser()
batches.add_options(parser, runs=120)
batches._SECONDS_A_RUN = 1
numbers = iter(range(1000))

def one(rng):
    if next(numbers) == 20:
        {fault}

sys.exit(batches.run(parser.parse_args(), one))
"""


def _python(*arguments):
    return subprocess.run(
        [sys.executable, *arguments], cwd=_FOLDER, capture_output=True, text=True
    )


def test_sessions_live_through_every_call():
    done = _python("session_calls.py", "--runs", "50", "--seed", "4")
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout == "50 runs, 0 findings\n"


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("raise KeyError(7)", "KeyError: 7"),
        ("os.kill(os.getpid(), signal.SIGSEGV)", "status 11"),
        ("signal.pause()", "status 14"),
        ("bytearray(8 << 30)", "MemoryError"),
    ],
)
def test_a_fault_is_a_finding_of_its_run(fault, words):
    done = _python("-c", _RUNS.format(fault=fault))
    assert done.returncode == 1
    assert "run 20 of seed 0" in done.stdout
    assert done.stdout.endswith("findings\n")
    assert words in done.stdout + done.stderr


def test_runs_begin_at_the_given_number_and_end_in_time():
    ending = _RUNS.format(fault="pass")
    assert _python("-c", ending, "--first", "90", "--runs", "5").stdout == "5 runs, 0 findings\n"  # fmt: skip
    assert _python("-c", ending, "--seconds", "0").stdout == "0 runs, 0 findings\n"
