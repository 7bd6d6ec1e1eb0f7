# SPDX-License-Identifier: Apache-2.0
"""Helpers of functions that make summaries: tags, scopes, collections."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from tensorwright.python.framework import ops
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.platform import tf_logging

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tensorwright.python.framework.type_aliases import CollectionNames

# A tag is also the name of an op.
_INVALID_TAG_CHARACTERS = re.compile(r"[^-/\w\.]")


def collect(
    val: TensorLike,
    collections: CollectionNames | None,
    default_collections: Sequence[str],
) -> None:
    """Adds `val` to the collections, or to the default ones if they are None."""
    if collections is None:
        collections = default_collections
    for key in collections:
        ops.add_to_collection(key, val)


def clean_tag(name: str | None) -> str | None:
    """Replaces characters that an op's name may not have by "_", and removes leading "/"."""
    if name is None:
        return None
    clean = _INVALID_TAG_CHARACTERS.sub("_", name).lstrip("/")
    if clean != name:
        tf_logging.info("Summary name %s is illegal; using %s instead.", name, clean)
    return clean


@contextlib.contextmanager
def summary_scope(
    name: str | None,
    family: str | None = None,
    default_name: str | None = None,
    values: Iterable[object] | None = None,
) -> Iterator[tuple[str, str]]:
    """A name scope for a summary; yields its tag and the scope.

    Args:
        name: the name of the summary; made a legal name of an op.
        family: goes before the tag, once more than in the scope, and so groups tags in
            TensorBoard.
        default_name: where `name` is None.
        values: tensors that the summary is of.
    """
    name = clean_tag(name)
    base = name if family is None else f"{clean_tag(family)}/{name}"
    with ops.name_scope(base, default_name, values=values) as scope:
        tag = scope.rstrip("/")
        yield (tag if family is None else f"{clean_tag(family)}/{tag}"), scope
