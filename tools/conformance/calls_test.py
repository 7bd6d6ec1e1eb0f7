# SPDX-License-Identifier: Apache-2.0
"""Every public function and class is called once, and returns TensorFlow's result."""

import json
import pathlib

import pytest

import tensorwright as tf
from tensorwright.tools.conformance import calls, op_lists, symbols

README = pathlib.Path(__file__).resolve().parents[2] / "README.md"


def _callable_symbols():
    listed = json.loads((op_lists.LISTS / "python_api.json").read_text())
    kinds = ("function", "class")
    return {
        name
        for name, entry in listed.items()
        if entry["kind"] in kinds and name not in symbols.left_out()
    }


def test_every_symbol_has_one_line():
    named = [name for call in calls.read() for name in call.names]
    assert len(named) == len(set(named))
    assert set(named) == _callable_symbols()


def test_every_call_has_a_result_or_a_reason():
    lacking = [str(c) for c in calls.read() if c.is_made and not c.expected]
    assert not lacking


def test_every_symbol_returns_what_tensorflow_returns():
    outcome = calls.check(tf)
    assert not outcome.wrong, "\n" + "\n".join(outcome.wrong)
    text = " ".join(README.read_text().split())
    sentence = (
        f"Of the {outcome.listed:,} functions and classes, called once each, {outcome.matching:,} return what "
        f"TensorFlow 2.21 returns, {len(outcome.meant)} differ on purpose and {len(outcome.uncalled)} are not called"
    )
    assert sentence in text, sentence
    others = len(outcome.meant) + len(outcome.uncalled)
    assert outcome.matching + others == outcome.listed


def test_a_function_that_raises_or_computes_something_else_is_noticed(monkeypatch):
    def refuses(*_, **__):
        raise NotImplementedError("not yet")

    assert not calls.check(tf, ["square", "add"]).wrong
    monkeypatch.setattr(tf, "square", refuses)
    monkeypatch.setattr(tf, "add", tf.subtract)
    wrong = calls.check(tf, ["square", "add", "abs"]).wrong
    assert len(wrong) == 2
    assert any("NotImplementedError" in line for line in wrong)


@pytest.mark.parametrize(
    ("found", "expected", "alike"),
    [
        ("float32 [2, 3] 0.5", "float32 [2, 3] 0.5", True),
        ("float32 [2, 3] 0.50001", "float32 [2, 3] 0.5", True),
        ("float32 [2, 3] 0.7", "float32 [2, 3] ~", True),
        ("float32 [2, 3] 0.51", "float32 [2, 3] 0.5", False),
        ("float64 [2, 3] 0.5", "float32 [2, 3] 0.5", False),
        ("float32 [3, 2] 0.5", "float32 [2, 3] 0.5", False),
        ("float32 [2, 3] nan", "float32 [2, 3] 0.5", False),
        ("[float32 [] 1]", "[float32 [] 1, float32 [] 1]", False),
    ],
)
def test_results_agree(found, expected, alike):
    assert calls.agrees(found, expected) == alike


def test_random_numbers_are_written_as_any():
    assert calls.stable(["float32 [2] 0.5", "float32 [2] 0.7"]) == "float32 [2] ~"
    with pytest.raises(ValueError, match="two runs"):
        calls.stable(["[a, b]", "[a]"])
