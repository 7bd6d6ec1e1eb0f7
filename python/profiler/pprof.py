# SPDX-License-Identifier: Apache-2.0
"""Profiles by lines of code in the form that the pprof tool reads."""

from __future__ import annotations

import gzip
from collections.abc import Iterable
from typing import Any

from tensorwright.core.profiler import profile_pb2
from tensorwright.python.explain import source_names
from tensorwright.python.platform import gfile
from tensorwright.python.profiler import node_costs

# The values of a sample: name, unit, attribute of a Cost.
_VALUES = (
    ("time", "microseconds", "micros"),
    ("float_ops", "count", "float_ops"),
    ("parameters", "count", "parameters"),
    ("memory", "bytes", "requested_bytes"),
)


class _Table:
    """Numbers of things, from 1 on, in the order of their first use."""

    def __init__(self) -> None:
        self.ids: dict[Any, int] = {}

    def __getitem__(self, key: Any) -> int:
        return self.ids.setdefault(key, len(self.ids) + 1)


def profile_of(costs: Iterable[node_costs.Cost]) -> Any:
    """A Profile: a sample for each operation that costs something, with the program's lines that led to it."""
    made = profile_pb2.Profile()
    texts, functions, locations = _Table(), _Table(), _Table()
    for name, unit, _ in _VALUES:
        made.sample_type.add(type=texts[name], unit=texts[unit])
    for cost in costs:
        values = [getattr(cost, attribute) for *_, attribute in _VALUES]
        if not any(values):
            continue
        frames = reversed(source_names.user_frames(cost.op))
        ids = [locations[frame.file, frame.name, frame.line] for frame in frames]
        made.sample.add(location_id=ids, value=values)
    for (file, function, line), number in locations.ids.items():
        location = made.location.add(id=number)
        location.line.add(function_id=functions[file, function], line=line)
    for (file, function), number in functions.ids.items():
        made.function.add(
            id=number,
            name=texts[function],
            system_name=texts[function],
            filename=texts[file],
        )
    made.string_table.extend(["", *texts.ids])
    return made


def write(path: str, costs: Iterable[node_costs.Cost]) -> None:
    """Writes a Profile, compressed as pprof wants it."""
    with gfile.GFile(path, "wb") as file:
        file.write(gzip.compress(profile_of(costs).SerializeToString()))
