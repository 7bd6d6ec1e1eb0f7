# SPDX-License-Identifier: Apache-2.0
"""opcheck finds the faults of ops made wrong, and no fault of the library's."""

import dataclasses
import pathlib
import subprocess
import sys

import pytest

from tensorwright.tools.opcheck import (
    allowed,
    checks,
    draws,
    hints,
    kept_calls,
    kept_refusals,
    kept_shapes,
    main,
    promises,
    report,
    signature as sig,
)
from tensorwright.tools.opcheck.signature import Signature, registered_ops

_HERE = pathlib.Path(__file__).resolve().parent
# The library is in the runfiles, not beside the source.
_LIBRARY = str(pathlib.Path("tools/opcheck/broken_ops.so").resolve())


@pytest.fixture(scope="module")
def checker():
    checker = checks.Checker(checks.QUICK)
    yield checker
    checker.close()


# The library's ops. ------------------------------------------------------------------------------------------

_results = {}


@pytest.mark.parametrize("name", registered_ops())
def test_the_op_passes_a_quick_check(checker, name):
    result = _results[name] = checker.check(name)
    assert result.ok, "\n" + report.page(result)


def _exempt(op, check):
    return bool(allowed.all_of(op, check))


@pytest.fixture
def table():
    """The table of the checks above."""
    if len(_results) < len(registered_ops()):
        pytest.fail("the table is of all ops: run this test with those above")
    return [report.row(r) for r in _results.values() if r.valid]


def test_the_table_leaves_out_only_ops_that_cannot_be_called():
    left_out = {name for name, r in _results.items() if not r.valid}
    assert left_out == {n for n in _results if _exempt(n, allowed.VALID)}


def test_the_table_shows_every_dtype_drawn(table):
    missing = {r.op: r.dtypes for r in table if r.dtypes[0] < r.dtypes[1]}
    assert set(missing) == {n for n in allowed.ops() if _exempt(n, allowed.DTYPE)}
    assert sum(r.dtypes[0] for r in table) > 3000


def test_the_table_shows_shapes_compared(table):
    for row in table:
        signature = sig.Signature(row.op)
        assert row.valid >= checks.QUICK.valid, row
        if signature.outputs and signature.has_shape_fn:
            assert row.shapes or _exempt(row.op, allowed.SHAPE), row


def test_the_table_shows_each_gradient_compared(table):
    names = {r.op for r in table}
    registered = [n for n in names if promises.gradient(sig.Signature(n))]
    assert len(registered) > 200
    silent = [allowed.NO_NUMBERS, allowed.REFUSES]
    for row in table:
        if row.op not in registered:
            assert not row.gradients, row
        elif not any(_exempt(row.op, check) for check in silent):
            assert row.gradients, row
            assert row.by[0] == row.by[1] or _exempt(row.op, allowed.FLAT), row
            assert row.gradient_dtypes[0] == row.gradient_dtypes[1], row


def test_the_table_shows_threads_compared(table):
    without = {r.op for r in table if not r.threads}
    assert without == {n for n in allowed.ops() if _exempt(n, allowed.THREADS)}


def test_the_table_shows_malformed_calls(table):
    without = {r.op for r in table if not r.malformed}
    assert without == {n for n in allowed.ops() if _exempt(n, allowed.MALFORMED)}


def test_exemptions_are_of_ops_that_there_are():
    assert set(allowed.ops()) <= set(registered_ops())


# Promises of which nothing is checked. -----------------------------------------------------------------------


def _refuse(monkeypatch, refuse):
    """Makes draws come to nothing where `refuse(size, prefer, fixed)`."""
    draw = hints.draw

    def refusing(signature, seed, size=draws.SMALL, prefer=(), **fixed):
        if refuse(size, prefer, fixed):
            raise draws.Unsuitable("refused by the test")
        return draw(signature, seed, size, prefer, **fixed)

    monkeypatch.setattr(hints, "draw", refusing)


@pytest.mark.parametrize(
    ("refuse", "words"),
    [
        (lambda *_: True, "no call was accepted, so nothing was checked (refused by"),
        (lambda size, prefer, fixed: sig.HALF in fixed.values(), "with T=float16"),
        (
            lambda size, prefer, fixed: size == draws.SMOOTH,
            "no draw was differentiated",
        ),
        (
            lambda size, prefer, fixed: prefer == (sig.COMPLEX64,),
            "no gradient was computed in complex64",
        ),
        (lambda size, prefer, fixed: size == draws.BIG, "no large call was run"),
    ],
)
def test_a_promise_of_which_nothing_was_checked_is_a_finding(
    checker, monkeypatch, refuse, words
):
    _refuse(monkeypatch, refuse)
    # The kept line of the op misses it, too.
    found = [f for f in checker.check("Neg").findings if f.check != "kept"]
    assert len(found) == 1 and found[0].check == "promise", found
    assert words in found[0].text


def test_an_input_by_which_no_derivative_tells_is_a_finding(checker, monkeypatch):
    for exemption in allowed.all_of("Floor", allowed.FLAT):
        monkeypatch.setitem(allowed._exemptions, "Floor", [])
        (finding,) = checker.check("Floor").findings
        assert f"by {exemption.of}: no derivative in real numbers" in finding.text


@pytest.mark.parametrize(
    ("check", "of"),
    [
        (allowed.VALID, ""),
        (allowed.DTYPE, "T=float16"),
        (allowed.SHAPE, ""),
        (allowed.UNKNOWN_SHAPES, ""),
        (allowed.SHAPE_UNASKED, ""),
        (allowed.REPEAT, ""),
        (allowed.DERIVATIVE, "real"),
        (allowed.REFUSES, "words"),
        (allowed.NO_NUMBERS, ""),
        (allowed.OUTPUT, "0"),
        (allowed.NO_PATH, "x"),
        (allowed.FLAT, "x"),
        (allowed.GRADIENT_DTYPE, "float16"),
        (allowed.NAN_LOST, ""),
        (allowed.NAN_SPREAD, ""),
        (allowed.THREADS, ""),
        (allowed.MALFORMED, ""),
    ],
)
def test_an_exemption_that_is_not_needed_is_a_finding(checker, monkeypatch, check, of):
    monkeypatch.setitem(allowed._exemptions, "Neg", [])
    allowed.allow(check, "Neg", "no reason", of)
    found = [f.text for f in checker.check("Neg").findings]
    assert any("not needed" in text and check in text for text in found), found


def test_calls_made_wrong_of_an_op_that_gives_a_variant_are_computed_or_refused():
    checker = checks.Checker(dataclasses.replace(checks.QUICK, malformed=200))
    try:
        result = checker.check("TensorDataset", seed=20261127)
    finally:
        checker.close()
    assert not result.findings
    assert 0 < result.malformed_refused < result.malformed


def test_an_exemption_that_few_draws_need_need_not_be_needed(checker, monkeypatch):
    monkeypatch.setitem(allowed._exemptions, "Neg", [])
    allowed.allow(allowed.NAN_SPREAD, "Neg", "no reason", rare=True)
    assert not checker.check("Neg").findings


def test_other_draws_do_not_say_that_an_exemption_is_not_needed(checker, monkeypatch):
    monkeypatch.setitem(allowed._exemptions, "Neg", [])
    allowed.allow(allowed.NAN_SPREAD, "Neg", "no reason")
    assert checker.check("Neg").findings
    assert not checker.check("Neg", seed=1).findings


# Kept lines. -------------------------------------------------------------------------------------------------


def test_every_op_has_its_line_of_what_it_keeps():
    """`tw check-op --keep OP...` writes lines."""
    assert list(kept_refusals.read()) == registered_ops()


def test_a_refusal_that_is_lost_is_a_finding(checker, monkeypatch):
    line = kept_refusals.Kept("Neg", kept_refusals.ALL, known=(), run=tuple(range(40)))
    monkeypatch.setitem(checker._kept, "Neg", line)
    found = checker.check("Neg").findings
    assert found and {f.check for f in found} == {"kept"}
    assert all("was refused, and is not any more" in f.text for f in found)


def test_a_shape_function_that_says_less_is_a_finding(checker, monkeypatch):
    monkeypatch.setitem(
        checker._kept, "Where", kept_refusals.Kept("Where", kept_refusals.ALL)
    )
    (finding,) = checker.check("Where").findings
    assert "said all of its outputs' shapes, and says less" in finding.text


def test_fewer_sizes_and_other_values_in_a_dtype_are_findings(checker, monkeypatch):
    line = ["sizes=999", "T=float16"]
    monkeypatch.setitem(checker._kept_calls, "Neg", line)
    (finding,) = checker.check("Neg").findings
    assert "sizes and ranks of outputs, and told 999 once" in finding.text
    monkeypatch.setitem(checker._kept_calls, "Neg", line[1:])
    assert checker.check("Neg").ok
    monkeypatch.setattr(kept_calls, "_apart", lambda *_: "another number")
    (finding,) = checker.check("Neg").findings
    assert "T=float16 against float64: another number" in finding.text


def test_lines_of_calls_can_be_written_and_read(tmp_path):
    assert len(kept_calls.read()) > 800
    file = tmp_path / "kept_calls.txt"
    file.write_text("# words\n")
    lines = {"B": ["sizes=3", "T=int8"], "A": ["sizes=1"], "C": []}
    kept_calls.write(lines, file)
    assert kept_calls.read(file) == {"A": ["sizes=1"], "B": ["sizes=3", "T=int8"]}


def test_lines_can_be_written_and_read(tmp_path):
    file = tmp_path / "kept_refusals.txt"
    file.write_text("# words\n")
    lines = {
        "B": kept_refusals.Kept("B", kept_refusals.RANK, (1, 22), (3,)),
        "A": kept_refusals.Kept("A", kept_refusals.NONE),
    }
    kept_refusals.write(lines, file)
    assert file.read_text().startswith("# words\nA ")
    assert kept_refusals.read(file) == lines
    file.write_text("A some |\n")
    with pytest.raises(ValueError, match="kept_refusals.txt:1: not a line"):
        kept_refusals.read(file)


# Gradients made wrong. ---------------------------------------------------------------------------------------

_TIMES_3 = (
    "Neg", "Sum", "Mean", "Relu", "MaxPool", "Square", "Sub", "Max", "Switch",
    "TensorArrayReadV3", "Gather", "IdentityN",
)  # fmt: skip
_WRONG = {
    "times 3": _TIMES_3,
    "other sign": ("Neg", "Switch", "TensorArrayReadV3", "Conv2D"),
    "none": ("Neg", "Cast", "ConcatV2"),
}


@pytest.fixture(scope="module")
def checkers_with_wrong_gradients():
    """For each way of being wrong: one whose workers have these gradients."""
    with pytest.MonkeyPatch.context() as patch:
        checkers = {}
        for way, names in _WRONG.items():
            patch.setenv("WRONG_GRADIENTS", f"{way}: {' '.join(names)}")
            checker = checks.Checker(checks.QUICK, (str(_HERE / "wrong_gradients.py"),))
            checker.check("NoOp")  # Starts the workers.
            checkers[way] = checker
        yield checkers
        for checker in checkers.values():
            checker.close()


@pytest.mark.parametrize(
    ("way", "name"), [(way, name) for way, names in _WRONG.items() for name in names]
)
def test_a_wrong_gradient_is_found_in_the_quick_form(
    checkers_with_wrong_gradients, way, name
):
    result = checkers_with_wrong_gradients[way].check(name)
    found = [f.text for f in result.findings if f.check == "gradient"]
    assert found and all("finite differences" in text for text in found)


# Ops made wrong. ---------------------------------------------------------------------------------------------


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
        ("BrokenGradient", "gradient", "finite differences"),
        ("BrokenRepeat", "repeat", "the same call gave two results"),
        ("BrokenWhenLarge", "threads", "threw an exception: too large for me"),
        ("BrokenNan", "nan", "output 0 depends on a NaN in tensor 0, float32, and is"),
        ("BrokenNanSpreads", "nan", "output 0 does not depend on a NaN in tensor 0"),
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


# Output. -----------------------------------------------------------------------------------------------------


def test_the_page_of_an_op_says_what_was_checked():
    (result,) = main.check(["ZeroOut"])
    page = report.page(result)
    assert result.ok, page
    assert "ZeroOut(to_zero: int32) -> zeroed: int32" in page
    assert "user_ops/zero_out.cc:" in page


def test_the_table_has_a_line_an_op_and_says_what_is_exempt():
    text = report.table(main.check(["Floor", "MatMul"]))
    lines = {line.split()[0]: line for line in text.splitlines() if line}
    assert lines["MatMul"].split()[1] == "8/8"
    assert "exempt from flat of x: " in text


def _said(checker, op):
    return {f.check for f in checker.check_alone(op, "shapes").findings}


def test_what_a_shape_function_said_once_is_missed(checker, monkeypatch):
    line = kept_shapes.read()["ReaderReadV2"]
    assert "s,s" in line.values() and kept_shapes.REFUSED in line.values()
    assert not _said(checker, "ReaderReadV2")
    for number, outcome in line.items():
        other = "s,2" if outcome == kept_shapes.REFUSED else kept_shapes.REFUSED
        changed = {**line, number: other}
        monkeypatch.setitem(checker._kept_shapes, "ReaderReadV2", changed)
        assert _said(checker, "ReaderReadV2") == {"kept"}


def test_shape_functions_that_calls_tell_little_of_are_asked_alone():
    lines = kept_shapes.read()
    wanted = [op for op in registered_ops() if kept_shapes.wanted(Signature(op))]
    assert set(lines) == set(wanted) and len(lines) > 300
    assert "BatchDataset" in wanted and "MatMul" not in wanted


def test_lines_of_kept_shapes_are_read_as_written(tmp_path):
    file = tmp_path / "kept_shapes.txt"
    file.write_text("# What it is.\n")
    lines = {
        "B": {10: "2x?,s,?", 2: kept_shapes.REFUSED},
        "A": {0: kept_shapes.NOTHING},
    }
    kept_shapes.write(lines, file)
    assert kept_shapes.read(file) == lines
    assert file.read_text().startswith("# What it is.\nA ")
