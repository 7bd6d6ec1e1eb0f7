# SPDX-License-Identifier: Apache-2.0
"""Weighted alternating least squares: factors of a sparse matrix (Hu, Koren and Volinsky 2008)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tensorwright.contrib.factorization.python.ops import (
    factor_shards,
    factor_side,
    least_squares,
)
from tensorwright.python.framework import dtypes, ops, sparse_tensor
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import (
    array_ops,
    control_flow_ops,
    math_ops,
    variables,
)

if TYPE_CHECKING:
    from tensorwright.python.ops.resource_variable_ops import ResourceVariable

__all__ = ["WALSModel"]


class WALSModel:
    """Factors U [n, k] and V [m, k] of a sparse matrix A [n, m], whose product U V^T is near it.

    The loss is |sqrt(W) * (A - U V^T)|^2 + regularization * (|U|^2 + |V|^2), in Frobenius' norm; an entry that is not
    in the sparse matrix counts as 0. With V fixed each row of U has an exact solution, and the other way round; so a
    training is a sweep over all rows, then one over all columns, and again, each in as many batches as one likes.

    The weight w_ij of an entry is unobserved_weight, plus row_weights[i] * col_weights[j] if it is in the sparse matrix.

    Factors may lie in several variables, shards, each with a range of rows; the first ones are longer by a row where
    they cannot be equal.

    Args:
        input_rows: n.
        input_cols: m.
        n_components: k.
        unobserved_weight: the weight of entries that are not there.
        regularization: what squares of factors count; None: nothing.
        row_init: the first row factors: "random" for normal values, a matrix [n, k], or a list with one for each shard.
        col_init: the first column factors, in the same way.
        num_row_shards: the number of variables that hold row factors.
        num_col_shards: the number of those that hold column factors.
        row_weights: None, where all weights are unobserved_weight; a number >= 0 for all rows; or a list for each shard
            with a number for each of its rows.
        col_weights: the same for columns; None if and only if row_weights is.
        use_factors_weights_cache: whether updates read copies of the fixed factors, which
            `initialize_row_update_op` and `initialize_col_update_op` make, on the worker.
        use_gramian_cache: the same for the product of the fixed factors with themselves.
        use_scoped_vars: whether names of variables begin with "row_factors/", "row_weights/" and so on.

    Raises:
        ValueError: numbers that are not positive; values or weights of another form or number; weights of rows without
            those of columns.

    Example:
        model = tf.contrib.factorization.WALSModel(n, m, k, regularization=0.1)
        _, row_update, *_ = model.update_row_factors(sp_input)
        _, col_update, *_ = model.update_col_factors(sp_input)
        session.run(model.initialize_op)
        session.run(model.worker_init)
        for _ in range(10):
            session.run(model.row_update_prep_gramian_op)
            session.run(model.initialize_row_update_op)
            session.run(row_update)  # For each batch of rows.
            session.run(model.col_update_prep_gramian_op)
            session.run(model.initialize_col_update_op)
            session.run(col_update)  # For each batch of columns.
    """

    def __init__(
        self,
        input_rows: int,
        input_cols: int,
        n_components: int,
        unobserved_weight: float = 0.1,
        regularization: float | None = None,
        row_init: factor_shards.FactorValues = "random",
        col_init: factor_shards.FactorValues = "random",
        num_row_shards: int = 1,
        num_col_shards: int = 1,
        row_weights: factor_shards.Weights = 1,
        col_weights: factor_shards.Weights = 1,
        use_factors_weights_cache: bool = True,
        use_gramian_cache: bool = True,
        use_scoped_vars: bool = False,
    ):
        for argument, value in (
            ("input_rows", input_rows),
            ("input_cols", input_cols),
            ("n_components", n_components),
            ("num_row_shards", num_row_shards),
            ("num_col_shards", num_col_shards),
        ):
            if value <= 0:
                raise ValueError(f"WALSModel: {argument} must be positive, got {value}")
        if (row_weights is None) != (col_weights is None):
            raise ValueError(
                "WALSModel: row_weights and col_weights must both be None or both be given, "
                f"got {row_weights} and {col_weights}"
            )
        self._unobserved_weight = float(unobserved_weight)
        self._regularization = regularization
        self._rows = factor_side.Side(
            "row", input_rows, n_components, num_row_shards, row_init, row_weights, use_scoped_vars
        )  # fmt: skip
        self._cols = factor_side.Side(
            "col", input_cols, n_components, num_col_shards, col_init, col_weights, use_scoped_vars
        )  # fmt: skip
        with ops.name_scope("row_prepare_gramian"):
            self._row_prep_gramian = self._cols.prepare_gramian()
        with ops.name_scope("col_prepare_gramian"):
            self._col_prep_gramian = self._rows.prepare_gramian()
        sides = (self._rows, self._cols)
        with ops.name_scope("transient_vars"):
            for_rows, for_cols = [], []
            if use_factors_weights_cache:
                weights = [side.copy_weights() for side in sides]
                for_rows += [*weights, self._cols.copy_factors()]
                for_cols += [*weights, self._rows.copy_factors()]
            if use_gramian_cache:
                for_rows.append(self._cols.copy_gramian())
                for_cols.append(self._rows.copy_gramian())
            self._row_update_init = control_flow_ops.group(*for_rows)
            self._col_update_init = control_flow_ops.group(*for_cols)
        self._initialize_op = variables.variables_initializer(
            [v for side in sides for v in side.variables]
        )
        self._worker_init = variables.variables_initializer(
            [v for side in sides for v in side.copies], "worker_init"
        )

    # --- Variables ------------------------------------------------------------------

    @property
    def row_factors(self) -> list[ResourceVariable]:
        """The variables with the row factors, float32 [rows of the shard, k]."""
        return self._rows.factors

    @property
    def col_factors(self) -> list[ResourceVariable]:
        """The variables with the column factors, float32 [columns of the shard, k]."""
        return self._cols.factors

    @property
    def row_weights(self) -> list[ResourceVariable] | None:
        """The variables with the row weights, float32 [rows of the shard]; None without weights."""
        return self._rows.weights

    @property
    def col_weights(self) -> list[ResourceVariable] | None:
        """The variables with the column weights, float32 [columns of the shard]; None without weights."""
        return self._cols.weights

    # --- Operations around updates --------------------------------------------------

    @property
    def initialize_op(self) -> ops.Operation:
        """The operation that initializes factors, weights and the products of factors."""
        return self._initialize_op

    @property
    def worker_init(self) -> ops.Operation:
        """The operation that initializes what a worker keeps for itself: to be run once, before all updates."""
        return self._worker_init

    @property
    def row_update_prep_gramian_op(self) -> ops.Operation:
        """The operation that computes V^T V: to be run before a row sweep by one worker, the chief."""
        return self._row_prep_gramian

    @property
    def col_update_prep_gramian_op(self) -> ops.Operation:
        """The operation that computes U^T U: to be run before a column sweep by one worker, the chief."""
        return self._col_prep_gramian

    @property
    def initialize_row_update_op(self) -> ops.Operation:
        """The operation that brings a worker's copies up to date: to be run before a row sweep, after the chief has run
        `row_update_prep_gramian_op`."""
        return self._row_update_init

    @property
    def initialize_col_update_op(self) -> ops.Operation:
        """The operation that brings a worker's copies up to date: to be run before a column sweep, after the chief has
        run `col_update_prep_gramian_op`."""
        return self._col_update_init

    @classmethod
    def scatter_update(
        cls,
        factor: ResourceVariable | Sequence[ResourceVariable],
        indices: ops.Tensor,
        values: ops.Tensor,
        sharding_func: factor_shards.ShardingFunction,
        name: str | None = None,
    ) -> ops.Operation:
        """The operation that replaces rows of a sharded variable.

        Args:
            factor: the variable, or a list of shards.
            indices: the rows, int [n].
            values: their new values, [n, k].
            sharding_func: gives (the shard of each index, the row there) of indices; not called for one shard.
        """
        return factor_shards.scatter(factor, indices, values, sharding_func, name)

    # --- Updates and projections ----------------------------------------------------

    def update_row_factors(
        self,
        sp_input: sparse_tensor.SparseTensor | None = None,
        transpose_input: bool = False,
    ) -> tuple[ops.Tensor, ops.Operation, ops.Tensor, ops.Tensor, ops.Tensor]:
        """Solves for the factors of rows that have entries in `sp_input`.

        Args:
            sp_input: float32 SparseTensor with all entries of some rows of A, in any order, at their places in A.
            transpose_input: whether `sp_input` is the transpose of that.

        Returns:
            (new_values, update_op, unregularized_loss, regularization, sum_weights): the new factors [rows of the
            input, k], rows in the order in which the input names them first; the operation that puts them among the
            row factors; and three scalars: the loss of the rows with their new factors, times n / (rows of the
            input); what regularization adds: that of the new factors, times the same, and that of V; and the sum of the
            weights, times the same. sqrt(unregularized_loss / sum_weights) is the root of the weighted mean error.

        Raises:
            TypeError: sp_input is no SparseTensor.
        """
        return self._update(self._rows, self._cols, sp_input, transpose_input)

    def update_col_factors(
        self,
        sp_input: sparse_tensor.SparseTensor | None = None,
        transpose_input: bool = False,
    ) -> tuple[ops.Tensor, ops.Operation, ops.Tensor, ops.Tensor, ops.Tensor]:
        """Solves for the factors of columns that have entries in `sp_input`.

        Args:
            sp_input: float32 SparseTensor with all entries of some columns of A, in any order, at their places in A.
            transpose_input: whether `sp_input` is the transpose of that.

        Returns:
            As of `update_row_factors`, of columns.

        Raises:
            TypeError: sp_input is no SparseTensor.
        """
        return self._update(self._cols, self._rows, sp_input, not transpose_input)  # fmt: skip

    def project_row_factors(
        self,
        sp_input: sparse_tensor.SparseTensor | None = None,
        transpose_input: bool = False,
        projection_weights: TensorLike | None = None,
    ) -> ops.Tensor:
        """Solves for the factors of rows that need not be rows of A, and changes no variable.

        It reads what updates read, so that `row_update_prep_gramian_op` and `initialize_row_update_op` come before.

        Args:
            sp_input: float32 SparseTensor with entries of rows; their columns are those of A.
            transpose_input: whether `sp_input` is the transpose of that.
            projection_weights: the weights of these rows, a number or one for each of the rows that have entries; None:
                1. Not for a model without weights.

        Returns:
            float32 [rows of the input, k], rows in the order in which the input names them first.

        Raises:
            TypeError: sp_input is no SparseTensor.
            ValueError: weights for a model that has none.
        """
        return self._project(self._rows, self._cols, sp_input, transpose_input, projection_weights)  # fmt: skip

    def project_col_factors(
        self,
        sp_input: sparse_tensor.SparseTensor | None = None,
        transpose_input: bool = False,
        projection_weights: TensorLike | None = None,
    ) -> ops.Tensor:
        """Solves for the factors of columns that need not be columns of A, and changes no variable.

        It reads what updates read, so that `col_update_prep_gramian_op` and `initialize_col_update_op` come before.

        Args:
            sp_input: float32 SparseTensor with entries of columns; their rows are those of A.
            transpose_input: whether `sp_input` is the transpose of that.
            projection_weights: the weights of these columns, a number or one for each of the columns that have entries;
                None: 1. Not for a model without weights.

        Returns:
            float32 [columns of the input, k], columns in the order in which the input names them first.

        Raises:
            TypeError: sp_input is no SparseTensor.
            ValueError: weights for a model that has none.
        """
        return self._project(self._cols, self._rows, sp_input, not transpose_input, projection_weights)  # fmt: skip

    def _least_squares(
        self,
        updated: factor_side.Side,
        fixed: factor_side.Side,
        entries: least_squares.Entries,
        weights: ops.Tensor | None,
    ) -> least_squares.LeastSquares:
        """The problem for some rows of the side `updated`, with weights [rows] of their own or those of the model."""
        column_weights = None
        if updated.weights_read is not None and fixed.weights_read is not None:
            if weights is None:
                weights = factor_shards.gather(updated.weights_read, entries.row_ids)
            column_weights = factor_shards.gather(fixed.weights_read, entries.column_ids)  # fmt: skip
        return least_squares.LeastSquares(
            entries,
            factor_shards.gather(fixed.factors_read, entries.column_ids),
            fixed.gramian_read.read_value(),
            self._unobserved_weight,
            self._regularization,
            weights,
            column_weights,
        )

    def _update(
        self,
        updated: factor_side.Side,
        fixed: factor_side.Side,
        sp_input: Any,
        transposed: bool,
    ) -> tuple[ops.Tensor, ops.Operation, ops.Tensor, ops.Tensor, ops.Tensor]:
        with ops.name_scope(f"{updated.name}_update"):
            entries = least_squares.entries_of(sp_input, transposed)
            problem = self._least_squares(updated, fixed, entries, None)
            found = problem.solution()
            update = self.scatter_update(
                updated.factors, entries.row_ids, found, updated.place
            )
            return found, update, *problem.losses(found, updated.count, fixed.count)

    def _project(
        self, updated: factor_side.Side, fixed: factor_side.Side, sp_input: Any, transposed: bool, given: Any
    ) -> ops.Tensor:  # fmt: skip
        if updated.weights is None and given is not None:
            raise ValueError(
                "projection_weights must be None for a model without row_weights and col_weights"
            )
        with ops.name_scope(f"{updated.name}_projection"):
            entries = least_squares.entries_of(sp_input, transposed)
            weights = None
            if updated.weights is not None:
                weights = _one_for_each(1.0 if given is None else given, entries)
            return self._least_squares(updated, fixed, entries, weights).solution()


def _one_for_each(weights: Any, entries: least_squares.Entries) -> ops.Tensor:
    """Projection weights [rows], given one for all rows or one for each."""
    weights = ops.convert_to_tensor(weights, dtypes.float32)
    if (weights.get_shape().ndims or 0) > 1:
        raise ValueError(
            f"projection_weights must be a scalar or a vector, got the shape {weights.get_shape()}"
        )
    flat = array_ops.reshape(weights, [-1])
    given = array_ops.size(flat, out_type=dtypes.int64)
    fits = control_flow_ops.Assert(
        math_ops.logical_or(
            math_ops.equal(given, 1), math_ops.equal(given, entries.num_rows)
        ),
        [
            "projection_weights must be one number, or one for each row that has entries; rows and weights:",
            entries.num_rows,
            given,
        ],
    )
    with ops.control_dependencies([fits]):
        return flat * array_ops.ones(array_ops.expand_dims(entries.num_rows, 0))
