# SPDX-License-Identifier: Apache-2.0
"""tf.summary: ops that make summaries, and writers of event files for TensorBoard."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from google.protobuf import json_format as _json_format

from tensorwright.core.framework.summary_pb2 import (
    Summary,
    SummaryDescription,
)
from tensorwright.core.util.event_pb2 import Event, SessionLog, TaggedRunMetadata
from tensorwright.python.framework import dtypes as _dtypes, ops as _ops
from tensorwright.python.ops import (
    gen_logging_ops as _gen_logging_ops,
    summary_op_util as _summary_op_util,
)
from tensorwright.python.ops.summary_ops import tensor_summary
from tensorwright.python.ops.summary_ops_v2 import initialize
from tensorwright.python.summary.text_summary import text_summary as _text_summary
from tensorwright.python.summary.writer.writer import FileWriter
from tensorwright.python.summary.writer.writer_cache import FileWriterCache

if TYPE_CHECKING:
    from tensorwright.core.framework.node_def_pb2 import NodeDef
    from tensorwright.python.framework.type_aliases import CollectionNames, TensorLike

_SUMMARIES = [_ops.GraphKeys.SUMMARIES]


def scalar(
    name: str,
    tensor: TensorLike,
    collections: CollectionNames | None = None,
    family: str | None = None,
) -> _ops.Tensor:
    """A summary with one number.

    Args:
        name: the op's name; with the scopes around it, the tag in TensorBoard.
        tensor: a real number [].
        collections: where the summary goes; [SUMMARIES] by default.
        family: prefix of the tag, the tab in TensorBoard.

    Returns a serialized `Summary`, a string [].
    """
    with _summary_op_util.summary_scope(name, family, values=[tensor]) as (tag, scope):
        val = _gen_logging_ops._scalar_summary(tag, tensor, name=scope)
        _summary_op_util.collect(val, collections, _SUMMARIES)
    return val


def image(
    name: str,
    tensor: TensorLike,
    max_outputs: int = 3,
    collections: CollectionNames | None = None,
    family: str | None = None,
) -> _ops.Tensor:
    """A summary with images, as PNG.

    Args:
        name: the op's name; tags are "name/image" for one image, "name/image/0" and so on.
        tensor: [batch, height, width, channels] with 1 (grey), 3 (RGB) or 4 (RGBA)
            channels.  uint8 stays as it is.  Floats are scaled, image by image: the
            largest to 255, or, where some are negative, 0 to 127 and the largest
            magnitude to the end of the range.  Pixels that are not finite are red.
        max_outputs: images at most.
        collections: where the summary goes; [SUMMARIES] by default.
        family: prefix of the tag, the tab in TensorBoard.

    Returns a serialized `Summary`, a string [].
    """
    with _summary_op_util.summary_scope(name, family, values=[tensor]) as (tag, scope):
        val = _gen_logging_ops._image_summary(
            tag, tensor, max_images=max_outputs, name=scope
        )
        _summary_op_util.collect(val, collections, _SUMMARIES)
    return val


def histogram(
    name: str,
    values: TensorLike,
    collections: CollectionNames | None = None,
    family: str | None = None,
) -> _ops.Tensor:
    """A summary with a histogram of finite real numbers.

    Args:
        name: the op's name; with the scopes around it, the tag in TensorBoard.
        values: [...].
        collections: where the summary goes; [SUMMARIES] by default.
        family: prefix of the tag, the tab in TensorBoard.

    Returns a serialized `Summary`, a string [].  A run fails with InvalidArgumentError
    for a value that is infinite or NaN.
    """
    with _summary_op_util.summary_scope(
        name, family, values=[values], default_name="HistogramSummary"
    ) as (tag, scope):
        val = _gen_logging_ops._histogram_summary(tag, values, name=scope)
        _summary_op_util.collect(val, collections, _SUMMARIES)
    return val


def audio(
    name: str,
    tensor: TensorLike,
    sample_rate: TensorLike,
    max_outputs: int = 3,
    collections: CollectionNames | None = None,
    family: str | None = None,
) -> _ops.Tensor:
    """A summary with sound, as 16-bit WAV.

    Args:
        name: the op's name; tags are "name/audio" for one clip, "name/audio/0" and so on.
        tensor: float32 [batch, frames, channels] or [batch, frames], in [-1, 1].
        sample_rate: in Hertz, float32 [].
        max_outputs: clips at most.
        collections: where the summary goes; [SUMMARIES] by default.
        family: prefix of the tag, the tab in TensorBoard.

    Returns a serialized `Summary`, a string [].
    """
    with _summary_op_util.summary_scope(name, family, values=[tensor]) as (tag, scope):
        rate = _ops.convert_to_tensor(
            sample_rate, dtype=_dtypes.float32, name="sample_rate"
        )
        val = _gen_logging_ops._audio_summary_v2(
            tag, tensor, rate, max_outputs=max_outputs, name=scope
        )
        _summary_op_util.collect(val, collections, _SUMMARIES)
    return val


def text(
    name: str, tensor: TensorLike, collections: CollectionNames | None = None
) -> _ops.Tensor:
    """A summary with text, which TensorBoard shows as Markdown.

    Args:
        name: the op's name; with the scopes around it, the tag in TensorBoard.
        tensor: strings; a matrix is shown as a table.
        collections: where the summary goes; [SUMMARIES] by default.

    Returns a serialized `Summary`, a string [].  Raises ValueError for another dtype.
    """
    return _text_summary(name, tensor, collections)


def merge(
    inputs: Sequence[TensorLike],
    collections: CollectionNames | None = None,
    name: str | None = None,
) -> _ops.Tensor:
    """One summary of several: the values of all of them.

    Args:
        inputs: serialized summaries, strings [...].
        collections: where the result goes; nowhere by default.
        name: the op's name.

    Returns a serialized `Summary`, a string [].  A run fails with InvalidArgumentError
    if two have the same tag.
    """
    name = _summary_op_util.clean_tag(name)
    with _ops.name_scope(name, "Merge", inputs):
        val = _gen_logging_ops._merge_summary(inputs, name=name)
        _summary_op_util.collect(val, collections, [])
    return val


def merge_all(
    key: str = _ops.GraphKeys.SUMMARIES,
    scope: str | None = None,
    name: str | None = None,
) -> _ops.Tensor | Any:
    """Merges the summaries of a collection; None if there are none.

    Args:
        key: the collection.
        scope: only those whose names match it, a regular expression.
        name: the op's name.
    """
    summaries = _ops.get_collection(key, scope=scope)
    return merge(summaries, name=name) if summaries else None


def get_summary_description(node_def: NodeDef) -> SummaryDescription:
    """The `SummaryDescription` of a TensorSummary node.

    Raises ValueError for a node of another op.
    """
    if node_def.op != "TensorSummary":
        raise ValueError(f"Cannot get_summary_description on {node_def.op}")
    text_form = node_def.attr["description"].s.decode()
    description = SummaryDescription()
    return _json_format.Parse(text_form, description) if text_form else description


def all_v2_summary_ops() -> list[_ops.Operation]:
    """The operations that write summaries by themselves, of the collection for these."""
    return list(_ops.get_collection(_ops.GraphKeys._SUMMARY_COLLECTION))


__all__ = [
    "Event",
    "FileWriter",
    "FileWriterCache",
    "SessionLog",
    "Summary",
    "SummaryDescription",
    "TaggedRunMetadata",
    "all_v2_summary_ops",
    "audio",
    "get_summary_description",
    "histogram",
    "image",
    "initialize",
    "merge",
    "merge_all",
    "scalar",
    "tensor_summary",
    "text",
]
