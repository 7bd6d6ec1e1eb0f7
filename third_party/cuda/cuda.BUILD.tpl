# @cuda: the toolkit found on this machine.
package(default_visibility = ["//visibility:public"])

# thrust and cub (CUDA 13: include/cccl) are found by nvcc itself.
cc_library(
    name = "headers",
    hdrs = glob(["include/*.h", "include/*.hpp", "include/crt/**"]),
    includes = ["include"],
)

# The static runtime: a GPU build then needs no libcudart beside it.
cc_library(
    name = "runtime",
    srcs = ["lib64/libcudart_static.a"],
    linkopts = ["-ldl", "-lpthread", "-lrt"],
    deps = [":headers"],
)
