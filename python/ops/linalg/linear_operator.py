# SPDX-License-Identifier: Apache-2.0
"""The base class of linear operators: batches of matrices whose structure their class knows."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from tensorwright.python.framework import (
    constant_op,
    dtypes,
    ops,
    tensor_shape,
)
from tensorwright.python.framework.type_aliases import DTypeLike, TensorLike
from tensorwright.python.ops import array_ops, module
from tensorwright.python.ops.linalg import (
    linear_operator_algebra,
    linear_operator_defaults,
    linear_operator_util as util,
)

if TYPE_CHECKING:
    from tensorwright.python.framework.dtypes import DType


class LinearOperator(linear_operator_defaults.Defaults, module.Module):
    """A batch of matrices [B1, ..., Bb, M, N], which need not exist as such.

    A subclass has `_shape()`, `_shape_tensor()` and `_matmul(x, adjoint, adjoint_arg)`.  It also has those of `_solve`,
    `_determinant`, `_log_abs_determinant`, `_trace`, `_diag_part`, `_to_dense`, `_add_to_tensor`, `_eigvals`, `_cond`,
    `_matvec`, `_solvevec` and `_assert_...` that its structure makes cheaper than linear_operator_defaults.py.

    Batches of operators and arguments broadcast.  Hints, True, False, or None where nothing is known, are promises of the
    caller: nothing checks them unless `assert_...` is run, and methods choose faster ways by them.
    """

    def __init__(
        self,
        dtype: DTypeLike | None,
        graph_parents: Iterable[ops.Tensor] | None = None,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str | None = None,
        parameters: dict[str, object] | None = None,
    ) -> None:
        """
        dtype: the dtype of the matrices' elements, and of arguments.
        graph_parents: tensors that the operator is made of.
        is_positive_definite: says that the real part of x^H A x is positive for all x but 0; A need not be self-
            adjoint.
        parameters: the arguments of the subclass's constructor.

        Raises:
            ValueError: hints contradict each other, or an element of graph_parents is no tensor.
        """
        self._graph_parents = list(graph_parents or [])
        for i, parent in enumerate(self._graph_parents):
            if not isinstance(parent, ops.Tensor):
                raise ValueError(f"graph_parents[{i}] must be a Tensor, got {parent!r}")
        is_non_singular = util.implied(
            is_non_singular,
            is_positive_definite,
            "A positive definite operator is always non-singular.",
        )
        is_square = util.implied(
            is_square, is_non_singular, "A non-singular operator is always square."
        )
        is_square = util.implied(
            is_square, is_self_adjoint, "A self-adjoint operator is always square."
        )
        self._is_square_set_or_implied_by_hints = is_square
        self._dtype: Any = None if dtype is None else dtypes.as_dtype(dtype).base_dtype
        self._is_non_singular = is_non_singular
        self._is_self_adjoint = is_self_adjoint
        self._is_positive_definite = is_positive_definite
        self._parameters = dict(parameters or {})
        self._parameters.pop("self", None)
        self._parameters.pop("__class__", None)
        super().__init__(name=name or type(self).__name__)

    @contextlib.contextmanager
    def _scope(self, name: str | None) -> Iterator[str]:
        with ops.name_scope(self.name if name is None else f"{self.name}/{name}") as s:
            yield s

    # ---- What it is.

    @property
    def parameters(self) -> dict[str, object]:
        """The arguments of the constructor, by name."""
        return dict(self._parameters)

    @property
    def dtype(self) -> DType:
        """The dtype of the matrices' elements."""
        return self._dtype

    @property
    def graph_parents(self) -> list[ops.Tensor]:
        """Tensors that it is made of, as the constructor got them."""
        return self._graph_parents

    @property
    def is_non_singular(self) -> bool | None:
        """Whether all matrices have inverses."""
        return self._is_non_singular

    @property
    def is_self_adjoint(self) -> bool | None:
        """Whether all matrices are their adjoints."""
        return self._is_self_adjoint

    @property
    def is_positive_definite(self) -> bool | None:
        """Whether the real part of x^H A x is positive for all x but 0."""
        return self._is_positive_definite

    @property
    def is_square(self) -> bool | None:
        """Whether M is N, by hints or by the static shape.  ValueError if a hint contradicts the static shape."""
        rows, columns = self.range_dimension.value, self.domain_dimension.value
        known = None if None in (rows, columns) else rows == columns
        if self._is_square_set_or_implied_by_hints is None:
            return known
        if known and not self._is_square_set_or_implied_by_hints:
            raise ValueError(
                "User set is_square hint to False, but the operator was square."
            )
        return self._is_square_set_or_implied_by_hints

    def _shape(self) -> tensor_shape.TensorShape:
        raise NotImplementedError(f"_shape is not implemented: {type(self).__name__}")

    def _shape_tensor(self) -> ops.Tensor:
        raise NotImplementedError(
            f"_shape_tensor is not implemented: {type(self).__name__}"
        )

    @property
    def shape(self) -> tensor_shape.TensorShape:
        """The static shape [B1, ..., Bb, M, N], as far as it is known."""
        return self._shape()

    def shape_tensor(self, name: str = "shape_tensor") -> ops.Tensor:
        """[B1, ..., Bb, M, N]: int32 [b + 2]."""
        with self._scope(name):
            return util.known_or_tensor(self.shape, self._shape_tensor)

    @property
    def batch_shape(self) -> tensor_shape.TensorShape:
        """The static shape [B1, ..., Bb], as far as it is known."""
        return self.shape[:-2]

    def batch_shape_tensor(self, name: str = "batch_shape_tensor") -> ops.Tensor:
        """[B1, ..., Bb]: int32 [b]."""
        with self._scope(name):
            return util.known_or_tensor(
                self.batch_shape, lambda: self._shape_tensor()[:-2]
            )

    @property
    def tensor_rank(self) -> int | None:
        """b + 2."""
        return self.shape.ndims

    def tensor_rank_tensor(self, name: str = "tensor_rank_tensor") -> ops.Tensor:
        """b + 2: int32 []."""
        with self._scope(name):
            if self.tensor_rank is not None:
                return constant_op.constant(self.tensor_rank, dtypes.int32)
            return array_ops.size(self.shape_tensor())

    @property
    def domain_dimension(self) -> tensor_shape.Dimension:
        """N, as far as it is known."""
        return tensor_shape.dimension_at_index(self.shape, -1)

    @property
    def range_dimension(self) -> tensor_shape.Dimension:
        """M, as far as it is known."""
        return tensor_shape.dimension_at_index(self.shape, -2)

    def domain_dimension_tensor(
        self, name: str = "domain_dimension_tensor"
    ) -> ops.Tensor:
        """N: int32 []."""
        with self._scope(name):
            return self._size_tensor(self.domain_dimension, -1)

    def range_dimension_tensor(
        self, name: str = "range_dimension_tensor"
    ) -> ops.Tensor:
        """M: int32 []."""
        with self._scope(name):
            return self._size_tensor(self.range_dimension, -2)

    def _size_tensor(self, known: tensor_shape.Dimension, place: int) -> ops.Tensor:
        if known.value is not None:
            return constant_op.constant(known.value, dtypes.int32)
        return self._shape_tensor()[place]

    # ---- Products and solutions.

    def _checked(
        self, x: TensorLike, name: str, size: tensor_shape.Dimension, axis: int
    ) -> ops.Tensor:
        """The argument as a tensor.  TypeError for another dtype, ValueError where its size is known to be another."""
        x = ops.convert_to_tensor(x, name=name)
        if self.dtype is not None and x.dtype.base_dtype != self.dtype:
            raise TypeError(
                f"{self.name}: {name} must be of dtype {self.dtype.name}, got "
                f"{x.dtype.name}"
            )
        have = x.get_shape().with_rank_at_least(-axis)
        if have.ndims is not None and not size.is_compatible_with(have[axis]):
            raise ValueError(
                f"{self.name}: dimension {axis} of {name} must be {size}, got shape {have}"
            )
        return x

    def _matmul(
        self, x: ops.Tensor, adjoint: bool = False, adjoint_arg: bool = False
    ) -> ops.Tensor:
        raise NotImplementedError(f"_matmul is not implemented: {type(self).__name__}")

    def matmul(
        self,
        x: LinearOperator | TensorLike,
        adjoint: bool = False,
        adjoint_arg: bool = False,
        name: str = "matmul",
    ) -> Any:
        """A x: x [..., N, R] -> [..., M, R]; of an operator x an operator.

        adjoint, adjoint_arg: whether A's and x's adjoints are taken; with `adjoint_arg`, x is [..., R, N].

        Raises:
            TypeError: `x` is of another dtype.
            ValueError: sizes do not fit.
        """
        if isinstance(x, LinearOperator):
            left, right = self._pair(x, adjoint, adjoint_arg)
            if not left.domain_dimension.is_compatible_with(right.range_dimension):
                raise ValueError(
                    "Operators are incompatible. Expected `x` to have dimension "
                    f"{left.domain_dimension} but got {right.range_dimension}."
                )
            with self._scope(name):
                return linear_operator_algebra.matmul(left, right)
        with self._scope(name):
            size = self.range_dimension if adjoint else self.domain_dimension
            x = self._checked(x, "x", size, -1 if adjoint_arg else -2)
            return self._matmul(x, adjoint=adjoint, adjoint_arg=adjoint_arg)

    def _pair(self, x: LinearOperator, adjoint: bool, adjoint_arg: bool) -> Any:
        return self.adjoint() if adjoint else self, x.adjoint() if adjoint_arg else x

    def __matmul__(self, other: Any) -> Any:
        return self.matmul(other)

    def matvec(
        self, x: TensorLike, adjoint: bool = False, name: str = "matvec"
    ) -> ops.Tensor:
        """A x of vectors: x [..., N] -> [..., M]."""
        with self._scope(name):
            size = self.range_dimension if adjoint else self.domain_dimension
            return self._matvec(self._checked(x, "x", size, -1), adjoint=adjoint)

    def _check_solvable(self) -> None:
        if self.is_non_singular is False:
            raise NotImplementedError(
                "Exact solve not implemented for an operator that is expected to be "
                "singular."
            )
        if self.is_square is False:
            raise NotImplementedError(
                "Exact solve not implemented for an operator that is expected to not be "
                "square."
            )

    def solve(
        self,
        rhs: TensorLike,
        adjoint: bool = False,
        adjoint_arg: bool = False,
        name: str = "solve",
    ) -> Any:
        """The X with A X = rhs: rhs [..., M, R] -> [..., N, R]; of an operator rhs an operator.

        adjoint, adjoint_arg: whether A's and rhs' adjoints are taken; with `adjoint_arg`, rhs is [..., R, M].

        Raises:
            NotImplementedError: the operator is known to be singular, or not square.
            TypeError, ValueError: as `matmul`.
        """
        self._check_solvable()
        if isinstance(rhs, LinearOperator):
            left, right = self._pair(rhs, adjoint, adjoint_arg)
            if not left.range_dimension.is_compatible_with(right.range_dimension):
                raise ValueError(
                    "Operators are incompatible. Expected `rhs` to have dimension "
                    f"{left.range_dimension} but got {right.range_dimension}."
                )
            with self._scope(name):
                return linear_operator_algebra.solve(left, right)
        with self._scope(name):
            size = self.domain_dimension if adjoint else self.range_dimension
            rhs = self._checked(rhs, "rhs", size, -1 if adjoint_arg else -2)
            return self._solve(rhs, adjoint=adjoint, adjoint_arg=adjoint_arg)

    def solvevec(
        self, rhs: TensorLike, adjoint: bool = False, name: str = "solve"
    ) -> ops.Tensor:
        """The x with A x = rhs of vectors: rhs [..., M] -> [..., N].  Errors as `solve`."""
        with self._scope(name):
            self._check_solvable()
            size = self.domain_dimension if adjoint else self.range_dimension
            return self._solvevec(self._checked(rhs, "rhs", size, -1), adjoint=adjoint)

    # ---- Other operators.

    def adjoint(self, name: str = "adjoint") -> LinearOperator:
        """The operator of the adjoint matrices; itself where it is known to be self-adjoint."""
        if self.is_self_adjoint:
            return self
        with self._scope(name):
            return linear_operator_algebra.adjoint(self)

    @property
    def H(self) -> LinearOperator:
        """`adjoint()`."""
        return self.adjoint()

    def inverse(self, name: str = "inverse") -> LinearOperator:
        """The operator of the inverse matrices.  ValueError where it is known that they have none."""
        if self.is_square is False:
            raise ValueError(
                "Cannot take the Inverse: This operator represents a non square matrix."
            )
        if self.is_non_singular is False:
            raise ValueError(
                "Cannot take the Inverse: This operator represents a singular matrix."
            )
        with self._scope(name):
            return linear_operator_algebra.inverse(self)

    def cholesky(self, name: str = "cholesky") -> LinearOperator:
        """Returns the lower triangular L with A = L L^H.  ValueError unless hints say that A has one."""
        if not self._can_use_cholesky():
            raise ValueError(
                "Cannot take the Cholesky decomposition: Not a positive definite self "
                "adjoint matrix."
            )
        with self._scope(name):
            return linear_operator_algebra.cholesky(self)

    # ---- Numbers and tensors.

    def _need_square(self, what: str) -> None:
        if self.is_square is False:
            raise NotImplementedError(
                f"{what} not implemented for an operator that is expected to not be "
                "square."
            )

    def determinant(self, name: str = "det") -> ops.Tensor:
        """[B1, ..., Bb].  NotImplementedError where the operator is known not to be square."""
        self._need_square("Determinant")
        with self._scope(name):
            return self._determinant()

    def log_abs_determinant(self, name: str = "log_abs_det") -> ops.Tensor:
        """log |determinant|, of the operator's dtype: [B1, ..., Bb].  Errors as `determinant`."""
        self._need_square("Determinant")
        with self._scope(name):
            return self._log_abs_determinant()

    def trace(self, name: str = "trace") -> ops.Tensor:
        """The sum of the diagonal: [B1, ..., Bb]."""
        with self._scope(name):
            return self._trace()

    def diag_part(self, name: str = "diag_part") -> ops.Tensor:
        """The diagonal: [B1, ..., Bb, min(M, N)]."""
        with self._scope(name):
            return self._diag_part()

    def to_dense(self, name: str = "to_dense") -> ops.Tensor:
        """The matrices: [B1, ..., Bb, M, N]."""
        with self._scope(name):
            return self._to_dense()

    def add_to_tensor(self, x: TensorLike, name: str = "add_to_tensor") -> ops.Tensor:
        """A + x: x [..., M, N] -> [..., M, N].  Errors as `matmul`."""
        with self._scope(name):
            x = self._checked(x, "x", self.domain_dimension, -1)
            return self._add_to_tensor(x)

    def eigvals(self, name: str = "eigvals") -> ops.Tensor:
        """The eigenvalues, of the operator's dtype: [B1, ..., Bb, N].

        NotImplementedError unless it is known to be self-adjoint.
        """
        if not self.is_self_adjoint:
            raise NotImplementedError("Only self-adjoint matrices are supported.")
        with self._scope(name):
            return self._eigvals()

    def cond(self, name: str = "cond") -> ops.Tensor:
        """The largest singular value over the smallest, real: [B1, ..., Bb]."""
        with self._scope(name):
            return self._cond()

    # ---- Checks in the run.

    def assert_non_singular(self, name: str = "assert_non_singular") -> ops.Operation:
        """An op that fails the run where a matrix has no inverse, up to rounding."""
        with self._scope(name):
            return self._assert_non_singular()

    def assert_positive_definite(
        self, name: str = "assert_positive_definite"
    ) -> ops.Operation:
        """An op that fails the run where a matrix is not positive definite."""
        with self._scope(name):
            return self._assert_positive_definite()

    def assert_self_adjoint(self, name: str = "assert_self_adjoint") -> ops.Operation:
        """An op that fails the run where a matrix is not its adjoint."""
        with self._scope(name):
            return self._assert_self_adjoint()

    def __repr__(self) -> str:
        return (
            f"<tf.linalg.{type(self).__name__} '{self.name}' shape={self.shape} "
            f"dtype={None if self.dtype is None else self.dtype.name}>"
        )


def _as_tensor(
    operator: LinearOperator,
    dtype: Any = None,
    name: str | None = None,
    as_ref: bool = False,
) -> ops.Tensor:
    """Converts an operator to its dense matrices."""
    del as_ref
    if dtype is not None and not dtypes.as_dtype(dtype).is_compatible_with(
        operator.dtype
    ):
        raise ValueError(
            f"cannot make a tensor of dtype {dtypes.as_dtype(dtype).name} of an operator "
            f"of dtype {operator.dtype.name}"
        )
    return operator.to_dense(name or "to_dense")


ops.register_tensor_conversion_function(LinearOperator, _as_tensor)
