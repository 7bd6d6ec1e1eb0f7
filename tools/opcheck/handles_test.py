# SPDX-License-Identifier: Apache-2.0
"""Ops with handles of their library are called in sequences, and lists get lengths that agree."""

import pathlib
import re

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.tools.opcheck import handles, hints, report_calls
from tensorwright.tools.opcheck.signature import Signature
from tensorwright.tools.tw import main

_LIBRARY = str(pathlib.Path("tools/opcheck/mistakes.so").resolve())


@pytest.fixture(scope="module", autouse=True)
def own():
    # As in a test that imports its op before it checks it.
    tf.load_op_library(_LIBRARY)
    assert main.main(["check-op", "--quick", "--library", _LIBRARY, "GoodRing"]) == 0


def _check(capsys, *names):
    status = main.main(["check-op", "--quick", "--library", _LIBRARY, *names])
    return status, capsys.readouterr().out


def test_a_handle_is_made_by_the_op_that_its_name_is_like():
    assert handles.maker_of(Signature("GoodRingRead")).name == "GoodRing"
    assert handles.maker_of(Signature("MistakenRingPush")).name == "MistakenRing"
    assert handles.maker_of(Signature("GoodRing")) is None
    assert handles.maker_of(Signature("ReadVariableOp")) is None
    users = handles.users_of(Signature("GoodRing"))
    assert [u.name for u in users] == ["GoodRingPush", "GoodRingRead"]


def test_calls_of_the_library_come_before_one_with_a_handle():
    states = [hints.draw(Signature("GoodRingRead"), seed).state for seed in range(30)]
    assert {s.maker.op for s in states} == {"GoodRing"}
    assert {c.op for s in states for c in s.before} == {"GoodRingPush", "GoodRingRead"}
    # The default is 100, which few calls would fill.
    capacities = {s.maker.attrs["capacity"] for s in states}
    assert 100 in capacities and min(capacities) < 5


def test_a_ring_that_is_right_has_no_finding(capsys):
    status, printed = _check(capsys, "GoodRing", "GoodRingPush", "GoodRingRead")
    assert status == 0, printed
    counts = re.findall(r"  sequence +(\d+) sequences of calls", printed)
    assert len(counts) == 2 and all(int(n) >= 3 for n in counts), printed


def test_a_ring_whose_later_calls_write_behind_it_fails(capsys):
    status, printed = _check(capsys, "MistakenRingPush")
    assert status == 1
    found = re.search(r"^sequence: (.*)$", printed, re.MULTILINE)
    assert found, printed
    assert re.fullmatch(
        r"(MistakenRing(Push|Read) )+MistakenRing(Push|Read): the process died: SIG\w+",
        found[1],
    )


def test_what_reads_from_a_handle_has_no_large_call_and_says_so(capsys):
    status, printed = _check(capsys, "GoodRingRead")
    assert status == 0, printed
    found = re.search(r"^  threads     not checked: (.*)$", printed, re.MULTILINE)
    assert found and "no call had 20,000 elements" in found[1], printed
    assert "a hint that draws more where d.large" in found[1]


def test_a_finding_shows_the_handle_and_all_calls_with_it(capsys):
    _, printed = _check(capsys, "MistakenRingPush")
    found = printed.partition("\nsequence: ")[2].partition("\n\n")[0]
    names = re.findall(r"MistakenRing(?:Push|Read)", found.splitlines()[0])
    assert "    the handle: MistakenRing(capacity=" in found
    calls = re.findall(r"^    call \d+: (\w+)\(handle\b", found, re.MULTILINE)
    assert calls == names, printed
    case = next(
        case
        for case in (hints.draw(Signature("GoodRingPush"), s) for s in range(30))
        if case.state.before
    )
    lines = report_calls.describe(case)
    assert "input 0: handle" in lines
    assert any(line.startswith("the handle: GoodRing(capacity=") for line in lines)
    before = [line for line in lines if line.startswith("before it: GoodRing")]
    assert len(before) == len(case.state.before)


def test_lists_agree_across_inputs_and_attrs(capsys):
    signature = Signature("ListedSums")
    fitting = 0
    for seed in range(40):
        case = hints.draw(signature, seed)
        n = case.attrs["N"]
        names, xs, ys = case.inputs
        assert len(xs) == len(ys) == n == len(case.types[1])
        fitting += names.shape == (n,) and len(case.attrs["weights"]) == n
        assert hints.draw(signature, seed).attrs == case.attrs
        assert np.array_equal(hints.draw(signature, seed).inputs[0], names)
    assert fitting >= 10
    status, printed = _check(capsys, "ListedSums")
    assert status == 0, printed
