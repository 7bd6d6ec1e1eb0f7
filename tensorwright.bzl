"""The build rules of tensorwright: protos, op families, kernels, wrappers, user ops, tests.

A stem is a file name without its ending and role: `conv_ops` of conv_ops.cc, conv_ops_gpu.cu.cc, conv_ops_test.cc.
Leaf packages call the macros that glob by stem, so a new op family, kernel or test needs no BUILD edit.
"""

load("//third_party/cuda:nvcc.bzl", "nvcc_library")
load("//third_party/gcc:precompiled.bzl", "precompiled")

# Warnings are errors in our code.  Other people's headers come through -isystem and stay silent.
TF_COPTS = [
    "-Wall",
    "-Wextra",
    "-Werror",
    # GCC 12's flow analysis is wrong about abseil's InlinedVector, which keeps two layouts in one union.
    "-Wno-array-bounds",
    "-Wno-maybe-uninitialized",
    "-Wno-uninitialized",
]

# Kernels never ask for errno or floating-point exceptions, which keep loops with sqrt, floor and comparisons from being
# vectorised; and a loop is vectorised whether or not its length is a constant.
KERNEL_COPTS = [
    "-fno-math-errno",
    "-fno-trapping-math",
    "-fvect-cost-model=dynamic",
]

# The headers that every file of these layers includes, parsed once.
FRAMEWORK_PCH = "//core/framework:precompiled"
KERNEL_PCH = "//core/kernels:precompiled"
TEST_PCH = "//core/framework:precompiled_test"
PROTO_PCH = "//third_party/protobuf:precompiled"
PYWRAP_PCH = "//python:pywrap/precompiled"

# Input of what runs protoc, which Bazel does not see.
PROTOC_VERSION = "@debian//:protobuf-compiler.txt"

def if_cuda(if_true, if_false = []):
    """`if_true` under --config=cuda, else `if_false`."""
    return select({
        "//:using_cuda": if_true,
        "//conditions:default": if_false,
    })

def _stems(files, suffixes):
    """File names less their folder and the first of `suffixes` that fits."""
    stems = []
    for name in files:
        base = name.split("/")[-1]
        for suffix in suffixes:
            if base.endswith(suffix):
                base = base[:-len(suffix)]
                break
        stems.append(base)
    return stems

def _groups(stems):
    """Groups stems by their shortest prefix: conv_ops and conv_ops_grad are one group, `conv_ops`."""
    groups = {}
    for stem in sorted(stems):
        home = None
        for head in groups:
            if stem == head or stem.startswith(head + "_"):
                home = head
                break
        if home:
            groups[home].append(stem)
        else:
            groups[stem] = [stem]
    return groups

# ---------------------------------------------------------------------------------------------------------------
# C++ libraries.

def tf_cc_library(name, srcs = [], hdrs = [], deps = [], copts = [], pch = None, **kwargs):
    """A cc_library of ours: warnings are errors, and nothing of it is dropped from libtensorwright.so.

    Args:
      name: as in cc_library, like the rest.
      srcs: ...
      hdrs: ...
      deps: ...
      copts: ...
      pch: a cc_precompiled_header that its sources are compiled with.
      **kwargs: to the cc_library.
    """
    pch_copts, pch_deps = precompiled(pch)
    native.cc_library(
        name = name,
        srcs = srcs,
        hdrs = hdrs,
        deps = deps + pch_deps,
        copts = TF_COPTS + copts + pch_copts,
        alwayslink = 1,
        **kwargs
    )

def one_unit(name, srcs):
    """A generated source, `name`.cc, of the text of `srcs`, for files that cost more to begin than to compile.

    The file name that messages and source_location give is the source's own.  Two sources may not declare the same name
    for themselves.
    """
    native.genrule(
        name = name,
        srcs = srcs,
        outs = [name + ".cc"],
        cmd = "for source in $(SRCS); do echo \"#line 1 \\\"$$source\\\"\" && cat $$source; done > $@",
    )
    return name + ".cc"

def _cc_headers_only_impl(ctx):
    contexts = [dep[CcInfo].compilation_context for dep in ctx.attr.deps]
    merged = cc_common.merge_cc_infos(cc_infos = [CcInfo(compilation_context = c) for c in contexts])
    return [CcInfo(compilation_context = merged.compilation_context)]

cc_headers_only = rule(
    implementation = _cc_headers_only_impl,
    attrs = {"deps": attr.label_list(providers = [CcInfo])},
    doc = "The headers of `deps` without their code: for whatever links to libtensorwright.so instead.",
)

def tf_proto_library(name, srcs, deps = [], enum_headers = [], cc_deps = None):
    """C++ (`:name`) and Python (`:name_py`) for .proto files; C++ headers are `core/framework/x.pb.h`.

    Python modules import each other as `tensorwright.core.framework.x_pb2`.

    Args:
      name: the cc_library.
      srcs: .proto files of this package.
      deps: other tf_proto_library targets that `srcs` import.
      enum_headers: stems whose enums are in a header of their own as well, `x_enums.h`, for headers that name a
        value and need no message: protobuf's headers are 100,000 lines.
      cc_deps: what the C++ depends on, when that is not `deps`: "//:headers" of code outside libtensorwright.so.
    """
    package = native.package_name()
    stems = [src[:-len(".proto")] for src in srcs]
    inputs = [dep + "_srcs" for dep in deps]
    native.filegroup(
        name = name + "_srcs",
        srcs = srcs + inputs,
        visibility = ["//visibility:public"],
    )
    native.genrule(
        name = name + "_gen",
        srcs = [":" + name + "_srcs", PROTOC_VERSION],
        outs = [s + ending for s in stems for ending in [".pb.h", ".pb.cc"]] + [s + "_enums.h" for s in enum_headers],
        cmd = " && ".join(
            ["protoc -I. --cpp_out=$(GENDIR) " + " ".join([package + "/" + s for s in srcs])] +
            ["$(location //tools/dev:split_enums.sh) $(RULEDIR)/%s" % s for s in enum_headers],
        ),
        tools = ["//tools/dev:split_enums.sh"],
    )
    native.filegroup(
        name = name + "_hdrs",
        srcs = [s + ".pb.h" for s in stems] + [s + "_enums.h" for s in enum_headers],
        visibility = ["//visibility:public"],
    )
    native.genrule(
        name = name + "_py_gen",
        srcs = [":" + name + "_srcs", PROTOC_VERSION],
        outs = [s + ending for s in stems for ending in ["_pb2.py", "_pb2.pyi"]],
        cmd = "protoc -I. --python_out=$(GENDIR) --pyi_out=$(GENDIR) " + " ".join([package + "/" + s for s in srcs]) +
              " && sed -i -E -e 's/^from core([. ])/from tensorwright.core\\1/'" +
              # The classes' module, by which pickle finds them.
              " -e \"s/(BuildTopDescriptorsAndMessages\\(DESCRIPTOR, ')/\\1tensorwright./\" $(OUTS)",
    )
    pch_copts, pch_deps = precompiled(PROTO_PCH)
    native.cc_library(
        name = name,
        srcs = [s + ".pb.cc" for s in stems],
        hdrs = [s + ".pb.h" for s in stems] + [s + "_enums.h" for s in enum_headers],
        # Generated code: protoc's taste, not ours.  -O2 takes twice the time to compile, and reads and writes a graph
        # 1 to 5 % faster.
        copts = [
            "-w",
            "-O1",
        ] + pch_copts,
        deps = (deps if cc_deps == None else cc_deps) + pch_deps + ["//third_party/protobuf"],
        alwayslink = 1,
        visibility = ["//visibility:public"],
    )
    native.py_library(
        name = name + "_py",
        srcs = [s + "_pb2.py" for s in stems],
        data = [s + "_pb2.pyi" for s in stems],
        deps = [dep + "_py" for dep in deps],
        visibility = ["//visibility:public"],
    )

# ---------------------------------------------------------------------------------------------------------------
# Ops and kernels.

def tf_gen_op_libs(name, deps, visibility = None):
    """One library for each op family of this package, and `:name` for all of them.

    Family `nn_ops` is nn_ops.cc with nn_ops_conv.cc, nn_ops_pool.cc ...: REGISTER_OP blocks and shape functions, which
    are compiled together in half the time.
    """
    srcs = native.glob(["*.cc"], exclude = ["*_test.cc"])
    families = _groups(_stems(srcs, [".cc"]))
    tf_cc_library(
        name = name + "_headers",
        hdrs = native.glob(["*.h"]),
        deps = deps,
        visibility = visibility,
    )
    for family, stems in families.items():
        tf_cc_library(
            name = family,
            srcs = [one_unit(family + "_unit", [stem + ".cc" for stem in stems])],
            pch = FRAMEWORK_PCH,
            deps = [":" + name + "_headers"] + deps,
            visibility = visibility,
        )
    native.cc_library(
        name = name,
        deps = [":" + family for family in families],
        visibility = visibility,
    )

def _gpu_library(name, srcs, deps):
    """`name`_gpu, compiled by nvcc, and what a library needs that contains it; nothing without `srcs`."""
    if not srcs:
        return []
    nvcc_library(
        name = name + "_gpu",
        srcs = srcs,
        copts = ["-DGOOGLE_CUDA=1"],
        # An empty library where no nvcc was found; never built without --config=cuda.
        tags = ["manual"],
        deps = deps + ["@cuda//:headers"],
    )
    return if_cuda([":" + name + "_gpu", "@cuda//:runtime"])

def tf_kernel_library(name = None, prefix = None, srcs = None, hdrs = None, deps = [], visibility = None):
    """A group of kernels for CPUs: `<prefix>.cc` and `<prefix>_*.cc`, less what is for GPUs.

    Args:
      name: the library; `prefix` when not given.
      prefix: the stem of the group; not needed with `srcs`.
      srcs: C++ sources, when not to be globbed by `prefix`.
      hdrs: the group's own headers, when not to be globbed by `prefix`.
      deps: what sources include.
      visibility: as in every rule.
    """
    name = name or prefix
    if srcs == None:
        srcs = native.glob(
            [prefix + ".cc", prefix + "_*.cc"],
            exclude = ["*_test.cc", "*_benchmark.cc"] + _GPU_SOURCES,
        )
    if hdrs == None:
        hdrs = native.glob([prefix + ".h", prefix + "_*.h"]) if prefix else []
    if hdrs:
        native.cc_library(
            name = name + "_headers",
            hdrs = hdrs,
            deps = deps,
            visibility = visibility,
        )
        deps = [":" + name + "_headers"] + deps
    tf_cc_library(
        name = name,
        srcs = srcs,
        copts = KERNEL_COPTS,
        pch = KERNEL_PCH,
        deps = deps,
        visibility = visibility,
    )

# A room's sources for GPUs: the host's side, and device code.
_GPU_SOURCES = ["*_gpu.cc", "*_gpu_*.cc", "*.cu.cc"]

def tf_gpu_libraries(name = "gpu", host_srcs = [], device_srcs = [], stand_in_srcs = [], cuda_srcs = [], deps = [], pch = None):
    """What this package gives to the two GPU libraries: `<name>_stand_in`, by GCC, and `<name>_cuda`, by nvcc too.

    They are compiled against the headers of `deps` and linked to libtensorwright.so, so nothing of the framework is in
    them.  Device code is one source for both: core/lib/gpu/language.h.

    Args:
      name: the libraries' common name; `<name>_headers_only` is what they include.
      host_srcs: C++ that knows neither CUDA nor the stand-in; compiled once.
      device_srcs: device code, *.cu.cc.
      stand_in_srcs: C++ of the stand-in alone.
      cuda_srcs: C++ that includes CUDA's headers.
      deps: what the sources include.
      pch: a cc_precompiled_header that `host_srcs` are compiled with.
    """
    visibility = ["//visibility:public"]
    cc_headers_only(
        name = name + "_headers_only",
        deps = deps,
        visibility = visibility,
    )
    headers = [":%s_headers_only" % name]
    pch_copts, pch_deps = precompiled(pch)
    native.cc_library(
        name = name + "_host",
        srcs = host_srcs,
        copts = TF_COPTS + (KERNEL_COPTS if pch == KERNEL_PCH else []) + pch_copts,
        deps = headers + pch_deps,
        alwayslink = 1,
    )
    native.cc_library(
        name = name + "_stand_in",
        srcs = stand_in_srcs + device_srcs,
        copts = TF_COPTS + [
            "-DTENSORWRIGHT_GPU_STAND_IN=1",
            "-Wno-unknown-pragmas",
        ],
        deps = headers + [":%s_host" % name],
        alwayslink = 1,
        visibility = visibility,
    )
    deps_cuda = headers + ["@cuda//:headers"]
    if device_srcs:
        nvcc_library(
            name = name + "_device",
            srcs = device_srcs,
            copts = ["-DGOOGLE_CUDA=1"],
            # An empty library where no nvcc was found; never built without --config=cuda.
            tags = ["manual"],
            deps = deps_cuda,
        )
    native.cc_library(
        name = name + "_cuda",
        srcs = cuda_srcs,
        copts = TF_COPTS + ["-DGOOGLE_CUDA=1"],
        tags = ["manual"],
        deps = deps_cuda + [":%s_host" % name] + ([":%s_device" % name] if device_srcs else []),
        alwayslink = 1,
        visibility = visibility,
    )

# Kernels of every room include these.
_KERNEL_DEPS = [
    "//core/framework",
    "//core/lib",
    "//third_party/absl",
    "//third_party/boost",
    "//third_party/highway",
    "@eigen",
    "@onednn",
]

def tf_kernel_room(name, deps = ["//core/kernels/lib:lib_headers"], all_hdrs_shared = False, own_deps = []):
    """The kernels of one op family, a package `core/kernels/<name>`: all its libraries, tests and benchmarks.

    A library for each stem: `conv_ops` is conv_ops.cc and conv_ops_*.cc.  A header that has a stem's very name, or no
    stem's, is for the whole room: an edit compiles the room anew.  One with a longer name, conv_ops_narrow.h, is for its
    stem alone.  `:name` is all libraries, `:name_headers` the room's headers.  Kernels for GPUs, conv_ops_gpu*.cc and
    conv_ops*.cu.cc, are in `:gpu_stand_in` and `:gpu_cuda`, of libraries of their own.

    Args:
      name: the family.
      deps: what sources include besides what all kernels do.
      all_hdrs_shared: every header is for everybody: the room `lib`.
      own_deps: what sources and stems' own headers include, but none of the room's: it is no part of `//:headers`.
    """
    visibility = ["//visibility:public"]
    deps = deps + _KERNEL_DEPS
    srcs = native.glob(["*.cc"], exclude = ["*_test.cc", "*_testutil.cc", "*_benchmark.cc"] + _GPU_SOURCES)
    groups = _groups(_stems(srcs, [".cc"]))
    hdrs = native.glob(["*.h"])
    private = {}  # Stem -> its own headers.
    for hdr in native.glob(["*.h"], exclude = ["*_testutil.h"]):
        stem = _stems([hdr], [".cu.h", "-inl.h", ".h"])[0]
        for prefix in groups:
            if stem.startswith(prefix + "_") and not all_hdrs_shared:
                private.setdefault(prefix, []).append(hdr)
    shared = [h for h in hdrs if not h.endswith("_testutil.h") and not [p for p in private if h in private[p]]]
    native.filegroup(
        name = "hdrs",
        srcs = hdrs,
        visibility = visibility,
    )
    tf_cc_library(
        name = name + "_headers",
        hdrs = shared,
        deps = deps,
        visibility = visibility,
    )
    for prefix in groups:
        tf_kernel_library(
            prefix = prefix,
            hdrs = private.get(prefix, []),
            deps = [":" + name + "_headers"] + deps + own_deps,
            visibility = visibility,
        )
    tf_gpu_libraries(
        host_srcs = native.glob(["*_gpu.cc", "*_gpu_*.cc"], exclude = ["*_test.cc", "*.cu.cc"]),
        device_srcs = native.glob(["*.cu.cc"]),
        pch = KERNEL_PCH,
        deps = [
            ":" + name + "_headers",
            "//core/kernels/lib/gpu:headers",
            "//core/lib/gpu:headers",
        ] + deps + [
            ":%s_headers" % prefix
            for prefix in private
        ],
    )
    stems = [":" + prefix for prefix in groups if prefix != name]
    if name not in groups:
        native.cc_library(
            name = name,
            deps = stems,
            visibility = visibility,
        )
    test_deps = [
        "//core/kernels",
        "//core/kernels/lib:testutil",
        "//core/ops",
    ]
    tf_cc_tests(deps = test_deps)
    tf_cc_benchmarks(deps = test_deps)

def tf_user_op_libraries(name, deps):
    """One library for each file of user ops, and `:name` for all of them.

    Warnings are shown and stop nothing: the sources are the users', often written elsewhere.
    """
    srcs = native.glob(["*.cc"], exclude = ["*_test.cc", "*.cu.cc"])
    for stem in _stems(srcs, [".cc"]):
        gpu_srcs = native.glob([stem + "_gpu.cu.cc", stem + ".cu.cc"])
        gpu_deps = _gpu_library(stem, gpu_srcs, deps)
        native.cc_library(
            name = stem,
            srcs = [stem + ".cc"] + native.glob(["*.h"]),
            copts = ["-Wall"] + (if_cuda(["-DGOOGLE_CUDA=1"]) if gpu_srcs else []),
            deps = deps + gpu_deps,
            alwayslink = 1,
            visibility = ["//visibility:public"],
        )
    native.cc_library(
        name = name,
        deps = [":" + stem for stem in _stems(srcs, [".cc"])],
        visibility = ["//visibility:public"],
    )

def _op_wrapper_impl(ctx):
    for language, out in [("python", ctx.outputs.out), ("pyi", ctx.outputs.stub)]:
        args = ctx.actions.args()
        args.add("--family=" + ctx.attr.family)
        args.add("--hidden=" + ",".join(ctx.attr.hidden))
        args.add("--language=" + language)
        args.add("--out=" + out.path)
        ctx.actions.run(
            executable = ctx.executable.op_gen,
            arguments = [args],
            mnemonic = "OpGen",
            outputs = [out],
            progress_message = "Printing %s" % out.short_path,
        )

op_wrapper = rule(
    implementation = _op_wrapper_impl,
    attrs = {
        "family": attr.string(mandatory = True),
        "hidden": attr.string_list(),
        # The same build as the library's: a genrule's tool would have the framework compiled a second time.
        "op_gen": attr.label(cfg = "target", executable = True, mandatory = True),
        "out": attr.output(mandatory = True),
        "stub": attr.output(mandatory = True),
    },
    doc = "Runs //tools/op_gen for one family; see tf_gen_op_wrapper_py.",
)

def tf_gen_op_wrapper_py(name, out = None, hidden = [], op_gen = "//tools/op_gen", visibility = None):
    """Python functions for the ops of a family: `gen_<name>.py` with a stub `gen_<name>.pyi`.

    Args:
      name: the family, `nn_ops`; also names the py_library `gen_nn_ops`.
      out: the Python file, `gen_<name>.py` when not given.
      hidden: ops whose function gets a leading underscore, as `_relu_grad`, beside its public name.
      op_gen: the generator; it is linked with the registrations that it may print.
      visibility: as in every rule.
    """
    out = out or "gen_%s.py" % name
    op_wrapper(
        name = "gen_%s_files" % name,
        family = name[:-len("_ops")] if name.endswith("_ops") else name,
        hidden = hidden,
        op_gen = op_gen,
        out = out,
        stub = out + "i",
    )
    native.py_library(
        name = "gen_" + name,
        srcs = [out],
        data = [out + "i"],
        visibility = visibility,
    )

def tf_gen_op_wrappers_py(name, hidden, visibility = None):
    """A tf_gen_op_wrapper_py for each op family, and the py_library `name` of all.

    Args:
      name: the py_library.
      hidden: family -> its hidden ops.  A family with a *_grad.py in this package needs no entry.
      visibility: as in every rule.
    """
    families = {family: True for family in hidden}
    for src in native.glob(["*_grad.py"]):
        families[src[:-len("_grad.py")] + "_ops"] = True
    for family in families:
        tf_gen_op_wrapper_py(
            name = family,
            hidden = hidden.get(family, []),
            visibility = visibility,
        )
    native.py_library(
        name = name,
        deps = [":gen_" + family for family in families],
        visibility = visibility,
    )

def tf_custom_op_library(name, srcs, gpu_srcs = [], deps = [], **kwargs):
    """A shared library of ops and kernels for tf.load_op_library, linked to libtensorwright.so.

    Args:
      name: the file, `word2vec_ops.so`.
      srcs: C++ sources with REGISTER_OP and REGISTER_KERNEL_BUILDER.
      gpu_srcs: CUDA sources, compiled under --config=cuda.
      deps: further libraries; the framework's headers come by themselves.
      **kwargs: to the cc_binary.
    """
    gpu_deps = _gpu_library(name.replace(".so", ""), gpu_srcs, deps + ["//:headers"])
    native.cc_binary(
        name = name,
        srcs = srcs + ["//:libtensorwright.so"],
        copts = TF_COPTS + (if_cuda(["-DGOOGLE_CUDA=1"]) if gpu_srcs else []),
        linkshared = 1,
        deps = deps + gpu_deps + [
            "//:headers",
            "//:tensorflow_headers",
        ],
        **kwargs
    )

# ---------------------------------------------------------------------------------------------------------------
# Tests.

def tf_cc_test(name, srcs = None, deps = [], pch = TEST_PCH, **kwargs):
    """A GoogleTest program; `<name>.cc` when `srcs` is not given.  main() comes by itself."""
    pch_copts, pch_deps = precompiled(pch)
    native.cc_test(
        name = name,
        size = kwargs.pop("size", "small"),
        srcs = srcs or [name + ".cc"],
        # GCC 12 reads long string literals into the small buffer of std::string.
        copts = TF_COPTS + ["-Wno-stringop-overflow"] + pch_copts,
        # One program: our shared libraries do not name the system libraries they use, so a program made of them
        # would lack those that only they call.
        linkstatic = kwargs.pop("linkstatic", True),
        deps = deps + pch_deps + ["//third_party/googletest:gtest_main"],
        **kwargs
    )

def tf_cc_tests(deps, exclude = [], pch = TEST_PCH):
    """A tf_cc_test for each *_test.cc of this package and its folders, named by the file's stem."""
    for src in native.glob(["**/*_test.cc"], exclude = exclude):
        tf_cc_test(
            name = _stems([src], [".cc"])[0],
            srcs = [src],
            pch = pch,
            deps = deps,
        )

def tf_cc_benchmarks(deps):
    """A program for each *_benchmark.cc of this package: `bazel run -c opt //core/kernels/nn:conv_ops_benchmark`."""
    for src in native.glob(["**/*_benchmark.cc"]):
        native.cc_binary(
            name = _stems([src], [".cc"])[0],
            testonly = 1,
            srcs = [src],
            copts = TF_COPTS,
            deps = deps + ["//third_party/benchmark:benchmark_main"],
        )

def tf_py_test(name, srcs = None, deps = ["//python:tensorwright"], data = [], **kwargs):
    """One Python test file, run by pytest in its runfiles, where `import tensorwright` is the built package."""
    srcs = srcs or [name + ".py"]
    test = "%s/%s" % (native.package_name(), srcs[0]) if native.package_name() else srcs[0]
    native.py_test(
        name = name,
        size = kwargs.pop("size", "medium"),
        srcs = ["//tools/dev:bytecode.py", "//tools/dev:run_pytest.py"] + srcs,
        main = "//tools/dev:run_pytest.py",
        args = [test],
        data = data + ["@python//:versions"],
        python_version = "PY3",
        # The plugin that run_pytest.py names.
        deps = deps + ["//python/testing"],
        **kwargs
    )

def tf_py_tests(deps = ["//python:tensorwright"], exclude = [], data = [], by_path = False):
    """A tf_py_test for each *_test.py of this package and its folders, named by the file's stem, or path if `by_path`."""
    for src in native.glob(["**/*_test.py"], exclude = exclude):
        tf_py_test(
            name = src[:-len(".py")] if by_path else _stems([src], [".py"])[0],
            srcs = [src],
            data = data,
            deps = deps,
        )

def tf_kernel_py_tests(data = []):
    """The tests of a room of kernels, python/kernel_tests/<family>, and what they share: its files that are no tests.

    Args:
      data: what else is there when tests run.
    """
    native.py_library(
        name = "shared",
        testonly = 1,
        srcs = native.glob(
            ["*.py"],
            exclude = ["*_test.py"],
        ),
        deps = ["//python:tensorwright"],
        visibility = ["//tools/mutate:__pkg__"],
    )
    tf_py_tests(
        data = data,
        deps = [
            ":shared",
            "//python:tensorwright",
            "//python/kernel_tests:op_table",
        ],
    )

def tf_py_package(name, deps = [], tests_by_path = False):
    """The modules of this package and its folders as py_library `name`, and a tf_py_test for each *_test.py.

    Files in folders `testdata` are there when tests run.  Tests are named by their files' stems, or paths if `tests_by_path`.
    """
    native.py_library(
        name = name,
        srcs = native.glob(
            ["**/*.py"],
            exclude = ["**/*_test.py"],
        ),
        data = native.glob(["**/*.pyi", "**/py.typed"]),
        deps = deps,
        visibility = ["//visibility:public"],
    )
    tf_py_tests(
        by_path = tests_by_path,
        data = native.glob(["**/testdata/**"]),
    )
