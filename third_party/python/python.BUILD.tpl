# @python: the Python of .venv.
load("@bazel_tools//tools/python:toolchain.bzl", "py_runtime_pair")

package(default_visibility = ["//visibility:public"])

cc_library(
    name = "headers",
    hdrs = glob(["include/**/*.h"]),
    includes = ["include"],
)

# A test also depends on Python and its packages, which Bazel does not build: an upgrade makes its result an old one.
filegroup(
    name = "versions",
    srcs = ["include/patchlevel.h"] + glob(["site-packages/*.dist-info/METADATA"]),
)

py_runtime(
    name = "runtime",
    interpreter_path = "{INTERPRETER}",
    python_version = "PY3",
    stub_shebang = "#!{INTERPRETER}",
)

py_runtime_pair(
    name = "runtime_pair",
    py3_runtime = ":runtime",
)

toolchain(
    name = "toolchain",
    toolchain = ":runtime_pair",
    toolchain_type = "@bazel_tools//tools/python:toolchain_type",
)
