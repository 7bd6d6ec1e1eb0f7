# SPDX-License-Identifier: Apache-2.0
"""Trains on clusters that break, and asks whether training ends as it does on those that do not.

Usage: ./run tools/dev/cluster_faults.py [--only NAME]... [--leave-out NAME=REASON]... [--runs N] [--kills N] [--seconds N]
           [--short] [--list]

Needs //core/distributed_runtime:libtensorwright_distributed.so.  A parameter server and two workers, each a process, train
a small network, asynchronously or by SyncReplicasOptimizer.  Undisturbed runs say what loss to expect, and how far seeds
lie apart.  Then workers are killed, a parameter server is killed and comes back empty, the network is cut (by network
namespaces, as root), delays and loses packets, a worker is ten times slower, the chief's disk is full (as root).  Each
run has to end in time, with a loss as good as those of the undisturbed runs, without losing steps older than the last
checkpoint, and without leaving a session at the parameter server.

A scenario that this machine cannot do fails, unless --leave-out names it and says why; the end lists what did not run.
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import os
import pathlib
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator

from cluster_faults_cluster import Cluster, CutCluster, SmallDiskCluster, Wait, ip
from cluster_faults_task import MAX_SESSIONS, PACE_SECONDS, STEPS

# The least and the largest loss of undisturbed runs with seeds 0 to 4, with which --short compares.
KNOWN = {"async": [0.0127, 0.0173], "sync": [0.0121, 0.0156]}


@dataclasses.dataclass
class Result:
    loss: float
    step: int
    seconds: float
    kills: int = 0
    faults: list[str] = dataclasses.field(default_factory=list)


class Hang(Exception):
    pass


class LeftOut(Exception):
    """This machine cannot do that."""


def _wait(cluster: Cluster, until: Callable[[], bool], end: float) -> None:
    while not until():
        if time.monotonic() > end:
            raise Hang
        cluster.restart_what_died()
        time.sleep(0.02)


# A fault gets the cluster, draws, and a way to wait; it says how many processes it killed.
Fault = Callable[[Cluster, random.Random, Wait], int]


def run_once(cluster: Cluster, fault: Fault | None, seed: int, limit: float) -> Result:
    """One training.  `limit`: seconds after which it hangs."""
    begin = time.monotonic()
    result = Result(loss=float("nan"), step=0, seconds=0)

    def wait(until: Callable[[], bool]) -> None:
        _wait(cluster, until, begin + limit)

    try:
        cluster.start(wait)
        if fault is not None:
            wait(
                lambda: any(
                    t.trains() for t in cluster.tasks.values() if t.job == "worker"
                )
            )
            result.kills = fault(cluster, random.Random(seed), wait)
        wait(cluster.is_over)
        result.seconds = time.monotonic() - begin
        found = cluster.measure()
        result.loss, result.step = found["loss"], int(found["step"])
        if result.step < STEPS:
            result.faults.append(f"ended at step {result.step} of {STEPS}")
        if found["free"] < MAX_SESSIONS:
            leaked = MAX_SESSIONS - found["free"]
            result.faults.append(f"{leaked} sessions leaked at the parameter server")
    except Hang:
        tails = {t.log.name: t.lines()[-3:] for t in cluster.tasks.values()}
        result.faults.append(f"hangs after {limit:.0f} s: {tails}")
    except (RuntimeError, subprocess.TimeoutExpired) as error:
        result.faults.append(str(error))
    finally:
        cluster.stop()
    return result


# The faults. -----------------------------------------------------------------------------------------------------


def steps_seen(cluster: Cluster) -> int:
    """The last that any worker has made."""
    last = [
        int(line.split()[1])
        for task in cluster.tasks.values()
        for line in task.lines()[-20:]
        if line.startswith("step ")
    ]
    return max(last, default=0)


def kill_workers(kills: int) -> Fault:
    def fault(cluster: Cluster, rng: random.Random, wait: Wait) -> int:
        workers = [t for t in cluster.tasks.values() if t.job == "worker"]
        killed = 0
        while killed < kills and not cluster.is_over():
            pause = time.monotonic() + rng.uniform(0.05, 1.2)
            wait(lambda end=pause: time.monotonic() > end or cluster.is_over())
            task = rng.choice(workers)
            if task.process.poll() is not None:
                continue
            task.kill()
            killed += 1
        return killed

    return fault


def kill_ps(cluster: Cluster, rng: random.Random, wait: Wait) -> int:
    wait(lambda: cluster.last_checkpoint() > 0)
    pause = time.monotonic() + rng.uniform(0, 0.5)
    wait(lambda: time.monotonic() > pause)
    saved = cluster.last_checkpoint()
    starts = {
        t.index: len(t.lines()) for t in cluster.tasks.values() if t.job == "worker"
    }
    cluster.tasks["ps", 0].kill()
    cluster.restart_what_died()
    # Training goes on from the checkpoint, not from the begin.
    chief = cluster.tasks["worker", 0]

    def goes_on() -> bool:
        lines = chief.lines()[starts[0] + 1 :]
        return cluster.is_over() or any(
            int(line.split()[1]) >= saved for line in lines if line.startswith("step ")
        )

    wait(goes_on)
    steps = [
        int(line.split()[1])
        for line in chief.lines()[starts[0] + 1 :]
        if line.startswith("step ")
    ]
    # The first lines may be older than the checkpoint.
    if steps and min(steps) < saved:
        raise RuntimeError(f"step {min(steps)} after the checkpoint of {saved}")
    return 1


def slow_worker(cluster: Cluster, rng: random.Random, wait: Wait) -> int:
    """Starts again as one that takes ten times as long for a step."""
    del rng, wait
    cluster.pace["worker", 1] = 10 * PACE_SECONDS
    cluster.tasks["worker", 1].kill()
    return 1


def cut_network(seconds: float) -> Fault:
    def fault(cluster: Cluster, rng: random.Random, wait: Wait) -> int:
        assert isinstance(cluster, CutCluster)
        pause = time.monotonic() + rng.uniform(0.2, 1)
        wait(lambda: time.monotonic() > pause)
        ip(f"link set {cluster.link} down")
        back = time.monotonic() + seconds
        wait(lambda: time.monotonic() > back)
        ip(f"link set {cluster.link} up")
        return 0

    return fault


def poor_network(cluster: Cluster, rng: random.Random, wait: Wait) -> int:
    del rng, wait
    assert isinstance(cluster, CutCluster)
    command = f"tc qdisc add dev {cluster.link} root netem delay 5ms 2ms loss 1%"
    done = subprocess.run(command.split(), capture_output=True, text=True)
    if done.returncode:
        raise LeftOut(f"the kernel has no netem: {done.stderr.strip()}")
    return 0


def full_disk(cluster: Cluster, rng: random.Random, wait: Wait) -> int:
    wait(lambda: cluster.last_checkpoint() > 0)
    filler = cluster.checkpoints / "filler"
    with contextlib.suppress(OSError), filler.open("wb", buffering=0) as file:
        while True:
            file.write(b"x" * 4096)
    back = time.monotonic() + rng.uniform(2, 4)
    starts = cluster.tasks["worker", 0].starts
    wait(lambda: time.monotonic() > back or cluster.is_over())
    filler.unlink()
    # The chief has noticed, if there was a checkpoint to write.
    return cluster.tasks["worker", 0].starts - starts


# The scenarios. --------------------------------------------------------------------------------------------------


@dataclasses.dataclass
class Scenario:
    fault: Fault
    cluster: type[Cluster] = Cluster
    seconds: float = 120
    needs_root: bool = False


def scenarios(kills: int) -> dict[str, Scenario]:
    return {
        "kill_workers": Scenario(kill_workers(kills)),
        "kill_ps": Scenario(kill_ps),
        "slow_worker": Scenario(slow_worker),
        "cut_network": Scenario(cut_network(10), CutCluster, 180, needs_root=True),
        "poor_network": Scenario(poor_network, CutCluster, 180, needs_root=True),
        "full_disk": Scenario(full_disk, SmallDiskCluster, needs_root=True),
    }


@contextlib.contextmanager
def _folder(keep: bool) -> Iterator[pathlib.Path]:
    folder = pathlib.Path(tempfile.mkdtemp(prefix="cluster_faults"))
    try:
        yield folder
    finally:
        if not keep:
            shutil.rmtree(folder, ignore_errors=True)


def undisturbed(sync: bool, runs: int, limit: float, keep: bool) -> list[Result]:
    results = []
    for seed in range(runs):
        with _folder(keep) as folder:
            results.append(run_once(Cluster(folder, seed, sync), None, seed, limit))
    return results


def judge(losses: list[float], result: Result) -> None:
    """Adds a fault if the loss is too high.  Lower is no fault: a disturbed run has seen more examples."""
    spread = max(losses) - min(losses)
    most = max(losses) + spread
    if not result.loss <= most:
        result.faults.append(f"loss {result.loss:.4f}, at most {most:.4f} expected")


def run_scenario(
    scenario: Scenario, args: argparse.Namespace, mode: str, seed: int
) -> Result:
    """One disturbed run.  Raises LeftOut if this machine cannot do it."""
    if scenario.needs_root and os.geteuid() != 0:
        raise LeftOut("it needs root")
    limit = args.seconds or scenario.seconds
    with _folder(args.keep) as folder:
        cluster = scenario.cluster(folder, seed, mode == "sync")
        return run_once(cluster, scenario.fault, seed, limit)


def calm_losses(mode: str, args: argparse.Namespace) -> tuple[list[float], int]:
    """Losses of undisturbed runs, or those that are known, and how many of the runs failed."""
    calm = undisturbed(mode == "sync", args.baseline, args.seconds or 120, args.keep)
    if not calm:
        return KNOWN[mode], 0
    losses = [r.loss for r in calm]
    print(
        f"{mode} undisturbed: loss {min(losses):.4f} to {max(losses):.4f}, "
        f"mean {statistics.mean(losses):.4f}, {max(r.seconds for r in calm):.1f} s",
        *[fault for r in calm for fault in r.faults],
        flush=True,
    )
    return losses, sum(bool(r.faults) for r in calm)


@dataclasses.dataclass
class Tally:
    """Counts the runs so far."""

    runs: int = 0
    died: int = 0
    failed: int = 0
    # The scenarios that did not run: the mode and the reason.
    left_out: dict[str, str] = dataclasses.field(default_factory=dict)


def run_mode(
    mode: str, chosen: dict[str, Scenario], args: argparse.Namespace, tally: Tally
) -> None:
    """Runs the scenarios in a mode; one that this machine cannot do fails, unless --leave-out names it."""
    losses, failed = calm_losses(mode, args)
    tally.failed += failed
    for name, scenario in chosen.items():
        if name in args.leave_out:
            tally.left_out[f"{mode} {name}"] = f"as asked: {args.leave_out[name]}"
            continue
        for seed in range(args.first_seed, args.first_seed + args.runs):
            try:
                result = run_scenario(scenario, args, mode, seed)
            except LeftOut as reason:
                print(f"{mode} {name}: FAILED, this machine cannot do it: {reason}")
                tally.left_out[f"{mode} {name}"] = str(reason)
                tally.failed += 1
                break
            judge(losses, result)
            tally.runs, tally.died = tally.runs + 1, tally.died + result.kills
            tally.failed += bool(result.faults)
            ending = f"FAILED: {result.faults}" if result.faults else "ok"
            print(
                f"{mode} {name} {seed}: loss {result.loss:.4f}, step {result.step}, "
                f"{result.kills} processes died, {result.seconds:.1f} s, {ending}",
                flush=True,
            )


def _name_and_reason(text: str) -> tuple[str, str]:
    name, equals, reason = text.partition("=")
    if not equals or not reason.strip():
        raise argparse.ArgumentTypeError(
            f"expected NAME=REASON, as in poor_network='no netem here', got {text!r}"
        )
    return name, reason.strip()


def parse(argv: list[str] | None) -> tuple[argparse.Namespace, dict[str, Scenario]]:
    """The arguments, and the scenarios that they choose."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", action="append", default=[], metavar="NAME")
    parser.add_argument("--leave-out", action="append", default=[], type=_name_and_reason, metavar="NAME=REASON", help="a scenario that this machine cannot do, and why")  # fmt: skip
    parser.add_argument("--mode", choices=["async", "sync"], action="append")
    parser.add_argument("--runs", type=int, default=1, help="of each scenario and mode")
    parser.add_argument("--kills", type=int, default=10, help="of workers in a run")
    parser.add_argument("--baseline", type=int, default=5, help="undisturbed runs")
    parser.add_argument("--seconds", type=float, help="after which a run hangs")
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--keep", action="store_true", help="the folders with logs")
    parser.add_argument("--short", action="store_true", help="a run a mode")
    parser.add_argument("--list", action="store_true")
    args = parser.parse_args(argv)
    if args.short:
        args.baseline, args.kills, args.only = 0, 4, ["kill_workers"]
    args.leave_out = dict(args.leave_out)
    known = scenarios(args.kills)
    for name in [*args.only, *args.leave_out]:
        if name not in known:
            parser.error(
                f"no scenario is called {name!r}, there are {', '.join(known)}"
            )
    return args, {name: known[name] for name in args.only or known}


def main(argv: list[str] | None = None) -> int:
    args, chosen = parse(argv)
    if args.list:
        print("\n".join(chosen))
        return 0
    tally = Tally()
    for mode in args.mode or ["async", "sync"]:
        run_mode(mode, chosen, args, tally)
    not_chosen = [name for name in scenarios(args.kills) if name not in chosen]
    if not_chosen:
        print(f"not chosen: {', '.join(not_chosen)}")
    for name, reason in tally.left_out.items():
        print(f"left out: {name}, {reason}")
    print(
        f"{tally.runs} disturbed runs, {tally.died} processes died, {tally.failed} failed, "
        f"{len(tally.left_out)} left out"
    )
    return 1 if tally.failed else 0


if __name__ == "__main__":
    sys.exit(main())
