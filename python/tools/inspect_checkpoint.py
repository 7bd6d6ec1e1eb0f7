# SPDX-License-Identifier: Apache-2.0
"""Prints what a checkpoint holds; `tw checkpoint` does so too, and compares and verifies.

python -m tensorwright.python.tools.inspect_checkpoint --file_name=/tmp/model.ckpt-1000 --all_tensor_names
"""

from __future__ import annotations

import argparse
import re
import sys
from typing import Any

import numpy as np

from tensorwright.python.framework import errors_impl
from tensorwright.python.tools import command_line
from tensorwright.python.training import checkpoint_utils


def _count_total_params(reader: Any, count_exclude_pattern: str = "") -> int:
    """The number of elements of all tensors but those whose names the pattern is found in."""
    shapes = reader.get_variable_to_shape_map()
    return sum(
        int(np.prod(shape, dtype=np.int64))
        for name, shape in shapes.items()
        if not count_exclude_pattern or not re.search(count_exclude_pattern, name)
    )


def print_tensors_in_checkpoint_file(
    file_name: str,
    tensor_name: str | None,
    all_tensors: bool,
    all_tensor_names: bool = False,
    count_exclude_pattern: str = "",
) -> None:
    """Prints names, or values, of a checkpoint's tensors, and how many numbers they are.

    The error of a checkpoint that cannot be read is printed, not raised.

    Args:
        file_name: the checkpoint's prefix, as a Saver gave it.
        tensor_name: the tensor whose value is printed; all names with dtypes and shapes if it is None or empty.
        all_tensors: print the values of all tensors.
        all_tensor_names: print the names of all tensors.
        count_exclude_pattern: a regular expression of names that are not counted.
    """
    try:
        reader = checkpoint_utils.load_checkpoint(file_name)
        if all_tensors or all_tensor_names:
            dtypes_of = reader.get_variable_to_dtype_map()
            for key in sorted(reader.get_variable_to_shape_map()):
                print(f"tensor_name: {key}; dtype: {dtypes_of[key].name}")
                if all_tensors:
                    print(reader.get_tensor(key))
        elif not tensor_name:
            print(reader.debug_string().decode())
        else:
            print(f"tensor_name: {tensor_name}")
            print(reader.get_tensor(tensor_name))
        total = _count_total_params(reader, count_exclude_pattern)
        print(f"# Total number of params: {total}")
    except (errors_impl.OpError, ValueError) as error:
        print(str(error))


def parse_numpy_printoption(kv_str: str) -> None:
    """Sets one of `numpy.set_printoptions` by a text such as "precision=3".

    Raises:
        argparse.ArgumentTypeError: there is no "=", no such option, or its value is of another type.
    """
    name, equals, text = kv_str.partition("=")
    if not equals:
        raise argparse.ArgumentTypeError(
            f"'{kv_str}' is not in the form k=v: an option of numpy.set_printoptions and its value"
        )
    options = np.get_printoptions()
    if name not in options:
        raise argparse.ArgumentTypeError(f"'{name}' is not a valid printoption.")
    kind = type(options[name])
    if kind not in (int, float, str, bool):
        raise argparse.ArgumentTypeError(
            f"'{name}' takes a {kind.__name__}, which cannot be given as text"
        )
    try:
        value = command_line.boolean(text) if kind is bool else kind(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    chosen: Any = {name: value}
    np.set_printoptions(**chosen)


def main(argv: list[str] | None = None) -> int:
    """Runs the program with these flags, those of the command line if `argv` is None."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--file_name", default="", help="a checkpoint's prefix")
    parser.add_argument("--tensor_name", default="", help="the tensor to print")
    parser.add_argument(
        "--count_exclude_pattern", default="", help="names that are not counted"
    )
    command_line.add_boolean(parser, "all_tensors", False, "print all values")
    command_line.add_boolean(parser, "all_tensor_names", False, "print all names")
    parser.add_argument(
        "--printoptions", nargs="*", type=parse_numpy_printoption, help="k=v of NumPy"
    )
    flags = parser.parse_args(argv)
    if not flags.file_name:
        print("usage: inspect_checkpoint --file_name=checkpoint_file_name [--tensor_name=name] [--all_tensors]")  # fmt: skip # noqa: E501
        return 1
    print_tensors_in_checkpoint_file(
        flags.file_name,
        flags.tensor_name,
        flags.all_tensors,
        flags.all_tensor_names,
        flags.count_exclude_pattern,
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
