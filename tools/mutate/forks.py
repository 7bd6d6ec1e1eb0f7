# SPDX-License-Identifier: Apache-2.0
"""Processes by fork: work in a child that may die or hang, and opcheck's workers without a new interpreter.

The parent has imported what the children need and runs nothing itself: a fork copies the forking thread only, and the
pools of a session that ran would be left without their threads.
"""

from __future__ import annotations

import gc
import importlib
import io
import os
import pathlib
import resource
import select
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from typing import Any, BinaryIO

import numpy as np

from tensorwright.tools.opcheck import processes, wire

Send = Callable[[Any], None]


class Answers:
    """A child's messages, and its end: "" if by itself, else a signal's name, "no answer in N s" or its error."""

    def __init__(self) -> None:
        self.messages: list[Any] = []
        self.ending = ""


def in_child(
    work: Callable[[Send], None],
    patience: float,
    on_message: Callable[[Any], float | None] = lambda message: None,
) -> Answers:
    """Runs `work` in a forked process, whose children end with it, and so do its temporary files.

    `on_message` is called with each message as it comes; where it returns a number, that many seconds may pass until
    the next one, else `patience`.
    """
    reader, writer = os.pipe()
    sys.stdout.flush()
    sys.stderr.flush()
    folder = tempfile.mkdtemp(prefix="mutant")
    gc.freeze()  # The collector leaves the parent's objects, and their pages, alone.
    pid = os.fork()
    if pid == 0:
        os.close(reader)
        tempfile.tempdir = os.environ["TMPDIR"] = folder
        _be_a_child(work, os.fdopen(writer, "wb", 0))
    os.close(writer)
    # Done in both, as either may come first.
    _set_group(pid)
    answers = Answers()
    pipe = os.fdopen(reader, "rb", 0)
    limit, hangs = patience, False
    try:
        while True:
            if not _readable(pipe, limit):
                answers.ending, hangs = f"no answer in {limit:g} s", True
                break
            try:
                message = wire.receive(pipe)
            except EOFError:
                break
            if isinstance(message, _Raised):
                answers.ending = message.text
                continue
            answers.messages.append(message)
            limit = on_message(message) or patience
    finally:
        pipe.close()
        status = _end(pid, hangs)
        shutil.rmtree(folder, ignore_errors=True)
        if os.WIFSIGNALED(status) and not answers.ending:
            answers.ending = signal.Signals(os.WTERMSIG(status)).name
    return answers


def _readable(pipe: BinaryIO, seconds: float) -> bool:
    """Waits in steps: while this process and its children are stopped, no more than one of them passes."""
    while seconds > 0:
        if select.select([pipe], [], [], min(seconds, 1.0))[0]:
            return True
        seconds -= 1.0
    return False


class _Raised:
    def __init__(self, text: str):
        self.text = text


def _set_group(pid: int) -> None:
    try:
        os.setpgid(pid, pid)
    except (PermissionError, ProcessLookupError):
        pass


def _end(pid: int, hangs: bool) -> int:
    """Ends the process and its children; the status it ended with."""
    # It has closed its pipe and is about to end, unless it hangs.  It is waited for last: until then its number, which
    # is its group's, cannot become another's.
    for _ in range(0 if hangs else 100):
        if os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT):
            break
        time.sleep(0.002)
    try:
        os.killpg(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    return os.waitpid(pid, 0)[1]


def _be_a_child(work: Callable[[Send], None], pipe: BinaryIO) -> None:
    _set_group(0)
    nothing = os.open(os.devnull, os.O_RDWR)
    for fd in (0, 1, 2):
        os.dup2(nothing, fd)
    try:
        work(lambda message: wire.send(pipe, message))
    except BaseException as error:
        wire.send(pipe, _Raised(f"{type(error).__name__}: {error}"[:2000]))
    # Exit handlers are skipped: they belong to the parent.
    os._exit(0)


class _ForkedProcess:
    """The part of subprocess.Popen's interface that processes.Worker uses."""

    def __init__(self, stdin: BinaryIO, stdout: BinaryIO, pid: int):
        self.stdin, self.stdout, self.pid = stdin, stdout, pid
        self._code: int | None = None

    def kill(self) -> None:
        if self._code is None:
            os.kill(self.pid, signal.SIGKILL)

    def wait(self) -> int:
        if self._code is None:
            self._code = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        return self._code


def _worker_module() -> Any:
    """Imports worker.py under the name that it has when it runs: as the main program of its folder."""
    folder = str(pathlib.Path(processes.__file__).resolve().parent)
    if folder not in sys.path:
        sys.path.insert(0, folder)
    return importlib.import_module("worker")


def prepare_workers() -> None:
    """Imports the modules that forked workers need."""
    _worker_module().library.load(processes.OURS)


def work_here() -> None:
    """Makes this process, which has a mutant, answer opcheck's requests to workers of this library from now on.

    A request that kills a worker kills the process, which is a finding too.  The first request to a worker with limited
    memory limits the process's memory for good.
    """
    worker = _worker_module()
    table = {f.__name__: f for f in worker._REQUESTS}
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    np.seterr(all="ignore")
    limited = False

    def ask(self: processes.Worker, do: str, **arguments: Any) -> Any:
        nonlocal limited
        if self._memory is not None and not limited:
            limited = worker.limit_memory(self._memory)
        return table[do](**arguments)

    processes.Worker.ask = ask  # type: ignore[method-assign]


def fork_workers() -> None:
    """From now on opcheck's workers of this library are forks of this process: they have its mutant."""
    start_program = processes.Worker._launch

    def launch(self: processes.Worker) -> Any:
        return (
            _fork_worker() if self._library == processes.OURS else start_program(self)
        )

    processes.Worker._launch = launch  # type: ignore[method-assign]


def _fork_worker() -> tuple[_ForkedProcess, io.BufferedRandom]:
    errors = tempfile.TemporaryFile()
    worker_in, stdin = os.pipe()
    stdout, worker_out = os.pipe()
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            for source, target in (
                (worker_in, 0),
                (worker_out, 1),
                (errors.fileno(), 2),
            ):
                os.dup2(source, target)
            os.closerange(3, 256)
            sys.argv = ["worker.py", processes.OURS]
            # Files that a worker is told to load look for it there.
            worker = sys.modules["__main__"] = _worker_module()
            worker.main()
            code = 0
        finally:
            os._exit(code)
    os.close(worker_in)
    os.close(worker_out)
    return (
        _ForkedProcess(os.fdopen(stdin, "wb", 0), os.fdopen(stdout, "rb", 0), pid),
        errors,
    )
