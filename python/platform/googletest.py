# SPDX-License-Identifier: Apache-2.0
"""The test runner and base class under the name that TF 1.x tests import."""

from __future__ import annotations

import os
import sys
import tempfile
from typing import Any

from absl.testing import absltest
from absl.testing.absltest import TestCase  # noqa: F401 (re-exported)

_temp_dir: str | None = None


def main(argv: list[str] | None = None) -> None:
    """Runs the tests of `__main__` and exits."""
    absltest.main(argv=argv)


def GetTempDir() -> str:  # noqa: N802 (TensorFlow's name)
    """A folder for this process's temporary files, made at the first call."""
    global _temp_dir
    if _temp_dir is None:
        root = os.environ.get("TEST_TMPDIR")
        _temp_dir = tempfile.mkdtemp(prefix="tensorwright_test_", dir=root)
    return _temp_dir


def test_src_dir_path(relative_path: str) -> str:
    """The path of a source file, given relative to the package's root."""
    root = os.path.dirname(sys.modules[__name__.partition(".")[0]].__file__ or "")
    return os.path.join(root, relative_path)


def StatefulSessionAvailable() -> bool:  # noqa: N802 (TensorFlow's name)
    """Whether sessions keep variables between runs: always."""
    return True


class StubOutForTesting:
    """Replaces attributes during a test and puts them back."""

    def __init__(self) -> None:
        self._saved: list[tuple[Any, str, Any]] = []

    def __enter__(self) -> StubOutForTesting:
        return self

    def __exit__(self, *unused: Any) -> None:
        self.UnsetAll()

    def Set(self, parent: Any, child_name: str, new_child: Any) -> None:  # noqa: N802
        """Sets `parent.child_name`, remembering what was there."""
        self._saved.append((parent, child_name, getattr(parent, child_name)))
        setattr(parent, child_name, new_child)

    def SmartSet(self, obj: Any, attr_name: str, new_attr: Any) -> None:  # noqa: N802
        """Like Set; raises AttributeError if there is no such attribute."""
        self.Set(obj, attr_name, new_attr)

    def UnsetAll(self) -> None:  # noqa: N802
        """Puts everything back, the latest change first."""
        while self._saved:
            parent, name, value = self._saved.pop()
            setattr(parent, name, value)

    SmartUnsetAll = UnsetAll
    CleanUp = UnsetAll
