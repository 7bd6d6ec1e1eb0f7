# SPDX-License-Identifier: Apache-2.0
"""Writes the wheel tensorwright-cluster: build_cluster_package OUTPUT_FOLDER.

It holds libtensorwright_distributed.so and what gRPC brings that the wheel of tensorwright has not, and
libtensorwright_mpi.so without MPI, which is the system's.  A process must have
one protobuf and one abseil: messages and Status go from one library to the other.  So none that the first wheel has is in
here, and no library in here names one: the loader finds their functions through libtensorwright.so, which
both do name, whatever auditwheel called the copies beside it.
"""

from __future__ import annotations

import pathlib
import shutil
import subprocess
import sys
import tempfile

from tensorwright.tools.pip_package import components, wheel_parts
from tensorwright.tools.pip_package.wheel_parts import TREE, VERSION, copy

NAME = "tensorwright-cluster"
PACKAGE = "tensorwright_cluster"
LIBRARIES = [
    "core/distributed_runtime/libtensorwright_distributed.so",
    "core/distributed_runtime/mpi/libtensorwright_mpi.so",
]
# The loader finds everything else through this library's functions.
FIRST = "libtensorwright.so"
# Never in a wheel: ranks that talk to each other have one and the same.
MPI = "libmpi.so.*"

README = """\
Servers of clusters, and sessions on them, for tensorwright: `tf.train.Server` and `tf.Session("grpc://host:port")` need this wheel, and nothing else does.

`pip install tensorwright-cluster[ray]` brings Ray too, on which `tensorwright.cluster.ray` starts clusters.
"""

INIT = '''\
# SPDX-License-Identifier: Apache-2.0
"""The libraries of clusters, which `tensorwright` finds here and loads when a program asks for them."""
'''


def needed(library: pathlib.Path) -> list[str]:
    """The libraries that `library` names itself."""
    return wheel_parts.patchelf(library, "--print-needed").split()


def beside(theirs: set[str]) -> list[pathlib.Path]:
    """The libraries that the wheel brings: not the system's, MPI's, the first wheel's, nor what MPI alone needs."""
    (library, *_) = LIBRARIES
    return [
        path
        for name, path in components.behind((TREE / library).resolve()).items()
        if not components.SYSTEM.fullmatch(name) and name not in {FIRST, *theirs}
    ]


def stage_package(package: pathlib.Path) -> None:
    """The package: the libraries, and a module to find them by."""
    package.mkdir(parents=True)
    (package / "__init__.py").write_text(INIT)
    for library in LIBRARIES:
        target = package / pathlib.Path(library).name
        copy(TREE / library, target)
        subprocess.run(["strip", "--strip-unneeded", target], check=True)
        # The first wheel's library is beside this one's package.
        wheel_parts.patchelf(target, "--set-rpath", "$ORIGIN/../tensorwright")


def forget(folder: pathlib.Path, names: set[str]) -> None:
    """Takes from the libraries in `folder` that they need one of `names`."""
    for library in folder.rglob("*.so*"):
        for name in needed(library):
            if name in names:
                wheel_parts.patchelf(library, "--remove-needed", name)


def main(argv: list[str]) -> None:
    output = wheel_parts.output_folder(argv, "build_cluster_package")
    with tempfile.TemporaryDirectory() as scratch:
        stage = pathlib.Path(scratch, "stage")
        package = stage / PACKAGE
        stage_package(package)
        theirs = {
            n
            for n in components.behind((TREE / FIRST).resolve())
            if not components.SYSTEM.fullmatch(n)
        }
        wheel_parts.stage_metadata(
            stage,
            NAME,
            "Clusters for tensorwright: servers, and sessions on them, over gRPC",
            "py3-none-linux_x86_64",
            [
                # Built together: one library calls into the other.
                f"Requires-Dist: tensorwright=={VERSION}",
                "Provides-Extra: ray",
                "Requires-Dist: ray>=2.40,<3; extra == 'ray'",
            ],
            README,
            components.of_libraries(beside(theirs)),
        )
        places = [pathlib.Path(sys.prefix, "lib"), (TREE / FIRST).resolve().parent]
        wheel = wheel_parts.repair(
            stage, pathlib.Path(scratch), places, {FIRST, MPI, *theirs}
        )

        # auditwheel keeps the names of the libraries that it leaves out.
        wheel_parts.run_tool("wheel", "unpack", wheel, "--dest", scratch)
        unpacked = pathlib.Path(scratch, f"{PACKAGE}-{VERSION}")
        forget(unpacked, theirs)
        output.mkdir(parents=True, exist_ok=True)
        wheel.unlink()
        wheel_parts.run_tool("wheel", "pack", unpacked, "--dest-dir", scratch)
        made = next(pathlib.Path(scratch).glob("*.whl"))
        wheel_parts.report(pathlib.Path(shutil.move(made, output / made.name)))


if __name__ == "__main__":
    main(sys.argv[1:])
