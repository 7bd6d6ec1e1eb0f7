# SPDX-License-Identifier: Apache-2.0
"""`tw dev`: builds an op whenever its source is saved, and gives the new kernel to the program that runs.

tw dev row_norm.cc                 build and check again after each change, until Ctrl-C
tw dev row_norm.cc train.py        the same while train.py runs; its sessions use the new kernel at their next run
tw dev --gdb row_norm.cc train.py  in gdb, which stops where a kernel computes
"""

from __future__ import annotations

import argparse
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable

from tensorwright.tools.tw import build_op, precompiled, program, suggest

# Seconds between two looks at the files.
_PERIOD = 0.2
# GCC gives variables of inline functions one address for all libraries of a process: the new version of a library would
# see those of the old one.
_COPTS = ["-fno-gnu-unique"]
_DEBUG = ["-g", "-O0"]


def add_command(commands: argparse._SubParsersAction) -> None:
    parser = commands.add_parser(
        "dev",
        help="build an op when it is saved, for a program that runs",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--gdb", action="store_true", help="stop where it computes")
    parser.add_argument(
        "--copt", action="append", default=[], help="a further option for the compiler"
    )
    parser.add_argument("--no-check", action="store_true", help="no check-op beside it")
    parser.add_argument("source", type=pathlib.Path, metavar="OP.cc")
    parser.add_argument("script", nargs="?", metavar="PROGRAM.py")
    parser.add_argument("args", nargs=argparse.REMAINDER)
    parser.set_defaults(do=_dev)


def _dev(args: argparse.Namespace) -> int:
    if not args.source.is_file():
        close = suggest.files(str(args.source), "*.cc")
        print(f"tw dev: no such source: {args.source}{close}", file=sys.stderr)
        return 2
    if args.script is not None and program.is_missing("dev", args.script):
        return 2
    if args.gdb:
        return _in_gdb(args)
    # A signal that ends it ends it in order: the check, and the headers in the temporary folder, go too.
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
    op = Op(args.source.resolve(), args.copt, not args.no_check)
    if not op.build():
        op.close()
        return 1
    if args.script is None:
        op.check()
        try:
            op.watch(lambda: False)
        except KeyboardInterrupt:
            return 0
        finally:
            op.close()
    ended = threading.Event()
    watching = threading.Thread(target=op.watch, args=(ended.is_set,), daemon=True)
    op.check()
    watching.start()
    try:
        program.run(args.script, args.args)
    finally:
        ended.set()
        watching.join()
        op.close()
    return 0


class Op:
    """The source of an op, the library that is made of its folder, and the check that runs beside it."""

    def __init__(self, source: pathlib.Path, copts: list[str], checks: bool):
        self._source, self._folder = source, source.parent
        self._name, _ = build_op.project(self._folder)
        self._copts, self._checks = [*_COPTS, *copts], checks
        self._checking: subprocess.Popen[str] | None = None
        self._headers = precompiled.PrecompiledHeaders(source)
        self._seen = self._times()

    @property
    def library(self) -> pathlib.Path:
        return self._folder / f"lib{self._name}.so"

    def build(self) -> bool:
        """Compiles it; False where the compiler finds errors, which it has printed."""
        self._seen = self._times()
        try:
            build_op.build(self._folder, self._name, self._copts, headers=self._headers)
        except SystemExit as error:
            if not isinstance(error.code, str):
                raise  # A signal, not the compiler, ends it.
            _say(error.code)
            return False
        return True

    def watch(self, is_over: Callable[[], bool]) -> None:
        """Builds, loads and checks it after each change, until it is over."""
        while not is_over():
            time.sleep(_PERIOD)
            self._tell_check()
            if self._times() == self._seen:
                continue
            self.end()
            _say(f"{self._source.name} has changed")
            if self.build() and self._reload():
                self.check()

    def check(self) -> None:
        """Starts check-op's quick form of the library's ops."""
        if not self._checks:
            return
        command = [sys.executable, "-m", "tensorwright.tools.tw.main", "check-op"]
        command += ["--quick", "--library", str(self.library)]
        path = os.pathsep.join(p for p in sys.path if p)
        self._checking = subprocess.Popen(
            [*command, *_ops_of(self._folder)],
            cwd=self._folder,
            env=os.environ | {"PYTHONPATH": path},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )

    def end(self) -> None:
        """Ends a check that is under way."""
        checking, self._checking = self._checking, None
        if checking is None:
            return
        if checking.poll() is None:
            os.killpg(checking.pid, signal.SIGKILL)
        checking.communicate()

    def close(self) -> None:
        """Ends the check, and removes the headers that were compiled for later builds."""
        self.end()
        self._headers.close()

    def _tell_check(self) -> None:
        if self._checking is None or self._checking.poll() is None:
            return
        checking, self._checking = self._checking, None
        printed, _ = checking.communicate()
        if checking.returncode == 0:
            missing = re.findall(r"^  (\w+) +not checked: ", printed, re.MULTILINE)
            missing = list(dict.fromkeys(missing))
            more = f"; not checked: {', '.join(missing)}" if missing else ""
            _say(f"check-op --quick finds nothing{more}")
            return
        # A finding is a line that begins with the name of its check.
        found = re.findall(r"^\w+: .*$", printed, re.MULTILINE)
        _say("\n".join(["check-op --quick finds:", *(found or [printed.strip()])]))

    def _reload(self) -> bool:
        from tensorwright.python.framework import errors_impl, load_library

        loaded = {os.path.realpath(m.__file__) for m in load_library.loaded_modules()}
        if os.path.realpath(self.library) not in loaded:
            return True
        try:
            load_library.reload_op_library(str(self.library))
        except errors_impl.OpError as error:
            _say(error.message)
            return False
        _say(f"{self.library.name} is loaded again")
        return True

    def _times(self) -> dict[str, int]:
        """When each file that it is made of was written."""
        times = {}
        for pattern in ("*.cc", "*.h"):
            for file in self._folder.glob(pattern):
                try:
                    times[file.name] = file.stat().st_mtime_ns
                except FileNotFoundError:
                    continue  # An editor is just writing it.
        return times


def _ops_of(folder: pathlib.Path) -> list[str]:
    """The ops that the sources of a folder register."""
    names = []
    for source in build_op.sources_of(folder, "*.cc"):
        names += re.findall(r'REGISTER_OP\(\s*"(\w+)"', source.read_text())
    return list(dict.fromkeys(names))


def lines_of_compute(text: str) -> list[int]:
    """The lines of a source at which the body of a kernel's Compute or ComputeAsync begins."""
    found = re.finditer(r"\bvoid\s+(?:\w+::)?Compute(?:Async)?\s*\([^{;]*\{", text)
    # The body's first line has code to stop at, where the brace's own may have none.
    return [text.count("\n", 0, m.end()) + 1 for m in found]


def _in_gdb(args: argparse.Namespace) -> int:
    gdb = shutil.which("gdb")
    if gdb is None:
        print("tw dev: there is no gdb here: apt-get install gdb", file=sys.stderr)
        return 1
    if args.script is None:
        print("tw dev: --gdb wants a program that runs the op", file=sys.stderr)
        return 2
    source = args.source.resolve()
    lines = lines_of_compute(source.read_text())
    if not lines:
        print(f"tw dev: no Compute in {args.source}", file=sys.stderr)
        return 1
    command = [gdb, "-q", "-nx", "-ex", "set breakpoint pending on"]
    for line in lines:
        command += ["-ex", f"break {source}:{line}"]
    command += ["-ex", "run", "--args", sys.executable, "-m"]
    command += ["tensorwright.tools.tw.main", "dev"]
    command += [f"--copt={c}" for c in [*_DEBUG, *args.copt]]
    command += ["--no-check"] if args.no_check else []
    path = os.pathsep.join(p for p in sys.path if p)
    done = subprocess.run(
        [*command, str(source), args.script, *args.args],
        env=os.environ | {"PYTHONPATH": path},
    )
    return done.returncode


def _say(text: str) -> None:
    print(f"tw dev: {text}", file=sys.stderr, flush=True)
