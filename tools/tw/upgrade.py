# SPDX-License-Identifier: Apache-2.0
"""`tw upgrade FILE...`: rewrites the spellings of TensorFlow 0.x to those of 1.x.

    $ tw upgrade old.py              # shows the differences
    $ tw upgrade --write old.py      # shows them, and writes the file

Names (tf.mul, tf.pack, tf.initialize_all_variables), arguments (reduction_indices) and orders of arguments (tf.concat,
tf.split, the cross entropies) change; the rest of a file stays as it is, comments and layout too.  Calls that cannot be
rewritten without knowing values are named.  Exits with 0 if nothing had to be changed or all was written, 1 if
differences were only shown, 2 if a file cannot be read.
"""

from __future__ import annotations

import argparse
import ast
import dataclasses
import difflib
import pathlib
import sys

from tensorwright.tools.tw import old_names, program_names, suggest


@dataclasses.dataclass
class _Edit:
    """Bytes `first` to `end` become `text`."""

    first: int
    end: int
    text: str


def add_command(commands: argparse._SubParsersAction) -> None:
    parser = commands.add_parser(
        "upgrade",
        help="rewrite TensorFlow 0.x spellings to 1.x",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("files", nargs="*", metavar="FILE")
    parser.add_argument(
        "--dir", action="append", default=[], help="the Python files of a folder"
    )
    parser.add_argument("--write", action="store_true", help="change the files")
    parser.set_defaults(do=_upgrade)


def _upgrade(args: argparse.Namespace) -> int:
    if not args.files and not args.dir:
        print("tw upgrade: a file is wanted, or --dir FOLDER", file=sys.stderr)
        return 2
    status = 0
    for path in program_names.python_files([*args.files, *args.dir]):
        try:
            status = max(status, _upgrade_file(path, args.write))
        except FileNotFoundError as error:
            print(f"tw upgrade: {suggest.no_such_file(error)}", file=sys.stderr)
            status = 2
        except (OSError, UnicodeDecodeError, SyntaxError) as error:
            print(f"{path}: unreadable: {error}", file=sys.stderr)
            status = 2
    return status


def _upgrade_file(path: pathlib.Path, write: bool) -> int:
    # Line endings stay as they are.
    source = path.read_bytes().decode("utf-8")
    changed, notes = upgraded(source)
    for line, text in notes:
        print(f"{path}:{line}: by hand: {text}", file=sys.stderr)
    if changed == source:
        return 0
    before, after = source.splitlines(keepends=True), changed.splitlines(keepends=True)
    sys.stdout.writelines(
        difflib.unified_diff(before, after, str(path), f"{path} (1.x)")
    )
    if not write:
        return 1
    path.write_bytes(changed.encode("utf-8"))
    return 0


def upgraded(source: str) -> tuple[str, list[tuple[int, str]]]:
    """Returns (the program for 1.x, [(line, the change to make by hand)]).  SyntaxError if `source` is no Python 3."""
    text = source.encode("utf-8")
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))

    def at(line: int, column: int) -> int:
        return starts[line - 1] + column

    edits: dict[tuple[int, int], _Edit] = {}
    notes: dict[tuple[int, str], None] = {}
    for use in program_names.uses(source):
        for edit in _edits(use, text, at):
            edits[edit.first, edit.end] = edit
        if use.name in old_names.BY_HAND:
            notes[use.line, f"{use.name}: {old_names.BY_HAND[use.name]}"] = None
    for edit in sorted(edits.values(), key=lambda e: e.first, reverse=True):
        text = text[: edit.first] + edit.text.encode("utf-8") + text[edit.end :]
    return text.decode("utf-8"), list(notes)


def _edits(use: program_names.Use, text: bytes, at) -> list[_Edit]:
    made = []
    name = use.name
    renamed = next(
        (old for old in old_names.RENAMED if name == old or name.startswith(f"{old}.")),
        None,
    )
    if renamed is not None and isinstance(use.node, ast.Attribute):
        # `tf.nn.seq2seq.x`: the part that is renamed ends before `.x`.
        node: ast.AST = use.node
        for _ in range(name.count(".") - renamed.count(".")):
            node = node.value  # type: ignore[attr-defined]
        made.append(_rename(node, renamed, at))
    if use.call is not None:
        made += _argument_edits(use, text, at)
    return [edit for edit in made if edit is not None]


def _rename(node: ast.AST, old: str, at) -> _Edit | None:
    """Returns the new name, with the program's own name of the package in front."""
    new = old_names.RENAMED[old]
    spelled = ast.unparse(node)
    tail = old.removeprefix("tf.")
    if not spelled.endswith(f".{tail}"):
        return None  # `nn.rnn` of `from tensorflow import nn`: its module would have to be imported.
    root = spelled.removesuffix(tail)
    return _Edit(
        at(node.lineno, node.col_offset),  # type: ignore[attr-defined]
        at(node.end_lineno, node.end_col_offset),  # type: ignore[attr-defined]
        root + new.removeprefix("tf."),
    )


def _argument_edits(use: program_names.Use, text: bytes, at) -> list[_Edit]:
    call = use.call
    assert call is not None
    renamed = old_names.ARGUMENTS.get(use.name, {})
    made = []
    for keyword in call.keywords:
        if keyword.arg in renamed:
            first = at(keyword.lineno, keyword.col_offset)
            end = first + len(keyword.arg)
            made.append(_Edit(first, end, renamed[keyword.arg]))
    order = old_names.ORDER.get(use.name, ())
    starred = any(isinstance(a, ast.Starred) for a in call.args)
    named = {k.arg for k in call.keywords} & {"axis", "num_or_size_splits"}
    if starred or named or old_names.has_old_order(use.name, call.args) is False:
        return made
    for argument, old in zip(call.args, order):
        first = at(argument.lineno, argument.col_offset)
        # Parentheses around an argument are no part of it.
        while text[:first].rstrip().endswith(b"(") and not _opens(use, first, text, at):
            first = text[:first].rstrip().rindex(b"(")
        made.append(_Edit(first, first, f"{renamed.get(old, old)}="))
    return made


def _opens(use: program_names.Use, first: int, text: bytes, at) -> bool:
    """Whether the parenthesis before a place is that of the call."""
    func = use.call.func  # type: ignore[union-attr]
    end = at(func.end_lineno, func.end_col_offset)
    return text[end:first].strip() == b"("
