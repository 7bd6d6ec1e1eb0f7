# SPDX-License-Identifier: Apache-2.0
"""Files that a graph reads and a SavedModel takes along."""

from __future__ import annotations

import os

from tensorwright.python.framework import dtypes, ops
from tensorwright.python.framework.type_aliases import PathLike


class Asset:
    """A file that is copied into SavedModels, which have its name as a tensor.

    Example:
        words = tf.saved_model.Asset("words.txt")
        table = tf.lookup.StaticHashTable(
            tf.lookup.TextFileInitializer(
                words.asset_path,
                tf.string, tf.lookup.TextFileIndex.WHOLE_LINE,
                tf.int64, tf.lookup.TextFileIndex.LINE_NUMBER),
            -1)
        assets = tf.get_collection(tf.GraphKeys.ASSET_FILEPATHS)
        builder.add_meta_graph_and_variables(session, ["serve"], assets_collection=assets)
    """

    def __init__(self, path: PathLike | ops.Tensor):
        """The file `path`, a string or string scalar; its tensor joins the collection ASSET_FILEPATHS."""
        if isinstance(path, os.PathLike):
            path = os.fspath(path)
        with ops.device("/cpu:0"):
            self._path = ops.convert_to_tensor(path, dtypes.string, name="asset_path")
        ops.add_to_collection(ops.GraphKeys.ASSET_FILEPATHS, self._path)

    @property
    def asset_path(self) -> ops.Tensor:
        """The file's name, a string scalar; the main_op of a loaded SavedModel runs with that of its copy."""
        return self._path
