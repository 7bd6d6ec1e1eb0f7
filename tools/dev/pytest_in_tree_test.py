# SPDX-License-Identifier: Apache-2.0
"""Test files run without Bazel, as modules of the package that is built."""

import sys

import pytest

from tensorwright.tools.dev import pytest_in_tree

TEST = """\
import tensorwright as tf
from tensorwright.python.kernel_tests.of_no_package.helper_testutil import TWO


def test_a_sum():
    assert __name__ == "tensorwright.python.kernel_tests.of_no_package.sum_test"
    with tf.Session() as session:
        assert session.run(tf.constant(1) + tf.constant(1)) == TWO


def test_that_fails():
    assert TWO == 3
"""


@pytest.fixture
def tree(tmp_path, monkeypatch):
    folder = tmp_path / "checkout/python/kernel_tests/of_no_package"
    folder.mkdir(parents=True)
    # The checkout is a package itself, as the tree is.
    (tmp_path / "checkout/__init__.py").write_text("raise ImportError('again')\n")
    (folder / "helper_testutil.py").write_text("TWO = 2\n")
    (folder / "sum_test.py").write_text(TEST)
    monkeypatch.chdir(tmp_path / "checkout")
    before = set(sys.modules)
    yield tmp_path / "checkout"
    for name in set(sys.modules) - before:
        if "of_no_package" in name or name.endswith("kernel_tests"):
            del sys.modules[name]


def test_a_file_and_one_test_of_it(tree):
    file = "python/kernel_tests/of_no_package/sum_test.py"
    assert pytest_in_tree.run([file], tree) == pytest.ExitCode.TESTS_FAILED
    assert pytest_in_tree.run([f"{file}::test_a_sum"], tree) == pytest.ExitCode.OK
    assert (
        pytest_in_tree.run([file, "-k", "fails"], tree) == pytest.ExitCode.TESTS_FAILED
    )


def test_finder_keeps_to_the_package(tree):
    finder = pytest_in_tree.TreeFinder(tree)
    assert finder.find_spec("numpy.linalg", None) is None
    assert finder.find_spec("tensorwright.python.no_such_module", None) is None


if __name__ == "__main__":
    sys.exit(pytest.main([__file__]))
