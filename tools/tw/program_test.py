# SPDX-License-Identifier: Apache-2.0
"""The errors of programs under `tw run`, `tw trace` and `tw plan`."""

import subprocess
import sys

import pytest

PROGRAM = """\
import tensorflow as tf
def model():
    return tf.reduce_meen([1.0])
print("begins")
model()
"""


def _tw(*arguments, cwd=None):
    command = [sys.executable, "-m", "tensorwright.tools.tw.main", *arguments]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("command", ["run", "trace", "plan"])
def test_an_error_begins_with_the_program_and_suggests(command, tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM)
    done = _tw(command, "program.py", cwd=tmp_path)
    assert done.returncode == 1 and done.stdout == "begins\n"
    lines = done.stderr.splitlines()
    at = lines.index("Traceback (most recent call last):")
    assert lines[at + 1 : at + 4] == [
        '  File "program.py", line 5, in <module>',
        "    model()",
        '  File "program.py", line 3, in model',
    ]
    assert "Did you mean: 'reduce_mean'?" in done.stderr
    assert "runpy" not in done.stderr and "tw/program.py" not in done.stderr


def test_an_error_of_text_begins_with_the_text():
    done = _tw("run", "-c", "1 / 0")
    assert done.returncode == 1
    assert done.stderr.splitlines() == [
        "Traceback (most recent call last):",
        '  File "<string>", line 1, in <module>',
        "ZeroDivisionError: division by zero",
    ]


def test_the_hook_of_a_program_and_its_exit_status_stay(tmp_path):
    hook = "import sys\nsys.excepthook = lambda *e: print(e[0].__name__)\n1 / 0\n"
    (tmp_path / "program.py").write_text(hook)
    done = _tw("run", "program.py", cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (1, "ZeroDivisionError\n", "")
    (tmp_path / "program.py").write_text("import sys\nsys.exit(7)\n")
    assert _tw("run", "program.py", cwd=tmp_path).returncode == 7


@pytest.mark.parametrize("command", ["trace", "plan", "run"])
def test_without_a_program_a_command_says_what_to_give(command):
    done = _tw(command)
    assert done.returncode == 2
    assert done.stderr.startswith(f"tw {command}: a program is wanted, ")
