# SPDX-License-Identifier: Apache-2.0
"""The peer, tensorflow-cpu, in a virtual environment of its own that is made on first use."""

from __future__ import annotations

import pathlib
import subprocess
import sys

VENV = pathlib.Path(__file__).resolve().parents[2] / ".venv-peer"
PEER = "tensorflow-cpu==2.21.0"


def python() -> str:
    """The peer's interpreter."""
    interpreter = VENV / "bin" / "python"
    if not (VENV / "ready").exists():
        print(f"making {VENV.name} with {PEER} (once, a few minutes)", flush=True)
        made = [sys.executable, "-m", "venv", str(VENV)]
        filled = [str(interpreter), "-m", "pip", "install", "--quiet", PEER]
        for command in (made, filled):
            if subprocess.run(command).returncode:
                sys.exit(f"could not: {' '.join(command)}. Is there a network?")
        (VENV / "ready").touch()
    return str(interpreter)
