# SPDX-License-Identifier: Apache-2.0
"""Printing from a run, and the summary functions of TensorFlow before 1.0; tf.summary has those of today."""

from __future__ import annotations

import pprint
import sys
from collections.abc import Sequence
from typing import Any

from tensorwright.python.framework import dtypes, ops, sparse_tensor
from tensorwright.python.framework.type_aliases import CollectionNames, TensorLike
from tensorwright.python.ops import (
    gen_logging_ops,
    gen_string_ops,
    summary_op_util,
    variables,
)
from tensorwright.python.platform import tf_logging
from tensorwright.python.util import nest


def Print(
    input_: TensorLike,
    data: Sequence[TensorLike],
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
      name: the op's name.
    """
    # None stands for an attr's default.
    attrs: Any = {"message": message, "first_n": first_n, "summarize": summarize}
    return gen_logging_ops._print(input_, data, name=name, **attrs)


# The streams of tf.print that are not given by name.
_STREAMS: tuple[tuple[Any, str], ...] = (
    (tf_logging.info, "log(info)"),
    (tf_logging.warning, "log(warning)"),
    (tf_logging.warn, "log(warning)"),
    (tf_logging.error, "log(error)"),
)
_STREAM_NAMES = ("stdout", "stderr", "log(info)", "log(warning)", "log(error)")


def _stream(output_stream: Any) -> str:
    if output_stream is None or output_stream is sys.stderr:
        return "stderr"
    if output_stream is sys.stdout:
        return "stdout"
    for stream, text in _STREAMS:
        if output_stream is stream:
            return text
    if isinstance(output_stream, str) and (
        output_stream in _STREAM_NAMES or output_stream.startswith("file://")
    ):
        return output_stream
    raise ValueError(
        "Unsupported output stream, logging level, or file."
        f"{output_stream}. Supported streams are sys.stdout, sys.stderr, tf.logging.info, tf.logging.warning, "
        "tf.logging.error. File needs to be in the form of 'file://<filepath>'."
    )


class _Mark:
    """Marks the place of a tensor's values in the text that Python makes of a structure."""

    def __init__(self, text: str):
        self._text = text

    def __repr__(self) -> str:
        return self._text


def _template(inputs: Any, mark: str, tensors: list[ops.Tensor]) -> list[str]:
    """Returns a text for each of `inputs`, with `mark` in the place of each tensor added to `tensors`."""

    def text_of(x: Any) -> Any:
        if isinstance(x, sparse_tensor.SparseTensor):
            tensors.extend([x.indices, x.values, x.dense_shape])
            return f"SparseTensor(indices={mark}, values={mark}, shape={mark})"
        if isinstance(x, (ops.Tensor, variables.Variable)):
            tensors.append(ops.convert_to_tensor(x))
            return _Mark(mark)
        return x

    texts = []
    for x in inputs:
        shown = nest.map_structure(text_of, x)
        texts.append(shown if isinstance(x, str) else pprint.pformat(shown))
    return texts


def print_v2(*inputs: object, **kwargs: Any) -> ops.Operation:
    """Writes `inputs`, tensors and Python's objects, nested or not, when it is run.

    Args:
        *inputs: the values to write.
        **kwargs: output_stream: sys.stderr, the default, sys.stdout, tf.logging.info, .warning, .error, or a file,
            "file://path", to which the text is added; summarize: the number of elements at each end of a dimension, 3,
            all for -1; sep: the text between inputs, a blank; end: the text behind them, a line's end; name: the op's
            name.

    Returns:
        An operation; a graph must depend on it, or a session must run it.

    Raises:
        ValueError: for other keywords or streams.
    """
    stream = _stream(kwargs.pop("output_stream", None))
    summarize = kwargs.pop("summarize", 3)
    sep, end = kwargs.pop("sep", " "), kwargs.pop("end", "\n")
    name = kwargs.pop("name", None)
    if kwargs:
        raise ValueError(f"Unrecognized keyword arguments for tf.print: {kwargs}")
    with ops.name_scope(name, "print") as scope:
        text = _formatted(inputs, sep, summarize or 3)
        return gen_logging_ops.print_v2(
            text, output_stream=stream, end=end or "", name=scope
        )


def _formatted(inputs: Any, sep: str, summarize: int) -> ops.Tensor:
    if len(inputs) == 1 and isinstance(inputs[0], ops.Tensor):
        only = inputs[0]
        if only.dtype.base_dtype == dtypes.string and only.get_shape().ndims == 0:
            return only
    mark = "{}"
    plain = sep.join(_template(inputs, "", []))
    while mark in plain:
        mark = "{" + mark + "}"
    tensors: list[ops.Tensor] = []
    template = sep.join(_template(inputs, mark, tensors))
    return gen_string_ops.string_format(
        tensors, template=template, placeholder=mark, summarize=summarize
    )


def timestamp(name: str | None = None) -> ops.Tensor:
    """The seconds since the beginning of 1970 when it is run: float64 []."""
    return gen_logging_ops.timestamp(name=name)


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
    inputs: Sequence[TensorLike],
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
    """Returns the one summary op of the graph; without one, all summaries merged."""
    found = ops.get_collection(ops.GraphKeys.SUMMARY_OP)
    if found:
        return found[0]
    merged = merge_all_summaries()
    if merged is not None:
        ops.add_to_collection(ops.GraphKeys.SUMMARY_OP, merged)
    return merged
