# SPDX-License-Identifier: Apache-2.0
"""`release.sh --dry-run` names the parts that small trees lack, and a real run stops there."""

import os
import pathlib
import shutil
import subprocess

import pytest

HEADER = "core/lib/core/version.h"
FILES = {
    HEADER: '#define TENSORWRIGHT_VERSION_STRING "1.2.3"\n',
    "CHANGELOG.md": "# Changes\n\n## 1.2.3, 2026-01-31\n\n- One.\n\n- Two.\n\n## 1.2.2\n\n- Old.\n",
    "tools/dev/check_docs.py": "",
    "tools/other.py": 'NEEDS = "other==1.2.3"\n',
}


def _git(folder, *command):
    name = ["-c", "user.name=x", "-c", "user.email=x@localhost"]
    subprocess.run(["git", *name, *command], cwd=folder, check=True)


def _release(folder, *options):
    """Returns (exit status, output of both streams)."""
    ran = subprocess.run(
        ["tools/dev/release.sh", *options],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        env={"PATH": os.environ["PATH"], "HOME": str(folder)},
    )
    return ran.returncode, ran.stdout


@pytest.fixture
def folder(tmp_path):
    script = pathlib.Path(__file__).with_name("release.sh")
    for name, text in FILES.items():
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    shutil.copy(script, tmp_path / "tools/dev/release.sh")
    _git(tmp_path, "init", "--quiet")
    _commit(tmp_path)
    return tmp_path


def _commit(folder):
    _git(folder, "add", "--all")
    _git(folder, "commit", "--quiet", "--message", "x")


def test_a_whole_tree_could_be_released(folder):
    code, said = _release(folder, "--dry-run", "--out", "there")
    assert code == 0, said
    assert "not yet" not in said
    assert "version 1.2.3" in said
    assert "2 entries of 1.2.3" in said
    assert "would run: ./test" in said
    assert "there/tensorwright_cluster-1.2.3-*.whl" in said
    assert "would print: git tag --annotate v1.2.3 " in said
    assert said.endswith("\nmissing: 0\n")
    assert not (folder / "there").exists()


def test_dry_runs_go_on_where_a_release_stops(folder):
    changes = folder / "CHANGELOG.md"
    changes.write_text(changes.read_text().replace(", 2026-01-31", ", unreleased"))
    _git(folder, "tag", "v1.2.3")
    code, said = _release(folder, "--dry-run", "--tested")
    assert code == 0, said
    assert "not yet: the tree has changes" in said
    assert "not yet: the tag v1.2.3 is there already" in said
    assert "not yet: CHANGELOG.md: '## 1.2.3, unreleased' has no date" in said
    assert "would run: no ./test" in said
    assert said.endswith("\nmissing: 3\n")
    code, said = _release(folder, "--tested")
    assert code == 1
    assert said.endswith("release.sh: the tree has changes that are not committed\n")


@pytest.mark.parametrize(
    ("file", "text", "problem"),
    [
        (HEADER, "#define OTHER\n", "has no version MAJOR.MINOR.PATCH"),
        ("tools/other.py", 'VERSION = "1.2.3"\n', "tools/other.py:1:VERSION"),
        ("CHANGELOG.md", "## 1.2.30, 2026-01-31\n- x\n", "has no section '## 1.2.3'"),
        (
            "CHANGELOG.md",
            "## 1.2.3, 2026-01-31\n\n## 1\n- x\n",
            "says nothing of 1.2.3",
        ),
        ("tools/dev/check_docs.py", "raise SystemExit(1)\n", "the docs name what is"),
    ],
)
def test_what_a_release_lacks_is_named_in_dry_runs_too(folder, file, text, problem):
    (folder / file).write_text(text)
    _commit(folder)
    for options in (["--dry-run"], ["--tested"]):
        code, said = _release(folder, *options)
        assert code == 1
        assert problem in said


def test_options_that_it_does_not_have(folder):
    code, said = _release(folder, "--push")
    assert code == 2
    assert "--dry-run" in said
