# SPDX-License-Identifier: Apache-2.0
"""`tw check-op`: proves an op from its registration alone.

    tw check-op MatMul                          a page on one op, with its speed
    tw check-op --all                           a line an op, then pages for those with findings
    tw check-op --library ./my_ops.so MyOp      an op of a library outside the tree; without names, all it has
                --python my_gradients.py        a Python file to run first, such as one that registers its gradient
                                            files *_hints.py beside the library draw its calls, and say what is meant
    tw check-op --seed 7 MatMul                 other draws
    tw check-op --timeout 5 MyOp                how long a call may take; one that takes longer is a finding, with its stack
    tw check-op --sanitize address,undefined,thread,leak MyOp
                                            builds the library's sources with the compiler's sanitizers, and makes calls with it;
                --source my_op.cc           the sources, if they are not the .cc files of the library's folder
                --copt=-DX                  further options for the compiler
    tw check-op --all-findings MyOp             also those that are like one that is printed
    tw check-op --json MyOp                     the same for programs; report.py says what is in it
    tw check-op --keep MatMul                   notes in kept_refusals.txt what it refuses and promises; afterwards a check that is lost is a finding
    tw check-op --table --all                   how many checks of each kind every op had; what is exempt, and why

For each op: calls in every dtype that it has kernels for; the shape function's promise against the kernel's real shapes,
and the same verdict however much of the shapes is known; gradients against finite differences; the same bits with one
thread, two and three; and malformed calls (empty, huge, negative, out of range, NaN, wrong rank, every dtype, odd
attrs) in a process of their own, where death or silence is a finding.  So is a promise of which nothing could be
checked, unless allowed.py says why.  Where else nothing could be checked, the line of the check says "not checked" and the
reason.  The exit status is 1 where there are findings, 2 where nothing was run (no such op, a wrong file of hints), else 0,
also if a check is "not checked".
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import pathlib
import runpy
import sys
import tempfile
import time
from collections.abc import Sequence

from tensorwright.tools.opcheck import (
    allowed,
    handles,
    hint_files,
    kept_calls,
    kept_refusals,
    kept_shapes,
    report,
    sanitizers,
    verdicts,
)
from tensorwright.tools.opcheck.checks import QUICK, Checker, Effort, Result
from tensorwright.tools.opcheck.hint_table import HintError, near
from tensorwright.tools.opcheck.sanitizers import Sanitized
from tensorwright.tools.opcheck.signature import part_of, registered_ops


class _Refused(Exception):
    """The command asks for something that cannot be done; the text says why."""


def run(args: argparse.Namespace) -> int:
    """Does what the arguments of `tw check-op` say; returns the exit status."""
    try:
        return _run(args)
    except (_Refused, HintError) as error:
        print(f"tw check-op: {error}", file=sys.stderr)
        return 2


def _run(args: argparse.Namespace) -> int:
    loads = [os.path.abspath(f) for f in (*args.library, *args.python)]
    own: list[str] = []
    missing = [f for f in loads if not os.path.isfile(f)]
    if missing:
        raise _Refused(f"no such file: {', '.join(missing)}")
    if loads:
        own = _load(loads[: len(args.library)], loads[len(args.library) :])
        handles.register(own)
        hint_files.run(loads[: len(args.library)])
    names = _names(args, own)
    if args.keep:
        if not kept_refusals.FILE.exists():
            raise _Refused("--keep is for ops of the source tree")
        _keep(names)
        return 0
    effort = QUICK if args.quick else Effort()
    one_page = len(names) <= 3
    effort = dataclasses.replace(effort, speed=args.speed or one_page)
    if args.timeout is not None:
        effort = dataclasses.replace(effort, timeout=args.timeout)
    if args.malformed is not None:
        effort = dataclasses.replace(effort, malformed=args.malformed)
    quiet = one_page or args.table or args.json
    with tempfile.TemporaryDirectory(prefix="opcheck") as scratch:
        sanitized = _sanitize(args, loads, pathlib.Path(scratch))
        results = check(
            names, effort, args.seed, tuple(loads), quiet, frozenset(own), sanitized
        )
    _print(args, results, one_page)
    return 0 if all(r.ok for r in results) else 1


def _names(args: argparse.Namespace, own: list[str]) -> list[str]:
    """The ops to check: those named, all of the library, or all of the package."""
    known = registered_ops()
    names = list(args.names) or own
    if args.all or (args.table and not names):
        names = part_of(known, args.part)
    # `mat_mul` names MatMul.
    plain = {n.lower(): n for n in known}
    names = [plain.get(n.replace("_", "").lower(), n) for n in names]
    unknown = [n for n in names if n not in known]
    if unknown:
        text = f"no such op: {', '.join(unknown)}{near(unknown[0], known)}"
        if not args.library:
            text += "; one of your own needs --library FILE.so"
        raise _Refused(text)
    if not names:
        raise _Refused("name an op, or --all")
    return names


def _print(args: argparse.Namespace, results: list[Result], one_page: bool) -> None:
    """Prints pages of a few ops, of many those with findings."""
    if args.json:
        print(json.dumps(report.as_json(results), indent=1))
        return
    bad = [r for r in results if not r.ok]
    if args.table:
        print(report.table(results))
        one_page = False
    for result in results if one_page else bad:
        print("\n" + report.page(result, args.all_findings))
    if not one_page:
        print(f"\n{len(results)} ops, {len(results) - len(bad)} without findings")
        open_ = [(r, verdicts.unchecked(r)) for r in results if r.ok]
        for result, checks in open_:
            if checks and result.own:
                print(f"{result.signature.name}: not checked: {', '.join(checks)}")


def _keep(names: list[str]) -> None:
    """Records these ops in kept_refusals.txt, kept_calls.txt and kept_shapes.txt, and drops the ops that are gone."""
    known = set(registered_ops())
    lines = {op: line for op, line in kept_refusals.read().items() if op in known}
    dtypes = {op: line for op, line in kept_calls.read().items() if op in known}
    shapes = {op: line for op, line in kept_shapes.read().items() if op in known}
    checker = Checker(Effort())
    try:
        for name in names:
            lines[name] = checker.keep(name)
            dtypes[name] = checker.keep_calls(name)
            shapes[name] = checker.keep_shapes(name)
            print(lines[name], *dtypes[name], flush=True)
    finally:
        checker.close()
    kept_refusals.write(lines)
    kept_calls.write(dtypes)
    kept_shapes.write(shapes)


def check(
    names: list[str],
    effort: Effort = QUICK,
    seed: int = 0,
    loads: tuple[str, ...] = (),
    quiet: bool = True,
    own: frozenset[str] = frozenset(),
    sanitized: Sequence[Sanitized] = (),
) -> list[Result]:
    """The results of some ops; prints a line each unless `quiet`.

    `loads` are op libraries and Python files that the workers load first, and `own` the ops that these add; `sanitized`
    are these libraries once more, built with sanitizers.
    """
    checker = Checker(effort, loads, own, sanitized)
    if not quiet:
        print(report.HEADER)
    results = []
    start = time.monotonic()
    try:
        for name in names:
            result = checker.check(name, seed)
            results.append(result)
            if not quiet:
                print(report.row(result), flush=True)
    finally:
        checker.close()
    if not quiet:
        print(f"{time.monotonic() - start:.0f} s")
    return results


def _sanitize(
    args: argparse.Namespace, loads: list[str], scratch: pathlib.Path
) -> list[Sanitized]:
    """Builds the library with the sanitizers that are asked for.

    Raises:
        _Refused: if they, or the sources, are not there.
    """
    if not args.sanitize:
        return []
    if len(args.library) != 1:
        raise _Refused("--sanitize wants one --library FILE.so")
    library = pathlib.Path(loads[0])
    goes_on = any(e.check == allowed.UNDEFINED for e in allowed.everywhere())
    try:
        kinds = sanitizers.kinds_of(args.sanitize)
        sources = sanitizers.sources_of(library, args.source)
        return [
            sanitizers.build(group, library, sources, scratch, args.copt, goes_on)
            for group in sanitizers.groups(kinds)
        ]
    except ValueError as error:
        raise _Refused(str(error)) from error


def _load(libraries: list[str], modules: list[str]) -> list[str]:
    """Loads op libraries and gradients here too; the names of the ops they have."""
    from tensorwright.python.framework import load_library

    before = set(registered_ops())
    # The program may have loaded one before, as a test does that imports its op.
    loaded = [load_library.load_op_library(file) for file in libraries]
    theirs = {op.name for module in loaded for op in module.OP_LIST.op}
    for file in modules:
        runpy.run_path(file)
    return [n for n in registered_ops() if n in theirs or n not in before]
