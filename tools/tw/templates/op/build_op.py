# SPDX-License-Identifier: Apache-2.0
"""Lets pip call `tw build` of the environment that pip installs into."""

import os
import subprocess
import sys


def build_wheel(folder, config_settings=None, metadata_directory=None, kind="wheel"):
    # pip hides the environment's packages by PYTHON...; tensorwright is one of them.
    env = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
    tw = [sys.executable, "-m", "tensorwright.tools.tw.main", "build"]
    done = subprocess.run([*tw, f"--{kind}", folder], env=env, stdout=subprocess.PIPE)
    sys.stdout.write(done.stdout.decode())
    done.check_returncode()
    return os.path.basename(done.stdout.decode().splitlines()[-1])


def build_editable(folder, config_settings=None, metadata_directory=None):
    return build_wheel(folder, kind="editable")
