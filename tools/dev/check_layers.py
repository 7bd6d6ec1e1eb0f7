# SPDX-License-Identifier: Apache-2.0
"""Checks the layers of docs/map_of_the_house.md.

- A C++ file includes only its own layer and those before it, and a kernel only its own room and core/kernels/lib.
- A BUILD file's rules, tests apart, depend only on these too, and name what their sources include.
- core/framework and core/util name no op: what depends on an op's name belongs to its family.
- A kernel reaches files by its context's env(), which a session's policy restricts.
- A source that a string of a kernel names, as `tw where` prints it, is there.
- Python: check_python_layers.py.
"""

import pathlib
import re
import subprocess
import sys

import check_python_layers

ROOT = pathlib.Path(__file__).resolve().parents[2]

# From the bottom up.  Folders on one line are one layer.
LAYERS = [
    ["core/platform", "core/lib"],
    ["core/framework", "core/util", "core/protobuf", "core/example"],
    ["core/ops"],
    ["core/kernels"],
    ["core/graph"],
    ["core/graph/passes"],
    ["core/common_runtime"],
    ["core/distributed_runtime"],
    # For custom-op sources: nothing of ours includes it.
    ["core/compat"],
    ["python/pywrap"],
]

# Includes that a folder must not have although the order of the layers would allow them.
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
    (r"core/lib/io/(record_|\w*(stream|compression)).*", "//core/lib:records"),
    (r"core/lib/(bmp|gif|jpeg|png|wav)/.*", "//core/lib:codecs"),
    (r"core/util/(events_writer|histogram|summary_).*", "//core/util:events"),
    (r"core/util/session_state.*", "//core/util:session"),
    (r"core/lib/.*|core/platform/.*", "//core/lib"),
    (r"core/(framework|util|protobuf)/.*", "//core/framework"),
    (r"core/graph/passes/.*", "//core/graph/passes"),
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
    (r"isa-l/.*", "//third_party/isal"),
    (r"gif_lib\.h", "//third_party/gif"),
    (r"jpeglib\.h", "//third_party/jpeg"),
    (r"png\.h", "//third_party/png"),
    (r"snappy\.h", "//third_party/snappy"),
    (r"zlib\.h", "//third_party/zlib"),
    (r"lmdb\.h", "//third_party/lmdb"),
    (r"pybind11/.*", "@pybind11"),
]

INCLUDE = re.compile(r'^\s*#\s*include\s+["<]([^">]+)[">]', re.MULTILINE)


def layer_of(path: str) -> int | None:
    """The layer of the longest folder in LAYERS that `path` is in."""
    fits = [
        (len(folder), number)
        for number, folders in enumerate(LAYERS)
        for folder in folders
        if path.startswith(folder + "/")
    ]
    return max(fits)[1] if fits else None


def sources() -> list[str]:
    """Paths of all C++ files that git tracks or would."""
    command = ["git", "-c", "safe.directory=*", "ls-files", "-co"]
    command += ["--exclude-standard", "*.cc", "*.h"]
    listed = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=True
    )
    return [p for p in listed.stdout.split() if (ROOT / p).exists()]


ROOM = re.compile(r"core/kernels/(\w+)/")


def wrong_room(path: str, other: str) -> bool:
    """Whether `path` is a kernel that includes, or depends on, another family's room."""
    mine, theirs = ROOM.match(path), ROOM.match(other)
    return bool(mine and theirs and theirs[1] not in (mine[1], "lib"))


def upward_includes(path: str, included: list[str]) -> list[str]:
    """Describes each include of `path` that the layers forbid."""
    mine = layer_of(path)
    test = path.endswith(("_test.cc", "_benchmark.cc"))
    problems = [
        f"{path}: includes another room's {i}; what families share is in core/kernels/lib"
        for i in included
        if wrong_room(path, i) and not test
    ]
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


# The dependencies that the macro of the kernels' rooms adds.
KERNEL_DEPS = re.search(
    r"^_KERNEL_DEPS = \[.*?^\]", (ROOT / "tensorwright.bzl").read_text(), re.M | re.S
)[0]

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
    home = folder.relative_to(ROOT).as_posix()
    build = (ROOT / name / "BUILD").read_text()
    if home != name:
        build += (ROOT / home / "BUILD").read_text()
    if "tf_kernel_room(" in build:
        build += KERNEL_DEPS
    problems = []
    for include in included:
        for pattern, label in OFFERS:
            if re.fullmatch(pattern, include):
                # Any library of the same package may be included.
                if label.partition(":")[0] in (f"//{name}", f"//{home}"):
                    break
                if f'"{label}"' not in build and '"//:headers"' not in build:
                    problems.append(
                        f"{path}: includes {include}; {name}/BUILD has no {label}"
                    )
                break
    return problems


# A rule or macro call of a BUILD file, from its name to the line of its closing parenthesis.
RULE = re.compile(r"^(\w+)\(([^\n]*)\)$|^(\w+)\((.*?)^\]?\)$", re.M | re.S)
# The packages that may see a rule are no dependencies of it.
VISIBILITY = re.compile(r"visibility = \[.*?\]", re.S)


def upward_deps(build: str) -> list[str]:
    """Describes each dependency of the BUILD file `build`, tests' apart, that leads upward."""
    mine = layer_of(build)
    problems = []
    text = VISIBILITY.sub("", (ROOT / build).read_text())
    for rule, body, short, short_body in RULE.findall(text):
        body = body or short_body
        if "test" in (rule or short) or "bench" in rule or "testonly" in body:
            continue
        for label in re.findall(r'"//([\w/]+)(?::[\w.]+)?"', body):
            theirs = layer_of(label + "/")
            if None not in (mine, theirs) and theirs > mine:
                problems.append(f"{build}: depends upward: //{label}")
            if wrong_room(build, label + "/"):
                problems.append(f"{build}: depends on another room: //{label}")
    return problems


# Layers that know no op.
OPLESS = ("core/platform/", "core/lib/", "core/framework/", "core/util/")
STRING = re.compile(r'"(\w+)"')
COMMENT = re.compile(r"//[^\n]*")


def op_names() -> set[str]:
    """The ops that core/ops registers."""
    found = set()
    for path in (ROOT / "core/ops").glob("*.cc"):
        found.update(re.findall(r'REGISTER_OP\("(\w+)"\)', path.read_text()))
    return found


def named_ops(path: str, text: str, ops: set[str]) -> list[str]:
    """Describes each op that `path`, of a layer that knows none, names in a string."""
    if not path.startswith(OPLESS) or path.endswith(("_test.cc", "_benchmark.cc")):
        return []
    names = sorted(ops.intersection(STRING.findall(COMMENT.sub("", text))))
    return [f"{path}: names the ops {', '.join(names)}"] if names else []


SOURCE = re.compile(r'"((?:core|python)/[\w/-]+\.(?:cc|h))"')


def named_sources(path: str, text: str) -> list[str]:
    """Describes each source of ours that the kernel `path` names in a string and that is not there."""
    if not path.startswith("core/kernels/") or path.endswith("_test.cc"):
        return []
    return [
        f"{path}: names {name}, which is not there"
        for name in SOURCE.findall(COMMENT.sub("", text))
        if not name.endswith(".pb.h") and not (ROOT / name).exists()
    ]


# The machine's own Env, but for threads and clocks; and files that no Env opens.
OWN_FILES = re.compile(
    r"""Env::Default\(\)(?!->(?:SchedClosure|StartThread|Now\w+)\(|,\s*")"""
    r"|\bstd::[io]?fstream\b|\bfopen\(|(?<![\w.>])open\("
)


def unguarded_files(path: str, text: str) -> list[str]:
    """Describes how the kernel `path` reaches files in a way that no policy of a session restricts.

    Kernels reach files by their context's env(), datasets by their iterator's (core/common_runtime/restricted_env.h).
    """
    if not path.startswith("core/kernels/"):
        return []
    if path.endswith(("_test.cc", "_benchmark.cc", "testutil.cc", "testutil.h")):
        return []
    found = OWN_FILES.findall(COMMENT.sub("", text))
    return [f"{path}: reaches files by {name}, not by env()" for name in found]


def main() -> int:
    problems = []
    ops = op_names()
    for build in ROOT.glob("core/**/BUILD"):
        problems += upward_deps(build.relative_to(ROOT).as_posix())
    for path in sources():
        text = (ROOT / path).read_text()
        included = INCLUDE.findall(text)
        problems += named_ops(path, text, ops) + named_sources(path, text)
        problems += unguarded_files(path, text)
        problems += upward_includes(path, included) + missing_deps(path, included)
    problems += check_python_layers.problems(ROOT, check_python_layers.sources(ROOT))
    good = "layers: every include and import leads downward"
    print("\n".join(problems) if problems else good)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
