# SPDX-License-Identifier: Apache-2.0
"""`tw`: the command line of tensorwright.

tw where NAME...          every step from the Python function to the kernel, with file and line
tw explain EXPRESSION      what executes one call for its types and shapes, as tf.matmul(tf.ones([2, 3]), tf.ones([3, 4]))
tw show FILE[:LINE]        the source behind such a line, also of a wheel
tw ops [--json] [PART]    the registered ops, one a line, with family, kernels and what they touch outside the
                          graph (--touches files lists those that touch files); as JSON, a registry dump;
                          --capabilities prints what each may touch and need, alone
tw new-op NAME            the files of a new op: in user_ops/ of the tree, elsewhere in a folder of its own
tw build [FOLDER]         compiles the ops of such a folder; --wheel makes a wheel of them, in dist/
tw dev OP.cc [SCRIPT]     builds an op whenever it is saved, and gives the new kernel to the program that runs
tw check-op NAME...       proves an op: shapes, gradient, threads, malformed input; --all for every op
tw run SCRIPT [ARGS...]   runs a program with `tensorflow` as another name of tensorwright; -c CODE as python's;
                          or a command, as `tw run make`: in the Pythons that it starts it is so, too
tw trace SCRIPT [ARGS...] runs it and writes a timeline for Chrome and a page that shows the graph and its times
tw plan SCRIPT [ARGS...]  the same, and prints what its sessions run, before and after graph passes
tw checkpoint PATH        the tensors of a checkpoint; --verify reads all of it, --tensor NAME prints values
tw checkpoint PATH OTHER  what two checkpoints have that is not the same
tw saved-model DIR        graphs and signatures of a SavedModel; --run FILE runs one on arrays of an .npz or .json file
tw freeze CHECKPOINT OUT  a checkpoint and its graph as a GraphDef of constants, for --outputs NODES
tw strip-unused G OUT     the part of a graph that its --outputs need, with --inputs as placeholders
tw optimize GRAPH OUT     a frozen graph for inference: convolutions take in their batch normalisations and paddings
tw selective-registration GRAPH...  the ops and kernels that graphs need, as the header ops_to_register.h; --list
tw shrink MODEL -o DIR    a frozen model with what it needs alone: a library of a few MB, a package and its wheel
tw cluster up SCRIPT       runs a program in every task of a cluster on Ray (--workers 2 --ps 1), and starts again what dies;
                          tw cluster status|logs|scale|down from another terminal
tw inspect PATH           what a stranger's model would touch, its sizes, unknown ops and risks, before it is run; --page draws it
tw doctor FILE            what a program uses of TensorFlow that is missing, deprecated or different here; --dir FOLDER
tw upgrade FILE           rewrites the spellings of TensorFlow 0.x to those of 1.x: shows them, --write changes the file
"""

from __future__ import annotations

import argparse
import os
import re
import sys
from typing import NoReturn

from tensorwright.tools.tw import (
    build_op,
    checkpoint,
    cluster,
    dev,
    doctor,
    explain,
    freeze,
    graph_tools,
    inspect_model,
    libraries,
    new_op,
    ops,
    plan,
    program,
    registry_dump,
    saved_model,
    show,
    shrink,
    suggest,
    trace,
    upgrade,
)

# Subcommands with a file of their own.
_COMMANDS = (
    ops,
    explain,
    show,
    new_op,
    build_op,
    dev,
    plan,
    trace,
    checkpoint,
    saved_model,
    freeze,
    graph_tools,
    cluster,
    inspect_model,
    shrink,
    doctor,
    upgrade,
)


def _where(args: argparse.Namespace) -> int:
    from tensorwright.python.explain import source_chain
    from tensorwright.python.framework import load_library

    if libraries.are_missing("where", args.library):
        return 2
    for library in args.library:
        load_library.load_op_library(os.path.abspath(library))
    missing = []
    beside = [] if args.library else None
    for name in args.names:
        found = source_chain.explain_name(name)
        if not found and beside == []:
            beside = libraries.beside([name])
            for library in beside:
                load_library.load_op_library(library)
            found = source_chain.explain_name(name)
        if not found:
            missing.append(name)
        for explanation in found:
            print(explanation, end="\n\n")
    for name in missing:
        close = source_chain.similar_names(name) + registry_dump.similar_ops(name)
        hint = f"; similar: {', '.join(close)}" if close else ""
        print(f"tw where: nothing is called {name!r}{hint}", file=sys.stderr)
    return 1 if missing else 0


def _check_op(args: argparse.Namespace) -> int:
    from tensorwright.tools.opcheck import main as opcheck

    if libraries.are_missing("check-op", args.library):
        return 2
    if args.names and not args.library:
        args.library = libraries.beside(args.names)
    return opcheck.run(args)


def _run(args: argparse.Namespace) -> int:
    if args.code is not None:
        from tensorwright import compat

        compat.alias()
        program.begin_errors_with_the_program()
        sys.argv = ["-c", *([args.script] if args.script else []), *args.args]
        sys.path.insert(0, "")
        exec(compile(args.code, "<string>", "exec"), {"__name__": "__main__"})
        return 0
    if args.script is None:
        print("tw run: a program is wanted, or -c CODE", file=sys.stderr)
        return 2
    if program.is_command(args.script):
        return program.run_command([args.script, *args.args])
    if program.is_missing("run", args.script):
        return 2
    program.run(args.script, args.args)
    return 0


class _Parser(argparse.ArgumentParser):
    """One that says which command a misspelt one may be."""

    def error(self, message: str) -> NoReturn:
        wrong = re.search(r"argument COMMAND: invalid choice: '([^']*)'", message)
        if wrong:
            known = re.findall(r"'([^']*)'", message)[1:]
            close = suggest.hint(wrong[1], known)
            message = f"no such command: {wrong[1]}{close}; `tw --help` lists all"
        super().error(message)


def main(argv: list[str] | None = None) -> int:
    parser = _Parser(
        prog="tw",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    where = commands.add_parser("where", help="from a name to its kernels")
    where.add_argument("names", nargs="+", metavar="NAME")
    where.add_argument(
        "--library", action="append", default=[], help="an op library to load first"
    )
    where.set_defaults(do=_where)
    check = commands.add_parser("check-op", help="prove an op")
    check.add_argument("names", nargs="*", metavar="NAME", help="ops, as MatMul")
    check.add_argument("--all", action="store_true", help="every registered op")
    check.add_argument(
        "--part", default="1/1", metavar="I/N", help="with --all, every N-th op"
    )
    check.add_argument("--table", action="store_true", help="what was checked of each")
    check.add_argument("--keep", action="store_true", help="note what is refused")
    check.add_argument("--quick", action="store_true", help="a few draws an op")
    check.add_argument("--seed", type=int, default=0, help="which draws")
    check.add_argument(
        "--timeout", type=float, metavar="SECONDS", help="the most that a call may take"
    )
    check.add_argument(
        "--all-findings", action="store_true", help="print those that are alike, too"
    )
    check.add_argument("--json", action="store_true", help="print results as JSON")
    check.add_argument("--malformed", type=int, help="malformed calls an op")
    check.add_argument("--speed", action="store_true", help="time each op too")
    check.add_argument(
        "--library", action="append", default=[], help="an op library to load first"
    )
    check.add_argument(
        "--python", action="append", default=[], help="a Python file to run first"
    )
    check.add_argument(
        "--sanitize",
        metavar="KINDS",
        help="call the op built with these too: address,undefined,thread,leak",
    )
    check.add_argument(
        "--source",
        action="append",
        default=[],
        metavar="FILE",
        help="with --sanitize, the library's sources",
    )
    check.add_argument(
        "--copt",
        action="append",
        default=[],
        help="with --sanitize, a further option for the compiler",
    )
    check.set_defaults(do=_check_op)
    run = commands.add_parser("run", help="run a TensorFlow program")
    run.add_argument("-c", dest="code", help="the program itself, not in a file")
    run.add_argument("script", nargs="?")
    run.add_argument("args", nargs=argparse.REMAINDER)
    run.set_defaults(do=_run)
    for module in _COMMANDS:
        module.add_command(commands)
    args = parser.parse_args(argv)
    try:
        return args.do(args)
    except BrokenPipeError:
        # `tw where conv2d | head`: whoever reads has seen enough.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


if __name__ == "__main__":
    sys.exit(main())
