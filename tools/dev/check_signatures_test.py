# SPDX-License-Identifier: Apache-2.0
"""check_signatures.py finds `Any` in public signatures, and nothing else."""

import pytest

from tensorwright.tools.dev import check_signatures


@pytest.mark.parametrize(
    "annotation",
    ["Any", "typing.Any", "list[Any]", "'Any'", "Callable[..., Any] | None"],
)
def test_any_is_found_wherever_it_stands(annotation):
    for text in (
        f"def f(x: {annotation}): ...",
        f"def f(*, x: {annotation} = 1): ...",
        f"def f(*x: {annotation}): ...",
        f"def f(**x: {annotation}): ...",
        f"def f(x) -> {annotation}: ...",
        f"async def f(x: {annotation}, /): ...",
        f"class A:\n    def f(self, x: {annotation}): ...",
        f"class A:\n    def __init__(self, x: {annotation}): ...",
        f"if x:\n    def f(x: {annotation}): ...",
    ):
        assert len(check_signatures.lines_with_any(text)) == 1, text


def test_a_line_counts_once():
    text = (
        "def f(\n    x: Any, y: Any,\n    z: int,\n    *a: Any,\n) -> Any:\n    pass\n"
    )
    assert check_signatures.lines_with_any(text) == [2, 4, 5]


@pytest.mark.parametrize(
    "text",
    [
        "def _f(x: Any): ...",
        "class _A:\n    def f(self, x: Any): ...",
        "class A:\n    def _f(self, x: Any): ...",
        "def f(x: Anything, y: object = Any): ...",
        "def f():\n    def g(x: Any): ...",
        "x: Any = 1",
    ],
)
def test_other_places_do_not_count(text):
    assert check_signatures.lines_with_any(text) == []


def test_the_program_fails_above_its_bound(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(check_signatures, "ROOT", tmp_path)
    monkeypatch.setattr(check_signatures, "MOST", 1)
    monkeypatch.setattr(check_signatures, "sources", lambda: ["a.py"])
    (tmp_path / "a.py").write_text("def f(x: Any): ...\n")
    assert check_signatures.main([]) == 0
    (tmp_path / "a.py").write_text("def f(x: Any): ...\ndef g() -> Any: ...\n")
    assert check_signatures.main(["--list"]) == 1
    printed = capsys.readouterr().out
    assert "a.py:2: def g() -> Any: ...\n" in printed
    assert "2 lines" in printed
    monkeypatch.setattr(check_signatures, "sources", lambda: [])
    assert check_signatures.main([]) == 1
