# SPDX-License-Identifier: Apache-2.0
"""Matrices of three diagonals."""

from __future__ import annotations

from typing import Any

from tensorwright.python.framework import ops, tensor_shape
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import array_ops, check_ops, control_flow_ops, math_ops
from tensorwright.python.ops._linalg import linalg_factors, linalg_solve
from tensorwright.python.ops.linalg import (
    linear_operator,
    linear_operator_util as util,
)

_COMPACT = "compact"
_MATRIX = "matrix"
_SEQUENCE = "sequence"
_DIAGONAL_FORMATS = frozenset({_COMPACT, _MATRIX, _SEQUENCE})


class LinearOperatorTridiag(linear_operator.LinearOperator):
    """A main diagonal, one above and one below: [B1, ..., Bb, N, N].  Products and solutions cost O(N) for each column."""

    def __init__(
        self,
        diagonals: TensorLike,
        diagonals_format: str = _COMPACT,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorTridiag",
    ) -> None:
        """
        diagonals: by `diagonals_format`: "compact": [B1, ..., Bb, 3, N], from the upper to the lower, of which the last
            element of the upper and the first of the lower count for nothing; "sequence": a list of these three,
            [B1, ..., Bb, N], whose batches broadcast (the outer ones may be known to have N - 1); "matrix":
            [B1, ..., Bb, N, N], of which only the diagonals count.

        Raises:
            ValueError: for another format, or shapes that do not fit it.
            TypeError: dtypes of a sequence differ.
        """
        parameters = dict(locals())
        if diagonals_format not in _DIAGONAL_FORMATS:
            raise ValueError(
                f"Diagonals Format must be one of compact, matrix, sequence, got : "
                f"{diagonals_format}"
            )
        self._diagonals_format = diagonals_format
        with ops.name_scope(name):
            if diagonals_format == _SEQUENCE:
                dtype = self._set_sequence(diagonals)
            else:
                self._diagonals: Any = util.convert_nonref_to_tensor(
                    diagonals, name="diagonals"
                )
                util.check_rank_at_least(self._diagonals, 2, "Argument diagonals")
                dtype = util.base_dtype(self._diagonals)
            if diagonals_format == _COMPACT:
                count = tensor_shape.dimension_at_index(self._diagonals.get_shape(), -2)
                if count.value not in (None, 3):
                    raise ValueError(f"Expected 3 diagonals got {count.value}")
        super().__init__(
            dtype,
            None,
            is_non_singular,
            is_self_adjoint,
            is_positive_definite,
            is_square,
            name,
            parameters,
        )

    def _set_sequence(self, diagonals: Any) -> Any:
        if not isinstance(diagonals, (list, tuple)) or len(diagonals) != 3:
            raise ValueError(f"Expected 3 diagonals, got {diagonals!r}")
        names = ("superdiag", "diag", "subdiag")
        self._diagonals = [
            util.convert_nonref_to_tensor(d, name=n)
            for d, n in zip(diagonals, names, strict=True)
        ]
        dtype = util.base_dtype(self._diagonals[1])
        for d, n in zip(self._diagonals, names, strict=True):
            util.check_rank_at_least(d, 1, f"Diagonal {n}")
            if util.base_dtype(d) != dtype:
                raise TypeError(
                    f"diagonals must be of one dtype, got {self._diagonals}"
                )
        return dtype

    @property
    def diagonals(self) -> Any:
        """The diagonals, as they were given."""
        return self._diagonals

    @property
    def diagonals_format(self) -> str:
        """The format of the given diagonals."""
        return self._diagonals_format

    def _shape(self) -> tensor_shape.TensorShape:
        if self._diagonals_format == _MATRIX:
            return self._diagonals.get_shape()
        if self._diagonals_format == _COMPACT:
            shape = self._diagonals.get_shape()
            if shape.ndims is None:
                return shape
            return shape[:-2].concatenate(shape[-1:]).concatenate(shape[-1:])
        upper, main, lower = (d.get_shape() for d in self._diagonals)
        if None in (upper.ndims, main.ndims, lower.ndims):
            return tensor_shape.unknown_shape()
        batch = array_ops.broadcast_static_shape(upper[:-1], lower[:-1])
        batch = array_ops.broadcast_static_shape(batch, main[:-1])
        return batch.concatenate(main[-1:]).concatenate(main[-1:])

    def _shape_tensor(self) -> ops.Tensor:
        if self._diagonals_format == _MATRIX:
            return array_ops.shape(self._diagonals)
        if self._diagonals_format == _COMPACT:
            shape = array_ops.shape(self._diagonals)
            return array_ops.concat([shape[:-2], shape[-1:], shape[-1:]], 0)
        upper, main, lower = (array_ops.shape(d) for d in self._diagonals)
        batch = array_ops.broadcast_dynamic_shape(upper[:-1], lower[:-1])
        batch = array_ops.broadcast_dynamic_shape(batch, main[:-1])
        return array_ops.concat([batch, main[-1:], main[-1:]], 0)

    def _parts(
        self, adjoint: bool = False
    ) -> tuple[ops.Tensor, ops.Tensor, ops.Tensor]:
        """(upper, main, lower), each [..., N]; element i belongs to row i."""
        if self._diagonals_format == _MATRIX:
            compact = linalg_solve._compact_diagonals(self._diagonals, _MATRIX)
        else:
            compact = self._diagonals
        if self._diagonals_format == _SEQUENCE:
            three: Any = compact
            upper, main, lower = (ops.convert_to_tensor(d) for d in three)
            upper, lower = _of_length(upper, main, False), _of_length(lower, main, True)
        else:
            compact = ops.convert_to_tensor(compact)
            upper, main, lower = (compact[..., i, :] for i in range(3))
        if not adjoint:
            return upper, main, lower
        back = array_ops.concat(
            [lower[..., 1:], array_ops.zeros_like(lower[..., :1])], -1
        )
        on = array_ops.concat(
            [array_ops.zeros_like(upper[..., :1]), upper[..., :-1]], -1
        )
        return math_ops.conj(back), math_ops.conj(main), math_ops.conj(on)

    def _compact(self, adjoint: bool = False) -> ops.Tensor:
        """[..., 3, N]."""
        parts = self._parts(adjoint)
        if self._diagonals_format == _SEQUENCE:
            parts = [
                util.broadcast_batch(
                    self.batch_shape, self.batch_shape_tensor, part, inner=1
                )
                for part in parts
            ]
        return array_ops.stack(list(parts), axis=-2)

    def _matmul(
        self, x: ops.Tensor, adjoint: bool = False, adjoint_arg: bool = False
    ) -> ops.Tensor:
        x = util.adjoint_if(x, adjoint_arg)
        parts = list(self._parts(adjoint))
        return linalg_factors.tridiagonal_matmul(parts, x, _SEQUENCE)

    def _solve(
        self, rhs: ops.Tensor, adjoint: bool = False, adjoint_arg: bool = False
    ) -> ops.Tensor:
        rhs = util.adjoint_if(rhs, adjoint_arg)
        compact, rhs = util.broadcast_matrix_batch_dims([self._compact(adjoint), rhs])
        return linalg_solve.tridiagonal_solve(compact, rhs, _COMPACT)

    def _diag_part(self) -> ops.Tensor:
        if self._diagonals_format == _MATRIX:
            return array_ops.matrix_diag_part(self._diagonals)
        main = self._parts()[1]
        return util.broadcast_batch(
            self.batch_shape, self.batch_shape_tensor, main, inner=1
        )

    def _to_dense(self) -> ops.Tensor:
        if self._diagonals_format == _MATRIX:
            return array_ops.matrix_band_part(self._diagonals, 1, 1)
        dense = array_ops.matrix_diag(self._compact(), k=(-1, 1), align="LEFT_RIGHT")
        dense.set_shape(self.shape)
        return dense

    def _assert_self_adjoint(self) -> ops.Operation:
        """Asserts that the diagonals are those of the adjoint; elements without a place do not count."""
        parts, adjoint = self._parts(), self._parts(adjoint=True)
        message = "Matrix was not equal to its adjoint."
        return control_flow_ops.group(
            check_ops.assert_equal(parts[1], adjoint[1], message=message),
            check_ops.assert_equal(
                parts[0][..., :-1], adjoint[0][..., :-1], message=message
            ),
        )


def _of_length(x: ops.Tensor, main: ops.Tensor, in_front: bool) -> ops.Tensor:
    """`x` with an element more where it is known to have one less than `main`."""
    have = tensor_shape.dimension_at_index(x.get_shape(), -1).value
    want = tensor_shape.dimension_at_index(main.get_shape(), -1).value
    if have is None or want is None or have == want:
        return x
    if have != want - 1:
        raise ValueError(
            f"a diagonal must have {want} or {want - 1} elements, got {have}"
        )
    zero = array_ops.zeros_like(main[..., :1])
    zero = util.broadcast_batch(
        util.static_batch(x, 1), lambda: array_ops.shape(x)[:-1], zero, inner=1
    )
    x = util.broadcast_batch(
        util.static_batch(zero, 1), lambda: array_ops.shape(zero)[:-1], x, inner=1
    )
    return array_ops.concat([zero, x] if in_front else [x, zero], -1)
