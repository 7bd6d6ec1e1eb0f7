# SPDX-License-Identifier: Apache-2.0
"""Checks the types inside of the package: check_own_types.py [RUNFILES]

pyright in basic mode must find nothing in the packages of CHECKED.  RUNFILES is the environment's folder that Bazel
makes, which has the generated modules too.  pyright loses its way among Bazel's links, so it reads a copy.
"""

import pathlib
import re
import shutil
import sys
import tempfile

import check_types

ROOT = pathlib.Path(__file__).resolve().parents[2]
RUNFILES = ROOT / "bazel-bin" / "tools" / "dev" / "environment.runfiles"

# Packages without an error of types.  One more is welcome as soon as it has none.
CHECKED = [
    "python/autograph",
    "python/client",
    "python/data",
    "python/eager",
    "python/estimator",
    "python/explain",
    "python/feature_column",
    "python/framework",
    "python/keras",
    "python/layers",
    "python/lib",
    "python/ops",
    "python/platform",
    "python/profiler",
    "python/saved_model",
    "python/summary",
    "python/testing",
    "python/tools",
    "python/training",
    "python/user_ops",
    "python/util",
]

# Modules that protoc and tools/op_gen write.
GENERATED = re.compile(r".*(_pb2\.pyi?|/gen_\w+_ops\.pyi?)")

TESTS = ("_test.py", "_testutil.py")


def copy_sources(package: pathlib.Path, target: pathlib.Path) -> None:
    """Copies modules and stubs, tests apart, with every link followed."""

    def left_out(folder: str, names: list[str]) -> set[str]:
        return {
            name
            for name in names
            if name.endswith(TESTS)
            or not name.endswith((".py", ".pyi"))
            and not pathlib.Path(folder, name).is_dir()
        }

    shutil.copytree(package, target, ignore=left_out)


def main(argv: list[str]) -> int:
    runfiles = pathlib.Path(argv[0]) if argv else RUNFILES
    if not (runfiles / "tensorwright").is_dir():
        raise SystemExit(f"nothing in {runfiles}: is //tools/dev:environment built?")
    with tempfile.TemporaryDirectory() as scratch:
        package = pathlib.Path(scratch).resolve() / "tensorwright"
        copy_sources(runfiles / "tensorwright", package)
        folders = [str(package / each) for each in CHECKED]
        wrong = check_types.errors_in(sys.executable, folders, [scratch])
        wrong = [each for each in wrong if not GENERATED.fullmatch(each[0])]
        for file, line, text in wrong:
            print(f"{pathlib.Path(file).relative_to(package)}:{line}: {text}")
    print(f"types of {', '.join(CHECKED)}: {len(wrong)} errors")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
