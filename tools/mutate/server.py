# SPDX-License-Identifier: Apache-2.0
"""Holds the library and a set of collected tests, and runs them, or opcheck, in forks of itself: server.py FOLDER

main.py starts it and asks over a pipe (wire.py).  It is a pytest session whose loop over the tests serves requests;
each request's work is done in a forked process, so that its faults stay there.
"""

from __future__ import annotations

import dataclasses
import os
import pathlib
import resource
import sys
import tempfile
import time
from typing import Any

import pytest
from _pytest.runner import runtestprotocol

from tensorwright.tools.difftest import peer_venv
from tensorwright.tools.difftest.comparison import Comparison
from tensorwright.tools.difftest.process_pair import ProcessPair
from tensorwright.tools.mutate import faults, forks
from tensorwright.tools.mutate.kinds import Mutant
from tensorwright.tools.opcheck import checks, wire
from tensorwright.tools.opcheck.outcome import QUICK, Effort, Finding
from tensorwright.tools.opcheck.processes import Died

# Seconds that a single test may take on top of its time without the mutant, and the factor of that time.
_EXTRA, _TIMES = 15.0, 20.0
_OPCHECK_PATIENCE = 120.0
_DIFFTEST_PATIENCE = 300.0
_ALL = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)


class Server:
    """A pytest plugin: collects, then answers requests until the pipe is closed."""

    def __init__(self, requests: Any, answers: Any):
        self._requests, self._answers = requests, answers
        self._items: dict[str, pytest.Item] = {}
        self._broken: list[str] = []
        self._lane: ProcessPair | None = None

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self._broken.append(f"{report.nodeid}: {report.longreprtext[-300:]}")

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        self._items = {item.nodeid: item for item in session.items}
        threads = len(os.listdir("/proc/self/task"))
        wire.send(
            self._answers,
            {"tests": list(self._items), "broken": self._broken, "threads": threads},
        )
        while True:
            try:
                request = wire.receive(self._requests)
            except EOFError:
                return True
            answer = getattr(self, f"do_{request.pop('do')}")(**request)
            wire.send(self._answers, answer)

    # Requests. -----------------------------------------------------------------------------------------------

    def do_record_tests(self, tests: list[str]) -> dict[str, Any]:
        """Runs tests and returns for each whether it passed, its seconds, and its ops' events ("lines")."""

        def work(send: forks.Send) -> None:
            for test, after in _pairs(tests):
                with tempfile.NamedTemporaryFile() as file:
                    faults.record(pathlib.Path(file.name))
                    send({"start": test})
                    start = time.perf_counter()
                    passed = self._passes(test, after)
                    seconds = time.perf_counter() - start
                    lines = sorted(set(file.read().decode().splitlines()))
                send(
                    {"test": test, "passed": passed, "seconds": seconds, "lines": lines}
                )

        answers = forks.in_child(work, patience=300)
        done = [m for m in answers.messages if "test" in m]
        return {"done": done, "ending": answers.ending}

    def do_record_op(self, op: str, effort: Effort) -> dict[str, Any]:
        """Records the events of the op in opcheck's draws."""
        with tempfile.NamedTemporaryFile() as file:

            def work(send: forks.Send) -> None:
                faults.record(pathlib.Path(file.name))
                forks.work_here()
                os.chdir(tempfile.gettempdir())
                _check(op, effort)

            answers = forks.in_child(work, _OPCHECK_PATIENCE)
            lines = sorted(set(file.read().decode().splitlines()))
        return {"lines": lines, "ending": answers.ending}

    def do_cpu(self) -> float:
        """Seconds of processors that this process and those it has waited for have used."""
        used = (resource.getrusage(who) for who in _ALL)
        return sum(u.ru_utime + u.ru_stime for u in used)

    def do_tests(
        self,
        mutant: Mutant,
        tests: list[tuple[str, float]],
        budget: float,
        stop: bool = True,
    ) -> dict[str, Any]:
        """Runs tests, (name, seconds it takes), on the mutant until one fails or `budget` seconds have passed.

        Returns "failed": the names of those that failed, "ran": how many were run, "ending": what went wrong.
        """

        def work(send: forks.Send) -> None:
            faults.make(mutant)
            end = time.perf_counter() + budget
            for (test, seconds), after in _pairs(tests):
                send({"start": test, "seconds": seconds})
                if not self._passes(test, after and after[0]):
                    send({"failed": test})
                    if stop:
                        return
                if time.perf_counter() > end:
                    return

        def patience(message: dict[str, Any]) -> float:
            return _EXTRA + _TIMES * message.get("seconds", 0.0)

        answers = forks.in_child(work, 60.0, patience)
        failed = [m["failed"] for m in answers.messages if "failed" in m]
        started = [m["start"] for m in answers.messages if "start" in m]
        if answers.ending and started:
            failed.append(started[-1])
        return {"failed": failed, "ran": len(started), "ending": answers.ending}

    def do_opcheck(
        self,
        mutant: Mutant,
        effort: Effort = QUICK,
        first: tuple[str, ...] = (),
        patience: float = _OPCHECK_PATIENCE,
    ) -> dict[str, Any]:
        """opcheck's first finding on the mutant, "" where it has none, and the seconds that it took.

        `first` are checks that are tried before the rest.
        """
        start = time.perf_counter()

        def work(send: forks.Send) -> None:
            faults.make(mutant)
            forks.work_here()
            os.chdir(tempfile.gettempdir())
            _stop_at_findings()
            send(_check(mutant.op, effort, first))

        answer = _found(forks.in_child(work, patience))
        return {**answer, "seconds": time.perf_counter() - start}

    def do_difftest(self, mutant: Mutant, draws: int) -> dict[str, Any]:
        """The first disagreement of the mutant with TensorFlow, "" where there is none."""
        lane = self._lane_for(mutant.op)

        def work(send: forks.Send) -> None:
            faults.make(mutant)
            forks.fork_workers()
            row = Comparison(mutant.op, lane).run([0], draws)
            lane.ours.close()
            bad = row.disagreements
            send(f"{bad[0].kind}: {bad[0].text}" if bad else "")

        answers = forks.in_child(work, _DIFFTEST_PATIENCE)
        if answers.ending:
            # The peer may still be answering.
            lane.theirs.close()
        return _found(answers)

    def _lane_for(self, op: str) -> ProcessPair:
        """A lane whose peer runs, started by this process: a child of it asks it, too."""
        if self._lane is None:
            # TensorFlow's own kernels, as in difftest.
            os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "0")
            self._lane = ProcessPair(peer_venv.python(), spare=False)
        for _ in range(3):
            try:
                if self._lane.peer_attrs(op) is not None:
                    self._lane.peer_kernels(op)
                break
            except Died:
                pass  # A child's; the next question starts another one.
        return self._lane

    # -----------------------------------------------------------------------------------------------------------

    def _passes(self, test: str, after: str | None) -> bool:
        """Runs a test; `after` is the one that will be run next.  A skipped one has not passed."""
        item = self._items[test]
        reports = runtestprotocol(
            item, log=False, nextitem=self._items[after] if after else None
        )
        return all(r.passed for r in reports)


def _pairs(items: list[Any]) -> Any:
    return zip(items, [*items[1:], None])


def _found(answers: forks.Answers) -> dict[str, Any]:
    """Returns the finding of a check; an early end counts as one."""
    found = answers.messages[0] if answers.messages else ""
    return {"found": found or answers.ending}


class _Found(BaseException):
    """The first finding of a check, as an exception that no handler of Exception catches."""


def _stop_at_findings() -> None:
    def stop(self: Finding, check: str, text: str, *more: Any, **named: Any) -> None:
        del self, more, named
        raise _Found(f"{check}: {text}")

    Finding.__init__ = stop  # type: ignore[method-assign]


def _check(op: str, effort: Effort, first: tuple[str, ...] = ()) -> str:
    """Returns opcheck's first finding, "" if there is none."""
    # No mutant makes other system calls, and a forbidden one would end this process, in which the checks work.
    checker = checks.Checker(dataclasses.replace(effort, touches=0))
    try:
        for which in first:
            checker.check_alone(op, which)
        result = checker.check(op)
        return "" if result.ok else result.findings[0].text
    except _Found as found:
        return str(found)
    finally:
        checker.close()


def main() -> int:
    requests, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    forks.prepare_workers()
    faults.library()
    options = ["-c", os.devnull, f"--rootdir={sys.argv[1]}", "-s"]
    options += ["--import-mode=importlib", "--assert=plain", "--tb=native"]
    options += ["-p", "tensorwright.python.testing.plugin"]
    for plugin in ("cacheprovider", "faulthandler", "junitxml", "hypothesispytest"):
        options += ["-p", f"no:{plugin}"]
    options.append("--continue-on-collection-errors")
    return int(pytest.main([*options, sys.argv[1]], [Server(requests, answers)]))


if __name__ == "__main__":
    sys.exit(main())
