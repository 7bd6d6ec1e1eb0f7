# SPDX-License-Identifier: Apache-2.0
"""Tests of tf.app.run: flags, their help, and values that they do not take."""

import enum
import subprocess
import sys

import pytest

import tensorwright as tf

_PROGRAM = '''
"""Trains something."""
import tensorwright as tf

tf.app.flags.DEFINE_integer("steps", 5, "How many steps to take.")


def main(argv):
    print("ran", argv[1:], tf.app.flags.FLAGS.steps)
    return 3


if __name__ == "__main__":
    tf.app.run()
'''


@pytest.fixture
def run(tmp_path):
    program = tmp_path / "train.py"
    program.write_text(_PROGRAM)
    command = [sys.executable, str(program)]
    return lambda *args: subprocess.run(
        [*command, *args], capture_output=True, text=True
    )


@pytest.mark.parametrize(
    ("args", "said"),
    [
        ([], "ran [] 5"),
        (["--steps=7", "x"], "ran ['x'] 7"),
        (["--of_another_parser=1"], "ran ['--of_another_parser=1'] 5"),
    ],
)
def test_main_gets_what_is_no_flag_and_its_result_is_the_exit_code(run, args, said):
    ended = run(*args)
    assert ended.stdout.strip() == said
    assert ended.returncode == 3


def test_help_names_the_flags_of_the_program_and_does_not_run_it(run):
    ended = run("--help")
    assert "Trains something." in ended.stdout
    assert "--steps: How many steps to take." in ended.stdout
    assert "ran" not in ended.stdout
    assert ended.returncode == 1


def test_a_value_that_a_flag_does_not_take_is_said_without_a_traceback(run):
    ended = run("--steps=many")
    assert "flag --steps=many: invalid literal" in ended.stderr
    assert "Traceback" not in ended.stderr and "ran" not in ended.stdout
    assert ended.returncode == 1


def test_flags_of_an_enumeration_are_its_members():
    class Color(enum.Enum):
        RED = 1
        BLUE = 2

    values = tf.flags.FlagValues()
    tf.flags.DEFINE_enum_class("color", Color.RED, Color, "help", flag_values=values)
    values(["program", "--color=blue"])
    assert values.color is Color.BLUE
    with pytest.raises(tf.flags.DuplicateFlagError):
        tf.flags.DEFINE_string("color", "", "again", flag_values=values)
    with pytest.raises(tf.flags.IllegalFlagValueError):
        values(["program", "--color=green"])
