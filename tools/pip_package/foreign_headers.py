# SPDX-License-Identifier: Apache-2.0
"""Which headers of abseil, protobuf, RE2 and Eigen go into the wheel: those that an op's author can reach.

An op includes our headers, which lead to some of theirs, and it may name some of theirs itself: the entries below.
Whatever these include, and so on, is reachable; the rest of the libraries (15 MB with it, two thirds without) is not.
"""

from __future__ import annotations

import os
import pathlib
import re
from collections.abc import Iterable, Mapping

# Folder of a library's headers -> headers that sources include directly.
DEBIAN = pathlib.Path("/usr/include")
ENTRIES: Mapping[pathlib.Path, tuple[str, ...]] = {
    DEBIAN: (
        "absl/algorithm/*.h",
        "absl/base/*.h",
        "absl/cleanup/*.h",
        "absl/container/*.h",
        "absl/functional/*.h",
        "absl/hash/*.h",
        "absl/memory/*.h",
        "absl/meta/*.h",
        "absl/numeric/*.h",
        "absl/status/*.h",
        "absl/strings/*.h",
        "absl/synchronization/*.h",
        "absl/time/*.h",
        "absl/types/*.h",
        "absl/utility/*.h",
        "google/protobuf/*.pb.h",
        "google/protobuf/map.h",
        "google/protobuf/message.h",
        "google/protobuf/text_format.h",
        "google/protobuf/util/json_util.h",
        "google/protobuf/util/message_differencer.h",
        "re2/re2.h",
    ),
    DEBIAN / "eigen3": (
        "Eigen/Dense",
        "Eigen/StdVector",
        "unsupported/Eigen/CXX11/Tensor",
        "unsupported/Eigen/CXX11/TensorSymmetry",
        "unsupported/Eigen/CXX11/ThreadPool",
        "unsupported/Eigen/SpecialFunctions",
    ),
}

# Files that the wheel's machine never reaches, though a header names them: other processors' vector units,
# declarations of a LAPACK, helpers of the libraries' own tests, plugins of protobuf's compiler.
UNREACHABLE = re.compile(
    r"/(AltiVec|HIP|MSA|NEON|SVE|SYCL|ZVector)/|/lapacke|google/protobuf/compiler"
    r"|absl/.*(_test|test_|testing|conformance|mock|nanobenchmark)"
)

_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^">]+)[">]', re.MULTILINE)


def _included(path: pathlib.Path, roots: Iterable[pathlib.Path]) -> set[pathlib.Path]:
    """The files under `roots` that `path` includes, by any branch of its conditions."""
    found = set()
    for quote, name in _INCLUDE.findall(path.read_text(errors="replace")):
        beside = [path.parent] if quote == '"' else []
        for folder in (*beside, *roots):
            candidate = pathlib.Path(os.path.normpath(folder / name))
            if candidate.is_file():
                if any(candidate.is_relative_to(root) for root in roots):
                    found.add(candidate)
                break
    return found


def reachable(
    headers: Iterable[pathlib.Path],
    entries: Mapping[pathlib.Path, tuple[str, ...]] = ENTRIES,
) -> dict[pathlib.Path, pathlib.Path]:
    """Returns foreign header -> its path for `#include`, for the headers that `headers` and `entries` reach.

    A header of the system that belongs to no entry's library (the C library's) is not among them.
    """
    # The longest first: one root may lie inside another.
    roots = sorted(entries, key=lambda root: -len(root.parts))
    libraries = {
        root / pattern.split("/")[0]
        for root, some in entries.items()
        for pattern in some
    }
    waiting = [f for h in headers for f in _included(h, roots)]
    waiting += [
        path
        for root, patterns in entries.items()
        for pattern in patterns
        for path in root.glob(pattern)
    ]
    found: dict[pathlib.Path, pathlib.Path] = {}
    while waiting:
        path = waiting.pop()
        if path in found or UNREACHABLE.search(str(path)):
            continue
        if not any(path.is_relative_to(library) for library in libraries):
            continue
        root = next(root for root in roots if path.is_relative_to(root))
        found[path] = path.relative_to(root)
        waiting += _included(path, roots)
    return found
