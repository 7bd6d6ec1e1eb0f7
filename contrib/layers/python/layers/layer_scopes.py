# SPDX-License-Identifier: Apache-2.0
"""The common part of all layers here: model variables under TensorFlow's names, normalizers, collections."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tensorwright.contrib.framework.python.ops import variables
from tensorwright.contrib.layers.python.layers import utils
from tensorwright.python.framework import ops
from tensorwright.python.framework.type_aliases import (
    CollectionNames,
    DTypeLike,
    InitializerLike,
    ScopeLike,
    ShapeLike,
    TensorLike,
)
from tensorwright.python.ops import variable_scope, variables as tf_variables

if TYPE_CHECKING:
    from tensorwright.python.framework.tensor import Tensor
    from tensorwright.python.ops._variables.variable_scope_scope import VariableScope
    from tensorwright.python.ops._variables.variables_variable import Variable


def _model_variable_getter(
    getter: Callable,
    name: str,
    shape: Any = None,
    dtype: Any = None,
    initializer: Any = None,
    regularizer: Callable | None = None,
    trainable: bool = True,
    collections: Any = None,
    caching_device: Any = None,
    partitioner: Callable | None = None,
    rename: dict[str, str] | None = None,
    use_resource: bool | None = None,
    **others: Any,
) -> Any:
    """A getter that makes a model variable, and calls it as `rename` says."""
    others.pop("reuse", None)
    scope, slash, short = name.rpartition("/")
    name = scope + slash + (rename or {}).get(short, short)
    return variables.model_variable(
        name,
        shape=shape,
        dtype=dtype,
        initializer=initializer,
        regularizer=regularizer,
        collections=collections,
        trainable=trainable,
        caching_device=caching_device,
        partitioner=partitioner,
        custom_getter=functools.partial(getter, **others),
        use_resource=use_resource,
    )


@contextlib.contextmanager
def layer_scope(
    scope: ScopeLike,
    default: str,
    inputs: TensorLike,
    reuse: bool | None,
    **rename: str,
) -> Iterator[VariableScope]:
    """The variable scope of a layer of tf.layers, whose variables are model variables with other names."""
    getter = functools.partial(_model_variable_getter, rename=rename)
    with variable_scope.variable_scope(
        scope, default, [inputs], reuse=reuse, custom_getter=getter
    ) as entered:
        yield entered


def add_variable_to_collections(
    variable: Variable,
    collections_set: CollectionNames | Mapping[str, CollectionNames] | None,
    collections_name: str,
) -> None:
    """Adds a variable, or all parts of one, to the collections for its name, once each."""
    collections = utils.get_variable_collections(collections_set, collections_name)
    if isinstance(collections, str):
        collections = [collections]
    parts: Sequence[Any] = [variable]
    if isinstance(variable, tf_variables.PartitionedVariable):
        parts = list(variable)
    for collection in collections or ():
        known = ops.get_collection(collection)
        for part in parts:
            if not any(v is part for v in known):
                ops.add_to_collection(collection, part)


def model_variable(
    name: str,
    shape: ShapeLike,
    dtype: DTypeLike,
    initializer: InitializerLike | None,
    regularizer: Callable[[Tensor], TensorLike | None] | None,
    variables_collections: CollectionNames | Mapping[str, CollectionNames] | None,
    trainable: bool,
) -> Any:
    """A model variable in the collections that `variables_collections` has for it."""
    collections = utils.get_variable_collections(variables_collections, name)
    return variables.model_variable(
        name,
        shape=shape,
        dtype=dtype,
        initializer=initializer,
        regularizer=regularizer,
        collections=[collections] if isinstance(collections, str) else collections,
        trainable=trainable,
    )


def finished(
    outputs: ops.Tensor,
    scope: VariableScope | str,
    outputs_collections: CollectionNames | None,
    activation_fn: Callable | None,
    normalizer_fn: Callable | None = None,
    normalizer_params: Mapping[str, object] | None = None,
) -> ops.Tensor:
    """The outputs, normalised and activated, in their collections."""
    if normalizer_fn is not None:
        outputs = normalizer_fn(outputs, **(normalizer_params or {}))
    if activation_fn is not None:
        outputs = activation_fn(outputs)
    alias = scope if isinstance(scope, str) else scope.original_name_scope
    return utils.collect_named_outputs(outputs_collections, alias, outputs)
