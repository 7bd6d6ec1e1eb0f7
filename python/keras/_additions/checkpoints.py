# SPDX-License-Identifier: Apache-2.0
"""Weights of a model in a checkpoint, each under the key that TensorFlow's `save_weights` gives it.

A key is the path from the model to the variable: `layer_with_weights-0/kernel/.ATTRIBUTES/VARIABLE_VALUE`.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from tensorwright.python.framework import errors, ops
from tensorwright.python.framework.type_aliases import PathLike
from tensorwright.python.keras import _base
from tensorwright.python.training import (
    checkpoint_management,
    checkpoint_utils,
    saver as saver_lib,
)

_END = "/.ATTRIBUTES/VARIABLE_VALUE"
_HDF5_ENDINGS = (".h5", ".hdf5", ".keras")


def is_hdf5_path(path: PathLike) -> bool:
    """Does the ending of a file's name say that it is in HDF5?"""
    return str(path).endswith(_HDF5_ENDINGS)


def _attributes(layer: Any) -> Iterator[tuple[str, Any]]:
    """A layer's attributes; public names, which TensorFlow uses, come first."""
    yield from sorted(vars(layer).items(), key=lambda item: item[0].startswith("_"))


def _paths(layer: Any, wanted: set[int], seen: set[int]) -> Iterator[tuple[str, Any]]:
    """(path, variable) of the variables whose ids are `wanted`, in `layer` and the layers it keeps."""
    from keras.engine.base_layer import Layer

    seen.add(id(layer))
    sublayers = getattr(layer, "_layers", None)
    if _is_network(layer) and sublayers:
        with_weights = [x for x in sublayers if x.weights]
        for number, x in enumerate(with_weights):
            if id(x) not in seen:
                for path, variable in _paths(x, wanted, seen):
                    yield f"layer_with_weights-{number}/{path}", variable
    for name, value in _attributes(layer):
        if id(value) in wanted:
            wanted.discard(id(value))
            yield name, value
        elif isinstance(value, Layer) and id(value) not in seen:
            for path, variable in _paths(value, wanted, seen):
                yield f"{name}/{path}", variable
        elif isinstance(value, (list, tuple)):
            for number, x in enumerate(value):
                if isinstance(x, Layer) and id(x) not in seen and name != "_layers":
                    for path, variable in _paths(x, wanted, seen):
                        yield f"{name}/{number}/{path}", variable


def _is_network(layer: Any) -> bool:
    from keras.engine.network import Network

    return isinstance(layer, Network)


def keys(model: Any) -> dict[str, Any]:
    """Key in a checkpoint -> variable, for each weight of a model.

    Raises:
        ValueError: no attribute of a layer holds a weight, so that no path leads to it.
    """
    weights = list(model.weights)
    found = {}
    for path, variable in _paths(model, {id(w) for w in weights}, set()):
        found[path + _END] = variable
    missing = [w.name for w in weights if all(w is not v for v in found.values())]
    if missing:
        raise ValueError(
            f"save_weights: no attribute of a layer holds {missing}; keep them, or save to a .h5 file"
        )
    return found


def save(model: Any, prefix: str) -> None:
    """Writes the weights to the checkpoint `prefix`, and notes it as the latest of its folder."""
    folder = os.path.dirname(prefix)
    if folder:
        os.makedirs(folder, exist_ok=True)
    session = _base.get_session()
    with session.graph.as_default():
        saver = saver_lib.Saver(keys(model), max_to_keep=None)
        saver.save(session, prefix, write_meta_graph=False)


def exists(prefix: PathLike) -> bool:
    """Is there a checkpoint of that name?"""
    return checkpoint_management.checkpoint_exists(str(prefix))


def load(model: Any, prefix: str) -> None:
    """Reads the weights from a checkpoint of `save`, or of TensorFlow's `save_weights`.

    Raises:
        ValueError: a weight that the checkpoint lacks, or that has another shape there.
    """
    reader = checkpoint_utils.load_checkpoint(prefix)
    shapes = reader.get_variable_to_shape_map()
    values = []
    for key, variable in keys(model).items():
        if key not in shapes:
            raise errors.NotFoundError(
                None, None, f"load_weights: the checkpoint {prefix} has no {key} for {variable.name}"
            )  # fmt: skip
        if list(shapes[key]) != variable.get_shape().as_list():
            raise ValueError(
                f"load_weights: {variable.name} must have the shape of {key}, got {variable.get_shape()}, "
                f"{list(shapes[key])} in the checkpoint"
            )
        values.append((variable, reader.get_tensor(key)))
    with ops.init_scope():
        _base.batch_set_value(values)
