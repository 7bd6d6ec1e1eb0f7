# SPDX-License-Identifier: Apache-2.0
"""Packs what a machine with a card needs to check the GPU library: no Bazel, no pip and no network there.

Usage: .venv/bin/python tools/dev/gpu_bundle.py [-o OUT.tar.xz]
after `bazel build --config=cuda //:libtensorwright_gpu.so` and `bazel build //tools/dev:environment`.

The archive holds `bundle/`: the package as ./run imports it, the GPU library, Python itself with NumPy and what else
the package imports, the examples, the benchmarks and gpu.sh.  On the other machine:

    tar -xJf OUT.tar.xz && bundle/gpu.sh

Fails with FileNotFoundError, naming the file, if one of them has not been built.
"""

from __future__ import annotations

import argparse
import pathlib
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
ENVIRONMENT = ROOT / "bazel-bin/tools/dev/environment.runfiles/tensorwright"
LIBRARY = ROOT / "bazel-bin/libtensorwright_gpu.so"
# The package imports these; requirements.txt pins them.
PACKAGES = ["numpy", "numpy.libs", "ml_dtypes", "google", "absl"]
# No run needs them, and a machine takes so many bytes only.
LEFT_OUT = shutil.ignore_patterns(
    "__pycache__",
    "test",
    "tests",
    "*.a",
    "*.pyi",
    "idlelib",
    "tkinter",
    "ensurepip",
    "lib2to3",
    "turtledemo",
    "config-3*",
    "site-packages",
    "dist-packages",
)


def _copy(source: pathlib.Path, target: pathlib.Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    if source.is_dir():
        shutil.copytree(source, target, ignore=LEFT_OUT, dirs_exist_ok=True)
    else:
        shutil.copy(source, target)


def _copy_system_libraries(bundle: pathlib.Path, libraries: list[pathlib.Path]) -> None:
    """Lists the libraries of this machine that ours need, such as abseil's; the C and C++ libraries are on any machine."""
    for library in libraries:
        printed = subprocess.run(
            ["ldd", library], check=True, text=True, stdout=subprocess.PIPE
        ).stdout
        for line in printed.splitlines():
            _, arrow, found = line.partition(" => ")
            path = pathlib.Path(found.split(" (")[0])
            if not arrow or not path.is_file() or path.is_relative_to(bundle):
                continue
            if not re.match(
                r"lib(c|m|dl|rt|pthread|resolv|stdc\+\+|gcc_s)\.so", path.name
            ):
                _copy(path, bundle / "python" / "lib" / path.name)


def _copy_python(bundle: pathlib.Path) -> None:
    """The interpreter that runs this, its library and its standard modules: PYTHONHOME is bundle/python."""
    paths = sysconfig.get_paths()
    base = pathlib.Path(sys.base_prefix)
    version = f"python{sys.version_info[0]}.{sys.version_info[1]}"
    target = bundle / "python"
    executable = pathlib.Path(sys.executable).resolve()
    _copy(executable, target / "bin" / "python3")
    shared = base / "lib" / f"lib{version}.so.1.0"
    if shared.exists():
        _copy(shared, target / "lib" / shared.name)
    _copy(pathlib.Path(paths["stdlib"]), target / "lib" / version)
    # Beside our package: where Python itself looks differs between makers of Python.
    site = bundle / "site"
    for name in PACKAGES:
        source = pathlib.Path(paths["purelib"]) / name
        if source.exists():
            _copy(source, site / name)


def _copy_package(bundle: pathlib.Path) -> None:
    package = bundle / "site" / "tensorwright"
    shutil.copytree(
        ENVIRONMENT,
        package,
        ignore=shutil.ignore_patterns("__pycache__", "third_party", "*.pyi"),
    )
    # Bazel has the library twice: one stays a link.
    whole = package / "libtensorwright.so"
    for twin in package.glob("_solib_*/*/libtensorwright.so"):
        twin.unlink()
        twin.symlink_to(pathlib.Path("../..") / whole.name)
    _copy(LIBRARY, package / LIBRARY.name)


def pack(out: pathlib.Path) -> None:
    for needed in [ENVIRONMENT, LIBRARY]:
        if not needed.exists():
            raise FileNotFoundError(
                f"{needed} has not been built: see the top of this file"
            )
    with tempfile.TemporaryDirectory() as folder:
        bundle = pathlib.Path(folder) / "bundle"
        _copy_package(bundle)
        _copy_python(bundle)
        for name in ["examples", "benchmarks"]:
            _copy(ROOT / name, bundle / name)
        _copy(ROOT / "python/kernel_tests/gpu", bundle / "cases")
        _copy(ROOT / "tools/dev/gpu.sh", bundle / "gpu.sh")
        # Ours alone: strip spoils libraries that wheels have had patched.
        ours = [
            p
            for p in (bundle / "site/tensorwright").rglob("*.so*")
            if p.is_file() and not p.is_symlink()
        ]
        for library in ours:
            library.chmod(0o755)
            subprocess.run(["strip", "-g", library], check=True)
        _copy_system_libraries(bundle, ours)
        subprocess.run(["tar", "-C", folder, "-cJf", out, "bundle"], check=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "-o", "--out", type=pathlib.Path, default=ROOT / "gpu_bundle.tar.xz"
    )
    args = parser.parse_args()
    pack(args.out.resolve())
    print(f"{args.out}: {args.out.stat().st_size / 2**20:.1f} MiB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
