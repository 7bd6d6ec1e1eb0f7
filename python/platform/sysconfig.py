# SPDX-License-Identifier: Apache-2.0
"""tf.sysconfig: where the headers and libraries are, and how to compile an op against them."""

from __future__ import annotations

import glob
import os
from typing import Any

from tensorwright.python.framework import versions

CXX11_ABI_FLAG: int = versions.CXX11_ABI_FLAG
CXX_VERSION = 202002
MONOLITHIC_BUILD = 0


def _root() -> str:
    here = os.path.abspath(__file__)
    return os.path.dirname(os.path.dirname(os.path.dirname(here)))


def get_include() -> str:
    """The folder to give to -I for `#include "tensorflow/core/framework/op.h"`."""
    return os.path.join(_root(), "include")


def get_lib() -> str:
    """The folder of libtensorwright.so."""
    return _root()


def get_compile_flags() -> list[str]:
    """Compiler flags for a custom op: include folders, language version, ABI."""
    include = get_include()
    folders = [include, os.path.join(include, "external")]
    folders += sorted(glob.glob(os.path.join(include, "external", "*")))
    flags = [f"-I{folder}" for folder in folders if os.path.isdir(folder)]
    return [*flags, "-std=c++20", f"-D_GLIBCXX_USE_CXX11_ABI={CXX11_ABI_FLAG}"]


def get_link_flags() -> list[str]:
    """Linker flags for a custom op."""
    return [f"-L{get_lib()}", "-l:libtensorwright.so", f"-Wl,-rpath,{get_lib()}"]


def get_build_info() -> dict[str, Any]:
    """Whether this build has GPU code: {"is_cuda_build": bool, ...}."""
    from tensorwright.python import _pywrap

    return {
        "is_cuda_build": _pywrap.is_built_with_cuda(),
        "is_rocm_build": False,
        "is_tensorrt_build": False,
    }
