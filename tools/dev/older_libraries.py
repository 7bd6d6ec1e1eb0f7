# SPDX-License-Identifier: Apache-2.0
"""Loads libraries of ops that were built for earlier releases: PYTHON tools/dev/older_libraries.py

PYTHON is one that has the tensorwright to be tried.  The releases are the last three tags (v0.2.0), and 0.1.0's commit as
long as there are fewer; and HEAD, for comparison.  Of each it takes the headers and user_ops/ out of the history, compiles the ops against those
headers by each standard that they take, and loads each library in a process of its own.

A release whose headers have the interface's number of today (docs/decisions/op_binaries.md) has promised that its
libraries load: their kernels must compute.  Any other library must be refused, by an error that says that it was built
for another tensorwright.  A process that dies is a failure in both cases.

The exit status is 1 if a library does something else, or if the history is not here, as in a shallow clone.
"""

from __future__ import annotations

import dataclasses
import os
import pathlib
import re
import subprocess
import sys
import tempfile

_ROOT = pathlib.Path(__file__).resolve().parents[2]
_TAGS = 3
# Releases before the first tag.
_UNTAGGED = ["9c32e663"]
_VERSION_HEADER = "core/lib/core/version.h"

# Argument: the library.  Prints what its kernel computes, or the error of loading it.
_LOAD = """
import sys
import tensorwright as tf
try:
    ops = tf.load_op_library(sys.argv[1], override=True)
except tf.errors.OpError as error:
    print("refused:", error.message)
else:
    with tf.Session() as session:
        print("computed:", session.run(ops.zero_out([1, 2, 3])).tolist())
"""
_COMPUTED = "computed: [1, 0, 0]"
_REFUSED = re.compile(
    r"refused: .* was built for another tensorwright|refused: .*interface"
)


@dataclasses.dataclass
class Release:
    """The sources of a release, below `folder`."""

    name: str
    folder: pathlib.Path

    def interface(self) -> int:
        """The number of the interface; 0 before there was one."""
        return interface(self.folder)

    def standards(self) -> list[str]:
        """The standards of C++ that the headers take; one of HEAD, whose others standards_test.py takes."""
        if self.name == "HEAD":
            return ["c++17"]
        return ["c++14", "c++17", "c++20"] if self.interface() else ["c++20"]


def interface(root: pathlib.Path) -> int:
    """The number of the interface of the tree at `root`; 0 for one that has none."""
    header = root / _VERSION_HEADER
    text = header.read_text() if header.exists() else ""
    match = re.search(r"#define TENSORWRIGHT_ABI_VERSION (\d+)", text)
    return int(match[1]) if match else 0


def _git(*arguments: str) -> subprocess.CompletedProcess[bytes]:
    command = ["git", "-C", str(_ROOT), "-c", "safe.directory=*", *arguments]
    return subprocess.run(command, capture_output=True, check=False)


def revisions() -> list[str]:
    """The last commit, and the last three releases, newest first."""
    tags = (
        _git("tag", "--list", "v[0-9]*", "--sort=-version:refname")
        .stdout.decode()
        .split()
    )
    return ["HEAD", *[*tags, *_UNTAGGED][:_TAGS]]


def unpack(revision: str, folder: pathlib.Path) -> Release:
    """Puts the headers of a revision, with those that are made of messages and forwarded, below `folder`."""
    archive = _git("archive", revision, "core", "user_ops", "third_party", "tools/dev")
    if archive.returncode:
        sys.exit(
            f"older_libraries.py: the history has no {revision}: {archive.stderr.decode()}"
        )
    folder.mkdir(parents=True)
    subprocess.run(["tar", "x", "-C", folder], input=archive.stdout, check=True)
    protos = sorted(str(p.relative_to(folder)) for p in folder.glob("core/**/*.proto"))
    subprocess.run(["protoc", "--cpp_out=.", *protos], cwd=folder, check=True)
    _split_enums(folder)
    (writer,) = folder.glob("third_party/*/write_forwarders.py")
    headers = sorted(str(p.relative_to(folder)) for p in folder.glob("core/**/*.h"))
    command = [
        sys.executable,
        writer,
        "forwarded",
        writer.with_name("other_paths.txt"),
        *headers,
    ]
    subprocess.run(command, cwd=folder, check=True)
    return Release(revision, folder)


def _split_enums(folder: pathlib.Path) -> None:
    """Takes the enums out of messages' headers, where headers of that release want them apart."""
    texts = (path.read_text() for path in folder.glob("core/**/*.h"))
    stems = {
        stem for text in texts for stem in re.findall(r'#include "(.+)_enums\.h"', text)
    }
    for stem in sorted(stems):
        command = ["bash", "tools/dev/split_enums.sh", stem]
        subprocess.run(command, cwd=folder, check=True)


def build(release: Release, standard: str, to: pathlib.Path) -> pathlib.Path:
    """Compiles the op ZeroOut against the release's headers."""
    library = to / f"zero_out_{release.name}_{standard}.so"
    includes = ["-I.", "-isystem", "forwarded", "-isystem", "/usr/include/eigen3"]
    command = ["g++", f"-std={standard}", "-O1", "-fPIC", "-shared", "-w", *includes]
    command += ["user_ops/zero_out.cc", "-o", str(library)]
    subprocess.run(command, cwd=release.folder, check=True)
    return library


def load(library: pathlib.Path) -> str:
    """The last line that a process prints which loads a library and runs its op, or how it died."""
    process = subprocess.run(
        [sys.executable, "-c", _LOAD, str(library)],
        capture_output=True,
        check=False,
        text=True,
        cwd=library.parent,
        env=os.environ | {"TW_GPU": "off"},
    )
    if process.returncode:
        return f"status {process.returncode}: {process.stderr}"
    return process.stdout.splitlines()[-1]


def is_as_promised(release: Release, printed: str, ours: int) -> bool:
    """Computes its op if the release promised it, is refused otherwise."""
    if release.interface() == ours:
        return printed == _COMPUTED
    return bool(_REFUSED.match(printed))


def main() -> int:
    failed = 0
    with tempfile.TemporaryDirectory() as made:
        folder = pathlib.Path(made)
        for revision in revisions():
            release = unpack(revision, folder / revision)
            for standard in release.standards():
                printed = load(build(release, standard, folder))
                good = is_as_promised(release, printed, interface(_ROOT))
                failed += not good
                shown = printed.replace(str(folder) + "/", "")
                print(f"{revision} {standard}: {'' if good else 'FAILED '}{shown}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
