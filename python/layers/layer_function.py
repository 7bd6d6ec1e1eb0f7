# SPDX-License-Identifier: Apache-2.0
"""Functions that make a layer and call it once."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

_KINDS = inspect.Parameter


def layer_function(layer: type, name: str, reuse: bool = True) -> Callable[..., Any]:
    """`name(inputs, ...)`: makes a `layer` of the arguments and calls it with `inputs`.

    Its arguments are `inputs`, those of the class, and, if `reuse`, an argument of that name.  Then the argument `name`
    is also the variable scope.
    """
    own = [
        p
        for p in list(inspect.signature(layer.__init__).parameters.values())[1:]
        if p.kind is not _KINDS.VAR_KEYWORD
    ]
    first = _KINDS("inputs", _KINDS.POSITIONAL_OR_KEYWORD, annotation="Any")
    own.insert(0, first)
    if reuse:
        own.append(
            _KINDS(
                "reuse",
                _KINDS.POSITIONAL_OR_KEYWORD,
                default=None,
                annotation="bool | None",
            )
        )
    signature = inspect.Signature(own, return_annotation="ops.Tensor")

    def function(*args: Any, **kwargs: Any) -> Any:
        given = signature.bind(*args, **kwargs).arguments
        inputs = given.pop("inputs")
        if reuse:
            given["_reuse"] = given.pop("reuse", None)
            given["_scope"] = given.get("name")
        return layer(**given).apply(inputs)

    function.__name__ = function.__qualname__ = name
    function.__module__ = layer.__module__
    # source_chain finds the class by this attribute.
    function.layer = layer  # type: ignore[attr-defined]
    function.__signature__ = signature  # type: ignore[attr-defined]
    function.__doc__ = (
        f"A `{layer.__name__}` layer, called with `inputs`; arguments as for the class."
    )
    if reuse:
        function.__doc__ += (
            "\n\n    With `reuse` it has the variables of the layer of that `name` "
            "that was made before."
        )
    return function
