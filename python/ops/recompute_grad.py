# SPDX-License-Identifier: Apache-2.0
"""recompute_grad: gradients that compute a function again instead of keeping its values."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tensorwright.python.framework import ops
from tensorwright.python.ops import array_ops, gradients_impl, variable_scope as vs
from tensorwright.python.ops._variables.variable_scope_enter import _scope_counts
from tensorwright.python.ops.custom_gradient import custom_gradient
from tensorwright.python.util import nest

if TYPE_CHECKING:
    from tensorwright.python.framework.type_aliases import P, T


def recompute_grad(f: Callable[P, T]) -> Callable[P, T]:
    """Returns `f` with a gradient that keeps only the arguments: it computes `f` once more, when it is due.

    Saves memory for time.  `f` takes and gives tensors, or structures of them; variables that it gets by
    `tf.get_variable` are found again.

    Example:
        block = tf.recompute_grad(lambda x: tf.layers.dense(x, 512, tf.nn.relu))
    """

    @functools.wraps(f)
    def recomputed(*args: Any, **kwargs: Any) -> Any:
        call = functools.partial(f, **kwargs)
        scope, counts = vs.get_variable_scope(), dict(_scope_counts())

        @custom_gradient
        def function(*inner: Any) -> tuple:
            def gradient(*upstream: Any, variables: Any = None) -> Any:
                return _gradient(
                    call, inner, upstream, variables or [], scope, counts, variables
                )

            return call(*inner), gradient

        return function(*args)

    return recomputed


def _gradient(
    call: Callable[..., Any],
    inner: tuple,
    upstream: tuple,
    variables: list,
    scope: vs.VariableScope,
    counts: dict[str, int],
    asked: Any,
) -> Any:
    # The copies wait for the upstream gradients, so nothing runs again before it is needed.
    with ops.control_dependencies([g for g in upstream if g is not None]):
        copies = [array_ops.identity(x) for x in nest.flatten(inner)]
    # Scopes that are numbered get the numbers of the first time.
    current = _scope_counts()
    kept = dict(current)
    current.clear()
    current.update(counts)
    try:
        with vs.variable_scope(scope, reuse=True, auxiliary_name_scope=False):
            again = nest.flatten(call(*nest.pack_sequence_as(inner, copies)))
    finally:
        current.clear()
        current.update(kept)
    found = gradients_impl.gradients(again, copies + variables, list(upstream))
    of_args = found[: len(copies)]
    return of_args if asked is None else (of_args, found[len(copies) :])
