# SPDX-License-Identifier: Apache-2.0
"""Reads and compares the summaries of event files."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING

from tensorwright.core.framework import summary_pb2
from tensorwright.python.platform import gfile
from tensorwright.python.training import summary_io

if TYPE_CHECKING:
    from tensorwright.core.framework.summary_pb2 import Summary
    from tensorwright.core.util.event_pb2 import Event


__all__ = [
    "assert_summary",
    "latest_event_file",
    "latest_events",
    "latest_summaries",
    "simple_values_from_events",
    "to_summary_proto",
]


def assert_summary(
    expected_tags: Iterable[str],
    expected_simple_values: dict[str, float],
    summary_proto: Summary,
) -> None:
    """Asserts the tags of a Summary, and values of some of them.

    Raises:
        AssertionError: other tags, or other values, than expected.
    """
    actual = {value.tag: value.simple_value for value in summary_proto.value}
    assert set(expected_tags) == set(actual), (
        f"tags {sorted(actual)}, expected {sorted(expected_tags)}"
    )
    for tag, value in expected_simple_values.items():
        assert actual[tag] == value, f"{tag} is {actual[tag]}, expected {value}"


def to_summary_proto(summary_str: bytes) -> Summary:
    """The Summary of its serialized form."""
    return summary_pb2.Summary.FromString(summary_str)


def latest_event_file(base_dir: str) -> str | None:
    """The newest event file of a folder; None without one."""
    paths = gfile.Glob(os.path.join(base_dir, "events*"))
    if not paths:
        return None
    return sorted(paths)[-1]


def latest_events(base_dir: str) -> list[Event]:
    """The Events of the newest event file; none without one."""
    path = latest_event_file(base_dir)
    return [] if path is None else list(summary_io.summary_iterator(path))


def latest_summaries(base_dir: str) -> list[Event]:
    """Returns the events of `latest_events` that have a Summary."""
    return [e for e in latest_events(base_dir) if e.HasField("summary")]


def simple_values_from_events(
    events: Iterable[Event], tags: Iterable[str]
) -> dict[str, float]:
    """The last values of tags; those that no event has are absent."""
    wanted = set(tags)
    return {
        value.tag: value.simple_value
        for event in events
        if event.HasField("summary")
        for value in event.summary.value
        if value.tag in wanted
    }
