# SPDX-License-Identifier: Apache-2.0
"""What pip calls: `tw build` of the environment that pip installs into."""

import os
import subprocess
import sys


def build_wheel(folder, config_settings=None, metadata_directory=None, kind="wheel"):
    # pip hides the environment's packages by PYTHON...; tensorwright is one of them.
    env = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
    tw = [sys.executable, "-m", "tensorwright.tools.tw.main", "build"]
    subprocess.run([*tw, f"--{kind}", folder], check=True, env=env)
    newest = max(
        os.scandir(folder), key=lambda f: (f.name.endswith(".whl"), f.stat().st_mtime)
    )
    return newest.name


def build_editable(folder, config_settings=None, metadata_directory=None):
    return build_wheel(folder, kind="editable")
