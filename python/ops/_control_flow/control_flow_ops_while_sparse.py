# SPDX-License-Identifier: Apache-2.0
"""Loops over sparse tensors: each goes round as its three parts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from tensorwright.python.framework import sparse_tensor, tensor_shape
from tensorwright.python.util import nest

if TYPE_CHECKING:
    from tensorwright.python.framework.type_aliases import ShapeTree, TensorTree


def has_sparse(loop_vars: TensorTree) -> bool:
    """Whether one of the loop variables is a SparseTensor."""
    return any(map(_is_sparse, nest.flatten(loop_vars)))


def loop_of_parts(
    while_loop: Callable[..., Any],
    cond: Callable[..., object],
    body: Callable[..., Any],
    loop_vars: Sequence[TensorTree],
    invariants: ShapeTree | None,
    same_structure: bool,
    **options: Any,
) -> Any:
    """Calls `while_loop` with (indices, values, dense_shape) for each sparse variable; returns sparse tensors again.

    The shape invariant of a sparse tensor is that of its dense_shape: [rank].

    Raises:
        ValueError: the body returns another structure; an invariant does not fit.
    """

    def whole(parts: Sequence[Any]) -> Any:
        pairs = zip(nest.flatten(loop_vars), parts, strict=True)
        return nest.pack_sequence_as(
            loop_vars,
            [
                sparse_tensor.SparseTensor(*part) if _is_sparse(given) else part
                for given, part in pairs
            ],
        )

    def body_of_parts(*parts: Any) -> list:
        result = body(*whole(parts))
        result = result if nest.is_sequence(result) else [result]
        nest.assert_same_structure(list(loop_vars), list(result))
        return _parts(result)

    if invariants is not None:
        nest.assert_same_structure(loop_vars, invariants)
        pairs = zip(nest.flatten(loop_vars), nest.flatten(invariants), strict=True)
        invariants = [
            _invariants_of_parts(shape) if _is_sparse(given) else shape
            for given, shape in pairs
        ]
    result = whole(
        while_loop(
            lambda *parts: cond(*whole(parts)),
            body_of_parts,
            _parts(loop_vars),
            shape_invariants=invariants,
            return_same_structure=True,
            **options,
        )
    )
    return result if same_structure or len(loop_vars) > 1 else result[0]


def _is_sparse(value: Any) -> bool:
    return isinstance(value, sparse_tensor.SparseTensor)


def _parts(structure: Any) -> list:
    return [
        (x.indices, x.values, x.dense_shape) if _is_sparse(x) else x
        for x in nest.flatten(structure)
    ]


def _invariants_of_parts(shape: Any) -> tuple:
    """Returns the shapes of indices, values and dense_shape, of which the last one is given."""
    rank = tensor_shape.as_shape(shape).with_rank(1)
    places = tensor_shape.TensorShape([None]).concatenate(rank)
    return places, tensor_shape.TensorShape([None]), rank
