# SPDX-License-Identifier: Apache-2.0
"""Models of Keras as SavedModels, by the names of TensorFlow 1.9 to 1.13."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from tensorwright.python.keras import experimental

__all__ = ["load_keras_model", "save_keras_model"]


def save_keras_model(
    model: Any,
    saved_model_path: str | os.PathLike,
    custom_objects: Mapping[str, object] | None = None,
    as_text: bool | None = None,
    input_signature: Any = None,
    serving_only: bool = False,
) -> str:
    """Writes a model as a SavedModel; returns its folder.

    Arguments as in `tf.keras.experimental.export_saved_model`.
    """
    experimental.export_saved_model(
        model,
        saved_model_path,
        custom_objects=custom_objects,
        as_text=bool(as_text),
        input_signature=input_signature,
        serving_only=serving_only,
    )
    return os.fspath(saved_model_path)


def load_keras_model(
    saved_model_path: str | os.PathLike,
    custom_objects: Mapping[str, object] | None = None,
) -> Any:
    """The model of a SavedModel that `save_keras_model` wrote."""
    return experimental.load_from_saved_model(saved_model_path, custom_objects)
