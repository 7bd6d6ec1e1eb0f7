# SPDX-License-Identifier: Apache-2.0
"""Checks that what the pages name is in the tree: check_docs.py [PAGE...]

Without pages: README.md, the other pages in the root, docs and what is below it, and the READMEs of folders.  A page may
name only what is there:

- a relative link leads to a file or folder, and one with #section to a heading;
- a path in backticks or in a block of commands is a file or folder: from the root, beside the page, or the end of a path
  in the tree (`session.h`); `*`, `<...>` and `{a,b}` stand for anything that fits;
- an option of a program of the tree (`./run tools/x/main.py --flag`) is in that program's text, or in its folder's;
- a commit is an ancestor of this one (not looked at without the history);
- the version of the package in docs/adding_an_op.md is that of core/lib/core/version.h.
"""

from __future__ import annotations

import functools
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = ["*.md", "docs/**/*.md", "benchmarks/*.md", "tools/packages/*.md"]

LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
CODE = re.compile(r"`([^`\n]+)`")
FENCE = re.compile(r"^```(\w*)\n(.*?)^```", re.M | re.S)
# A path has one of the endings that files of the tree have, or a slash.
ENDINGS = "bzl|cc|cu|h|json|lds|md|npz|proto|py|pyi|sh|toml|txt"
PATH = re.compile(
    rf"[\w.<>*{{}},/-]+\.(?:{ENDINGS})|[\w.<>*{{}}-]+(?:/[\w.<>*{{}},-]+)+/?"
)
PROGRAM = re.compile(
    r"(?<!\S)(?:\./)?((?:[\w.-]+/)*[\w-]+\.(?:py|sh)|(?<=\./)test|\.ci/run)(?=\s|$)"
)
FLAG = re.compile(r"(?<!\S)(--[a-z][\w-]*)")
COMMIT = re.compile(r"[0-9a-f]{8,40}")

# Pages of which links alone are looked at, and why.
LINKS_ALONE = {
    "docs/adding_an_op.md": "its commands make its files, and ./test runs them",
    "docs/differences.md": "generated, and held up to date by ./test",
    "docs/later_ops.md": "likewise",
    "tools/packages/README.md": "about packages of others",
}

# Pages name these although they are not in the tree: files of their readers, or planned ones.
NOT_OURS = {
    "CHANGELOG.md": {"script.py"},
    "README.md": {"examples/other.py", "script.py", "row_norm_test.py"},
    "docs/adding_an_op_family.md": {"math_grad_scan.py", "my_gradients.py"},
    "docs/checkpoints.md": {"inputs.json"},
    "docs/clusters.md": {"--its-flags"},
    "docs/map_of_the_house.md": {
        "core/compat/<TensorFlow",
        "core/compat/X",
        "x_test.cc",
    },
}

# op_gen prints these while building.
GENERATED = re.compile(r"(?:.*/)?gen_(?:\w+|<family>)_ops\.pyi?")


@functools.cache
def tree() -> tuple[frozenset[str], frozenset[str]]:
    """Returns (paths of files and folders, all ends of them) that git tracks or would track."""
    command = ["git", "-c", "safe.directory=*", "ls-files", "-co", "--exclude-standard"]
    listed = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=True
    )
    paths, ends = set(), set()
    for line in listed.stdout.splitlines():
        if not (ROOT / line).exists():
            continue
        parts = line.split("/")
        for n in range(1, len(parts) + 1):
            paths.add("/".join(parts[:n]))
            ends.update("/".join(parts[k:n]) for k in range(n))
    return frozenset(paths), frozenset(ends)


def exists(path: str, page: str) -> bool:
    """Whether `path`, as `page` writes it, is in the tree."""
    paths, ends = tree()
    path = path.removeprefix("./").rstrip("/")
    beside = (pathlib.PurePosixPath(page).parent / path).as_posix()
    if path in ends or beside in paths or GENERATED.fullmatch(path):
        return True
    if not re.search(r"[*<{]", path):
        return False
    pattern = re.sub(r"<[^>]*>|\\\*+", "@ANY@", re.escape(path).replace(r"\<", "<"))
    pattern = re.sub(
        r"\\\{([^}]*)\\\}",
        lambda m: "(?:" + m[1].replace(r"\,", ",").replace(",", "|") + ")",
        pattern,
    ).replace("@ANY@", r"[^/]*")
    fits = re.compile(pattern)
    return any(fits.fullmatch(end) for end in ends)


@functools.cache
def top_level() -> frozenset[str]:
    return frozenset(path for path in tree()[0] if "/" not in path)


def is_path(word: str) -> bool:
    """Whether `word` claims to be a path of the tree, and not a URL, a division or a type."""
    if word.startswith(("/", "~", "-", "$")) or "://" in word or "..." in word:
        return False
    if re.fullmatch(rf"[\w*<>.-]+\.(?:{ENDINGS})", word):
        return True
    first = word.removeprefix("./").split("/", 1)[0]
    return "/" in word and first in top_level()


def paths_in(code: str) -> list[str]:
    """The paths that a piece of code names."""
    words = re.split(r"[\s()\"'=;:]+", code)
    return [
        w.rstrip(".,") for w in words if PATH.fullmatch(w.rstrip(".,")) and is_path(w)
    ]


def flags_of(program: str) -> str:
    """The text in which the options of a program of the tree stand."""
    file = ROOT / program
    text = file.read_text()
    if file.suffix == ".py":
        # main.py is often a door to the other modules.
        text += "".join(p.read_text() for p in sorted(file.parent.glob("*.py")))
    return text


def wrong_flags(line: str, page: str) -> dict[str, str]:
    """Returns the options in a command line that its program does not have -> the words about them."""
    line = line.split(" #", 1)[0].split(" && ", 1)[0]
    found = re.match(r"(?:\$ )?(?:\./run )?(tw) ", line) or PROGRAM.search(line)
    if found is None:
        return {}
    program = "tools/tw/main.py" if found[1] == "tw" else found[1]
    if not (ROOT / program).is_file():
        return {}  # paths_in names it, if it claims to be of the tree.
    text = flags_of(program)
    return {
        flag: f"{page}: {program} has no option {flag}"
        for flag in FLAG.findall(line[found.end() :])
        if not re.search(rf"{flag}(?![\w-])", text)
    }


def slug(heading: str) -> str:
    """The #section of a heading, as GitHub makes it."""
    kept = re.sub(r"[^\w\- ]", "", heading.strip().lower().replace("`", ""))
    return kept.replace(" ", "-")


def wrong_links(text: str, page: str) -> list[str]:
    """Describes the relative links that lead nowhere."""
    problems = []
    for target in LINK.findall(text):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, section = target.partition("#")
        file = (ROOT / page).parent / name if name else ROOT / page
        if not file.exists():
            problems.append(f"{page}: the link {target} leads nowhere")
        elif section and section not in {
            slug(h) for h in re.findall(r"^#+ (.*)", file.read_text(), re.M)
        }:
            problems.append(f"{page}: {name or page} has no section #{section}")
    return problems


@functools.cache
def has_history() -> bool:
    """Whether all commits are here: not in an archive of the sources, nor in a shallow clone."""
    said = subprocess.run(
        ["git", "-c", "safe.directory=*", "rev-parse", "--is-shallow-repository"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    return said.stdout.strip() == "false"


def is_ancestor(commit: str) -> bool:
    command = ["git", "-c", "safe.directory=*", "merge-base", "--is-ancestor"]
    asked = [*command, commit, "HEAD"]
    return subprocess.run(asked, cwd=ROOT, stderr=-3, check=False).returncode == 0


def wrong_commits(spans: list[str], page: str) -> list[str]:
    """Describes the commits that this one does not descend from."""
    if not has_history():
        return []
    named = [s for s in spans if COMMIT.fullmatch(s) and not s.isdigit()]
    return [
        f"{page}: {commit} is no commit before this one"
        for commit in named
        if not is_ancestor(commit)
    ]


def problems_of(page: str, text: str) -> list[str]:
    """Describes the names in `text`, of the page at that path, that do not exist."""
    blocks = [block for language, block in FENCE.findall(text) if not language]
    prose = FENCE.sub("", text)
    spans = CODE.findall(prose)
    problems = wrong_links(prose, page) + wrong_commits(spans, page)
    if page in LINKS_ALONE:
        return problems
    excused = NOT_OURS.get(page, set())
    used = set()
    for line in spans + [line for block in blocks for line in block.splitlines()]:
        wrong = {
            path: f"{page}: names {path}, which is not there"
            for path in paths_in(line.split(" #", 1)[0])
            if not exists(path, page)
        } | wrong_flags(line, page)
        used |= excused & {*wrong}
        problems += [text for name, text in wrong.items() if name not in excused]
    problems += [
        f"{page}: check_docs.py excuses {name}, which needs no excuse"
        for name in sorted(excused - used)
    ]
    return problems


def wrong_version() -> list[str]:
    """Describes a version in docs/adding_an_op.md that is not the package's."""
    header = (ROOT / "core/lib/core/version.h").read_text()
    version = re.search(r'TENSORWRIGHT_VERSION_STRING "(.*)"', header)[1]
    page = "docs/adding_an_op.md"
    wanted = f"tensorwright>={version}`"
    if wanted in (ROOT / page).read_text():
        return []
    return [f"{page}: says nothing of `{wanted}, and the version is {version}"]


def main(argv: list[str]) -> int:
    pages = argv or sorted(
        {p.relative_to(ROOT).as_posix() for g in PAGES for p in ROOT.glob(g)}
    )
    problems = [] if argv else wrong_version()
    for page in pages:
        problems += problems_of(page, (ROOT / page).read_text())
    print("\n".join(problems) or f"docs: what {len(pages)} pages name is there")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
