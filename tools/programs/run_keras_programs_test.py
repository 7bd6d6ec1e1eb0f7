# SPDX-License-Identifier: Apache-2.0
"""Programs of Keras's guides hold: a few of them; `run_keras_programs.py` runs all."""

import importlib.util

import pytest

from tensorwright.tools.programs import run_keras_programs

needs_keras = pytest.mark.skipif(
    importlib.util.find_spec("keras") is None, reason="Keras is not installed"
)


@needs_keras
@pytest.mark.parametrize("name", ["mnist_mlp", "datasets", "save_and_load", "vae"])
def test_what_a_program_asserts_is_true(name):
    assert run_keras_programs.problem(name) is None


def test_there_are_programs_of_25_kinds():
    assert len(run_keras_programs.names()) >= 25


def test_a_program_that_asserts_what_is_wrong_fails(tmp_path, monkeypatch):
    (tmp_path / "bad.py").write_text("import tensorflow\nassert 1 > 2, 'no'\n")
    monkeypatch.setattr(run_keras_programs, "HERE", tmp_path)
    assert "AssertionError: no" in run_keras_programs.problem("bad")
