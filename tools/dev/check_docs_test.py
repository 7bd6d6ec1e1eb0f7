# SPDX-License-Identifier: Apache-2.0
"""check_docs.py reports missing names and accepts existing ones, in a small tree of its own."""

import subprocess

import pytest

from tensorwright.tools.dev import check_docs

PAGE = "docs/page.md"
FILES = {
    "README.md": "# Top\n\n## Two words\n",
    "core/framework/session.h": "",
    "core/ops/nn_ops.cc": "",
    "tools/x/main.py": "import command\n",
    "tools/x/command.py": 'parser.add_argument("--draws")\n',
    "tools/tw/main.py": "",
    "test": "#!/bin/bash\n",
    "run": "#!/bin/bash\n",
}


def _git(*command):
    name = ["-c", "user.name=x", "-c", "user.email=x@localhost"]
    subprocess.run(["git", *name, *command], check=True, stdout=subprocess.PIPE)


@pytest.fixture(autouse=True)
def small_tree(tmp_path, monkeypatch):
    for name, text in FILES.items():
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    monkeypatch.chdir(tmp_path)
    _git("init", "--quiet")
    _git("add", "--all")
    _git("commit", "--quiet", "--message", "One")
    (tmp_path / "docs").mkdir()
    monkeypatch.setattr(check_docs, "ROOT", tmp_path)
    cached = [check_docs.tree, check_docs.top_level, check_docs.has_history]
    for function in cached:
        function.cache_clear()
    yield
    for function in cached:
        function.cache_clear()


@pytest.mark.parametrize(
    "text",
    [
        "[top](../README.md), [part](../README.md#two-words), [out](https://a.b/c)",
        "`core/framework/session.h`, `session.h`, `core/framework`, `tools/x/`",
        "`core/*/session.h`, `core/ops/<family>_ops.cc`, `core/{ops,none}/nn_ops.cc`",
        "`gen_nn_ops.py` is generated; a/b, `x/y`, `tf.nn.relu`, `/tmp/x.py`, `~/x.sh`",
        "```\n./run tools/x/main.py --draws 3   # as --many as you like\n./test\n```",
        "```python\nopen('no/such.py')\n```",
        "`12345678` is a number",
    ],
)
def test_what_is_there_is_let_be(text):
    assert check_docs.problems_of(PAGE, text) == []


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[a](none.md)", "the link none.md leads nowhere"),
        ("[a](../README.md#three)", "has no section #three"),
        ("`core/framework/gone.h`", "names core/framework/gone.h"),
        ("`gone.h`", "names gone.h"),
        ("`core/gone`", "names core/gone"),
        ("`core/{gone,none}/nn_ops.cc`", "names core/{gone,none}/nn_ops.cc"),
        ("```\n./run tools/gone/main.py\n```", "names tools/gone/main.py"),
        ("`tools/x/main.py --drawn 3`", "tools/x/main.py has no option --drawn"),
        ("```\n./run tw plan --dot x\n```", "tools/tw/main.py has no option --dot"),
        ("since `0123456789ab`", "0123456789ab is no commit before this one"),
    ],
)
def test_what_is_missing_is_named(text, problem):
    (found,) = check_docs.problems_of(PAGE, text)
    assert found.startswith(f"{PAGE}: ")
    assert problem in found


def test_a_commit_is_named_by_the_beginning_of_its_hash():
    head = subprocess.run(
        ["git", "rev-parse", "HEAD"], check=True, capture_output=True, text=True
    ).stdout
    text = f"`{head[:8]}`" if not head[:8].isdigit() else f"`{head[:12]}`"
    assert check_docs.problems_of(PAGE, text) == []


def test_excuses_are_used_or_named(monkeypatch):
    monkeypatch.setitem(check_docs.NOT_OURS, PAGE, {"yours.py"})
    assert check_docs.problems_of(PAGE, "`yours.py`") == []
    (found,) = check_docs.problems_of(PAGE, "nothing")
    assert "excuses yours.py, which needs no excuse" in found


def test_the_version_is_said_where_op_authors_read_it(tmp_path):
    header = tmp_path / "core/lib/core/version.h"
    header.parent.mkdir(parents=True)
    header.write_text('#define TENSORWRIGHT_VERSION_STRING "1.4.2"\n')
    page = tmp_path / "docs/adding_an_op.md"
    page.write_text("asks for `tensorwright>=1.4.2`")
    assert check_docs.wrong_version() == []
    page.write_text("asks for `tensorwright>=1.4.1`")
    assert "says nothing of `tensorwright>=1.4.2`" in check_docs.wrong_version()[0]
