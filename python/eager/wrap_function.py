# SPDX-License-Identifier: Apache-2.0
"""tf.wrap_function: a function that builds a graph, as TensorFlow 1 writes it, as one function."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, cast

from tensorwright.python.eager import concrete_function
from tensorwright.python.eager.concrete_function import (
    Call,
    ConcreteFunction,
    Kind,
    static_shape,
)
from tensorwright.python.framework import importer, ops, tensor_spec
from tensorwright.python.framework.type_aliases import TensorTree
from tensorwright.python.ops import array_ops
from tensorwright.python.util import nest


class WrappedFunction(ConcreteFunction):
    """A function of which `prune` makes others; made by `wrap_function`."""

    # The variables that were made while it was built, in the graph around it.
    variables: tuple[Any, ...] = ()

    def prune(
        self, feeds: TensorTree, fetches: TensorTree, name: str | None = None
    ) -> WrappedFunction:
        """Makes a function of a part of the body.

        Args:
            feeds: tensors of `graph`, or their names, in any structure: the arguments.  No tensor that is captured needs
                to be among them.
            fetches: tensors or operations of `graph`, or names, in any structure: the results; operations only run.
            name: of the function.

        Raises:
            ValueError: a fetch needs an argument of this function that is not fed.
            KeyError: the graph has no such name.
        """
        body = self.graph
        fed = [self._element(f) for f in nest.flatten(feeds)]
        wanted = [self._element(f) for f in nest.flatten(fetches)]
        needed = self._needed(fed, wanted)
        definition = body.as_graph_def()
        names = {op.name for op in needed}
        kept_nodes = [node for node in definition.node if node.name in names]
        del definition.node[:]
        definition.node.extend(kept_nodes)
        read = {t for op in needed for t in op.inputs}
        captured = dict(zip(body.extra_args, body.extra_inputs, strict=True))

        def part(*tensors: ops.Tensor) -> Any:
            # An import captures nothing by itself.
            inner = cast(Any, ops.get_default_graph())
            given = {
                stands: inner._capture(outer)
                for stands, outer in captured.items()
                if stands in read or stands in wanted
            }
            given.update(zip(fed, tensors, strict=True))
            inside = [w for w in wanted if w not in given]
            made = importer.import_graph_def(
                definition,
                input_map={t.name: to for t, to in given.items() if t in read},
                return_elements=[w.name for w in inside],
                name="",
            )
            found = given | dict(zip(inside, made, strict=True))
            effects = [found[w] for w in wanted if isinstance(w, ops.Operation)]
            with ops.control_dependencies(effects):
                results = [
                    None
                    if isinstance(w, ops.Operation)
                    else array_ops.identity(found[w])
                    for w in wanted
                ]
                if effects and len(effects) == len(wanted):
                    return array_ops.constant(True)
            return nest.pack_sequence_as(fetches, results)

        part.__name__ = name or "pruned"
        specs = [tensor_spec.TensorSpec(t.shape, t.dtype) for t in fed]
        made = _wrapped(part, tuple(specs))
        made.variables = self.variables
        return made

    def _element(self, given: Any) -> Any:
        if isinstance(given, str):
            return self.graph.as_graph_element(given)
        return given

    def _needed(self, fed: Sequence[Any], wanted: Sequence[Any]) -> list[Any]:
        """The operations that compute what is wanted from what is fed or captured."""
        known = {t.op for t in (*fed, *self.graph.extra_args)}
        arguments = {t.op for t in self.graph.inputs}
        seen: dict[Any, None] = {}
        waiting = [w if isinstance(w, ops.Operation) else w.op for w in wanted]
        while waiting:
            op = waiting.pop()
            if op in seen or op in known:
                continue
            seen[op] = None
            if op in arguments:
                raise ValueError(
                    f"prune: the fetches need argument {op.name} of {self.name}, which is not fed"
                )
            waiting.extend(t.op for t in op.inputs)
            waiting.extend(op.control_inputs)
        return list(seen)


def _wrapped(fn: Callable[..., object], signature: Any) -> WrappedFunction:
    made: list[Any] = []
    lifting = concrete_function.lifting_variables(
        fn, ops.get_default_graph(), lambda initial_value: None, made
    )
    flat = nest.flatten(signature)
    call = Call((tuple(signature), {}), flat, [True] * len(flat))
    kind = Kind(None, tuple((spec.dtype, static_shape(spec)) for spec in flat))
    function = WrappedFunction(lifting, call, kind, orders_effects=False)
    of_scopes = [v for v in function.graph.extra_vars if v not in made]
    function.variables = (*made, *of_scopes)
    return function


def wrap_function(
    fn: Callable[..., object], signature: Sequence[object], name: str | None = None
) -> WrappedFunction:
    """Makes one function of the graph of a function that builds a graph.

    `fn` is called once.  Unlike in `tf.function`, only control inputs order the stateful ops of the body, all of which
    run; variables are made in the graph around it, as resource variables.

    Args:
        fn: takes tensors, in the structure of `signature`.
        signature: a TensorSpec, or a structure of such, for each argument.
        name: of the function.

    Returns:
        A callable; with `graph`, `inputs`, `outputs`, `structured_outputs`, `variables` and
        `prune(feeds, fetches)`.

    Raises:
        TypeError: `fn` is not callable, or the signature has something else than TensorSpecs.

    Example:
        def model(x):
            y = tf.layers.dense(x, 10)
            return {"probabilities": tf.nn.softmax(y)}

        f = tf.wrap_function(model, [tf.TensorSpec([None, 4], tf.float32)])
        p = f(x)["probabilities"]
    """
    if not callable(fn):
        raise TypeError(f"wrap_function: fn must be callable, got {fn!r}")
    for spec in nest.flatten(list(signature)):
        if not isinstance(spec, tensor_spec.TensorSpec):
            raise TypeError(
                f"wrap_function: signature must have TensorSpecs, got {spec!r}"
            )
    named = functools.wraps(fn)(lambda *args, **kwargs: fn(*args, **kwargs))
    named.__name__ = name or getattr(fn, "__name__", "wrapped")
    return _wrapped(named, list(signature))
