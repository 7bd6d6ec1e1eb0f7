# SPDX-License-Identifier: Apache-2.0
"""Bijectors as contrib has them: events of a rank that the constructor says."""

from __future__ import annotations

from typing import Any

from tensorwright.python.framework import ops
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops.distributions import bijector


class Bijector(bijector.Bijector):
    """`tf.distributions`' Bijector whose `*_log_det_jacobian` may go without `event_ndims`.

    Args:
        event_ndims: its default; no less than the least ranks of events.

    The others are keywords of the base class.
    """

    def __init__(self, event_ndims: int | None = 0, **kwargs: Any) -> None:
        kwargs.setdefault("forward_min_event_ndims", 0)
        super().__init__(**kwargs)
        self._event_ndims = event_ndims or 0

    @property
    def event_ndims(self) -> int:
        """The rank of events."""
        return self._event_ndims

    def forward_log_det_jacobian(  # type: ignore[override]
        self,
        x: TensorLike,
        event_ndims: int | None = None,
        name: str = "forward_log_det_jacobian",
    ) -> ops.Tensor:
        """log |det dY/dX| of events, the last `event_ndims` dimensions."""
        if event_ndims is None:
            event_ndims = max(self._event_ndims, self.forward_min_event_ndims)
        return super().forward_log_det_jacobian(x, event_ndims, name)

    def inverse_log_det_jacobian(  # type: ignore[override]
        self,
        y: TensorLike,
        event_ndims: int | None = None,
        name: str = "inverse_log_det_jacobian",
    ) -> ops.Tensor:
        """log |det dX/dY| of events, the last `event_ndims` dimensions."""
        if event_ndims is None:
            event_ndims = max(self._event_ndims, self.inverse_min_event_ndims)
        return super().inverse_log_det_jacobian(y, event_ndims, name)


class ConditionalBijector(Bijector):
    """A bijector whose public methods take further arguments, by name, and give them to the private ones."""

    _condition: dict = {}

    def _has(self, method: str) -> Any:
        function = super()._has(method)
        kwargs = self._condition
        return lambda *args: function(*args, **kwargs)

    def _conditioned(self, method: str, args: tuple, kwargs: dict) -> ops.Tensor:
        # Remembered results were computed with other arguments.
        for kept in (
            self._x_of,
            self._y_of,
            self._forward_ldj_of,
            self._inverse_ldj_of,
        ):
            kept._results.clear()
        self._condition = kwargs
        try:
            return getattr(super(), method)(*args)
        finally:
            self._condition = {}

    def forward(
        self, x: TensorLike, name: str = "forward", **kwargs: object
    ) -> ops.Tensor:
        """g(x)."""
        return self._conditioned("forward", (x, name), kwargs)

    def inverse(
        self, y: TensorLike, name: str = "inverse", **kwargs: object
    ) -> ops.Tensor:
        """g^-1(y)."""
        return self._conditioned("inverse", (y, name), kwargs)

    def forward_log_det_jacobian(  # type: ignore[override]
        self,
        x: TensorLike,
        event_ndims: int | None = None,
        name: str = "forward_log_det_jacobian",
        **kwargs: object,
    ) -> ops.Tensor:
        """log |det dY/dX| of events."""
        args = (x, event_ndims, name)
        return self._jacobian("forward", args, kwargs)

    def inverse_log_det_jacobian(  # type: ignore[override]
        self,
        y: TensorLike,
        event_ndims: int | None = None,
        name: str = "inverse_log_det_jacobian",
        **kwargs: object,
    ) -> ops.Tensor:
        """log |det dX/dY| of events."""
        args = (y, event_ndims, name)
        return self._jacobian("inverse", args, kwargs)

    def _jacobian(self, way: str, args: tuple, kwargs: dict) -> ops.Tensor:
        own, other = f"_{way}_log_det_jacobian", "forward"
        if way == "forward":
            other = "inverse"
        value = ops.convert_to_tensor(args[0])
        ndims = self._event_ndims if args[1] is None else args[1]
        least = (
            self.forward_min_event_ndims
            if way == "forward"
            else self.inverse_min_event_ndims
        )
        ndims = max(ndims, least)
        with self._name_scope(args[2], value):
            if hasattr(self, own):
                jacobian = getattr(self, own)(value, **kwargs)
            else:
                moved = self._has(f"_{way}")
                del moved
                point = getattr(self, f"_{way}")(value, **kwargs)
                jacobian = -getattr(self, f"_{other}_log_det_jacobian")(point, **kwargs)
            return self._of_events(jacobian, value, ndims - least, ndims)
