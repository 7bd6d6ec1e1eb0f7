"""nvcc_library: compiles *.cu.cc files with nvcc for the GPUs we name, as a C++ library."""

load("@bazel_tools//tools/cpp:toolchain_utils.bzl", "find_cpp_toolchain")
load("@cuda//:defs.bzl", "CUDA_FOUND", "NVCC")

# A100 (sm_80) and H100/H200 (sm_90) get machine code; PTX serves later ones.
_ARCHITECTURES = [
    "-gencode=arch=compute_80,code=sm_80",
    "-gencode=arch=compute_90,code=sm_90",
    "-gencode=arch=compute_90,code=compute_90",
]

_FLAGS = [
    "-x",
    "cu",
    "-std=c++20",
    "-O2",
    "--expt-relaxed-constexpr",
    "--expt-extended-lambda",
    "-Xcompiler=-fPIC,-O2,-Wall,-Wextra,-Werror,-Wno-unused-parameter",
    # Eigen's host functions called from device lambdas, and unused ones of templates.
    "-Xcudafe=--diag_suppress=20012,--diag_suppress=20014,--diag_suppress=177",
]

def _nvcc_library_impl(ctx):
    if not CUDA_FOUND:
        return [CcInfo()]
    cc_info = cc_common.merge_cc_infos(cc_infos = [dep[CcInfo] for dep in ctx.attr.deps])
    compilation = cc_info.compilation_context
    objects = []
    for src in ctx.files.srcs:
        obj = ctx.actions.declare_file("_nvcc/%s/%s.o" % (ctx.label.name, src.basename))
        args = ctx.actions.args()
        args.add_all(_ARCHITECTURES)
        args.add_all(_FLAGS)
        args.add_all(ctx.attr.copts)
        args.add_all(compilation.defines, format_each = "-D%s")
        args.add_all(compilation.quote_includes, before_each = "-I")
        args.add_all(compilation.includes, before_each = "-I")
        args.add_all(compilation.system_includes, before_each = "-isystem")
        args.add("-c", src)
        args.add("-o", obj)
        ctx.actions.run(
            executable = NVCC,
            arguments = [args],
            inputs = depset([src] + ctx.files.hdrs, transitive = [compilation.headers]),
            outputs = [obj],
            mnemonic = "NvccCompile",
            progress_message = "Compiling %s with nvcc" % src.short_path,
            use_default_shell_env = True,
            execution_requirements = {"no-sandbox": "1"},
        )
        objects.append(obj)

    toolchain = find_cpp_toolchain(ctx)
    features = cc_common.configure_features(
        ctx = ctx,
        cc_toolchain = toolchain,
        requested_features = ctx.features,
        unsupported_features = ctx.disabled_features,
    )
    outputs = cc_common.create_compilation_outputs(
        objects = depset(objects),
        pic_objects = depset(objects),
    )
    linking, _ = cc_common.create_linking_context_from_compilation_outputs(
        actions = ctx.actions,
        name = ctx.label.name,
        cc_toolchain = toolchain,
        feature_configuration = features,
        compilation_outputs = outputs,
        alwayslink = True,
        linking_contexts = [cc_info.linking_context],
    )
    return [CcInfo(compilation_context = compilation, linking_context = linking)]

nvcc_library = rule(
    implementation = _nvcc_library_impl,
    attrs = {
        "copts": attr.string_list(),
        "deps": attr.label_list(providers = [CcInfo]),
        "hdrs": attr.label_list(allow_files = [".h"], doc = "headers beside the sources"),
        "srcs": attr.label_list(allow_files = [".cu.cc"]),
        "_cc_toolchain": attr.label(default = "@bazel_tools//tools/cpp:current_cc_toolchain"),
    },
    fragments = ["cpp"],
    toolchains = ["@bazel_tools//tools/cpp:toolchain_type"],
)
