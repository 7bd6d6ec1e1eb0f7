# SPDX-License-Identifier: Apache-2.0
"""One side of a factorization, the rows of the matrix or its columns: its variables, and the copies that a worker reads."""

from __future__ import annotations

import contextlib
from typing import Any

from tensorwright.contrib.factorization.python.ops import factor_shards
from tensorwright.python.framework import ops
from tensorwright.python.ops import control_flow_ops


class Side:
    """The factors, weights and Gramian of the rows, or of the columns.

    Updates read `factors_read`, `weights_read` and `gramian_read`: the variables themselves, until `copy_*` replaces
    them by local copies. Names of variables begin with `name`.

    Args:
        name: "row" or "col", by which errors name the arguments `name`_init and `name`_weights too.
        count: how many rows or columns there are.
        size: how many numbers a factor has.
        num_shards, init, weights: see `factor_shards`.
        scoped: whether variables stand in name scopes, such as "row_factors".

    Raises:
        ValueError: values or weights that do not fit.
    """

    def __init__(
        self,
        name: str,
        count: int,
        size: int,
        num_shards: int,
        init: factor_shards.FactorValues,
        weights: factor_shards.Weights,
        scoped: bool,
    ):
        def scope(part: str) -> Any:
            if scoped:
                return ops.name_scope(f"{name}_{part}")
            return contextlib.nullcontext()

        self.name, self.count = name, count
        with scope("weights"):
            self.weights = factor_shards.make_weights(
                f"{name}_weights", weights, count, num_shards, f"{name}_weights"
            )
        with scope("factors"):
            self.factors = factor_shards.make_factors(
                f"{name}_init", init, count, size, num_shards, f"{name}_factors"
            )
        with scope("gramian"):
            self.gramian = factor_shards.make_gramian(size, f"{name}_gramian")
        self.place = factor_shards.sharding_function(count, num_shards)
        self.factors_read, self.weights_read = self.factors, self.weights
        self.gramian_read = self.gramian
        self.copies: list[Any] = []

    @property
    def variables(self) -> list:
        """All variables but copies."""
        return [*self.factors, *(self.weights or ()), self.gramian]

    def prepare_gramian(self) -> ops.Operation:
        """The operation that computes the Gramian of the factors."""
        return self.gramian.assign(factor_shards.gramian(self.factors)).op

    def _copy(self, originals: list, name: str) -> tuple[list, ops.Operation]:
        copies = factor_shards.make_copies(originals, f"{self.name}_{name}")
        self.copies += copies
        return copies, factor_shards.copy(originals, copies)

    def copy_weights(self) -> ops.Operation:
        """Lets updates read a copy of the weights, which the returned operation brings up to date."""
        if self.weights is None:
            return control_flow_ops.no_op()
        self.weights_read, update = self._copy(self.weights, "wt_cache")
        return update

    def copy_factors(self) -> ops.Operation:
        """Lets updates read a copy of the factors, which the returned operation brings up to date."""
        self.factors_read, update = self._copy(self.factors, "factors_cache")
        return update

    def copy_gramian(self) -> ops.Operation:
        """Lets updates read a copy of the Gramian, which the returned operation brings up to date."""
        (self.gramian_read,), update = self._copy([self.gramian], "gramian_cache")
        return update
