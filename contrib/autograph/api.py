# SPDX-License-Identifier: Apache-2.0
"""Marks of functions that AutoGraph leaves as they are."""

from __future__ import annotations

import enum
import functools
from collections.abc import Callable, Sequence
from typing import Any

from tensorwright.python.autograph.impl import api as autograph
from tensorwright.python.framework import ops
from tensorwright.python.framework.type_aliases import DTypeLike
from tensorwright.python.ops import script_ops
from tensorwright.python.util import nest

__all__ = ["RunMode", "do_not_convert", "is_converted"]


class RunMode(enum.Enum):
    """How a function that is not converted is called: as graph code, or on the values of a run by `tf.py_func`."""

    GRAPH = 1
    PY_FUNC = 2


def do_not_convert(
    run_as: Any = RunMode.GRAPH, return_dtypes: Any = None
) -> Callable[..., Any]:
    """A decorator of functions that stay as they are, with or without arguments of its own.

        @tf.contrib.autograph.do_not_convert()
        def f(x): ...

    Args:
        run_as: GRAPH calls the function; PY_FUNC makes an op that calls it on NumPy arrays in each run.
        return_dtypes: for PY_FUNC: the dtype of the result, or a list of them; None: it has none.

    Raises:
        ValueError: another `run_as`.
    """
    if callable(run_as) and not isinstance(run_as, RunMode):
        return do_not_convert()(run_as)
    if not isinstance(run_as, RunMode):
        raise ValueError(f"unknown value for run_as: {run_as}")

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        def in_each_run(*args: Any, **kwargs: Any) -> Any:
            return _in_each_run(function, return_dtypes, args, kwargs)

        if run_as is RunMode.GRAPH:
            marked = autograph.do_not_convert(function)
        else:
            marked = functools.wraps(function)(in_each_run)
        marked.__ag_compiled = True  # type: ignore[attr-defined]
        return marked

    return decorate


def is_converted(function: Callable[..., object]) -> bool:
    """Whether a function is marked as one that needs no conversion."""
    return bool(getattr(function, "__ag_compiled", False))


def _in_each_run(
    function: Callable[..., Any],
    dtypes_: DTypeLike | Sequence[DTypeLike] | None,
    args: tuple,
    kwargs: dict[str, Any],
) -> Any:
    """An op that calls the function; tensors among the arguments become their values."""
    flat = nest.flatten((args, kwargs))
    places = [i for i, a in enumerate(flat) if isinstance(a, ops.Tensor)]

    def call(*values: Any) -> Any:
        filled = list(flat)
        for place, value in zip(places, values, strict=True):
            filled[place] = value
        given, named = nest.pack_sequence_as((args, kwargs), filled)
        result = function(*given, **named)
        return [] if dtypes_ is None else result

    tensors = [flat[i] for i in places]
    return script_ops.py_func(call, tensors, [] if dtypes_ is None else dtypes_)
