# SPDX-License-Identifier: Apache-2.0
"""A check that checked nothing is never called right, and findings say what an author needs."""

import argparse
import dataclasses
import subprocess

import numpy as np
import pytest

from tensorwright.tools.opcheck import (
    allowed,
    gradient_check,
    hint_files,
    hint_table,
    main,
    places,
    promises,
    report,
    report_calls,
    sanitize_check,
    verdicts,
)
from tensorwright.tools.opcheck.checks import QUICK, Finding, Result
from tensorwright.tools.opcheck.draws import SMALL, SMOOTH, draw
from tensorwright.tools.opcheck.finite_differences import Pair
from tensorwright.tools.opcheck.sanitizers import Sanitized
from tensorwright.tools.opcheck.signature import Signature

# Verdicts. ---------------------------------------------------------------------------------------------------


def test_no_check_is_ok_that_looked_at_nothing():
    result = Result(Signature("Neg"), own=True, sanitizers=("address",))
    found = {v.check: v for v in verdicts.of(result)}
    assert set(found) > {"valid", "shape", "gradient", "threads", "nan", "malformed"}
    assert set(found) > {"touches", "bounds", "leak", "sanitize"}
    for verdict in found.values():
        assert verdict.status == verdicts.NOT_CHECKED, verdict
        assert "not checked: " in str(verdict) and " 0 " not in str(verdict)
    assert report.row(result).findings == "-"


def test_one_check_that_looked_at_nothing_is_named_in_the_table_and_in_json():
    result = Result(Signature("Neg"), valid=1, shapes=1, gradients=1, nans=1)
    result.malformed = result.kept = result.touches = 1
    result.why["threads"] = "no call is large"
    assert verdicts.unchecked(result) == ["threads"]
    assert "threads     not checked: no call is large" in report.page(result)
    assert report.row(result).findings == "none; not checked: threads"
    (op,) = report.as_json([result])["ops"]
    assert op["status"] == "not checked" and result.ok
    assert op["checks"]["shape"]["status"] == "ok"
    result.threads = 1
    assert report.row(result).findings == "ok"
    assert report.as_json([result])["ops"][0]["status"] == "ok"


def test_an_op_without_a_gradient_or_floats_has_nothing_to_check():
    result = Result(Signature("BitwiseAnd"), valid=1, touches=1)
    found = {v.check: v for v in verdicts.of(result)}
    assert found["nan"].status == verdicts.NOTHING
    assert found["gradient"].status == verdicts.NOTHING
    assert verdicts.unchecked(result) == ["shape", "threads", "malformed"]


def test_a_call_that_does_not_end_is_the_reason_for_what_follows():
    result = Result(Signature("Neg"), valid=2, own=True)
    result.why[""] = "a call did not end"
    by = {v.check: v for v in verdicts.of(result)}
    assert by["leak"].text == by["bounds"].text == "a call did not end"


# Findings. ---------------------------------------------------------------------------------------------------


def test_findings_that_differ_in_numbers_are_of_one_kind():
    first = Finding("shape", "output 0: promised [5, None], the kernel gave [136]")
    other = Finding("shape", "output 1: promised [2], the kernel gave [1, 3]\n  more")
    assert first.kind == other.kind
    assert first.kind != dataclasses.replace(first, check="valid").kind
    assert first.kind != Finding("shape", "output 0: threw [5]").kind
    # A difference in front of the cause does not count.
    one = Finding("malformed", "input 0: rank 5: no", cause="no")
    assert one.kind == Finding("malformed", "x = nan: no", cause="no").kind


def test_a_page_shows_the_first_of_a_kind_and_counts_the_others(capsys):
    result = Result(Signature("Neg"), valid=1)
    signature = Signature("Neg")
    for seed in range(20):
        result.find("shape", f"output {seed}", draw(signature, seed))
    page = report.page(result)
    assert "shape       FAILED, 20 findings of 1 kind below" in page
    assert page.count("\nshape: ") == 1
    assert "and 19 more calls like it (--all-findings shows them)" in page
    assert report.page(result, True).count("\nshape: ") == 20
    assert len(report.as_json([result])["ops"][0]["findings"]) == 20
    arguments = argparse.Namespace(json=False, table=False, all_findings=True)
    main._print(arguments, [result], True)
    assert capsys.readouterr().out.count("\nshape: ") == 20


@pytest.mark.parametrize(
    ("pair", "problem", "said"),
    [
        (
            Pair("differ", np.nan, np.nan, np.nan),
            "of shape [2], the input of [3]",
            "the gradient is of shape [2], the input of [3]",
        ),
        (
            Pair("differ", np.nan, 2.0, np.nan),
            "",
            "the gradient is not finite, finite differences 2",
        ),
        (
            Pair("differ", 3.0, 2.0, 1e-9),
            "",
            "the gradient says 3, finite differences 2 +- 1e-09",
        ),
        (
            Pair("differ", 0.0, 2.0, 1e-9),
            "none",
            "the gradient is none, finite differences 2 +- 1e-09",
        ),
    ],
)
def test_a_wrong_gradient_is_told_without_numbers_that_are_none(pair, problem, said):
    assert gradient_check._difference(pair, problem) == said


def test_a_wrong_gradient_is_not_told_twice():
    result = Result(Signature("Neg"), untold={("real", "x")}, numbers={"x"})
    (text,) = promises._gradient(result)
    assert text.startswith("by x: no derivative in real numbers tells a right")
    result.find("gradient", "by x: the gradient says 3, finite differences -1")
    assert promises._gradient(result) == []


def test_a_finding_says_how_its_call_is_drawn_again():
    signature = Signature("Neg")
    case = draw(signature, 12, SMOOTH, (2, 1), T=1)
    result = Result(signature)
    result.find("gradient", "it is wrong", case, shapes="partial")
    first, second, *_ = report_calls.of_finding(result.findings[0])
    assert first == "seed 12 (size='smooth', prefer=(2, 1), T=1)"
    assert second == "input shapes known in part when the node is added"
    again = eval(f"draw(signature, {first[5:].replace(' (', ', ', 1)}")
    assert np.array_equal(again.inputs[0], case.inputs[0])
    result.find("valid", "no", draw(signature, 3))
    assert report_calls.of_finding(result.findings[1])[0] == "seed 3"


def test_a_variable_is_shown_as_one():
    lines = report_calls.describe(draw(Signature("AssignAddVariableOp"), 3, SMALL))
    assert any(line.startswith("input 0: a variable of ") for line in lines), lines
    assert any(line.startswith("input 1: ") and "a var" not in line for line in lines)


# The place of a crash. ---------------------------------------------------------------------------------------

_SOURCE = """\
struct RowOp { void Compute(int); };
void Failed();
void RowOp::Compute(int n) {
  if (n == 7)
    Failed();
}
"""


@pytest.mark.parametrize("lines", [True, False])
def test_an_address_in_a_report_leads_to_the_line(tmp_path, lines):
    source, library = tmp_path / "row.cc", tmp_path / "row.so"
    source.write_text(_SOURCE)
    command = ["g++", "-O2", "-fPIC", "-shared", str(source), "-o", str(library)]
    subprocess.run([*command, "-g1"] if lines else command, check=True)
    code = subprocess.run(
        ["objdump", "-d", str(library)], capture_output=True, text=True, check=True
    ).stdout
    calls = [line for line in code.splitlines() if "<_Z6Failedv" in line]
    # The last one: the table of other functions calls it, too.
    offset = calls[-1].split(":")[0].strip()
    said = f"    library    {library}\n    called at  {library}+0x{offset}\n"
    found = places.lines(f"    called at  /lib/libc.so+0x1\n{said}")
    if lines:
        assert found == [f"    at {source}:5 in RowOp::Compute", "    5: Failed();"]
    else:
        assert found[0].startswith("    in RowOp::Compute: built by `tw build`")
    assert places.lines("    called at  /lib/libc.so+0x1\n") == []


# Hints. ------------------------------------------------------------------------------------------------------


@pytest.fixture
def tables(monkeypatch):
    """Hints and exemptions that end with the test."""
    monkeypatch.setattr(hint_table, "_hints", dict(hint_table._hints))
    copies = {op: list(found) for op, found in allowed._exemptions.items()}
    monkeypatch.setattr(allowed, "_exemptions", copies)


_HINTS = """\
from tensorwright.tools.opcheck.allowed import LEAK, allow
from tensorwright.tools.opcheck.draws import hint
allow(LEAK, "ZeroOut", "it keeps all")
@hint("ZeroOut")
def _draw(d):
    return [d.values(3, [7])]
"""


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('@hint("ZeroOut")', '@hint("ZeroOot")', '4: @hint("ZeroOot"): no such op; similar: ZeroOut'),
        ('LEAK, "ZeroOut"', 'LEAK, "ZeroOtu"', '3: allow(..., "ZeroOtu"): no such op; similar: ZeroOut'),
        ("@hint", "@hnt", "4: NameError: name 'hnt' is not defined"),
        ("def _draw(d):", "def _draw(d:", "5: SyntaxError: "),
        ("d.values", "d.value", "6: the hint of ZeroOut fails: AttributeError: "),
        ("d.values(3, [7])", 'd["axsi"]', "6: the hint of ZeroOut fails: KeyError: 'axsi', which is no attr"),
        ("d.values(3, [7])", "[1, 2]", "4: the hint of ZeroOut returns a list for to_zero, not an array"),
        ("d.values(3, [7])", "d.values(1, [7])", "4: the hint of ZeroOut drew float32 for to_zero, which is int32"),
        ("[d.values(3, [7])]", "[]", "4: the hint of ZeroOut returns 0 inputs, and the op has 1: to_zero"),
    ],
)  # fmt: skip
def test_a_wrong_hint_is_told_with_its_line(tables, tmp_path, old, new, said):
    file = tmp_path / "zero_out_hints.py"
    text = _HINTS.replace(old, new)
    assert text != _HINTS
    file.write_text(text)
    with pytest.raises(hint_table.HintError) as caught:
        hint_files.run([str(tmp_path / "libzero_out.so")])
        draw(Signature("ZeroOut"), 1)
    assert f"{file}:{said}" in str(caught.value)
    if "d.value(" in text:
        assert "; similar: values" in str(caught.value)


def test_a_file_of_hints_may_run_twice_in_a_process(tables, tmp_path):
    file = tmp_path / "zero_out_hints.py"
    file.write_text(_HINTS)
    for _ in range(2):
        hint_files.run([str(tmp_path / "libzero_out.so")])
    assert len(allowed.all_of("ZeroOut", allowed.LEAK)) == 1
    assert draw(Signature("ZeroOut"), 1).inputs[0].shape == (7,)
    other = tmp_path / "other_hints.py"
    other.write_text(_HINTS)
    with pytest.raises(hint_table.HintError, match="ZeroOut has a hint already"):
        hint_files.run([str(tmp_path / "libzero_out.so")])


def test_hints_for_another_library_of_the_folder_are_not_wrong(tables, tmp_path):
    file = tmp_path / "other_hints.py"
    file.write_text(_HINTS.replace("ZeroOut", "QxvPlugh"))
    (tmp_path / "libother.so").touch()
    hint_files.run([str(tmp_path / "libzero_out.so")])


def test_files_of_hints_are_named_after_the_op():
    assert hint_files.name_for("RowEnergy") == "row_energy_hints.py"


# Sanitizers. -------------------------------------------------------------------------------------------------

_OVERFLOW = """\
/home/row.cc:3:9: runtime error: signed integer overflow: 2147483647 + 1 cannot be represented in type 'int'
    #0 0x7f2 in RowOp::Compute(OpKernelContext*) /home/row.cc:3
"""


class _Worker:
    """One whose sanitizer reports an overflow in each call."""

    def __init__(self, logs):
        self._logs = logs

    def ask(self, do, **arguments):
        with open(self._logs / "UBSA.1", "a") as log:
            log.write(_OVERFLOW)


@pytest.mark.parametrize("exempt", [True, False])
def test_an_op_may_be_exempt_from_an_overflow(tables, tmp_path, exempt):
    if exempt:
        why = "it wraps"
        allowed.allow(allowed.UNDEFINED, "Neg", why, of="signed integer overflow")
    sanitized = Sanitized(("undefined",), "x.so", ("/home/row.cc",), {}, str(tmp_path))
    result = Result(Signature("Neg"))
    worker = _Worker(tmp_path)
    check = sanitize_check.SanitizeCheck(sanitized, worker, QUICK, result, 0)
    check._ask(draw(Signature("Neg"), 1), "", "run")
    assert result.ok == exempt
    assert bool(result.excused) == exempt
    if not exempt:
        assert "/home/row.cc:3 in RowOp::Compute" in result.findings[0].text
        assert "compute it unsigned" in result.findings[0].text
