"""The C++ rules of rules_cc, which Bazel 4.2.3 has built in.  Debian's bazel-rules-cc needs a later Bazel."""

cc_binary = native.cc_binary
cc_import = native.cc_import
cc_library = native.cc_library
cc_proto_library = native.cc_proto_library
cc_test = native.cc_test
cc_toolchain = native.cc_toolchain
cc_toolchain_suite = native.cc_toolchain_suite
fdo_profile = native.fdo_profile
fdo_prefetch_hints = native.fdo_prefetch_hints
objc_import = native.objc_import
objc_library = native.objc_library
