# SPDX-License-Identifier: Apache-2.0
"""Versions of the package, its compiler and the GraphDefs it reads and writes."""

import platform

VERSION = __version__ = "1.15.0"
GIT_VERSION = __git_version__ = "tensorwright"
COMPILER_VERSION = __compiler_version__ = platform.python_compiler()
GRAPH_DEF_VERSION = 24
GRAPH_DEF_VERSION_MIN_CONSUMER = 0
GRAPH_DEF_VERSION_MIN_PRODUCER = 0
CXX11_ABI_FLAG = __cxx11_abi_flag__ = 1
CXX_VERSION = __cxx_version__ = 202002
MONOLITHIC_BUILD = __monolithic_build__ = 0
