# SPDX-License-Identifier: Apache-2.0
"""A writer of summaries that keeps them, in the place of files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tensorwright.core.framework import summary_pb2
from tensorwright.python.framework import ops
from tensorwright.python.training import summary_io

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from unittest import TestCase

    from google.protobuf.message import Message

    from tensorwright.core.framework.graph_pb2 import GraphDef
    from tensorwright.core.framework.summary_pb2 import Summary
    from tensorwright.core.protobuf.config_pb2 import RunMetadata
    from tensorwright.core.protobuf.meta_graph_pb2 import MetaGraphDef
    from tensorwright.core.util.event_pb2 import SessionLog
    from tensorwright.python.framework.graph import Graph
    from tensorwright.python.framework.tensor import Tensor
    from tensorwright.python.ops._variables.variables_variable import Variable


__all__ = ["FakeSummaryWriter"]


class FakeSummaryWriter:
    """Keeps the events that a `tf.summary.FileWriter` would write.

    With `install`, hooks and estimators get one of these for each folder from `SummaryWriterCache`; `uninstall` ends that.

    Args:
        logdir: the folder that it stands for.
        graph: the graph that it is expected to get.
    """

    _replaced: Any = None

    @classmethod
    def install(cls) -> None:
        """Makes `SummaryWriterCache` give fake writers.

        Raises:
            ValueError: it does that already.
        """
        if cls._replaced is not None:
            raise ValueError("FakeSummaryWriter already installed.")
        cls._replaced = summary_io.SummaryWriterCache.__dict__["get"]
        made: dict[str, FakeSummaryWriter] = {}

        def get(logdir: str) -> FakeSummaryWriter:
            if logdir not in made:
                made[logdir] = cls(logdir, ops.get_default_graph())
            return made[logdir]

        summary_io.SummaryWriterCache.get = staticmethod(get)  # type: ignore[method-assign]

    @classmethod
    def uninstall(cls) -> None:
        """Makes `SummaryWriterCache` give writers of files again.

        Raises:
            ValueError: `install` was not called.
        """
        if cls._replaced is None:
            raise ValueError("FakeSummaryWriter not installed.")
        summary_io.SummaryWriterCache.get = cls._replaced  # type: ignore[method-assign]
        cls._replaced = None

    def __init__(self, logdir: str, graph: Graph | None = None):
        self._logdir = logdir
        self._graph = graph
        self._summaries: dict[int, list[Any]] = {}
        self._added_graphs: list[Any] = []
        self._added_meta_graphs: list[Any] = []
        self._added_session_logs: list[Any] = []
        self._added_run_metadata: dict[str, Any] = {}

    @property
    def summaries(self) -> dict[int, list[Summary]]:
        """The Summary messages of each step."""
        return self._summaries

    def assert_summaries(
        self,
        test_case: TestCase,
        expected_logdir: str | None = None,
        expected_graph: ops.Graph | None = None,
        expected_summaries: Mapping[int, Mapping[str, object]] | None = None,
        expected_added_graphs: Sequence[ops.Graph] | None = None,
        expected_added_meta_graphs: Sequence[MetaGraphDef] | None = None,
        expected_session_logs: Sequence[SessionLog] | None = None,
    ) -> None:
        """Asserts, by a `unittest.TestCase`, which values were written.

        Args:
            test_case: its methods `assertEqual` and so on are called.
            expected_logdir, expected_graph: the arguments of the constructor and of `add_graph`.
            expected_summaries: step -> tag -> value; a value None stands for any.
            expected_added_graphs, expected_added_meta_graphs, expected_session_logs: lists of the added values.
        """
        if expected_logdir is not None:
            test_case.assertEqual(expected_logdir, self._logdir)
        if expected_graph is not None:
            test_case.assertIs(expected_graph, self._graph)
        for step, wanted in (expected_summaries or {}).items():
            test_case.assertIn(step, self._summaries)
            found = {v.tag: v.simple_value for s in self._summaries[step] for v in s.value}  # fmt: skip
            for tag, value in wanted.items():
                test_case.assertIn(tag, found)
                if value is not None:
                    test_case.assertEqual(value, found[tag])
        for expected, actual in (
            (expected_added_graphs, self._added_graphs),
            (expected_added_meta_graphs, self._added_meta_graphs),
            (expected_session_logs, self._added_session_logs),
        ):
            if expected is not None:
                test_case.assertEqual(expected, actual)

    def add_summary(
        self, summary: Message, current_global_step: int | None = None
    ) -> None:
        """Keeps a Summary, or its serialized form, for a step."""
        if isinstance(summary, bytes):
            summary = summary_pb2.Summary.FromString(summary)
        step = 0 if current_global_step is None else int(current_global_step)
        self._summaries.setdefault(step, []).append(summary)

    def add_graph(
        self,
        graph: Graph,
        global_step: Variable | Tensor | None = None,
        graph_def: GraphDef | None = None,
    ) -> None:
        """Keeps a graph; there is no place for the older `graph_def`.

        Raises:
            ValueError: `graph_def` was given.
        """
        del global_step
        if graph_def is not None:
            raise ValueError("Unexpected graph_def.")
        self._added_graphs.append(graph)

    def add_meta_graph(
        self, meta_graph_def: MetaGraphDef, global_step: Variable | Tensor | None = None
    ) -> None:
        """Keeps a MetaGraphDef."""
        del global_step
        self._added_meta_graphs.append(meta_graph_def)

    def add_session_log(
        self, session_log: SessionLog, global_step: Variable | Tensor | None = None
    ) -> None:
        """Keeps a SessionLog."""
        del global_step
        self._added_session_logs.append(session_log)

    def add_run_metadata(
        self,
        run_metadata: RunMetadata,
        tag: str,
        global_step: Variable | Tensor | None = None,
    ) -> None:
        """Keeps a RunMetadata by its tag."""
        del global_step
        self._added_run_metadata[tag] = run_metadata

    def reopen(self) -> None:
        """Does nothing: there is no file."""

    def flush(self) -> None:
        """Does nothing: there is no file."""

    def close(self) -> None:
        """Does nothing: there is no file."""
