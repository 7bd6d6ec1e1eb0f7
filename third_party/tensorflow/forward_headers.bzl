"""forward_headers: a folder of headers tensorflow/core/X.h, one for each of our core/X.h."""

def _forward_headers_impl(ctx):
    folder = ctx.actions.declare_directory(ctx.label.name)
    args = ctx.actions.args()
    args.use_param_file("@%s", use_always = True)
    args.set_param_file_format("multiline")
    args.add(folder.path)
    args.add(ctx.file.extra)
    for hdr in ctx.files.hdrs:
        if hdr.extension == "h":
            args.add(hdr.short_path)
    ctx.actions.run(
        executable = ctx.executable._writer,
        arguments = [args],
        inputs = [ctx.file.extra],
        outputs = [folder],
        mnemonic = "ForwardHeaders",
    )
    mine = CcInfo(compilation_context = cc_common.create_compilation_context(
        # Also before the first of these headers: see core/compat/namespace.h.
        defines = depset(["tensorflow=tensorwright"]),
        headers = depset([folder]),
        quote_includes = depset([folder.path]),
        system_includes = depset([folder.path]),
    ))
    infos = [mine] + [dep[CcInfo] for dep in ctx.attr.deps]
    return [
        # For who names them as data alone: each test's sandbox would have a thousand links to them, through the ops in the
        # library.
        DefaultInfo(
            files = depset([folder]),
            data_runfiles = ctx.runfiles([folder]),
            default_runfiles = ctx.runfiles(),
        ),
        cc_common.merge_cc_infos(cc_infos = infos),
    ]

forward_headers = rule(
    implementation = _forward_headers_impl,
    attrs = {
        "deps": attr.label_list(providers = [CcInfo]),
        "extra": attr.label(
            allow_single_file = True,
            doc = "lines `TENSORFLOW_PATH OUR_PATH`, both below tensorflow/ and the workspace root",
        ),
        "hdrs": attr.label_list(allow_files = True),
        "_writer": attr.label(
            cfg = "exec",
            default = "//third_party/tensorflow:write_forwarders",
            executable = True,
        ),
    },
    doc = "Headers that lead from TensorFlow's paths to ours.",
)
