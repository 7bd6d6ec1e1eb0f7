# SPDX-License-Identifier: Apache-2.0
"""The user's program that `tw run`, `tw trace` and `tw plan` run."""

from __future__ import annotations

import os
import pathlib
import runpy
import shutil
import subprocess
import sys

from tensorwright.tools.tw import suggest


def is_missing(command: str, script: str) -> bool:
    """Is there no such program?  Says so then."""
    if os.path.isfile(script):
        return False
    close = suggest.files(script, "*.py")
    print(f"tw {command}: no such program: {script}{close}", file=sys.stderr)
    return True


def run_command(command: list[str]) -> int:
    """Runs another program, as make or pip: in every Python that it starts `import tensorflow` is tensorwright."""
    from tensorwright import compat

    folder = pathlib.Path(compat.__file__).parent / "as_tensorflow"
    before = os.environ.get("PYTHONPATH")
    path = os.pathsep.join([str(folder), *([before] if before else [])])
    return subprocess.run(command, env=os.environ | {"PYTHONPATH": path}).returncode


def is_command(name: str) -> bool:
    """Is it a program of this machine, and no Python program of the user's?"""
    return not os.path.isfile(name) and shutil.which(name) is not None


def run(script: str, args: list[str]) -> None:
    """Runs it as `python script args` does, with `tensorflow` as another name of tensorwright."""
    from tensorwright import compat

    compat.alias()
    sys.argv = [script, *args]
    # As Python does: the program finds the modules beside it.
    sys.path.insert(0, str(pathlib.Path(script).resolve().parent))
    runpy.run_path(script, run_name="__main__")
