# SPDX-License-Identifier: Apache-2.0
"""opcheck finds what is wrong with ops made wrong, and nothing wrong with the library's."""

import pathlib
import subprocess
import sys

import pytest

from tensorwright.tools.opcheck import checks, main, report
from tensorwright.tools.opcheck.signature import registered_ops

_HERE = pathlib.Path(__file__).resolve().parent
# In the runfiles, not beside the source.
_LIBRARY = str(pathlib.Path("tools/opcheck/broken_ops.so").resolve())


@pytest.fixture(scope="module")
def checker():
    checker = checks.Checker(checks.QUICK)
    yield checker
    checker.close()


@pytest.mark.parametrize("name", registered_ops())
def test_the_op_passes_a_quick_check(checker, name):
    result = checker.check(name)
    assert result.ok, "\n" + report.page(result)


def _check_broken(*names):
    """tw check-op in a process of its own: this one keeps the library's ops only."""
    command = [sys.executable, "-m", "tensorwright.tools.tw.main", "check-op"]
    command += ["--library", _LIBRARY, "--python", str(_HERE / "broken_ops.py")]
    return subprocess.run([*command, *names], capture_output=True, text=True)


@pytest.mark.parametrize(
    ("name", "check", "words"),
    [
        ("BrokenPromise", "shape", "the shape function promised"),
        ("BrokenOnEmpty", "malformed", "the process died: SIGABRT"),
        ("BrokenGradient", "gradient", "finite differences say"),
        ("BrokenRepeat", "repeat", "the same call gave two results"),
        ("BrokenWhenLarge", "threads", "threw an exception: too large for me"),
    ],
)
def test_each_fault_is_found_and_shown_with_its_draw(name, check, words):
    run = _check_broken(name)
    assert run.returncode == 1, run.stdout + run.stderr
    found = [line for line in run.stdout.splitlines() if line.startswith(f"{check}: ")]
    assert found and words in found[0], run.stdout
    assert "    seed " in run.stdout


def test_a_library_without_names_is_checked_whole():
    run = _check_broken()
    assert run.returncode == 1, run.stderr
    for name in ("BrokenPromise", "BrokenOnEmpty", "BrokenGradient", "BrokenRepeat"):
        assert name in run.stdout


def test_the_page_of_an_op_says_what_was_checked():
    (result,) = main.check(["ZeroOut"])
    page = report.page(result)
    assert result.ok, page
    assert "ZeroOut(to_zero: int32) -> zeroed: int32" in page
    assert "user_ops/zero_out.cc:" in page
