# SPDX-License-Identifier: Apache-2.0
"""The program of selective_registration_header_lib: prints ops_to_register.h for graphs.

python -m tensorwright.python.tools.print_selective_registration_header --graphs=a.pb,b.pb > ops_to_register.h
"""

from __future__ import annotations

import argparse
import sys

from tensorwright.python.tools import (
    command_line,
    selective_registration_header_lib,
)


def main(argv: list[str] | None = None) -> int:
    """Runs the program with these flags, those of the command line if `argv` is None."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--graphs", required=True, help="files, with commas between")
    parser.add_argument(
        "--proto_fileformat", default="rawproto", choices=["rawproto", "textproto"]
    )
    parser.add_argument(
        "--default_ops",
        default=selective_registration_header_lib.DEFAULT_OPS,
        help="OP:KERNEL with commas between, or all",
    )
    flags = parser.parse_args(argv)
    header = selective_registration_header_lib.get_header(
        command_line.names(flags.graphs), flags.proto_fileformat, flags.default_ops
    )
    print(header, end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
