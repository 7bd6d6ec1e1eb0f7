"""Repositories made of the virtual environment `.venv` in the workspace root.

`.venv` is made by tools/dev/setup.sh.  No path of this machine is written in a committed file: these rules
ask .venv's Python for them.
"""

_NO_VENV = "\n\nThere is no .venv in the workspace: run tools/dev/setup.sh (./run and ./test call it).\n"

def _venv(repository_ctx):
    """What .venv's Python says of itself: a struct of paths."""
    root = repository_ctx.path(Label("//:WORKSPACE")).dirname
    python = root.get_child(".venv").get_child("bin").get_child("python")
    if not python.exists:
        fail(_NO_VENV)
    script = "import sys, sysconfig; p = sysconfig.get_paths(); print(p['include'], p['purelib'], sys.prefix, sep='\\n')"
    result = repository_ctx.execute([python, "-c", script])
    if result.return_code != 0:
        fail("%s does not run: %s" % (python, result.stderr))
    include, site_packages, prefix = result.stdout.strip().split("\n")

    # Debian's python3 has its headers in a package of their own.
    if not repository_ctx.path(include).get_child("Python.h").exists:
        fail("%s/Python.h is missing: install python3-dev" % include)

    # Depend on the requirements, so that a change of versions makes the repository anew.
    repository_ctx.path(Label("//:requirements.txt"))
    return struct(python = str(python), include = include, site_packages = site_packages, prefix = prefix)

def _python_configure_impl(repository_ctx):
    venv = _venv(repository_ctx)
    repository_ctx.symlink(venv.include, "include")
    repository_ctx.symlink(venv.site_packages, "site-packages")
    repository_ctx.template(
        "BUILD",
        Label("//third_party/python:python.BUILD.tpl"),
        {"{INTERPRETER}": venv.python},
    )

python_configure = repository_rule(
    implementation = _python_configure_impl,
    configure = True,
    doc = "Python's headers (`@python//:headers`), the interpreter that runs py_binary and py_test, and what says which " +
          "versions of it and of the packages in .venv there are (`@python//:versions`).",
    local = True,
)

def _pypi_repository_impl(repository_ctx):
    venv = _venv(repository_ctx)
    for link, target in repository_ctx.attr.links.items():
        path = target.format(site_packages = venv.site_packages, prefix = venv.prefix)
        if not repository_ctx.path(path).exists:
            fail("%s is missing: run tools/dev/setup.sh" % path)
        repository_ctx.symlink(path, link)
    repository_ctx.symlink(repository_ctx.attr.build_file, "BUILD")

pypi_repository = repository_rule(
    implementation = _pypi_repository_impl,
    attrs = {
        "build_file": attr.label(mandatory = True, allow_single_file = True),
        "links": attr.string_dict(
            doc = "name in the repository -> folder of .venv; {prefix} and {site_packages} are filled in",
        ),
    },
    configure = True,
    doc = "A C++ library that a PyPI package installed in .venv.",
    local = True,
)
