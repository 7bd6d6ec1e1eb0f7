# SPDX-License-Identifier: Apache-2.0
"""The compiler's and the linker's flags for building an op against this package."""

import glob
import os
import sys

from tensorwright.python import _pywrap
from tensorwright.python.framework.versions import (  # noqa: F401
    CXX11_ABI_FLAG as CXX11_ABI_FLAG,
    CXX_VERSION as CXX_VERSION,
    MONOLITHIC_BUILD as MONOLITHIC_BUILD,
)


def _package_folder() -> str:
    file = sys.modules["tensorwright"].__file__
    assert file is not None
    return os.path.dirname(os.path.abspath(file))


def get_include() -> str:
    """The folder of the headers, in which `tensorflow/core/...` lies too."""
    installed = os.path.join(_package_folder(), "include")
    return installed if os.path.isdir(installed) else os.path.dirname(_package_folder())


def get_lib() -> str:
    """The folder of the shared library."""
    return _package_folder()


def get_compile_flags() -> list[str]:
    """Flags for the compiler."""
    include = get_include()
    flags = [f"-I{include}"]
    for below in ("external/eigen", "external/absl", "external/protobuf"):
        path = os.path.join(include, below)
        if os.path.isdir(path):
            flags += ["-isystem", path]
    flags += [f"-D_GLIBCXX_USE_CXX11_ABI={CXX11_ABI_FLAG}", "-std=c++17"]
    # As our headers say too: for those that open the namespace before they include one.
    return [*flags, "-Dtensorflow=tensorwright"]


def get_link_flags() -> list[str]:
    """Flags for the linker.

    `tf.load_op_library` needs no search path at run time: the library is loaded
    already.
    """
    folder = get_lib()
    flags = [f"-L{folder}", "-l:libtensorwright.so"]
    # Libraries that auditwheel put beside the package.
    bundled = os.path.join(os.path.dirname(folder), "tensorwright.libs")
    if glob.glob(os.path.join(bundled, "*.so*")):
        flags.append(f"-Wl,-rpath-link,{bundled}")
    return flags


def get_build_info() -> dict[str, object]:
    """How the package was built; a GPU library counts once a session has loaded it."""
    # Every build can pass tensors on on a GPU; kernels that compute there are the library's.
    devices = {k["device"] for k in _pywrap.kernel_registrations("Tanh")}
    return {
        "is_cuda_build": "GPU" in devices,
        "is_rocm_build": False,
        "is_tensorrt_build": False,
    }
