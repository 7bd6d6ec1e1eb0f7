# SPDX-License-Identifier: Apache-2.0
"""`tw build` around the compiler; another test runs docs/adding_an_op.md with a real one."""

import os
import pathlib
import platform
import shutil
import subprocess
import sys
import zipfile

import pytest

from tensorwright.tools.tw import build_op, main, new_op, wheel_file

# Writes its arguments into the file it is asked for; fails for a source with "mistake".
COMPILER = f"""\
#!{sys.executable}
import pathlib, sys
if any("mistake" in pathlib.Path(a).read_text() for a in sys.argv if a.endswith(".cc")):
    sys.exit("error: mistake")
pathlib.Path(sys.argv[sys.argv.index("-o") + 1]).write_text(" ".join(sys.argv[1:]))
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    compiler = tmp_path / "compiler"
    compiler.write_text(COMPILER)
    compiler.chmod(0o755)
    monkeypatch.setenv("CXX", f"{compiler} -g0")
    monkeypatch.setenv("CUDA_HOME", "/nowhere")
    new_op.write("RowNorm", tmp_path)
    monkeypatch.chdir(tmp_path / "row_norm")
    return tmp_path / "row_norm"


def test_one_library_of_all_sources(folder, capsys):
    (folder / "more.cc").write_text("int more;\n")
    (folder / "more_test.cc").write_text("mistake\n")
    assert main.main(["build", "-v", "--copt=-march=native"]) == 0
    printed = capsys.readouterr()
    assert printed.out.startswith("librow_norm.so: ")
    commands = [line for line in printed.err.splitlines() if "-o" in line]
    assert len(commands) == 3
    compiling = [c for c in commands if " -c " in c]
    assert len(compiling) == 2
    assert {c.split()[1] for c in commands} == {"-g0"}
    assert all("-march=native" in c and "-fPIC" in c for c in compiling)
    assert all("-isystem" in c for c in compiling)
    # A report on a crash names the line.
    assert all(" -g1 " in c for c in compiling)
    link = (folder / "librow_norm.so").read_text()
    assert "-shared" in link
    assert "-l:libtensorwright.so" in link


def test_a_wheel_has_no_lines_of_sources(tmp_path):
    source, library = tmp_path / "row.cc", tmp_path / "row.so"
    source.write_text("int Row() { return 1; }\n")
    command = ["g++", "-g1", "-shared", "-fPIC", str(source), "-o", str(library)]
    subprocess.run(command, check=True)
    bare = build_op._without_lines(library)
    assert b".debug_line" in library.read_bytes() and b".debug_line" not in bare
    assert b"_Z3Rowv" in bare
    # A file that is no library stays as it is.
    library.write_text("text")
    assert build_op._without_lines(library) == b"text"


def test_what_has_not_changed_is_not_compiled(folder, capsys):
    assert main.main(["build"]) == 0
    capsys.readouterr()
    assert main.main(["build"]) == 0
    assert capsys.readouterr().out == "librow_norm.so is up to date\n"
    later = os.stat("librow_norm.so").st_mtime + 10
    os.utime("row_norm.cc", (later, later))
    assert main.main(["build"]) == 0
    assert "MB" in capsys.readouterr().out


def test_a_mistake_leaves_the_old_library(folder):
    assert main.main(["build"]) == 0
    old = (folder / "librow_norm.so").read_text()
    later = os.stat("librow_norm.so").st_mtime + 10
    (folder / "row_norm.cc").write_text("mistake\n")
    os.utime("row_norm.cc", (later, later))
    with pytest.raises(SystemExit, match="errors.*install the wheel"):
        main.main(["build"])
    assert (folder / "librow_norm.so").read_text() == old
    assert not list(folder.glob("*.new"))


def test_without_a_compiler_it_says_what_to_install(folder, monkeypatch):
    monkeypatch.setenv("CXX", "no-such-compiler")
    with pytest.raises(SystemExit, match="apt-get install g"):
        main.main(["build"])


def test_cuda_sources_are_left_out_without_nvcc(folder, monkeypatch, capsys):
    monkeypatch.setenv("PATH", str(folder.parent))
    (folder / "row_norm_gpu.cu.cc").write_text("mistake\n")
    assert main.main(["build"]) == 0
    assert "row_norm_gpu.cu.cc: left out, no nvcc" in capsys.readouterr().out


def test_an_empty_folder_is_no_op(tmp_path, monkeypatch):
    with pytest.raises(SystemExit, match=r"no \.cc file"):
        main.main(["build", str(tmp_path)])


def test_wheels(folder, capsys):
    (folder / "helper.py").write_text("x = 1\n")
    assert main.main(["build", "--wheel", "out"]) == 0
    (path,) = pathlib.Path("out").glob("*.whl")
    with zipfile.ZipFile(path) as wheel:
        modules = {n for n in wheel.namelist() if "dist-info" not in n}
        metadata = wheel.read("row_norm-0.1.0.dist-info/METADATA").decode()
    assert modules == {"helper.py", "librow_norm.so", "row_norm.py"}
    assert "Requires-Dist: tensorwright\n" in metadata
    assert "Summary: The op RowNorm for tensorwright\n" in metadata
    # This library is a text: of no use elsewhere.
    assert "-linux_" in path.name
    assert main.main(["build", "--wheel"]) == 0
    assert [p.name for p in pathlib.Path("dist").iterdir()] == [path.name]
    assert main.main(["build", "--editable", "edit"]) == 0
    (path,) = pathlib.Path("edit").glob("*.whl")
    with zipfile.ZipFile(path) as wheel:
        assert wheel.read("_row_norm.pth").decode() == f"{folder}\n"


@pytest.fixture(scope="module")
def libraries(tmp_path_factory):
    """Three libraries: that needs nothing, that needs our library, that needs another."""
    compiler = shutil.which("gcc")
    if compiler is None:
        pytest.skip("no compiler to make libraries with")
    folder = tmp_path_factory.mktemp("libraries")
    (folder / "one.c").write_text("int one(void) { return 1; }\n")
    base = [compiler, "-shared", "-fPIC", folder / "one.c"]
    needs = {"plain": (), "ours": ("tensorwright",), "foreign": ("foreign",)}
    for name in ("tensorwright", "foreign"):
        soname = f"-Wl,-soname,lib{name}.so"
        subprocess.run([*base, soname, "-o", folder / f"lib{name}.so"], check=True)
    for name, others in needs.items():
        options = ["-Wl,--no-as-needed", f"-L{folder}", *(f"-l{n}" for n in others)]
        subprocess.run([*base, "-o", folder / f"{name}.so", *options], check=True)
    return {name: (folder / f"{name}.so").read_bytes() for name in needs}


def test_wheels_are_for_the_distributions_that_can_load_the_library(
    libraries, tmp_path
):
    def name_of(files):
        return wheel_file.write(tmp_path, "op", "1.2", files, ["x>=1"], "An op").name

    machine = platform.machine()
    for name in ("plain", "ours"):
        file = name_of({"libop.so": libraries[name]})
        assert file == f"op-1.2-py3-none-manylinux_2_17_{machine}.whl"
    assert name_of({"libop.so": libraries["foreign"]}).endswith(f"-linux_{machine}.whl")
    assert wheel_file.foreign_libraries(libraries["foreign"]) == ["libforeign.so"]
    # The names in a library include the versions of glibc and libstdc++ that it needs.
    newer = libraries["plain"] + b"\0GLIBC_2.34\0GLIBC_2.2.5\0GLIBCXX_3.4.22\0"
    assert "manylinux_2_34" in name_of({"libop.so": newer, "op.py": b"x = 1"})
    newest = libraries["plain"] + b"\0GLIBCXX_3.4.30\0GLIBCXX_3.4.9\0"
    assert "manylinux_2_35" in name_of({"libop.so": newest})
    assert wheel_file.foreign_libraries(libraries["plain"][:100]) == []
