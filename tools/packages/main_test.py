# SPDX-License-Identifier: Apache-2.0
"""The runner of packages' examples: its counts, and the age that it imitates; no package is needed."""

import collections
import inspect
import subprocess
import sys

import numpy as np

from tensorwright.tools.packages import main
from tensorwright.tools.packages.packages import PACKAGES, Package

PACKAGE = Package("mine", "mine==1.2")


def _result(tmp_path, text, timeout_secs=60):
    (tmp_path / "mine.py").write_text(text)
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "inside.py").write_text("import tensorflow as tf\n")
    folder = tmp_path / "folder"
    return main.run(PACKAGE, sys.executable, folder, tmp_path, timeout_secs)


def test_there_is_an_example_for_each_of_32_packages():
    names = {path.stem for path in (main.HERE / "examples").glob("*.py")}
    assert names == {package.name for package in PACKAGES}
    assert len(PACKAGES) == 32
    for name in names:
        assert "assert " in (main.HERE / "examples" / f"{name}.py").read_text(), name


def test_an_example_runs_with_the_package_and_this_tensorflow(tmp_path):
    result = _result(
        tmp_path,
        "import inside, numpy, tensorwright\nassert inside.tf is tensorwright\n"
        "assert numpy.float is float\n",
    )
    assert result.error is None, result.error
    assert result.line().split()[:3] == ["mine", "1.2", "ok"]


def test_what_an_example_asserts_counts(tmp_path):
    result = _result(tmp_path, "assert 1 > 2, 'not so'\n")
    assert "failed: AssertionError: not so" in result.line()


def test_an_example_that_does_not_end_fails(tmp_path):
    result = _result(tmp_path, "import time\ntime.sleep(60)\n", timeout_secs=1)
    assert result.error == "still at work after 1 s"


def test_the_age_has_the_names_that_are_gone():
    # In a process of its own: NumPy is changed.
    code = (
        "import collections, inspect\nimport numpy as np\nimport age\nage.live_in()\n"
        "assert np.float is float and np.float_ is np.float64 and np.product([2, 3]) == 6\n"
        "assert collections.Mapping and np.asscalar(np.array([2])) == 2\n"
        "def f(a, b=2, *c, **d): pass\n"
        "assert tuple(inspect.getargspec(f)) == (['a', 'b'], 'c', 'd', (2,))\n"
        "import imp\nassert imp.reload\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=main.HERE)
    assert not hasattr(collections, "Mapping") and not hasattr(np, "product")
    assert not hasattr(inspect, "getargspec")
