# SPDX-License-Identifier: Apache-2.0
"""Loading shared libraries of ops and kernels."""

import atexit
import importlib.machinery
import importlib.util
import os
import re
import shutil
import sys
import tempfile
import types
import warnings
from typing import Any

from tensorwright.python import _pywrap
from tensorwright.python.framework import errors_impl, library_rules
from tensorwright.python.framework.library_rules import OpFunctions
from tensorwright.python.util.lazy_loader import LazyLoader

library_wrappers: Any = LazyLoader(
    "library_wrappers", globals(), "tensorwright.python.framework.library_wrappers"
)

# Begins the names of the modules that load_op_library makes.
PREFIX = "tensorwright_op_library_"
_loaded: dict[str, Any] = {}
# Those of its keys that override built-in kernels.
_overriding: set[str] = set()

# Tries libraries in an interpreter of its own: core/framework/library_trial.h.
_TRY_LIBRARIES = """
import ctypes, os, sys
framework, *files = [os.fsencode(f) for f in sys.argv[1:]]
library = ctypes.CDLL(os.fsdecode(framework), ctypes.RTLD_GLOBAL)
array = (ctypes.c_char_p * len(files))(*files)
library.TensorwrightTryLibraries(array, len(files))
"""


def load_op_library(
    library_filename: str,
    override: bool = False,
    gradients: OpFunctions | None = None,
    shapes: OpFunctions | None = None,
    batching: OpFunctions | None = None,
) -> types.ModuleType:
    """Loads a library of ops and makes a module of Python wrappers for them.

    Where a Python file with the library's name lies beside it, as `tw build` has them
    (row_norm.py for librow_norm.so, which alone has such a name), it is imported too,
    that is to say run: it is the place of the ops' gradients.

    Args:
        library_filename: path of a shared library, looked up as dlopen does.
        override: the library's kernels take the places of built-in ones for the same
            op, device and types, in every session that makes kernels from now on.
            Such a node runs as it is: it is not fused with others, nor folded.
        gradients: functions for ops of the library, by the op's name, as
            `tf.RegisterGradient` takes them.
        shapes: likewise, as `tf.RegisterShapeFunction` takes them.
        batching: likewise, as `tf.RegisterBatchingRule` takes them.

    Returns:
        A module with a function for each op, typed and documented as those of the
        tree, and `OP_LIST`, the definitions of those ops that are new.  An op that is
        there already with the same definition stays what it is: of its kernels those
        are added that are for another device or other types.

    Raises:
        NotFoundError: where the library, or a symbol it needs, is missing.
        ValueError, InvalidArgumentError: for a path that is empty, or a folder's.
        ValueError: if it is to override, and is loaded without that.
        AlreadyExistsError: where another definition of an op of its is there, or,
            for no op of its own, a kernel for the same device and types; if it is to
            override, only another library's.
        RuntimeError: where its ops cannot be used.
        ValueError, KeyError: where `gradients`, `shapes` or `batching` name an op that is
            not the library's, or that has such a function.
    """
    library_filename = os.fspath(library_filename)
    _check_path(library_filename)
    key = os.path.realpath(library_filename)
    if key in _loaded:
        if override and key not in _overriding:
            raise ValueError(
                f"{library_filename} is loaded already, without override: ask for it "
                "the first time"
            )
        library_rules.register(_loaded[key], gradients, shapes, batching)
        return _loaded[key]
    added, known = _load(library_filename, override)
    if override:
        _overriding.add(key)
    names = sorted([*added, *known])
    if not names and not override:
        warnings.warn(
            f"{library_filename} registers no op: the module has no functions. Are the "
            "objects with the REGISTER_OPs linked into it?",
            stacklevel=2,
        )
    module = types.ModuleType(_module_name(library_filename, names))
    module.__file__ = library_filename
    module.__spec__ = importlib.machinery.ModuleSpec(module.__name__, None)
    library_wrappers.fill_module(module, names, added)
    sys.modules[module.__name__] = module
    _loaded[key] = module
    _import_beside(key)
    library_rules.register(module, gradients, shapes, batching)
    return module


def reload_op_library(library: str | types.ModuleType) -> types.ModuleType:
    """Loads a library of ops again that has changed, for all sessions that live.

    A session makes the new kernels at its next run, also those of `make_callable` and
    of functions; runs that are under way, and sessions of a server, keep the old ones.
    Variables and resources stay: a class of resource must keep its members, and one in
    an unnamed namespace is another class in the new version.  What a kernel with state
    keeps in itself is lost.  Shape functions are the new ones for nodes that are added
    from now on.  The Python file beside the library is not run again.

    Args:
        library: the path that `load_op_library` was given, or the module it returned.

    Returns:
        That module, with wrappers for what the library has now.

    Raises:
        NotFoundError: where it is not loaded, or its file is gone.
        FailedPreconditionError: where the definition of an op is not what it was, or an
            op is gone; the text says what changed.  Nothing is loaded then.
    """
    if isinstance(library, types.ModuleType):
        path = library.__file__ or library.__name__
    else:
        path = os.fspath(library)
    module = _loaded.get(os.path.realpath(path))
    if module is None:
        raise errors_impl.NotFoundError(
            None, None, f"{path} is not loaded: call load_op_library first"
        )
    if not os.path.isfile(path):
        raise errors_impl.NotFoundError(None, None, f"{path}: no such file")
    # The loader takes a file that it knows by its name for the same library.
    folder = tempfile.mkdtemp(prefix="tensorwright_reload_")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    copy = os.path.join(folder, os.path.basename(path))
    shutil.copyfile(path, copy)
    _set_trial_program()
    added, known = _pywrap.reload_library(module.__file__, copy)
    library_wrappers.fill_module(module, sorted([*added, *known]), added)
    return module


def load_library(library_location: str) -> None:
    """Loads a library of ops and kernels, or all libraries of a folder.

    Raises NotFoundError where there is none.
    """
    if os.path.isdir(library_location):
        files = [
            os.path.join(library_location, f)
            for f in sorted(os.listdir(library_location))
            if f.endswith((".so", ".dylib"))
        ]
    else:
        files = [library_location]
        if not os.path.exists(library_location):
            raise errors_impl.NotFoundError(
                None,
                None,
                f"load_library: there is no file or folder {library_location}",
            )
    for file in files:
        _load(file)


def load_file_system_library(library_filename: str) -> None:
    """Loads a library that registers file systems."""
    _load(os.fspath(library_filename))


def _load(library: str, override: bool = False) -> tuple[list[str], list[str]]:
    """Loads a library: the names of its ops that are new, and of those that were there."""
    _set_trial_program()
    return _pywrap.load_library(library, override)


def _set_trial_program() -> None:
    # An application that is frozen, or that embeds Python, would start itself again.
    executable = sys.executable or ""
    if "python" in os.path.basename(executable) and not hasattr(sys, "frozen"):
        _pywrap.set_trial_program([executable, "-I", "-S", "-c", _TRY_LIBRARIES])


def _check_path(path: str) -> None:
    if not path:
        raise ValueError("load_op_library: the path of the library is empty")
    folder, name = os.path.split(path)
    match = re.fullmatch(r"lib(\w+)\.so", name)
    if match and not os.path.exists(path):
        source = os.path.join(folder, f"{match[1]}.cc")
        if os.path.exists(source):
            raise errors_impl.NotFoundError(
                None,
                None,
                f"{path}: no such file: {source} is not compiled yet; run `tw build "
                f"{folder or '.'}` first",
            )
    if not os.path.isdir(path):
        return
    inside = sorted(f for f in os.listdir(path) if f.endswith(".so"))
    text = f"{path} is a folder, not a library of ops"
    if inside:
        text += f"; in it there is {', '.join(inside[:5])}"
    raise errors_impl.InvalidArgumentError(None, None, text)


def _import_beside(library: str) -> None:
    """Imports the Python file of a library's ops, unless it is what loads them."""
    folder, base = os.path.split(library)
    match = re.fullmatch(r"lib(\w+)\.so", base)
    if match is None:
        return
    name = match[1]
    file = os.path.join(folder, f"{name}.py")
    if not name.isidentifier() or not os.path.isfile(file):
        return
    if any(_is_at(module, file) for module in list(sys.modules.values())):
        return
    # Under its own name, if that is free: `import row_norm` finds this one then.
    name = name if name not in sys.modules else f"{PREFIX}{name}_py"
    import_file(name, file)


def import_file(name: str, file: str) -> types.ModuleType:
    """Imports the Python file `file` as the module `name`."""
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec is not None and spec.loader is not None, file
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module


def _is_at(module: Any, file: str) -> bool:
    where = getattr(module, "__file__", None)
    return isinstance(where, str) and os.path.realpath(where) == file


def loaded_modules() -> list[types.ModuleType]:
    """The modules that `load_op_library` made, in order."""
    return list(_loaded.values())


def _module_name(file: str, names: list[str]) -> str:
    stem = os.path.splitext(os.path.basename(file))[0]
    digest = abs(hash(tuple(sorted(names)))) % 10**8
    return f"{PREFIX}{stem}_{digest}"
