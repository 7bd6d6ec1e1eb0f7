# SPDX-License-Identifier: Apache-2.0
"""A process that a kernel ends says which kernel that was, and ends as it would have ended."""

import pathlib
import re
import signal
import subprocess
import sys

import pytest

_LIBRARY = str(pathlib.Path("tools/opcheck/crashing_ops.so").resolve())

_HEAD = f"""\
import sys
import tensorwright as tf
ops = tf.load_op_library({_LIBRARY!r})
x = tf.placeholder(tf.float32, [2, 3])
feed = {{x: [[1.0, 2.0, 3.0]] * 2}}
"""
_CRASH = """\
y = ops.crashing(x, [4, [5, 6]], how=sys.argv[1], name="outer/bad")
tf.Session().run(y, feed)
"""
# The line of the program that makes the node.
_LINE = _HEAD.count("\n") + 1


def _run(tmp_path, how, code=_CRASH, flags=(), **variables):
    """Runs the program; (exit status, standard error)."""
    program = tmp_path / "program.py"
    program.write_text(_HEAD + code)
    environment = {"PYTHONPATH": ":".join(p for p in sys.path if p), **variables}
    done = subprocess.run(
        [sys.executable, *flags, str(program), how],
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
    )
    return done.returncode, done.stderr


def _lines(text):
    """The report as {word: rest of its line}, and its heading."""
    heading = re.search(r"^\*\*\* tensorwright: (.*)$", text, re.MULTILINE)
    assert heading, text
    assert text.count("*** tensorwright:") == 1, text
    rows = re.findall(r"^    (\w+(?: at)?) +(.*)$", text[heading.end() :], re.MULTILINE)
    return heading[1], dict(reversed(rows))  # The innermost kernel comes first.


SIGNALS = {
    "segv": "SIGSEGV",
    "stack": "SIGSEGV",
    "fpe": "SIGFPE",
    "ill": "SIGILL",
    "bus": "SIGBUS",
    "abort": "SIGABRT",
    "assert": "SIGABRT",
    "shard": "SIGSEGV",
}


@pytest.mark.parametrize("how", SIGNALS)
def test_names_the_kernel_and_ends_by_the_signal(tmp_path, how):
    status, text = _run(tmp_path, how)
    assert status == -getattr(signal, SIGNALS[how]), text
    heading, rows = _lines(text)
    assert heading == f"{SIGNALS[how]} in this kernel:"
    assert rows["node"] == "outer/bad"
    assert rows["op"] == "Crashing"
    assert rows["inputs"] == "float[2,3], int32[], int32[2]"
    assert rows["made at"] == f"{tmp_path}/program.py:{_LINE}"
    assert rows["library"] == _LIBRARY
    if how in ("segv", "shard"):
        assert rows["address"] == "0x0"
    if how in ("segv", "fpe", "ill", "stack", "shard"):
        assert re.fullmatch(re.escape(_LIBRARY) + r"\+0x[0-9a-f]+", rows["stopped at"])
    else:
        assert "stopped at" not in rows
        assert _function_at(rows["called at"]) in ("Crash", "CrashingOp::Compute")
    if how == "assert":
        assert "ctx->num_inputs() == 7" in text


def _function_at(place):
    """The name of the function at a place of the library."""
    file, _, offset = place.rpartition("+")
    assert file == _LIBRARY
    found = subprocess.run(
        ["addr2line", "-Cfe", _LIBRARY, offset], capture_output=True, text=True
    )
    name = found.stdout.splitlines()[0].partition("(anonymous namespace)::")[2]
    return name.partition("(")[0]


def test_the_place_is_one_that_addr2line_knows(tmp_path):
    _, text = _run(tmp_path, "segv")
    assert "Crash" in _function_at(_lines(text)[1]["stopped at"])


def test_an_exception_in_a_thread_of_the_kernel_leads_to_its_library(tmp_path):
    _, text = _run(tmp_path, "throwing thread")
    assert _function_at(_lines(text)[1]["called at"]) == "Throw"


def test_names_the_kernels_that_run_where_a_thread_of_their_own_crashes(tmp_path):
    status, text = _run(tmp_path, "thread")
    assert status == -signal.SIGSEGV, text
    heading, rows = _lines(text)
    assert heading == "SIGSEGV in a thread that runs no kernel.  Other threads run:"
    assert rows["node"] == "outer/bad"


def test_tells_what_an_exception_said_that_no_one_catches(tmp_path):
    status, text = _run(tmp_path, "throwing thread")
    assert status == -signal.SIGABRT, text
    heading, rows = _lines(text)
    assert heading.startswith(
        'an exception that nobody caught, "not with me", in a thread that runs no kernel'
    )
    assert rows["node"] == "outer/bad"
    # The C++ library says so, too.
    assert "terminate called after throwing" in text


def test_an_exception_that_leaves_compute_is_an_error_of_the_run(tmp_path):
    status, text = _run(tmp_path, "throw")
    assert status == 1
    assert "*** tensorwright" not in text
    assert (
        "InternalError: The kernel of Crashing threw an exception: not with me" in text
    )
    assert f"defined at {tmp_path}/program.py:{_LINE}" in text


def test_a_constructor_is_named(tmp_path):
    status, text = _run(tmp_path, "constructor")
    assert status == -signal.SIGABRT, text
    _, rows = _lines(text)
    assert rows["node"] == "outer/bad"
    assert rows["where"] == "its constructor"
    assert rows["made at"] == f"{tmp_path}/program.py:{_LINE}"


_FUNCTION = """\
from tensorwright.python.framework import function
@function.Defun(tf.float32)
def body(v):
    return ops.crashing(v, [], how=sys.argv[1], name="bad")
z = body(x, noinline={noinline}, name="call")
tf.Session().run(z, feed)
"""


@pytest.mark.parametrize("noinline", [False, True])
def test_a_node_of_a_function_leads_to_its_line(tmp_path, noinline):
    status, text = _run(tmp_path, "segv", _FUNCTION.format(noinline=noinline))
    assert status == -signal.SIGSEGV, text
    _, rows = _lines(text)
    assert rows["node"] == "bad"
    assert rows["made at"] == f"{tmp_path}/program.py:{_LINE + 3}"
    outer = text.partition("  called by\n")[2]
    assert "node       call\n" in outer
    assert f"made at    {tmp_path}/program.py:{_LINE + 4}\n" in outer


def test_a_loop_runs_it_in_the_other_executor(tmp_path):
    code = """\
def body(i, v):
    return i + 1, ops.crashing(v, [], how=sys.argv[1], name="bad")
z = tf.while_loop(lambda i, v: i < 3, body, [0, x])
tf.Session().run(z, feed)
"""
    status, text = _run(tmp_path, "segv", code)
    assert status == -signal.SIGSEGV, text
    heading, rows = _lines(text)
    assert rows["node"] == "while/bad"
    assert rows["inputs"] == "float[2,3]"
    assert rows["made at"] == f"{tmp_path}/program.py:{_LINE + 1}"


@pytest.mark.parametrize("first", [True, False])
def test_pythons_faulthandler_still_prints_its_stack(tmp_path, first):
    enable = "import faulthandler; faulthandler.enable()\n"
    run = "session = tf.Session()\n"
    code = (enable + run if first else run + enable) + _CRASH
    status, text = _run(tmp_path, "segv", code)
    assert status == -signal.SIGSEGV, text
    assert _lines(text)[1]["node"] == "outer/bad"
    assert "Fatal Python error: Segmentation fault" in text
    assert 'program.py", line' in text


def test_a_crash_outside_of_kernels_is_not_ours(tmp_path):
    code = "tf.Session().run(ops.crashing(x, []), feed)\nimport os\nos.abort()\n"
    status, text = _run(tmp_path, "", code)
    assert status == -signal.SIGABRT
    assert "tensorwright" not in text


def test_a_signal_that_was_sent_ends_the_process(tmp_path):
    code = "tf.Session()\nimport os, signal\nos.kill(os.getpid(), signal.SIGSEGV)\n"
    status, _ = _run(tmp_path, "", code)
    assert status == -signal.SIGSEGV


def test_a_variable_of_the_environment_switches_it_off(tmp_path):
    status, text = _run(tmp_path, "segv", TENSORWRIGHT_CRASH_REPORT="0")
    assert status == -signal.SIGSEGV
    assert "***" not in text
