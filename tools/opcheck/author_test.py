# SPDX-License-Identifier: Apache-2.0
"""`tw check-op` leads the author of a library to the cause of a mistake, once."""

import json
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

_HERE = pathlib.Path(__file__).resolve().parent
_LIBRARY = pathlib.Path("tools/opcheck/author_ops.so").resolve()


def _check(*arguments, library=_LIBRARY):
    """`tw check-op` of ops of a library, in a process of its own."""
    command = [sys.executable, "-m", "tensorwright.tools.tw.main", "check-op"]
    command += ["--quick", "--library", str(library), *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=280)


@pytest.mark.parametrize(
    ("name", "shapes"), [("TwiceShapeless", "known"), ("TwiceShaped", "unknown")]
)
def test_a_gradient_that_only_some_static_shapes_allow_is_found(name, shapes):
    run = _check("--python", str(_HERE / "author_ops.py"), name)
    assert run.returncode == 1, run.stdout + run.stderr
    found = re.findall(r"^gradient: (.*)$", run.stdout, re.MULTILINE)
    assert found[0].startswith(f"when the input shapes are {shapes}: "), run.stdout
    assert f"\n    input shapes {shapes} when the node is added\n" in run.stdout
    # The finding says all that there is to say.
    assert "promise: " not in run.stdout, run.stdout


@pytest.fixture(scope="module")
def outside():
    """The check of two ops all of whose calls fail an assertion."""
    return _check("--malformed", "2", "SpanOutside", "EigenOutside")


@pytest.mark.parametrize("name", ["SpanOutside", "EigenOutside"])
def test_a_failed_assertion_leads_to_the_ops_own_code(outside, name):
    run = outside
    assert run.returncode == 1, run.stdout + run.stderr
    page = run.stdout.partition(f"\n{name}(")[2]
    found = page.partition("\nvalid: ")[2].partition("\n\n")[0].splitlines()
    assert found[0] == "the process died: SIGABRT", run.stdout
    # Bazel compiles without the lines of sources, which `tw build` asks for.
    assert f"    in {name}Op::Compute: built by `tw build`" in found[1], run.stdout
    assert any(f"op         {name}" in line for line in found), run.stdout


def test_findings_of_one_cause_are_shown_once(outside):
    page = outside.stdout.partition("\nEigenOutside(")[0]
    assert page.count("\nvalid: ") == page.count("\nmalformed: ") == 1, page
    # Each takes a new process, so there is an end to them.
    assert "  valid       FAILED, 8 findings of 1 kind below" in page
    assert "    and 7 more calls like it (--all-findings shows them)" in page


def test_a_draw_that_is_refused_asks_for_hints_beside_the_library(tmp_path):
    run = _check("RefusesMost")
    assert run.returncode == 1
    for printed in (run.stdout, run.stderr):
        assert "--python" not in printed and "tools/opcheck/hints" not in printed
    wanted = "refuses_most_hints.py beside the library"
    assert f"a hint in {wanted} would draw better ones" in run.stdout
    assert f"a hint in {wanted} can draw better ones" in run.stdout
    library = shutil.copy(_LIBRARY, tmp_path)
    (tmp_path / "refuses_most_hints.py").write_text("""\
from tensorwright.tools.opcheck.draws import hint


@hint("RefusesMost")
def _draw(d):
    return [d.values("T", [17])]
""")
    run = _check("RefusesMost", library=library)
    file = f"{tmp_path}/refuses_most_hints.py:6"
    assert run.returncode == 2 and not run.stdout
    assert f"tw check-op: {file}: the hint of RefusesMost fails: KeyError" in run.stderr
    hints = tmp_path / "refuses_most_hints.py"
    hints.write_text(hints.read_text().replace('"T"', "1"))
    run = _check("--json", "RefusesMost", library=library)
    # It has no large calls, which is a promise that nobody has checked.
    (op,) = json.loads(run.stdout)["ops"]
    assert run.returncode == 1 and op["status"] == "failed"
    assert op["checks"]["threads"]["status"] == "not checked"
    assert op["checks"]["valid"]["status"] == "ok"
    assert [f["check"] for f in op["findings"]] == ["promise"]
