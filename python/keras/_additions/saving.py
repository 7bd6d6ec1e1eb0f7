# SPDX-License-Identifier: Apache-2.0
"""Models and weights in TensorFlow's formats: SavedModels and checkpoints, beside Keras's HDF5."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from tensorwright.python.client.session import Session
from tensorwright.python.framework import ops
from tensorwright.python.keras import _base
from tensorwright.python.keras._additions import checkpoints, extend
from tensorwright.python.lib.io import file_io
from tensorwright.python.saved_model import simple_save

# `load` makes the layers from this file, which a SavedModel has beside its graph.
_CONFIG = ("assets", "saved_model.json")


def export(model: Any, folder: Any) -> None:
    """Writes a SavedModel that predicts, from which `load` makes the model again.

    Raises:
        ValueError: a model that has not been built: its inputs are not known.
    """
    folder = os.fspath(folder)
    if not getattr(model, "inputs", None):
        raise ValueError(
            f"the model {model.name} has no inputs yet: train it, or call build, before it is saved"
        )
    if not model._is_graph_network:
        _write(model, _base.get_session(), folder)
        return
    from keras.models import clone_model

    weights = model.get_weights()
    with ops.Graph().as_default() as graph, Session(graph=graph):
        _base.set_learning_phase(0)
        copy = clone_model(model)
        copy.set_weights(weights)
        _write(copy, _base.get_session(), folder, session_names=model)
    config = os.path.join(folder, *_CONFIG)
    file_io.recursive_create_dir(os.path.dirname(config))
    file_io.write_string_to_file(config, model.to_json())
    checkpoints.save(model, _weights_of(folder))


def _weights_of(folder: str) -> str:
    return os.path.join(folder, "assets", "weights")


def _write(model: Any, session: Any, folder: str, session_names: Any = None) -> None:
    named = session_names or model
    inputs = dict(zip(named.input_names, model.inputs))
    outputs = dict(zip(named.output_names, model.outputs))
    simple_save.simple_save(session, folder, inputs, outputs)


def load(folder: Any, custom_objects: Mapping[str, object] | None = None) -> Any:
    """Returns the model of a SavedModel that `export` wrote; it must be compiled before it is trained.

    Raises:
        ValueError: the SavedModel is of something else, or of a model whose class is the program's own.
    """
    from keras.models import model_from_json

    folder = os.fspath(folder)
    config = os.path.join(folder, *_CONFIG)
    if not file_io.file_exists(config):
        raise ValueError(
            f"{folder} has no {os.path.join(*_CONFIG)}: tf.keras can load SavedModels that it wrote of models made of "
            "layers; tf.saved_model.loader.load loads any"
        )
    model = model_from_json(file_io.read_file_to_string(config), custom_objects)
    checkpoints.load(model, _weights_of(folder))
    return model


def _save(before: Any) -> Any:
    def save(
        self: Any,
        filepath: Any,
        overwrite: bool = True,
        include_optimizer: bool = True,
        save_format: str | None = None,
        **kwargs: Any,
    ) -> None:
        if save_format not in (None, "h5", "tf"):
            raise ValueError(
                f"save: save_format must be 'h5' or 'tf', got {save_format!r}"
            )
        if save_format == "tf":
            export(self, filepath)
        else:
            before(self, filepath, overwrite, include_optimizer, **kwargs)

    return save


def _save_weights(before: Any) -> Any:
    def save_weights(
        self: Any, filepath: Any, overwrite: bool = True, save_format: str | None = None
    ) -> None:
        if save_format is None:
            save_format = "h5" if checkpoints.is_hdf5_path(filepath) else "tf"
        if save_format in ("h5", "hdf5", "keras"):
            before(self, filepath, overwrite)
        elif save_format in ("tf", "tensorflow"):
            if checkpoints.is_hdf5_path(filepath):
                raise ValueError(
                    f"save_weights: a checkpoint's name must not end like one of HDF5, got {filepath}"
                )
            checkpoints.save(self, os.fspath(filepath))
        else:
            raise ValueError(
                f"save_weights: save_format must be 'h5' or 'tf', got {save_format!r}"
            )

    return save_weights


def _load_weights(before: Any) -> Any:
    def load_weights(
        self: Any, filepath: Any, by_name: bool = False, *args: Any, **kwargs: Any
    ) -> Any:
        path = filepath
        if isinstance(path, (str, os.PathLike)) and not os.path.isfile(path):
            if checkpoints.exists(path):
                if by_name:
                    raise ValueError(
                        "load_weights: by_name must be False for a checkpoint, which names weights by their place"
                    )
                return checkpoints.load(self, os.fspath(path))
        return before(self, filepath, by_name, *args, **kwargs)

    return load_weights


def _load_model(before: Any) -> Any:
    def load_model(
        filepath: Any, custom_objects: Any = None, compile: bool = True
    ) -> Any:
        if isinstance(filepath, (str, os.PathLike)) and os.path.isdir(filepath):
            return load(filepath, custom_objects)
        return before(filepath, custom_objects, compile)

    return load_model


def install(network: Any, saving: Any, models: Any) -> None:
    """Extends Keras's functions that save and load."""
    extend.wrap(network, "save", _save)
    extend.wrap(network, "load_weights", _load_weights)
    extend.wrap(saving, "load_model", _load_model)
    models.load_model = saving.load_model


def as_tensorflow(network: type) -> None:
    """`save_weights` writes a checkpoint, as TensorFlow's does, unless the file's name or `save_format` says HDF5."""
    extend.wrap(network, "save_weights", _save_weights)
