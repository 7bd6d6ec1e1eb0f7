# SPDX-License-Identifier: Apache-2.0
"""Runs a command without the system's libraries and headers.

Usage: without_system_libraries.py [--headers] COMMAND...

Of the system's libraries, only those stay that glibc, GCC's run-time, Python, the
shell and the compiler themselves need, and nothing of /usr/include: the command finds no
abseil, protobuf, oneDNN or Eigen except those that it brings.  The Python that stays is
the one that runs this script.  With --headers, the headers of the C and C++ standard
libraries stay too.

The changes are the command's own: it runs in a mount namespace, as root of a user
namespace if this process is not root.  If this machine allows no such namespaces, the
exit status is 77, and a line says so.
"""

from __future__ import annotations

import ctypes
import glob
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable

NOT_POSSIBLE = 77

# <sched.h> and <sys/mount.h>.
_CLONE_NEWNS, _CLONE_NEWUSER = 0x00020000, 0x10000000
_MS_BIND, _MS_REC, _MS_PRIVATE = 0x1000, 0x4000, 0x40000

_INCLUDE = pathlib.Path("/usr/include")

# The C and C++ standard libraries: run-time, start-up code, the linker's scripts, headers.
_STANDARD = (
    "libc6",
    "libc6-dev",
    "libcrypt1",
    "libcrypt-dev",
    "linux-libc-dev",
    "libgcc-s1",
    "libgcc-*-dev",
    "libstdc++6",
    "libstdc++-*-dev",
)

# Programs that commands use, and those that the compiler starts.
_PROGRAMS = ("bash", "cat", "cp", "env", "g++", "as", "ld")
_OF_THE_COMPILER = ("cc1plus", "collect2", "lto-wrapper", "liblto_plugin.so")

# Window systems of Python's standard library, which need libraries for fonts and images.
_NOT_NEEDED = re.compile(r"/_tkinter\.")

_UNSET = (
    "C_INCLUDE_PATH",
    "CPATH",
    "CPLUS_INCLUDE_PATH",
    "LD_LIBRARY_PATH",
    "LD_PRELOAD",
    "LIBRARY_PATH",
    "PYTHONPATH",
)


def _output(*command: str) -> str:
    """Returns the output of `command`, "" if it fails or does not exist."""
    try:
        return subprocess.run(
            command, capture_output=True, check=False, text=True
        ).stdout
    except FileNotFoundError:
        return ""


def _standard_files() -> list[pathlib.Path]:
    """The files of the packages _STANDARD that are installed."""
    installed = _output(
        "dpkg-query", "-W", "-f", "${db:Status-Abbrev}${binary:Package}\n", *_STANDARD
    )
    packages = [line[2:].strip() for line in installed.splitlines() if line[:2] == "ii"]
    paths = map(pathlib.Path, _output("dpkg", "-L", *packages).splitlines())
    return [p for p in paths if p.is_symlink() or p.is_file()]


def _linked() -> set[pathlib.Path]:
    """The libraries that Python, the shell and the compiler link, where the loader finds them."""
    # Beside the standard library, which an environment has not.
    modules = glob.glob(os.path.dirname(os.__file__) + "/lib-dynload/*.so")
    files = [sys.executable, *(m for m in modules if not _NOT_NEEDED.search(m))]
    files += filter(None, map(shutil.which, _PROGRAMS))
    for name in _OF_THE_COMPILER:
        files += [
            _output("g++", f"-print-{kind}-name={name}").strip()
            for kind in ("prog", "file")
        ]
    found = _output("ldd", *filter(os.path.isfile, files))
    return {pathlib.Path(path) for path in re.findall(r"=> (/\S+) \(", found)}


def _library_folders() -> set[pathlib.Path]:
    """Returns the folders that the loader searches: those of its cache."""
    cache = _output("/sbin/ldconfig", "-p")
    return {
        pathlib.Path(path).parent.resolve() for path in re.findall(r"=> (/\S+)", cache)
    }


def _copy(files: Iterable[pathlib.Path], root: pathlib.Path, to: pathlib.Path) -> None:
    """Copies those of `files` that are under `root`, links as links."""
    for path in files:
        if path.is_relative_to(root):
            target = to / path.relative_to(root)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(path, target, follow_symlinks=False)


def _fill(box: pathlib.Path, main: pathlib.Path, headers: bool) -> None:
    """Makes box/libraries, to be seen as `main`, and box/include, to be seen as /usr/include."""
    for name in ("empty", "include", "libraries"):
        (box / name).mkdir()
    (box / "cache").touch()
    standard = _standard_files()
    # A merged /usr has two names.  Only files are copied, no folder of plugins.
    beside = [p.parent.resolve() / p.name for p in standard]
    _copy((p for p in beside if p.parent == main), main, box / "libraries")
    for path in _linked():
        target = box / "libraries" / path.name
        if not target.exists():
            shutil.copy2(path, target)
    if headers:
        _copy(standard, _INCLUDE, box / "include")


def _call(libc: ctypes.CDLL, name: str, *arguments: object) -> None:
    if getattr(libc, name)(*arguments) != 0:
        error = ctypes.get_errno()
        raise OSError(error, f"{name}: {os.strerror(error)}")


def _own_mounts(libc: ctypes.CDLL) -> None:
    """From here on this process mounts for itself alone."""
    user, group = os.geteuid(), os.getegid()
    try:
        _call(libc, "unshare", _CLONE_NEWNS)
    except PermissionError:
        _call(libc, "unshare", _CLONE_NEWUSER | _CLONE_NEWNS)
        pathlib.Path("/proc/self/setgroups").write_text("deny")
        pathlib.Path("/proc/self/uid_map").write_text(f"0 {user} 1")
        pathlib.Path("/proc/self/gid_map").write_text(f"0 {group} 1")
    _call(libc, "mount", b"none", b"/", None, _MS_REC | _MS_PRIVATE, None)


def _cover(libc: ctypes.CDLL, path: pathlib.Path, by: pathlib.Path) -> None:
    if path.exists():
        _call(libc, "mount", os.fsencode(by), os.fsencode(path), None, _MS_BIND, None)


def _enter(box: pathlib.Path, main: pathlib.Path) -> None:
    """Puts the box over the system's folders, for this process and its children."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.mount.argtypes = [ctypes.c_char_p] * 3 + [ctypes.c_ulong, ctypes.c_char_p]
    _own_mounts(libc)
    folders = _library_folders() | {pathlib.Path("/usr/local/include")}
    for folder in sorted(folders - {main}):
        # A folder of Python itself or of a link to `main` has more in it than libraries.
        if folder not in (pathlib.Path("/usr/lib"), pathlib.Path("/lib")):
            _cover(libc, folder, box / "empty")
    _cover(libc, _INCLUDE, box / "include")
    _cover(libc, pathlib.Path("/etc/ld.so.cache"), box / "cache")
    _cover(libc, main, box / "libraries")


def main(argv: list[str]) -> int:
    headers = argv[:1] == ["--headers"]
    command = argv[headers:]
    if not command:
        print(__doc__, file=sys.stderr)
        return 2
    # Debian keeps glibc in a folder for this kind of machine.
    libraries = next(p.parent.resolve() for p in _linked() if p.name == "libc.so.6")
    with tempfile.TemporaryDirectory() as folder:
        box = pathlib.Path(folder)
        _fill(box, libraries, headers)
        child = os.fork()
        if child == 0:
            try:
                _enter(box, libraries)
            except OSError as error:
                print(
                    f"without_system_libraries.py: no namespaces here: {error}",
                    file=sys.stderr,
                )
                os._exit(NOT_POSSIBLE)
            environment = {k: v for k, v in os.environ.items() if k not in _UNSET}
            os.execvpe(command[0], command, environment)
        _, status = os.waitpid(child, 0)
        return os.waitstatus_to_exitcode(status)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
