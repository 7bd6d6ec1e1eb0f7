"""The rules of rules_proto, which Bazel 4.2.3 has built in."""

proto_lang_toolchain = native.proto_lang_toolchain
proto_library = native.proto_library

