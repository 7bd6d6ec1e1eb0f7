# SPDX-License-Identifier: Apache-2.0
"""Structures of dataset elements: tuples, namedtuples and dicts.

A list is no structure here: it is a value that becomes a tensor.  A dict's values come
in the order of its sorted keys.
"""

from __future__ import annotations

import collections.abc
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from tensorwright.python.framework import sparse_tensor


def is_nested(structure: object) -> bool:
    """True for tuples and mappings."""
    if isinstance(structure, sparse_tensor.SparseTensorValue):
        return False
    return isinstance(structure, (tuple, collections.abc.Mapping))


is_sequence = is_nested


def _parts(structure: Any) -> list:
    if isinstance(structure, collections.abc.Mapping):
        return [structure[k] for k in sorted(structure)]
    return list(structure)


def flatten(structure: object) -> list:
    """The leaves, depth first.  A leaf itself gives a list of one."""
    if not is_nested(structure):
        return [structure]
    return [leaf for part in _parts(structure) for leaf in flatten(part)]


def _like(structure: Any, parts: list) -> Any:
    kind = type(structure)
    if isinstance(structure, collections.abc.Mapping):
        by_key = dict(zip(sorted(structure), parts, strict=True))
        return kind((k, by_key[k]) for k in structure)
    if hasattr(structure, "_fields"):
        return kind(*parts)
    return tuple(parts)


def _pack(structure: Any, leaves: Iterator[Any]) -> Any:
    if not is_nested(structure):
        return next(leaves)
    # The leaves come in the order of the sorted keys, as from `flatten`.
    return _like(structure, [_pack(part, leaves) for part in _parts(structure)])


def pack_sequence_as(structure: object, flat_sequence: Sequence[object]) -> Any:
    """The structure with other leaves.  ValueError unless they are equally many."""
    count = len(flatten(structure))
    flat = list(flat_sequence)
    if len(flat) != count:
        raise ValueError(
            f"Could not pack sequence. Structure had {count} elements, but flat_sequence "
            f"had {len(flat)} elements."
        )
    return _pack(structure, iter(flat))


def assert_same_structure(nest1: Any, nest2: Any, check_types: bool = True) -> None:
    """Raises ValueError or TypeError unless both have parts in the same places."""
    if is_nested(nest1) != is_nested(nest2):
        raise ValueError(
            f"The two structures don't have the same nested structure: {nest1!r} and "
            f"{nest2!r}"
        )
    if not is_nested(nest1):
        return
    if check_types and type(nest1) is not type(nest2):
        raise TypeError(
            f"The two structures don't have the same sequence type: {type(nest1)} and "
            f"{type(nest2)}"
        )
    if isinstance(nest1, collections.abc.Mapping) and set(nest1) != set(nest2):
        raise ValueError(
            f"The two dictionaries don't have the same set of keys: {sorted(nest1)} and "
            f"{sorted(nest2)}"
        )
    ours, theirs = _parts(nest1), _parts(nest2)
    if len(ours) != len(theirs):
        raise ValueError(
            f"The two structures don't have the same number of elements: {nest1!r} and "
            f"{nest2!r}"
        )
    for a, b in zip(ours, theirs, strict=True):
        assert_same_structure(a, b, check_types)


def map_structure(
    func: Callable[..., object], *structure: Any, check_types: bool = True
) -> Any:
    """`func` of the leaves in the same places, in the first structure."""
    if not callable(func):
        raise TypeError(f"func must be callable, got: {func}")
    if not structure:
        raise ValueError("Must provide at least one structure")
    for other in structure[1:]:
        assert_same_structure(structure[0], other, check_types)
    flat = [flatten(s) for s in structure]
    return pack_sequence_as(structure[0], [func(*x) for x in zip(*flat, strict=True)])


def assert_shallow_structure(
    shallow_tree: Any, input_tree: Any, check_types: bool = True
) -> None:
    """Raises unless `input_tree` has the structure of `shallow_tree`, and perhaps more below."""
    if not is_nested(shallow_tree):
        return
    if not is_nested(input_tree):
        raise TypeError(
            "If shallow structure is a sequence, input must also be a sequence. Input has "
            f"type: '{type(input_tree).__name__}'."
        )
    if check_types and not isinstance(input_tree, type(shallow_tree)):
        raise TypeError(
            "The two structures don't have the same sequence type. Input structure has "
            f"type '{type(input_tree).__name__}', while shallow structure has type "
            f"'{type(shallow_tree).__name__}'."
        )
    if len(input_tree) != len(shallow_tree):
        raise ValueError(
            "The two structures don't have the same sequence length. Input structure has "
            f"length {len(input_tree)}, while shallow structure has length "
            f"{len(shallow_tree)}."
        )
    for a, b in zip(_parts(shallow_tree), _parts(input_tree), strict=True):
        assert_shallow_structure(a, b, check_types)


def flatten_up_to(shallow_tree: object, input_tree: object) -> list:
    """The parts of `input_tree` at the leaves of `shallow_tree`."""
    assert_shallow_structure(shallow_tree, input_tree)
    if not is_nested(shallow_tree):
        return [input_tree]
    return [
        leaf
        for a, b in zip(_parts(shallow_tree), _parts(input_tree), strict=True)
        for leaf in flatten_up_to(a, b)
    ]


def map_structure_up_to(
    shallow_tree: object, func: Callable[..., object], *inputs: object
) -> Any:
    """`func` of the parts of the inputs at the leaves of `shallow_tree`."""
    if not inputs:
        raise ValueError("Argument `inputs` is empty. Cannot map over no sequences.")
    flat = [flatten_up_to(shallow_tree, i) for i in inputs]
    return pack_sequence_as(shallow_tree, [func(*x) for x in zip(*flat, strict=True)])
