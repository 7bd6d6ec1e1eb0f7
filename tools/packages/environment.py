# SPDX-License-Identifier: Apache-2.0
"""The environment of the packages: .venv-packages, made on first use.

It holds requirements.txt, and a folder for each package, so that two versions of one package do not meet.
"""

from __future__ import annotations

import pathlib
import shutil
import subprocess
import sys

from tensorwright.tools.packages.packages import Package

HERE = pathlib.Path(__file__).resolve().parent
VENV = HERE.parents[1] / ".venv-packages"


def python() -> str:
    """The interpreter of the environment, which is made if it is not there or its requirements have changed."""
    interpreter = VENV / "bin" / "python"
    wanted = (HERE / "requirements.txt").read_text()
    noted = VENV / "installed"
    if not noted.exists() or noted.read_text() != wanted:
        print(f"making {VENV.name} (once, some minutes)", flush=True)
        if not interpreter.exists():
            _run([sys.executable, "-m", "venv", str(VENV)])
        requirements = str(HERE / "requirements.txt")
        _run([str(interpreter), "-m", "pip", *_QUIET, "install", "-r", requirements])
        noted.write_text(wanted)
    return str(interpreter)


def folder(package: Package) -> pathlib.Path:
    """Returns the folder that holds a package and its own versions of requirements, filled if it is not."""
    place = VENV / "packages" / package.name
    noted = place / "installed"
    wanted = " ".join((package.requirement, *package.beside))
    if not noted.exists() or noted.read_text() != wanted:
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir(parents=True)
        if package.source:
            _unpack(package, place)
        else:
            command = ["install", "--no-deps", "--no-build-isolation", "--target"]
            _pip(*command, str(place), package.requirement, *package.beside)
        noted.write_text(wanted)
    return place


def _unpack(package: Package, place: pathlib.Path) -> None:
    """Puts the package's source archive, unpacked, into the folder."""
    wanted = ["--no-deps", "--no-build-isolation", "--no-binary", ":all:"]
    _pip("download", *wanted, "--dest", str(place), package.requirement)
    for archive in place.glob("*.tar.gz"):
        shutil.unpack_archive(archive, place)
        archive.unlink()


_QUIET = ("--quiet", "--disable-pip-version-check")


def _pip(command: str, *args: str) -> None:
    _run([str(VENV / "bin" / "python"), "-m", "pip", *_QUIET, command, *args])


def _run(command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        last = (done.stderr.strip() or "no word").splitlines()[-1]
        raise RuntimeError(f"could not: {' '.join(command)}: {last}")
