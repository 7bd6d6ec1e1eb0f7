# SPDX-License-Identifier: Apache-2.0
"""Scopes of a graph that set attrs: containers, gradients, kernels, what an operation derives from."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from tensorwright.python.framework.operation import Operation


class AttrScopesMixin:
    """The scopes of `Graph` that give operations attrs."""

    _container: str
    # Attr -> {op type: value}, for operations of these types.
    _node_attrs: dict[str, dict[str, Any]]
    # Attrs for all operations.
    _attr_scopes: list[dict[str, Any]]
    _original_op: Operation | None

    if TYPE_CHECKING:

        def _update_plain(self) -> None: ...

    @contextlib.contextmanager
    def container(self, container_name: str) -> Iterator[str]:
        """Stateful operations added inside keep their state in a container."""
        outer, self._container = self._container, container_name
        self._update_plain()
        try:
            yield container_name
        finally:
            self._container = outer
            self._update_plain()

    def _set_container(self, op: Operation) -> None:
        if not op._is_stateful:
            return
        try:
            current = op.get_attr("container")
        except ValueError:
            return
        if not current:
            op._set_attr("container", self._container)

    @contextlib.contextmanager
    def gradient_override_map(self, op_type_map: dict[str, str]) -> Iterator[None]:
        """Ops of a type added inside use the gradient registered for another."""
        with self._node_attr_map("_gradient_op_type", op_type_map):
            yield

    @contextlib.contextmanager
    def _kernel_label_map(self, op_to_kernel_label_map: dict[str, str]):
        """Ops of a type added inside use the kernels registered with a label."""
        with self._node_attr_map("_kernel", op_to_kernel_label_map):
            yield

    @contextlib.contextmanager
    def _node_attr_map(self, attr: str, by_type: dict[str, str]) -> Iterator[None]:
        if not isinstance(by_type, dict) or not all(
            isinstance(s, str) for pair in by_type.items() for s in pair
        ):
            raise TypeError(f"{attr}: expected a dict of str to str, got {by_type!r}")
        outer = self._node_attrs
        merged = {**outer.get(attr, {}), **by_type}
        self._node_attrs = {**outer, attr: merged}
        self._update_plain()
        try:
            yield
        finally:
            self._node_attrs = outer
            self._update_plain()

    @contextlib.contextmanager
    def _attr_scope(self, attr_map: dict[str, Any]) -> Iterator[None]:
        """Operations added inside get these attrs."""
        self._attr_scopes.append(dict(attr_map))
        self._update_plain()
        try:
            yield
        finally:
            self._attr_scopes.pop()
            self._update_plain()

    @contextlib.contextmanager
    def _original_op_scope(self, op: Operation) -> Iterator[None]:
        """Operations added inside derive from `op`."""
        outer, self._original_op = self._original_op, op
        self._update_plain()
        try:
            yield
        finally:
            self._original_op = outer
            self._update_plain()
