# SPDX-License-Identifier: Apache-2.0
"""Printing from a run, and the summary functions of TensorFlow before 1.0; tf.summary has those of today."""

from __future__ import annotations

from typing import Any

from tensorwright.python.framework import dtypes, ops
from tensorwright.python.framework.type_aliases import CollectionNames, TensorLike
from tensorwright.python.ops import gen_logging_ops, summary_op_util


def Print(
    input_: TensorLike,
    data: list[Any],
    message: str | None = None,
    first_n: int | None = None,
    summarize: int | None = None,
    name: str | None = None,
) -> ops.Tensor:
    """`input_`, writing the values of `data` to stderr whenever it is computed.

    Args:
      input_: any tensor; it passes through.
      data: tensors to write.
      message: goes before them.
      first_n: how often at most; -1, the default, is always.
      summarize: how many elements of each, 3 by default.
      name: of the op.
    """
    return gen_logging_ops._print(
        input_, data, message=message, first_n=first_n, summarize=summarize, name=name
    )


def _collected(val: ops.Tensor, collections: CollectionNames | None) -> ops.Tensor:
    summary_op_util.collect(val, collections, [ops.GraphKeys.SUMMARIES])
    return val


def histogram_summary(
    tag: TensorLike,
    values: TensorLike,
    collections: CollectionNames | None = None,
    name: str | None = None,
) -> ops.Tensor:
    """A summary [] with a histogram of `values` [...] under `tag` []."""
    with ops.name_scope(name, "HistogramSummary", [tag, values]) as scope:
        val = gen_logging_ops._histogram_summary(tag, values, name=scope)
    return _collected(val, collections)


def image_summary(
    tag: TensorLike,
    tensor: TensorLike,
    max_images: int = 3,
    collections: CollectionNames | None = None,
    name: str | None = None,
) -> ops.Tensor:
    """A summary [] with images of `tensor` [batch, height, width, channels]."""
    with ops.name_scope(name, "ImageSummary", [tag, tensor]) as scope:
        val = gen_logging_ops._image_summary(
            tag, tensor, max_images=max_images, name=scope
        )
    return _collected(val, collections)


def audio_summary(
    tag: TensorLike,
    tensor: TensorLike,
    sample_rate: TensorLike,
    max_outputs: int = 3,
    collections: CollectionNames | None = None,
    name: str | None = None,
) -> ops.Tensor:
    """A summary [] with sound of `tensor` [batch, frames, channels] or [batch, frames]."""
    with ops.name_scope(name, "AudioSummary", [tag, tensor]) as scope:
        rate = ops.convert_to_tensor(sample_rate, dtypes.float32, name="sample_rate")
        val = gen_logging_ops._audio_summary_v2(
            tag, tensor, rate, max_outputs=max_outputs, name=scope
        )
    return _collected(val, collections)


def scalar_summary(
    tags: TensorLike,
    values: TensorLike,
    collections: CollectionNames | None = None,
    name: str | None = None,
) -> ops.Tensor:
    """A summary [] with a number of `values` [...] for each of `tags` [...]."""
    with ops.name_scope(name, "ScalarSummary", [tags, values]) as scope:
        val = gen_logging_ops._scalar_summary(tags, values, name=scope)
    return _collected(val, collections)


def merge_summary(
    inputs: list[Any],
    collections: CollectionNames | None = None,
    name: str | None = None,
) -> ops.Tensor:
    """One summary [] with the values of all of `inputs`."""
    with ops.name_scope(name, "MergeSummary", inputs):
        val = gen_logging_ops._merge_summary(inputs, name=name)
        summary_op_util.collect(val, collections, [])
    return val


def merge_all_summaries(key: str = ops.GraphKeys.SUMMARIES) -> ops.Tensor | None:
    """Merges the summaries of a collection; None if there are none."""
    summaries = ops.get_collection(key)
    return merge_summary(summaries) if summaries else None


def get_summary_op() -> ops.Tensor | None:
    """The one summary op of the graph; all summaries merged if there is none."""
    found = ops.get_collection(ops.GraphKeys.SUMMARY_OP)
    if found:
        return found[0]
    merged = merge_all_summaries()
    if merged is not None:
        ops.add_to_collection(ops.GraphKeys.SUMMARY_OP, merged)
    return merged
