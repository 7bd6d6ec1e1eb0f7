# SPDX-License-Identifier: Apache-2.0
"""Programs print what TensorFlow printed: a few of them; `run_programs.py` runs all."""

import pytest

from tensorwright.tools.programs import run_programs

# One for each part of the library.
SHORT = (
    "checkpoints",
    "control_flow",
    "convnet",
    "dataset_input",
    "freeze",
    "lstm_while_loop",
    "monitored",
    "queue_input",
    "saved_model",
    "vae",
)


@pytest.mark.parametrize("name", SHORT)
def test_prints_what_tensorflow_printed(name):
    assert run_programs.compare(name) is None


def test_every_program_has_what_it_is_compared_with():
    assert run_programs.names()
    for name in run_programs.names():
        assert run_programs.expected(name).strip(), name


def test_differences_are_found():
    differ = run_programs.difference
    assert differ("loss 1.0\n", "loss 1.00001\n") is None
    assert differ("loss [1. 2.]\n", "loss [1.0, 2.0]\n") is None
    assert "line 1" in differ("loss 1.0\n", "loss 1.001\n")
    assert "line 2" in differ("a 1\nb 1\n", "a 1\nc 1\n")
    assert "1 lines, 2 under" in differ("a 1\n", "a 1\nb 2\n")
    assert differ("a 1 2\n", "a 1\n")


def test_a_program_that_fails_is_no_match(tmp_path, monkeypatch):
    (tmp_path / "programs").mkdir()
    (tmp_path / "programs" / "bad.py").write_text("import tensorflow\n1 / 0\n")
    monkeypatch.setattr(run_programs, "HERE", tmp_path)
    assert "ZeroDivisionError" in run_programs.compare("bad")
