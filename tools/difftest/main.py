# SPDX-License-Identifier: Apache-2.0
"""Compares ops with tensorflow-cpu 2.21: ./run tools/difftest/main.py [options] [OP ...]

Random calls (tools/opcheck/draws.py), and calls made wrong, go to both libraries as the same GraphDef: once with the
shapes known and once not.  Compared are which CPU kernels there are, values, dtypes, shapes, what the shape functions
infer, gradients with random upstream gradients, and the class of errors.  The peer lives in .venv-peer, made on demand.

    ./run tools/difftest/main.py                        every op, 200 draws
    ./run tools/difftest/main.py --draws 50 MatMul      some
    ./run tools/difftest/main.py --seed 123 MatMul      what one draw does, in full

The table has for each op the draws compared, those where both computed, both refused, and differed; then each
difference with the seed that repeats it.  Those that explained.py accounts for are counted apart.
"""

from __future__ import annotations

import argparse
import collections
import concurrent.futures
import copy
import dataclasses
import json
import os
import pathlib
import sys
import threading
import time
from typing import Any

from tensorwright.tools.difftest import compare, explained, peer_venv
from tensorwright.tools.opcheck import graphs, hints, malformed, report
from tensorwright.tools.opcheck import signature as sig
from tensorwright.tools.opcheck.draws import Case, Unsuitable
from tensorwright.tools.opcheck.processes import OURS, THEIRS, Worker
from tensorwright.tools.opcheck.signature import Signature, registered_ops

# Draws that go to the workers in one request.
_BATCH = 20
_MEMORY = 3 << 30
# One draw in so many is a malformed one.
_SPOILT = 5
# How much further apart gradients may be, which are several ops' work.
_GRADIENT_SLACK = 8.0
# Draws for each that is wanted, at most: those of types that one of the two has no kernel for are not compared.
_TRIES = 16


@dataclasses.dataclass
class Difference:
    kind: str
    text: str
    seed: int


@dataclasses.dataclass
class Row:
    """What came of one op."""

    op: str
    compared: int = 0
    computed: int = 0
    refused: int = 0
    differed: int = 0
    explained: int = 0
    seconded: int = 0  # Agreed at a second look.
    gradients: int = 0
    note: str = ""
    differences: list[Difference] = dataclasses.field(default_factory=list)
    reasons: collections.Counter = dataclasses.field(
        default_factory=collections.Counter
    )


class Lane:
    """A pair of workers that compares one op after the other."""

    def __init__(self, peer: str):
        self.ours = Worker(OURS, memory=_MEMORY, timeout=20)
        self.theirs = Worker(THEIRS, peer, memory=2 * _MEMORY, timeout=20, spare=True)

    def close(self) -> None:
        self.ours.close()
        self.theirs.close()

    def both(self, mine: list, its: list) -> tuple[list, list]:
        """The answers of the two; a graph that killed its worker has {"died": how}."""
        for worker, asked in ((self.ours, mine), (self.theirs, its)):
            if asked:
                worker.post("run_each", graphs=asked)
        return self.ours.run_each(mine), self.theirs.run_each(its)

    def ours_alone(self, graph: dict) -> dict:
        return self.both([graph], [])[0][0]


@dataclasses.dataclass
class Peer:
    """What TensorFlow registers: an op's attrs, and its CPU kernels."""

    attrs: dict[str, set[str]]
    worker: Worker
    lock: Any = dataclasses.field(default_factory=threading.Lock)

    def kernels(self, op: str) -> list[dict[str, list[int]]]:
        with self.lock:
            return self.worker.ask("kernels", op=op)


def ask_peer(python: str) -> Peer:
    from tensorwright.core.framework import op_def_pb2

    worker = Worker(THEIRS, python, timeout=120)
    defs = [op_def_pb2.OpDef.FromString(d) for d in worker.ask("ops")]
    return Peer({d.name: {a.name for a in d.attr} for d in defs}, worker)


class Comparison:
    """One op's draws."""

    def __init__(self, op: str, peer: Peer, lane: Lane, verbose: bool = False):
        self.signature, self.peer, self.lane = Signature(op), peer, lane
        self.row = Row(op)
        self.verbose = verbose
        self.their_kernels = peer.kernels(op)
        ours = {a for a in self.signature.attrs}
        self.unknown_attrs = frozenset(ours - peer.attrs[op])

    def run(self, start: int, wanted: int) -> Row:
        """Compares `wanted` draws, of the seeds from `start` on."""
        self._kernels()
        end = start + (1 if self.verbose else _TRIES * wanted)
        while self.row.compared < wanted and start < end:
            batch = range(start, start + min(_BATCH, wanted - self.row.compared))
            start = batch.stop
            cases = [c for s in batch if (c := self._draw(s))]
            if not cases and self.row.note:
                return self.row
            self._compare_batch(cases)
        return self.row

    # Kernels. ------------------------------------------------------------------------------------------------

    def _kernels(self) -> None:
        """Compares the dtypes of CPU kernels, one type attr at a time."""
        for attr, data in self.signature.attrs.items():
            if data.type != "type":
                continue
            allowed = set(self.signature.allowed_types(attr))
            mine = _types(self.signature.kernels, attr, allowed)
            its = _types(self.their_kernels, attr, allowed)
            if its - mine:
                names = ", ".join(sorted(map(sig.type_name, its - mine)))
                self._differ("kernels", f"no CPU kernel for {attr} in {names}", 0)

    def _draw(self, seed: int) -> Case | None:
        try:
            case = hints.draw(self.signature, seed)
        except Unsuitable as reason:
            self.row.note = str(reason)
            return None
        if seed % _SPOILT == 0:
            case, words = malformed.spoil(self.signature, case, seed)
            case.words = words  # type: ignore[attr-defined]
        return case

    def _has_kernels(self, case: Case) -> bool:
        """Have both libraries a kernel for the types of the call?"""
        types = {
            n: v
            for n, v in case.attrs.items()
            if self.signature.attrs[n].type == "type"
        }
        fits = lambda kernels: any(  # noqa: E731
            all(types.get(a) in ok for a, ok in k.items() if a in types)
            for k in kernels
        )
        return fits(self.signature.kernels) and fits(self.their_kernels)

    # Calls. --------------------------------------------------------------------------------------------------

    def _compare_batch(self, cases: list[Case]) -> None:
        cases = [c for c in cases if self._has_kernels(c)]
        mine, its = [], []
        for case in cases:
            knowledge = (graphs.UNKNOWN, graphs.KNOWN)[case.seed // 2 % 2]
            for graphs_of, without in ((mine, frozenset()), (its, self.unknown_attrs)):
                graphs_of.append(
                    graphs.build(
                        self.signature,
                        [case],
                        knowledge,
                        gradients=case.seed % 3 == 0,
                        without_attrs=without,
                    )
                )
        if not cases:
            return
        ours, theirs = self.lane.both(mine, its)
        for case, a, b in zip(cases, ours, theirs):
            self._compare(case, a, b)

    def _compare(self, case: Case, a: dict, b: dict) -> None:
        self.row.compared += 1
        if self.verbose:
            _show(case, a, b)
        kind, text = self._difference(case, a, b)
        if text and self._agree_after_all(case, kind, a, b):
            self.row.seconded += 1
            text = ""
        if text:
            words = getattr(case, "words", "")
            self._differ(
                kind, f"{text}{'  <- ' + words if words else ''}", case.seed, case
            )

    def _difference(self, case: Case, a: dict, b: dict) -> tuple[str, str]:
        if "died" in a:
            return "died", f"we died: {a['died']}"
        if "died" in b:
            return "peer died", f"TensorFlow died: {b['died']}"
        ours, theirs = _error(a), _error(b)
        text = compare.errors(ours, theirs)
        if text:
            return ("error class" if ours and theirs else "refusal"), text
        if ours is not None:
            self.row.refused += 1
            return "", ""
        run, other = a["runs"][0], b["runs"][0]
        self.row.computed += 1
        text = compare.values(run["values"], other["values"])
        if text:
            return "value", text
        text = compare.static_shapes(a["static"], b["static"], run["values"])
        if text:
            return "shape function", text
        text = compare.errors(run.get("grad_error"), other.get("grad_error"))
        if text:
            return "gradient error", text
        if "grads" in run:
            self.row.gradients += 1
            text = compare.values(
                run["grads"], other["grads"], "gradient by", _GRADIENT_SLACK
            )
            if text:
                return "gradient", text
        return "", ""

    def _agree_after_all(self, case: Case, kind: str, a: dict, b: dict) -> bool:
        """A second look: at rounding with a wider dtype, at refusals with the shapes known."""
        if kind in ("value", "gradient"):
            key = "values" if kind == "value" else "grads"
            wide = _widened(self.signature, case)
            if wide is None or not self._has_kernels(wide):
                return False
            graph = graphs.build(self.signature, [wide], gradients=kind == "gradient")
            answer = self.lane.ours_alone(graph)
            if "runs" not in answer or key not in answer["runs"][0]:
                return False
            one, two = a["runs"][0][key], b["runs"][0][key]
            slack = 1.0 if kind == "value" else _GRADIENT_SLACK
            return compare.nearer(one, two, answer["runs"][0][key], slack)
        if kind == "refusal" and _error(a) is not None:
            # We ask the shape function in each run, TensorFlow only where a node is added.
            graph = graphs.build(
                self.signature, [case], graphs.KNOWN, without_attrs=self.unknown_attrs
            )
            _, (answer,) = self.lane.both([], [graph])
            return "died" in answer or _error(answer) is not None
        return False

    def _differ(
        self, kind: str, text: str, seed: int, case: Case | None = None
    ) -> None:
        difference = Difference(kind, text, seed)
        attrs = case.attrs if case else {}
        reason = explained.reason(self.row.op, kind, text, attrs)
        if reason:
            self.row.explained += 1
            self.row.reasons[reason] += 1
            return
        self.row.differed += 1
        self.row.differences.append(difference)


def _types(kernels: list[dict], attr: str, allowed: set[int]) -> set[int]:
    out: set[int] = set()
    for kernel in kernels:
        out |= set(kernel[attr]) & allowed if attr in kernel else allowed
    return out


_WIDER = {
    sig.HALF: sig.FLOAT,
    sig.BFLOAT16: sig.FLOAT,
    sig.FLOAT: sig.DOUBLE,
    sig.COMPLEX64: sig.COMPLEX128,
}


def _widened(signature: Signature, case: Case) -> Case | None:
    """The call in the next wider dtypes; None where its types are fixed or integers."""
    wide = copy.deepcopy(case)
    changed = False
    for name, attr in signature.attrs.items():
        if attr.type == "type" and case.attrs[name] in _WIDER:
            wide.attrs[name] = _WIDER[case.attrs[name]]
            malformed.retype(signature, wide, name, wide.attrs[name])
            changed = True
    return wide if changed else None


def _error(answer: dict) -> Any:
    if "died" in answer:
        return "died", answer["died"]
    return answer.get("error") or answer["runs"][0].get("error")


def _show(case: Case, a: dict, b: dict) -> None:
    print("\n".join(report.describe(case)), getattr(case, "words", ""))
    for name, answer in (("ours", a), ("theirs", b)):
        print(f"-- {name}")
        if "runs" not in answer:
            print(answer)
            continue
        print("inferred", answer["static"])
        for key, found in answer["runs"][0].items():
            print(key, "" if "error" not in key else found)
            for item in found if "error" not in key else ():
                if item is None:
                    print("  none")
                    continue
                value = item[2] if item[0] == sig.STRING else None
                if value is None:
                    array = graphs.wire.decode(item, sig.numpy_type(item[0]))
                    value = str(array).replace("\n", " ")[:600]
                print(" ", sig.type_name(item[0]), list(item[1]), value)


# The whole. --------------------------------------------------------------------------------------------------

_HEADER = (
    f"{'op':38}{'draws':>6}{'computed':>9}{'refused':>8}{'grads':>6}"
    f"{'differed':>9}{'explained':>10}"
)


def _line(row: Row) -> str:
    return (
        f"{row.op:38}{row.compared:6}{row.computed:9}{row.refused:8}{row.gradients:6}"
        f"{row.differed:9}{row.explained:10}  {row.note if not row.compared else ''}"
    ).rstrip()


def _first_seed(op: str, start: int) -> int:
    return start + sum(ord(c) * 7919 * (i + 1) for i, c in enumerate(op))


def compare_ops(names: list[str], n: int, start: int, jobs: int) -> list[Row]:
    python = peer_venv.python()
    peer = ask_peer(python)
    lanes = [Lane(python) for _ in range(jobs)]
    free = list(lanes)

    def work(op: str) -> Row:
        if op not in peer.attrs:
            return Row(op, note="TensorFlow 2.21 has no such op")
        lane = free.pop()
        try:
            return Comparison(op, peer, lane).run(_first_seed(op, start), n)
        finally:
            free.append(lane)

    print(_HEADER, flush=True)
    rows = []
    try:
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            for row in pool.map(work, names):
                rows.append(row)
                print(_line(row), flush=True)
    finally:
        for lane in lanes:
            lane.close()
        peer.worker.close()
    return rows


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("ops", nargs="*")
    parser.add_argument("--draws", type=int, default=200, help="draws an op")
    parser.add_argument("--start", type=int, default=0, help="other draws")
    parser.add_argument("--seed", type=int, help="one draw of one op, in full")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--json", type=pathlib.Path, help="write the rows here")
    args = parser.parse_args()
    unknown = sorted(set(args.ops) - set(registered_ops(internal=True)))
    if unknown:
        parser.error(f"no such op: {', '.join(unknown)} (`tw ops` lists them)")
    if args.seed is not None and len(args.ops) != 1:
        parser.error(f"--seed is of one op, got {len(args.ops)}")
    # TensorFlow's own kernels: oneDNN's round quantized numbers in their own way, and lack some dtypes.
    os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "0")
    if args.seed is not None:
        python = peer_venv.python()
        lane, peer = Lane(python), ask_peer(python)
        row = Comparison(args.ops[0], peer, lane, verbose=True).run(args.seed, 1)
        for d in row.differences:
            print(f"{d.kind}: {d.text}")
        lane.close()
        peer.worker.close()
        return 0
    start = time.monotonic()
    rows = compare_ops(args.ops or registered_ops(), args.draws, args.start, args.jobs)
    _summary(rows, time.monotonic() - start)
    if args.json:
        plain = [
            {**vars(r), "differences": [vars(d) for d in r.differences]} for r in rows
        ]
        args.json.write_text(json.dumps(plain, indent=1))
    return 1 if any(r.differed for r in rows) else 0


def _summary(rows: list[Row], took: float) -> None:
    print()
    for row in rows:
        by_kind = collections.defaultdict(list)
        for d in row.differences:
            by_kind[d.kind].append(d)
        for kind, found in by_kind.items():
            print(f"{row.op}: {kind}, {len(found)} draws")
            for d in found[:3]:
                print(f"    {d.text}" + (f"  (--seed {d.seed})" if d.seed else ""))
    reasons: collections.Counter = collections.Counter()
    for row in rows:
        reasons.update(row.reasons)
    if reasons:
        print("\nexplained:")
        for reason, count in reasons.most_common():
            print(f"  {count:6}  {reason}")
    compared = [r for r in rows if r.compared]
    agreed = sum(r.compared - r.differed - r.explained for r in compared)
    print(
        f"\n{len(compared)} of {len(rows)} ops compared in {took:.0f} s: "
        f"{sum(r.compared for r in rows)} draws, {sum(r.computed for r in rows)} computed by both, "
        f"{sum(r.gradients for r in rows)} gradients; {agreed} agreed, "
        f"{sum(r.explained for r in rows)} differ as explained, "
        f"{sum(r.differed for r in rows)} differ in {sum(bool(r.differed) for r in rows)} ops"
    )


if __name__ == "__main__":
    sys.exit(main())
