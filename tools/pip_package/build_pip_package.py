# SPDX-License-Identifier: Apache-2.0
"""Writes the wheel of the built package: build_pip_package OUTPUT_FOLDER.

Stages the runfiles as `tensorwright/`, adds the headers that custom ops need as `tensorwright/include/`, and has
auditwheel bundle the shared libraries (abseil, protobuf, oneDNN, libgomp) that the target machine may lack.
"""

import pathlib
import subprocess
import sys
import tarfile
import tempfile

from tensorwright.tools.pip_package import components, foreign_headers, wheel_parts
from tensorwright.tools.pip_package.wheel_parts import TREE, copy
from tensorwright.tools.tw import show

NAME = "tensorwright"

ENTRY_POINTS = """\
[console_scripts]
tw = tensorwright.tools.tw.main:main
"""


def stage_package(package: pathlib.Path) -> None:
    """Copies modules, stubs and shared libraries, and completes the `__init__.py`s."""
    wanted = ["__init__.py", "__init__.pyi", "libtensorwright.so", "python/_pywrap.so"]
    for pattern in [
        "cluster/**/*.py",
        "compat/**/*.py",
        "contrib/**/*.py",
        "python/**/*.py",
        "python/**/*.pyi",
        "core/**/*_pb2.py",
        "core/**/*_pb2.pyi",
        "tools/opcheck/**/*.py",
        "tools/opcheck/race_annotations.cc",
        "tools/tw/**/*.py",
        "tools/tw/*.txt",
        "tools/tw/page/*",
        "tools/tw/templates/**/*",
        "user_ops/*.py",
    ]:
        wanted += [str(p.relative_to(TREE)) for p in TREE.glob(pattern) if p.is_file()]
    for name in wanted:
        if "/templates/" in name or not name.endswith(("_test.py", "_testutil.py")):
            copy(TREE / name, package / name)
    (package / "py.typed").touch()
    for folder in {p.parent for p in package.rglob("*.py")}:
        while folder != package:
            (folder / "__init__.py").touch()
            folder = folder.parent


def stage_headers(include: pathlib.Path) -> None:
    """Copies our headers, TensorFlow's paths to them, and the headers they include."""
    ours = list(TREE.glob("core/**/*.h"))
    for path, name in foreign_headers.reachable(ours).items():
        copy(path, include / name)
    for path in ours:
        copy(path, include / path.relative_to(TREE))
    # Last: absl/status/status.h leads to ours.
    forwarders = TREE / "third_party/tensorflow/tensorflow"
    for path in filter(pathlib.Path.is_file, forwarders.glob("**/*")):
        copy(path, include / path.relative_to(forwarders))


def _of_nobody(entry: tarfile.TarInfo) -> tarfile.TarInfo:
    """Takes from an archive's entry whose it is and when it was written: clones differ in that."""
    entry.uid = entry.gid = 0
    entry.uname = entry.gname = ""
    entry.mode = 0o644
    entry.mtime = wheel_parts.source_date()
    return entry


def stage_sources(package: pathlib.Path) -> None:
    """Packs the sources of ops and kernels, which `tw show` prints."""
    # The sources come from the tree itself: runfiles only have the files that programs need.
    tree = pathlib.Path(__file__).resolve().parents[2]
    archive = package / show.ARCHIVE
    with tarfile.open(archive, "w:xz") as pack:
        for path in show.sources(tree):
            pack.add(path, path.relative_to(tree), filter=_of_nobody)


def stage_link_names(package: pathlib.Path) -> None:
    """Lets `-ltensorflow_framework`, which recipes for TensorFlow say, find our library."""
    for name in ("libtensorflow_framework.so", "libtensorflow_framework.so.2"):
        # A script for the linker; nothing loads it.
        (package / name).write_text("INPUT(-l:libtensorwright.so)\n")


def patch_libraries(package: pathlib.Path) -> None:
    """Strips the libraries and lets them find each other inside the package."""
    for name, rpath in [
        ("libtensorwright.so", ""),
        ("python/_pywrap.so", "$ORIGIN/.."),
    ]:
        library = package / name
        subprocess.run(["strip", "--strip-unneeded", library], check=True)
        wheel_parts.patchelf(library, "--set-rpath", rpath)


def stage_metadata(stage: pathlib.Path) -> None:
    """Writes the metadata, the entry point of `tw`, and the licences."""
    library = (TREE / "libtensorwright.so").resolve()
    beside = [
        path
        for name, path in components.behind(library).items()
        if not components.SYSTEM.fullmatch(name)
    ]
    inside = [*components.of_libraries(beside), *components.compiled_in()]
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    info = wheel_parts.stage_metadata(
        stage,
        NAME,
        "A TensorFlow-1.x-compatible graph framework, small and fast",
        f"{python}-{python}-linux_x86_64",
        wheel_parts.requirements() + wheel_parts.extras(),
        (TREE / "README.md").read_text(),
        inside,
    )
    (info / "entry_points.txt").write_text(ENTRY_POINTS)


def main(argv: list[str]) -> None:
    output = wheel_parts.output_folder(argv, "build_pip_package")
    with tempfile.TemporaryDirectory() as scratch:
        stage = pathlib.Path(scratch, "stage")
        package = stage / NAME
        stage_package(package)
        stage_headers(package / "include")
        stage_sources(package)
        stage_link_names(package)
        patch_libraries(package)
        stage_metadata(stage)
        places = [pathlib.Path(sys.prefix, "lib"), package]
        wheel_parts.report(wheel_parts.repair(stage, output, places))


if __name__ == "__main__":
    main(sys.argv[1:])
