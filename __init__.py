# SPDX-License-Identifier: Apache-2.0
"""tensorwright: TensorFlow 1.x's graph framework, small and fast.

    import tensorwright as tf

Public names are looked up when they are first used: `_MODULES` are attributes
that are modules, `_FACADES` are modules whose public names are names of `tf`.
Importing the package loads the C++ library and the core of the front end only.
"""

import importlib as _importlib
import importlib.util as _importlib_util
import sys as _sys
from typing import Any as _Any

from tensorwright.python.client.policy import Policy
from tensorwright.python.client.session import InteractiveSession, Session
from tensorwright.python.framework import (
    constant_op as _constant_op,
    lazy_operators as _lazy_operators,
)
from tensorwright.python.framework.dtypes import *  # noqa: F403
from tensorwright.python.framework.framework_lib import *  # noqa: F403
from tensorwright.python.framework.versions import (
    COMPILER_VERSION,
    CXX11_ABI_FLAG,
    CXX_VERSION,
    GIT_VERSION,
    GRAPH_DEF_VERSION,
    GRAPH_DEF_VERSION_MIN_CONSUMER,
    GRAPH_DEF_VERSION_MIN_PRODUCER,
    MONOLITHIC_BUILD,
    VERSION,
    __compiler_version__,
    __cxx11_abi_flag__,
    __cxx_version__,
    __git_version__,
    __monolithic_build__,
    __version__,
)
from tensorwright.python.util import (
    later as _later,
    traceback_utils as _traceback_utils,
)
from tensorwright.python.util.module_alias import (
    ModuleAliasFinder as _ModuleAliasFinder,
)

constant = _constant_op.constant
_traceback_utils.install()

# Attribute -> the module it is.
_MODULES = {
    "app": "python.platform.app",
    "audio": "python.ops._namespaces.audio_ns",
    "autograph": "python.autograph",
    "bitwise": "python.ops.bitwise_ops",
    "cluster": "cluster",
    "compat": "compat",
    "config": "python.ops._namespaces.config_ns",
    "contrib": "contrib",
    "data": "python.data.data",
    "debugging": "python.ops._namespaces.debugging_ns",
    "distribute": "python.distribute.distribute_ns",
    "distributions": "python.ops.distributions.distributions",
    "dtypes": "python.ops._namespaces.dtypes_ns",
    "errors": "python.framework.errors",
    "estimator": "python.estimator.estimator_lib",
    "examples": "python.examples",
    "feature_column": "python.feature_column.feature_column_ns",
    "flags": "python.platform.flags",
    "gfile": "python.platform.gfile",
    "graph_util": "python.framework.graph_util",
    "image": "python.ops.image_ops",
    "initializers": "python.ops._namespaces.initializers_ns",
    "io": "python.ops._namespaces.io_ns",
    "keras": "python.keras",
    "layers": "python.layers.layers",
    "linalg": "python.ops._namespaces.linalg_ns",
    "logging": "python.platform.tf_logging",
    "lookup": "python.ops._namespaces.lookup_ns",
    "losses": "python.ops.losses.losses",
    "manip": "python.ops._namespaces.manip_ns",
    "math": "python.ops._namespaces.math_ns",
    "metrics": "python.ops.metrics",
    "mixed_precision": "python.training.experimental.mixed_precision",
    "nest": "python.util.nest",
    "nn": "python.ops.nn",
    "profiler": "python.profiler.profiler",
    "python": "python",
    "python_io": "python.lib.io.python_io",
    "quantization": "python.ops._namespaces.quantization_ns",
    "queue": "python.ops._namespaces.queue_ns",
    "random": "python.ops._namespaces.random_ns",
    "raw_ops": "python.ops.raw_ops",
    "resource_loader": "python.platform.resource_loader",
    "saved_model": "python.saved_model.saved_model",
    "sets": "python.ops.sets",
    "signal": "python.ops.signal.signal",
    "sparse": "python.ops._namespaces.sparse_ns",
    "spectral": "python.ops._namespaces.spectral_ns",
    "strings": "python.ops._namespaces.strings_ns",
    "summary": "python.summary.summary",
    "sysconfig": "python.platform.sysconfig",
    "test": "python.platform.test",
    "train": "python.training.training",
    "user_ops": "python.user_ops.user_ops",
    "version": "python.framework.version_lib",
}

# Attributes of those modules that lie higher up than they do.
_ABOVE = {
    "tf.estimator.experimental": "contrib.estimator.experimental_ns",
    "tf.estimator.tpu": "contrib.tpu",
}

# Functions and classes of modules that few programs need.
_FUNCTIONS = {
    "Batched": "python.framework.batching_registry",
    "CannotBatch": "python.framework.batching_registry",
    "IndexedSlicesSpec": "python.ops.type_specs",
    "Module": "python.ops.module",
    "NoneTensorSpec": "python.ops.type_specs",
    "RegisterBatchingRule": "python.framework.batching_registry",
    "RegisterShapeFunction": "python.framework.library_rules",
    "SparseTensorSpec": "python.ops.type_specs",
    "TensorArraySpec": "python.ops.type_specs",
    "TensorSpec": "python.ops.type_specs",
    "TypeSpec": "python.ops.type_specs",
    "explain": "python.explain.source_chain",
    "function": "python.eager.def_function",
    "get_logger": "python.platform.tf_logging",
    "type_spec_from_value": "python.ops.type_specs",
    "user_op": "python.ops.user_op",
    "vectorized_map": "python.ops.vectorized_map",
    "wrap_function": "python.eager.wrap_function",
}

# Tried in this order for every other name.
_FACADES = (
    "python.framework.protos_lib",
    "python.ops.standard_ops",
)

# Parts that lower layers ask for by these names, see python/util/later.py.
_LATER = {
    "collections": "python.ops._variables.collections_protos",
    "explain": "python.explain.source_chain",
    "flops": "python.profiler.flops_registry",
    "function gradients": "python.ops._functional.function_gradient",
    "lists of tensors": "python.ops._array.array_ops_join",
    "user ops": "python.user_ops.user_ops",
}

_PACKAGE = __name__


def _module(dotted: str) -> _Any:
    return _importlib.import_module(f"{_PACKAGE}.{dotted}")


def _path_of(fullname: str) -> str | None:
    """The path of a module that is named as an attribute of `tf`, or lies below one."""
    package, _, rest = fullname.partition(".")
    name, dot, below = rest.partition(".")
    home = _MODULES.get(name, name)
    if package == _PACKAGE and f"tf.{rest}" in _ABOVE:
        return f"{_PACKAGE}.{_ABOVE[f'tf.{rest}']}"
    if package != _PACKAGE or home == name:
        return None
    return f"{_PACKAGE}.{home}{dot}{below}"


def _loaded(fullname: str, module: _Any) -> None:
    """Called when a module is imported as an attribute of `tf`."""
    package, _, name = fullname.partition(".")
    if package == _PACKAGE and name in _MODULES:
        _name_what_is_missing(module, f"tf.{name}")


# `import tensorwright.keras.layers`, `from tensorwright.nn import relu`.
_sys.meta_path.append(_ModuleAliasFinder(_path_of, _loaded))  # type: ignore[arg-type]

_later.offer({k: f"{_PACKAGE}.{v}" for k, v in _LATER.items()})
_lazy_operators.install(lambda: _module("python.ops.standard_ops"))


def _public(facade: _Any, name: str) -> bool:
    names = getattr(facade, "__all__", None)
    if names is not None:
        return name in names
    value = getattr(facade, name, None)
    return hasattr(facade, name) and not isinstance(value, type(_sys))


def _name_what_is_missing(module: _Any, public: str) -> None:
    """Errors call what a module lacks by the name under which it was asked for."""

    def missing(name: str) -> _Any:
        if f"{public}.{name}" in _ABOVE:
            value = _module(_ABOVE[f"{public}.{name}"])
            setattr(module, name, value)
            return value
        text = f"there is no {public}.{name}: module {module.__name__!r} has no attribute {name!r}"
        raise AttributeError(text, name=name, obj=module)

    if "__getattr__" not in vars(module):
        module.__getattr__ = missing


def _starred() -> list[str]:
    """The names that `from tensorwright import *` gives: all public ones that can be imported here."""
    left_out = {"cluster", "contrib", "examples", "python"}
    if _importlib_util.find_spec("keras") is None:
        left_out.add("keras")
    return [n for n in __dir__() if n not in left_out and not n.startswith("_")]


def __getattr__(name: str) -> _Any:
    if name == "__all__":
        return _starred()
    if name in _MODULES:
        # A module that cannot be imported raises its own error: an AttributeError would hide it.
        value = _module(_MODULES[name])
        _name_what_is_missing(value, f"tf.{name}")
        globals()[name] = value
        return value
    if not name.startswith("_"):
        for dotted in _FACADES:
            facade = _module(dotted)
            if _public(facade, name):
                value = globals()[name] = getattr(facade, name)
                return value
        if name in _FUNCTIONS:
            value = globals()[name] = getattr(_module(_FUNCTIONS[name]), name)
            return value
    raise AttributeError(f"module {_PACKAGE!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    names = {n for n in globals() if not n.startswith("_")} | set(_MODULES)
    for dotted in _FACADES:
        facade = _module(dotted)
        names.update(
            n for n in dir(facade) if not n.startswith("_") and _public(facade, n)
        )
    return sorted(names | set(_FUNCTIONS) | {"__version__"})
