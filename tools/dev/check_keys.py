# SPDX-License-Identifier: Apache-2.0
"""Shows that versions of Debian packages are part of the build's keys, and that nothing else of a machine is.

Usage: check_keys.py

Asks `bazel aquery` for the keys of some actions, each time with another server: twice as
things are, which is two machines with the same packages, then as if a package had another
version.  Builds nothing; ten seconds for each.
"""

from __future__ import annotations

import hashlib
import os
import pathlib
import re
import subprocess
import tempfile

TREE = pathlib.Path(__file__).absolute().parents[2]

TEST, OPS, KERNELS = (
    "//core/lib:status_test",
    "//core/ops:nn_ops",
    "//core/kernels/nn:relu_op",
)
PROTOS = "//core/lib:protos_gen"
TARGETS = (TEST, OPS, KERNELS, PROTOS)

# Package -> the targets that use it; all others of TARGETS do without.
USERS = {
    "libabsl-dev": {TEST, OPS, KERNELS},
    "libboost-dev": {KERNELS},
    "libgtest-dev": {TEST},
    "libstdc++-12-dev": {TEST, OPS, KERNELS},
    "protobuf-compiler": {PROTOS},
}

# Answers for dpkg-query with another version of one package.
_OTHER_VERSION = """\
#!/bin/bash
/usr/bin/dpkg-query "$@" | sed -E 's/^(ii +{package}) .*/\\1 99:99/'
"""

_DEBIAN = re.compile(r"external/debian/[^\s,\]]+")


def keys(changed: str | None) -> dict[str, set[str]]:
    """Target -> the keys of its actions, as if the package `changed` had another version."""
    with tempfile.TemporaryDirectory() as folder:
        base = pathlib.Path(folder, "base")
        environment = dict(os.environ)
        if changed is not None:
            fake = pathlib.Path(folder, "bin", "dpkg-query")
            fake.parent.mkdir()
            fake.write_text(_OTHER_VERSION.format(package=re.escape(changed)))
            fake.chmod(0o755)
            environment["PATH"] = f"{fake.parent}:{environment['PATH']}"
        bazel = ["bazel", f"--output_base={base}"]
        query = f"mnemonic('CppCompile|CppLink|Genrule', {' + '.join(TARGETS)})"
        try:
            text = subprocess.run(
                [
                    *bazel,
                    "aquery",
                    "--ui_event_filters=-info",
                    "--noshow_progress",
                    query,
                ],
                check=True,
                cwd=TREE,
                env=environment,
                stdout=subprocess.PIPE,
                text=True,
            ).stdout
            return _parsed(text, base)
        finally:
            subprocess.run([*bazel, "shutdown"], check=True, cwd=TREE)


def _parsed(text: str, base: pathlib.Path) -> dict[str, set[str]]:
    """aquery prints an action's own key; the contents of its inputs of @debian belong to it."""
    found: dict[str, set[str]] = {target: set() for target in TARGETS}
    for action in text.split("\n\n"):
        target = re.search(r"^  Target: (\S+)", action, re.MULTILINE)
        key = re.search(r"^  ActionKey: (\S+)", action, re.MULTILINE)
        if target and key:
            inputs = sorted(set(_DEBIAN.findall(action)))
            texts = [(base / path).read_text() for path in inputs]
            digest = hashlib.sha256("".join(texts).encode()).hexdigest()
            found[target[1]].add(key[1] + digest)
    empty = [target for target, found_keys in found.items() if not found_keys]
    if empty:
        raise SystemExit(f"no actions of {empty}")
    return found


def main() -> None:
    usual = keys(None)
    again = keys(None)
    wrong = [t for t in TARGETS if again[t] != usual[t]]
    failures = [f"{t}: another key without a change" for t in wrong]
    for package, users in USERS.items():
        changed = keys(package)
        for target in TARGETS:
            if (changed[target] != usual[target]) != (target in users):
                word = "no" if target in users else "a"
                failures.append(f"{target}: {word} new key for another {package}")
        print(f"{package}: of {len(TARGETS)} targets, {len(users)} get new keys")
    if failures:
        raise SystemExit("\n".join(failures))


if __name__ == "__main__":
    main()
