# SPDX-License-Identifier: Apache-2.0
"""Reads the runs of a page that `tw trace` wrote, so that another page compares its own with them."""

from __future__ import annotations

import json
import pathlib
from typing import Any

_START = '<script type="application/json" id="data">'
_END = "</script>"
# The last runs of a page, which is enough to compare with.
_MOST = 20


def runs_of_page(path: pathlib.Path) -> list[dict[str, Any]]:
    """Returns the last runs of a page: label, fetches, and by name of a node its output texts and, if traced, values.

    Raises:
        OSError: the file cannot be read.
        ValueError: it is no page of `tw trace`.
    """
    text = path.read_text(encoding="utf-8")
    _, start, rest = text.partition(_START)
    if not start:
        raise ValueError(f"{path} is no page of tw trace")
    data = json.loads(rest.partition(_END)[0])
    if "shapes" not in data:
        raise ValueError(f"{path} is of an older tw trace: trace that program again")
    first = max(0, len(data["runs"]) - _MOST)
    return [
        _snapshot(data, run, f"{path.name}, run {first + i + 1}")
        for i, run in enumerate(data["runs"][first:])
    ]


def _snapshot(data: dict[str, Any], run: dict[str, Any], label: str) -> dict[str, Any]:
    plan = data["plans"][run["plan"]]
    outputs = {
        plan["nodes"][event[0]][0]: [data["shapes"][s] for s in event[5]]
        for event in run["events"]
    }
    return {
        "label": label,
        "fetches": plan["fetches"],
        "outputs": outputs,
        "values": run["values"],
    }
