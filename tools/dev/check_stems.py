# SPDX-License-Identifier: Apache-2.0
"""Checks that every stem of kernels has a test of its stem.

A stem of core/kernels/<family> is what tf_kernel_room makes a library of: conv_ops of conv_ops.cc and conv_ops_*.cc.
Its test is core/kernels/<family>/<stem>_test.cc or python/kernel_tests/<family>/<stem>_test.py, or one of a part of it,
<stem>_*_test.  Kernels of one family that share a word, cwise_ops_arithmetic and cwise_ops_select, may share a test
named by it: cwise_ops_test.  Nothing is in the tables below that needs no entry.
"""

import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
KERNELS = ROOT / "core/kernels"
TESTS = ROOT / "python/kernel_tests"

# Stems of core/kernels/lib without a test of their own -> the test that proves them.
COVERED = {
    "fused_epilogue": "python/client/graph_options_test.py",
    "reduction_ops": "python/kernel_tests/math/reduction_ops_test.py",
    "stream_copy": "core/kernels/array/transpose_op_test.cc",
    "variables": "python/ops/resource_variable_ops_test.py",
    "wide_loops": "python/kernel_tests/math/cast_op_test.py",
}

# Stems of other rooms whose ops no test can name -> the test that still proves them.
ELSEWHERE = {
    # _Arg and _Retval run inside a call.
    "function/function_ops": "core/common_runtime/function_test.cc",
}

# Tests under python/kernel_tests that are of no stem -> the fact that they prove.
WHOLE = {
    "nn/kept_filter": "filters that convolutions keep in their own layout from run to run",
}


def stem_of(name: str, suffixes: tuple[str, ...]) -> str:
    """`name` less the first of `suffixes` that fits."""
    for suffix in suffixes:
        if name.endswith(suffix):
            return name.removesuffix(suffix)
    return name


def stems_of(room: pathlib.Path) -> list[str]:
    """The stems of a room, grouped by their shortest prefix, as in tensorwright.bzl."""
    stems = sorted(
        stem_of(p.name, ("_gpu.cu.cc", ".cu.cc", ".cc"))
        for p in room.glob("*.cc")
        if not p.name.endswith(("_test.cc", "_testutil.cc", "_benchmark.cc"))
    )
    heads: list[str] = []
    for stem in stems:
        if not any(stem == h or stem.startswith(h + "_") for h in heads):
            heads.append(stem)
    return heads


def is_part(stem: str, head: str) -> bool:
    return stem == head or stem.startswith(head + "_")


def tests_of(room: pathlib.Path) -> tuple[list[str], list[str]]:
    """(stems of the room's tests in C++, in Python)."""
    python = TESTS / room.name
    return (
        [p.name.removesuffix("_test.cc") for p in room.glob("*_test.cc")],
        [p.name.removesuffix("_test.py") for p in python.glob("*_test.py")],
    )


def problems_of(room: pathlib.Path) -> list[str]:
    """Describes each stem of the room without a test, and each test without a stem."""
    problems = []
    stems = stems_of(room)
    compiled, scripted = tests_of(room)
    for stem in stems:
        name = f"{room.name}/{stem}"
        excused = name in ELSEWHERE or (room.name == "lib" and stem in COVERED)
        tested = any(is_part(t, stem) or is_part(stem, t) for t in compiled + scripted)
        if tested and excused:
            problems.append(f"{name}: has a test; its entry in check_stems.py goes")
        if not tested and not excused:
            problems.append(
                f"core/kernels/{name}: no {stem}_test.cc, and no "
                f"python/kernel_tests/{name}_test.py"
            )
    problems += [
        f"python/kernel_tests/{room.name}/{test}_test.py: core/kernels/{room.name} has no such stem"
        for test in scripted
        if not any(is_part(test, s) or is_part(s, test) for s in stems)
        and f"{room.name}/{test}" not in WHOLE
    ]
    return problems


def main() -> int:
    rooms = sorted(p for p in KERNELS.iterdir() if (p / "BUILD").exists())
    problems = [problem for room in rooms for problem in problems_of(room)]
    excused = {f"lib/{stem}": test for stem, test in COVERED.items()} | ELSEWHERE
    for name, test in excused.items():
        room, stem = name.split("/")
        if not (ROOT / test).exists():
            problems.append(f"{name}: there is no {test}")
        if stem not in stems_of(KERNELS / room):
            problems.append(f"{name}: there is no such stem; its entry goes")
    for test in WHOLE:
        if not (TESTS / f"{test}_test.py").exists():
            problems.append(f"{test}_test.py: there is no such test; its entry goes")
    for family in (p for p in TESTS.iterdir() if p.is_dir() and p.name[0] != "_"):
        if list(family.glob("*_test.py")) and not (family / "BUILD").exists():
            problems.append(f"{family.relative_to(ROOT)}: no BUILD runs its tests")
    count = sum(len(stems_of(room)) for room in rooms)
    done = f"stems: each of {count} has its test"
    print("\n".join(problems) if problems else done)
    return 1 if problems or not count else 0


if __name__ == "__main__":
    sys.exit(main())
