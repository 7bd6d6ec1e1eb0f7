# SPDX-License-Identifier: Apache-2.0
"""Finds which checks catch which mutants: it asks servers, an op at a time on each."""

from __future__ import annotations

import collections
import concurrent.futures
import dataclasses
import hashlib
import itertools
import json
import os
import pathlib
import queue
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from tensorwright.tools.mutate.kinds import (
    CHECKS,
    GRADIENTS,
    NO_FAULT,
    PARTITION,
    SHAPES,
    Facts,
    Mutant,
    mutants_of,
)
from tensorwright.tools.opcheck import signature as sig, wire
from tensorwright.tools.opcheck.outcome import QUICK, Effort

_SERVER = pathlib.Path(__file__).with_name("server.py")

# With these draws, opcheck learns the facts of an op: they are more than those of ./test.
_RECORDING = Effort(valid=16, gradients=4, threads=3, malformed=60)


class Server:
    """A server process (server.py) with the tests in `folder`, asked by one thread at a time."""

    def __init__(self, folder: pathlib.Path):
        env = dict(os.environ)
        env["PYTHONPATH"] = os.pathsep.join(p for p in sys.path if p)
        env["OPENBLAS_NUM_THREADS"] = "1"
        env.pop("TENSORWRIGHT_EXECUTED_OPS", None)
        self._process = subprocess.Popen(
            [sys.executable, str(_SERVER), str(folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=env,
        )
        assert self._process.stdin is not None and self._process.stdout is not None
        self._in, self._out = self._process.stdin, self._process.stdout
        # {"tests": names, "broken": files that cannot be collected, "threads": those of the process}
        self.ready: dict[str, Any] = wire.receive(self._out)

    def ask(self, do: str, **arguments: Any) -> Any:
        wire.send(self._in, {"do": do, **arguments})
        return wire.receive(self._out)

    def close(self) -> None:
        self._in.close()
        self._out.close()
        self._process.wait()


class Pool:
    """`size` servers, each of which works on one thing at a time.  `tests` are files below `root`."""

    def __init__(self, root: pathlib.Path, tests: list[pathlib.Path], size: int):
        # In folders that are no packages, so that pytest imports none around the tests: it would be a second library.
        self._folder = tempfile.TemporaryDirectory()
        folder = pathlib.Path(self._folder.name)
        for test in tests:
            link = folder / test.relative_to(root)
            link.parent.mkdir(parents=True, exist_ok=True)
            link.symlink_to(test)
            # The files that tests read lie beside them.
            data, data_link = test.with_name("testdata"), link.with_name("testdata")
            if data.is_dir() and not data_link.exists():
                data_link.symlink_to(data)
        with concurrent.futures.ThreadPoolExecutor(size) as starting:
            self._servers = list(starting.map(lambda _: Server(folder), range(size)))
        self._free: queue.SimpleQueue[Server] = queue.SimpleQueue()
        for server in self._servers:
            self._free.put(server)
        self.ready = self._servers[0].ready

    def map(self, work: Callable[[Server, Any], Any], items: Iterable[Any]) -> Any:
        """work(server, item) for each item, as they end."""

        def run(item: Any) -> Any:
            server = self._free.get()
            try:
                return work(server, item)
            finally:
                self._free.put(server)

        with concurrent.futures.ThreadPoolExecutor(len(self._servers)) as pool:
            jobs = [pool.submit(run, item) for item in items]
            try:
                for job in concurrent.futures.as_completed(jobs):
                    yield job.result()
            finally:
                for job in jobs:
                    job.cancel()

    def close(self) -> None:
        for server in self._servers:
            server.close()
        self._folder.cleanup()


# Mutants, and the tests that could notice them. --------------------------------------------------------------


@dataclasses.dataclass
class Test:
    seconds: float
    # The ops that the test touches: lines of mutants.h without the first word, by that word.
    ran: list[str]
    gradients: list[str]
    inferred: list[str]
    # Events in the test that a mutant of a kind changes: "nan OP", "refused OP RULE".
    seen: set[str] = dataclasses.field(default_factory=set)


@dataclasses.dataclass
class Recording:
    """The behaviour of tests and opcheck without mutants."""

    tests: dict[str, Test]
    facts: dict[str, Facts]
    # Tests that fail, or are skipped, without any mutant: they prove nothing here.
    left_out: list[str]
    _ops: set[str] = dataclasses.field(default_factory=set)

    def touching(self, mutant: Mutant) -> list[tuple[str, float]]:
        """Returns (name, seconds) of the tests that could notice the mutant, because its fault occurs in them: first
        those with a fitting name, and of them the quick and special ones."""
        field = {GRADIENTS: "gradients", SHAPES: "inferred"}.get(mutant.group, "ran")
        likely = re.compile(_likely(mutant), re.IGNORECASE)
        happens = _happens(mutant)
        found = [
            (not likely.search(name), t.seconds * (2 + len(t.ran)), name, t.seconds)
            for name, t in self.tests.items()
            if (happens in t.seen if happens else mutant.op in getattr(t, field))
        ]
        return [(name, seconds) for *_, name, seconds in sorted(found)]

    def knows(self, op: str) -> bool:
        """Whether the op's behaviour in opcheck's draws has been recorded."""
        return op in self._ops

    def add(self, item: dict[str, Any]) -> None:
        """Adds the facts that `record` has learnt of an op or of the tests of a file."""
        if "op" in item:
            self._ops.add(item["op"])
            # Draws run other ops by the way; the order in which ops are recorded must not change an op's mutants.
            own = [line for line in item["lines"] if line.split(" ")[1] == item["op"]]
            self._note(own)
            return
        for done in item["done"]:
            words = self._note(done["lines"])
            if done["passed"]:
                self.tests[done["test"]] = Test(
                    done["seconds"],
                    sorted(words["ran"]),
                    sorted(words["gradient"]),
                    sorted(words["inferred"] | words["ran"]),
                    {line for line in done["lines"] if line.split(" ")[0] in _EVENTS},
                )
        self.left_out += [t for t in item["tests"] if t not in self.tests]
        self.left_out.sort()

    def _note(self, lines: list[str]) -> dict[str, set[str]]:
        by_word: dict[str, set[str]] = collections.defaultdict(set)
        for line in lines:
            word, op, *more = line.split(" ", 2)
            self.facts.setdefault(op, Facts()).add(word, more[0] if more else "")
            by_word[word].add(op)
        return by_word


# Words in the names of tests that are likely to notice a kind of mutant.
_SPEAKS_OF = {
    "end": "shape|size|dim|rows",
    "ties": "tie|equal|same|twice|repeat",
    "nan": "nan",
    "lax": "shape|refuse",
    "strict": "shape",
    "dim": "shape",
    "partition": "thread|large|wide",
    "check": "refuse|bad|invalid|wrong|malformed|error|range",
}


# Words of mutants.h for the events that a mutant of a kind, by its number, changes: without the event, nothing is
# wrong.
_EVENT_OF = {
    "end": ("rows", "tails"),
    "ties": ("maxima", "minima"),
    "nan": ("nan", "nan"),
    "partition": ("wide", "wide"),
}
_EVENTS = {"refused", *(word for words in _EVENT_OF.values() for word in words)}


def _happens(mutant: Mutant) -> str:
    """The line of a test's recording without which the mutant changes nothing in it; "" if any test will do."""
    if mutant.kind == "check":
        return f"refused {mutant.op} {mutant.argument}"
    words = _EVENT_OF.get(mutant.kind)
    return f"{words[mutant.number % 2]} {mutant.op}" if words else ""


def _likely(mutant: Mutant) -> str:
    if mutant.kind == "dtype":
        return sig.type_name(int(mutant.argument.split("=")[1])) + r"\b"
    return _SPEAKS_OF.get(mutant.kind, "")


def record(pool: Pool, file: pathlib.Path | None = None) -> Recording:
    """Runs every test with hooks that watch and change nothing.

    Facts go to `file` as soon as they are learnt, as a line of JSON each; tests that the file has already are not run
    again.
    """
    recording = Recording({}, {}, [])
    known: set[str] = set()
    for item in read_lines(file):
        recording.add(item)
        known.update(item.get("tests", []))

    def work(server: Server, tests: list[str]) -> dict[str, Any]:
        answer = server.ask("record_tests", tests=tests)
        return {"tests": tests, "done": answer["done"]}

    by_file: dict[str, list[str]] = collections.defaultdict(list)
    for test in pool.ready["tests"]:
        if test not in known:
            by_file[test.split("::")[0]].append(test)
    for item in pool.map(work, by_file.values()):
        recording.add(item)
        add_line(item, file)
    return recording


def shuffled(ops: Iterable[str]) -> list[str]:
    """The ops in an order that is the same every time and has nothing to do with their names: a campaign that is
    stopped has tried a fair sample."""
    return sorted(ops, key=lambda op: hashlib.sha256(f"order {op}".encode()).digest())


def add_line(plain: Any, file: pathlib.Path | None) -> None:
    """Adds a line of JSON to the file, if there is one."""
    if file is not None:
        with file.open("a") as out:
            out.write(json.dumps(plain) + "\n")


def read_lines(file: pathlib.Path | None) -> Iterator[Any]:
    """Yields the items that add_line wrote, none without a file; a line that a kill cut short is left out."""
    if file is None or not file.exists():
        return
    for line in file.read_text().splitlines():
        try:
            yield json.loads(line)
        except json.JSONDecodeError:
            continue


# Mutants. ----------------------------------------------------------------------------------------------------

SURVIVED = ""
# The checks that can catch it: opcheck's quick form and the Python tests, as in ./test; then those of the night.
OPCHECK, TESTS, DIFFTEST, WIDE_OPCHECK = "opcheck", "tests", "difftest", "wide"
BY_TEST, BY_NIGHT = (OPCHECK, TESTS), (DIFFTEST, WIDE_OPCHECK)
# Draws that difftest makes of a mutant.
_DRAWS = 60


@dataclasses.dataclass
class Verdict:
    """The fate of a mutant.  `by`: SURVIVED, or the check that caught it; `how`: the test, or opcheck's finding."""

    mutant: Mutant
    by: str = SURVIVED
    how: str = ""
    seconds: float = 0.0
    # The number of tests run that touch the op, and the number of all that do.
    ran: int = 0
    touching: int = 0


@dataclasses.dataclass
class OpResult:
    op: str
    verdicts: list[Verdict]
    # The check that fails without a mutant, too: then no mutant of the op proves anything.
    fails_without: str = ""
    # Seconds of processors.
    cpu: float = 0.0


# The check of opcheck that mutants of a group or kind meet first: it costs less than all, and sees most of them.
_FIRST = {
    GRADIENTS: "gradient",
    PARTITION: "threads",
    CHECKS: "kept",
    SHAPES: "shapes",
    "nan": "nan",
    "dtype": "dtypes",
}
# Opcheck sees faults of these groups and kinds sooner than tests do; in shapes, it does not see too strict ones.
_OPCHECKS = {*_FIRST, "lax", "dim"} - {SHAPES}
# Seconds that opcheck may take on top of its time without the mutant, and the factor of that time.
_EXTRA, _TIMES = 10.0, 20.0
# Tests are given to a mutant until they are so many times as long as its budget: they may be faster this time.
_AMPLE = 3.0


class Campaign:
    """Tries mutants.

    `effort` is opcheck's; a mutant has survived after `budget` seconds of tests.  With `nightly`, the checks of the
    night try the mutants that ./test's checks leave.  Facts about ops go to `file`, as in `record`.
    """

    def __init__(
        self,
        recording: Recording,
        effort: Effort = QUICK,
        budget: float = 20.0,
        nightly: bool = False,
        file: pathlib.Path | None = None,
    ):
        self._recording, self._effort, self._budget = recording, effort, budget
        self._nightly, self._file = nightly, file
        self._lock = threading.Lock()  # Guards the recording and its file.
        self._patience: dict[str, float] = {}

    def mutants(self, server: Server, op: str) -> list[Mutant]:
        """All mutants of an op, of which opcheck's draws are recorded if they have not been."""
        if not self._recording.knows(op):
            answer = server.ask("record_op", op=op, effort=_RECORDING)
            item = {"op": op, "lines": answer["lines"]}
            with self._lock:
                self._recording.add(item)
                add_line(item, self._file)
        return mutants_of(op, self._recording.facts.get(op, Facts()))

    def run_mutants(self, server: Server, op: str, mutants: list[Mutant]) -> OpResult:
        """Tries these mutants of an op."""
        start = server.ask("cpu")
        result = self._run(server, op, mutants)
        result.cpu = server.ask("cpu") - start
        return result

    def _run(self, server: Server, op: str, mutants: list[Mutant]) -> OpResult:
        no_fault = Mutant(op, NO_FAULT)
        if not mutants:
            return OpResult(op, [])
        answer = server.ask(
            "opcheck",
            mutant=no_fault,
            effort=self._effort,
            first=tuple(_FIRST.values()),
        )
        if answer["found"]:
            return OpResult(op, [], answer["found"])
        self._patience[op] = _EXTRA + _TIMES * answer.get("seconds", 0.0)
        catchers: list[
            str
        ] = []  # Tests that have caught a mutant of the op, the last one first.
        useless: set[str] = set()
        verdicts = [self._try(server, m, catchers, useless) for m in mutants]
        # A test that the hooks alone make fail has caught nothing.
        while suspects := sorted({v.how for v in verdicts if v.by == TESTS}):
            answer = server.ask(
                "tests",
                mutant=no_fault,
                tests=[(t, self._recording.tests[t].seconds) for t in suspects],
                budget=1e9,
                stop=False,
            )
            if not answer["failed"]:
                break
            useless |= set(answer["failed"])
            verdicts = [
                self._try(server, v.mutant, catchers, useless)
                if v.how in useless
                else v
                for v in verdicts
            ]
        if self._nightly and any(v.by == SURVIVED for v in verdicts):
            self._try_at_night(server, op, verdicts)
        return OpResult(op, verdicts)

    def _try_at_night(self, server: Server, op: str, verdicts: list[Verdict]) -> None:
        """Tries survivors with TensorFlow and all of opcheck's draws; what fails without a mutant proves nothing."""
        checks = (
            (DIFFTEST, "difftest", {"draws": _DRAWS}),
            (WIDE_OPCHECK, "opcheck", {"effort": Effort()}),
        )
        for by, do, arguments in checks:
            left = [v for v in verdicts if v.by == SURVIVED]
            if (
                left
                and server.ask(do, mutant=Mutant(op, NO_FAULT), **arguments)["found"]
            ):
                continue
            for verdict in left:
                found = server.ask(do, mutant=verdict.mutant, **arguments)["found"]
                if found:
                    verdict.by, verdict.how = by, found

    def _try(
        self, server: Server, mutant: Mutant, catchers: list[str], useless: set[str]
    ) -> Verdict:
        verdict = Verdict(mutant)
        start = time.monotonic()
        # The check that is likely to see the mutant comes first: opcheck's draws, or for values the tests.
        stages = [self._opcheck, self._tests]
        if _OPCHECKS.isdisjoint((mutant.group, mutant.kind)):
            stages.reverse()
        for stage in stages:
            stage(server, verdict, catchers, useless)
            if verdict.by != SURVIVED:
                break
        verdict.seconds = time.monotonic() - start
        return verdict

    def _opcheck(
        self, server: Server, verdict: Verdict, catchers: list[str], useless: set[str]
    ) -> None:
        del catchers, useless
        mutant = verdict.mutant
        answer = server.ask(
            "opcheck",
            mutant=mutant,
            effort=self._effort,
            first=tuple(
                f for of, f in _FIRST.items() if of in (mutant.group, mutant.kind)
            ),
            patience=self._patience[mutant.op],
        )
        if answer["found"]:
            verdict.by, verdict.how = OPCHECK, answer["found"]

    def _tests(
        self, server: Server, verdict: Verdict, catchers: list[str], useless: set[str]
    ) -> None:
        tests = self._recording.touching(verdict.mutant)
        tests = [t for t in tests if t[0] not in useless]
        rank = {name: i for i, name in enumerate(catchers)}
        tests.sort(key=lambda t: rank.get(t[0], len(rank)))
        verdict.touching = len(tests)
        if not tests:
            return
        ends = itertools.accumulate(seconds for _, seconds in tests)
        tests = [t for t, end in zip(tests, ends) if end - t[1] < _AMPLE * self._budget]
        answer = server.ask(
            "tests", mutant=verdict.mutant, tests=tests, budget=self._budget
        )
        verdict.ran = answer["ran"]
        if answer["failed"]:
            verdict.by, verdict.how = TESTS, answer["failed"][0]
            if verdict.how in catchers:
                catchers.remove(verdict.how)
            catchers.insert(0, verdict.how)
