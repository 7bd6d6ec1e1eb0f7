# SPDX-License-Identifier: Apache-2.0
"""Checks that no C++ file includes upward, and that BUILD files name what their sources include.

The layers are those of DESIGN.md's table: a file includes only its own layer and those before it.
"""

import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]

# From the bottom up.  Folders on one line are one layer.
LAYERS = [
    ["core/platform", "core/lib"],
    ["core/framework", "core/util", "core/protobuf", "core/example"],
    ["core/ops"],
    ["core/kernels"],
    ["core/graph"],
    ["core/common_runtime"],
    ["core/distributed_runtime"],
    # For custom-op sources: nothing of ours includes it.
    ["core/compat"],
    ["python/pywrap"],
]

# What a folder must not include although the order of the layers would allow it.
FORBIDDEN = {
    "core/graph": ["core/kernels"],
    "core/kernels": ["core/ops"],
    "tools/op_gen": [
        "core/kernels",
        "core/graph",
        "core/common_runtime",
        "core/distributed_runtime",
        "python",
    ],
    "user_ops": [
        "core/graph",
        "core/common_runtime",
        "core/distributed_runtime",
        "python",
    ],
}

# The label of a BUILD file's deps that offers an include.
OFFERS = [
    (r"core/lib/.*|core/platform/.*", "//core/lib"),
    (r"core/(framework|util|protobuf)/.*", "//core/framework"),
    (r"core/graph/.*", "//core/graph"),
    (r"core/common_runtime/.*", "//core/common_runtime"),
    (r"absl/.*", "//third_party/absl"),
    (r"(unsupported/)?Eigen/.*", "@eigen"),
    (r"dnnl\.hp*|oneapi/.*", "@onednn"),
    (r"boost/.*", "//third_party/boost"),
    (r"hwy/.*", "//third_party/highway"),
    (r"google/protobuf/.*", "//third_party/protobuf"),
    (r"re2/.*", "//third_party/re2"),
    (r"farmhash\.h", "//third_party/farmhash"),
    (r"pybind11/.*", "@pybind11"),
]

INCLUDE = re.compile(r'^\s*#\s*include\s+["<]([^">]+)[">]', re.MULTILINE)


def layer_of(path: str) -> int | None:
    for number, folders in enumerate(LAYERS):
        if any(path.startswith(folder + "/") for folder in folders):
            return number
    return None


def sources() -> list[str]:
    """Paths of all C++ files that git tracks or would."""
    command = ["git", "-c", "safe.directory=*", "ls-files", "-co"]
    command += ["--exclude-standard", "*.cc", "*.h"]
    listed = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=True
    )
    return [p for p in listed.stdout.split() if (ROOT / p).exists()]


def upward_includes(path: str, included: list[str]) -> list[str]:
    """Describes each include of `path` that the layers forbid."""
    mine = layer_of(path)
    test = path.endswith(("_test.cc", "_benchmark.cc"))
    problems = []
    for include in included:
        theirs = layer_of(include)
        if mine is not None and theirs is not None and theirs > mine and not test:
            problems.append(f"{path}: includes upward: {include}")
        for folder, forbidden in FORBIDDEN.items():
            if (
                path.startswith(folder + "/")
                and not test
                and any(include.startswith(f + "/") for f in forbidden)
            ):
                problems.append(f"{path}: {folder} must not include {include}")
    return problems


def package_of(path: str) -> pathlib.Path | None:
    """The folder with the BUILD file that `path` is built by."""
    for folder in (ROOT / path).parents:
        if (folder / "BUILD").exists():
            return folder
    return None


# Folders whose files are built into another package's library.
BUILT_BY = {"core/platform": "core/lib", "core/util": "core/framework"}


def missing_deps(path: str, included: list[str]) -> list[str]:
    """Describes each include of `path` that its BUILD file's deps do not name."""
    folder = package_of(path)
    if folder is None:
        return [f"{path}: no BUILD file builds it"]
    name = folder.relative_to(ROOT).as_posix()
    name = BUILT_BY.get(name, name)
    # user_ops name their own, as those that `tw new-op` writes will; the wrappers of
    # TensorFlow's paths lead everywhere.
    if name.startswith(("user_ops", "third_party")) or "/templates/" in path:
        return []
    build = (ROOT / name / "BUILD").read_text()
    problems = []
    for include in included:
        for pattern, label in OFFERS:
            if re.fullmatch(pattern, include) and label != f"//{name}":
                if f'"{label}"' not in build and '"//:headers"' not in build:
                    problems.append(
                        f"{path}: includes {include}; {name}/BUILD has no {label}"
                    )
                break
    return problems


def main() -> int:
    problems = []
    for path in sources():
        included = INCLUDE.findall((ROOT / path).read_text())
        problems += upward_includes(path, included) + missing_deps(path, included)
    print("\n".join(problems) if problems else "layers: every include leads downward")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
