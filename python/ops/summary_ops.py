# SPDX-License-Identifier: Apache-2.0
"""Summaries of any tensor."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tensorwright.core.framework import summary_pb2
from tensorwright.python.framework import ops
from tensorwright.python.ops import gen_logging_ops, summary_op_util

if TYPE_CHECKING:
    from tensorwright.python.framework.type_aliases import CollectionNames, TensorLike


def tensor_summary(
    name: str,
    tensor: TensorLike,
    summary_description: str | None = None,
    collections: CollectionNames | None = None,
    summary_metadata: summary_pb2.SummaryMetadata | None = None,
    family: str | None = None,
    display_name: str | None = None,
) -> ops.Tensor:
    """A summary with the whole of `tensor`, of any dtype and shape.

    Args:
        name: the op's name, and the tag.
        tensor: the tensor to write into the summary.
        summary_description: describes the tensor, in Markdown.
        collections: the collections for the summary; [SUMMARIES] by default.
        summary_metadata: a `SummaryMetadata`, which says which plugin of TensorBoard
            shows the tensor.
        family: prefix of the tag.
        display_name: the text that TensorBoard shows for the tag.

    Returns a serialized `Summary`, a string [].
    """
    metadata = summary_pb2.SummaryMetadata()
    if summary_metadata is not None:
        metadata.CopyFrom(summary_metadata)
    if summary_description is not None:
        metadata.summary_description = summary_description
    if display_name is not None:
        metadata.display_name = display_name
    with summary_op_util.summary_scope(name, family, values=[tensor]) as (tag, scope):
        val: Any = gen_logging_ops.tensor_summary_v2(
            tag, tensor, metadata.SerializeToString(), name=scope
        )
        summary_op_util.collect(val, collections, [ops.GraphKeys.SUMMARIES])
    return val
