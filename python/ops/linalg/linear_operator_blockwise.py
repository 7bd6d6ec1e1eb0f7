# SPDX-License-Identifier: Apache-2.0
"""Operators in blocks: for an argument that is a list of blocks, the result is one too."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tensorwright.python.framework import ops, tensor_shape
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import array_ops
from tensorwright.python.ops.linalg import (
    linear_operator,
    linear_operator_util as util,
)


class BlockwiseOperator(linear_operator.LinearOperator):
    """An operator with `_block_rows()` and `_block_columns()`, operators that have the sizes of its blocks.

    A subclass has `_matmul_blocks(blocks, adjoint)` and `_solve_blocks(blocks, adjoint)`, of lists of tensors.
    """

    def _block_rows(self) -> Sequence[linear_operator.LinearOperator]:
        raise NotImplementedError

    def _block_columns(self) -> Sequence[linear_operator.LinearOperator]:
        raise NotImplementedError

    def _block_range_dimensions(self) -> list[tensor_shape.Dimension]:
        return [o.range_dimension for o in self._block_rows()]

    def _block_domain_dimensions(self) -> list[tensor_shape.Dimension]:
        return [o.domain_dimension for o in self._block_columns()]

    def _block_range_dimension_tensors(self) -> list[ops.Tensor]:
        return [o.range_dimension_tensor() for o in self._block_rows()]

    def _block_domain_dimension_tensors(self) -> list[ops.Tensor]:
        return [o.domain_dimension_tensor() for o in self._block_columns()]

    def _dimensions(
        self, of_range: bool
    ) -> tuple[list, Callable[[], list[ops.Tensor]]]:
        """Sizes of blocks, as far as they are known, and a function that gives them as tensors."""
        if of_range:
            return self._block_range_dimensions(), self._block_range_dimension_tensors
        return self._block_domain_dimensions(), self._block_domain_dimension_tensors

    def _blocks_of(
        self, arg: Any, name: str, of_range: bool, axis: int
    ) -> list[ops.Tensor] | None:
        """`arg` as tensors if it is a list of blocks, else None."""
        sizes, _ = self._dimensions(of_range)
        if not util.arg_is_blockwise(sizes, arg, axis):
            return None
        return [
            self._checked(block, f"{name}_{i}", size, axis)
            for i, (block, size) in enumerate(zip(arg, sizes, strict=True))
        ]

    def matmul(
        self,
        x: linear_operator.LinearOperator | TensorLike,
        adjoint: bool = False,
        adjoint_arg: bool = False,
        name: str = "matmul",
    ) -> Any:
        """A x; of a list of blocks [..., Ni, R] a list of blocks [..., Mi, R].  See LinearOperator."""
        if not isinstance(x, linear_operator.LinearOperator):
            with self._scope(name):
                axis = -1 if adjoint_arg else -2
                blocks = self._blocks_of(x, "x", adjoint, axis)
                if blocks is not None:
                    blocks = [util.adjoint_if(b, adjoint_arg) for b in blocks]
                    return self._matmul_blocks(blocks, adjoint)
        return super().matmul(x, adjoint, adjoint_arg, name)

    def solve(
        self,
        rhs: TensorLike,
        adjoint: bool = False,
        adjoint_arg: bool = False,
        name: str = "solve",
    ) -> Any:
        """The X with A X = rhs; of a list of blocks a list of blocks.  See LinearOperator."""
        self._check_solvable()
        if not isinstance(rhs, linear_operator.LinearOperator):
            with self._scope(name):
                axis = -1 if adjoint_arg else -2
                blocks = self._blocks_of(rhs, "rhs", not adjoint, axis)
                if blocks is not None:
                    blocks = [util.adjoint_if(b, adjoint_arg) for b in blocks]
                    return self._solve_blocks(blocks, adjoint)
        return super().solve(rhs, adjoint, adjoint_arg, name)

    def matvec(self, x: TensorLike, adjoint: bool = False, name: str = "matvec") -> Any:
        """A x of vectors, or of a list of blocks [..., Ni]."""
        with self._scope(name):
            blocks = self._blocks_of(x, "x", adjoint, -1)
            if blocks is not None:
                return _of_columns(self._matmul_blocks, blocks, adjoint)
        return super().matvec(x, adjoint, name)

    def solvevec(
        self, rhs: TensorLike, adjoint: bool = False, name: str = "solve"
    ) -> Any:
        """The x with A x = rhs of vectors, or of a list of blocks [..., Mi]."""
        self._check_solvable()
        with self._scope(name):
            blocks = self._blocks_of(rhs, "rhs", not adjoint, -1)
            if blocks is not None:
                return _of_columns(self._solve_blocks, blocks, adjoint)
        return super().solvevec(rhs, adjoint, name)

    def _matmul(
        self, x: ops.Tensor, adjoint: bool = False, adjoint_arg: bool = False
    ) -> ops.Tensor:
        return self._in_blocks(self._matmul_blocks, x, adjoint, adjoint_arg, adjoint)

    def _solve(
        self, rhs: ops.Tensor, adjoint: bool = False, adjoint_arg: bool = False
    ) -> ops.Tensor:
        return self._in_blocks(
            self._solve_blocks, rhs, adjoint, adjoint_arg, not adjoint
        )

    def _in_blocks(
        self,
        act: Callable[..., list[ops.Tensor]],
        x: ops.Tensor,
        adjoint: bool,
        adjoint_arg: bool,
        of_range: bool,
    ) -> ops.Tensor:
        x = util.adjoint_if(x, adjoint_arg)
        blocks = util.split_arg_into_blocks(*self._dimensions(of_range), x, axis=-2)
        return joined(act(blocks, adjoint), -2)

    def _matmul_blocks(self, x: list[ops.Tensor], adjoint: bool) -> list[ops.Tensor]:
        raise NotImplementedError

    def _solve_blocks(self, rhs: list[ops.Tensor], adjoint: bool) -> list[ops.Tensor]:
        raise NotImplementedError


def _of_columns(
    act: Callable[..., list[ops.Tensor]], blocks: list[ops.Tensor], adjoint: bool
) -> list[ops.Tensor]:
    columns = [array_ops.expand_dims(block, -1) for block in blocks]
    return [array_ops.squeeze(y, [-1]) for y in act(columns, adjoint)]


def joined(blocks: Sequence[ops.Tensor], axis: int) -> ops.Tensor:
    """Matrices in a row, or in a column, of the batch to which theirs broadcast."""
    return array_ops.concat(util.broadcast_matrix_batch_dims(blocks), axis)


def joined_vectors(vectors: Sequence[ops.Tensor]) -> ops.Tensor:
    """Joins vectors [..., Ni], whose batches broadcast, to one."""
    columns = [array_ops.expand_dims(v, -1) for v in vectors]
    return array_ops.squeeze(joined(columns, -2), [-1])
