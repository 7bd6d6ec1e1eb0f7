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
    tw check-op --keep MatMul                   notes in kept.txt what it refuses and promises; afterwards a check that is lost is a finding
    tw check-op --table --all                   how many checks of each kind every op had; what is exempt, and why

For each op: calls in every dtype that it has kernels for; the shape function's promise against the kernel's real shapes,
and the same verdict however much of the shapes is known; gradients against finite differences; the same bits with one
thread, two and three; and malformed calls (empty, huge, negative, out of range, NaN, wrong rank, every dtype, odd
attrs) in a process of their own, where death or silence is a finding.  So is a promise of which nothing could be
checked, unless allowed.py says why.  The exit status is 1 where there are findings.
"""

from __future__ import annotations

import argparse
import dataclasses
import difflib
import os
import pathlib
import runpy
import sys
import tempfile
import time
from collections.abc import Sequence

from tensorwright.tools.opcheck import (
    handles,
    kept,
    kept_calls,
    kept_shapes,
    report,
    sanitizers,
)
from tensorwright.tools.opcheck.checks import QUICK, Checker, Effort, Result
from tensorwright.tools.opcheck.sanitizers import Sanitized
from tensorwright.tools.opcheck.signature import part_of, registered_ops


def run(args: argparse.Namespace) -> int:
    names = list(args.names)
    loads = [os.path.abspath(f) for f in (*args.library, *args.python)]
    own: list[str] = []
    missing = [f for f in loads if not os.path.isfile(f)]
    if missing:
        print(f"tw check-op: no such file: {', '.join(missing)}", file=sys.stderr)
        return 2
    if loads:
        own = _load(loads[: len(args.library)], loads[len(args.library) :])
        names = names or own
        handles.register(own)
        _run_hints(loads[: len(args.library)])
    known = registered_ops()
    if args.all or (args.table and not names):
        names = part_of(known, args.part)
    # `mat_mul` names MatMul.
    plain = {n.lower(): n for n in known}
    names = [plain.get(n.replace("_", "").lower(), n) for n in names]
    unknown = [n for n in names if n not in known]
    if unknown or not names:
        text = "name an op, or --all"
        if unknown:
            text = f"no such op: {', '.join(unknown)}"
            close = difflib.get_close_matches(unknown[0].lower(), plain, 3, 0.75)
            if close:
                text += f"; similar: {', '.join(plain[c] for c in close)}"
            if not args.library:
                text += "; one of your own needs --library FILE.so"
        print(f"tw check-op: {text}", file=sys.stderr)
        return 2
    if args.keep:
        if not kept.FILE.exists():
            print("tw check-op: --keep is for ops of the source tree", file=sys.stderr)
            return 2
        _keep(names)
        return 0
    effort = QUICK if args.quick else Effort()
    one_page = len(names) <= 3
    effort = dataclasses.replace(effort, speed=args.speed or one_page)
    if args.timeout is not None:
        effort = dataclasses.replace(effort, timeout=args.timeout)
    if args.malformed is not None:
        effort = dataclasses.replace(effort, malformed=args.malformed)
    quiet = one_page or args.table
    with tempfile.TemporaryDirectory(prefix="opcheck") as scratch:
        try:
            sanitized = _sanitize(args, loads, pathlib.Path(scratch))
        except ValueError as error:
            print(f"tw check-op: {error}", file=sys.stderr)
            return 2
        results = check(
            names, effort, args.seed, tuple(loads), quiet, frozenset(own), sanitized
        )
    bad = [r for r in results if not r.ok]
    if args.table:
        print(report.table(results))
        one_page = False
    for result in results if one_page else bad:
        print("\n" + report.page(result))
    if not one_page:
        print(f"\n{len(results)} ops, {len(results) - len(bad)} without findings")
    return 1 if bad else 0


def _keep(names: list[str]) -> None:
    """Records these ops in kept.txt, kept_calls.txt and kept_shapes.txt, and drops the ops that are gone."""
    known = set(registered_ops())
    lines = {op: line for op, line in kept.read().items() if op in known}
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
    kept.write(lines)
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
        ValueError: if they, or the sources, are not there.
    """
    if not args.sanitize:
        return []
    if len(args.library) != 1:
        raise ValueError("--sanitize wants one --library FILE.so")
    kinds = sanitizers.kinds_of(args.sanitize)
    library = pathlib.Path(loads[0])
    sources = sanitizers.sources_of(library, args.source)
    return [
        sanitizers.build(group, library, sources, scratch, args.copt)
        for group in sanitizers.groups(kinds)
    ]


def _run_hints(libraries: list[str]) -> None:
    """Runs the files *_hints.py beside op libraries, which register hints and exemptions."""
    folders = dict.fromkeys(pathlib.Path(file).parent for file in libraries)
    for folder in folders:
        for file in sorted(folder.glob("*_hints.py")):
            print(f"with {file.name}", file=sys.stderr)
            runpy.run_path(str(file))


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
