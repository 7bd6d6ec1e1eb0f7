# SPDX-License-Identifier: Apache-2.0
"""Nested structures: lists, tuples, namedtuples and dicts of anything.

A dict's values come in the order of its sorted keys.
"""

from __future__ import annotations

import collections.abc
from collections.abc import Callable, Iterator
from typing import Any


def is_sequence(seq: object) -> bool:
    """True for what has parts here: sequences but str, and mappings."""
    if isinstance(seq, (str, bytes)):
        return False
    return isinstance(seq, (collections.abc.Sequence, collections.abc.Mapping))


is_nested = is_sequence


def _is_namedtuple(x: Any) -> bool:
    return isinstance(x, tuple) and hasattr(x, "_fields")


def _sorted_keys(mapping: Any) -> list:
    try:
        return sorted(mapping)
    except TypeError:
        raise TypeError("nest only supports dicts with sortable keys.") from None


def _parts(structure: Any) -> Iterator[Any]:
    if isinstance(structure, collections.abc.Mapping):
        return (structure[k] for k in _sorted_keys(structure))
    return iter(structure)


def _like(instance: Any, parts: list) -> Any:
    """A structure of the type of `instance` with other parts."""
    kind = type(instance)
    if isinstance(instance, collections.abc.Mapping):
        by_key = dict(zip(_sorted_keys(instance), parts))
        return kind((k, by_key[k]) for k in instance)
    if _is_namedtuple(instance):
        return kind(*parts)
    return kind(parts)


def flatten(nest: object) -> list:
    """The leaves, depth first.  A leaf itself gives a list of one."""
    if not is_sequence(nest):
        return [nest]
    return [leaf for part in _parts(nest) for leaf in flatten(part)]


def assert_same_structure(
    nest1: object, nest2: object, check_types: bool = True
) -> None:
    """Checks that two structures differ in their leaves only.

    Raises ValueError for another number or nesting of parts, TypeError for another
    type of sequence (unless `check_types` is False).
    """
    flat1 = len(flatten(nest1)) if is_sequence(nest1) else 1
    flat2 = len(flatten(nest2)) if is_sequence(nest2) else 1
    if flat1 != flat2:
        raise ValueError(f"{nest1} and {nest2} don't have the same number of elements")
    _assert_same(nest1, nest2, check_types)


def _same_kind(a: Any, b: Any) -> bool:
    if _is_namedtuple(a) and _is_namedtuple(b):
        return type(a).__name__ == type(b).__name__ and a._fields == b._fields
    mapping = collections.abc.Mapping
    if isinstance(a, mapping) and isinstance(b, mapping):
        return True
    return type(a) is type(b)


def _assert_same(a: Any, b: Any, check_types: bool) -> None:
    if is_sequence(a) != is_sequence(b):
        raise ValueError(f"{a} and {b} don't have the same nested structure")
    if not is_sequence(a):
        return
    if check_types and not _same_kind(a, b):
        raise TypeError(
            f"{a} and {b} don't have the same sequence type: {type(a)} and {type(b)}"
        )
    if isinstance(a, collections.abc.Mapping) and set(a) != set(b):
        raise ValueError(
            f"The two dictionaries don't have the same set of keys. First structure "
            f"has keys {list(a)}, second structure has keys {list(b)}."
        )
    parts1, parts2 = list(_parts(a)), list(_parts(b))
    if len(parts1) != len(parts2):
        raise ValueError(f"{a} and {b} don't have the same number of elements")
    for x, y in zip(parts1, parts2):
        _assert_same(x, y, check_types)


def _pack(structure: Any, leaves: Iterator[Any]) -> Any:
    if not is_sequence(structure):
        return next(leaves)
    return _like(structure, [_pack(part, leaves) for part in _parts(structure)])


def pack_sequence_as(structure: object, flat_sequence: Any) -> Any:
    """A structure like `structure` with the leaves of `flat_sequence`.

    Raises ValueError where the number of leaves differs.
    """
    if not is_sequence(flat_sequence):
        raise TypeError("flat_sequence must be a sequence")
    if not is_sequence(structure):
        if len(flat_sequence) != 1:
            raise ValueError(
                f"Structure is a scalar, and flat_sequence has {len(flat_sequence)} elements"
            )
        return flat_sequence[0]
    count = len(flatten(structure))
    if count != len(flat_sequence):
        raise ValueError(
            f"Could not pack sequence. Structure had {count} elements, but "
            f"flat_sequence had {len(flat_sequence)} elements. Structure: "
            f"{structure}, flat_sequence: {flat_sequence}."
        )
    return _pack(structure, iter(flat_sequence))


def map_structure(
    func: Callable[..., object], *structure: object, **kwargs: bool
) -> Any:
    """Applies `func` to the leaves of structures that are alike.

    `check_types=False` allows different types of sequences.
    """
    check_types = kwargs.pop("check_types", True)
    if kwargs:
        raise ValueError(f"Only valid keyword argument is check_types: {kwargs}")
    if not callable(func):
        raise TypeError(f"map_structure: func must be callable, got {func!r}")
    if not structure:
        raise ValueError("map_structure needs at least one structure, got none")
    for other in structure[1:]:
        assert_same_structure(structure[0], other, check_types=check_types)
    flat = [flatten(s) for s in structure]
    return pack_sequence_as(structure[0], [func(*leaves) for leaves in zip(*flat)])


def _paths(structure: Any, path: tuple) -> Iterator[tuple[tuple, Any]]:
    if not is_sequence(structure):
        yield path, structure
        return
    if isinstance(structure, collections.abc.Mapping):
        keys = _sorted_keys(structure)
    elif _is_namedtuple(structure):
        keys = structure._fields
    else:
        keys = range(len(structure))
    for key, part in zip(keys, _parts(structure)):
        yield from _paths(part, (*path, key))


def flatten_with_tuple_paths(structure: object) -> list[tuple[tuple, Any]]:
    """The leaves with the keys, fields and indices that lead to each: [(("a", 0), leaf), ...]."""
    return list(_paths(structure, ()))


def flatten_with_joined_string_paths(
    structure: object, separator: str = "/"
) -> list[tuple[str, Any]]:
    """The leaves with what leads to each as one text: [("a/0", leaf), ...]."""
    return [
        (separator.join(map(str, path)), leaf) for path, leaf in _paths(structure, ())
    ]


def yield_flattened_paths(structure: object) -> Iterator[tuple]:
    """The path to each leaf."""
    return (path for path, _ in _paths(structure, ()))


def flatten_dict_items(dictionary: dict) -> dict:
    """A dict whose keys and values may both be nested, as a flat dict."""
    if not isinstance(dictionary, dict):
        raise TypeError("input must be a dictionary")
    flat: dict = {}
    for key, value in dictionary.items():
        if not is_sequence(key):
            pairs = [(key, value)]
        else:
            keys, values = flatten(key), flatten(value)
            if len(keys) != len(values):
                raise ValueError(
                    f"Could not flatten dictionary. Key had {len(keys)} elements, but "
                    f"value had {len(values)} elements. Key: {keys}, value: {values}."
                )
            pairs = list(zip(keys, values))
        for k, v in pairs:
            if k in flat:
                raise ValueError(
                    f"Could not flatten dictionary: key {k} is not unique."
                )
            flat[k] = v
    return flat


def assert_shallow_structure(
    shallow_tree: object, input_tree: object, check_types: bool = True
) -> None:
    """Checks that `input_tree` has the structure of `shallow_tree` at its top."""
    if not is_sequence(shallow_tree):
        return
    if not is_sequence(input_tree):
        raise TypeError(
            f"input_tree must be a sequence where shallow_tree is one, got "
            f"{type(input_tree)}"
        )
    if check_types and not _same_kind(shallow_tree, input_tree):
        raise TypeError(
            f"input_tree and shallow_tree don't have the same sequence type: "
            f"{type(input_tree)} and {type(shallow_tree)}"
        )
    tree: Any = input_tree
    top: Any = shallow_tree
    if len(tree) != len(top):
        raise ValueError(
            f"input_tree and shallow_tree don't have the same sequence length: "
            f"{len(tree)} and {len(top)}"
        )
    if check_types and isinstance(shallow_tree, collections.abc.Mapping):
        if set(tree) != set(top):
            raise ValueError(
                f"input_tree and shallow_tree don't have the same keys: "
                f"{list(tree)} and {list(top)}"
            )
    for shallow, part in zip(_parts(shallow_tree), _parts(input_tree)):
        assert_shallow_structure(shallow, part, check_types=check_types)


def _flatten_up_to(shallow_tree: Any, input_tree: Any) -> list:
    if not is_sequence(shallow_tree):
        return [input_tree]
    pairs = zip(_parts(shallow_tree), _parts(input_tree))
    return [leaf for s, t in pairs for leaf in _flatten_up_to(s, t)]


def flatten_up_to(shallow_tree: object, input_tree: object) -> list:
    """Flattens `input_tree` as deep as `shallow_tree` goes."""
    assert_shallow_structure(shallow_tree, input_tree)
    return _flatten_up_to(shallow_tree, input_tree)


def map_structure_up_to(
    shallow_tree: object, func: Callable[..., object], *inputs: object
) -> Any:
    """Applies `func` to the parts of `inputs` at the leaves of `shallow_tree`."""
    if not inputs:
        raise ValueError("Cannot map over no sequences")
    flat = [flatten_up_to(shallow_tree, tree) for tree in inputs]
    results = [func(*parts) for parts in zip(*flat)]
    return pack_sequence_as(shallow_tree, results)


def get_traverse_shallow_structure(
    traverse_fn: Callable[..., object], structure: object
) -> Any:
    """A structure of bools: True where `traverse_fn` says to go deeper."""
    go = traverse_fn(structure)
    if not is_sequence(structure):
        if not isinstance(go, bool):
            raise TypeError(f"traverse_fn must return bool for a leaf, got {go!r}")
        return go
    if isinstance(go, bool):
        if not go:
            return False
        parts = _parts(structure)
        return _like(
            structure, [get_traverse_shallow_structure(traverse_fn, p) for p in parts]
        )
    assert_shallow_structure(go, structure)
    levels = [
        get_traverse_shallow_structure(traverse_fn, p) if g else False
        for g, p in zip(_parts(go), _parts(structure))
    ]
    return _like(structure, levels)


def yield_flattened_up_to(shallow_tree: object, input_tree: object) -> Iterator[Any]:
    yield from _flatten_up_to(shallow_tree, input_tree)
