# SPDX-License-Identifier: Apache-2.0
"""`tw inspect`: what a model from a stranger would touch, and what is wrong with it, before anything of it is run.

    $ tw inspect model.pb
    model.pb: GraphDef, 1.596 kB
      made by TensorFlow 1.x or earlier (producer 24)
      10 nodes, 7 ops, 4 constants of 1.043 kB

    reaches outside of the graph (outside)
      - reads files: ReadFile (read)
      - reads '/etc/passwd', an absolute path: ReadFile (read)
    ...
    the smallest policy that allows it
      tf.Policy.sandbox(allow=["unbounded memory"], read=["/etc/passwd"])

PATH is a GraphDef (.pb, .pbtxt), a MetaGraphDef (.meta), the folder of a SavedModel, a checkpoint or a folder of them.
The file is read and nothing of it is imported; op libraries are loaded only if --library names them.

--json prints all of the report, whose structure inspect_report.py describes; --page FILE.html writes one page with the
tables and a drawing of the graph, in which the nodes that touch something are marked.

Exits with 0 where the path could be read, 2 where not; with --strict, with 1 if the graph reaches outside, will not run
here or may cost much.
"""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import sys
from typing import Any

from tensorwright.tools.tw import (
    inspect_page,
    inspect_report,
    inspect_text,
    libraries,
    suggest,
)


def add_command(commands: Any) -> None:
    """Adds `tw inspect` to the subcommands."""
    parser = commands.add_parser(
        "inspect",
        help="what a stranger's model would touch, before it is run",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("path", metavar="PATH")
    parser.add_argument("--json", action="store_true", help="print all of it as JSON")
    parser.add_argument(
        "--page", metavar="FILE.html", help="write a page that draws it"
    )
    parser.add_argument("--all", action="store_true", help="every row of every table")
    parser.add_argument(
        "--strict", action="store_true", help="exit with 1 if there are risks"
    )
    parser.add_argument(
        "--library", action="append", default=[], help="an op library to load first"
    )
    parser.set_defaults(do=_run)


def _run(args: argparse.Namespace) -> int:
    if libraries.are_missing("inspect", args.library):
        return 2
    if args.library:
        from tensorwright.python.framework import load_library

        for library in args.library:
            load_library.load_op_library(os.path.abspath(library))
    try:
        subject = inspect_report.read(args.path)
        report = inspect_report.described(subject)
        if args.page is not None:
            page = inspect_page.page(subject, report)
            pathlib.Path(args.page).write_text(page, encoding="utf-8")
    except FileNotFoundError as error:
        return _failed(suggest.no_such_file(error))
    except (OSError, ValueError) as error:
        return _failed(f"{args.path}: {error}")
    if args.json:
        json.dump(report, sys.stdout, indent=1)
        print()
    else:
        inspect_text.show(report, args.all)
    if args.page is not None:
        print(f"wrote {args.page}", file=sys.stderr)
    risks = [risk for graph in report["graphs"] for risk in graph["risks"]]
    return int(args.strict and any(risk["level"] != "note" for risk in risks))


def _failed(why: str) -> int:
    print(f"tw inspect: {inspect_text.printable(why)}", file=sys.stderr)
    return 2
