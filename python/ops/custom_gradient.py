# SPDX-License-Identifier: Apache-2.0
"""Functions with a gradient of their own."""

from __future__ import annotations

import functools
import inspect
import itertools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tensorwright.python.framework import gradient_registry, ops
from tensorwright.python.ops import gen_array_ops, variables
from tensorwright.python.util import nest

if TYPE_CHECKING:
    from tensorwright.python.framework.type_aliases import T


_ids = itertools.count()


def custom_gradient(f: Callable[..., object] | None = None) -> Callable[..., Any]:
    """Decorates a function that defines its own gradient.

    `f(*args)` returns (result, grad_fn).  The arguments are tensors, the result a tensor or a structure of them;
    `grad_fn(*upstream)` gets a gradient for each tensor of the result, and returns one for each argument (None: none).
    If `f` creates or reads trainable variables, `grad_fn` must have an argument `variables`.  It is called with
    `variables=` their list, and returns (gradients of args, list of gradients of variables).

    Raises:
        ValueError: `f` is called with keyword arguments, or `grad_fn` returns a wrong number of gradients.
        TypeError: `f` uses variables but `grad_fn` takes none, or `f` returns something else.

    Example:
        @tf.custom_gradient
        def clipped(x):
            return tf.minimum(x, 6.0), lambda upstream: upstream  # Straight through.
    """
    if f is None:
        return custom_gradient

    @functools.wraps(f)
    def decorated(*args: Any, **kwargs: Any) -> Any:
        if kwargs:
            raise ValueError(
                f"{f.__name__}: a function with a gradient of its own takes no keyword "
                f"arguments in a graph, got {sorted(kwargs)}"
            )
        return _call(f, args)

    return decorated


def _call(f: Callable[..., Any], args: tuple) -> Any:
    flat_args = [ops.convert_to_tensor(a) for a in nest.flatten(args)]
    # The gradient goes around `f`, from its results to these identities of its arguments.
    inner = [gen_array_ops.identity(a) for a in flat_args]
    graph = ops.get_default_graph()
    before = graph.version
    returned = f(*nest.pack_sequence_as(args, inner))
    if (
        not isinstance(returned, tuple)
        or len(returned) != 2
        or not callable(returned[1])
    ):
        raise TypeError(
            f"custom_gradient: {f!r} must return (result, grad_fn), got {returned!r}"
        )
    result, grad_fn = returned
    used = _variables_used(graph, before)
    if used and not _takes_variables(grad_fn):
        raise TypeError(
            f"custom_gradient: {f!r} creates or reads {', '.join(v.name for v in used)}, "
            "so its grad_fn must have an argument named variables"
        )
    flat_result = [ops.convert_to_tensor(r) for r in nest.flatten(result)]
    gradient = _register(grad_fn, len(flat_result), len(flat_args), used)
    values = [v.value() for v in used]
    with graph.gradient_override_map({"IdentityN": gradient}):
        outputs = gen_array_ops.identity_n([*flat_result, *flat_args, *values])
    return nest.pack_sequence_as(result, list(outputs[: len(flat_result)]))


def _register(grad_fn: Callable[..., Any], results: int, count: int, used: list) -> str:
    """Registers the gradient of one call's IdentityN(results, args, variables); returns its name."""
    name = f"CustomGradient-{next(_ids)}"

    @gradient_registry.RegisterGradient(name)
    def _gradient(op: ops.Operation, *grads: Any) -> list:
        del op
        upstream = grads[:results]
        if used:
            of_args, of_variables = grad_fn(*upstream, variables=used)
        else:
            of_args, of_variables = grad_fn(*upstream), []
        if len(of_variables) != len(used):
            raise ValueError(
                f"custom_gradient: {len(of_variables)} gradients of {len(used)} variables"
            )
        flat = nest.flatten(of_args)
        if len(flat) != count:
            told = (
                "; no trainable variables were found, so it must return those alone"
                if not used and _takes_variables(grad_fn)
                else ""
            )
            raise ValueError(
                f"custom_gradient: grad_fn gave {len(flat)} gradients of {count} "
                f"arguments{told}"
            )
        return [None] * results + flat + list(of_variables)

    return name


def _variables_used(graph: ops.Graph, before: int) -> list[variables.Variable]:
    """The trainable variables that are newer than version `before`, or read by operations that are."""
    owners = {}
    for variable in variables.trainable_variables():
        # The tensor of the variable, and the read that all uses share.
        for read in (variable._variable, variable._snapshot):
            if read.graph is graph:
                owners[read] = variable
    if not owners:
        return []
    found: dict[variables.Variable, None] = {}
    for op in graph.get_operations()[before:]:
        for tensor in (*op.inputs, *op.outputs):
            owner = owners.get(tensor)
            if owner is not None:
                found[owner] = None
    return list(found)


def _takes_variables(grad_fn: Callable[..., Any]) -> bool:
    parameters = inspect.signature(grad_fn).parameters
    return "variables" in parameters or any(
        p.kind is p.VAR_KEYWORD for p in parameters.values()
    )


def grad_pass_through(f: Callable[..., T]) -> Callable[..., T]:
    """Gives `f` the gradient of the identity: that of its one tensor result goes to its one argument.

    Variables that `f` reads get no gradient.
    """

    @custom_gradient
    def wrapper(*args: Any) -> Any:
        def grad(upstream: ops.Tensor, variables: Any = None) -> Any:
            if variables is not None:
                return upstream, [None] * len(variables)
            return upstream

        return f(*args), grad

    return functools.wraps(f)(wrapper)
