# SPDX-License-Identifier: Apache-2.0
"""Worker processes: asked over a pipe, watched, and started anew when they die or hang."""

from __future__ import annotations

import os
import pathlib
import re
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import weakref
from collections.abc import Callable, Mapping
from typing import Any

from tensorwright.tools.opcheck import wire

_WORKER = pathlib.Path(__file__).resolve().with_name("worker.py")
OURS, THEIRS = "tensorwright", "tensorflow"


# A worker that others leave little of the processor may take so many times its time, if it goes on working.
_PATIENCE = 6
# Seconds of the processor in a whole period, below which a worker is at no work but waits.
_IDLE = 0.02


# The end of its output that is kept: the report on a crash, and Python's stack after it.
_SAID_BYTES = 8000
# Seconds in which a process that has been aborted writes that report.
_REPORT_SECONDS = 10
# Seconds for the debugger, and the frames it is asked for.
_GDB_SECONDS = 60
_FRAMES = 12


class Died(Exception):
    """The worker ended, or was ended, before it answered."""

    def __init__(self, how: str, said: str, stack: str = "", stuck: bool = False):
        super().__init__(how)
        self.how = how  # "SIGSEGV", "no answer in 20 s", "exit status 1"
        self.said = said  # The end of its output.
        # The frames of the threads that did not come back, if a debugger told them.
        self.stack = stack
        self.stuck = stuck  # It had not ended by itself.

    def __reduce__(self) -> Any:
        # A pool of processes sends it on.
        return Died, (self.how, self.said, self.stack, self.stuck)


class Worker:
    """A process with one library loaded; see worker.py for what it can be asked.

    Not thread safe.  `spare`: a second process starts along with each, to take over at once.  `loads` are op libraries to load and Python files to run; `memory` limits what the process may map on top of what it
    has after its start.  `variables` join its environment; `wrap` makes
    its command another one, as one that sets how memory is laid out.
    `faulthandler`: Python prints its own stack when the process crashes.
    """

    def __init__(
        self,
        library: str = OURS,
        python: str = sys.executable,
        loads: tuple[str, ...] = (),
        memory: int | None = None,
        timeout: float = 30.0,
        spare: bool = False,
        variables: Mapping[str, str] = {},
        wrap: Callable[[list[str]], list[str]] = list,
        faulthandler: bool = True,
    ):
        self._library, self._python = library, python
        self._loads, self._memory, self._timeout = loads, memory, timeout
        self._process: subprocess.Popen[bytes] | None = None
        self._errors: Any = None
        self._keep_spare, self._variables, self._wrap = spare, variables, wrap
        self._options = ["-X", "faulthandler"] if faulthandler else []
        self._spare: tuple[subprocess.Popen[bytes], Any] | None = None
        # Ops that write files are called with odd names of files, too.
        self._folder = tempfile.mkdtemp(prefix="opcheck")
        weakref.finalize(self, shutil.rmtree, self._folder, ignore_errors=True)

    def ask(self, do: str, **arguments: Any) -> Any:
        """The answer.  Died where there is none; the next call starts a new process."""
        self.post(do, **arguments)
        return self.collect()

    def post(self, do: str, **arguments: Any) -> None:
        """Sends a request whose answer `collect` will return."""
        if self._process is None:
            self._start()
        self._send(do, **arguments)

    def collect(self) -> Any:
        return self._receive(self._timeout)

    def run_each(self, graphs: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """The answers to a posted "run_each"; {"died": how} for a graph that took its process along."""
        answers: list[dict[str, Any]] = []
        while len(answers) < len(graphs):
            try:
                answers.append(self.collect())
            except Died as death:
                answers.append({"died": death.how})
                if len(answers) < len(graphs):
                    self.post("run_each", graphs=graphs[len(answers) :])
        return answers

    def close(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._forget()
        if self._spare is not None:
            self._process, self._errors = self._spare
            self._spare = None
            self.close()

    def _launch(self) -> tuple[subprocess.Popen[bytes], Any]:
        errors = tempfile.TemporaryFile()
        process = subprocess.Popen(
            self._wrap([self._python, *self._options, str(_WORKER), self._library]),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            # Unbuffered: select does not see the bytes in a buffer.
            bufsize=0,
            cwd=self._folder,
            env={**_environment(self._library), **self._variables},
        )
        return process, errors

    def _start(self) -> None:
        self._process, self._errors = self._spare or self._launch()
        if self._keep_spare:
            self._spare = self._launch()
        for file in self._loads:
            self._send("load", file=file)
            self._receive(120)
        # These are the libraries of the first run, so that the limit counts from there.
        self._send("ops")
        self._receive(300)
        if self._memory is not None:
            self._send("limit_memory", extra_bytes=self._memory)
            self._receive(30)

    def _send(self, do: str, **arguments: Any) -> None:
        assert self._process is not None and self._process.stdin is not None
        try:
            wire.send(self._process.stdin, {"do": do, **arguments})
        except BrokenPipeError:
            pass  # `_receive` reports the end.

    def _receive(self, timeout: float) -> Any:
        process = self._process
        assert process is not None and process.stdout is not None
        out, pid = process.stdout, process.pid

        def wait(seconds: float) -> bool:
            return bool(select.select([out], [], [], seconds)[0])

        if not answers_in_time(wait, lambda: _processor_seconds(pid), timeout):
            how = f"no answer in {timeout:g} s"
            # The report on crashes, which this starts, names the kernel and its inputs.
            stack = _stack(pid)
            process.send_signal(signal.SIGABRT)
            try:
                process.wait(_REPORT_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
            raise Died(how, self._forget(), stack, stuck=True)
        try:
            return wire.receive(process.stdout)
        except EOFError:
            code = process.wait()
            if code < 0:
                how = signal.Signals(-code).name
            else:
                how = f"exit status {code}"
            raise Died(how, self._forget()) from None

    def _forget(self) -> str:
        """Drops the process, and returns the end of its output."""
        assert self._process is not None
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            try:
                pipe.close()  # type: ignore[union-attr]
            except BrokenPipeError:
                pass
        self._errors.seek(0)
        text = self._errors.read()[-_SAID_BYTES:].decode(errors="replace")
        self._errors.close()
        self._process = None
        return text


def answers_in_time(
    wait: Callable[[float], bool], used: Callable[[], float], timeout: float
) -> bool:
    """Is there an answer within so many seconds, on a busy machine of the processor's time, not of the clock?

    Args:
        wait: waits for the answer for so many seconds; whether it is there.
        used: the seconds of the processor that the process has used so far.
        timeout: of one wait.  There are several while the process works, and others leave it less than half of a core.
    """
    begin = before = used()
    for _ in range(_PATIENCE):
        if wait(timeout):
            return True
        now = used()
        if now - begin >= timeout / 2 or now - before < _IDLE:
            return False
        before = now
    return False


def _stack(pid: int) -> str:
    """The frames of the threads of a process that are in code of an op library or the package; "" without gdb."""
    gdb = shutil.which("gdb")
    if gdb is None:
        return ""
    command = [gdb, "-p", str(pid), "-batch", "-nx"]
    for setting in ("pagination off", "print frame-arguments none", "width 0"):
        command += ["-ex", f"set {setting}"]
    command += ["-ex", f"thread apply all backtrace {_FRAMES}"]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=_GDB_SECONDS
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return stuck_frames(done.stdout)


def stuck_frames(text: str) -> str:
    """Takes from gdb's stacks of all threads those in kernels: the frames from the innermost to a kernel's Compute."""
    found = []
    for thread in re.split(r"(?m)^Thread \d+ ", text)[1:]:
        frames = re.findall(r"(?m)^#\d+ .*$", thread)
        for i, frame in enumerate(frames):
            if re.search(r"::Compute(Async)? ?\(|_FUN ?\(|ThreadPool", frame):
                if "ThreadPoolTempl" not in frame:
                    found += [_plain(f) for f in frames[: i + 1]]
                break
    return "\n".join(found)


def _plain(frame: str) -> str:
    """A frame without its address."""
    return re.sub(r"0x[0-9a-f]+ in ", "", frame)


def _processor_seconds(pid: int) -> float:
    """The time that all threads of a process have used; 0 of one that is gone."""
    try:
        stat = pathlib.Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return 0.0
    # After the name, which may have blanks: utime and stime are the fields 14 and 15.
    fields = stat.rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _environment(library: str) -> dict[str, str]:
    env = dict(os.environ)
    # A run by the tools does not prove that a test has run the op.
    env.pop("TENSORWRIGHT_EXECUTED_OPS", None)
    if library == THEIRS:
        env.pop("PYTHONPATH", None)  # The peer sees its own packages only.
        env["TF_CPP_MIN_LOG_LEVEL"] = "3"
        env["CUDA_VISIBLE_DEVICES"] = "-1"
    else:
        env["PYTHONPATH"] = os.pathsep.join(p for p in sys.path if p)
    return env
