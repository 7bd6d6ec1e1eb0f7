# SPDX-License-Identifier: Apache-2.0
"""Our libraries leave an attacker who can write somewhere in memory as little to write on as the linker can arrange."""

import pytest
from elftools.elf.elffile import ELFFile

from tensorwright.tools.pip_package import wheel_parts

LIBRARIES = ["libtensorwright.so", "python/_pywrap.so"]
DF_BIND_NOW, DF_TEXTREL = 0x8, 0x4
PF_X, PF_W = 1, 2


@pytest.fixture(params=LIBRARIES)
def library(request):
    with open((wheel_parts.TREE / request.param).resolve(), "rb") as file:
        yield ELFFile(file)


def _segments(library, kind):
    return [s for s in library.iter_segments() if s["p_type"] == kind]


def _dynamic(library, tag):
    (dynamic,) = _segments(library, "PT_DYNAMIC")
    return [t for t in dynamic.iter_tags() if t.entry.d_tag == tag]


def _imports(library):
    symbols = library.get_section_by_name(".dynsym").iter_symbols()
    return {s.name for s in symbols if s["st_shndx"] == "SHN_UNDEF"}


def test_addresses_are_the_loaders_choice(library):
    assert library["e_type"] == "ET_DYN"
    assert not _dynamic(library, "DT_TEXTREL")
    assert all(not t.entry.d_val & DF_TEXTREL for t in _dynamic(library, "DT_FLAGS"))


def test_tables_of_addresses_are_read_only_once_loaded(library):
    assert _segments(library, "PT_GNU_RELRO")
    (flags,) = _dynamic(library, "DT_FLAGS")
    assert flags.entry.d_val & DF_BIND_NOW


def test_no_memory_is_written_and_executed(library):
    (stack,) = _segments(library, "PT_GNU_STACK")
    assert not stack["p_flags"] & PF_X
    for segment in _segments(library, "PT_LOAD"):
        assert not (segment["p_flags"] & PF_X and segment["p_flags"] & PF_W)


def test_a_stack_that_is_overrun_is_noticed(library):
    assert "__stack_chk_fail" in _imports(library)


def test_copies_of_known_size_are_checked():
    """The C library's checking functions, which _FORTIFY_SOURCE puts in the place of memcpy and its kind."""
    with open((wheel_parts.TREE / LIBRARIES[0]).resolve(), "rb") as file:
        names = _imports(ELFFile(file))
    assert any(n.startswith("__") and n.endswith("_chk") for n in names)


def test_libraries_are_looked_for_beside_ours_alone(library):
    for tag in ("DT_RPATH", "DT_RUNPATH"):
        for entry in _dynamic(library, tag):
            path = entry.runpath if tag == "DT_RUNPATH" else entry.rpath
            assert all(p.startswith("$ORIGIN") for p in path.split(":"))
