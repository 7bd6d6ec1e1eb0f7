# SPDX-License-Identifier: Apache-2.0
"""elf_names on libraries that the compiler makes."""

import ctypes
import subprocess

import pytest

from tensorwright.tools.pip_package import elf_names


def _link(folder, name, source, *options):
    (folder / "source.c").write_text(source)
    command = ["gcc", "-shared", "-fPIC", "-o", name, "source.c", *options]
    subprocess.run(command, check=True, cwd=folder)
    return folder / name


@pytest.fixture
def pair(tmp_path):
    """libinner.so, and libouter.so, which needs it under that name and has room for another."""
    _link(tmp_path, "libinner.so", "int inner() { return 42; }")
    outer = _link(
        tmp_path,
        "libouter.so",
        "int inner(); int outer() { return inner() + 1; }",
        "-L.",
        "-linner",
        "-lm",
        "-Wl,-rpath,/" + "_" * 100,
    )
    return tmp_path, outer


def test_the_new_name_is_loaded_from_the_new_place(pair):
    folder, outer = pair
    size = outer.stat().st_size
    (folder / "libs").mkdir()
    (folder / "libinner.so").rename(folder / "libs/libinner-0123abcd.so.1.0.0")
    names = {"libinner.so": "libinner-0123abcd.so.1.0.0"}
    elf_names.rename_needed(outer, names, "$ORIGIN/libs")
    assert outer.stat().st_size == size
    assert ctypes.CDLL(str(outer)).outer() == 43


def test_without_room_the_file_stays_as_it_is(pair):
    _, outer = pair
    before = outer.read_bytes()
    with pytest.raises(ValueError, match="has room for 102 bytes, 20. are needed"):
        elf_names.rename_needed(outer, {"libinner.so": "x" * 200}, "y")
    assert outer.read_bytes() == before
