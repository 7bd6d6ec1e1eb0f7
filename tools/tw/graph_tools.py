# SPDX-License-Identifier: Apache-2.0
"""`tw strip-unused`, `tw optimize` and `tw selective-registration`: TensorFlow's tools for graphs without variables.

    $ tw optimize frozen.pb fast.pb --inputs x --outputs y
    fast.pb: 9 nodes, 0.1 MB, from 31 nodes

Graphs are GraphDefs, of which those named .pbtxt or .txt are text.
"""

from __future__ import annotations

import argparse
import pathlib
import sys
from typing import Any

from tensorwright.tools.tw import suggest


def _is_text(path: pathlib.Path) -> bool:
    return path.suffix in (".pbtxt", ".txt")


def _types(names: list[str], words: list[str]) -> list[int]:
    """The DataTypes of the inputs: one word serves all."""
    import tensorwright as tf

    words = words or ["float32"]
    if len(words) == 1:
        words = words * len(names)
    return [tf.as_dtype(word).as_datatype_enum for word in words]


def _changed(args: argparse.Namespace, command: str, change: Any) -> int:
    """Reads a graph, changes it and writes it; says what is wrong where that fails."""
    from google.protobuf import message, text_format

    import tensorwright as tf
    from tensorwright.python.tools import command_line

    inputs = [n for part in args.inputs for n in command_line.names(part)]
    outputs = [n for part in args.outputs for n in command_line.names(part)]
    types = [n for part in args.types for n in command_line.names(part)]
    try:
        before = command_line.read_graph(str(args.graph), not _is_text(args.graph))
        after = change(before, inputs, outputs, _types(inputs, types))
    except tf.errors.NotFoundError:
        missing = FileNotFoundError(2, "No such file or directory", str(args.graph))
        print(f"tw {command}: {suggest.no_such_file(missing)}", file=sys.stderr)
        return 1
    except (tf.errors.OpError, message.DecodeError, text_format.ParseError) as error:
        print(
            f"tw {command}: {args.graph} cannot be read as a graph: {error}",
            file=sys.stderr,
        )
        return 1
    except (KeyError, AssertionError, ValueError, TypeError) as error:
        print(f"tw {command}: {error.args[0]}", file=sys.stderr)
        return 1
    command_line.write_graph(after, str(args.out), not _is_text(args.out))
    size = args.out.stat().st_size
    print(
        f"{args.out}: {len(after.node)} nodes, {size / 1e6:.1f} MB, from {len(before.node)} nodes"
    )
    return 0


def _strip(args: argparse.Namespace) -> int:
    from tensorwright.python.tools import strip_unused_lib

    return _changed(args, "strip-unused", strip_unused_lib.strip_unused)


def _optimize(args: argparse.Namespace) -> int:
    from tensorwright.python.tools import optimize_for_inference_lib

    def change(graph: Any, inputs: Any, outputs: Any, types: Any) -> Any:
        return optimize_for_inference_lib.optimize_for_inference(
            graph, inputs, outputs, types, args.keep_resizes
        )

    return _changed(args, "optimize", change)


def _header(args: argparse.Namespace) -> int:
    from google.protobuf import message, text_format

    import tensorwright as tf
    from tensorwright.python.tools import selective_registration_header_lib as lib

    kinds = {_is_text(path) for path in args.graphs}
    if len(kinds) > 1:
        print(
            "tw selective-registration: graphs must be all binary or all text",
            file=sys.stderr,
        )
        return 2
    kind = "textproto" if kinds == {True} else "rawproto"
    try:
        found = lib.get_ops_and_kernels(kind, map(str, args.graphs), lib.DEFAULT_OPS)
    except (tf.errors.OpError, message.DecodeError, text_format.ParseError) as error:
        print(f"tw selective-registration: {error}", file=sys.stderr)
        return 1
    if args.list:
        print("".join(f"{op}\t{kernel}\n" for op, kernel in found), end="")
    else:
        print(lib.get_header_from_ops_and_kernels(found, False), end="")
    return 0


def add_command(commands: Any) -> None:
    """Adds the three to the subcommands."""
    for name, help, do in (
        ("strip-unused", "the part of a graph that its outputs need", _strip),
        ("optimize", "a frozen graph that is smaller and faster", _optimize),
    ):
        parser = commands.add_parser(
            name,
            help=help,
            description=__doc__,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        parser.add_argument("graph", type=pathlib.Path, help="the file of a GraphDef")
        parser.add_argument("out", type=pathlib.Path, help="the file to write")
        parser.add_argument(
            "--inputs",
            action="append",
            default=[],
            help="nodes that become placeholders, with commas between",
        )
        parser.add_argument(
            "--outputs",
            action="append",
            required=True,
            help="nodes, with commas between",
        )
        parser.add_argument(
            "--types",
            action="append",
            default=[],
            help="dtypes of the inputs: float32 if none is given",
        )
        if name == "optimize":
            parser.add_argument(
                "--keep-resizes",
                action="store_true",
                help="leave resizes and paddings beside convolutions",
            )
        parser.set_defaults(do=do)
    parser = commands.add_parser(
        "selective-registration",
        help="the ops and kernels that graphs need, as ops_to_register.h",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "graphs", nargs="+", type=pathlib.Path, help="files of GraphDefs"
    )
    parser.add_argument(
        "--list", action="store_true", help="op and class of its kernel, one a line"
    )
    parser.set_defaults(do=_header)
