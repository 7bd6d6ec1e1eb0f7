# SPDX-License-Identifier: Apache-2.0
"""Builds an op library anew with the compiler's sanitizers, for `tw check-op --sanitize`.

ThreadSanitizer goes with no other one, so there are up to two libraries.  The process that loads one has the
sanitizer's own library preloaded, since Python is not linked with it.
"""

from __future__ import annotations

import dataclasses
import os
import pathlib
import platform
import re
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence

KINDS = ("address", "undefined", "thread", "leak")

_ANNOTATIONS = pathlib.Path(__file__).resolve().with_name("race_annotations.cc")
_COPTS = ["-O1", "-g", "-fno-omit-frame-pointer", "-fno-sanitize=vptr"]
# The members of abseil's classes that race_annotations.cc wraps.
_WRAPPED = re.compile(r'^(?:LOCK|UNLOCK|TRY_LOCK|WAIT)\("(\w+)"', re.MULTILINE)
_WRAPPED_CONST = re.compile(r'WRAP\("_ZNK" ABSEIL "(\w+)"')
# Every sanitizer ends the process by SIGABRT, so that the report on crashes follows.
_COMMON = "abort_on_error=1:handle_abort=0:symbolize=1:print_suppressions=0"
_SIGNALS = "handle_segv=2:handle_sigbus=2:handle_sigfpe=2:handle_sigill=2"
_OPTIONS = {
    "ASAN_OPTIONS": f"{_COMMON}:{_SIGNALS}:detect_odr_violation=0:detect_container_overflow=0:"
    "allocator_may_return_null=1:max_allocation_size_mb=4096:quarantine_size_mb=64:"
    "detect_stack_use_after_return=1:leak_check_at_exit=0:fast_unwind_on_malloc=0:malloc_context_size=12",
    "LSAN_OPTIONS": "leak_check_at_exit=0:fast_unwind_on_malloc=0:malloc_context_size=12:print_suppressions=0:exitcode=0",
    "UBSAN_OPTIONS": f"{_COMMON}:halt_on_error=1:print_stacktrace=1",
    # A race is noted, and the run goes on: those of code that is not the op's do not count.
    "TSAN_OPTIONS": "halt_on_error=0:exitcode=0:history_size=5:report_thread_leaks=0:report_destroy_locked=0:"
    "report_signal_unsafe=0:handle_segv=0:handle_abort=0",
}


@dataclasses.dataclass(frozen=True)
class Sanitized:
    """A library that was built with some sanitizers, and the environment of the process that loads it."""

    kinds: tuple[str, ...]
    library: str
    sources: tuple[str, ...]
    variables: Mapping[str, str]
    logs: str  # The folder of the sanitizers' reports.


def kinds_of(text: str) -> tuple[str, ...]:
    """The sanitizers that a list with commas names.

    Raises:
        ValueError: if one of them is not known.
    """
    kinds = tuple(dict.fromkeys(k.strip() for k in text.split(",") if k.strip()))
    unknown = [k for k in kinds if k not in KINDS]
    if unknown or not kinds:
        raise ValueError(
            f"--sanitize takes {', '.join(KINDS)}, got {', '.join(unknown) or 'nothing'}"
        )
    return kinds


def groups(kinds: Sequence[str]) -> list[tuple[str, ...]]:
    """Puts together those that one library can have."""
    joined = tuple(k for k in kinds if k != "thread")
    return [group for group in (joined, ("thread",) * ("thread" in kinds)) if group]


def sources_of(library: pathlib.Path, given: Sequence[str] = ()) -> list[pathlib.Path]:
    """The sources of a library: those given, files or folders, else those of its folder, as `tw build` takes them.

    Raises:
        ValueError: if there are none.
    """
    from tensorwright.tools.tw import build_op

    found: list[pathlib.Path] = []
    for place in map(pathlib.Path, given or [str(library.parent)]):
        found += build_op.sources_of(place, "*.cc") if place.is_dir() else [place]
    missing = [str(f) for f in found if not f.is_file()]
    if missing:
        raise ValueError(f"no such source: {', '.join(missing)}")
    if not found:
        raise ValueError(
            f"--sanitize builds the sources of {library.name} anew, and its folder has no .cc file: "
            "name them by --source FILE"
        )
    return [f.resolve() for f in found]


def build(
    kinds: tuple[str, ...],
    library: pathlib.Path,
    sources: Sequence[pathlib.Path],
    scratch: pathlib.Path,
    copts: Sequence[str] = (),
    goes_on: bool = False,
) -> Sanitized:
    """Builds a library in a folder below `scratch`, which has the other files of the library's folder too.

    `goes_on`: the process lives on after a report on undefined behaviour, since an op is exempt from some.

    Raises:
        SystemExit: if the compiler finds errors.
        ValueError: if it has no such sanitizer.
    """
    from tensorwright.tools.tw import build_op

    preload = _preload(kinds)
    folder, logs = scratch / "-".join(kinds), scratch / "-".join((*kinds, "logs"))
    folder.mkdir()
    logs.mkdir()
    flags = [f"-fsanitize={','.join(kinds)}", *_COPTS]
    # Without RTLD_DEEPBIND, which sanitizers refuse, its own classes shall stay its own.
    links = [flags[0], "-Wl,-Bsymbolic"]
    files, compiling = list(sources), [*flags, *copts]
    compiling += [f"-I{f}" for f in dict.fromkeys(str(s.parent) for s in sources)]
    if kinds == ("thread",):
        namespace, text = _abseil(), _ANNOTATIONS.read_text()
        compiling.append(f'-DABSEIL="{namespace}"')
        names = [f"_ZN{namespace}{name}" for name in _WRAPPED.findall(text)]
        names += [f"_ZNK{namespace}{name}" for name in _WRAPPED_CONST.findall(text)]
        links += [f"-Wl,--wrap={name}" for name in names]
        files.append(_ANNOTATIONS)
    start = time.perf_counter()
    build_op.compile_library(files, folder / library.name, compiling, linkopts=links)
    seconds = time.perf_counter() - start
    words = f"{library.name} with {', '.join(kinds)}: built in {seconds:.1f} s"
    print(words, file=sys.stderr)
    _copy_others(library, folder)
    variables = {
        name: f"{options}:log_path={logs}/{name[:4]}"
        for name, options in _OPTIONS.items()
    }
    if goes_on:
        options = variables["UBSAN_OPTIONS"]
        variables["UBSAN_OPTIONS"] = options.replace(
            "halt_on_error=1", "halt_on_error=0"
        )
    # A tensor is then a block of the heap that ends where the tensor does.
    variables["TENSORWRIGHT_GUARD_PAGES"] = "heap"
    if preload:
        variables["LD_PRELOAD"] = " ".join(preload)
    return Sanitized(
        kinds,
        str(folder / library.name),
        tuple(map(str, sources)),
        variables,
        str(logs),
    )


def command(arguments: Sequence[str], kinds: Sequence[str]) -> list[str]:
    """A command whose process has the layout of memory that a sanitizer needs: that of threads takes no random one."""
    setarch = shutil.which("setarch")
    if "thread" in kinds and setarch:
        if subprocess.run([setarch, "-R", "true"], capture_output=True).returncode == 0:
            return [setarch, platform.machine(), "-R", *arguments]
    return list(arguments)


def _compiler() -> list[str]:
    return shlex.split(os.environ.get("CXX", "g++"))


def _preload(kinds: Sequence[str]) -> list[str]:
    """The libraries that must be in the process before any other."""
    names = {"address": "libasan.so", "thread": "libtsan.so", "leak": "liblsan.so"}
    first = next((names[k] for k in ("address", "thread", "leak") if k in kinds), None)
    # The sanitizer asks the C++ library for what throws exceptions as it starts.
    wanted = [first, "libstdc++.so.6"] if first else []
    if "undefined" in kinds:
        _find("libubsan.so")
    return [_find(name) for name in wanted]


def _find(name: str) -> str:
    done = subprocess.run(
        [*_compiler(), f"-print-file-name={name}"], capture_output=True, text=True
    )
    path = pathlib.Path(done.stdout.strip() or name)
    if not path.is_absolute() or not path.exists():
        raise ValueError(
            f"{_compiler()[0]} has no {name}: --sanitize needs g++ with its sanitizers (apt-get install g++)"
        )
    return str(path.resolve())


def _abseil() -> str:
    """The mangled name of abseil's namespace, in which there may be another one."""
    from tensorwright.python.platform import sysconfig

    options = ["-include", "absl/base/options.h", "-dM", "-E", "-x", "c++", "/dev/null"]
    done = subprocess.run(
        [*_compiler(), *sysconfig.get_compile_flags(), *options],
        capture_output=True,
        text=True,
    )
    macro = r"#define ABSL_OPTION_(\w+) +(\S+)"
    values = dict(re.findall(macro, done.stdout))
    name = values.get("INLINE_NAMESPACE_NAME", "")
    if values.get("USE_INLINE_NAMESPACE") != "1":
        return "4absl"
    return f"4absl{len(name)}{name}"


def _copy_others(library: pathlib.Path, folder: pathlib.Path) -> None:
    """Python files beside a library load it by its place, so they go where the new one is."""
    for path in library.resolve().parent.iterdir():
        target = folder / path.name
        if target.exists() or path.name.endswith((".cc", ".h", ".o", "_test.py")):
            continue
        if path.suffix == ".py" and path.is_file():
            shutil.copy(path, target)
        else:
            target.symlink_to(path)
