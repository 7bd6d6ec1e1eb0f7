# SPDX-License-Identifier: Apache-2.0
import os
import subprocess
import sys

import pytest

from tensorwright.python.util import later


def test_a_part_is_imported_when_it_is_asked_for(monkeypatch, tmp_path):
    (tmp_path / "part_of_a_test.py").write_text("value = 3\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(later, "_offered", {})
    later.offer({"a test": "part_of_a_test"})
    assert "part_of_a_test" not in sys.modules
    module = later.part("a test")
    assert module.value == 3
    assert later.part("a test") is module is sys.modules.pop("part_of_a_test")


def test_a_part_that_was_not_offered_is_a_key_error(monkeypatch):
    monkeypatch.setattr(later, "_offered", {})
    with pytest.raises(KeyError, match="no such part"):
        later.part("no such part")


def test_all_parts_of_the_package_can_be_imported_alone():
    import_it = "import sys, tensorwright.python.util.later as l; l.part(sys.argv[1])"
    assert later._offered
    for name in later._offered:
        subprocess.run(
            [sys.executable, "-c", import_it, name],
            check=True,
            env={**os.environ, "PYTHONPATH": ":".join(sys.path)},
        )
