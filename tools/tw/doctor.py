# SPDX-License-Identifier: Apache-2.0
"""`tw doctor FILE...`: what of TensorFlow a program or a graph uses that is missing, deprecated or different here.

    $ tw doctor train.py
    train.py:12: missing: tf.nn.nosuch does not exist; similar: tf.nn.softsign
    train.py:30: old: tf.mul is tf.multiply since 1.0; `tw upgrade` rewrites it
    $ tw doctor frozen.pb
    frozen.pb: 412 nodes, made by TensorFlow 2.4.1 (producer 561)
    frozen.pb: missing: op NoSuchOp, which 2 nodes use (a, b): it came between TensorFlow 1.3 and 2.21
    frozen.pb: reads: vocab.txt (no such file here), InitializeTableFromTextFileV2 table_init

A graph is a GraphDef (.pb, .pbtxt), a MetaGraphDef (.meta) or the folder of a SavedModel.  Which kernels, devices and
files it wants is told, too.

The program is read, not run: what it computes names from (getattr, exec) is not seen.  Exits with 0 where a program can
run, 1 where something is missing or different, 2 where a file cannot be read.  With --strict, what is deprecated counts.
"""

from __future__ import annotations

import argparse
import ast
import dataclasses
import difflib
import importlib
import inspect
import pathlib
import sys
import types
from typing import Any

from tensorwright.tools.tw import (
    doctor_graph,
    graph_file,
    old_names,
    program_names,
    suggest,
)

MISSING, DIFFERENT, OLD, DEPRECATED = "missing", "different", "old", "deprecated"


@dataclasses.dataclass
class Finding:
    """A fault of one line."""

    line: int
    kind: str
    text: str


def add_command(commands: argparse._SubParsersAction) -> None:
    parser = commands.add_parser(
        "doctor",
        help="what a program needs that is missing here",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("files", nargs="*", metavar="FILE")
    parser.add_argument(
        "--dir", action="append", default=[], help="the Python files of a folder"
    )
    parser.add_argument(
        "--strict", action="store_true", help="exit with 1 for what is deprecated, too"
    )
    parser.set_defaults(do=_doctor)


def _doctor(args: argparse.Namespace) -> int:
    if not args.files and not args.dir:
        print("tw doctor: a file is wanted, or --dir FOLDER", file=sys.stderr)
        return 2
    status = checked = found_in_all = 0
    graphs = [f for f in args.files if graph_file.is_graph(pathlib.Path(f))]
    for path in graphs:
        count, graph_status = _examine(path)
        checked += graph_status < 2
        found_in_all += count
        status = max(status, graph_status)
    programs = [f for f in args.files if f not in graphs]
    for path in program_names.python_files([*programs, *args.dir]):
        checked += 1
        try:
            found = findings(path.read_text(encoding="utf-8"))
        except FileNotFoundError as error:
            print(f"tw doctor: {suggest.no_such_file(error)}", file=sys.stderr)
            checked -= 1
            status = 2
            continue
        except (OSError, UnicodeDecodeError, SyntaxError) as error:
            line = getattr(error, "lineno", None)
            at = f"{path}:{line}" if line else str(path)
            print(f"{at}: unreadable: {error}")
            status = 2
            continue
        for finding in found:
            print(f"{path}:{finding.line}: {finding.kind}: {finding.text}")
            if args.strict or finding.kind != DEPRECATED:
                status = max(status, 1)
        found_in_all += len(found)
    print(f"{checked} file{'s' * (checked != 1)} read, {found_in_all} found")
    return status


def _examine(path: str) -> tuple[int, int]:
    """Prints what is wrong with a graph: (number of faults, exit status)."""
    try:
        about, found = doctor_graph.examine(pathlib.Path(path))
    except FileNotFoundError as error:
        print(f"tw doctor: {suggest.no_such_file(error)}", file=sys.stderr)
        return 0, 2
    except (OSError, ValueError) as error:
        print(f"{path}: unreadable: {error}")
        return 0, 2
    print(f"{path}: {about}")
    for finding in found:
        print(f"{path}: {finding.kind}: {finding.text}")
    faults = [f for f in found if f.kind in (MISSING, DIFFERENT)]
    return len(faults), 1 if faults else 0


def findings(source: str) -> list[Finding]:
    """Returns the faults of a program's names, each once a line."""
    found: dict[tuple[int, str], Finding] = {}
    uses = program_names.uses(source)
    soft = any(_places_softly(use) for use in uses)
    for use in uses:
        finding = None if use.guarded else _finding(use)
        if soft and use.name == "tf.device" and finding is not None:
            continue  # The session finds another device for such ops.
        if finding is not None:
            found.setdefault((finding.line, finding.text), finding)
    return list(found.values())


def _finding(use: program_names.Use) -> Finding | None:
    old = _old(use)
    if old is not None:
        return Finding(use.line, OLD, f"{old}; `tw upgrade` rewrites it")
    value, missing = resolve(use.name)
    if missing is not None:
        return Finding(use.line, MISSING, missing)
    if use.call is not None:
        different = _other_arguments(use, value) or _no_such_device(use)
        if different is not None:
            return Finding(use.line, DIFFERENT, different)
    decorator = getattr(value, "_tf_decorator", None)
    if decorator is not None and "deprecat" in str(decorator.decorator_name):
        doc = (inspect.getdoc(value) or "").splitlines()
        advice = [line for line in doc if line.startswith("Instructions")]
        after = doc[doc.index(advice[0]) + 1 :] if advice else []
        text = f": {after[0]}" if after else ""
        return Finding(use.line, DEPRECATED, f"{use.name} is deprecated{text}")
    return None


def _places_softly(use: program_names.Use) -> bool:
    return use.call is not None and any(
        k.arg == "allow_soft_placement" and getattr(k.value, "value", True)
        for k in use.call.keywords
    )


def _no_such_device(use: program_names.Use) -> str | None:
    """Returns words about a device that the call of tf.device names and this process does not have."""
    given = use.call.args[0] if use.name == "tf.device" and use.call.args else None
    if not isinstance(given, ast.Constant) or not isinstance(given.value, str):
        return None
    if not doctor_graph.unknown_device(given.value):
        return None
    have = ", ".join(doctor_graph.local_devices())
    return (
        f"tf.device({given.value!r}): the devices of this process are {have}; "
        "ConfigProto(allow_soft_placement=True) places its ops there"
    )


def _old(use: program_names.Use) -> str | None:
    for old, new in old_names.RENAMED.items():
        if use.name == old or use.name.startswith(f"{old}."):
            return f"{old} is {new} since 1.0"
    keywords = {k.arg for k in use.call.keywords} if use.call else set()
    if use.call and old_names.has_old_order(use.name, use.call.args):
        order = ", ".join(old_names.ORDER[use.name])
        return f"{use.name} has another order of arguments since 1.0 than {order}"
    for old, new in old_names.ARGUMENTS.get(use.name, {}).items():
        if old in keywords and not _accepts(use.name, old):
            return f"{use.name}: argument {old} is {new} since 1.0"
    return None


def _accepts(name: str, argument: str) -> bool:
    value, _ = resolve(name)
    try:
        return argument in inspect.signature(value).parameters
    except (TypeError, ValueError):
        return False


def resolve(name: str) -> tuple[Any, str | None]:
    """(the value of "tf.x.y", None), or (None, why there is none)."""
    value: Any = importlib.import_module("tensorwright")
    path, parts = "tf", name.split(".")[1:]
    for part in parts:
        if not isinstance(value, (types.ModuleType, type)):
            return value, None  # An attribute of an object is known when it runs.
        try:
            value = getattr(value, part)
        except ImportError as error:
            return None, f"{path}.{part}: {error}"  # A package is to be installed.
        except AttributeError as error:
            module = _module(value, part)
            if module is None:
                return None, _missing(path, part, value, error)
            value = module
        path = f"{path}.{part}"
    return value, None


def _module(parent: Any, name: str) -> types.ModuleType | None:
    if not isinstance(parent, types.ModuleType):
        return None
    try:
        return importlib.import_module(f"{parent.__name__}.{name}")
    except ImportError:
        return None


def _missing(path: str, name: str, parent: Any, error: Exception) -> str:
    if "does not yet" in str(error):
        return str(error)
    kind = "class" if isinstance(parent, type) else "module"
    public = [n for n in dir(parent) if not n.startswith("_")]
    similar = difflib.get_close_matches(name, public, 3, 0.75)
    hint = f"; similar: {', '.join(f'{path}.{n}' for n in similar)}" if similar else ""
    where = "" if path == "tf" else f" in the {kind} {path}"
    return f"{path}.{name} does not exist{where}{hint}"


def _other_arguments(use: program_names.Use, value: Any) -> str | None:
    """Returns words about arguments of a call that the function does not take."""
    try:
        signature = inspect.signature(value)
    except (TypeError, ValueError):
        return None
    parameters = signature.parameters
    call = use.call
    assert call is not None
    kinds = {p.kind for p in parameters.values()}
    if inspect.Parameter.VAR_KEYWORD not in kinds:
        for keyword in call.keywords:
            if keyword.arg is not None and keyword.arg not in parameters:
                similar = difflib.get_close_matches(keyword.arg, list(parameters), 1)
                hint = f"; similar: {similar[0]}" if similar else ""
                return f"{use.name} takes no argument {keyword.arg}{hint}"
    places = [
        p
        for p in parameters.values()
        if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)
    ]
    starred = any(isinstance(a, ast.Starred) for a in call.args)
    if inspect.Parameter.VAR_POSITIONAL not in kinds and not starred:
        if len(call.args) > len(places):
            return f"{use.name} takes {len(places)} arguments by place, {len(call.args)} are given"
    return None
