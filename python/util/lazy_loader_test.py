# SPDX-License-Identifier: Apache-2.0
"""A module that is imported at its first use."""

import sys

from tensorwright.python.util.lazy_loader import LazyLoader


def test_the_module_comes_with_its_first_name_and_takes_the_place(
    tmp_path, monkeypatch
):
    (tmp_path / "seldom_used.py").write_text("VALUE = 3\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    names = {}
    names["seldom"] = loader = LazyLoader("seldom", names, "seldom_used")
    assert "seldom_used" not in sys.modules
    assert loader.VALUE == 3
    assert names["seldom"] is sys.modules["seldom_used"]
    assert "VALUE" in dir(loader)
    monkeypatch.delitem(sys.modules, "seldom_used")
