# SPDX-License-Identifier: Apache-2.0
"""Writes tensorflow/X for each header X of ours, and the paths of the list of others.

Arguments: the output folder, the file with other paths, our headers' paths from the workspace root; or @FILE
with these, one a line.
"""

import pathlib
import sys

COMPAT = "core/compat/"
FLAGS = "core/compat/compiler_flags.h"
NAMESPACE = "core/compat/namespace.h"

# Warnings are about the author's source: Eigen's headers use features that C++20 deprecates, and ours use inline
# variables and `if constexpr`, which g++ compiles as C++14 too.  nvcc warns of Eigen's annotations of functions that
# are defaulted (20012), and takes assignments of a Status in our headers for statuses that are dropped (2810); Eigen
# calls functions that CUDA deprecates.
TEXT = """\
// SPDX-License-Identifier: Apache-2.0
// TensorFlow's path to {ours}, with `namespace tensorflow`.
#pragma once
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated"
#if __cplusplus < 201703L
#pragma GCC diagnostic ignored "-Wc++17-extensions"
#endif
#ifdef __NVCC_DIAG_PRAGMA_SUPPORT__
#pragma nv_diagnostic push
#pragma nv_diag_suppress 20012
#pragma nv_diag_suppress 2810
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#endif
#include "{flags}"
#include "{namespace}"
#include "{ours}"
#ifdef __NVCC_DIAG_PRAGMA_SUPPORT__
#pragma nv_diagnostic pop
#endif
#pragma GCC diagnostic pop
"""

# Build files for TensorFlow's wheels of before 2020 ask for the strings of before 2015, with which the library would not
# load.  The standard library reads this file before any other, and finds it in the folder of our headers.
STRINGS = """\
// SPDX-License-Identifier: Apache-2.0
// -D_GLIBCXX_USE_CXX11_ABI=0 is for another build of the library.
#pragma GCC system_header
#undef _GLIBCXX_USE_CXX11_ABI
#define _GLIBCXX_USE_CXX11_ABI 1
#include_next <bits/c++config.h>
"""


def other_paths(path: pathlib.Path) -> dict[str, str]:
    """Reads lines `THEIR_PATH OUR_PATH`; '#' starts a comment."""
    pairs = {}
    for line in path.read_text().splitlines():
        fields = line.partition("#")[0].split()
        if fields:
            theirs, ours = fields
            pairs[theirs] = ours
    return pairs


def main(argv: list[str]) -> None:
    if argv[0].startswith("@"):
        argv = pathlib.Path(argv[0][1:]).read_text().split("\n")
    folder, extra, *headers = [arg for arg in argv if arg]
    forwards = {f"tensorflow/{h}": h for h in headers if not h.startswith(COMPAT)}
    # These headers complete ours for such sources.
    forwards |= {
        f"tensorflow/core/{h.removeprefix(COMPAT)}": h
        for h in headers
        if h.startswith(COMPAT)
    }
    # Custom ops know core/kernels without rooms; the headers that complete ours for them come first.
    for ours in headers:
        if ours.startswith("core/kernels/"):
            name = f"tensorflow/core/kernels/{pathlib.PurePath(ours).name}"
            forwards.setdefault(name, ours)
    forwards |= other_paths(pathlib.Path(extra))
    # TensorFlow's later versions have these headers at other paths.
    for theirs, ours in list(forwards.items()):
        for folder_name in ("platform", "lib"):
            old = f"tensorflow/core/{folder_name}/"
            if theirs.startswith(old):
                for tsl in ("tsl", "tensorflow/tsl", "xla/tsl"):
                    path = f"{tsl}/{folder_name}/{theirs.removeprefix(old)}"
                    forwards[path] = ours
    for theirs, ours in forwards.items():
        path = pathlib.Path(folder, theirs)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(TEXT.format(ours=ours, flags=FLAGS, namespace=NAMESPACE))
    strings = pathlib.Path(folder, "bits/c++config.h")
    strings.parent.mkdir(exist_ok=True)
    strings.write_text(STRINGS)


if __name__ == "__main__":
    main(sys.argv[1:])
