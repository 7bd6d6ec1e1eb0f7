# SPDX-License-Identifier: Apache-2.0
"""Every registered op has a doc, a shape function, a CPU kernel, and says whether it is differentiable."""

from tensorwright.tools.opcheck import coverage


def test_every_op_is_whole():
    found = coverage.problems()
    assert not found, "\n" + "\n".join(found)


def test_the_executed_ops_are_read_from_test_logs(tmp_path):
    log = tmp_path / "python" / "some_test" / "test.xml"
    log.parent.mkdir(parents=True)
    log.write_text(
        '<testsuites><testsuite name="pytest"><properties>'
        '<property name="executed_ops" value="Add MatMul" /></properties></testsuite></testsuites>'
    )
    assert coverage.executed_ops(tmp_path) == {"Add", "MatMul"}


def test_an_op_that_no_test_ran_is_named():
    found = coverage.problems({"Add"})
    assert "MatMul: no test" in found
    assert "Add: no test" not in found
