"""@debian: the versions of the Debian packages that the build uses, as inputs of what uses them.

Their headers are in the compiler's own search path, where Bazel sees no files: an upgrade would leave every key of its
caches as it was, and objects made with the older headers would be served.  So each package is a cc_library here,
`@debian//:libabsl-dev`, that a library in third_party names in its `deps`:

  - a define with the version goes to all that compile with its headers, and with it the versions of the compiler and of
    the C and C++ standard libraries, `@debian//:compiler`;
  - a linker script without a statement, whose comment is the version, is an input of all that link with it;
  - `@debian//:libabsl-dev.txt`, the version alone, is for rules that run a program of the package.

Where nothing was upgraded, the keys are those of yesterday, and the same on two machines with the same versions.
"""

# Beside what the lists of packages name: what `g++` stands for.  The kernel's headers, upgraded monthly, are left out.
_COMPILER = ["binutils", "g++-[0-9]*", "libc6-dev", "libgcc-[0-9]*-dev", "libstdc++-[0-9]*-dev"]

_LIBRARY = """
cc_library(
    name = "{name}",
    defines = ["{define}={version}"],
    deps = [":{name}.lds"{more}],
)
"""

def _dpkg_configure_impl(repository_ctx):
    status = repository_ctx.path("/var/lib/dpkg/status")
    if status.exists:
        repository_ctx.symlink(status, "status")
    else:
        repository_ctx.file("status", executable = False)
    repository_ctx.file("BUILD", "exports_files([\"status\"])\n", executable = False)

dpkg_configure = repository_rule(
    implementation = _dpkg_configure_impl,
    configure = True,
    doc = "`@dpkg//:status`: what dpkg knows; empty on a machine without it.",
    local = True,
)

def _packages_of(text):
    lines = [line.strip() for line in text.split("\n")]
    return [line for line in lines if line and not line.startswith("#")]

def _define(name):
    kept = [c if c.isalnum() else "_" for c in name.upper().elems()]
    return "DEBIAN_" + "".join(kept)

def _installed(repository_ctx, names):
    """name -> version, of those of `names`, which may be patterns, that are installed."""
    command = ["dpkg-query", "-W", "-f", "${db:Status-Abbrev}${Package} ${Version}\\n"] + names
    found = {}
    for line in repository_ctx.execute(command).stdout.split("\n"):
        if line.startswith("ii "):
            name, version = line[3:].split(" ")
            found[name] = version
    return found

def _debian_configure_impl(repository_ctx):
    # Watched from here on: dpkg writes it when it installs anything.
    repository_ctx.path(repository_ctx.attr._status)
    names = []
    for label in repository_ctx.attr.lists:
        # Naming the label has the repository made anew when the list changes.
        names += _packages_of(repository_ctx.read(repository_ctx.path(label)))

    # A package that is not installed has a version too: installing it is a change.
    versions = {name: "none" for name in names}
    versions.update(_installed(repository_ctx, names))
    compiler = _installed(repository_ctx, _COMPILER)
    compiler = " ".join(["%s=%s" % (name, compiler[name]) for name in sorted(compiler)])

    build = ["# Made by third_party/debian/debian_configure.bzl.", "package(default_visibility = [\"//visibility:public\"])"]
    build.append("exports_files(glob([\"*.lds\", \"*.txt\"]))")
    all = [(name, versions[name], ", \":compiler\"") for name in sorted(versions)]
    for name, version, more in all + [("compiler", str(hash(compiler)), "")]:
        says = compiler if name == "compiler" else version
        repository_ctx.file(name + ".lds", "/* %s %s */\n" % (name, says), executable = False)
        repository_ctx.file(name + ".txt", says + "\n", executable = False)
        build.append(_LIBRARY.format(name = name, define = _define(name), version = version, more = more))
    repository_ctx.file("BUILD", "\n".join(build), executable = False)

debian_configure = repository_rule(
    implementation = _debian_configure_impl,
    attrs = {
        "lists": attr.label_list(
            allow_files = True,
            doc = "Files that name a package a line, as tools/dev/packages.txt.",
            mandatory = True,
        ),
        "_status": attr.label(default = "@dpkg//:status"),
    },
    configure = True,
    doc = "A cc_library for each package, by the package's name, and `compiler`; none has code.",
    local = True,
)
