# SPDX-License-Identifier: Apache-2.0
"""Python wrappers, made at run time, for the ops of a loaded library."""

import inspect
import re
import types
from collections.abc import Callable
from typing import Any

from tensorwright.python.framework import op_def_library, op_def_registry


def python_name(op_name: str) -> str:
    """TensorFlow's Python name of an op: ZeroOut -> zero_out, LRNGrad -> lrn_grad."""
    name = re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", op_name)
    return re.sub(r"([A-Z]+)([A-Z][a-z])", r"\1_\2", name).lower()


def fill_module(module: types.ModuleType, op_names: list[str]) -> None:
    """Gives the module a wrapper for every op, and OP_LIST."""
    from tensorwright.core.framework import op_def_pb2

    op_list = op_def_pb2.OpList()
    for op_name in op_names:
        op_def = op_def_registry.get(op_name)
        op_list.op.add().CopyFrom(op_def)
        if not op_name.startswith("_"):
            wrapper = make_wrapper(op_def)
            wrapper.__module__ = module.__name__
            setattr(module, wrapper.__name__, wrapper)
    module.OP_LIST = op_list


def make_wrapper(op_def: Any) -> Callable[..., Any]:
    """A function with the op's inputs and attrs as its parameters."""
    op_name = op_def.name
    implied = {
        attr
        for arg in op_def.input_arg
        for attr in (arg.type_attr, arg.number_attr, arg.type_list_attr)
    }
    attrs = [a for a in op_def.attr if a.name not in implied]
    required = [a.name for a in attrs if not a.HasField("default_value")]
    optional = [a.name for a in attrs if a.HasField("default_value")]
    parameter = inspect.Parameter
    kind = parameter.POSITIONAL_OR_KEYWORD
    signature = inspect.Signature(
        [parameter(_safe(a.name), kind) for a in op_def.input_arg]
        + [parameter(_safe(n), kind) for n in required]
        + [parameter(_safe(n), kind, default=None) for n in optional]
        + [parameter("name", kind, default=None)]
    )

    def wrapper(*args: Any, **kwargs: Any) -> Any:
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        given = dict(bound.arguments)
        name = given.pop("name")
        return op_def_library._op_def_lib.apply_op(op_name, name=name, **given)

    wrapper.__name__ = wrapper.__qualname__ = python_name(op_name)
    wrapper.__signature__ = signature
    wrapper.__doc__ = f"{op_def.summary}\n\n{op_def.description}".strip()
    return wrapper


def _safe(name: str) -> str:
    import keyword

    return name + "_" if keyword.iskeyword(name) else name
