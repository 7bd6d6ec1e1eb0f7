# SPDX-License-Identifier: Apache-2.0
"""The program of strip_unused_lib: writes the part of a graph that its outputs need.

python -m tensorwright.python.tools.strip_unused --input_graph=whole.pb --input_binary --output_graph=part.pb \
    --input_node_names=x --output_node_names=y
"""

from __future__ import annotations

import argparse
import sys

from tensorwright.python.framework import dtypes
from tensorwright.python.tools import command_line, strip_unused_lib


def main(argv: list[str] | None = None) -> int:
    """Runs the program with these flags, those of the command line if `argv` is None."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--input_graph", required=True, help="a GraphDef's file")
    parser.add_argument("--output_graph", required=True, help="the file to write")
    parser.add_argument("--input_node_names", default="", help="with commas between")
    parser.add_argument("--output_node_names", required=True, help="likewise")
    parser.add_argument(
        "--placeholder_type_enum",
        type=command_line.types_of,
        default=dtypes.float32.as_datatype_enum,
        help="the DataType of the inputs, or one for each with commas between",
    )
    for name in ("input_binary", "output_binary"):
        command_line.add_boolean(
            parser, name, name == "output_binary", "binary, not text"
        )
    flags = parser.parse_args(argv)
    strip_unused_lib.strip_unused_from_files(
        flags.input_graph,
        flags.input_binary,
        flags.output_graph,
        flags.output_binary,
        flags.input_node_names,
        flags.output_node_names,
        flags.placeholder_type_enum,
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
