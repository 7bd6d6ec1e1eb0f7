# SPDX-License-Identifier: Apache-2.0
"""Fails every call of the system that a program makes, one at a time, and looks what is left.

    ./run tools/faults/faults.py [SCENARIO...] [--every N] [--list]

A scenario (scenarios.py) is a short program: it saves and restores checkpoints, writes and reads records and events,
starts threads, computes.  It runs once to count the calls of a kind that it makes (faulty_calls.cc: files, threads,
memory), and then once for each of them and each error that such a call may have (EIO, ENOSPC, EINTR; EAGAIN for a thread;
none for memory), with that call failing.  The run must end well, or with an error that is documented: never with another
exception, a wrong result, the death of the process, or no end within 60 seconds.  Afterwards, with nothing failing, the
scenario says whether what it left is whole (the old checkpoint or the new one), runs again and must end well; and no file
may have stayed open.

--every N takes each N-th call, with other ones for each error.  A finding is printed with the arguments that repeat it.  The exit
status is 1 if there are findings.
"""

from __future__ import annotations

import argparse
import ctypes
import errno
import gc
import os
import pathlib
import re
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import traceback

import scenarios
from scenario import DOCUMENTED, Scenario

_HERE = pathlib.Path(__file__).resolve().parent
_SOURCE = _HERE / "faulty_calls.cc"
# As in faulty_calls.cc.
KINDS = {"files": 1, "threads": 2, "memory": 4}
# Errors by name; with a "+" all calls after the failed one fail, too: a disk stays full.
_ERRORS = {
    "files": ("EIO", "EINTR", "ENOSPC", "ENOSPC+"),
    "threads": ("EAGAIN", "EAGAIN+"),
    "memory": ("ENOMEM", "ENOMEM+"),
}
_SECONDS = 60
# Findings of a scenario after which it ends.
_MOST = 20


class Faults:
    """The library of calls that fail, which is in the process by LD_PRELOAD."""

    def __init__(self) -> None:
        self._library = ctypes.CDLL(None)
        self._library.tw_faults_count.restype = ctypes.c_long
        self._library.tw_faults_failed.restype = ctypes.c_char_p
        begin, end = _range_of("libtensorwright.so")
        self._library.tw_faults_code(ctypes.c_void_p(begin), ctypes.c_void_p(end))

    def arm(self, kind: str, which: int, error: str) -> None:
        """Counts the calls of a kind from here on; the `which`-th fails, none if it is 0."""
        number = getattr(errno, error.removesuffix("+"))
        lasts = int(error.endswith("+"))
        self._library.tw_faults_arm(KINDS[kind], ctypes.c_long(which), number, lasts)

    def disarm(self) -> tuple[int, str]:
        """Ends that; (the number of calls, the name of the one that failed or "")."""
        count, name = (
            self._library.tw_faults_count(),
            self._library.tw_faults_failed() or b"",
        )
        self._library.tw_faults_arm(0, ctypes.c_long(0), 0, 0)
        return count, name.decode()


def _range_of(library: str) -> tuple[int, int]:
    """The addresses at which a library's code is mapped."""
    places = [
        [int(part, 16) for part in line.split(" ")[0].split("-")]
        for line in pathlib.Path("/proc/self/maps").read_text().splitlines()
        if line.rstrip().endswith("/" + library) and " r-xp " in line
    ]
    if not places:
        raise RuntimeError(f"{library} is not loaded")
    return min(p[0] for p in places), max(p[1] for p in places)


def _open_files() -> list[str]:
    """The regular files and folders that the process has open."""
    found = []
    for link in pathlib.Path("/proc/self/fd").iterdir():
        try:
            target = os.readlink(link)
        except OSError:
            continue
        if target.startswith("/") and not target.startswith(("/dev/", "/proc/")):
            found.append(target)
    return sorted(found)


# The child, which runs calls of one scenario, kind and error.


def _run_child(name: str, kind: str, error: str, first: int, step: int) -> None:
    """Prints `at K` before each run whose K-th call fails, `found K: text` after one that ended badly, then `end N`."""
    faults = Faults()
    made = scenarios.SCENARIOS[name]
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        # The first run loads what is loaded once.
        _once(faults, made, kind, 0, error)
        calls = _once(faults, made, kind, 0, error)
        for which in range(first, calls + 1, step):
            print("at", which, flush=True)
            try:
                _once(faults, made, kind, which, error)
            except BaseException as problem:
                faults.disarm()
                print(f"found {which}: {_one_line(problem)}", flush=True)
        print("end", calls, flush=True)


def _one_line(problem: BaseException) -> str:
    text = "".join(traceback.format_exception_only(problem))
    place = traceback.extract_tb(problem.__traceback__)[-1]
    return re.sub(r"\s+", " ", f"{text} ({place.name}:{place.lineno})")


def _once(
    faults: Faults, made: type[Scenario], kind: str, which: int, error: str
) -> int:
    """Runs a scenario in an empty folder with one call failing, none if it is 0, and once more; its number of calls.

    Raises:
        AssertionError, or whatever the scenario raises, if something is not as it should be.
    """
    for path in pathlib.Path().iterdir():
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    scenario = made()
    scenario.prepare()
    before = _open_files()
    faults.arm(kind, which, error)
    problem: Exception | None = None
    try:
        result = scenario.run()
    except DOCUMENTED as raised:
        problem = raised
    finally:
        calls, failed = faults.disarm()
    said = f"after {failed or 'nothing'} failed, and {type(problem).__name__}"
    if problem is not None and not failed:
        raise AssertionError(f"no call failed, but the run: {problem}")
    try:
        if problem is not None:
            scenario.left()
        elif failed not in scenario.absent:
            scenario.check(result)
        scenario.check(scenario.run())
        scenario.close()
    except Exception as wrong:
        raise AssertionError(f"{said}: {type(wrong).__name__}: {wrong}") from wrong
    # Tracebacks hold what functions had open, and iterators end with their sessions.
    del problem, scenario
    gc.collect()
    more = [file for file in _open_files() if file not in before]
    if more:
        raise AssertionError(f"{said}: open files stay: {more}")
    return calls


# The parent, which starts children anew when they die.


def _campaign(
    name: str, kind: str, error: str, every: int, first: int
) -> tuple[int, list[str]]:
    """(the calls that failed, the findings) of a scenario with one kind of calls and one error."""
    findings: list[str] = []
    tried, at = 0, first
    while len(findings) < _MOST:
        printed, how = _child(name, kind, error, at, every)
        tried += sum(line.startswith("at ") for line in printed)
        findings += [line for line in printed if line.startswith("found ")]
        if any(line.startswith("end ") for line in printed):
            break
        begun = [int(line[3:]) for line in printed if line.startswith("at ")]
        if not begun:
            findings.append(f"found 0: {how}")
            break
        findings.append(f"found {begun[-1]}: {how}")
        at = begun[-1] + every
    repeat = f"{name}:{kind}:{error}"
    return tried, [f"{repeat}:{f.removeprefix('found ')}" for f in findings]


def _child(
    name: str, kind: str, error: str, first: int, step: int
) -> tuple[list[str], str]:
    """(the lines that a child printed, words about its end)."""
    command = [
        sys.executable,
        __file__,
        "--child",
        name,
        kind,
        error,
        str(first),
        str(step),
    ]
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=_environment(),
    )
    lines: list[str] = []
    said = ""
    try:
        # A child prints a line at least each time that a run ends.
        said, how = _read(process, lines)
    finally:
        process.kill()
        process.communicate()
    report = re.search(
        r"^\*\*\* tensorwright: .*?(?=^\(TENSORWRIGHT|\Z)", said, re.M | re.S
    )
    words = report[0] if report else "\n".join(said.splitlines()[-3:])
    return lines, re.sub(r"\s+", " ", f"{how}: {words}")


def _read(process: subprocess.Popen[str], lines: list[str]) -> tuple[str, str]:
    """Adds a child's lines until it ends or says nothing for too long; (its standard error, how it ended)."""
    assert process.stdout is not None and process.stderr is not None
    errors: list[str] = []
    reader = threading.Thread(target=lambda: errors.append(process.stderr.read()))
    reader.start()
    how = ""
    while not how:
        ready, _, _ = select.select([process.stdout], [], [], _SECONDS)
        if not ready:
            how = f"no end within {_SECONDS} seconds"
            process.send_signal(signal.SIGABRT)
            break
        line = process.stdout.readline()
        if not line:
            code = process.wait()
            how = signal.Signals(-code).name if code < 0 else f"exit status {code}"
        lines.append(line.strip())
    process.stdout.close()
    reader.join(10)
    if reader.is_alive():
        process.kill()
        reader.join()
    return "".join(errors), how


def _environment() -> dict[str, str]:
    return {
        **os.environ,
        "LD_PRELOAD": os.environ["TW_FAULTY_CALLS"],
        "PYTHONPATH": os.pathsep.join(p for p in sys.path if p),
        "TW_GPU": "off",
    }


def _built(folder: str) -> str:
    """Compiles faulty_calls.cc; the library's path."""
    library = os.path.join(folder, "faulty_calls.so")
    command = [
        "g++",
        "-std=c++20",
        "-O1",
        "-fPIC",
        "-shared",
        str(_SOURCE),
        "-o",
        library,
    ]
    subprocess.run([*command, "-ldl"], check=True)
    return library


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "scenarios", nargs="*", metavar="SCENARIO[:KIND[:ERROR[:CALL]]]"
    )
    parser.add_argument(
        "--every", type=int, default=1, metavar="N", help="each N-th call"
    )
    parser.add_argument("--list", action="store_true", help="the scenarios")
    parser.add_argument("--child", nargs=5, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.list:
        for name, made in scenarios.SCENARIOS.items():
            print(
                f"{name:12}{', '.join(made.kinds):24}{(made.__doc__ or '').splitlines()[0]}"
            )
        return 0
    if args.child:
        name, kind, error, *numbers = args.child
        _run_child(name, kind, error, *map(int, numbers))
        return 0
    wanted = [w.split(":") for w in args.scenarios] or [
        [n] for n in scenarios.SCENARIOS
    ]
    unknown = [w[0] for w in wanted if w[0] not in scenarios.SCENARIOS]
    if unknown:
        parser.error(f"no such scenario: {', '.join(unknown)} (--list names them)")
    total, findings = 0, 0
    with tempfile.TemporaryDirectory() as folder:
        # A test has compiled it already.
        if "TW_FAULTY_CALLS" not in os.environ:
            os.environ["TW_FAULTY_CALLS"] = _built(folder)
        for name, *rest in wanted:
            for kind in rest[:1] or scenarios.SCENARIOS[name].kinds:
                errors = rest[1:2] or _ERRORS[kind]
                for i, error in enumerate(errors):
                    first = int(rest[2]) if len(rest) > 2 else 1 + i % args.every
                    step = 1 << 40 if len(rest) > 2 else args.every
                    tried, found = _campaign(name, kind, error, step, first)
                    total, findings = total + tried, findings + len(found)
                    print(
                        f"{name:12}{kind:9}{error:8}{tried:6} calls failed, {len(found)} findings",
                        flush=True,
                    )
                    for text in found:
                        print(f"    {text}", flush=True)
    print(f"{total} calls failed, {findings} findings")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
