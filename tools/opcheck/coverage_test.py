# SPDX-License-Identifier: Apache-2.0
"""Every registered op has a doc, a shape function, a CPU kernel, and says whether it is differentiable."""

from tensorwright.tools.opcheck import coverage


def test_every_op_is_whole():
    found = coverage.problems()
    assert not found, "\n" + "\n".join(found)


def test_the_executed_ops_are_read_from_the_logs_of_tests_that_passed(tmp_path):
    for name, ops in [("some", "Add MatMul"), ("failed", "Sub"), ("deleted", "Mul")]:
        xml = tmp_path / "python" / f"{name}_test" / "test.xml"
        xml.parent.mkdir(parents=True)
        xml.write_text(
            '<testsuites><testsuite name="pytest"><properties>'
            f'<property name="executed_ops" value="{ops}" />'
            "</properties></testsuite></testsuites>"
        )
    log = tmp_path / "log"
    log.write_text(
        "//python:some_test                    (cached) PASSED in 1.0s\n"
        "//python:failed_test                           FAILED in 1.0s\n"
    )
    assert coverage.executed_ops(str(log), tmp_path) == {"Add", "MatMul"}


def test_an_op_that_no_test_ran_is_named():
    found = coverage.problems({"Add"})
    assert "MatMul: no test" in found
    assert "Add: no test" not in found


def test_an_exception_that_is_not_needed_is_named(monkeypatch):
    monkeypatch.setitem(coverage.EXCEPTIONS, "MatMul", {coverage.GRADIENT: "none"})
    monkeypatch.setitem(coverage.EXCEPTIONS, "Add", {coverage.TEST: "none"})
    monkeypatch.setitem(coverage.EXCEPTIONS, "Gone", {coverage.DOC: "none"})
    found = coverage.problems({"Add"})
    assert "MatMul: it has a gradient, and an exception from it" in found
    assert "Add: it has a test, and an exception from it" in found
    assert "Gone: there is no such op, and an exception" in found
    assert all(" test" not in line for line in coverage.problems())
