# SPDX-License-Identifier: Apache-2.0
"""Placement of operations: the graph's device scopes, and colocation with other operations."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, cast

from tensorwright.python.framework import device as pydev
from tensorwright.python.framework.operation import Operation
from tensorwright.python.framework.type_aliases import DeviceLike, TensorLike

if TYPE_CHECKING:
    from tensorwright.python.framework.graph import Graph


class PlacementMixin:
    """The device and colocation scopes of `Graph`."""

    _device_stack: list[Any]
    _colocation_stack: list[Operation]

    if TYPE_CHECKING:

        def _update_plain(self) -> None: ...

    @contextlib.contextmanager
    def device(self, device_name_or_function: DeviceLike) -> Iterator[None]:
        """Operations added inside ask for a device.

        Args:
            device_name_or_function: a full or partial name; inner scopes win where
                both fix a field.  A callable gets the Operation and returns a
                name.  None: outer scopes have no effect.
        """
        self._push_device(device_name_or_function)
        try:
            yield
        finally:
            self._device_stack.pop()
            self._update_device()

    def _push_device(self, spec: Any) -> None:
        if spec is not None and not callable(spec):
            spec = pydev.canonical_name(spec)
        self._device_stack.append(spec)
        self._update_device()

    def _update_device(self) -> None:
        merged = ""
        for spec in self._device_stack:
            if callable(spec):
                merged = ""  # _complete_op works it out for every operation.
                break
            merged = "" if spec is None else pydev.merge_strings(merged, spec)
        self._device = merged
        self._update_plain()

    def _apply_device_functions(self, op: Operation) -> None:
        for spec in reversed(self._device_stack):
            if spec is None:
                break
            if callable(spec):
                op._set_device(spec(op))
            else:
                op._set_device(pydev.merge_strings(spec, op.device))

    @contextlib.contextmanager
    def colocate_with(
        self, op: Operation | TensorLike, ignore_existing: bool = False
    ) -> Iterator[None]:
        """Operations added inside are placed on the device of `op`.

        `ignore_existing`: outer colocation scopes have no effect.  `op` None with
        it: no colocation at all.
        """
        if op is None and not ignore_existing:
            raise ValueError(
                "colocate_with: op=None ends colocation, which needs "
                f"ignore_existing=True, got {ignore_existing}"
            )
        if op is not None and not isinstance(op, Operation):
            graph = cast("Graph", self)
            op = graph.as_graph_element(getattr(op, "op", op), allow_tensor=False)
        # Device scopes outside do not apply: the device is that of `op`.
        device_stack, self._device_stack = self._device_stack, []
        self._update_device()
        outer = self._colocation_stack
        self._colocation_stack = [] if ignore_existing else list(outer)
        if op is not None:
            self._colocation_stack.append(op)
        if op is None:
            self._device_stack = device_stack
        self._update_device()
        try:
            yield
        finally:
            self._device_stack = device_stack
            self._colocation_stack = outer
            self._update_device()

    def _colocate(self, op: Operation) -> None:
        groups = []
        for other in self._colocation_stack:
            groups.extend(other.colocation_groups())
            if other.device and not op.device:
                op._set_device(other.device)
        if groups:
            op._set_attr("_class", sorted(set(groups)))
