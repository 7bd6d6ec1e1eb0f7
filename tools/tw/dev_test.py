# SPDX-License-Identifier: Apache-2.0
"""`tw dev` around a compiler that gives one of some libraries; docs/adding_an_op.md has a real one."""

import os
import pathlib
import re
import signal
import subprocess
import sys
import threading

import pytest

from tensorwright.tools.tw import dev, main

VERSIONS = pathlib.Path(__file__).parents[2] / "third_party/tensorflow/reload"
# "Compiles" a source to its own text, and "links" that to the library of the version which it says.
COMPILER = f"""\
#!{sys.executable}
import pathlib, re, shutil, sys
out = sys.argv[sys.argv.index("-o") + 1]
if "-c" in sys.argv:
    text = pathlib.Path(next(a for a in sys.argv if a.endswith(".cc"))).read_text()
    if "mistake" in text:
        sys.exit("error: mistake")
    pathlib.Path(out).write_text(text)
else:
    text = pathlib.Path(next(a for a in sys.argv if a.endswith(".o"))).read_text()
    version = re.search(r"version (\\d)", text)[1]
    shutil.copy("{VERSIONS}/reload_ops_" + version + ".so", out)
"""
# Prints what an op of one session gives whenever that changes, until the file `end` has something.
PROGRAM = """\
import time
import tensorflow as tf

ops = tf.load_op_library("./libreload_ops.so")
value = tf.Variable(10.0)
y = ops.reload_times(value)
session = tf.Session()
session.run(value.initializer)
before = None
while not open("end").read():
    now = session.run(y)
    if now != before:
        print("value", now, flush=True)
    before = now
    time.sleep(0.02)
"""


class Running:
    """`tw dev` in a process of its own, whose lines can be waited for."""

    def __init__(self, folder, *args):
        self._folder = folder
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tensorwright.tools.tw.main", "dev", *args],
            cwd=folder,
            env=os.environ | {"PYTHONPATH": os.pathsep.join(p for p in sys.path if p)},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self.lines = []
        # A test that waits for a line which never comes ends.
        self._limit = threading.Timer(200, self._process.kill)
        self._limit.start()

    def wait_for(self, pattern):
        for line in self._process.stdout:
            self.lines.append(line)
            if re.search(pattern, line):
                return line
        raise AssertionError(f"no {pattern} in:\n{''.join(self.lines)}")

    def end(self, number=None):
        """Its exit status, after a signal or by itself."""
        if number is not None:
            self._process.send_signal(number)
        self.lines += list(self._process.stdout)
        self._limit.cancel()
        return self._process.wait()


@pytest.fixture
def folder(tmp_path, monkeypatch):
    compiler = tmp_path / "compiler"
    compiler.write_text(COMPILER)
    compiler.chmod(0o755)
    monkeypatch.setenv("CXX", str(compiler))
    folder = tmp_path / "ops"
    folder.mkdir()
    (folder / "program.py").write_text(PROGRAM)
    (folder / "end").write_text("")
    _save(folder, "version 1")
    return folder


def _save(folder, text):
    (folder / "new").write_text(f'{text}\nREGISTER_OP("ReloadTimes")\n')
    os.replace(folder / "new", folder / "reload_ops.cc")


def test_a_program_gets_the_kernel_of_each_edit(folder):
    running = Running(folder, "--no-check", "reload_ops.cc", "program.py")
    running.wait_for("^value 10.0")
    _save(folder, "version 2")
    running.wait_for("^tw dev: reload_ops.cc has changed")
    running.wait_for("^value 20.0")
    _save(folder, "version 1, again")
    running.wait_for("^value 10.0")
    (folder / "end").write_text("now")
    assert running.end() == 0


def test_what_cannot_be_used_is_said_and_the_old_kernel_stays(folder):
    running = Running(folder, "--no-check", "reload_ops.cc", "program.py")
    running.wait_for("^value 10.0")
    _save(folder, "mistake")
    running.wait_for("^tw dev: tw build: the compiler found errors")
    _save(folder, "version 3")
    running.wait_for("the definition of op ReloadTimes, .* has changed")
    assert running.wait_for("was").split() == ["was", "input", "x:float"]
    assert running.wait_for("now").split() == ["now", "input", "x:double"]
    _save(folder, "version 2")
    running.wait_for("^value 20.0")
    (folder / "end").write_text("now")
    assert running.end() == 0
    values = [line.strip() for line in running.lines if line.startswith("value")]
    assert values == ["value 10.0", "value 20.0"]


def test_the_check_gives_its_verdict_on_each_version(folder):
    running = Running(folder, "reload_ops.cc")
    running.wait_for("^tw dev: check-op --quick finds")
    _save(folder, "version 2")
    running.wait_for("has changed")
    running.wait_for("^tw dev: check-op --quick finds")
    assert running.end(signal.SIGINT) == 0


def test_gdb_stops_in_compute(folder, tmp_path, monkeypatch):
    gdb = tmp_path / "gdb"
    gdb.write_text(
        f"#!{sys.executable}\nimport sys; open('asked', 'w').write(repr(sys.argv[1:]))\n"
    )
    gdb.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.chdir(folder)
    source = folder / "reload_ops.cc"
    source.write_text("a\nvoid Compute(OpKernelContext* c) override {\n}\n")
    assert (
        main.main(["dev", "--gdb", "reload_ops.cc", "program.py", "--steps", "3"]) == 0
    )
    asked = (folder / "asked").read_text()
    assert f"break {source}:2" in asked
    assert "'--copt=-g', '--copt=-O0'" in asked
    assert asked.endswith("'program.py', '--steps', '3']")


def test_the_lines_of_compute():
    text = """\
class A : public OpKernel {
  void Compute(OpKernelContext* c) override;
  void ComputeAsync(OpKernelContext* c,
                    DoneCallback done) override {
  }
};
void A::Compute(OpKernelContext* c) {
"""
    assert dev.lines_of_compute(text) == [4, 7]


def test_a_source_that_is_not_there(capsys):
    assert main.main(["dev", "/nowhere/op.cc"]) == 2
    assert "no such source" in capsys.readouterr().err


class _Ended:
    """A check-op that has found nothing, and printed something."""

    returncode = 0

    def __init__(self, printed):
        self._printed = printed

    def poll(self):
        return self.returncode

    def communicate(self):
        return self._printed, None


@pytest.mark.parametrize(
    ("printed", "said"),
    [
        ("  threads     not checked: why\n  nan   12 outputs\n", "; not checked: threads"),
        ("  threads     3 large calls\n  nan   nothing to check: why\n", ""),
    ],
)  # fmt: skip
def test_it_says_what_was_not_checked(tmp_path, capsys, printed, said):
    op = dev.Op(tmp_path / "row.cc", [], True)
    op._checking = _Ended(printed)
    op._tell_check()
    assert f"check-op --quick finds nothing{said}\n" in capsys.readouterr().err
