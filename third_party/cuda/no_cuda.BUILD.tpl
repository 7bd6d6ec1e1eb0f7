# @cuda on a machine without CUDA.
package(default_visibility = ["//visibility:public"])

cc_library(name = "headers")

cc_library(name = "runtime")
