# SPDX-License-Identifier: Apache-2.0
"""Kept bytecode is that of the source that stands there, and only a folder of one's own keeps any."""

import pathlib
import subprocess
import sys

import pytest

_BYTECODE = pathlib.Path(__file__).resolve().parent


def _imported(sources, kept, module="module"):
    """Imports `module` from the folder `sources` in a new process, and returns what that prints."""
    program = f"""
import pathlib, sys
sys.path[:0] = [{str(_BYTECODE)!r}, {str(sources)!r}]
import bytecode
bytecode.keep_in(pathlib.Path({str(kept)!r}))
import {module} as imported
print(imported.VALUE, imported.inner.__code__.co_filename)
"""
    command = [sys.executable, "-c", program]
    return subprocess.check_output(command, text=True).split()


def _write(folder, value):
    folder.mkdir(exist_ok=True)
    file = folder / "module.py"
    file.write_text(f"VALUE = {value}\ndef inner():\n    return VALUE\n")
    return file


def test_a_source_is_compiled_once_and_each_file_has_its_own_name(tmp_path):
    kept = tmp_path / "kept"
    first, second = (_write(tmp_path / name, 1) for name in ("first", "second"))
    assert _imported(first.parent, kept) == ["1", str(first)]
    (code,) = kept.iterdir()
    before = code.stat()
    assert _imported(second.parent, kept) == ["1", str(second)]
    assert [code] == list(kept.iterdir())
    assert code.stat().st_ino == before.st_ino
    assert not list(tmp_path.rglob("__pycache__"))


def test_a_changed_source_is_compiled_anew(tmp_path):
    kept = tmp_path / "kept"
    file = _write(tmp_path / "sources", 1)
    assert _imported(file.parent, kept) == ["1", str(file)]
    _write(file.parent, 2)
    assert _imported(file.parent, kept) == ["2", str(file)]


@pytest.mark.parametrize("content", [b"", b"no bytecode", b"i\x01\x00\x00\x00"])
def test_a_damaged_file_is_written_again(tmp_path, content):
    kept = tmp_path / "kept"
    file = _write(tmp_path / "sources", 1)
    _imported(file.parent, kept)
    (code,) = kept.iterdir()
    whole = code.read_bytes()
    code.write_bytes(content)
    assert _imported(file.parent, kept) == ["1", str(file)]
    assert code.read_bytes() == whole


def test_nothing_is_taken_from_where_others_can_write(tmp_path):
    kept = tmp_path / "kept"
    kept.mkdir()
    kept.chmod(0o777)
    file = _write(tmp_path / "sources", 1)
    assert _imported(file.parent, kept) == ["1", str(file)]
    assert not list(kept.iterdir())


def test_nothing_is_kept_where_no_folder_can_be(tmp_path):
    (tmp_path / "kept").write_text("a file")
    file = _write(tmp_path / "sources", 1)
    assert _imported(file.parent, tmp_path / "kept") == ["1", str(file)]
