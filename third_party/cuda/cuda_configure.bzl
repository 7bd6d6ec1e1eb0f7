"""Finds the CUDA toolkit: $CUDA_HOME, the folder of the nvcc on PATH, or /usr/local/cuda.

@cuda has `:headers`, `:runtime` and `:nvcc` when a toolkit is found, and the same targets, empty, when not; so
that labels resolve everywhere and only --config=cuda asks for more.  `@cuda//:defs.bzl` says which: `CUDA_FOUND`.
"""

def _find(repository_ctx):
    home = repository_ctx.os.environ.get("CUDA_HOME", "")
    nvcc = repository_ctx.which("nvcc")
    candidates = [repository_ctx.path(home)] if home else []
    if nvcc:
        candidates.append(nvcc.realpath.dirname.dirname)
    candidates.append(repository_ctx.path("/usr/local/cuda"))
    for candidate in candidates:
        if candidate.get_child("bin").get_child("nvcc").exists:
            return candidate
    return None

def _cuda_configure_impl(repository_ctx):
    toolkit = _find(repository_ctx)
    if toolkit:
        repository_ctx.symlink(toolkit.get_child("include"), "include")
        repository_ctx.symlink(toolkit.get_child("lib64"), "lib64")
    repository_ctx.file("defs.bzl", """CUDA_FOUND = %s
NVCC = "%s"
""" % (bool(toolkit), toolkit.get_child("bin").get_child("nvcc") if toolkit else ""))
    repository_ctx.template(
        "BUILD",
        Label("//third_party/cuda:cuda.BUILD.tpl" if toolkit else "//third_party/cuda:no_cuda.BUILD.tpl"),
        {},
    )

cuda_configure = repository_rule(
    implementation = _cuda_configure_impl,
    configure = True,
    environ = ["CUDA_HOME", "PATH"],
    local = True,
)
