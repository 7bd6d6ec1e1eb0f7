# SPDX-License-Identifier: Apache-2.0
"""PartialRunHandle: the type of handle that `partial_run_setup` returns."""

from __future__ import annotations

from typing import Any

from tensorwright.python.framework import errors_impl


class _PartialRunHandle:
    """A step in pieces: the session's handle, and the places of feeds and fetches."""

    def __init__(self, core: Any, feeds: list, fetches: list):
        self.core = core
        self._places = {
            "feed": {t: i for i, t in enumerate(feeds)},
            "fetch": {t: i for i, t in enumerate(fetches)},
        }

    def place_of(self, role: str, tensor: Any) -> int:
        """The place of a tensor among the feeds or the fetches."""
        place = self._places[role].get(tensor)
        if place is None:
            raise errors_impl.InvalidArgumentError(
                None,
                None,
                f"The {role} {tensor.name} was not specified in partial_run_setup.",
            )
        return place
