# SPDX-License-Identifier: Apache-2.0
"""Horovod: the configure step of its build finds TensorFlow, its headers, flags and library, by its own CMake module."""

import glob
import os
import re
import subprocess
import sys

import tensorflow as tf

(source,) = glob.glob(os.path.join(os.environ["PACKAGE_FOLDER"], "horovod-*/"))
with open("CMakeLists.txt", "w") as file:
    file.write(
        f"""cmake_minimum_required(VERSION 3.13)
project(configure CXX)
set(PY_EXE "{sys.executable}")
list(APPEND CMAKE_MODULE_PATH "{source}cmake/Modules")
list(APPEND CMAKE_MODULE_PATH "{source}cmake")
include(Utilities OPTIONAL)
find_package(Tensorflow 1.15.0 REQUIRED)
message(STATUS "version=${{Tensorflow_VERSION}}")
message(STATUS "include=${{Tensorflow_INCLUDE_DIRS}}")
message(STATUS "libraries=${{Tensorflow_LIBRARIES}}")
message(STATUS "flags=${{Tensorflow_COMPILE_FLAGS}}")
message(STATUS "abi=${{Tensorflow_CXX11}}")
"""
    )
done = subprocess.run(
    [os.path.join(os.path.dirname(sys.executable), "cmake"), "-S", ".", "-B", "build"],
    capture_output=True,
    text=True,
    check=False,
)
assert done.returncode == 0, done.stdout + done.stderr
said = dict(re.findall(r"-- (\w+)=(.*)", done.stdout))
assert said["version"] == tf.__version__, said
assert os.path.isdir(said["include"].split(";")[0].removeprefix("-I")), said
