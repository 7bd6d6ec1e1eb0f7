# SPDX-License-Identifier: Apache-2.0
"""The test runner."""

from __future__ import annotations

import os
import sys
import tempfile
import unittest
from typing import Any
from unittest import TestLoader, expectedFailure, skip, skipIf, skipUnless  # noqa: F401

from absl.testing import absltest

from tensorwright.python.platform import benchmark, flags

_temp_dir: str | None = None


class StubOutForTesting:
    """Replaces attributes, and puts them back."""

    def __init__(self):
        self._saved: list[tuple[Any, str, Any, bool]] = []

    def __enter__(self) -> "StubOutForTesting":
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.CleanUp()

    def CleanUp(self) -> None:
        self.UnsetAll()

    def Set(self, parent: object, child_name: str, new_child: object) -> None:
        """Replaces an attribute of `parent`; it must exist."""
        own = child_name in vars(parent)
        old = vars(parent)[child_name] if own else getattr(parent, child_name)
        self._saved.append((parent, child_name, old, own))
        setattr(parent, child_name, new_child)

    def SmartSet(self, obj: object, attr_name: str, new_attr: object) -> None:
        """As `Set`."""
        self.Set(obj, attr_name, new_attr)

    def UnsetAll(self) -> None:
        """Puts everything back, the last replacement first."""
        while self._saved:
            parent, name, old, own = self._saved.pop()
            if own:
                setattr(parent, name, old)
            else:
                delattr(parent, name)

    SmartUnsetAll = UnsetAll


def GetTempDir() -> str:
    """A folder for the files of this test program."""
    global _temp_dir
    if _temp_dir is None:
        base = os.environ.get("TEST_TMPDIR")
        _temp_dir = tempfile.mkdtemp(prefix="tensorwright_test_", dir=base)
    return _temp_dir


class TestCase(absltest.TestCase):
    """absl's test case; its temporary files are in `GetTempDir()`, whatever program runs the test."""

    @classmethod
    def _get_tempdir_path_cls(cls) -> str:
        # absl asks a flag, which no one has parsed where pytest is the program.
        return os.path.join(GetTempDir(), cls.__qualname__)


def test_src_dir_path(relative_path: str) -> str:
    """The path of a file of the source tree, for tests."""
    file = sys.modules["tensorwright"].__file__
    assert file is not None
    package = os.path.dirname(os.path.abspath(file))
    return os.path.join(package, relative_path.removeprefix("tensorflow/"))


def main(argv: list[str] | None = None) -> None:
    """Runs the tests (or benchmarks, with --benchmarks) of the program."""
    argv = list(sys.argv if argv is None else argv)
    if any(a.startswith("--benchmarks") for a in argv):
        benchmark.run_benchmarks(argv)
        return
    rest = flags.FLAGS(argv, known_only=True)
    unittest.main(argv=rest, verbosity=0)
