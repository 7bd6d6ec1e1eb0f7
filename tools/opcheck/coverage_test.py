# SPDX-License-Identifier: Apache-2.0
"""Every registered op has a doc, a shape function, a CPU kernel, and says whether it is differentiable."""

import os
import subprocess
import sys

from tensorwright.python import _pywrap
from tensorwright.tools.opcheck import allowed, coverage, hints


def test_every_op_is_whole():
    found = coverage.problems()
    assert not found, "\n" + "\n".join(found)


def test_an_op_that_does_not_repeat_is_refused_where_runs_must_be_the_same():
    """By tf.Policy(deterministic=True), which goes by registrations."""
    assert hints.draw  # Its modules, read now, have the exemptions.
    known = {data["name"]: data for data in _pywrap.op_registrations()}
    outside = {"host", "network", "python", "native code"}
    exempt = [e.op for e in allowed.everywhere() if e.check == allowed.REPEAT]
    assert {"Stack", "Timestamp", "BytesInUse"} <= set(exempt)
    for op in exempt:
        assert known[op]["chance"] or outside & set(known[op]["touches"]), op


def test_the_executed_ops_are_read_from_the_logs_of_tests_that_passed(tmp_path):
    for name, ops in [
        ("some", "Add:T=float Add:T=half MatMul:T=float"),
        ("failed", "Sub:T=float"),
        ("deleted", "Mul:T=float"),
    ]:
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
    assert coverage.executed_kernels(str(log), tmp_path) == {
        "Add:T=float",
        "Add:T=half",
        "MatMul:T=float",
    }


# A program of its own, since the library reads the variable when it is loaded.
_UNTAKEN = """
import numpy as np
import tensorwright as tf

takes = tf.placeholder(tf.bool, [])
x = tf.placeholder(tf.float32, [2, 2])
y = tf.cond(takes, lambda: tf.cholesky(x), lambda: tf.exp(x))
with tf.Session() as session:
    session.run(y, {takes: False, x: np.eye(2)})
    session.run(tf.matrix_inverse(tf.cast(x, tf.float64)), {x: np.eye(2)})
    try:
        session.run(tf.matrix_determinant(x), {x: np.ones([1, 2])})
    except (ValueError, tf.errors.InvalidArgumentError):
        print("refused")
"""


def test_an_op_of_a_branch_that_is_not_taken_counts_as_not_executed(tmp_path):
    file = tmp_path / "executed"
    environment = {**os.environ, "TENSORWRIGHT_EXECUTED_OPS": str(file)}
    command = [sys.executable, "-c", _UNTAKEN]
    printed = subprocess.check_output(command, env=environment, text=True)
    assert printed == "refused\n"
    executed = set(file.read_text().split())
    assert "Exp:T=float" in executed
    assert {"Switch:T=float", "Merge:T=float"} <= executed
    # Only the kernel of the executed dtype is recorded.
    assert "MatrixInverse:T=double" in executed
    assert "MatrixInverse:T=float" not in executed
    ops = {kernel.partition(":")[0] for kernel in executed}
    assert not ops & {"Cholesky", "MatrixDeterminant"}


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
