# SPDX-License-Identifier: Apache-2.0
"""Compiles each header that custom ops use as the only include, and the corpus of op sources, by several standards.

    tools/dev/try_headers.py WHEEL [--all] [--only TEXT] [--part I/N] [--jobs N]

Headers and flags are the wheel's.  A header must bring `namespace tensorflow` with its names of
strings, integers and statuses, and give no warning.  Without --all it is every second header of ours, the standards
taking turns, and one source in six of the corpus; with it every path by every standard, which takes an hour of two cores.
--only takes those whose path has the text, as "corpus/"; --part takes every N-th, from the I-th on.
Where nvcc is, it compiles the headers that kernels for GPUs include, and may not warn either.
"""

import argparse
import concurrent.futures
import itertools
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator

TENSORFLOW = pathlib.Path(__file__).resolve().parents[2] / "third_party/tensorflow"
# third_party/tensorflow/standards_test.py covers C++11, for the headers that every op includes.
STANDARDS = ("14", "17", "20")
# Sources that were written in C++17.
NOT_AS_14 = {"later_spellings.cc"}

# Headers of ops and of kernels for GPUs; nvcc takes 10 seconds for each.
BY_NVCC = (
    "tensorflow/core/framework/op_kernel.h",
    "tensorflow/core/util/gpu_kernel_helper.h",
)

USE = """\
#include "{header}"
tensorflow::string text;
tensorflow::int64 number = 1;
tensorflow::uint32 bits = 2;
tensorflow::Status status;
namespace tensorflow {{
static_assert(sizeof(int64) == 8 && sizeof(uint8) == 1, "sizes of integers");
}}
"""


def flags_of(package: str) -> list[str]:
    """The flags that an author gets from the package in a folder, but for the standard."""
    program = (
        "import tensorwright as tf; print(*tf.sysconfig.get_compile_flags(), sep='\\n')"
    )
    printed = subprocess.run(
        [sys.executable, "-c", program],
        check=True,
        text=True,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": package},
    ).stdout
    return [flag for flag in printed.splitlines() if not flag.startswith("-std=")]


def headers() -> list[str]:
    lines = (TENSORFLOW / "headers.txt").read_text().splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def leads_to(header: str, flags: list[str]) -> str:
    """Which header of ours a path of TensorFlow's includes: several paths may lead to one."""
    for folder in (flag[2:] for flag in flags if flag.startswith("-I")):
        path = pathlib.Path(folder, header)
        if path.exists():
            included = re.findall(r'^#include "(.*)"', path.read_text(), re.MULTILINE)
            return included[-1] if included else header
    return header


def jobs(flags: list[str], everything: bool) -> Iterator[tuple[str, str, str]]:
    """Yields (description, standard, source) of each compilation; a source of one line is a path."""
    wanted = headers()
    if not everything:
        by_target = {leads_to(header, flags): header for header in wanted}
        wanted = sorted(by_target.values())[::2]
    turns = itertools.cycle(STANDARDS)
    for header in wanted:
        for standard in STANDARDS if everything else (next(turns),):
            yield header, standard, USE.format(header=header)
    turns = itertools.cycle(STANDARDS)
    sources = [
        path
        for path in sorted((TENSORFLOW / "corpus").glob("*.cc"))
        if not path.name.endswith(".cu.cc")
    ]
    for source in sources if everything else sources[::6]:
        for standard in STANDARDS if everything else (next(turns),):
            if standard == "14" and source.name in NOT_AS_14:
                continue
            yield f"corpus/{source.name}", standard, str(source)


def compile_one(job: tuple[str, str, str], flags: list[str]) -> str:
    """Returns the compiler's messages, "" if it had none."""
    what, standard, source = job
    is_path = "\n" not in source
    # Sources of the corpus ignore statuses, as 1.x let them.
    options = ["-Wno-unused-result"] if is_path else ["-Wall", "-Werror"]
    command = ["g++", *flags, f"-std=c++{standard}", "-fsyntax-only", *options]
    command += [source] if is_path else ["-x", "c++", "-"]
    done = subprocess.run(
        command,
        input=None if is_path else source,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    if done.returncode == 0:
        return ""
    first = [line for line in done.stdout.splitlines() if "error" in line][:3]
    return "\n".join([f"{what}, C++{standard}:", *first, shlex.join(command)])


def find_nvcc() -> str | None:
    """Returns the nvcc that `tw build` takes, None if there is none."""
    home = os.environ.get("CUDA_HOME", "/usr/local/cuda")
    return shutil.which("nvcc", path=os.path.join(home, "bin")) or shutil.which("nvcc")


def compile_by_nvcc(header: str, nvcc: str, flags: list[str]) -> str:
    """Returns the messages of nvcc, "" if it had none."""
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder, "use.cu.cc")
        source.write_text(
            "#define EIGEN_USE_GPU\n#define EIGEN_USE_THREADS\n"
            + USE.format(header=header)
        )
        wanted = [flag for flag in flags if flag.startswith(("-I", "-D"))]
        command = [nvcc, "-std=c++17", "-x", "cu", "-DGOOGLE_CUDA=1", *wanted]
        command += ["--expt-relaxed-constexpr", "--Werror", "all-warnings"]
        command += ["-c", str(source), "-o", str(source.with_suffix(".o"))]
        done = subprocess.run(command, text=True, capture_output=True)
    if done.returncode == 0:
        return ""
    said = [line for line in done.stderr.splitlines() if re.search("warn|error", line)]
    return "\n".join([f"{header}, nvcc:", *said[:3], shlex.join(command)])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("wheel", help="the .whl file")
    parser.add_argument("--all", action="store_true", help="every path, every standard")
    parser.add_argument("--only", default="", metavar="TEXT")
    parser.add_argument("--part", default="1/1", metavar="I/N")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    args = parser.parse_args()
    part, parts = map(int, args.part.split("/"))
    if not 1 <= part <= parts:
        parser.error(f"--part: needs I/N with 1 <= I <= N, got {args.part}")
    with tempfile.TemporaryDirectory() as folder:
        zipfile.ZipFile(args.wheel).extractall(folder)
        flags = flags_of(folder)
        todo = [job for job in jobs(flags, args.all) if args.only in job[0]]
        todo = todo[part - 1 :: parts]
        with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
            said = list(pool.map(lambda job: compile_one(job, flags), todo))
            if nvcc := find_nvcc():
                said += pool.map(lambda h: compile_by_nvcc(h, nvcc, flags), BY_NVCC)
    failed = [text for text in said if text]
    for text in failed:
        print(text)
    print(f"{len(said) - len(failed)} of {len(said)} compile")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
