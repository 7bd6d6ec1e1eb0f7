# SPDX-License-Identifier: Apache-2.0
"""The user's program that `tw run`, `tw trace` and `tw plan` run."""

from __future__ import annotations

import os
import pathlib
import runpy
import shutil
import subprocess
import sys
import types
from typing import Any

from tensorwright.tools.tw import suggest

_FOLDER = pathlib.Path(__file__).resolve().parent


def is_missing(command: str, script: str | None) -> bool:
    """Is there no such program, or none named?  Says so then."""
    if script is None:
        text = f"a program is wanted, as `tw {command} train.py --steps 10`"
        print(f"tw {command}: {text}; `tw {command} --help` says more", file=sys.stderr)
        return True
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


def begin_errors_with_the_program() -> None:
    """Prints an error that ends the program as Python would without `tw`: its first line is one of the program's."""
    show = sys.excepthook

    def hook(kind: type[BaseException], error: BaseException, frames: Any) -> None:
        of_program = frames
        while of_program is not None and _is_before_the_program(of_program):
            of_program = of_program.tb_next
        if of_program is not None:
            frames = of_program
        show(kind, error.with_traceback(frames), frames)

    sys.excepthook = hook


def _is_before_the_program(frame: types.TracebackType) -> bool:
    """Is it of `tw`, or of how Python starts a program?"""
    file = frame.tb_frame.f_code.co_filename
    return "runpy" in file or pathlib.Path(file).resolve().parent == _FOLDER


def run(script: str, args: list[str]) -> None:
    """Runs it as `python script args` does, with `tensorflow` as another name of tensorwright."""
    from tensorwright import compat

    compat.alias()
    begin_errors_with_the_program()
    sys.argv = [script, *args]
    # As Python does: the program finds the modules beside it.
    sys.path.insert(0, str(pathlib.Path(script).resolve().parent))
    runpy.run_path(script, run_name="__main__")
