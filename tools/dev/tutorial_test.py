# SPDX-License-Identifier: Apache-2.0
"""How tutorial.py reads a page and compares what its commands print."""

import pathlib

import pytest

from tensorwright.tools.dev import tutorial

PAGE = """\
Text.

<!-- file: a.txt -->
```text
one
```

```console
$ cat a.txt
one
$ cd .
```

<!-- needs: no-such-program -->
```console
$ false; echo never
```

<!-- in the tree -->
```console
$ pwd
...
```
"""


def test_blocks_know_what_they_are_for():
    found = tutorial.blocks(PAGE)
    assert [(b.key, b.value, b.language) for b in found] == [
        ("file", "a.txt", "text"),
        ("", "", "console"),
        ("needs", "no-such-program", "console"),
        ("in the tree", "", "console"),
    ]
    first, second = tutorial.commands(found[1])
    assert (first.text, first.expected, first.line) == ("cat a.txt", ["one"], 9)
    assert second.expected == []


@pytest.mark.parametrize(
    ("expected", "printed", "same"),
    [
        ([], "", True),
        ([], "x\n", False),
        (["a", "b"], "a\nb\n", True),
        (["a", "b"], "a\nb", True),
        (["a"], "a\nb\n", False),
        (["a ... c"], "a b b c\n", True),
        (["a ... c"], "a\nc\n", False),
        (["...", "c"], "a\nb\nc\n", True),
        (["a", "..."], "a\n", True),
        (["a", "..."], "b\na\n", False),
        (["OK..."], "OK (skipped=1)\n", True),
        (["a.c"], "abc\n", False),
    ],
)
def test_dots_stand_for_text_within_a_line_or_for_lines(expected, printed, same):
    assert tutorial.matches(expected, printed) == same


def test_a_page_is_run(tmp_path, capsys):
    page = tmp_path / "page.md"
    page.write_text(PAGE)
    wheel = tmp_path / "x.whl"
    wheel.touch()
    assert tutorial.run_page(page, wheel, tree=False) == 0
    assert "2 of 2 commands" in capsys.readouterr().out
    page.write_text(PAGE.replace("\none\n$", "\ntwo\n$"))
    assert tutorial.run_page(page, wheel, tree=False) == 1
    assert "FAILED" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("command", "failed"),
    [("true", 0), ("false", 1), ("false  # fails", 0), ("true  # fails", 1)],
)
def test_a_commands_exit_status_counts(tmp_path, command, failed):
    page = tmp_path / "page.md"
    page.write_text(f"```console\n$ {command}\n```\n")
    wheel = tmp_path / "a.whl"
    wheel.touch()
    assert tutorial.run_page(page, wheel, tree=False) == failed


def test_every_command_of_the_tutorial_has_a_shell_to_run_in():
    text = (pathlib.Path(tutorial.TREE) / "docs/adding_an_op.md").read_text()
    found = tutorial.blocks(text)
    assert sum(len(tutorial.commands(b)) for b in found if b.language == "console") > 25
    assert {b.key for b in found} == {"", "file", "needs", "in the tree"}
