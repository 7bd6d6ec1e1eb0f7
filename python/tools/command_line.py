# SPDX-License-Identifier: Apache-2.0
"""Helpers of the tools' programs: their flags, and the graphs in their files."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from tensorwright.core.framework import graph_pb2
from tensorwright.python.lib.io import file_io
from tensorwright.python.util.lazy_protos import text_format

if TYPE_CHECKING:
    from tensorwright.core.framework.graph_pb2 import GraphDef


def boolean(text: str) -> bool:
    """The value of a flag such as --input_binary=true; ArgumentTypeError for another word."""
    word = text.lower()
    if word in ("true", "t", "1", "yes"):
        return True
    if word in ("false", "f", "0", "no"):
        return False
    raise argparse.ArgumentTypeError(f"true or false is wanted, got {text!r}")


def add_boolean(
    parser: argparse.ArgumentParser, name: str, default: bool, help: str
) -> None:
    """Adds the flag --NAME, which means true alone, or takes a word."""
    parser.add_argument(
        f"--{name}", type=boolean, nargs="?", const=True, default=default, help=help
    )


def names(text: str) -> list[str]:
    """The parts between commas."""
    return [part.strip() for part in text.split(",") if part.strip()]


def types_of(text: str) -> int | list[int]:
    """One number of a DataType, or a list of them between commas."""
    numbers = [int(part) for part in names(text)]
    return numbers[0] if len(numbers) == 1 else numbers


def read_graph(path: str, binary: bool) -> GraphDef:
    """The GraphDef of a file, in protobuf's binary format or its text format."""
    if binary:
        data = file_io.read_file_to_string(path, binary_mode=True)
        return graph_pb2.GraphDef.FromString(data)
    return text_format.Parse(file_io.read_file_to_string(path), graph_pb2.GraphDef())


def write_graph(graph_def: GraphDef, path: str, binary: bool) -> None:
    """Writes a GraphDef in either format."""
    if binary:
        file_io.atomic_write_string_to_file(path, graph_def.SerializeToString())
    else:
        file_io.atomic_write_string_to_file(path, text_format.MessageToString(graph_def))  # fmt: skip # noqa: E501
