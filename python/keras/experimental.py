# SPDX-License-Identifier: Apache-2.0
"""`tf.keras.experimental`: models as SavedModels."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from tensorwright.python.keras import _load
from tensorwright.python.keras._additions import saving


def export_saved_model(
    model: Any,
    saved_model_path: str | os.PathLike,
    custom_objects: Mapping[str, object] | None = None,
    as_text: bool = False,
    input_signature: Any = None,
    serving_only: bool = False,
) -> None:
    """Writes a model as a SavedModel for serving, in a new folder.

    Args:
        model: a built model.
        saved_model_path: the folder.
        custom_objects: name -> class of the program's own layers.
        as_text, input_signature, serving_only: taken, and change nothing: the graph is binary, of the model's own
            inputs, and predicts.
    """
    del as_text, input_signature, serving_only
    keras = _load.keras()
    with keras.utils.CustomObjectScope(custom_objects or {}):
        saving.export(model, saved_model_path)


def load_from_saved_model(
    saved_model_path: str | os.PathLike,
    custom_objects: Mapping[str, object] | None = None,
) -> Any:
    """The model of a SavedModel that `export_saved_model` wrote; compile it to train on."""
    _load.keras()
    return saving.load(saved_model_path, custom_objects)
