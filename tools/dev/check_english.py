# SPDX-License-Identifier: Apache-2.0
"""Counts comments and docstrings that begin with a clause instead of a subject.

A comment that begins with "What", "Of", "Where", "Whose" or "That of" mostly lacks its subject and verb.  This program
prints the place of each in the C++ and Python files of the tree, and fails if there are MOST or more.  Consecutive lines
of comment are one comment, and so is a comment behind code.  An op named Where, as in `// Where: ...`, does not count.
"""

import ast
import io
import pathlib
import re
import subprocess
import sys
import tokenize

ROOT = pathlib.Path(__file__).resolve().parents[2]

# So many beginnings fail.  A few sentences begin well with these words.
MOST = 30

BEGINNING = re.compile(r"\s*(?:What|Of|Where|Whose|That\s+of)(?=\s|$)")
# A quick look at a file before it is read token by token.
HINT = re.compile(r"""(?:#|//|/\*|"|')[/*!<"'\s]*(?:What|Of|Where|Whose|That)\b""")

# C++'s comments, and the literals in which their marks may stand.
CPP_TOKEN = re.compile(
    r"""
    (?P<raw> R"(?P<end>[^()\\\s]{0,16})\(.*?\)(?P=end)" )
  | (?P<text> "(?:\\.|[^"\\\n])*" )
  | (?P<letter> (?<![0-9A-Za-z_])'(?:\\.|[^'\\\n])+' )
  | (?P<line> //[^\n]* )
  | (?P<block> /\*.*?\*/ )
    """,
    re.DOTALL | re.VERBOSE,
)


def cpp_beginnings(text: str) -> list[int]:
    """The lines of C++ source on which a comment begins with one of the words, counted from 1."""
    lines = []
    last_alone = -1  # The last line that had nothing but a // comment.
    at, line = 0, 1
    for match in CPP_TOKEN.finditer(text):
        line += text.count("\n", at, match.start())
        at = match.start()
        if match["line"] is None and match["block"] is None:
            continue
        alone = not text[text.rfind("\n", 0, at) + 1 : at].strip()
        goes_on = alone and match["line"] is not None and last_alone == line - 1
        if alone and match["line"] is not None:
            last_alone = line
        if not goes_on and BEGINNING.match(match[0].lstrip("/*!<")):
            lines.append(line)
    return lines


def comment_lines(text: str) -> list[int]:
    """The lines of Python source on which a comment begins with one of the words."""
    lines = []
    last_alone = -1
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type != tokenize.COMMENT:
            continue
        line, column = token.start
        alone = not token.line[:column].strip()
        goes_on = alone and last_alone == line - 1
        if alone:
            last_alone = line
        if not goes_on and BEGINNING.match(token.string.lstrip("#:")):
            lines.append(line)
    return lines


def docstring_lines(text: str) -> list[int]:
    """The lines of Python source on which a docstring begins with one of the words."""
    lines = []
    kinds = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, kinds) or not node.body:
            continue
        first = node.body[0]
        if (
            isinstance(first, ast.Expr)
            and isinstance(first.value, ast.Constant)
            and isinstance(first.value.value, str)
            and BEGINNING.match(first.value.value)
        ):
            lines.append(first.lineno)
    return lines


def python_beginnings(text: str) -> list[int]:
    """The lines of Python source on which a comment or docstring begins with one of the words, counted from 1."""
    return sorted(comment_lines(text) + docstring_lines(text))


def beginnings(name: str, text: str) -> list[int]:
    """The lines of a file on which a comment or docstring begins with one of the words; `name` tells its language."""
    if not HINT.search(text):
        return []
    if name.endswith((".py", ".pyi")):
        return python_beginnings(text)
    return cpp_beginnings(text)


def sources() -> list[str]:
    """Paths of all C++ and Python files that git tracks or would."""
    command = ["git", "-c", "safe.directory=*", "ls-files", "-co"]
    command += ["--exclude-standard", "*.cc", "*.h", "*.py", "*.pyi"]
    listed = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=True
    )
    return [p for p in listed.stdout.splitlines() if (ROOT / p).exists()]


def main() -> int:
    names = sources()
    found = [
        f"{name}:{line}"
        for name in names
        for line in beginnings(name, (ROOT / name).read_text())
    ]
    if found:
        print("\n".join(found))
    print(
        f"english: {len(found)} comments of {len(names)} files begin without a subject, "
        f"fewer than {MOST} may"
    )
    return 1 if len(found) >= MOST or not names else 0


if __name__ == "__main__":
    sys.exit(main())
