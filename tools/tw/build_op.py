# SPDX-License-Identifier: Apache-2.0
"""`tw build`: compiles the ops of a folder against the installed package; no Bazel.

All .cc files of the folder become one library, lib<name>.so, beside <name>.py, which
loads it.  CUDA sources (*.cu.cc) take part where nvcc is.
"""

from __future__ import annotations

import argparse
import os
import pathlib
import re
import resource
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Sequence
from typing import Any

from tensorwright.tools.tw import precompiled, suggest, wheel_file


def add_command(commands: argparse._SubParsersAction) -> None:
    parser = commands.add_parser(
        "build", help="compile the ops of a folder", description=__doc__
    )
    parser.add_argument("folder", nargs="?", default=".", type=pathlib.Path)
    parser.add_argument(
        "--wheel",
        metavar="OUT",
        nargs="?",
        const=pathlib.Path("dist"),
        type=pathlib.Path,
        help="write a wheel of them there; in dist/ where OUT is not given",
    )
    parser.add_argument(
        "--editable",
        metavar="OUT",
        type=pathlib.Path,
        help="write a wheel that leads to the folder",
    )
    parser.add_argument(
        "--copt",
        action="append",
        default=[],
        help="a further option for the compiler, as --copt=-march=native",
    )
    parser.add_argument("-v", "--verbose", action="store_true", help="show commands")
    parser.set_defaults(do=_build)


def _build(args: argparse.Namespace) -> int:
    folder = args.folder.resolve()
    name, version = project(folder)
    library = build(folder, name, args.copt, args.verbose)
    modules = [
        p
        for p in sorted(folder.glob("*.py"))
        if not p.name.endswith("_test.py") and p.stem not in ("build_op", "setup")
    ]
    need = _requirement(library)
    if args.wheel:
        files = {p.name: p.read_bytes() for p in modules}
        files[library.name] = _without_lines(library)
        foreign = wheel_file.foreign_libraries(files[library.name])
        if foreign:
            print(
                f"{library.name} needs {', '.join(foreign)}, which the wheel does not bring: it is for this "
                "machine (auditwheel repair brings them)"
            )
        requires = [need, *_dependencies(folder)]
        wheel = wheel_file.write(
            args.wheel, name, version, files, requires, _description(folder)
        )
        print(wheel)
    if args.editable:
        files = {f"_{name}.pth": f"{folder}\n".encode()}
        print(wheel_file.write(args.editable, name, version, files, [need]))
    return 0


def _without_lines(library: pathlib.Path) -> bytes:
    """The library without what leads to the lines, and names the folders, of this machine's sources."""
    strip = shutil.which("strip")
    if strip is None:
        return library.read_bytes()
    with tempfile.TemporaryDirectory() as scratch:
        out = pathlib.Path(scratch, library.name)
        command = [strip, "--strip-debug", "-o", str(out), str(library)]
        done = subprocess.run(command, capture_output=True)
        return (library if done.returncode else out).read_bytes()


def _requirement(library: pathlib.Path) -> str:
    """The tensorwright that can load it: from the version that it was built with on, as long as the interface is that."""
    from tensorwright.python import _pywrap
    from tensorwright.python.framework import errors_impl

    try:
        stamp = _pywrap.library_stamp(str(library))
    except errors_impl.OpError:
        return "tensorwright"
    match = re.search(r"version=(\d+\.\d+\.\d+);", stamp)
    return f"tensorwright>={match[1]}" if match else "tensorwright"


def _pyproject(folder: pathlib.Path) -> dict[str, Any]:
    config = folder / "pyproject.toml"
    if not config.exists():
        return {}
    return tomllib.loads(config.read_text()).get("project", {})


def _dependencies(folder: pathlib.Path) -> list[str]:
    return list(_pyproject(folder).get("dependencies", []))


def _description(folder: pathlib.Path) -> str:
    return _pyproject(folder).get("description", "")


def project(folder: pathlib.Path) -> tuple[str, str]:
    """(name, version): of pyproject.toml, else the folder's only source."""
    project = _pyproject(folder)
    if "name" in project:
        name = project["name"].replace("-", "_").replace(".", "_")
        return name, project.get("version", "0.1.0")
    sources = sources_of(folder, "*.cc")
    return (sources[0].stem if len(sources) == 1 else folder.name), "0.1.0"


def sources_of(folder: pathlib.Path, pattern: str) -> list[pathlib.Path]:
    cuda = pattern.endswith(".cu.cc")
    return [
        p
        for p in sorted(folder.glob(pattern))
        if not p.name.endswith("_test.cc") and p.name.endswith(".cu.cc") == cuda
    ]


def build(
    folder: pathlib.Path,
    name: str,
    copts: list[str],
    verbose: bool = False,
    headers: precompiled.PrecompiledHeaders | None = None,
) -> pathlib.Path:
    """Compiles the changed files, and returns the library's path."""
    from tensorwright.python.platform import sysconfig

    sources = sources_of(folder, "*.cc")
    if not sources:
        if folder.is_file():
            raise SystemExit(
                f"tw build: {folder} is a file; it builds the ops of a folder: tw build {folder.parent}"
            )
        if not folder.is_dir():
            close = suggest.files(str(folder))
            raise SystemExit(f"tw build: no such folder: {folder}{close}")
        raise SystemExit(f"tw build: {folder} has no .cc file")
    gpu_sources = sources_of(folder, "*.cu.cc")
    nvcc = _nvcc() if gpu_sources else None
    if gpu_sources and nvcc is None:
        print(f"{gpu_sources[0].name}: left out, no nvcc here (set CUDA_HOME)")
    library = folder / f"lib{name}.so"
    inputs = [*sources, *gpu_sources, *folder.glob("*.h")]
    runtime = pathlib.Path(sysconfig.get_lib(), "libtensorwright.so")
    newest = max(p.stat().st_mtime for p in [*inputs, runtime])
    if library.exists() and library.stat().st_mtime > newest and not copts:
        print(f"{library.name} is up to date")
        return library
    start = time.perf_counter()
    with tempfile.TemporaryDirectory() as scratch:
        partial = pathlib.Path(scratch, library.name)
        gpu = gpu_sources if nvcc else []
        compile_library(sources, partial, copts, verbose, (), gpu, nvcc, headers)
        # At once: a process that has the old library loaded keeps it.
        shutil.copyfile(partial, f"{library}.new")
        os.replace(f"{library}.new", library)
    seconds = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    size = library.stat().st_size / 1024
    print(f"{library.name}: {size:.0f} kB in {seconds:.1f} s, {peak:.0f} MB")
    return library


def compile_library(
    sources: list[pathlib.Path],
    library: pathlib.Path,
    copts: list[str],
    verbose: bool = False,
    linkopts: Sequence[str] = (),
    gpu_sources: Sequence[pathlib.Path] = (),
    nvcc: str | None = None,
    headers: precompiled.PrecompiledHeaders | None = None,
) -> None:
    """Makes a library of sources, with further options for the compiler and the linker.

    Headers that a source begins with are compiled beside it for the next time, where `headers` is given.

    Raises:
        SystemExit: if there is no compiler, or it finds errors.
    """
    from tensorwright.python.platform import sysconfig

    compiler = shlex.split(os.environ.get("CXX", "g++"))
    if shutil.which(compiler[0]) is None:
        raise SystemExit(
            f"tw build: no C++ compiler {compiler[0]}: install g++ 11 or later "
            "(apt-get install g++), or name one in CXX"
        )
    # Warnings about the user's files only.
    flags = [
        f.replace("-I", "-isystem", 1) if f.startswith("-I") else f
        for f in sysconfig.get_compile_flags()
    ]
    cuda = ["-DGOOGLE_CUDA=1"] if gpu_sources else []
    # Lines of the source, for reports on crashes.
    command = [*compiler, "-O2", "-g1", "-fPIC", "-Wall", *flags, *cuda, *copts]
    jobs = [[*command, "-c", str(source)] for source in sources]
    for source in gpu_sources:
        jobs.append(_nvcc_command(nvcc, source, sysconfig.get_compile_flags()))
    objects = [str(library.with_name(f"{i}.o")) for i in range(len(jobs))]
    jobs = [[*job, "-o", out] for job, out in zip(jobs, objects, strict=True)]
    # Without the headers a source that they do not fit compiles too, or gives its own errors.
    for i, source in enumerate(sources if headers else []):
        if _compiles_with(headers.options(source, command), jobs[i], verbose):
            jobs[i] = []
    running = [_start(job, verbose) for job in jobs if job]
    if any([process.wait() for process in running]):
        raise SystemExit(f"tw build: the compiler found errors{_hint()}")
    link = [*compiler, "-shared", *objects, *linkopts, *sysconfig.get_link_flags()]
    if gpu_sources:
        lib = pathlib.Path(nvcc).resolve().parents[1] / "lib64"
        link += [f"-L{lib}", "-lcudart", f"-Wl,-rpath,{lib}"]
    if _start([*link, "-o", str(library)], verbose).wait():
        raise SystemExit("tw build: the linker found errors")
    if headers:
        headers.make(command)


def _hint() -> str:
    """Why the compiler may be right, and the op too."""
    from tensorwright.python.platform import sysconfig

    header = pathlib.Path(sysconfig.get_include(), "tensorflow/core/framework/op.h")
    if header.exists():
        return ""
    return (
        "; this tensorwright is the tree's own, without headers: install the wheel and "
        "use its tw, or put the op into user_ops/"
    )


def _nvcc() -> str | None:
    home = os.environ.get("CUDA_HOME", "/usr/local/cuda")
    found = os.path.join(home, "bin", "nvcc")
    return found if os.path.exists(found) else shutil.which("nvcc")


def _nvcc_command(nvcc: str, source: pathlib.Path, flags: list[str]) -> list[str]:
    return [
        nvcc,
        "-c",
        "-O2",
        "-x=cu",
        "--expt-relaxed-constexpr",
        "-DGOOGLE_CUDA=1",
        "-Xcompiler=-fPIC",
        *flags,
        str(source),
    ]


def _compiles_with(options: list[str], job: list[str], verbose: bool) -> bool:
    """Runs a compilation with further options, where there are any; False, silently, where it fails."""
    if not options:
        return False
    job = [*job, *options]
    if verbose:
        print(shlex.join(job), file=sys.stderr)
    done = subprocess.run(job, stderr=subprocess.PIPE)
    if done.returncode == 0:
        sys.stderr.buffer.write(done.stderr)
        sys.stderr.flush()
    return done.returncode == 0


def _start(command: list[str], verbose: bool) -> subprocess.Popen:
    if verbose:
        print(shlex.join(command), file=sys.stderr)
    return subprocess.Popen(command)
