# SPDX-License-Identifier: Apache-2.0
"""The Dirichlet-multinomial distribution."""

from __future__ import annotations

from typing import Any

from tensorwright.python.framework import dtypes, ops
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import (
    array_ops,
    check_ops,
    math_ops,
    random_ops,
    special_math_ops,
)
from tensorwright.python.ops.distributions import (
    dirichlet,
    distribution,
    multinomial,
    util,
)


class DirichletMultinomial(distribution.Distribution):
    """Counts of the classes in `total_count` draws, with probabilities of a Dirichlet distribution: [k] floats.

    total_count: floats without a fraction, of the dtype of `concentration`, broadcast against the batch.  concentration:
    batch shape + [k], positive.
    """

    def __init__(
        self,
        total_count: TensorLike,
        concentration: TensorLike,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "DirichletMultinomial",
    ) -> None:
        parameters = dict(locals())
        with ops.name_scope(name, values=[total_count, concentration]) as name:
            # Broadcasting works because counts and concentrations are of one dtype.
            self._concentration = util.floating(concentration, "concentration")
            self._total_count = ops.convert_to_tensor(
                total_count, dtype=self._concentration.dtype, name="total_count"
            )
            if validate_args:
                self._total_count = util.embed_check_nonnegative_integer_form(
                    self._total_count
                )
                self._concentration = dirichlet.checked_concentration(
                    self._concentration
                )
            self._total_concentration = math_ops.reduce_sum(self._concentration, -1)
            self._mean_val = self._total_count[..., None] * (
                self._concentration / self._total_concentration[..., None]
            )
        super().__init__(
            self._concentration.dtype.base_dtype,
            distribution.NOT_REPARAMETERIZED,
            validate_args,
            allow_nan_stats,
            parameters,
            [self._total_count, self._concentration],
            name,
        )

    @property
    def total_count(self) -> ops.Tensor:
        """The number of draws."""
        return self._total_count

    @property
    def concentration(self) -> ops.Tensor:
        """The strength of each class: batch shape + [k]."""
        return self._concentration

    @property
    def total_concentration(self) -> ops.Tensor:
        """The sum over the classes: batch shape."""
        return self._total_concentration

    def _batch_shape(self) -> Any:
        return self._mean_val.get_shape().with_rank_at_least(1)[:-1]

    def _batch_shape_tensor(self) -> ops.Tensor:
        return array_ops.shape(self._mean_val)[:-1]

    def _event_shape(self) -> Any:
        return self._mean_val.get_shape().with_rank_at_least(1)[-1:]

    def _event_shape_tensor(self) -> ops.Tensor:
        return array_ops.shape(self._mean_val)[-1:]

    def _sample_n(self, n: ops.Tensor, seed: int | None) -> ops.Tensor:
        """Each sample draws classes by probabilities of its own."""
        shape = array_ops.shape(self._mean_val)
        weights = random_ops.random_gamma(
            [n],
            array_ops.broadcast_to(self.concentration, shape),
            dtype=self.dtype,
            seed=seed,
        )
        rows = array_ops.reshape(math_ops.log(weights), [-1, shape[-1]])
        counts = array_ops.broadcast_to(
            math_ops.cast(self.total_count, dtypes.int32), shape[:-1]
        )
        counts = array_ops.tile(array_ops.reshape(counts, [-1]), n[None])
        most = math_ops.maximum(math_ops.reduce_max(counts), 0)
        draws = random_ops.multinomial(
            rows,
            most,
            util.gen_new_seed(seed, "dirichlet_multinomial"),
            output_dtype=dtypes.int32,
        )
        totals = multinomial.counted(draws, counts, shape[-1], self.dtype)
        return array_ops.reshape(totals, array_ops.concat([[n], shape], 0))

    def _log_prob(self, counts: ops.Tensor) -> ops.Tensor:
        """log B(c + counts) / B(c), plus the log of the number of orders in which these counts can occur."""
        counts = self._checked(counts)
        after = special_math_ops.lbeta(self.concentration + counts)
        before = special_math_ops.lbeta(self.concentration)
        return after - before + util.log_combinations(self.total_count, counts)

    def _checked(self, counts: ops.Tensor) -> ops.Tensor:
        if not self.validate_args:
            return counts
        counts = util.embed_check_nonnegative_integer_form(counts)
        check = check_ops.assert_equal(
            self.total_count,
            math_ops.reduce_sum(counts, -1),
            message="counts last-dimension must sum to `self.total_count`",
        )
        with ops.control_dependencies([check]):
            return array_ops.identity(counts)

    def _mean(self) -> ops.Tensor:
        return array_ops.identity(self._mean_val)

    def _spread(self) -> ops.Tensor:
        """The factor by which it is wider than the multinomial distribution: (n + total) / (1 + total), [..., 1]."""
        total = self.total_concentration
        return ((self.total_count + total) / (1 + total))[..., None]

    def _probs(self) -> ops.Tensor:
        return self.concentration / self.total_concentration[..., None]

    def _variance(self) -> ops.Tensor:
        return self._spread() * self._mean_val * (1 - self._probs())

    def _covariance(self) -> ops.Tensor:
        """-n p_i p_j, and n p_i (1 - p_i) on the diagonal, each times the spread."""
        means = self._spread() * self._mean_val
        probs = self._probs() * array_ops.ones_like(self._mean_val)
        products = math_ops.matmul(means[..., :, None], probs[..., None, :])
        return array_ops.matrix_set_diag(-products, self._variance())
