# SPDX-License-Identifier: Apache-2.0
"""TrainCluster: parameter servers and workers on Ray, and what happens when one of them dies."""

from __future__ import annotations

import contextlib
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from typing import Any, TextIO

import ray

from tensorwright.cluster._ray import records as board_of
from tensorwright.cluster._ray.context import Context
from tensorwright.cluster._ray.generation import (
    ClusterError,
    Generation,
    connect,
    resources_of,
)
from tensorwright.cluster._ray.progress import Progress
from tensorwright.cluster._ray.records import TaskRecord
from tensorwright.cluster._ray.task import Program

# Seconds between two looks at the cluster.
_TICK = 0.5
# Between two tries of a task that answers nothing, or lost another one.
_PAUSE = 1.0


class _StartAnewError(Exception):
    """The cluster needs another ClusterSpec."""


class TrainCluster:
    """A cluster of parameter servers and workers, each a process (an actor) of Ray's.

    Ray places the processes, watches them, and restarts one that dies.  A restarted parameter server or worker has its
    old address; training goes on from the variables, which for a parameter server that died are those of the last
    checkpoint.  If Ray puts a process elsewhere, and after `scale`, all tasks begin anew from the last checkpoint.

    Without an address here or in RAY_ADDRESS, and without a call of `ray.init`, the cluster starts Ray on this machine
    and ends it with itself.

    Args:
        workers, ps: the numbers of tasks.  Worker 0 is the chief.
        resources: the needs of a task, by Ray's names: {"CPU": 2, "GPU": 1} for each, or {"worker": {...}, "ps":
            {...}}.
        checkpoint_dir: the folder, visible to all machines, in which the chief saves.  By default it is a folder of
            this machine that ends with the cluster or, if tasks are on several machines, none.
        name: the name by which `tw cluster` finds the cluster.
        address: the address of Ray's cluster, "auto" for one that runs on this machine.
        max_restarts: how often a task may die; -1 for any number.
        strategy: the strategy of Ray's placement groups: "PACK", "SPREAD", "STRICT_PACK" or "STRICT_SPREAD".
        timeout: the number of seconds that the start, or the return of a dead task, may take.
        output: the stream of events and of the progress line; None for nowhere.  Ray writes the output of tasks to this
            process's standard output, each line with its task.

    Raises:
        ValueError: counts and resources make no cluster, or the name is taken.
        ClusterError: Ray lacks the resources.

    Example:
        def train(context):
            with tf.device(context.device_setter()):
                loss, step = model()
            with context.session(total=1000, loss=loss, hooks=[tf.train.StopAtStepHook(last_step=1000)]) as session:
                while not session.should_stop():
                    session.run(step)

        with TrainCluster(workers=8, ps=2) as cluster:
            cluster.run(train)
    """

    def __init__(
        self,
        workers: int = 1,
        ps: int = 0,
        resources: Mapping[str, float | Mapping[str, float]] | None = None,
        *,
        checkpoint_dir: str | None = None,
        name: str = "train",
        address: str | None = None,
        max_restarts: int = -1,
        strategy: str = "PACK",
        timeout: float = 300.0,
        output: TextIO | None = sys.stderr,
    ):
        self._counts = _counts(workers, ps)
        self._resources = resources
        self._given_checkpoint_dir = checkpoint_dir
        self._own_checkpoint_dir: str | None = None
        self.name = name
        self._max_restarts = max_restarts
        self._strategy = strategy
        self._timeout = timeout
        self._progress = Progress(output)
        self._generation: Generation | None = None
        self._records: list[TaskRecord] = []
        self._scaled: dict[str, int] | None = None
        self._function: Any = None
        self._serve = True
        needs = [resources_of(job, resources) for job in self._counts]
        cpus = sum(
            need.get("CPU", 0) * count
            for need, count in zip(needs, self._counts.values(), strict=True)
        )
        self._started_ray = connect(address, cpus)
        self._board: Any = None
        try:
            self._board = board_of.make_board(name, f"{workers} workers, {ps} ps")
        except BaseException:
            self.shutdown()
            raise

    def __enter__(self) -> TrainCluster:
        return self

    def __exit__(self, *_: object) -> None:
        self.shutdown()

    def run(self, function: Callable[[Context], object]) -> list[Any]:
        """Calls `function` with a Context in each worker, beside a tf.train.Server in every task.

        If a worker dies, the function is called in it again.  The function and its results must pickle.

        Returns:
            The results, by worker.

        Raises:
            ClusterError: the function failed in a worker (the error has the worker's traceback), a task died too often,
                or somebody ran `tw cluster down`.
        """
        return self._run(function, serve=True)

    def run_program(self, path: str, arguments: list[str] | None = None) -> None:
        """Runs a Python file in every task, where it finds its cluster in TF_CONFIG and starts its server itself.

        It ends when the workers' have; raises ClusterError as `run` does.
        """
        self._run(Program(path, arguments or []), serve=False)

    def scale(self, workers: int | None = None, ps: int | None = None) -> None:
        """Changes how many tasks there are, while `run` waits in another thread or before it is called.

        All tasks begin anew, from the last checkpoint.
        """
        before = self._counts
        self._scaled = _counts(
            before["worker"] if workers is None else workers,
            before.get("ps", 0) if ps is None else ps,
        )

    def tasks(self) -> list[TaskRecord]:
        """The tasks, as they were when this was last looked at; after `run`, as they were at its end."""
        return list(self._records)

    def shutdown(self) -> None:
        """Ends the processes; Ray too, if it was started for this cluster."""
        with contextlib.suppress(Exception):
            self._end_generation()
        if self._board is not None:
            with contextlib.suppress(Exception):
                ray.kill(self._board, no_restart=True)
            self._board = None
        if self._own_checkpoint_dir:
            shutil.rmtree(self._own_checkpoint_dir, ignore_errors=True)
            self._own_checkpoint_dir = None
        if self._started_ray:
            ray.shutdown()
            self._started_ray = False

    # ---------------------------------------------------------------------------------------------------------------

    def _end_generation(self) -> None:
        if self._generation is not None:
            self._generation.close()
            self._generation = None

    def _checkpoint_dir(self) -> str | None:
        assert self._generation is not None
        if self._given_checkpoint_dir or not self._generation.one_machine:
            return self._given_checkpoint_dir
        if self._own_checkpoint_dir is None:
            self._own_checkpoint_dir = tempfile.mkdtemp(prefix="tensorwright-")
        return self._own_checkpoint_dir

    def _run(self, function: Any, serve: bool) -> list[Any]:
        self._function, self._serve = function, serve
        while True:
            if self._scaled is not None:
                self._counts, self._scaled = self._scaled, None
            self._end_generation()
            self._generation = Generation(
                self._counts,
                self._resources,
                self._strategy,
                self._max_restarts,
                self._timeout,
            )
            self._records = self._generation.records
            try:
                return _Run(self, self._generation).wait()
            except _StartAnewError as why:
                self._progress.say(f"{why}: all tasks begin anew")
            finally:
                self._progress.end_line()
                if self._board is not None:
                    self._board.update.remote(self.tasks(), self._progress.line)
                self._end_generation()


class _Run:
    """One call of a function in the workers of a Generation."""

    def __init__(self, owner: TrainCluster, generation: Generation):
        self._owner, self._generation = owner, generation
        self._progress = owner._progress
        self._checkpoint_dir = owner._checkpoint_dir()
        # Calls under way -> their task, and what is called.
        self._calls: dict[Any, tuple[TaskRecord, str]] = {}
        # The calls to make later, and their times.
        self._later: list[tuple[float, TaskRecord, str]] = []
        self._asked: dict[Any, TaskRecord] = {}
        self._died: dict[str, float] = {}
        self._results: dict[int, Any] = {}
        for record in generation.records:
            self._call(record, "run")

    def wait(self) -> list[Any]:
        workers = self._owner._counts["worker"]
        updated = 0.0
        while len(self._results) < workers:
            ready, _ = ray.wait(list(self._calls), timeout=_TICK)
            for ref in ready:
                self._take(ref, *self._calls.pop(ref))
            now = time.monotonic()
            due = [entry for entry in self._later if entry[0] <= now]
            self._later = [entry for entry in self._later if entry[0] > now]
            for _, record, what in due:
                self._call(record, what)
            if now - updated >= 1:
                updated = now
                self._look()
        return [self._results[index] for index in range(workers)]

    def _call(self, record: TaskRecord, what: str) -> None:
        if what == "where":
            ref = record.actor.where.remote(record.place.port)
        else:
            serves_only = record.job == "ps" and self._owner._serve
            ref = record.actor.run.options(concurrency_group="run").remote(
                self._generation.cluster,
                self._owner._serve,
                None if serves_only else self._owner._function,
                self._checkpoint_dir,
                record.restarts,
            )
            record.state = "running"
        self._calls[ref] = record, what

    def _take(self, ref: Any, record: TaskRecord, what: str) -> None:
        """Takes the result of a call."""
        try:
            result = ray.get(ref)
        except ray.exceptions.RayActorError as error:
            if what == "run":
                self._dead(record, error)
            elif time.monotonic() - self._died[record.name] > self._owner._timeout:
                record.state = "failed"
                raise ClusterError(
                    f"{record.name} did not come back within "
                    f"{self._owner._timeout:g} s: {error}"
                ) from None
            else:
                self._later.append((time.monotonic() + _PAUSE / 4, record, "where"))
            return
        if what == "where":
            self._back(record, result)
            return
        outcome, value = result
        if outcome == "done":
            record.state = "done"
            if record.job == "worker":
                self._results[record.index] = value
        elif outcome == "lost":
            self._count_restart(record, value)
            self._progress.say(f"{record.name} lost another task, goes on: {value}")
            self._later.append((time.monotonic() + _PAUSE, record, "run"))
        else:
            record.state = "failed"
            raise ClusterError(f"{record.name} failed:\n{value}")

    def _count_restart(self, record: TaskRecord, why: object) -> None:
        if 0 <= self._owner._max_restarts <= record.restarts:
            record.state = "failed"
            raise ClusterError(
                f"{record.name} died {record.restarts + 1} times: {why}"
            ) from None
        record.restarts += 1

    def _dead(self, record: TaskRecord, error: Exception) -> None:
        self._count_restart(record, error)
        record.state = "restarting"
        self._died[record.name] = time.monotonic()
        self._progress.say(
            f"{record.name} died (process {record.place.pid} on {record.place.ip}): "
            "Ray starts it again"
        )
        self._call(record, "where")

    def _back(self, record: TaskRecord, place: Any) -> None:
        if place.pid == record.place.pid and place.node == record.place.node:
            # Ray has not noticed yet: this was the process that is about to die.
            self._later.append((time.monotonic() + _PAUSE / 4, record, "where"))
            return
        self._generation.place(record, place)
        took = time.monotonic() - self._died[record.name]
        self._progress.say(
            f"{record.name} is back after {took:.1f} s (process {place.pid} on {place.ip})"
        )
        if not self._generation.is_where_it_was(record):
            raise _StartAnewError(f"{record.name} has another address")
        self._call(record, "run")

    def _look(self) -> None:
        """Asks the workers how far they are, and the board what people want."""
        done, _ = (
            ray.wait(list(self._asked), num_returns=len(self._asked), timeout=0)
            if self._asked
            else ([], [])
        )
        for ref in done:
            record = self._asked.pop(ref)
            with contextlib.suppress(ray.exceptions.RayError):
                record.report = ray.get(ref)
        waiting = {record.name for record in self._asked.values()}
        for record in self._generation.records:
            if record.state == "running" and record.name not in waiting:
                self._asked[record.actor.progress.remote()] = record
        self._progress.show(self._generation.records)
        board = self._owner._board
        for request in ray.get(
            board.update.remote(self._generation.records, self._progress.line)
        ):
            if request["what"] == "stop":
                raise ClusterError("stopped, as was asked for")
            self._owner.scale(request.get("workers"), request.get("ps"))
        if self._owner._scaled is not None:
            counts = ", ".join(f"{n} {job}" for job, n in self._owner._scaled.items())
            raise _StartAnewError(f"the cluster is to have {counts}")


def _counts(workers: int, ps: int) -> dict[str, int]:
    if workers < 1 or ps < 0:
        raise ValueError(
            "TrainCluster: there must be workers >= 1 and ps >= 0, got "
            f"workers={workers!r}, ps={ps!r}"
        )
    return {"worker": workers, **({"ps": ps} if ps else {})}
