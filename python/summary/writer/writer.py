# SPDX-License-Identifier: Apache-2.0
"""FileWriter: summaries, graphs and what else TensorBoard shows, to event files."""

from __future__ import annotations

import os
import time
import warnings
from typing import TYPE_CHECKING, Any

from tensorwright.core.framework import graph_pb2, summary_pb2
from tensorwright.core.protobuf import meta_graph_pb2
from tensorwright.core.util import event_pb2
from tensorwright.python.framework import meta_graph, ops
from tensorwright.python.framework.type_aliases import SessionLike
from tensorwright.python.platform import gfile
from tensorwright.python.summary import plugin_asset
from tensorwright.python.summary.writer.event_file_writer import EventFileWriter

if TYPE_CHECKING:
    from types import TracebackType

    from google.protobuf.message import Message

    from tensorwright.core.framework.graph_pb2 import GraphDef
    from tensorwright.python.framework.type_aliases import PathLike

_PLUGINS_DIR = "plugins"


class SummaryToEventTransformer:
    """Makes events of summaries, graphs, ... and hands them to an event writer."""

    def __init__(
        self,
        event_writer: Any,
        graph: ops.Graph | None = None,
        graph_def: GraphDef | None = None,
    ):
        """Writes the graph, if there is one.

        Args:
            event_writer: has `add_event(event)` and `get_logdir()`.
            graph: a Graph (or, as in old programs, a GraphDef).
            graph_def: a GraphDef; use `graph`.
        """
        self.event_writer = event_writer
        self._session_run_tags: set[str] = set()
        if graph is not None or graph_def is not None:
            self.add_graph(graph=graph, graph_def=graph_def)
            self.add_meta_graph(
                meta_graph.create_meta_graph_def(
                    graph_def=graph_def or _graph_def_of(graph),
                    graph=graph if isinstance(graph, ops.Graph) else None,
                )
            )

    def add_summary(
        self, summary: bytes | Message, global_step: int | None = None
    ) -> None:
        """Adds a summary.

        Args:
            summary: a `Summary`, or one that a run gave, serialized.
            global_step: at which it was computed.

        Raises google.protobuf's DecodeError for bytes that are no summary.
        """
        if not isinstance(summary, bytes):
            summary = _serialized(summary)
        step = 0 if global_step is None else int(global_step)
        add = getattr(self.event_writer, "add_serialized_summary", None)
        if add is None:
            parsed = summary_pb2.Summary.FromString(summary)
            self._add_event(event_pb2.Event(summary=parsed), global_step)
        elif not add(summary, time.time(), step):
            summary_pb2.Summary.FromString(summary)  # Says what is wrong with it.

    def add_session_log(
        self, session_log: event_pb2.SessionLog, global_step: int | None = None
    ) -> None:
        """Adds a `SessionLog`: that a session started, stopped, saved a checkpoint."""
        self._add_event(event_pb2.Event(session_log=session_log), global_step)

    def add_graph(
        self,
        graph: ops.Graph | Message | None,
        global_step: int | None = None,
        graph_def: GraphDef | None = None,
    ) -> None:
        """Adds a graph, with the static shapes of its tensors, for TensorBoard.

        Args:
            graph: a Graph.
            global_step: the step at which it was run.
            graph_def: a GraphDef; use `graph`.

        Raises ValueError if both are given, TypeError if `graph` is no graph.
        """
        if graph is not None and graph_def is not None:
            raise ValueError("Please pass only graph, or graph_def (deprecated)")
        if isinstance(graph, ops.Graph):
            self._write_plugin_assets(graph)
        true_graph_def = _graph_def_of(graph if graph_def is None else graph_def)
        event = event_pb2.Event(graph_def=true_graph_def.SerializeToString())
        self._add_event(event, global_step)

    def _write_plugin_assets(self, graph: ops.Graph) -> None:
        for asset in plugin_asset.get_all_plugin_assets(graph):
            folder = os.path.join(
                self.event_writer.get_logdir(), _PLUGINS_DIR, str(asset.plugin_name)
            )
            gfile.MakeDirs(folder)
            for name, content in asset.assets().items():
                with gfile.Open(os.path.join(folder, name), "w") as f:
                    f.write(content)

    def add_meta_graph(
        self, meta_graph_def: Message, global_step: int | None = None
    ) -> None:
        """Adds a `MetaGraphDef`.  Raises TypeError for anything else."""
        if not isinstance(meta_graph_def, meta_graph_pb2.MetaGraphDef):
            raise TypeError(
                f"meta_graph_def must be type MetaGraphDef, saw {type(meta_graph_def)}"
            )
        event = event_pb2.Event(meta_graph_def=meta_graph_def.SerializeToString())
        self._add_event(event, global_step)

    def add_run_metadata(
        self, run_metadata: Message, tag: str, global_step: int | None = None
    ) -> None:
        """Adds the `RunMetadata` of a run, under a tag of its own.

        Raises ValueError for a tag that was used before.
        """
        if tag in self._session_run_tags:
            raise ValueError(
                f"The provided tag was already used for this event type: {tag}"
            )
        self._session_run_tags.add(tag)
        tagged = event_pb2.TaggedRunMetadata(
            tag=tag, run_metadata=run_metadata.SerializeToString()
        )
        self._add_event(event_pb2.Event(tagged_run_metadata=tagged), global_step)

    def _add_event(self, event: event_pb2.Event, step: int | None) -> None:
        event.wall_time = time.time()
        if step is not None:
            event.step = int(step)
        self.event_writer.add_event(event)


class FileWriter(SummaryToEventTransformer):
    """Writes summaries to an event file in a folder, without keeping training waiting.

    Thread-safe.  A with statement closes it, and so does the end of the program.

    Example:
        with tf.summary.FileWriter("/tmp/digits", session.graph) as writer:
            for step in range(1000):
                summary, _ = session.run([merged, train])
                writer.add_summary(summary, step)
    """

    def __init__(
        self,
        logdir: PathLike,
        graph: ops.Graph | None = None,
        max_queue: int = 10,
        flush_secs: float = 120,
        graph_def: GraphDef | None = None,
        filename_suffix: str | None = None,
        session: SessionLike | None = None,
    ):
        """Opens a new file in `logdir`, which is made if there is none.

        Args:
            logdir: the folder.
            graph: written at once, for TensorBoard.
            max_queue: how many events may wait to be written; adding another one waits
                until there is room.
            flush_secs: after how many seconds, at most, an event is seen by readers.
            graph_def: use `graph`.
            filename_suffix: goes behind the name of the file.
            session: not needed; the file is written by this process.
        """
        del session
        self._warned = False
        super().__init__(
            EventFileWriter(logdir, max_queue, flush_secs, filename_suffix),
            graph,
            graph_def,
        )

    def __enter__(self) -> FileWriter:
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc_value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def get_logdir(self) -> str:
        """The folder that the file is in."""
        return self.event_writer.get_logdir()

    def add_event(self, event: Message) -> None:
        """Adds an `Event` as it is."""
        self._warn_if_closed()
        self.event_writer.add_event(event)

    def add_summary(
        self, summary: bytes | Message, global_step: int | None = None
    ) -> None:
        self._warn_if_closed()
        super().add_summary(summary, global_step)

    add_summary.__doc__ = SummaryToEventTransformer.add_summary.__doc__

    def _add_event(self, event: event_pb2.Event, step: int | None) -> None:
        self._warn_if_closed()
        super()._add_event(event, step)

    def _warn_if_closed(self) -> None:
        if self.event_writer._closed and not self._warned:
            self._warned = True
            warnings.warn(
                "Attempting to use a closed FileWriter. The operation will be a noop "
                "unless the FileWriter is explicitly reopened.",
                stacklevel=4,
            )

    def flush(self) -> None:
        """Waits until all that was added is where readers see it."""
        self._warn_if_closed()
        self.event_writer.flush()

    def close(self) -> None:
        """Writes the queued events and closes the file.  Adding does nothing afterwards."""
        self.event_writer.close()

    def reopen(self) -> None:
        """Opens a new file in the folder, if this is closed."""
        self.event_writer.reopen()
        self._warned = False


def _serialized(summary: Any) -> bytes:
    if isinstance(summary, summary_pb2.Summary):
        return summary.SerializeToString()
    if hasattr(summary, "item"):  # An array of one string.
        return _serialized(summary.item())
    if isinstance(summary, bytes):
        return summary
    raise TypeError(f"summary must be a Summary, or a serialized one, got {summary!r}")


def _graph_def_of(graph: Any) -> Any:
    if isinstance(graph, ops.Graph):
        return graph.as_graph_def(add_shapes=True)
    if isinstance(graph, graph_pb2.GraphDef):
        return graph
    raise TypeError(
        f"The passed graph must be an instance of `Graph` or the deprecated `GraphDef`, "
        f"got {type(graph)}"
    )
