# SPDX-License-Identifier: Apache-2.0
"""Calls of `tw inspect` for its tests."""

from __future__ import annotations

import contextlib
import io
import json
import pathlib
from typing import Any

from tensorwright.tools.tw import main as tw


def run(*arguments: object) -> tuple[int, str, str]:
    """(exit status, standard output, standard error) of `tw inspect`."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = tw.main(["inspect", *map(str, arguments)])
    return status, out.getvalue(), err.getvalue()


def report(path: object) -> dict[str, Any]:
    """The report that --json prints of a path that can be read."""
    status, out, err = run(path, "--json")
    assert status == 0, err
    return json.loads(out)


def texts(described: dict[str, Any], level: str) -> list[str]:
    """The risks of a level in a report."""
    risks = [risk for graph in described["graphs"] for risk in graph["risks"]]
    return [risk["text"] for risk in risks if risk["level"] == level]


def write(path: pathlib.Path, message: Any) -> pathlib.Path:
    """Writes a proto into a file; returns the path."""
    path.write_bytes(message.SerializeToString())
    return path


def policy_of(code: str) -> Any:
    """The tf.Policy of a printed line, which holds nothing but literals."""
    import tensorwright as tf

    return eval(code, {"tf": tf, "__builtins__": {}})
