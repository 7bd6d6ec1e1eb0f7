# SPDX-License-Identifier: Apache-2.0
"""The reports of sanitizers, and which of them go together."""

import pathlib

import pytest

from tensorwright.tools.opcheck import sanitizer_reports, sanitizers

ADDRESS = """\
=================================================================
==42==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x602000000018 at pc 0x7f bp 0x7e sp 0x7d
READ of size 4 at 0x602000000018 thread T0
    #0 0x7f1 in tensorwright::Span::at(int) /wheel/include/span.h:9
    #1 0x7f2 in tensorwright::(anonymous namespace)::RowOp::Compute(tensorwright::OpKernelContext*) {folder}/row.cc:3
    #2 0x7f3 in tensorwright::Device::Compute (/wheel/libtensorwright.so+0x12)

0x602000000018 is located 0 bytes to the right of 24-byte region [0x602000000000,0x602000000018)
allocated by thread T0 here:
    #0 0x7f4 in malloc ../../src/asan_malloc.cpp:69
    #1 0x7f5 in tensorwright::Plain::AllocateRaw (/wheel/libtensorwright.so+0x34)

SUMMARY: AddressSanitizer: heap-buffer-overflow {folder}/row.cc:3 in Compute
"""
UNDEFINED = """\
{folder}/row.cc:2:19: runtime error: shift exponent 35 is too large for 32-bit type 'int'
    #0 0x7f2 in RowOp::Compute(OpKernelContext*) {folder}/row.cc:2
"""
LEAK = """\
==42==ERROR: LeakSanitizer: detected memory leaks

Direct leak of 640 byte(s) in 20 object(s) allocated from:
    #0 0x7f in operator new(unsigned long) ../../src/asan_new.cpp:95
    #1 0x7f in RowOp::Compute(OpKernelContext*) {folder}/row.cc:1

Direct leak of 8 byte(s) in 1 object(s) allocated from:
    #0 0x7f in malloc ../../src/asan_malloc.cpp:69
    #1 0x7f in PyMem_RawMalloc (/usr/bin/python3.11+0x12)
"""
THREAD = """\
WARNING: ThreadSanitizer: data race (pid=42)
  Write of size 8 at 0x7b0400000a18 by thread T2:
    #0 RowOp::Compute(OpKernelContext*) {folder}/row.cc:3 (librow.so+0x12)

  Previous write of size 8 at 0x7b0400000a18 by thread T1:
    #0 RowOp::Compute(OpKernelContext*) {folder}/row.cc:3 (librow.so+0x12)
==================
WARNING: ThreadSanitizer: data race (pid=42)
  Write of size 8 at 0x7b0400000b00 by thread T2:
    #0 memcpy ../../src/interceptors.inc:8 (libtsan.so+0x12)
    #1 Executor::Run() <null> (libtensorwright.so+0x12)
"""


@pytest.fixture
def source(tmp_path):
    (tmp_path / "row.cc").write_text("one();\ntwo = 1 << bits;\n  three = x[n];\n")
    return str(tmp_path / "row.cc")


def _lines(text, source):
    text = text.replace("{folder}", str(pathlib.Path(source).parent))
    return [r.lines() for r in sanitizer_reports.read(text, [source])]


def test_an_access_outside_leads_to_the_line(source):
    (lines,) = _lines(ADDRESS, source)
    first = f"address: heap-buffer-overflow, READ of size 4, at {source}:3 in RowOp::Compute"
    assert lines == [first, "    3: three = x[n];"]


def test_undefined_behaviour_has_its_place_in_the_first_line(source):
    (lines,) = _lines(UNDEFINED, source)
    words = "undefined: shift exponent 35 is too large for 32-bit type 'int'"
    assert lines == [
        f"{words}, at {source}:2 in RowOp::Compute",
        "    2: two = 1 << bits;",
    ]


def test_only_leaks_and_races_of_the_op_count(source):
    (leak,) = _lines(LEAK, source)
    assert leak[0].startswith("leak: Direct leak of 640 byte(s) in 20 object(s), at ")
    (race,) = _lines(THREAD, source)
    assert (
        race[0]
        == f"thread: data race, Write of size 8, at {source}:3 in RowOp::Compute"
    )
    assert race[2] == f"    Previous write of size 8: {source}:3 in RowOp::Compute"


def test_a_mistake_is_told_once(source):
    assert len(_lines(UNDEFINED + UNDEFINED.replace("35", "36"), source)) == 1


def test_threads_take_a_library_of_their_own():
    kinds = sanitizers.kinds_of("address,undefined, thread,leak,address")
    assert sanitizers.groups(kinds) == [("address", "undefined", "leak"), ("thread",)]
    assert sanitizers.groups(["leak"]) == [("leak",)]
    for wrong in ("", "memory", "address,adress"):
        with pytest.raises(ValueError, match="takes address, undefined, thread, leak"):
            sanitizers.kinds_of(wrong)


def test_sources_are_those_beside_the_library(tmp_path, source):
    (tmp_path / "row_test.cc").write_text("")
    library = tmp_path / "librow.so"
    assert sanitizers.sources_of(library) == [pathlib.Path(source)]
    (tmp_path / "other").mkdir()
    with pytest.raises(ValueError, match="name them by --source"):
        sanitizers.sources_of(tmp_path / "other" / "libother.so")
    with pytest.raises(ValueError, match="no such source: .*none.cc"):
        sanitizers.sources_of(library, [str(tmp_path / "none.cc")])


def test_each_report_is_read_once_from_a_file_that_stays_open(tmp_path):
    with open(tmp_path / "asan.42", "w") as reports:
        reports.write("one\n")
        reports.flush()
        assert sanitizer_reports.folder(str(tmp_path)) == "one\n"
        reports.write("two\n")
        reports.flush()
        assert sanitizer_reports.folder(str(tmp_path)) == "two\n"
    assert sanitizer_reports.folder(str(tmp_path)) == ""
