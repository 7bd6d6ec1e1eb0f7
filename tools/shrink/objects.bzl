"""linked_objects: the list of what a shared library of some C++ libraries is linked from."""

def _linked_objects_impl(ctx):
    lines = []
    files = []
    seen = {}
    for dep in ctx.attr.deps:
        for linked in dep[CcInfo].linking_context.linker_inputs.to_list():
            for library in linked.libraries:
                kind = "always" if library.alwayslink else "needed"
                objects = library.pic_objects or []
                if not objects and library.dynamic_library:
                    kind = "shared"
                    objects = [library.resolved_symlink_dynamic_library or library.dynamic_library]
                for file in objects:
                    if file.path not in seen:
                        seen[file.path] = True
                        lines.append("%s\t%s\t%s\t%s" % (linked.owner, kind, file.path, file.short_path))
                        files.append(file)
            for flag in linked.user_link_flags:
                line = "%s\tflag\t%s" % (linked.owner, flag)
                if line not in seen:
                    seen[line] = True
                    lines.append(line)
    listed = ctx.actions.declare_file(ctx.label.name + ".txt")
    ctx.actions.write(listed, "\n".join(lines) + "\n")
    return DefaultInfo(
        files = depset([listed] + files),
        runfiles = ctx.runfiles([listed] + files),
    )

linked_objects = rule(
    implementation = _linked_objects_impl,
    attrs = {"deps": attr.label_list(providers = [CcInfo])},
    doc = """Writes NAME.txt with a line `LABEL<tab>KIND<tab>FILE<tab>RUNFILE` for each object, and makes all of them.

KIND is `always` for an object that is linked whether something names it or not, because it registers itself; `needed` for
one that is linked where something does; `shared` for a shared library; `flag` for an option of the linker.""",
)
