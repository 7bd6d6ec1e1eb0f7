# SPDX-License-Identifier: Apache-2.0
"""Summaries that ops of the graph write to an event file by themselves: `tf.contrib.summary`.

    with tf.contrib.summary.create_file_writer("/tmp/run").as_default(), \\
            tf.contrib.summary.always_record_summaries():
        tf.contrib.summary.scalar("loss", loss)
    with tf.Session() as session:
        tf.contrib.summary.initialize(graph=session.graph)
        session.run([train, tf.contrib.summary.all_summary_ops()])

A graph has a writer, and a condition under which summaries are written, for the code inside their `with` blocks.
"""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from tensorwright.python.framework import constant_op, dtypes, ops, tensor_util
from tensorwright.python.ops import (
    array_ops,
    control_flow_ops,
    gen_summary_ops,
    math_ops,
    summary_op_util,
)
from tensorwright.python.ops._variables.global_step import get_or_create_global_step

if TYPE_CHECKING:
    from google.protobuf.message import Message

    from tensorwright.python.client.session import Session
    from tensorwright.python.framework.graph import Graph
    from tensorwright.python.framework.operation import Operation
    from tensorwright.python.framework.type_aliases import TensorLike

# Ops that make the files of writers.
_WRITER_INIT_COLLECTION = "_SUMMARY_WRITER_V2"

_RED = (255, 0, 0, 255)
_DEFAULT_QUEUE = 10
_DEFAULT_FLUSH_MILLIS = 120_000


class _State(threading.local):
    """The settings of this thread's `with` blocks."""

    writer: SummaryWriter | None = None
    # A bool, a bool tensor [], or a function without arguments that makes one.
    recording: Any = False


_state = _State()


class SummaryWriter:
    """A writer of an event file, as a resource of the graph; see `create_file_writer`."""

    def __init__(
        self,
        resource: ops.Tensor | None,
        init_op_fn: Callable[[], ops.Operation] | None = None,
    ):
        """Wraps a handle; None stands for a writer that writes nothing."""
        self._resource = resource
        self._init_op_fn = init_op_fn

    @property
    def _handle(self) -> ops.Tensor:
        assert self._resource is not None  # Else it is not the default writer.
        return self._resource

    def set_as_default(self) -> None:
        """Makes it the writer of this thread from here on."""
        _state.writer = None if self._resource is None else self

    @contextlib.contextmanager
    def as_default(self) -> Iterator[SummaryWriter]:
        """Makes it the writer of the code inside; flushing is up to `flush`."""
        before = _state.writer
        self.set_as_default()
        try:
            yield self
        finally:
            _state.writer = before

    def init(self) -> ops.Operation:
        """An op that makes the file."""
        if self._init_op_fn is None:
            return control_flow_ops.no_op()
        return self._init_op_fn()

    def flush(self) -> ops.Operation:
        """An op that writes the events that wait."""
        return flush(self)

    def close(self) -> ops.Operation:
        """An op that writes the events that wait, and closes the file."""
        if self._resource is None:
            return control_flow_ops.no_op()
        return gen_summary_ops.close_summary_writer(self._resource)


@contextlib.contextmanager
def _recording(condition: Any) -> Iterator[None]:
    before = _state.recording
    _state.recording = condition
    try:
        yield
    finally:
        _state.recording = before


def always_record_summaries() -> contextlib.AbstractContextManager[None]:
    """Summaries made inside are written in every run."""
    return _recording(True)


def never_record_summaries() -> contextlib.AbstractContextManager[None]:
    """Summaries made inside are not written."""
    return _recording(False)


def record_summaries_every_n_global_steps(
    n: int, global_step: TensorLike | None = None
) -> contextlib.AbstractContextManager[None]:
    """Summaries made inside are written where `global_step % n` is 0.

    Args:
        n: the number of steps between two.
        global_step: an integer []; the graph's global step by default.
    """
    if global_step is None:
        global_step = get_or_create_global_step()
    with ops.device("cpu:0"):
        divisor = math_ops.cast(n, _dtype_of(global_step))
        step: Any = global_step
        due = math_ops.equal(math_ops.floormod(step, divisor), 0)
    return _recording(due)


def _dtype_of(value: Any) -> dtypes.DType:
    return ops.convert_to_tensor(value).dtype.base_dtype


def should_record_summaries() -> Any:
    """Whether summaries are written at this place: a bool, or a bool tensor []."""
    condition = _state.recording
    return condition() if callable(condition) else condition


def create_file_writer(
    logdir: str | None,
    max_queue: TensorLike | None = None,
    flush_millis: TensorLike | None = None,
    filename_suffix: TensorLike | None = None,
    name: str | None = None,
) -> SummaryWriter:
    """A writer of an event file in `logdir`.

    Args:
        logdir: a folder, made when it is missing; None for a writer that writes nothing.
        max_queue: events that may wait, an int32 []; 10 by default.
        flush_millis: they wait that long at most, an int32 []; two minutes by default.
        filename_suffix: the suffix of the event file, a string []; ".v2" by default.
        name: writers of one name in a session are one; by default those of one folder.

    The file is made by `initialize`, `init()`, or the ops of `summary_writer_initializer_op`.
    """
    if logdir is None:
        return SummaryWriter(None)
    folder = os.fspath(logdir)
    with ops.device("cpu:0"):
        arguments = {
            "logdir": folder,
            "max_queue": _DEFAULT_QUEUE if max_queue is None else max_queue,
            "flush_millis": _DEFAULT_FLUSH_MILLIS
            if flush_millis is None
            else flush_millis,
            "filename_suffix": ".v2" if filename_suffix is None else filename_suffix,
        }
        shared_name = f"logdir:{folder}" if name is None else name
        resource = gen_summary_ops.summary_writer(shared_name=shared_name)

        def init() -> ops.Operation:
            return gen_summary_ops.create_summary_file_writer(resource, **arguments)

        ops.add_to_collection(_WRITER_INIT_COLLECTION, init())
    return SummaryWriter(resource, init)


def create_summary_file_writer(*args: Any, **kwargs: Any) -> SummaryWriter:
    """The old name of `create_file_writer`."""
    return create_file_writer(*args, **kwargs)


def summary_writer_initializer_op() -> list[ops.Operation]:
    """Ops that make the files of this graph's writers."""
    return ops.get_collection(_WRITER_INIT_COLLECTION)


def all_summary_ops() -> list[ops.Operation]:
    """The ops of this graph that write summaries."""
    return ops.get_collection(ops.GraphKeys._SUMMARY_COLLECTION)


def initialize(graph: Graph | None = None, session: Session | None = None) -> None:
    """Makes the files of this graph's writers.

    Args:
        graph: a `tf.Graph` or `tf.GraphDef` to write to the default writer's file.
        session: that runs it; the default session if None.

    Raises:
        RuntimeError: there is no default writer.
        ValueError: there is no session.
    """
    if _state.writer is None:
        raise RuntimeError("No default tf.contrib.summary.SummaryWriter found")
    if session is None:
        session = ops.get_default_session()
    if session is None:
        raise ValueError(
            "Argument `session` must be passed if no default session exists"
        )
    session.run(summary_writer_initializer_op())
    if graph is not None:
        text = array_ops.placeholder(dtypes.string, [])
        write = _write_graph(text, 0)
        session.run(write, feed_dict={text: _serialized(graph)})


def _serialized(graph: Any) -> bytes:
    def_ = (
        graph.as_graph_def(add_shapes=True) if hasattr(graph, "as_graph_def") else graph
    )
    return def_.SerializeToString()


def _step(step: TensorLike | None) -> Any:
    counted: Any = get_or_create_global_step() if step is None else step
    return math_ops.cast(counted, dtypes.int64)


def _nothing() -> ops.Tensor:
    return constant_op.constant(False)


def _record(
    name: str | None,
    tensor: Any,
    write: Callable[[SummaryWriter, str, str], ops.Operation],
    family: str | None = None,
) -> Any:
    """An op that writes when it should; collected for `all_summary_ops`."""
    writer = _state.writer
    if writer is None:
        return control_flow_ops.no_op()
    scope_around = ops.get_default_graph().get_name_scope()

    def record() -> ops.Tensor:
        scope = f"{scope_around}/" if scope_around else ""
        with (
            ops.name_scope(scope),
            summary_op_util.summary_scope(name, family, values=[tensor]) as (tag, own),
            ops.control_dependencies([write(writer, tag, own)]),
        ):
            return constant_op.constant(True)

    with ops.device("cpu:0"):
        condition = should_record_summaries()
        known = (
            tensor_util.constant_value(condition)
            if isinstance(condition, ops.Tensor)
            else bool(condition)
        )
        if known is None:
            recorded = control_flow_ops.cond(condition, record, _nothing)
        else:
            recorded = record() if known else _nothing()
        ops.add_to_collection(ops.GraphKeys._SUMMARY_COLLECTION, recorded)
    return recorded


def generic(
    name: str,
    tensor: TensorLike,
    metadata: Message | bytes | None = None,
    family: str | None = None,
    step: TensorLike | None = None,
) -> ops.Tensor | ops.Operation:
    """Writes the whole of `tensor`.

    Args:
        name: the op's name; with the scopes around it, the tag.
        tensor: a tensor of any dtype and shape.
        metadata: a `SummaryMetadata`, or one serialized: which plugin shows the tensor.
        family: prefix of the tag.
        step: the step of the event, an integer []; the global step by default.

    Returns a bool tensor [], whether it was written; `tf.no_op()` without a writer.
    """
    value = ops.convert_to_tensor(tensor)
    serialized: Any = metadata or b""
    if hasattr(metadata, "SerializeToString"):
        serialized = serialized.SerializeToString()

    def write(writer: SummaryWriter, tag: str, scope: str) -> ops.Operation:
        return gen_summary_ops.write_summary(
            writer._handle,
            _step(step),
            array_ops.identity(value),
            tag,
            serialized,
            name=scope,
        )

    return _record(name, value, write, family)


def scalar(
    name: str,
    tensor: TensorLike,
    family: str | None = None,
    step: TensorLike | None = None,
) -> ops.Tensor | ops.Operation:
    """Writes a real number []; other arguments and the result as in `generic`."""
    value = ops.convert_to_tensor(tensor)

    def write(writer: SummaryWriter, tag: str, scope: str) -> ops.Operation:
        return gen_summary_ops.write_scalar_summary(
            writer._handle, _step(step), tag, array_ops.identity(value), name=scope
        )

    return _record(name, value, write, family)


def histogram(
    name: str,
    tensor: TensorLike,
    family: str | None = None,
    step: TensorLike | None = None,
) -> ops.Tensor | ops.Operation:
    """Writes the histogram of finite numbers [...]; the rest as in `generic`."""
    value = ops.convert_to_tensor(tensor)

    def write(writer: SummaryWriter, tag: str, scope: str) -> ops.Operation:
        return gen_summary_ops.write_histogram_summary(
            writer._handle, _step(step), tag, array_ops.identity(value), name=scope
        )

    return _record(name, value, write, family)


def image(
    name: str,
    tensor: TensorLike,
    bad_color: TensorLike | None = None,
    max_images: int = 3,
    family: str | None = None,
    step: TensorLike | None = None,
) -> ops.Tensor | ops.Operation:
    """Writes images as PNG; `tensor` as in `tf.summary.image`, the rest as in `generic`.

    Args:
        name: as in `generic`.
        tensor: [batch, height, width, channels].
        bad_color: the color of pixels that are not finite, uint8 [channels or more]; red by default.
        max_images: images at most.
        family: as in `generic`.
        step: as in `generic`.
    """
    value = ops.convert_to_tensor(tensor)
    color = ops.convert_to_tensor(
        _RED if bad_color is None else bad_color, dtype=dtypes.uint8
    )

    def write(writer: SummaryWriter, tag: str, scope: str) -> ops.Operation:
        return gen_summary_ops.write_image_summary(
            writer._handle,
            _step(step),
            tag,
            array_ops.identity(value),
            color,
            max_images=max_images,
            name=scope,
        )

    return _record(name, value, write, family)


def audio(
    name: str,
    tensor: TensorLike,
    sample_rate: TensorLike,
    max_outputs: int,
    family: str | None = None,
    step: TensorLike | None = None,
) -> ops.Tensor | ops.Operation:
    """Writes sounds as WAV; `tensor` and `sample_rate` as in `tf.summary.audio`, the rest as in `generic`.

    Args:
        name: as in `generic`.
        tensor: float [batch, frames] or [batch, frames, channels], in [-1, 1].
        sample_rate: frames a second, a float [].
        max_outputs: sounds at most.
        family: as in `generic`.
        step: as in `generic`.
    """
    value = ops.convert_to_tensor(tensor, dtype=dtypes.float32)

    def write(writer: SummaryWriter, tag: str, scope: str) -> ops.Operation:
        return gen_summary_ops.write_audio_summary(
            writer._handle,
            _step(step),
            tag,
            array_ops.identity(value),
            sample_rate=sample_rate,
            max_outputs=max_outputs,
            name=scope,
        )

    return _record(name, value, write, family)


def _write_graph(
    text: ops.Tensor, step: TensorLike | None, name: str | None = None
) -> ops.Operation:
    writer = _state.writer
    if writer is None:
        return control_flow_ops.no_op()
    with ops.device("cpu:0"):
        return gen_summary_ops.write_graph_summary(
            writer._handle, _step(step), text, name=name
        )


def graph(
    param: ops.Tensor, step: TensorLike | None = None, name: str | None = None
) -> ops.Operation:
    """An op that writes a serialized GraphDef.

    Args:
        param: a string tensor []; `initialize` instead writes the graph as it is at the call.
        step: as in `generic`.
        name: the op's name.

    Raises TypeError if `param` is no tensor.
    """
    if not isinstance(param, ops.Tensor):
        raise TypeError(
            f"graph() needs a tf.Tensor (e.g. tf.placeholder) in graph mode, but was: {type(param)}"
        )
    return _write_graph(array_ops.identity(param), step, name)


def import_event(tensor: TensorLike, name: str | None = None) -> ops.Operation:
    """An op that writes a serialized `tf.Event`, a string []."""
    writer = _state.writer
    if writer is None:
        return control_flow_ops.no_op()
    with ops.device("cpu:0"):
        return gen_summary_ops.import_event(writer._handle, tensor, name=name)


def flush(writer: SummaryWriter | None = None, name: str | None = None) -> Operation:
    """An op that writes the events that wait in `writer`, the default one if None."""
    writer = _state.writer if writer is None else writer
    if writer is None or writer._resource is None:
        return control_flow_ops.no_op()
    with ops.device("cpu:0"):
        return gen_summary_ops.flush_summary_writer(writer._resource, name=name)


def eval_dir(model_dir: str, name: str | None = None) -> str:
    """The folder of event files of an evaluation: `model_dir/eval`, or `model_dir/eval_name`."""
    return os.path.join(model_dir, f"eval_{name}" if name else "eval")
