# SPDX-License-Identifier: Apache-2.0
"""Reads the contents of a SavedModel's folder, without loading it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from tensorwright.python.saved_model import loader

if TYPE_CHECKING:
    from google.protobuf.message import Message

__all__ = ["get_saved_model_tag_sets", "read_saved_model"]


def read_saved_model(saved_model_dir: str | os.PathLike) -> Message:
    """The SavedModel of a folder, from its binary or text file.

    Raises:
        OSError: it has neither, or that is no SavedModel.
    """
    return loader.parse_saved_model(saved_model_dir)


def get_saved_model_tag_sets(saved_model_dir: str | os.PathLike) -> list[list[str]]:
    """The tags of each graph of a SavedModel, in the order of the graphs."""
    saved_model = read_saved_model(saved_model_dir)
    return [list(graph.meta_info_def.tags) for graph in saved_model.meta_graphs]
