# SPDX-License-Identifier: Apache-2.0
"""Calls that do not end, crash, leak or have no kernel are findings that say where and why."""

import pathlib
import shutil
import subprocess
import sys

import pytest

from tensorwright.tools.opcheck import leak_check, processes

_LIBRARY = pathlib.Path("tools/opcheck/broken_calls.so").resolve()


def _check(library, *arguments):
    """`tw check-op` of an op of a library, in a process of its own."""
    command = [sys.executable, "-m", "tensorwright.tools.tw.main", "check-op"]
    command += ["--quick", "--library", str(library), *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=280)


def _finding(run, check):
    """The first finding of a check, with the lines that belong to it."""
    assert run.returncode == 1, run.stdout + run.stderr
    at = run.stdout.find(f"\n{check}: ")
    assert at >= 0, run.stdout + run.stderr
    return run.stdout[at + 1 :].partition("\n\n")[0]


@pytest.mark.parametrize("name", ["BrokenLoop", "BrokenDeadlock"])
def test_a_call_that_does_not_end_is_ended_and_shown_with_its_stack(name):
    run = _check(_LIBRARY, "--timeout", "4", name)
    found = _finding(run, "valid")
    assert found.startswith("valid: does not end: no answer in 4 s"), found
    assert f"op         {name}" in found, found
    assert f"library    {_LIBRARY}" in found, found
    if shutil.which("gdb"):
        stack = [line for line in found.splitlines() if "stack: #" in line]
        assert f"{name}Op::Compute" in stack[-1], found
    assert "    seed " in found
    # Others would take as long.
    assert run.stdout.count("does not end") == 1


def test_a_crash_is_shown_with_the_report_on_it():
    found = _finding(_check(_LIBRARY, "BrokenFarRead"), "valid")
    assert found.startswith("valid: the process died: SIGSEGV"), found
    for words in ("op         BrokenFarRead", "inputs     float[", "stopped at /"):
        assert words in found, found


def test_a_leak_is_counted():
    found = _finding(_check(_LIBRARY, "BrokenLeak"), "leak")
    assert found.startswith("leak: 800 calls left 48 bytes each behind"), found


@pytest.mark.parametrize("name", ["BrokenReadBehind", "BrokenReadBefore"])
def test_a_read_of_one_element_outside_is_found_without_sanitizers(name):
    found = _finding(_check(_LIBRARY, name), "bounds")
    assert found.startswith("bounds: the process died: SIGSEGV"), found
    assert f"op         {name}" in found, found


def test_a_write_behind_a_buffer_is_found_when_it_is_freed():
    found = _finding(_check(_LIBRARY, "BrokenWriteBehind"), "bounds")
    assert found.startswith("bounds: the process died: SIGABRT"), found
    assert "a kernel has written behind its buffer, which has" in found, found
    assert "    seed " in found, found


def test_a_leak_is_what_grows_in_each_part():
    assert leak_check.lost([(200, 9600), (200, 9700)]) == 48
    assert leak_check.lost([(200, 500_000), (200, 0)]) == 0
    assert leak_check.lost([]) == 0


def test_a_dtype_without_a_kernel_is_a_finding():
    found = _finding(_check(_LIBRARY, "BrokenKernel"), "promise")
    assert "the definition allows T=float64, and no kernel is registered" in found


def test_a_file_of_hints_beside_the_library_may_say_that_it_is_meant(tmp_path):
    library = shutil.copy(_LIBRARY, tmp_path)
    (tmp_path / "broken_kernel_hints.py").write_text("""\
from tensorwright.tools.opcheck.allowed import NO_KERNEL, allow
from tensorwright.tools.opcheck.draws import hint

allow(NO_KERNEL, "BrokenKernel", "float is enough", of="T=float64")


@hint("BrokenKernel")
def _draw(d):
    return [d.values("T", [7001 if d.large else 7])]
""")
    run = _check(library, "BrokenKernel")
    assert "with broken_kernel_hints.py" in run.stderr
    assert "exempt      from no kernel of T=float64: float is enough" in run.stdout
    assert "no kernel is registered" not in run.stdout


_GDB = """\
Thread 3 (Thread 0x7f (LWP 7) "tw_intra"):
#0  0x1 in futex_wait (...) at futex.h:1
#1  0x2 in Eigen::ThreadPoolTempl<Environment>::WorkerLoop (...)

Thread 1 (Thread 0x7f (LWP 5) "python"):
#0  0x00007f in __lll_lock_wait () from libc.so.6
#1  0x00007f in mine::WaitingOp::Compute(tensorwright::OpKernelContext*) () from mine.so
#2  0x00007f in tensorwright::Device::Compute(tensorwright::OpKernel*) ()
"""


def test_of_all_stacks_those_in_kernels_are_shown():
    assert processes.stuck_frames(_GDB).splitlines() == [
        "#0  __lll_lock_wait () from libc.so.6",
        "#1  mine::WaitingOp::Compute(tensorwright::OpKernelContext*) () from mine.so",
    ]
