# SPDX-License-Identifier: Apache-2.0
"""The base class of bijections: functions with an inverse and a Jacobian, by which distributions are transformed."""

from __future__ import annotations

import abc
import contextlib
import re
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from tensorwright.python.framework import dtypes, ops, tensor_shape
from tensorwright.python.framework.type_aliases import DTypeLike, ShapeLike, TensorLike
from tensorwright.python.ops import array_ops, math_ops
from tensorwright.python.util import compat

if TYPE_CHECKING:
    from tensorwright.python.framework.dtypes import DType
    from tensorwright.python.framework.tensor_shape import TensorShape


class _Remembered:
    """Results by the tensor they were computed of."""

    def __init__(self) -> None:
        # The tensor is kept too, so that no other one gets its id.
        self._results: dict[Any, tuple[ops.Tensor, ops.Tensor]] = {}

    def get(
        self, of: ops.Tensor, compute: Callable[[], ops.Tensor], key: Any = None
    ) -> ops.Tensor:
        if (id(of), key) not in self._results:
            self.put(of, compute(), key)
        return self._results[id(of), key][1]

    def put(self, of: ops.Tensor, result: ops.Tensor, key: Any = None) -> None:
        self._results[id(of), key] = (of, result)


class Bijector(abc.ABC):
    """An invertible map: Y = g(X), X = g^-1(Y).

    A subclass defines those of these methods that its callers need: `_forward(x)`, `_inverse(y)`;
    `_forward_log_det_jacobian(x)` or `_inverse_log_det_jacobian(y)`, log |det dY/dX| or |det dX/dY| for events of the
    least rank: the shape of x or y without that many last dimensions, or a scalar if `is_constant_jacobian`; and, if
    events change their shape, `_forward_event_shape(shape)` for TensorShapes, `_forward_event_shape_tensor(shape)` for
    int32 vectors, and both for the inverse.

    `inverse` of a result of `forward` returns the tensor that `forward` was given: nothing is computed twice, and
    nothing is lost to rounding.
    """

    def __init__(
        self,
        graph_parents: Iterable[ops.Tensor] | None = None,
        is_constant_jacobian: bool = False,
        validate_args: bool = False,
        dtype: DTypeLike | None = None,
        forward_min_event_ndims: int | None = None,
        inverse_min_event_ndims: int | None = None,
        name: str | None = None,
    ) -> None:
        """
        graph_parents: tensors that the bijector is made of.
        is_constant_jacobian: whether the Jacobian is the same for every X.
        validate_args: whether runs check values.
        dtype: the dtype of X and Y; None for any.
        forward_min_event_ndims, inverse_min_event_ndims: the least rank of an event, of X and of Y; 0 if each element
            is
        mapped by itself.  If one is not given, it is the other's.
        """
        for i, parent in enumerate(graph_parents or []):
            if not isinstance(parent, ops.Tensor):
                raise ValueError(f"graph_parents[{i}] must be a Tensor, got {parent!r}")
        of_x, of_y = forward_min_event_ndims, inverse_min_event_ndims
        if of_x is None:
            of_x = of_y
        if of_y is None:
            of_y = of_x
        if of_x is None or of_y is None:
            raise ValueError(
                "forward_min_event_ndims or inverse_min_event_ndims is needed"
            )
        for n in (of_x, of_y):
            if not isinstance(n, compat.integral_types) or n < 0:
                raise ValueError(f"min_event_ndims must be an int >= 0, got {n!r}")
        self._graph_parents = list(graph_parents or [])
        self._is_constant_jacobian = is_constant_jacobian
        self._validate_args = validate_args
        self._dtype = None if dtype is None else dtypes.as_dtype(dtype)
        self._forward_min_event_ndims = of_x
        self._inverse_min_event_ndims = of_y
        self._name = name or _snake_case(type(self).__name__)
        self._y_of, self._x_of = _Remembered(), _Remembered()
        self._forward_ldj_of, self._inverse_ldj_of = _Remembered(), _Remembered()

    @property
    def graph_parents(self) -> list[ops.Tensor]:
        """The tensors that it is made of."""
        return self._graph_parents

    @property
    def forward_min_event_ndims(self) -> int:
        """The least rank of X that is mapped as one."""
        return self._forward_min_event_ndims

    @property
    def inverse_min_event_ndims(self) -> int:
        """The least rank of Y that is mapped as one."""
        return self._inverse_min_event_ndims

    @property
    def is_constant_jacobian(self) -> bool:
        """Whether the Jacobian is the same for every X."""
        return self._is_constant_jacobian

    @property
    def validate_args(self) -> bool:
        """Whether runs check values."""
        return self._validate_args

    @property
    def dtype(self) -> DType | None:
        """The dtype of X and Y; None for any."""
        return self._dtype

    @property
    def name(self) -> str:
        """The name scope of its operations."""
        return self._name

    def forward_event_shape(self, input_shape: ShapeLike) -> TensorShape:
        """The TensorShape of g of an event of `input_shape`."""
        return self._known_event_shape("_forward_event_shape", input_shape)

    def inverse_event_shape(self, output_shape: ShapeLike) -> TensorShape:
        """The TensorShape of g^-1 of an event of `output_shape`."""
        return self._known_event_shape("_inverse_event_shape", output_shape)

    def forward_event_shape_tensor(
        self, input_shape: TensorLike, name: str = "forward_event_shape_tensor"
    ) -> ops.Tensor:
        """The shape of g of an event of `input_shape`: int32 vectors."""
        return self._event_shape_tensor(
            "_forward_event_shape_tensor", input_shape, name
        )

    def inverse_event_shape_tensor(
        self, output_shape: TensorLike, name: str = "inverse_event_shape_tensor"
    ) -> ops.Tensor:
        """The shape of g^-1 of an event of `output_shape`: int32 vectors."""
        return self._event_shape_tensor(
            "_inverse_event_shape_tensor", output_shape, name
        )

    def forward(self, x: TensorLike, name: str = "forward") -> ops.Tensor:
        """g(x)."""
        with self._name_scope(name, x):
            x = self._tensor(x, "x")
            y = self._y_of.get(x, lambda: self._has("_forward")(x))
            self._x_of.put(y, x)
            return y

    def inverse(self, y: TensorLike, name: str = "inverse") -> ops.Tensor:
        """g^-1(y)."""
        with self._name_scope(name, y):
            y = self._tensor(y, "y")
            x = self._x_of.get(y, lambda: self._has("_inverse")(y))
            self._y_of.put(x, y)
            return x

    def forward_log_det_jacobian(
        self, x: TensorLike, event_ndims: int, name: str = "forward_log_det_jacobian"
    ) -> ops.Tensor:
        """log |det dY/dX| of events, which are the last `event_ndims` dimensions of `x`: the shape without these.

        Raises:
            ValueError: where `event_ndims` is below `forward_min_event_ndims`.
            NotImplementedError: where the subclass has neither that nor the inverse's.
        """
        with self._name_scope(name, x):
            x = self._tensor(x, "x")
            extra = _extra(x, event_ndims, self.forward_min_event_ndims)

            def compute() -> ops.Tensor:
                if hasattr(self, "_forward_log_det_jacobian"):
                    jacobian = self._has("_forward_log_det_jacobian")(x)
                else:
                    inverse = self._has("_inverse_log_det_jacobian")
                    jacobian = -inverse(self.forward(x))
                return self._of_events(jacobian, x, extra, event_ndims)

            return self._forward_ldj_of.get(x, compute, event_ndims)

    def inverse_log_det_jacobian(
        self, y: TensorLike, event_ndims: int, name: str = "inverse_log_det_jacobian"
    ) -> ops.Tensor:
        """log |det dX/dY| of events, which are the last `event_ndims` dimensions of `y`; see the forward one."""
        with self._name_scope(name, y):
            y = self._tensor(y, "y")
            extra = _extra(y, event_ndims, self.inverse_min_event_ndims)

            def compute() -> ops.Tensor:
                if hasattr(self, "_inverse_log_det_jacobian"):
                    jacobian = self._has("_inverse_log_det_jacobian")(y)
                else:
                    forward = self._has("_forward_log_det_jacobian")
                    jacobian = -forward(self.inverse(y))
                return self._of_events(jacobian, y, extra, event_ndims)

            return self._inverse_ldj_of.get(y, compute, event_ndims)

    # ---- For this class.

    @contextlib.contextmanager
    def _name_scope(self, name: str, *values: Any) -> Iterator[None]:
        with ops.name_scope(self.name):
            with ops.name_scope(name, values=[*values, *self._graph_parents]):
                yield

    def _tensor(self, value: Any, name: str) -> ops.Tensor:
        """TypeError for another dtype than the bijector's."""
        value = ops.convert_to_tensor(value, name=name, preferred_dtype=self.dtype)
        if self.dtype is not None and value.dtype.base_dtype != self.dtype.base_dtype:
            raise TypeError(
                f"{self.name}: {name} must be {self.dtype.name}, got {value.dtype.name}"
            )
        return value

    def _has(self, method: str) -> Callable[..., ops.Tensor]:
        if not hasattr(self, method):
            raise NotImplementedError(
                f"{method[1:]} is not implemented: {type(self).__name__}"
            )
        return getattr(self, method)

    def _of_events(
        self, jacobian: ops.Tensor, x: ops.Tensor, extra: int, event_ndims: int
    ) -> ops.Tensor:
        """Sums a Jacobian for events of the least rank over the `extra` dimensions in front of it."""
        if not extra:
            return jacobian
        if self.is_constant_jacobian:
            sizes = array_ops.shape(x)
            first = array_ops.size(sizes) - event_ndims
            count = math_ops.reduce_prod(sizes[first : first + extra])
            return jacobian * math_ops.cast(count, jacobian.dtype)
        return math_ops.reduce_sum(jacobian, list(range(-extra, 0)))

    def _known_event_shape(self, method: str, shape: Any) -> Any:
        shape = tensor_shape.as_shape(shape)
        change = getattr(self, method, None)
        return shape if change is None else tensor_shape.as_shape(change(shape))

    def _event_shape_tensor(self, method: str, shape: Any, name: str) -> ops.Tensor:
        with self._name_scope(name, shape):
            shape = ops.convert_to_tensor(shape, dtypes.int32, "shape")
            change = getattr(self, method, None)
            return shape if change is None else change(shape)


def _extra(x: ops.Tensor, event_ndims: int, least: int) -> int:
    """Returns how many of the last `event_ndims` dimensions of `x` are beyond the least rank."""
    rank = x.get_shape().ndims
    if (
        not isinstance(event_ndims, compat.integral_types)
        or event_ndims < least
        or (rank is not None and event_ndims > rank)
    ):
        raise ValueError(
            f"event_ndims must be an int in [{least}, rank], got {event_ndims!r} for shape {x.get_shape()}"
        )
    return event_ndims - least


def _snake_case(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower().lstrip("_")
