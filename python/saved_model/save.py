# SPDX-License-Identifier: Apache-2.0
"""tf.saved_model.save: an object's variables and functions as a SavedModel."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any

from tensorwright.python.framework import dtypes, ops, tensor_shape, tensor_spec
from tensorwright.python.ops import array_ops, control_flow_ops, variables
from tensorwright.python.ops.module import Module
from tensorwright.python.saved_model import (
    builder,
    load,
    save_options,
    signature_constants,
    signature_def_utils,
    tag_constants,
)
from tensorwright.python.training import saver as saver_lib
from tensorwright.python.util import nest


def save(
    obj: object,
    export_dir: str | os.PathLike,
    signatures: Any = None,
    options: save_options.SaveOptions | None = None,
) -> None:
    """Writes the variables of an object and functions of it as a SavedModel.

        class Scale(tf.Module):
            def __init__(self):
                self.factor = tf.Variable(3.0)

            def scaled(self, x):
                return {"y": self.factor * x}

        scale = Scale()
        scale.scaled.__func__.input_signature = [tf.TensorSpec([None], name="x")]
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            tf.saved_model.save(scale, "/models/1", signatures=scale.scaled)

    The default session has the variables' values. Each call adds placeholders, the functions' nodes and a saver to the
    session's graph.

    Args:
      obj: a `tf.Module`, a loaded SavedModel, or any object with `variables`, or with variables in its attributes.
      export_dir: a folder, which must not exist or be empty.
      signatures: a function, saved as "serving_default", or a dict of key -> function. A function has an
        `input_signature` (a sequence of `TensorSpec`s), is the signature of a loaded SavedModel, or a `Defun` with
        declared types. It gives a tensor, a sequence (its outputs are "output_0", ...), or a dict of tensors.
        Without it the functions of `obj` are looked at: the one that has an `input_signature` is "serving_default".
      options: a `SaveOptions`.

    Raises:
      ValueError: there is no default session, or a function does not say what it takes.
      AssertionError: the folder is not empty.
    """
    options = options or save_options.SaveOptions()
    _check(options)
    session = ops.get_default_session()
    if session is None:
        raise ValueError(
            "tf.saved_model.save takes the variables' values from the default session: use `with session:`"
        )
    with session.graph.as_default():
        found = _variables_of(obj)
        made = {
            key: _signature(key, function)
            for key, function in _functions(obj, signatures).items()
        }
        _check_namespaces(session.graph, options.namespace_whitelist)
        writer = builder.SavedModelBuilder(export_dir)
        with ops.device(options.experimental_io_device):
            saver = saver_lib.Saver(
                [] if options.experimental_skip_saver else found,
                sharded=True,
                allow_empty=True,
            )
        writer.add_meta_graph_and_variables(
            session,
            [tag_constants.SERVING, *(options.extra_tags or ())],
            signature_def_map=made,
            assets_collection=ops.get_collection(ops.GraphKeys.ASSET_FILEPATHS),
            main_op=_main_op(),
            saver=saver,
        )
        writer.save()


def _check(options: Any) -> None:
    for name in (
        "experimental_image_format",
        "experimental_variable_policy",
        "experimental_sharding_callback",
        "save_debug_info",
        "function_aliases",
    ):
        if getattr(options, name):
            raise ValueError(f"tf.saved_model.save does not do what {name} asks for")


def _check_namespaces(graph: ops.Graph, allowed: list[str]) -> None:
    used = {op.type.split(">")[0] for op in graph.get_operations() if ">" in op.type}
    for name in sorted(used - set(allowed)):
        raise ValueError(
            f"The graph has ops of the namespace {name!r}, which is not in the "
            f"namespace_whitelist {allowed}"
        )


def _main_op() -> Any:
    """Returns an operation that sets up tables, None if there are none."""
    inits = ops.get_collection(ops.GraphKeys.TABLE_INITIALIZERS)
    return control_flow_ops.group(*inits, name="main_op") if inits else None


def _variables_of(obj: Any) -> list[Any]:
    """The variables that an object has, each once."""
    if not isinstance(obj, (Module, load.LoadedModel)) and not hasattr(
        obj, "variables"
    ):
        # Module knows how to look through attributes.
        holder = Module("saved")
        held = dict(vars(obj)) if hasattr(obj, "__dict__") else obj
        setattr(holder, "held", held)
        obj = holder
    found = list(dict.fromkeys(obj.variables))
    if not all(isinstance(v, variables.Variable) for v in found):
        raise ValueError(f"{obj!r}.variables has values that are no variables")
    return found


def _functions(obj: Any, signatures: Any) -> dict[str, Callable]:
    default = signature_constants.DEFAULT_SERVING_SIGNATURE_DEF_KEY
    if signatures is None:
        if isinstance(obj, load.LoadedModel):
            return dict(obj.signatures)
        members = (getattr(obj, n, None) for n in dir(type(obj)) if n[:2] != "__")
        found: list[Any] = [
            m for m in members if callable(m) and hasattr(m, "input_signature")
        ]
        call = getattr(obj, "__call__", None)
        found += [call] if hasattr(call, "input_signature") else []
        return {default: found[0]} if len(found) == 1 else {}
    if not isinstance(signatures, Mapping):
        signatures = {default: signatures}
    for key, function in signatures.items():
        if not isinstance(key, str) or not callable(function):
            raise ValueError(
                f"signatures must be a function or a dict of functions, got {key!r}: {function!r}"
            )
    return dict(signatures)


def _inputs(key: str, function: Any) -> dict[str, tensor_spec.TensorSpec]:
    """Returns the arguments of a function, in order: name -> TensorSpec."""
    if isinstance(function, load.SignatureFunction):
        return function.inputs
    specs = getattr(function, "input_signature", None)
    if specs is None and hasattr(function, "declared_input_types"):
        types = function.declared_input_types
        names = [arg.name for arg in function.definition.signature.input_arg]
        specs = [
            tensor_spec.TensorSpec(tensor_shape.unknown_shape(), t, n)
            for t, n in zip(types, names)
        ]
    if specs is None:
        raise ValueError(
            f"signature {key!r}: {function!r} does not say what it takes; give it an "
            "input_signature, a list of tf.TensorSpec"
        )
    flat = nest.flatten(specs)
    return {spec.name or f"args_{i}": spec for i, spec in enumerate(flat)}


def _signature(key: str, function: Any) -> Any:
    """Adds a function, between placeholders and its results, to the graph; returns its `SignatureDef`."""
    specs = _inputs(key, function)
    with ops.name_scope(key):
        inputs = {
            name: array_ops.placeholder(dtypes.as_dtype(s.dtype), s.shape, name=name)
            for name, s in specs.items()
        }
        if isinstance(function, load.SignatureFunction):
            results = function(**inputs)
        else:
            results = function(*inputs.values())
        outputs = {
            # A result that the function only passes on gets a node of its own, so that feeds and fetches differ.
            name: array_ops.identity(ops.convert_to_tensor(value), name=name)
            for name, value in _named(key, results).items()
        }
    return signature_def_utils.predict_signature_def(inputs, outputs)


def _named(key: str, results: Any) -> dict[str, Any]:
    if isinstance(results, Mapping):
        return dict(results)
    if not isinstance(results, (list, tuple)):
        results = [results]
    if any(value is None or isinstance(value, ops.Operation) for value in results):
        raise ValueError(f"signature {key!r} gives {results!r}, which are no tensors")
    return {f"output_{i}": value for i, value in enumerate(results)}
