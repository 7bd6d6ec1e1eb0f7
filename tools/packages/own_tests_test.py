# SPDX-License-Identifier: Apache-2.0
"""The runner of packages' own tests: its counts and names; no package is needed."""

import sys

from tensorwright.tools.packages import own_tests, unpassable
from tensorwright.tools.packages.packages import PACKAGES, Package

PACKAGE = Package("mine", "mine==1.2")
SUITE = own_tests.Suite("mine", "*_test.py", 2)


def _run(tmp_path, text, timeout_secs=60):
    file = tmp_path / "mine_test.py"
    file.write_text(text)
    return own_tests.run_file(PACKAGE, sys.executable, tmp_path, file, timeout_secs)


def _results(outcomes):
    return {o.test.rpartition("::")[2]: (o.result, o.why) for o in outcomes}


def test_each_suite_is_of_a_package():
    assert {s.name for s in own_tests.SUITES} <= {p.name for p in PACKAGES}


def test_tests_are_counted_under_this_tensorflow(tmp_path):
    outcomes = _run(
        tmp_path,
        "import pytest, tensorflow as tf, tensorwright\n"
        "tf.compat.v1.enable_eager_execution(), tf.enable_v2_behavior()\n"
        "def test_a(): assert tf is tensorwright\n"
        "def test_b(): assert 1 > 2, 'not so'\n"
        "@pytest.mark.skip\n"
        "def test_c(): pass\n"
        "class TestD:\n"
        "    def test_d(self): pass\n",
    )
    results = _results(outcomes)
    assert [results[f"test_{c}"][0] for c in "abcd"] == [
        "passed",
        "failed",
        "skipped",
        "passed",
    ]
    assert "not so" in results["test_b"][1]
    said = own_tests.line(SUITE, "1.2", outcomes)
    assert said.split() == (
        "mine 1.2 2 passed 1 failed 0 cannot pass 1 skipped, 2 have to pass".split()
    )
    assert own_tests.line(SUITE, "1.2", outcomes[1:]).endswith("too few passed")


def test_failures_of_listed_tests_are_counted_apart(monkeypatch):
    monkeypatch.setitem(unpassable.UNPASSABLE, "mine", {"a_test.py::*::b": "no reason"})
    tests = ("a_test.py::A::b", "a_test.py::A::bc", "a_test.py::C::b")
    outcomes = [own_tests.Outcome(test, "failed") for test in tests]
    assert " 1 failed    2 cannot pass " in own_tests.line(SUITE, "1.2", outcomes)
    passed = [own_tests.Outcome(test, "passed") for test in tests]
    assert " 3 passed    0 failed    0 cannot" in own_tests.line(SUITE, "1.2", passed)
    assert unpassable.reason("yours", tests[0]) is None


def test_each_list_of_what_cannot_pass_is_of_a_suite():
    assert set(unpassable.UNPASSABLE) <= {s.name for s in own_tests.SUITES}


def test_a_test_that_hangs_is_named_and_others_run_on(tmp_path):
    outcomes = _run(
        tmp_path,
        "import time\ndef test_a(): pass\ndef test_b(): time.sleep(600)\n"
        "def test_c(): pass\n",
        timeout_secs=10,
    )
    results = _results(outcomes)
    assert len(outcomes) == 3
    assert results["test_a"][0] == results["test_c"][0] == "passed"
    assert results["test_b"] == ("failed", "ended: still at work after 10 s")


def test_a_test_that_ends_the_process_is_named_and_others_run_on(tmp_path):
    outcomes = _run(
        tmp_path,
        "import os\ndef test_a(): os._exit(7)\ndef test_b(): pass\n",
    )
    results = _results(outcomes)
    assert len(outcomes) == 2
    assert results["test_a"][0] == "failed" and "exit status 7" in results["test_a"][1]
    assert results["test_b"][0] == "passed"


def test_a_file_that_cannot_be_read_is_a_failure(tmp_path):
    outcomes = _run(tmp_path, "import no_such_module\ndef test_a(): pass\n")
    assert [o.result for o in outcomes] == ["failed"]
    assert "no_such_module" in outcomes[0].why
