# SPDX-License-Identifier: Apache-2.0
"""Helpers of SavedModels in the module where TensorFlow has them: re-exports, and the paths in their folders."""

from __future__ import annotations

from tensorwright.python.lib.io import file_io
from tensorwright.python.saved_model import constants
from tensorwright.python.saved_model.utils import (
    build_tensor_info as build_tensor_info,
    get_tensor_from_tensor_info as get_tensor_from_tensor_info,
)
from tensorwright.python.util import compat


def _made(path: str) -> str:
    if not file_io.file_exists(path):
        file_io.recursive_create_dir(path)
    return path


def get_variables_dir(export_dir: str | bytes) -> str:
    """The folder of a SavedModel's checkpoint."""
    return file_io.join(compat.as_text(export_dir), constants.VARIABLES_DIRECTORY)


def get_or_create_variables_dir(export_dir: str | bytes) -> str:
    """The same, made if it is not there."""
    return _made(get_variables_dir(export_dir))


def get_variables_path(export_dir: str | bytes) -> str:
    """The prefix of a SavedModel's checkpoint, as a Saver takes it."""
    return file_io.join(get_variables_dir(export_dir), constants.VARIABLES_FILENAME)


def get_assets_dir(export_dir: str | bytes) -> str:
    """The folder of a SavedModel's asset files."""
    return file_io.join(compat.as_text(export_dir), constants.ASSETS_DIRECTORY)


def get_or_create_assets_dir(export_dir: str | bytes) -> str:
    """The same, made if it is not there."""
    return _made(get_assets_dir(export_dir))
