# SPDX-License-Identifier: Apache-2.0
"""Leading headers of a source, compiled once."""

import subprocess

import pytest

from tensorwright.tools.tw import build_op, precompiled

SOURCE = """\
// An op. #include <never>
/* #include <neither>
*/
#define EIGEN_USE_THREADS

#include <vector>
#include "large.h"

int Answer() { return large + static_cast<int>(std::vector<int>(2).size()); }
"""


@pytest.fixture
def folder(tmp_path):
    """A source, and a header of another folder that defines `large`."""
    own, other = tmp_path / "own", tmp_path / "other"
    own.mkdir()
    other.mkdir()
    (other / "large.h").write_text("#pragma once\nconstexpr int large = 40;\n")
    (own / "op.cc").write_text(SOURCE)
    return own


@pytest.fixture
def command(folder):
    return ["g++", "-O2", "-g1", "-Winvalid-pch", f"-isystem{folder.parent}/other"]


@pytest.fixture
def headers(folder):
    made = precompiled.PrecompiledHeaders(folder / "op.cc")
    yield made
    made.close()


def _compiled(command, options, source, out):
    """The object, and the headers that the compiler has opened."""
    job = [*command, *options, "-H", "-c", str(source), "-o", str(out)]
    done = subprocess.run(job, capture_output=True, text=True, check=True)
    return out.read_bytes(), done.stderr


def test_leading_includes_and_definitions_are_taken(tmp_path):
    taken = precompiled.leading_headers(SOURCE, tmp_path)
    assert taken == '#define EIGEN_USE_THREADS\n#include <vector>\n#include "large.h"\n'


@pytest.mark.parametrize(
    "line",
    [
        '#include "own.h"',
        "#ifdef GOOGLE_CUDA",
        "#define TWO_LINES \\",
        "#undef NDEBUG",
        "namespace tensorflow {",
    ],
)
def test_they_end_before_other_lines_and_own_headers(tmp_path, line):
    (tmp_path / "own.h").write_text("")
    text = f"#include <map>\n{line}\n#include <set>\n"
    assert precompiled.leading_headers(text, tmp_path) == "#include <map>\n"


def test_an_object_is_the_same_and_opens_no_header_again(folder, command, headers):
    source, out = folder / "op.cc", folder / "op.o"
    plain, opened = _compiled(command, [], source, out)
    assert "large.h" in opened
    assert headers.options(source, command) == []
    headers.make(command)
    assert headers.wait()
    options = headers.options(source, command)
    assert options[0] == "-include"
    same, opened = _compiled(command, options, source, out)
    assert same == plain
    assert (
        "! " in opened
    )  # The compiler's mark of a precompiled header that it has used.
    assert "/other/large.h" not in opened


def test_another_source_other_options_and_other_headers_go_without(
    folder, command, headers
):
    source = folder / "op.cc"
    headers.make(command)
    assert headers.wait()
    assert headers.options(folder / "second.cc", command) == []
    assert headers.options(source, [*command, "-O0"]) == []
    source.write_text(SOURCE.replace("<vector>", "<deque>"))
    assert headers.options(source, command) == []
    headers.make(command)
    assert headers.wait()
    assert headers.options(source, command) != []


def test_a_changed_body_keeps_them(folder, command, headers):
    headers.make(command)
    assert headers.wait()
    made = headers.options(folder / "op.cc", command)
    (folder / "op.cc").write_text(SOURCE + "int More() { return 1; }\n")
    assert headers.options(folder / "op.cc", command) == made != []


def test_headers_that_do_not_compile_are_done_without(folder, command, headers):
    (folder.parent / "other/large.h").write_text("constexpr int large = ;\n")
    headers.make(command)
    assert not headers.wait()
    assert headers.options(folder / "op.cc", command) == []


def test_a_build_goes_on_without_headers_that_may_not_come_twice(
    folder, headers, monkeypatch, capfd
):
    monkeypatch.setenv("CXX", f"g++ -isystem{folder.parent}/other")
    library = folder / "libop.so"
    sources = [folder / "op.cc"]
    build_op.compile_library(sources, library, [], headers=headers)
    assert headers.wait()
    (folder.parent / "other/large.h").write_text("constexpr int large = 40;\n")
    headers.end()
    headers._headers = ""
    build_op.compile_library(sources, library, [], headers=headers)
    assert headers.wait()
    library.unlink()
    build_op.compile_library(sources, library, [], headers=headers)
    assert library.exists()
    assert "error" not in capfd.readouterr().err


def test_a_source_without_leading_headers_has_none(folder, command, headers):
    (folder / "op.cc").write_text("int x;\n")
    headers.make(command)
    assert not headers.wait()


def test_closing_ends_the_compiler_and_removes_the_files(folder, command):
    headers = precompiled.PrecompiledHeaders(folder / "op.cc")
    headers.make(command)
    scratch = headers._file.parent
    assert scratch.exists()
    headers.close()
    assert not scratch.exists()
