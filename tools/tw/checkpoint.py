# SPDX-License-Identifier: Apache-2.0
"""`tw checkpoint`: what is in a checkpoint, of either format, and what another one has else.

    $ tw checkpoint /tmp/run
    /tmp/run/model-7, V2, 3 tensors, 31.4 kB
    b  float32 [10]           40 B
    step  int64 []             8 B
    w  float32 [784, 10]   31.4 kB

PATH is a checkpoint, a folder of them (the latest is taken), or a SavedModel.  `--verify` reads all
of it and compares the checksums; `--tensor NAME` prints values.

    $ tw checkpoint /tmp/run/model-7 /tmp/run/model-9
    only in /tmp/run/model-7: b  float32 [10]
    differs: step  int64 []: 7 against 9
    differs: w  float32 [784, 10]: 7840 of 7840 elements, most by 0.25 at [3, 4]: 1.5 against 1.75
    2 tensors are equal

compares all that two of them hold, one tensor at a time; the exit status is 0 where nothing differs, 1 where something
does, 2 where one of them cannot be read.
"""

from __future__ import annotations

import argparse
import difflib
import os
import re
import sys
from typing import Any

import numpy as np

from tensorwright.tools.tw import checkpoint_diff, suggest

# A file of a checkpoint of format V2.
_A_FILE = re.compile(r"(.+)\.(?:index|meta|data-\d{5}-of-\d{5})")
_UNITS = ("B", "kB", "MB", "GB", "TB")


def size_text(size: float) -> str:
    """`31.4 kB` of 31400."""
    for unit in _UNITS[:-1]:
        if size < 1000:
            return f"{size:.4g} {unit}"
        size /= 1000
    return f"{size:.4g} {_UNITS[-1]}"


def find(path: str) -> str | None:
    """The checkpoint that a path means, itself or one of its files or its folder; None if there is none."""
    from tensorwright.python.lib.io import file_io
    from tensorwright.python.saved_model import loader
    from tensorwright.python.training import checkpoint_management

    if not file_io.is_directory(path):
        # The index of a checkpoint would pass for one of format V1, without tensors.
        of = _A_FILE.fullmatch(path)
        if of is not None and file_io.file_exists(of[1] + ".index"):
            return of[1]
        return path if checkpoint_management.checkpoint_exists(path) else None
    if loader.maybe_saved_model_directory(path):
        return find(os.path.join(path, "variables", "variables"))
    return checkpoint_management.latest_checkpoint(path)


def sizes_of(reader: Any) -> dict[str, int]:
    """The bytes of each tensor, by name; without those of strings, which only the file knows."""
    dtypes = reader.get_variable_to_dtype_map()
    return {
        name: int(np.prod(shape, dtype=np.int64)) * dtypes[name].size
        for name, shape in reader.get_variable_to_shape_map().items()
    }


def _list(path: str, reader: Any) -> None:
    from tensorwright.python.lib.io import file_io

    dtypes = reader.get_variable_to_dtype_map()
    rows = []
    all_sizes = sizes_of(reader)
    for name, shape in sorted(reader.get_variable_to_shape_map().items()):
        sizes = size_text(all_sizes[name]) if dtypes[name].name != "string" else ""
        rows.append((f"{name}  {dtypes[name].name} {shape}", sizes))
    version = "V2" if file_io.file_exists(path + ".index") else "V1"
    print(
        f"{path}, {version}, {len(rows)} tensors, {size_text(sum(all_sizes.values()))}"
    )
    wide = max((len(left) for left, _ in rows), default=0)
    for left, right in rows:
        print(f"{left:{wide}}  {right:>8}".rstrip())


def prefixes(folder: str) -> list[str]:
    """The checkpoints of format V2 that a folder has files of, whether or not its list names them."""
    from tensorwright.python.lib.io import file_io

    names = file_io.list_directory(folder) if file_io.is_directory(folder) else []
    return [
        os.path.join(folder, name.removesuffix(".index"))
        for name in sorted(names)
        if name.endswith(".index")
    ]


def what_is_there(path: str) -> str:
    """Says why `find` found nothing, and which path may have been meant."""
    from tensorwright.python.lib.io import file_io

    if file_io.is_directory(path):
        listed = os.path.join(path, "checkpoint")
        why = (
            "names none that is there" if file_io.file_exists(listed) else "is missing"
        )
        there = prefixes(path)
        rest = f"; there are {', '.join(there)}" if there else ""
        return f"no checkpoint is in {path}, whose list, {listed}, {why}{rest}"
    folder, base = os.path.split(path)
    names = {os.path.basename(p): p for p in prefixes(folder or ".")}
    close = difflib.get_close_matches(base, names, 3)
    paths = ", ".join(os.path.join(folder, n) for n in close)
    hint = f"; similar: {paths}" if paths else suggest.files(path)
    return f"no checkpoint is at {path}{hint}"


def _is_missing(path: str) -> int:
    print(f"tw checkpoint: {what_is_there(path)}", file=sys.stderr)
    return 2


def _diff(args: argparse.Namespace) -> int:
    """Prints the differences of two checkpoints; the exit status is that of diff."""
    from tensorwright.python.framework import errors
    from tensorwright.python.training import checkpoint_utils

    paths, readers = [], []
    try:
        for path in (args.path, args.other):
            found = find(path)
            if found is None:
                return _is_missing(path)
            paths.append(found)
            readers.append(checkpoint_utils.NewCheckpointReader(found))
        return checkpoint_diff.compare(paths, readers)
    except errors.OpError as error:
        print(f"tw checkpoint: {error.message}", file=sys.stderr)
        return 2


def _run(args: argparse.Namespace) -> int:
    from tensorwright.python.framework import errors
    from tensorwright.python.training import checkpoint_utils

    if args.other is not None:
        if args.tensor is not None or args.verify:
            print(
                "tw checkpoint: --tensor and --verify are for one PATH", file=sys.stderr
            )
            return 2
        return _diff(args)
    path = find(args.path)
    if path is None:
        _is_missing(args.path)
        return 1
    try:
        reader = checkpoint_utils.NewCheckpointReader(path)
        if args.tensor is not None:
            if not reader.has_tensor(args.tensor):
                return _no_tensor(args, reader)
            print(reader.get_tensor(args.tensor))
            return 0
        _list(path, reader)
    except errors.OpError as error:
        print(f"tw checkpoint: {error.message}", file=sys.stderr)
        return 1
    return _verify(reader) if args.verify else 0


def _no_tensor(args: argparse.Namespace, reader: Any) -> int:
    """Says that the checkpoint has none of that name; the exit status."""
    names = sorted(reader.get_variable_to_shape_map())
    close = difflib.get_close_matches(args.tensor, names, 3)
    hint = (
        f"similar: {', '.join(close)}" if close else "without --tensor all are listed"
    )
    print(
        f"tw checkpoint: no tensor is called {args.tensor!r}; {hint}", file=sys.stderr
    )
    return 1


def _verify(reader: Any) -> int:
    """Reads every tensor; 1 if one of them is broken."""
    from tensorwright.python.framework import errors

    broken = 0
    said: set[str] = set()
    for name in sorted(reader.get_variable_to_shape_map()):
        try:
            reader.get_tensor(name)
        except errors.OpError as error:
            broken += 1
            # A file that is missing fails every tensor in it, with the same words.
            if error.message not in said:
                print(f"tw checkpoint: {error.message}", file=sys.stderr)
            said.add(error.message)
    print(f"{broken} tensors are broken" if broken else "every checksum is right")
    return 1 if broken else 0


def add_command(commands: Any) -> None:
    parser = commands.add_parser(
        "checkpoint",
        help="what is in a checkpoint",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("path", metavar="PATH")
    parser.add_argument("other", metavar="OTHER", nargs="?", help="to compare it with")
    parser.add_argument("--tensor", metavar="NAME", help="print its values")
    parser.add_argument("--verify", action="store_true", help="read all of it")
    parser.set_defaults(do=_run)
