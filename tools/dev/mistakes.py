# SPDX-License-Identifier: Apache-2.0
"""Makes a dozen mistakes in ops, and compares what tells of each with the table in docs/adding_an_op.md.

Usage: mistakes.py [ENVIRONMENT] [--write] [--keep FOLDER]

ENVIRONMENT has the wheel of tensorwright, and its `tw`; without one, the wheel of the tree is built for it.  --write puts
the table into the page; --keep leaves what was printed there.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import dataclasses
import functools
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

TREE = pathlib.Path(__file__).absolute().parents[2]
PAGE = TREE / "docs/adding_an_op.md"
BEGIN, END = "<!-- mistakes.py writes this table -->\n", "<!-- its end -->\n"
CALLS, MISTAKES, LOAD = "broken_calls", "mistakes", "mistaken_load"
NOTHING = "nothing"
# ThreadSanitizer needs a library of its own, and most mistakes are none of threads.
MEMORY, THREADS = "address,undefined,leak", "thread"
# Seconds for one command, on a machine that has other work too.
LIMIT = 400


@dataclasses.dataclass(frozen=True)
class Mistake:
    """An op of a source, the check that is to find it ("" if none is), and the sanitizers that are asked."""

    words: str
    source: str
    op: str
    check: str
    kinds: str = MEMORY


TABLE = (
    Mistake("its kernel for `double` is missing", CALLS, "BrokenKernel", "promise"),
    Mistake("it forgets memory", CALLS, "BrokenLeak", "leak"),
    Mistake("it reads one element behind `x`", CALLS, "BrokenReadBehind", "bounds"),
    Mistake("it writes one behind `y`", CALLS, "BrokenWriteBehind", "bounds"),
    Mistake("it reads far outside", CALLS, "BrokenFarRead", "valid"),
    Mistake("it takes a lock twice", CALLS, "BrokenDeadlock", "valid"),
    Mistake("it computes without end", CALLS, "BrokenLoop", "valid"),
    Mistake("its output has another shape", MISTAKES, "MistakenShape", "shape"),
    Mistake("it shifts by too many bits", MISTAKES, "MistakenShift", ""),
    Mistake("it counts calls without a lock", MISTAKES, "MistakenCount", "", THREADS),
    Mistake("its ring is written too far", MISTAKES, "MistakenRingPush", "sequence"),
    Mistake("a static initializer throws", LOAD, "MistakenLoad", ""),
)


def _run(command: list[str], folder: pathlib.Path) -> str:
    """Returns the text that a command prints; it and all that it started end after LIMIT seconds."""
    # A file, since a pipe stays open as long as anything that the command started.
    with tempfile.TemporaryFile() as printed:
        process = subprocess.Popen(
            command,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=printed,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        begin = time.monotonic()
        try:
            process.wait(LIMIT)
        except subprocess.TimeoutExpired:
            printed.write(f"\nmistakes.py: no end in {LIMIT} s\n".encode())
        finally:
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            process.wait()
        seconds = time.monotonic() - begin
        print(f"{seconds:5.0f} s  {' '.join(command[1:])}", file=sys.stderr, flush=True)
        printed.seek(0)
        return printed.read().decode(errors="replace")


class Library:
    """A source, built and loaded."""

    def __init__(self, environment: pathlib.Path, folder: pathlib.Path, source: str):
        self.tw = str(environment / "bin/tw")
        self.folder, self.source = folder / source, source
        self.folder.mkdir()
        shutil.copy(TREE / "tools/opcheck" / f"{source}.cc", self.folder)
        self.build = _run([self.tw, "build"], self.folder)
        code = f"import tensorwright as tf; tf.load_op_library('./lib{source}.so')"
        self.load = _run([str(environment / "bin/python"), "-c", code], self.folder)

    def check(self, kinds: str) -> str:
        """The pages of check-op for all ops that are called with these sanitizers."""
        ops = [m.op for m in TABLE if (m.source, m.kinds) == (self.source, kinds)]
        options = ["--quick", "--timeout", "4", "--library", f"./lib{self.source}.so"]
        return _run(
            [self.tw, "check-op", *options, "--sanitize", kinds, *ops], self.folder
        )


def _row(mistake: Mistake, library: Library, printed: str) -> list[str]:
    """The cells of a mistake: build, load, check-op, check-op --sanitize."""
    warnings = [line for line in library.build.splitlines() if "warning:" in line]
    built = _cell(warnings[0]) if warnings else "builds"
    if library.load.strip():
        return [built, _cell(library.load.strip().splitlines()[-1]), "", ""]
    page = re.search(
        rf"^{mistake.op}\(.*?(?=^\w+\([^\n]*\) -> |\Z)", printed, re.M | re.S
    )
    if page is None:
        raise SystemExit(f"no page of {mistake.op} in:\n{printed}")
    found = re.findall(r"^(\w+): (.*)$", page[0], re.M)
    plain = [f"{c}: {t}" for c, t in found if c != "sanitize"]
    wanted = [t for t in plain if t.startswith(f"{mistake.check}: ")]
    if mistake.check and not wanted:
        raise SystemExit(f"{mistake.check} did not find {mistake.op}:\n{page[0]}")
    sanitized = [t for c, t in found if c == "sanitize"]
    stuck = any("does not end" in t for t in plain)
    none = "not run: no call ends" if stuck else NOTHING
    cells = [(wanted or plain or [NOTHING])[0], (sanitized or [none])[0]]
    return [built, "loads", *map(_cell, cells)]


def _cell(text: str) -> str:
    """A text without folders, what is behind its first sentence, and what other draws would change."""
    if text in (NOTHING, "not run: no call ends"):
        return text
    text = re.sub(r"/[^\s:]*/", "", text.splitlines()[0])
    text = re.sub(r" \(.*|, so it is not loaded|;.*", "", text)
    text = text.replace("tensorwright.python.framework.errors_impl.", "")
    text = re.sub(r"promised \[.*", "promised [...", text)
    text = re.sub(r"sequence: [\w ]+: ", "sequence: ...: ", text)
    text = re.sub(r"leak of \d+ byte.*?,", "leak of ...,", text)
    return "`" + text.strip().replace("|", "\\|") + "`"


def table(environment: pathlib.Path, scratch: pathlib.Path) -> str:
    """The rows, as Markdown."""
    head = "| mistake | build | load | check-op | check-op --sanitize |"
    lines = [head, "| --- " * 5 + "|"]
    sources = dict.fromkeys(m.source for m in TABLE)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        made = pool.map(lambda s: Library(environment, scratch, s), sources)
        libraries = dict(zip(sources, made, strict=True))
        asked = dict.fromkeys(
            (m.source, m.kinds) for m in TABLE if not libraries[m.source].load.strip()
        )
        pages = pool.map(lambda a: libraries[a[0]].check(a[1]), asked)
        printed = dict(zip(asked, pages, strict=True))
    for (source, kinds), text in printed.items():
        (scratch / f"{source}_{kinds.replace(',', '_')}.txt").write_text(text)
    for mistake in TABLE:
        page = printed.get((mistake.source, mistake.kinds), "")
        cells = _row(mistake, libraries[mistake.source], page)
        lines.append("| " + " | ".join([mistake.words, *cells]) + " |")
    return "\n".join(lines) + "\n"


def _environment(scratch: pathlib.Path) -> pathlib.Path:
    """Builds the wheel, and an environment that has it."""
    run = functools.partial(subprocess.run, cwd=TREE, check=True, stdout=sys.stderr)
    wheels, made = scratch / "wheel", scratch / "venv"
    run(["bazel", "build", "//tools/pip_package:build_pip_package"])
    run(["bazel-bin/tools/pip_package/build_pip_package", str(wheels)])
    run([sys.executable, "-m", "venv", str(made)])
    (wheel,) = wheels.glob("*.whl")
    run([str(made / "bin/pip"), "install", "--quiet", str(wheel)])
    return made


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("environment", type=pathlib.Path, nargs="?")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--keep", type=pathlib.Path)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = args.keep or pathlib.Path(scratch)
        folder.mkdir(exist_ok=True)
        environment = args.environment or _environment(pathlib.Path(scratch))
        made = table(environment.absolute(), folder.absolute())
    before, begin, rest = PAGE.read_text().partition(BEGIN)
    there, end, after = rest.partition(END)
    if not begin or not end:
        raise SystemExit(f"{PAGE} has no {BEGIN.strip()} ... {END.strip()}")
    print(made, end="")
    if args.write:
        PAGE.write_text(before + begin + made + end + after)
        return 0
    if made != there:
        print(f"{PAGE} says otherwise:\n{there}(mistakes.py --write changes it)")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
