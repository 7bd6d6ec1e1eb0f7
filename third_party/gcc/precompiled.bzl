"""cc_precompiled_header: parses the headers that all files of a layer include once instead of in each file.

The framework's headers with abseil, protobuf and the standard library behind them are 150,000 lines: 2.5 s of each
file's compilation, half of the whole build.  GCC maps a precompiled header in 0.1 s.

    cc_precompiled_header(
        name = "precompiled",
        includes = ["core/framework/op_kernel.h"],
        copts = TF_COPTS,   # as in the rules that use it, or GCC does not take it
        deps = [":framework_headers"],
    )

writes `precompiled.h` and `precompiled.h.gch`; a rule takes what `precompiled("//core/framework:precompiled")` gives.
Files still include what they use: `--config=plain` builds without.

GCC's list of a file's headers, by which Bazel knows what to compile again, names what the precompiled header brings too:
the header is made with a list of its own (-MD), which GCC keeps in it, and -fpch-deps has it copied.
"""

load("@bazel_tools//tools/build_defs/cc:action_names.bzl", "CPP_COMPILE_ACTION_NAME")
load("@bazel_tools//tools/cpp:toolchain_utils.bzl", "find_cpp_toolchain")

# GCC writes its memory out, pointers and the order of hash tables by them included.  Where addresses are random, two
# machines, or two checkouts, get different bytes from the same headers, and everything compiled with one is news to the
# build cache of the other.  A container may forbid to fix them: then the bytes differ.
_WITH_FIXED_ADDRESSES = "if setarch -R true 2>/dev/null; then exec setarch -R \"$@\"; else exec \"$@\"; fi"

def _cc_precompiled_header_impl(ctx):
    toolchain = find_cpp_toolchain(ctx)
    features = cc_common.configure_features(
        ctx = ctx,
        cc_toolchain = toolchain,
        requested_features = ctx.features,
        unsupported_features = ctx.disabled_features,
    )
    deps = cc_common.merge_cc_infos(cc_infos = [dep[CcInfo] for dep in ctx.attr.deps])
    compilation = deps.compilation_context

    header = ctx.actions.declare_file(ctx.label.name + ".h")
    ctx.actions.write(header, "".join(["#include %s\n" % (
        i if i.startswith("<") else "\"%s\"" % i
    ) for i in ctx.attr.includes]))

    gch = ctx.actions.declare_file(ctx.label.name + ".h.gch")
    headers_of_gch = ctx.actions.declare_file(ctx.label.name + ".h.d")
    variables = cc_common.create_compile_variables(
        cc_toolchain = toolchain,
        feature_configuration = features,
        include_directories = compilation.includes,
        output_file = gch.path,
        preprocessor_defines = compilation.defines,
        quote_include_directories = compilation.quote_includes,
        source_file = header.path,
        system_include_directories = compilation.system_includes,
        use_pic = True,
        user_compile_flags = ctx.fragments.cpp.copts + ctx.fragments.cpp.cxxopts + ctx.attr.copts,
    )
    flags = cc_common.get_memory_inefficient_command_line(
        action_name = CPP_COMPILE_ACTION_NAME,
        feature_configuration = features,
        variables = variables,
    )
    ctx.actions.run_shell(
        command = _WITH_FIXED_ADDRESSES,
        arguments = [toolchain.compiler_executable, "-x", "c++-header", "-MD", "-MF", headers_of_gch.path] + flags,
        env = cc_common.get_environment_variables(
            action_name = CPP_COMPILE_ACTION_NAME,
            feature_configuration = features,
            variables = variables,
        ),
        inputs = depset([header], transitive = [compilation.headers, toolchain.all_files]),
        mnemonic = "CppPrecompile",
        outputs = [gch, headers_of_gch],
        progress_message = "Precompiling %s" % header.short_path,
    )
    mine = CcInfo(compilation_context = cc_common.create_compilation_context(
        headers = depset([header, gch]),
    ))
    return [
        DefaultInfo(files = depset([header, gch])),
        cc_common.merge_cc_infos(cc_infos = [mine, CcInfo(compilation_context = compilation)]),
    ]

cc_precompiled_header = rule(
    implementation = _cc_precompiled_header_impl,
    attrs = {
        "copts": attr.string_list(),
        "deps": attr.label_list(providers = [CcInfo]),
        "includes": attr.string_list(mandatory = True),
        "_cc_toolchain": attr.label(default = "@bazel_tools//tools/cpp:current_cc_toolchain"),
    },
    fragments = ["cpp"],
    toolchains = ["@bazel_tools//tools/cpp:toolchain_type"],
)

def precompiled(label):
    """(copts, deps) that make a cc rule use the cc_precompiled_header `label`; nothing under --config=plain or for None."""
    if not label:
        return [], []
    path = label.replace("//", "").replace(":", "/") + ".h"
    copts = select({
        "//third_party/gcc:plain": [],
        "//conditions:default": ["-include", path, "-fpch-deps"],
    })
    deps = select({
        "//third_party/gcc:plain": [],
        "//conditions:default": [label],
    })
    return copts, deps
