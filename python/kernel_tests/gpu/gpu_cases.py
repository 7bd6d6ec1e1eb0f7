# SPDX-License-Identifier: Apache-2.0
"""Compares kernels on a GPU with those on a CPU, case by case.

A family of ops is a module cases_<family>.py with a function `cases()`.  Under Bazel, gpu_cases_test.py runs all of
them on the stand-in, a GPU that the CPU plays.  As a program this runs them on whatever GPU there is, without Bazel or
pytest:

    python gpu_cases.py [--device=/gpu:0] [--family=cwise] [--match=Softmax] [--every=8]

It prints a line for each op and dtype with the worst error, and ends with status 1 if a case failed.
"""

import argparse
import dataclasses
import importlib
import pathlib
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

import tensorwright as tf

FLOATS = ("float16", "bfloat16", "float32", "float64")
# Sizes around those of warps and blocks, and one that takes several grid strides.
SIZES = (0, 1, 31, 33, 257, 1025, 70001)

# The relative error that a dtype's own rounding and another order of sums account for.
_TOLERANCE = {"float16": 2e-3, "bfloat16": 1.6e-2, "float32": 3e-6, "float64": 1e-12}


@dataclasses.dataclass(frozen=True)
class Case:
    """One call of an op.

    Attributes:
      op: the op's name, and what is special about the case.
      dtype: the dtype of the floats or integers that are computed with; decides the tolerance.
      call: makes the results, a tensor or a list of them, of tensors that hold `arrays`.
      arrays: values and the dtype that each of them has in the graph.
      slack: multiplies the tolerance, for ops that lose digits.
      exact: no error is allowed, whatever the dtype.
    """

    op: str
    dtype: str
    call: Callable[..., Any]
    arrays: Sequence[tuple[Any, str]] = ()
    slack: float = 1.0
    exact: bool = False

    @property
    def label(self) -> str:
        """Returns the op, the dtype and the shapes."""
        shapes = " ".join(str(list(np.shape(value))) for value, _ in self.arrays)
        return f"{self.op} {self.dtype} {shapes}".strip()


@dataclasses.dataclass(frozen=True)
class Outcome:
    """The result of a case: the error as a multiple of what is allowed, or the reason of a failure."""

    case: Case
    error: float
    failure: str = ""


def families() -> list[str]:
    """Returns the names of the families of cases."""
    here = pathlib.Path(__file__).parent
    return sorted(path.stem[len("cases_") :] for path in here.glob("cases_*.py"))


def cases_of(family: str) -> list[Case]:
    """Returns the cases of a family."""
    name = f"cases_{family}"
    package = __package__ or ""
    module = importlib.import_module(f"{package}.{name}" if package else name)
    return list(module.cases())


def _widened(value: Any) -> np.ndarray:
    """Returns an array that NumPy computes with: bfloat16 and half become float64."""
    array = np.asarray(value)
    return (
        array
        if array.dtype.kind in "biuSOcf" and array.dtype.itemsize != 2
        else array.astype(np.float64)
    )


def error_of(case: Case, expected: Any, got: Any) -> tuple[float, str]:
    """Returns the error in multiples of what is allowed, and why there is none to measure."""
    want, have = np.asarray(expected), np.asarray(got)
    if want.dtype != have.dtype or want.shape != have.shape:
        return (
            np.inf,
            f"is {have.dtype}{list(have.shape)}, must be {want.dtype}{list(want.shape)}",
        )
    if want.size == 0:
        return 0.0, ""
    if case.exact or want.dtype.kind in "biuSO":
        wrong = ~((want == have) | ((want != want) & (have != have)))
        if not wrong.any():
            return 0.0, ""
        at = np.unravel_index(int(np.argmax(wrong)), want.shape)
        return (
            np.inf,
            f"{int(wrong.sum())} elements differ; at {[int(i) for i in at]} {have[at]}, must be {want[at]}",
        )
    a, b = _widened(want), _widened(have)
    special = ~np.isfinite(a)
    same = (a == b) | ((a != a) & (b != b))
    if not same[special].all() or not np.isfinite(b[~special]).all():
        return np.inf, "infinities or NaN are elsewhere"
    if special.all():
        return 0.0, ""
    a, b = a[~special], b[~special]
    allowed = (
        _TOLERANCE[case.dtype]
        * case.slack
        * np.maximum(np.abs(a), np.mean(np.abs(a)) + 1e-30)
    )
    return float(np.max(np.abs(a - b) / allowed)), ""


def _build(case: Case, device: str) -> tuple[list[Any], list[Any], list[Any]]:
    """Returns the placeholders of a case, its results on /cpu:0, and those on `device`."""
    feeds, tensors = [], []
    with tf.device("/cpu:0"):
        for value, dtype in case.arrays:
            # NumPy has no bfloat16: such values are fed as floats.
            through = tf.float32 if dtype == "bfloat16" else tf.as_dtype(dtype)
            feed = tf.placeholder(through, np.shape(value))
            feeds.append(feed)
            tensors.append(
                tf.cast(feed, tf.as_dtype(dtype)) if dtype == "bfloat16" else feed
            )
    both = []
    for place in ("/cpu:0", device):
        with tf.device(place):
            results = case.call(*tensors)
        results = list(results) if isinstance(results, (list, tuple)) else [results]
        with tf.device("/cpu:0"):
            both.append(
                [
                    tf.cast(r, tf.float32) if r.dtype == tf.bfloat16 else tf.identity(r)
                    for r in results
                ]
            )
    return feeds, both[0], both[1]


# Cases that share a graph and a session, which cost more to make than a case to run.
_TOGETHER = 40


def _reason(error: Exception) -> str:
    """Returns what an exception says, in a line."""
    lines = traceback.format_exception_only(type(error), error)
    return "".join(lines).strip().replace("\n", " ")[:300]


def _compare(
    session: Any, case: Case, feeds: list[Any], expected: list[Any], results: list[Any]
) -> Outcome:
    """Returns what a case comes to, whose feeds and results on both devices are in the session's graph."""
    values = {
        feed: np.asarray(value).astype(feed.dtype.as_numpy_dtype)
        for feed, (value, _) in zip(feeds, case.arrays, strict=True)
    }
    wanted, got = session.run([expected, results], values)
    worst = 0.0
    for number, (want, have) in enumerate(zip(wanted, got, strict=True)):
        error, failure = error_of(case, want, have)
        if failure:
            return Outcome(case, error, f"output {number}: {failure}")
        worst = max(worst, error)
    return Outcome(
        case, worst, "" if worst <= 1 else f"error is {worst:.3g} times what is allowed"
    )


def _run_together(cases: Sequence[Case], device: str) -> Iterator[Outcome]:
    """Yields what the cases come to, which share a session."""
    with tf.Graph().as_default():
        tf.set_random_seed(87654321)
        built: list[tuple[Case, Any]] = []
        for case in cases:
            try:
                feeds, expected, results = _build(case, device)
                built.append((case, (feeds, expected, results)))
            except Exception as error:  # noqa: BLE001 - a failure of one case is a line of the report.
                built.append((case, _reason(error)))
        with tf.Session(config=tf.ConfigProto(allow_soft_placement=False)) as session:
            for case, parts in built:
                if isinstance(parts, str):
                    yield Outcome(case, np.inf, parts)
                    continue
                try:
                    with np.errstate(all="ignore"):
                        outcome = _compare(session, case, *parts)
                except Exception as error:  # noqa: BLE001 - as above.
                    outcome = Outcome(case, np.inf, _reason(error))
                yield outcome


def run_cases(cases: Iterable[Case], device: str = "/gpu:0") -> Iterator[Outcome]:
    """Yields what each case comes to on `device`, compared with /cpu:0."""
    listed = list(cases)
    for first in range(0, len(listed), _TOGETHER):
        yield from _run_together(listed[first : first + _TOGETHER], device)


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the cases that the command line names; returns the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--device", default="/gpu:0")
    parser.add_argument(
        "--family",
        action="append",
        choices=families(),
        help="run this family alone; may be repeated",
    )
    parser.add_argument(
        "--match", default="", help="run cases whose label has this text"
    )
    parser.add_argument(
        "--every", type=int, default=1, help="run each case that this number divides"
    )
    options = parser.parse_args(arguments)

    failures = 0
    for family in options.family or families():
        worst: dict[tuple[str, str], tuple[int, float]] = {}
        cases = [case for case in cases_of(family) if options.match in case.label]
        cases = cases[:: options.every]
        for outcome in run_cases(cases, options.device):
            key = (outcome.case.op.split(" ")[0], outcome.case.dtype)
            count, error = worst.get(key, (0, 0.0))
            worst[key] = (count + 1, max(error, outcome.error))
            if outcome.failure:
                failures += 1
                print(
                    f"FAILED {family}: {outcome.case.label}: {outcome.failure}",
                    flush=True,
                )
        for (op, dtype), (count, error) in worst.items():
            print(
                f"{family} {op} {dtype}: {count} cases, worst error {error:.3g} of what is allowed",
                flush=True,
            )
    print(f"{failures} cases failed" if failures else "all cases passed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.path.insert(0, str(pathlib.Path(__file__).parent))
    # The families import Case from this very module.
    sys.modules.setdefault("gpu_cases", sys.modules["__main__"])
    sys.exit(main())
