# SPDX-License-Identifier: Apache-2.0
"""Counts the lines of public signatures that say `Any`.

`Any` tells a reader nothing of an argument, and lets a type checker pass every mistake.  This program counts the lines
of functions' and methods' signatures that have it as an annotation, or inside one, and fails above MOST; --list prints
them.  A function counts if its name and its class's begin without an underscore, or have Python's double ones.  Modules
with an underscore count too: facades offer what is in them.  Tests do not count.
"""

import argparse
import ast
import pathlib
import re
import subprocess
import sys
from collections.abc import Iterator

ROOT = pathlib.Path(__file__).resolve().parents[2]

FOLDERS = ["python", "contrib", "user_ops", "cluster"]

# More lines fail.  Lower it when there are fewer.
MOST = 658

TEST = re.compile(
    r".*(_test|_testutil|_test_\w+)\.py|.*/(kernel|cluster)_tests/.*|python/testing/.*"
)


def is_public(name: str) -> bool:
    """Whether users may call what has this name; `__init__` and its like count."""
    return not name.startswith("_") or name.startswith("__") and name.endswith("__")


def says_any(annotation: ast.expr | None) -> bool:
    """Whether `Any` is the annotation, or a part of it; in quotes too."""
    if annotation is None:
        return False
    for node in ast.walk(annotation):
        if isinstance(node, ast.Name) and node.id == "Any":
            return True
        if isinstance(node, ast.Attribute) and node.attr == "Any":
            return True
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            if re.search(r"\bAny\b", node.value):
                return True
    return False


def public_functions(
    body: list[ast.stmt],
) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """The public functions of a module's or class's body, those inside functions apart."""
    for node in body:
        if isinstance(node, ast.ClassDef) and is_public(node.name):
            yield from public_functions(node.body)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            if is_public(node.name):
                yield node
        elif isinstance(node, ast.If | ast.Try):
            yield from public_functions(node.body)
            yield from public_functions(node.orelse)


def lines_with_any(text: str) -> list[int]:
    """The lines of public signatures that say `Any`, counted from 1, each once."""
    lines = set()
    for function in public_functions(ast.parse(text).body):
        a = function.args
        arguments = [*a.posonlyargs, *a.args, *a.kwonlyargs]
        arguments += [each for each in (a.vararg, a.kwarg) if each is not None]
        annotations = [each.annotation for each in arguments] + [function.returns]
        lines |= {each.lineno for each in annotations if each and says_any(each)}
    return sorted(lines)


def sources() -> list[str]:
    """Paths of the Python files that git tracks or would, tests apart."""
    command = ["git", "-c", "safe.directory=*", "ls-files", "-co"]
    command += ["--exclude-standard", "--", *(f"{each}/*.py" for each in FOLDERS)]
    listed = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=True
    )
    names = sorted(set(listed.stdout.splitlines()))
    return [n for n in names if not TEST.match(n) and (ROOT / n).exists()]


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--list", action="store_true", help="print the lines")
    options = parser.parse_args(argv)
    names = sources()
    total = 0
    for name in names:
        text = (ROOT / name).read_text()
        found = lines_with_any(text)
        total += len(found)
        if options.list:
            rows = text.splitlines()
            for line in found:
                print(f"{name}:{line}: {rows[line - 1].strip()}")
    print(
        f"signatures: {total} lines of public ones in {len(names)} files say Any, "
        f"{MOST} may"
    )
    return 1 if total > MOST or not names else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
