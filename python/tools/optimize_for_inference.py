# SPDX-License-Identifier: Apache-2.0
"""The program of optimize_for_inference_lib: writes a frozen graph that is smaller and faster.

python -m tensorwright.python.tools.optimize_for_inference --input=frozen.pb --output=fast.pb --input_names=x \
    --output_names=y
"""

from __future__ import annotations

import argparse
import sys

from tensorwright.python.framework import dtypes
from tensorwright.python.lib.io import file_io
from tensorwright.python.tools import command_line, optimize_for_inference_lib


def main(argv: list[str] | None = None) -> int:
    """Runs the program with these flags, those of the command line if `argv` is None."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--input", required=True, help="a GraphDef's file")
    parser.add_argument("--output", required=True, help="the file to write")
    parser.add_argument("--input_names", default="", help="with commas between")
    parser.add_argument("--output_names", required=True, help="likewise")
    parser.add_argument(
        "--placeholder_type_enum",
        type=command_line.types_of,
        default=dtypes.float32.as_datatype_enum,
        help="the DataType of the inputs, or one for each with commas between",
    )
    command_line.add_boolean(
        parser, "frozen_graph", True, "both files are binary, not text"
    )
    command_line.add_boolean(
        parser, "toco_compatible", False, "leave resizes and paddings"
    )
    flags = parser.parse_args(argv)
    if not file_io.file_exists(flags.input):
        print(f"Input graph file '{flags.input}' does not exist!", file=sys.stderr)
        return 1
    optimized = optimize_for_inference_lib.optimize_for_inference(
        command_line.read_graph(flags.input, flags.frozen_graph),
        command_line.names(flags.input_names),
        command_line.names(flags.output_names),
        flags.placeholder_type_enum,
        flags.toco_compatible,
    )
    command_line.write_graph(optimized, flags.output, flags.frozen_graph)
    return 0


if __name__ == "__main__":
    sys.exit(main())
