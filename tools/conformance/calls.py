# SPDX-License-Identifier: Apache-2.0
"""Calls every public function and class once, as `calls.txt` says, and compares the results.

    ./run tools/conformance/main.py calls

A line of calls.txt is one call of a symbol and of its other names:

    math.add add: x, y -> float32 [2, 3] 3.583

The arguments are Python, and may use the values of call_values.py.  After the arrow stands TensorFlow 2.21's result:
the dtype and the shape of each tensor, and the mean of its elements if it is the same in every run; the text of a plain
value; the type of anything else.  If we differ on purpose, our result and the reason follow:

    test.is_built_with_cuda:  -> True => False # the build has no GPU kernels

A line without an arrow names symbols that are not called, with the reason:

    train.Server: # starts a server

record_calls.py writes the text after the arrows.
"""

from __future__ import annotations

import contextlib
import dataclasses
import pathlib
import re
import tempfile
from collections.abc import Sequence
from typing import Any

import numpy as np

from tensorwright.tools.conformance.call_values import Values

_TITLE = """\
# One call of every public symbol, and what TensorFlow 2.21 returns: calls.py says how to read it.
# Written by record_calls.py, but for the arguments and the reasons.
"""
FILE = pathlib.Path(__file__).with_name("calls.txt")


@dataclasses.dataclass(frozen=True)
class Call:
    """A line: `reason` says why no call is made, or why `ours` differs from TensorFlow's result."""

    names: tuple[str, ...]
    arguments: str = ""
    expected: str = ""
    reason: str = ""
    ours: str = ""

    @property
    def is_made(self) -> bool:
        return self.ours != "" or not self.reason

    def __str__(self) -> str:
        start = f"{' '.join(self.names)}: "
        if not self.is_made:
            return f"{start}# {self.reason}"
        differs = f" => {self.ours} # {self.reason}" if self.ours else ""
        return f"{start}{self.arguments} -> {self.expected}{differs}"


def read() -> list[Call]:
    """All lines of calls.txt."""
    calls = []
    for line in FILE.read_text().splitlines():
        if not line or line.startswith("#"):
            continue
        names, _, rest = line.partition(":")
        if rest.lstrip().startswith("# "):
            call = Call(tuple(names.split()), reason=rest.lstrip()[2:])
        else:
            arguments, _, told = rest.strip().rpartition("->")
            expected, _, differs = told.partition(" => ")
            ours, _, reason = differs.partition(" # ")
            parts = (arguments, expected, reason, ours)
            call = Call(tuple(names.split()), *(part.strip() for part in parts))
        calls.append(call)
    return calls


def write(calls: Sequence[Call]) -> None:
    """Writes calls.txt anew, sorted by name."""
    lines = sorted(str(call) for call in calls)
    FILE.write_text(_TITLE + "".join(f"{line}\n" for line in lines))


def result(tf: Any, name: str, arguments: str, seed: int = 5) -> str:
    """Calls a symbol of `tf` in a graph of its own, runs the result, and describes it.

    Raises whatever the call raises.
    """
    with (
        tempfile.TemporaryDirectory() as folder,
        tf.Graph().as_default() as graph,
        tf.Session(graph=graph) as session,
    ):
        tf.set_random_seed(seed)
        values = Values(tf, folder)
        value = eval(f"tf.{name}({arguments})", values)
        session.run(
            [tf.global_variables_initializer(), tf.local_variables_initializer()]
        )
        session.run(tf.tables_initializer())
        if not tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS):
            return _text(tf, session, value)
        coordinator = tf.train.Coordinator()
        tf.train.start_queue_runners(session, coordinator)
        text = _text(tf, session, value)
        coordinator.request_stop()
        return text


def _text(tf: Any, session: Any, value: Any) -> str:
    if isinstance(value, contextlib.AbstractContextManager):
        if "ContextManager" in type(value).__name__:
            with value:
                return "context"
    if isinstance(value, tf.Operation):
        session.run(value)
        return "Operation"
    if isinstance(value, tf.Variable):
        return f"Variable {_array(session.run(value))}"
    if isinstance(value, tf.Tensor):
        if value.dtype in (tf.resource, tf.variant):
            return value.dtype.name
        if value.op.type == "Placeholder":
            return f"placeholder {value.dtype.name} {value.shape}"
        return _array(session.run(value), value.dtype.base_dtype)
    if isinstance(value, (tf.SparseTensor, tf.IndexedSlices)):
        parts = (value.indices, value.values, value.dense_shape)
        told = [_text(tf, session, part) for part in parts if part is not None]
        return f"{type(value).__name__}({', '.join(told)})"
    if value is None or isinstance(value, (bool, bytes, str, int, float)):
        return repr(value) if not isinstance(value, float) else f"{value:.4g}"
    if isinstance(value, (np.ndarray, np.generic)):
        return _array(value)
    if hasattr(value, "__next__"):
        return f"iterator {_text(tf, session, list(value))}"
    if isinstance(value, dict):
        items = sorted(value.items(), key=lambda item: str(item[0]))
        told = (f"{key}: {_text(tf, session, item)}" for key, item in items)
        return "{" + ", ".join(told) + "}"
    if isinstance(value, (list, tuple)) and not hasattr(value, "_fields"):
        return "[" + ", ".join(_text(tf, session, item) for item in value) + "]"
    return _type(value)


def _type(value: Any) -> str:
    """The name of a thing's class; one that only later versions have is the older one."""
    name = type(value).__name__.strip("_")
    if name in ("Bind", "partial", "method"):
        return "function"
    return name.removesuffix("V1").removesuffix("V2").removesuffix("_v1")


def _array(found: Any, dtype: Any = None) -> str:
    array = np.asarray(found)
    name = dtype.name if dtype is not None else array.dtype.name
    if array.dtype == object or array.dtype.kind in "SU":
        first = array.ravel()[0] if array.size else b""
        told = repr(first) if isinstance(first, (bytes, str)) else _type(first)
        return f"string {_shape(array.shape)} {told}"
    if not array.size:
        return f"{name} {_shape(array.shape)}"
    wide = np.complex128 if array.dtype.kind == "c" else np.float64
    return f"{name} {_shape(array.shape)} {np.mean(array.astype(wide)):.4g}"


def _shape(shape: Sequence[int | None]) -> str:
    return "[" + ", ".join("?" if n is None else str(n) for n in shape) + "]"


_BETWEEN = re.compile(r"([\[\](){}, ]+)")
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*(?:e[-+]?\d+)?|nan|inf)j?$")


def agrees(found: str, expected: str) -> bool:
    """Are two results alike, numbers to a thousandth?  `~` in the expected one stands for any word."""
    a, b = (re.split(_BETWEEN, text) for text in (found, expected))
    return len(a) == len(b) and all(map(_is_alike, a, b))


def stable(results: Sequence[str]) -> str:
    """The part of a result that several runs of a call have in common: `~` for each word that differs.

    Raises:
      ValueError: if they differ in more than words.
    """
    words = [re.split(_BETWEEN, text) for text in results]
    if len({len(w) for w in words}) > 1:
        raise ValueError(f"two runs of one call: {results}")
    return "".join(
        w[0] if all(_is_alike(other, w[0]) for other in w) else "~" for w in zip(*words)
    )


def _is_alike(found: str, expected: str) -> bool:
    if found == expected or expected == "~":
        return True
    if not (_NUMBER.match(found) and _NUMBER.match(expected)):
        return False
    return bool(np.isclose(complex(found), complex(expected), 1e-3, 1e-5))


@dataclasses.dataclass
class Outcome:
    """Counts the calls: all symbols, those that return TensorFlow's result, and the rest."""

    listed: int
    matching: int
    wrong: list[str]
    # By name, why: symbols that return something else on purpose, and those that no call is made of.
    meant: dict[str, str]
    uncalled: dict[str, str]


def check(tf: Any, only: Sequence[str] = ()) -> Outcome:
    """Makes every call by each of its names, or the calls of some names alone, on `tf`."""
    outcome = Outcome(0, 0, [], {}, {})
    for call in read():
        for name in call.names:
            if only and name not in only:
                continue
            outcome.listed += 1
            if not call.is_made:
                outcome.uncalled[name] = call.reason
                continue
            try:
                found = result(tf, name, call.arguments)
            except Exception as error:
                found = f"{type(error).__name__}: {str(error)[:300]}"
            wanted = call.ours or call.expected
            if not agrees(found, wanted):
                said = f"tf.{name}({call.arguments}): {found}, not {wanted}"
                outcome.wrong.append(said)
            elif call.ours:
                outcome.meant[name] = call.reason
            else:
                outcome.matching += 1
    return outcome
