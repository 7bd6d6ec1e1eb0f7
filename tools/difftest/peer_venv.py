# SPDX-License-Identifier: Apache-2.0
"""The peer, tensorflow-cpu, in a virtual environment of its own that is made on first use."""

from __future__ import annotations

import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PEER = "tensorflow-cpu==2.21.0"
# Keras as it was before its third release, which stands for tf.keras.
KERAS = "tf_keras==2.21.0"


def python() -> str:
    """The peer's interpreter."""
    return _made(ROOT / ".venv-peer", [PEER])


def python_with_keras() -> str:
    """The interpreter of another environment, where the peer has tf_keras too."""
    return _made(ROOT / ".venv-peer-keras", [PEER, KERAS])


def _made(venv: pathlib.Path, packages: list[str]) -> str:
    """The interpreter of an environment with these packages, which is made if it is not there."""
    interpreter = venv / "bin" / "python"
    if not (venv / "ready").exists():
        told = " and ".join(packages)
        print(f"making {venv.name} with {told} (once, a few minutes)", flush=True)
        made = [sys.executable, "-m", "venv", str(venv)]
        filled = [str(interpreter), "-m", "pip", "install", "--quiet", *packages]
        for command in (made, filled):
            if subprocess.run(command).returncode:
                sys.exit(f"could not: {' '.join(command)}. Is there a network?")
        (venv / "ready").touch()
    return str(interpreter)
