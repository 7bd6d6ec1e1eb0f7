# SPDX-License-Identifier: Apache-2.0
"""`tw cluster`: clusters on Ray, for people.

`up` starts one and stays, as its supervisor; `status`, `logs`, `scale` and `down` find it from another terminal.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from typing import Any

from tensorwright.tools.tw import program

# The most bytes that one look at a log reads.
_CHUNK = 1 << 20


def add_command(commands: argparse._SubParsersAction) -> None:
    parser = commands.add_parser("cluster", help="clusters on Ray", description=__doc__)
    verbs = parser.add_subparsers(required=True, metavar="VERB")

    up = _verb(verbs, "up", _up, "run a program in every task of a new cluster")
    up.add_argument("--workers", type=int, default=1)
    up.add_argument("--ps", type=int, default=0)
    for job in ("worker", "ps"):
        up.add_argument(
            f"--{job}-resources",
            type=_resources,
            default={},
            metavar="CPU=2,GPU=1",
            help="what one task needs, by Ray's names",
        )
    up.add_argument("--max-restarts", type=int, default=-1, help="of a task")
    up.add_argument("script", help="finds its cluster and its task in TF_CONFIG")
    up.add_argument("args", nargs=argparse.REMAINDER)

    _verb(verbs, "status", _status, "the tasks of a cluster that runs")
    logs = _verb(verbs, "logs", _logs, "what tasks printed")
    logs.add_argument("-f", "--follow", action="store_true", help="go on")
    logs.add_argument(
        "-n", "--bytes", type=int, default=10_000, help="of each log's end"
    )
    logs.add_argument("task", nargs="*", help='as "worker 1" or worker; all if none')
    scale = _verb(verbs, "scale", _scale, "change how many tasks there are")
    scale.add_argument("--workers", type=int)
    scale.add_argument("--ps", type=int)
    _verb(verbs, "down", _down, "end it")


def _verb(verbs: Any, name: str, do: Any, text: str) -> argparse.ArgumentParser:
    parser = verbs.add_parser(name, help=text)
    parser.add_argument("--name", default="train", help="of the cluster")
    parser.add_argument("--address", help="of Ray; RAY_ADDRESS, or what runs here")
    parser.set_defaults(do=_with_ray(do))
    return parser


def _with_ray(do: Any) -> Any:
    def checked(args: argparse.Namespace) -> int:
        try:
            import ray  # noqa: F401
        except ModuleNotFoundError:
            print(
                "tw cluster: Ray is not here: pip install 'tensorwright-cluster[ray]'",
                file=sys.stderr,
            )
            return 2
        return do(args)

    return checked


def _resources(text: str) -> dict[str, float]:
    pairs = (part.partition("=") for part in text.split(",") if part)
    return {name: float(amount) for name, _, amount in pairs}


def _up(args: argparse.Namespace) -> int:
    from tensorwright.cluster.ray import ClusterError, TrainCluster

    if program.is_missing("cluster up", args.script):
        return 2
    try:
        with TrainCluster(
            args.workers,
            args.ps,
            {"worker": args.worker_resources, "ps": args.ps_resources},
            name=args.name,
            address=args.address,
            max_restarts=args.max_restarts,
        ) as cluster:
            cluster.run_program(args.script, args.args)
    except (ClusterError, ValueError) as error:
        print(f"tw cluster up: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


def _find(args: argparse.Namespace) -> Any:
    """The board of the cluster that the arguments name; says it if there is none."""
    import ray

    from tensorwright.cluster._ray import records

    address = args.address or os.environ.get("RAY_ADDRESS") or "auto"
    try:
        ray.init(address=address, log_to_driver=False, logging_level="error")
        return records.find_board(args.name)
    except (ConnectionError, ValueError):
        print(
            f"tw cluster: no cluster {args.name!r} runs on Ray at {address!r}",
            file=sys.stderr,
        )
        return None


def _status(args: argparse.Namespace) -> int:
    import ray

    board = _find(args)
    if board is None:
        return 1
    about, records, line = ray.get(board.read.remote())
    print(f"{args.name}: {about}\n{line}")
    print(f"{'task':<12}{'state':<12}{'restarts':>8}  {'process':<28}reported")
    for record in records:
        place = record.place
        where = f"{place.pid} on {place.ip}:{place.port}" if place else ""
        said = "  ".join(f"{k} {_short(v)}" for k, v in record.report.items())
        print(
            f"{record.name:<12}{record.state:<12}{record.restarts:>8}  {where:<28}{said}"
        )
    return 0


def _short(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _read(records: Any, record: Any, path: str, offset: int, most: int) -> Any:
    """Some of a log: by the task itself, or, while it is dead, by another one of its machine."""
    import ray

    node = record.place.node
    beside = [r for r in records if r.place and r.place.node == node and r != record]
    for reader in [record, *beside]:
        try:
            return ray.get(reader.actor.read_log.remote(path, offset, most), timeout=10)
        except (ray.exceptions.RayActorError, ray.exceptions.GetTimeoutError):
            continue
    return b"", max(offset, 0)


def _logs(args: argparse.Namespace) -> int:
    import ray

    board = _find(args)
    if board is None:
        return 1
    wanted = " ".join(args.task)
    seen: dict[str, int] = {}
    while True:
        try:
            _, records, _ = ray.get(board.read.remote())
        except ray.exceptions.RayActorError:
            return 0  # The cluster has ended.
        chosen = [r for r in records if r.place and wanted in ("", r.name, r.job)]
        if not chosen and not args.follow:
            print(f"tw cluster: no task {wanted!r}", file=sys.stderr)
            return 1
        for record in chosen:
            for path in record.logs:
                most = args.bytes if path not in seen else _CHUNK
                text, seen[path] = _read(
                    records, record, path, seen.get(path, -1), most
                )
                for row in text.decode(errors="replace").splitlines():
                    # Ray's own marks.
                    if not row.startswith(":"):
                        print(f"{record.name} | {row}")
        if not args.follow:
            return 0
        sys.stdout.flush()
        time.sleep(1)


def _scale(args: argparse.Namespace) -> int:
    return _ask(args, what="scale", workers=args.workers, ps=args.ps)


def _down(args: argparse.Namespace) -> int:
    return _ask(args, what="stop")


def _ask(args: argparse.Namespace, **request: Any) -> int:
    import ray

    board = _find(args)
    if board is None:
        return 1
    ray.get(board.ask.remote(**request))
    if request["what"] == "stop":
        # Reading fails as soon as the board is gone.
        try:
            while True:
                ray.get(board.read.remote(), timeout=60)
                time.sleep(0.2)
        except ray.exceptions.RayError:
            pass
    return 0
