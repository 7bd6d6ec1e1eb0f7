# SPDX-License-Identifier: Apache-2.0
"""`tw check-op` finds ops that reach more than they say, and believes those that say it."""

import json
import os
import pathlib
import signal
import subprocess
import sys

import pytest

from tensorwright.tools.opcheck import touches_check, worker_seal
from tensorwright.tools.opcheck.worker_seal import NETWORK, PROCESSES, READS, WRITES

_LIBRARY = pathlib.Path("tools/opcheck/reaching_ops.so").resolve()

pytestmark = pytest.mark.skipif(
    not worker_seal.is_possible(), reason="system calls are known for x86-64 alone"
)


@pytest.fixture(scope="module")
def results():
    """Each op of the library, by name, as `tw check-op --json` judges it."""
    command = [sys.executable, "-m", "tensorwright.tools.tw.main", "check-op"]
    command += ["--quick", "--json", "--library", str(_LIBRARY)]
    run = subprocess.run(command, capture_output=True, text=True, timeout=280)
    assert run.returncode == 1, run.stdout + run.stderr
    return {op["op"]: op for op in json.loads(run.stdout)["ops"]}


@pytest.mark.parametrize(
    ("name", "call", "kind", "says", "claim"),
    [
        ("ReachFile", "openat", READS, "nothing", "files read"),
        ("ReachFileByThread", "openat", READS, "nothing", "files read"),
        ("ReachByShare", "openat", READS, "nothing", "files read"),
        ("ReachNameOfFile", "newfstatat", READS, "nothing", "files read"),
        ("ReachToWrite", "openat", WRITES, "files read", "files written"),
        ("ReachNetwork", "socket", NETWORK, "files read, files written", "network"),
        ("ReachByFork", "clone", PROCESSES, "files read, files written", "host"),
    ],
)
def test_a_call_beyond_the_claim_is_found(results, name, call, kind, says, claim):
    result = results[name]
    assert result["checks"]["touches"]["status"] == "failed"
    (finding,) = result["findings"]
    first, *more = finding["text"].splitlines()
    assert finding["check"] == "touches"
    assert first == (
        f"it makes the system call {call}, which {kind}, and says that it touches {says}; "
        f'.Touches("{claim}") in its REGISTER_OP is the claim that allows it'
    )
    assert any(line.endswith(f"op         {name}") for line in more), more


def test_a_program_that_is_started_is_found(results):
    # The C library blocks all signals before it starts one: there is no report.
    (finding,) = results["ReachProgram"]["findings"]
    assert finding["text"] == (
        "it starts a process, as std::system and posix_spawn do, and says that it touches files read, files written; "
        '.Touches("host") in its REGISTER_OP is the claim that allows it'
    )


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("SaidFile", "files read"),
        ("SaidToWrite", "files written"),
        ("SaidNetwork", "network"),
        ("SaidNothing", "nothing"),
    ],
)
def test_a_claim_that_is_true_is_believed(results, name, says):
    verdict = results[name]["checks"]["touches"]
    assert verdict["status"] == "ok" and not results[name]["findings"]
    assert verdict["text"].endswith(f"(it touches {says})")


def test_an_op_that_says_nothing_may_do_everything(results):
    verdict = results["Unsaid"]["checks"]["touches"]
    assert verdict["status"] == "nothing to check", verdict
    assert "it may do everything" in verdict["text"]


# The calls of each kind, by Python; the number is what the parent sees.
_PROBES = {
    READS: ["os.stat('/etc')", "os.access('/etc', os.R_OK)", "open('/etc/hostname')"],
    WRITES: [
        "os.mkdir('x')",
        "os.unlink('x')",
        "os.rename('x', 'y')",
        "open('x', 'w')",
    ],
    NETWORK: ["socket.socket()"],
    PROCESSES: ["os.kill(os.getppid(), 0)", "os.fork()", "subprocess.run(['true'])"],
}


def _probe(expression, forbidden, tmp_path):
    """The exit status of a process that evaluates an expression by a sealed thread."""
    code = (
        "import os, socket, subprocess, sys, threading\n"
        f"sys.path.insert(0, {str(pathlib.Path(worker_seal.__file__).parent)!r})\n"
        "import worker_seal\n"
        f"try: worker_seal.run(lambda: {expression}, {forbidden!r})\n"
        "except OSError: pass\n"
        "os.stat('/etc'), socket.socket(), os.mkdir('after')\n"
    )
    folder = tmp_path / "empty"
    folder.mkdir(exist_ok=True)
    for name in os.listdir(folder):
        path = folder / name
        path.rmdir() if path.is_dir() else path.unlink()
    return subprocess.run(
        [sys.executable, "-c", code], cwd=folder, capture_output=True
    ).returncode


@pytest.mark.parametrize("kind", _PROBES)
def test_the_filter_ends_calls_of_the_kind_and_no_others(kind, tmp_path):
    others = [k for k in _PROBES if k != kind]
    for expression in _PROBES[kind]:
        # Without others of its kind: a program that is started reads files.
        assert _probe(expression, [kind], tmp_path) == -signal.SIGSYS, expression
        if kind == READS:
            others = [NETWORK, PROCESSES, WRITES]
        if kind in (READS, NETWORK):
            assert _probe(expression, others, tmp_path) == 0, expression
    # Threads are no processes.
    started = "threading.Thread(target=int).start()"
    assert _probe(started, list(_PROBES), tmp_path) == 0


@pytest.mark.parametrize(
    ("touched", "wanted"),
    [
        (set(), [READS, WRITES, NETWORK, PROCESSES]),
        ({"files read"}, [WRITES, NETWORK, PROCESSES]),
        ({"files written"}, [NETWORK, PROCESSES]),
        ({"network"}, [WRITES, PROCESSES]),
        ({"host"}, [WRITES, NETWORK]),
        ({"host", "python"}, []),
        ({"native code"}, []),
    ],
)
def test_what_is_claimed_is_allowed(touched, wanted):
    assert touches_check.forbidden(touched) == wanted
