# SPDX-License-Identifier: Apache-2.0
"""Summaries of text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorwright.core.framework import summary_pb2
from tensorwright.python.framework import dtypes, ops
from tensorwright.python.ops.summary_ops import tensor_summary

if TYPE_CHECKING:
    from tensorwright.python.framework.type_aliases import CollectionNames, TensorLike

# The plugin of TensorBoard that shows them.
PLUGIN_NAME = "text"


def text_summary(
    name: str, tensor: TensorLike, collections: CollectionNames | None = None
) -> ops.Tensor:
    """A summary with strings; see tf.summary.text.

    Raises ValueError for a tensor of another dtype.
    """
    strings = ops.convert_to_tensor(tensor)
    if strings.dtype != dtypes.string:
        raise ValueError(
            f"Expected tensor {strings.name} to have dtype string, got {strings.dtype}"
        )
    metadata = summary_pb2.SummaryMetadata(
        plugin_data=summary_pb2.SummaryMetadata.PluginData(plugin_name=PLUGIN_NAME)
    )
    return tensor_summary(
        name, strings, collections=collections, summary_metadata=metadata
    )
