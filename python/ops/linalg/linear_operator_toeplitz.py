# SPDX-License-Identifier: Apache-2.0
"""Matrices with one value on each diagonal."""

from __future__ import annotations

from tensorwright.python.framework import dtypes, ops, tensor_shape
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import array_ops, gen_spectral_ops, math_ops
from tensorwright.python.ops.linalg import (
    linear_operator,
    linear_operator_circulant,
    linear_operator_util as util,
)


class LinearOperatorToeplitz(linear_operator.LinearOperator):
    """A[i, j] is col[i - j] on and below the diagonal, row[j - i] above: [B1, ..., Bb, N, N].

    A product is that of a circulant matrix twice as large, in O(N log N) for each column.
    """

    def __init__(
        self,
        col: TensorLike,
        row: TensorLike,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorToeplitz",
    ) -> None:
        """
        col, row: the first column and the first row, [B1, ..., Bb, N] of one dtype; batches broadcast.  row[..., 0] does
            not count, it is that of `col`.

        Raises:
            TypeError: the dtypes differ.
            ValueError: is_square is False, or an argument is a scalar.
        """
        parameters = dict(locals())
        with ops.name_scope(name, values=[row, col]):
            self._row = util.convert_nonref_to_tensor(row, name="row")
            self._col = util.convert_nonref_to_tensor(col, name="col")
            dtype = util.known_dtype(self._row)
            if dtype != util.known_dtype(self._col):
                raise TypeError(
                    f"row and col must be of one dtype, got {dtype.name} and "
                    f"{util.known_dtype(self._col).name}"
                )
            util.check_rank_at_least(self._row, 1, "Argument row")
            util.check_rank_at_least(self._col, 1, "Argument col")
            is_square = util.implied(
                is_square, True, "Only square Toeplitz operators currently supported."
            )
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

    @property
    def col(self) -> TensorLike:
        """The first column, as it was given."""
        return self._col

    @property
    def row(self) -> TensorLike:
        """The first row, as it was given."""
        return self._row

    def _shape(self) -> tensor_shape.TensorShape:
        shape = array_ops.broadcast_static_shape(
            self._row.get_shape(), self._col.get_shape()
        )
        return shape.concatenate(shape[-1:])

    def _shape_tensor(self) -> ops.Tensor:
        shape = array_ops.broadcast_dynamic_shape(
            array_ops.shape(self._row), array_ops.shape(self._col)
        )
        return array_ops.concat([shape, shape[-1:]], 0)

    def sides(self, adjoint: bool = False) -> tuple[ops.Tensor, ops.Tensor]:
        """(the first column, the first row without its first element), of one batch."""
        col = ops.convert_to_tensor(self._col)
        row = ops.convert_to_tensor(self._row)
        zeros = array_ops.zeros_like(col[..., :1]) + array_ops.zeros_like(row[..., :1])
        col, above = col + zeros, (row + zeros)[..., 1:]
        if not adjoint:
            return col, above
        first = array_ops.concat([col[..., :1], above], -1)
        return math_ops.conj(first), math_ops.conj(col[..., 1:])

    def _matmul(
        self, x: ops.Tensor, adjoint: bool = False, adjoint_arg: bool = False
    ) -> ops.Tensor:
        x = util.adjoint_if(x, adjoint_arg)
        col, above = self.sides(adjoint)
        # The first column of a circulant matrix of which this is the upper left quarter.
        zero = array_ops.zeros_like(col[..., :1])
        column = array_ops.concat([col, zero, array_ops.reverse(above, axis=[-1])], -1)
        wide = self.dtype in (dtypes.float64, dtypes.complex128)
        column = math_ops.cast(column, dtypes.complex128 if wide else dtypes.complex64)
        circulant = linear_operator_circulant.LinearOperatorCirculant(
            gen_spectral_ops.fft(column), input_output_dtype=self.dtype
        )
        padded = array_ops.concat([x, array_ops.zeros_like(x)], -2)
        result = circulant.matmul(padded)[
            ..., : array_ops.shape(x)[-2] if self._length is None else self._length, :
        ]
        static = x.get_shape()
        if static.ndims is not None and self.batch_shape.ndims is not None:
            batch = array_ops.broadcast_static_shape(static[:-2], self.batch_shape)
            result.set_shape(
                util.batch_and_matrix(batch, self.range_dimension, static.as_list()[-1])
            )
        return result

    @property
    def _length(self) -> int | None:
        return self.domain_dimension.value

    def _trace(self) -> ops.Tensor:
        return math_ops.reduce_sum(self._diag_part(), axis=-1)

    def _diag_part(self) -> ops.Tensor:
        col, _ = self.sides()
        return col[..., :1] * array_ops.ones_like(col)

    def _to_dense(self) -> ops.Tensor:
        """Row i is n values from place n - 1 - i of the diagonals' values, from the lowest."""
        col, above = self.sides()
        values = array_ops.concat([array_ops.reverse(col, axis=[-1]), above], -1)
        n = self._length
        n = self.domain_dimension_tensor() if n is None else n
        places = math_ops.range(n)
        dense = array_ops.gather(
            values, places[None, :] - places[:, None] + (n - 1), axis=-1
        )
        dense.set_shape(self.shape)
        return dense
