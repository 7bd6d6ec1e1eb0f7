# SPDX-License-Identifier: Apache-2.0
"""Programs live through calls of the system that fail, and faults.py tells those that do not."""

import os
import pathlib
import re
import subprocess
import sys

import pytest

_FAULTS = pathlib.Path("tools/faults").resolve()
_ENVIRONMENT = {
    **os.environ,
    "PYTHONPATH": os.pathsep.join(p for p in sys.path if p),
    "TW_FAULTY_CALLS": str(_FAULTS / "faulty_calls.so"),
}


def _run(*arguments):
    """The exit status and output of faults.py."""
    command = [sys.executable, str(_FAULTS / "faults.py"), *arguments]
    run = subprocess.run(
        command, env=_ENVIRONMENT, capture_output=True, text=True, timeout=800
    )
    return run.returncode, run.stdout + run.stderr


def test_every_scenario_lives_through_a_share_of_its_calls():
    status, printed = _run("--every", "11")
    assert status == 0, printed
    total = re.search(r"^(\d+) calls failed, 0 findings$", printed, re.MULTILINE)
    assert total and int(total[1]) > 200, printed
    # Each kind of calls was found in the programs that make it.
    for line in printed.splitlines()[:-1]:
        assert not re.search(r" 0 calls failed", line), line


# A program that is careless in one way, and the words of the finding.
_CARELESS = {
    "takes an error for the end": (
        """\
    def run(self):
        try:
            tf.gfile.Copy("there", "copy", overwrite=True)
            return pathlib.Path("copy").read_text()
        except tf.errors.OpError:
            return ""
    def check(self, result):
        assert result == "text", repr(result)
""",
        "AssertionError: ''",
    ),
    "leaves half a file": (
        """\
    def run(self):
        pathlib.Path("other").write_text("other")
        tf.gfile.Copy("other", "there", overwrite=True)
    def left(self):
        assert pathlib.Path("there").read_text() in ("text", "other"), "half"
""",
        "AssertionError: half",
    ),
    "keeps a file open": (
        """\
    def run(self):
        try:
            tf.gfile.Exists("there") or 1 / 0
        except ZeroDivisionError:
            kept.append(open("other", "w"))
""",
        "open files stay",
    ),
    "raises what is not documented": (
        """\
    def run(self):
        assert tf.gfile.Exists("there")
""",
        "AssertionError",
    ),
    "dies": (
        """\
    def run(self):
        if not tf.gfile.Exists("there"):
            os.abort()
""",
        "died",
    ),
}


@pytest.mark.parametrize("how", _CARELESS)
def test_a_careless_program_is_found(how, tmp_path):
    body, words = _CARELESS[how]
    program = f"""\
import os, pathlib, sys
sys.path.insert(0, {str(_FAULTS)!r})
import faults, scenario, scenarios
import tensorwright as tf
kept = []
class Careless(scenario.Scenario):
    def prepare(self):
        pathlib.Path("there").write_text("text")
{body}
scenarios.SCENARIOS["careless"] = Careless
faults._run_child("careless", "files", "EIO", 1, 1)
"""
    run = subprocess.run(
        [sys.executable, "-c", program],
        env={**_ENVIRONMENT, "LD_PRELOAD": _ENVIRONMENT["TW_FAULTY_CALLS"]},
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    if words == "died":
        assert run.returncode < 0 and "at 1\n" in run.stdout, run.stderr
        return
    assert run.returncode == 0, run.stderr
    found = [line for line in run.stdout.splitlines() if line.startswith("found ")]
    assert any(words in line for line in found), run.stdout
    assert "end " in run.stdout
