# SPDX-License-Identifier: Apache-2.0
"""Bijectors by linear operators, of others, and of functions."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from tensorwright.contrib.distributions.python.ops.bijectors import _base
from tensorwright.python.framework import constant_op, ops
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import array_ops, linalg_ops, math_ops
from tensorwright.python.ops.linalg import (
    linear_operator_full_matrix,
    linear_operator_lower_triangular,
)

if TYPE_CHECKING:
    from tensorwright.python.ops.distributions.bijector import Bijector
    from tensorwright.python.ops.linalg.linear_operator import LinearOperator


class AffineLinearOperator(_base.Bijector):
    """Y = scale X + shift, for a LinearOperator [..., k, k] and vectors; shift alone where `scale` is absent."""

    def __init__(
        self,
        shift: TensorLike | None = None,
        scale: LinearOperator | None = None,
        event_ndims: int = 1,
        validate_args: bool = False,
        name: str = "affine_linear_operator",
    ) -> None:
        if event_ndims not in (0, 1):
            raise ValueError(f"event_ndims({event_ndims}) was not in {{0, 1}}")
        self._shift = None if shift is None else ops.convert_to_tensor(shift)
        self._scale = scale
        if scale is not None and event_ndims == 0:
            raise ValueError("a linear operator maps vectors: event_ndims must be 1")
        super().__init__(
            event_ndims,
            forward_min_event_ndims=0 if scale is None else 1,
            is_constant_jacobian=True,
            validate_args=validate_args,
            name=name,
        )

    @property
    def shift(self) -> ops.Tensor | None:
        return self._shift

    @property
    def scale(self) -> LinearOperator | None:
        return self._scale

    def _forward(self, x: ops.Tensor) -> ops.Tensor:
        y = x if self._scale is None else self._scale.matvec(x)
        return y if self._shift is None else y + self._shift

    def _inverse(self, y: ops.Tensor) -> ops.Tensor:
        x = y if self._shift is None else y - self._shift
        return x if self._scale is None else self._scale.solvevec(x)

    def _forward_log_det_jacobian(self, x: ops.Tensor) -> ops.Tensor:
        if self._scale is None:
            return constant_op.constant(0.0, x.dtype)
        return self._scale.log_abs_determinant()


class Affine(_base.Bijector):
    """Y = scale X + shift, with scale = multiplier I + diag(scale_diag) + scale_tril + U diag(d) U^T, as far as given.

    Args:
        shift: [..., k], or a scalar for scalars.
        scale_identity_multiplier: a scalar.
        scale_diag: [..., k].
        scale_tril: [..., k, k], lower triangular.
        scale_perturb_factor: U, [..., k, r].
        scale_perturb_diag: d, [..., r]; ones by default.
        event_ndims: 1 for vectors; 0 for scalars, with a shift and a multiplier alone.

    Raises:
        ValueError: `event_ndims` is neither, or matrices are given for scalars.
    """

    def __init__(
        self,
        shift: TensorLike | None = None,
        scale_identity_multiplier: TensorLike | None = None,
        scale_diag: TensorLike | None = None,
        scale_tril: TensorLike | None = None,
        scale_perturb_factor: TensorLike | None = None,
        scale_perturb_diag: TensorLike | None = None,
        event_ndims: int = 1,
        validate_args: bool = False,
        name: str = "affine",
    ) -> None:
        if event_ndims not in (0, 1):
            raise ValueError(f"event_ndims({event_ndims}) was not in {{0, 1}}")
        matrices = [scale_diag, scale_tril, scale_perturb_factor]
        if event_ndims == 0 and any(m is not None for m in matrices):
            raise ValueError("scale_diag, scale_tril and factors are for vectors")
        tensors = [
            None if x is None else ops.convert_to_tensor(x)
            for x in (shift, scale_identity_multiplier, *matrices, scale_perturb_diag)
        ]
        self._shift, self._multiplier, diag, tril, factor, factor_diag = tensors
        self._operator = None
        if any(m is not None for m in matrices):
            self._operator = _operator(
                self._multiplier, diag, tril, factor, factor_diag
            )
        super().__init__(
            event_ndims,
            forward_min_event_ndims=0 if self._operator is None else 1,
            is_constant_jacobian=True,
            validate_args=validate_args,
            name=name,
        )

    @property
    def shift(self) -> ops.Tensor | None:
        return self._shift

    @property
    def scale(self) -> LinearOperator | None:
        """The LinearOperator, None where scale is a multiple of the identity."""
        return self._operator

    def _forward(self, x: ops.Tensor) -> ops.Tensor:
        if self._operator is not None:
            x = self._operator.matvec(x)
        elif self._multiplier is not None:
            x = x * self._multiplier
        return x if self._shift is None else x + self._shift

    def _inverse(self, y: ops.Tensor) -> ops.Tensor:
        if self._shift is not None:
            y = y - self._shift
        if self._operator is not None:
            return self._operator.solvevec(y)
        return y if self._multiplier is None else y / self._multiplier

    def _forward_log_det_jacobian(self, x: ops.Tensor) -> ops.Tensor:
        if self._operator is not None:
            return self._operator.log_abs_determinant()
        if self._multiplier is None:
            return constant_op.constant(0.0, x.dtype)
        return math_ops.log(math_ops.abs(self._multiplier))


def _operator(
    multiplier: Any, diag: Any, tril: Any, factor: Any, factor_diag: Any
) -> Any:
    """The sum as an operator: triangular without a factor, else a full matrix."""
    matrix = None if tril is None else array_ops.matrix_band_part(tril, -1, 0)
    if diag is not None:
        of_diag = array_ops.matrix_diag(diag)
        matrix = of_diag if matrix is None else matrix + of_diag
    product = None
    if factor is not None:
        scaled = factor if factor_diag is None else factor * factor_diag[..., None, :]
        product = math_ops.matmul(scaled, factor, adjoint_b=True)
    if multiplier is not None:
        like = product if matrix is None else matrix
        ones = array_ops.ones_like(array_ops.matrix_diag_part(like))
        of_identity = array_ops.matrix_diag(ones * multiplier)
        matrix = of_identity if matrix is None else matrix + of_identity
    if product is None:
        return linear_operator_lower_triangular.LinearOperatorLowerTriangular(matrix)
    whole = product if matrix is None else matrix + product
    return linear_operator_full_matrix.LinearOperatorFullMatrix(
        whole, is_non_singular=True
    )


class Chain(_base.Bijector):
    """g1(g2(...(X))) of a list [g1, g2, ...]; the identity of an empty one."""

    def __init__(
        self,
        bijectors: Sequence[Bijector] = (),
        validate_args: bool = False,
        name: str | None = None,
    ) -> None:
        self._bijectors = list(bijectors)
        least_x = least_y = 0
        # Ranks of events, from the last bijector, which is the first that is applied.
        for b in reversed(self._bijectors):
            more = b.forward_min_event_ndims - least_y
            least_x += max(more, 0)
            least_y = max(least_y, b.forward_min_event_ndims)
            least_y += b.inverse_min_event_ndims - b.forward_min_event_ndims
        ndims = [getattr(b, "event_ndims", 0) for b in self._bijectors[-1:]]
        super().__init__(
            max([least_x, *ndims]),
            forward_min_event_ndims=least_x,
            inverse_min_event_ndims=least_y,
            is_constant_jacobian=all(b.is_constant_jacobian for b in self._bijectors),
            validate_args=validate_args,
            name=name or "_of_".join(["chain", *(b.name for b in self._bijectors)]),
        )

    @property
    def bijectors(self) -> list:
        return self._bijectors

    def _forward_event_shape(self, shape: Any) -> Any:
        for b in reversed(self._bijectors):
            shape = b.forward_event_shape(shape)
        return shape

    def _inverse_event_shape(self, shape: Any) -> Any:
        for b in self._bijectors:
            shape = b.inverse_event_shape(shape)
        return shape

    def _forward_event_shape_tensor(self, shape: ops.Tensor) -> ops.Tensor:
        for b in reversed(self._bijectors):
            shape = b.forward_event_shape_tensor(shape)
        return shape

    def _inverse_event_shape_tensor(self, shape: ops.Tensor) -> ops.Tensor:
        for b in self._bijectors:
            shape = b.inverse_event_shape_tensor(shape)
        return shape

    def _forward(self, x: ops.Tensor) -> ops.Tensor:
        for b in reversed(self._bijectors):
            x = b.forward(x)
        return x

    def _inverse(self, y: ops.Tensor) -> ops.Tensor:
        for b in self._bijectors:
            y = b.inverse(y)
        return y

    def _forward_log_det_jacobian(self, x: ops.Tensor) -> ops.Tensor:
        total: Any = constant_op.constant(0.0, x.dtype)
        ndims = self.forward_min_event_ndims
        for b in reversed(self._bijectors):
            total += b.forward_log_det_jacobian(x, ndims)
            ndims += b.inverse_min_event_ndims - b.forward_min_event_ndims
            x = b.forward(x)
        return total

    def _inverse_log_det_jacobian(self, y: ops.Tensor) -> ops.Tensor:
        return -self._forward_log_det_jacobian(self._inverse(y))


class Invert(_base.Bijector):
    """The inverse of a bijector."""

    def __init__(
        self, bijector: Bijector, validate_args: bool = False, name: str | None = None
    ) -> None:
        self._bijector = bijector
        super().__init__(
            getattr(bijector, "event_ndims", 0),
            forward_min_event_ndims=bijector.inverse_min_event_ndims,
            inverse_min_event_ndims=bijector.forward_min_event_ndims,
            is_constant_jacobian=bijector.is_constant_jacobian,
            validate_args=validate_args,
            name=name or f"invert_{bijector.name}",
        )

    @property
    def bijector(self) -> Bijector:
        return self._bijector

    def _forward_event_shape(self, shape: Any) -> Any:
        return self._bijector.inverse_event_shape(shape)

    def _inverse_event_shape(self, shape: Any) -> Any:
        return self._bijector.forward_event_shape(shape)

    def _forward_event_shape_tensor(self, shape: ops.Tensor) -> ops.Tensor:
        return self._bijector.inverse_event_shape_tensor(shape)

    def _inverse_event_shape_tensor(self, shape: ops.Tensor) -> ops.Tensor:
        return self._bijector.forward_event_shape_tensor(shape)

    def _forward(self, x: ops.Tensor) -> ops.Tensor:
        return self._bijector.inverse(x)

    def _inverse(self, y: ops.Tensor) -> ops.Tensor:
        return self._bijector.forward(y)

    def _forward_log_det_jacobian(self, x: ops.Tensor) -> ops.Tensor:
        least = self._bijector.inverse_min_event_ndims
        return self._bijector.inverse_log_det_jacobian(x, least)

    def _inverse_log_det_jacobian(self, y: ops.Tensor) -> ops.Tensor:
        least = self._bijector.forward_min_event_ndims
        return self._bijector.forward_log_det_jacobian(y, least)


class CholeskyOuterProduct(_base.Bijector):
    """Y = X X^T of lower triangular X with a positive diagonal, [..., k, k]."""

    def __init__(
        self,
        event_ndims: int = 2,
        validate_args: bool = False,
        name: str = "cholesky_outer_product",
    ) -> None:
        if event_ndims not in (0, 2):
            raise ValueError("`event_ndims` must be in {0, 2}")
        self._of_scalars = event_ndims == 0
        super().__init__(
            event_ndims,
            forward_min_event_ndims=event_ndims,
            validate_args=validate_args,
            name=name,
        )

    def _forward(self, x: ops.Tensor) -> ops.Tensor:
        if self._of_scalars:
            return math_ops.square(x)
        x = array_ops.matrix_band_part(x, -1, 0)
        return math_ops.matmul(x, x, adjoint_b=True)

    def _inverse(self, y: ops.Tensor) -> ops.Tensor:
        return math_ops.sqrt(y) if self._of_scalars else linalg_ops.cholesky(y)

    def _forward_log_det_jacobian(self, x: ops.Tensor) -> ops.Tensor:
        """k log 2 + sum (k - i) log x_ii, i from 0."""
        if self._of_scalars:
            return math.log(2) + math_ops.log(x)
        diagonal = array_ops.matrix_diag_part(x)
        size = array_ops.shape(diagonal)[-1]
        powers = math_ops.cast(math_ops.range(size, 0, -1), x.dtype)
        logs = math_ops.reduce_sum(powers * math_ops.log(diagonal), -1)
        return logs + math_ops.cast(size, x.dtype) * math.log(2)


class Inline(_base.Bijector):
    """A bijector made of functions; a method without its function is not implemented.

    Args:
        forward_fn, inverse_fn: g and its inverse.
        inverse_log_det_jacobian_fn, forward_log_det_jacobian_fn: for events of rank `event_ndims`.
        forward_event_shape_fn, forward_event_shape_tensor_fn, inverse_event_shape_fn, inverse_event_shape_tensor_fn:
            the change of events' shapes.
        is_constant_jacobian: whether the Jacobian is the same everywhere.
        event_ndims: the rank of an event.
    """

    def __init__(
        self,
        forward_fn: Callable | None = None,
        inverse_fn: Callable | None = None,
        inverse_log_det_jacobian_fn: Callable | None = None,
        forward_log_det_jacobian_fn: Callable | None = None,
        forward_event_shape_fn: Callable | None = None,
        forward_event_shape_tensor_fn: Callable | None = None,
        inverse_event_shape_fn: Callable | None = None,
        inverse_event_shape_tensor_fn: Callable | None = None,
        is_constant_jacobian: bool = False,
        event_ndims: int = 0,
        validate_args: bool = False,
        name: str = "inline",
    ) -> None:
        super().__init__(
            event_ndims,
            forward_min_event_ndims=event_ndims,
            is_constant_jacobian=is_constant_jacobian,
            validate_args=validate_args,
            name=name,
        )
        for method, function in (
            ("_forward", forward_fn),
            ("_inverse", inverse_fn),
            ("_inverse_log_det_jacobian", inverse_log_det_jacobian_fn),
            ("_forward_log_det_jacobian", forward_log_det_jacobian_fn),
            ("_forward_event_shape", forward_event_shape_fn),
            ("_forward_event_shape_tensor", forward_event_shape_tensor_fn),
            ("_inverse_event_shape", inverse_event_shape_fn),
            ("_inverse_event_shape_tensor", inverse_event_shape_tensor_fn),
        ):
            if function is not None:
                setattr(self, method, function)
