# SPDX-License-Identifier: Apache-2.0
"""Distributions of loc + scale z, for vectors z of independent numbers and a linear operator `scale`."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tensorwright.contrib.distributions.python.ops._base import FULLY
from tensorwright.python.framework import ops
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import (
    array_ops,
    check_ops,
    linalg_ops,
    math_ops,
    nn_ops,
    random_ops,
)
from tensorwright.python.ops.distributions import distribution, kullback_leibler
from tensorwright.python.ops.linalg import (
    linear_operator_diag,
    linear_operator_low_rank_update,
    linear_operator_lower_triangular,
)


class _AffineVector(distribution.Distribution):
    """A subclass has `_standard(shape, seed)`, `_standard_log_prob(z)`, and z's mean, variance, mode and entropy."""

    def __init__(self, given: dict, loc: Any, scale: Any, name: str) -> None:
        self._loc, self._scale = loc, scale
        parents = [t for t in [loc] if t is not None]
        super().__init__(
            scale.dtype,
            FULLY,
            given["validate_args"],
            given["allow_nan_stats"],
            given,
            parents,
            name,
        )

    @property
    def loc(self) -> Any:
        """The added vector, None for zeros."""
        return self._loc

    @property
    def scale(self) -> Any:
        """The LinearOperator, [..., k, k]."""
        return self._scale

    def _batch_shape(self) -> Any:
        shape = self.scale.batch_shape
        if self.loc is None:
            return shape
        return array_ops.broadcast_static_shape(shape, self.loc.get_shape()[:-1])

    def _batch_shape_tensor(self) -> ops.Tensor:
        shape = self.scale.batch_shape_tensor()
        if self.loc is None:
            return shape
        return array_ops.broadcast_dynamic_shape(shape, array_ops.shape(self.loc)[:-1])

    def _event_shape(self) -> Any:
        return self.scale.shape[-1:]

    def _event_shape_tensor(self) -> ops.Tensor:
        return self.scale.shape_tensor()[-1:]

    def _shifted(self, x: ops.Tensor) -> ops.Tensor:
        return x if self.loc is None else x + self.loc

    def _sample_n(self, n: ops.Tensor, seed: int | None) -> ops.Tensor:
        shape = array_ops.concat(
            [[n], self.batch_shape_tensor(), self.event_shape_tensor()], 0
        )
        return self._shifted(self.scale.matvec(self._standard(shape, seed)))

    def _z(self, x: ops.Tensor) -> ops.Tensor:
        return self.scale.solvevec(x if self.loc is None else x - self.loc)

    def _log_prob(self, x: ops.Tensor) -> ops.Tensor:
        each = self._standard_log_prob(self._z(x))
        return math_ops.reduce_sum(each, -1) - self.scale.log_abs_determinant()

    def _of_batch(self, x: ops.Tensor) -> ops.Tensor:
        """`x` of each vector of the batch."""
        zeros = array_ops.zeros(self.batch_shape_tensor(), x.dtype)
        return x + (
            zeros if x.get_shape().ndims == 0 else array_ops.expand_dims(zeros, -1)
        )

    def _constant(self, value: float) -> ops.Tensor:
        """A vector of `value`, mapped by the operator."""
        ones = array_ops.ones(
            array_ops.concat([self.batch_shape_tensor(), self.event_shape_tensor()], 0),
            self.dtype,
        )
        return self._shifted(self.scale.matvec(value * ones))

    def _mean(self) -> ops.Tensor:
        return self._constant(self._standard_mean)

    def _mode(self) -> ops.Tensor:
        return self._constant(self._standard_mode)

    def _covariance(self) -> ops.Tensor:
        dense = self.scale.to_dense()
        product = math_ops.matmul(dense, dense, adjoint_b=True)
        zeros = array_ops.zeros(self.batch_shape_tensor(), self.dtype)
        return self._standard_variance * product + zeros[..., None, None]

    def _variance(self) -> ops.Tensor:
        return array_ops.matrix_diag_part(self._covariance())

    def _entropy(self) -> ops.Tensor:
        k = math_ops.cast(self.event_shape_tensor()[0], self.dtype)
        zeros = array_ops.zeros(self.batch_shape_tensor(), self.dtype)
        own = k * self._standard_entropy + self.scale.log_abs_determinant()
        return own + zeros


class _Normal(_AffineVector):
    _standard_mean = _standard_mode = 0.0
    _standard_variance = 1.0
    _standard_entropy = 0.5 * (1 + math.log(2 * math.pi))

    def _standard(self, shape: Any, seed: Any) -> ops.Tensor:
        return random_ops.random_normal(shape, dtype=self.dtype, seed=seed)

    def _standard_log_prob(self, z: ops.Tensor) -> ops.Tensor:
        return -0.5 * (math_ops.square(z) + math.log(2 * math.pi))


def _tensor(x: Any, name: str) -> Any:
    return None if x is None else ops.convert_to_tensor(x, name=name)


def _diagonal(loc: Any, diag: Any, multiplier: Any) -> ops.Tensor:
    """[..., k]: `diag` + `multiplier`, either of which may be absent; ones if both are."""
    if diag is None and loc is None:
        raise ValueError(
            "loc or scale_diag is needed: nothing else says the size of an event"
        )
    if multiplier is not None:
        multiplier = array_ops.expand_dims(multiplier, -1)
    if diag is None:
        ones = array_ops.ones_like(loc)
        return ones if multiplier is None else ones * multiplier
    if loc is not None:
        check_ops.assert_same_float_dtype([loc, diag])
    return diag if multiplier is None else diag + multiplier


def _diag_operator(given: dict) -> tuple:
    """(loc, operator) of loc, scale_diag and scale_identity_multiplier."""
    loc = _tensor(given["loc"], "loc")
    diagonal = _diagonal(
        loc,
        _tensor(given["scale_diag"], "scale_diag"),
        _tensor(given.get("scale_identity_multiplier"), "scale_identity_multiplier"),
    )
    if given["validate_args"]:
        check = check_ops.assert_none_equal(
            diagonal, array_ops.zeros_like(diagonal), message="scale must be non-zero"
        )
        with ops.control_dependencies([check]):
            diagonal = array_ops.identity(diagonal)
    return loc, linear_operator_diag.LinearOperatorDiag(diagonal, is_non_singular=True)


class MultivariateNormalDiag(_Normal):
    """Normal vectors whose elements are independent, with deviations scale_diag + scale_identity_multiplier.

    Args:
        loc: [..., k], the mean; zeros if absent.
        scale_diag: [..., k].
        scale_identity_multiplier: [...]; the deviations are 1 where neither is given.
    """

    def __init__(
        self,
        loc: TensorLike | None = None,
        scale_diag: TensorLike | None = None,
        scale_identity_multiplier: TensorLike | None = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "MultivariateNormalDiag",
    ) -> None:
        given = dict(locals())
        with ops.name_scope(name) as name:
            loc, scale = _diag_operator(given)
        super().__init__(given, loc, scale, name)


class MultivariateNormalDiagWithSoftplusScale(MultivariateNormalDiag):
    """MultivariateNormalDiag with deviations softplus(scale_diag)."""

    def __init__(
        self,
        loc: TensorLike,
        scale_diag: TensorLike,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "MultivariateNormalDiagWithSoftplusScale",
    ) -> None:
        given = dict(locals())
        with ops.name_scope(name, values=[scale_diag]) as name:
            scale_diag = nn_ops.softplus(ops.convert_to_tensor(scale_diag))
        super().__init__(
            loc,
            scale_diag,
            validate_args=validate_args,
            allow_nan_stats=allow_nan_stats,
            name=name,
        )
        self._parameters = given


class MultivariateNormalDiagPlusLowRank(_Normal):
    """Normal vectors with scale = diagonal + U diag(d) U^T.

    Args:
        loc, scale_diag, scale_identity_multiplier: as in MultivariateNormalDiag.
        scale_perturb_factor: U, [..., k, r]; nothing is added if absent.
        scale_perturb_diag: d, [..., r]; ones if absent.
    """

    def __init__(
        self,
        loc: TensorLike | None = None,
        scale_diag: TensorLike | None = None,
        scale_identity_multiplier: TensorLike | None = None,
        scale_perturb_factor: TensorLike | None = None,
        scale_perturb_diag: TensorLike | None = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "MultivariateNormalDiagPlusLowRank",
    ) -> None:
        given = dict(locals())
        with ops.name_scope(name) as name:
            loc, scale = _diag_operator(given)
            if scale_perturb_factor is not None:
                positive = linear_operator_diag.LinearOperatorDiag(
                    scale.diag_part(), is_positive_definite=True
                )
                scale = linear_operator_low_rank_update.LinearOperatorLowRankUpdate(
                    positive,
                    u=_tensor(scale_perturb_factor, "scale_perturb_factor"),
                    diag_update=_tensor(scale_perturb_diag, "scale_perturb_diag"),
                    is_diag_update_positive=scale_perturb_diag is None,
                    is_non_singular=True,
                    is_self_adjoint=True,
                    is_positive_definite=True,
                    is_square=True,
                )
        super().__init__(given, loc, scale, name)


class MultivariateNormalTriL(_Normal):
    """Normal vectors of covariance L L^T, L being `scale_tril` [..., k, k], lower triangular, the identity if absent."""

    def __init__(
        self,
        loc: TensorLike | None = None,
        scale_tril: TensorLike | None = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "MultivariateNormalTriL",
    ) -> None:
        given = dict(locals())
        if loc is None and scale_tril is None:
            raise ValueError("Must specify one or both of `loc`, `scale_tril`.")
        with ops.name_scope(name) as name:
            loc = _tensor(loc, "loc")
            if scale_tril is None:
                operator = linear_operator_diag.LinearOperatorDiag(
                    array_ops.ones_like(loc), is_non_singular=True
                )
            else:
                tril = _tensor(scale_tril, "scale_tril")
                if validate_args:
                    diagonal = array_ops.matrix_diag_part(tril)
                    check = check_ops.assert_none_equal(
                        diagonal,
                        array_ops.zeros_like(diagonal),
                        message="scale must be non-singular",
                    )
                    with ops.control_dependencies([check]):
                        tril = array_ops.identity(tril)
                operator = (
                    linear_operator_lower_triangular.LinearOperatorLowerTriangular(
                        tril, is_non_singular=True
                    )
                )
        super().__init__(given, loc, operator, name)


class MultivariateNormalFullCovariance(MultivariateNormalTriL):
    """Normal vectors of `covariance_matrix` [..., k, k], positive definite, the identity if absent."""

    def __init__(
        self,
        loc: TensorLike | None = None,
        covariance_matrix: TensorLike | None = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "MultivariateNormalFullCovariance",
    ) -> None:
        given = dict(locals())
        tril = None
        with ops.name_scope(name) as name:
            if covariance_matrix is not None:
                covariance = _tensor(covariance_matrix, "covariance_matrix")
                if validate_args:
                    check = check_ops.assert_equal(
                        covariance,
                        array_ops.matrix_transpose(covariance),
                        message="Matrix was not symmetric",
                    )
                    with ops.control_dependencies([check]):
                        covariance = array_ops.identity(covariance)
                tril = linalg_ops.cholesky(covariance)
        super().__init__(loc, tril, validate_args, allow_nan_stats, name)
        self._parameters = given


class VectorExponentialDiag(_AffineVector):
    """loc + diagonal z of z with density exp(-z) each; arguments as in MultivariateNormalDiag."""

    _standard_mean = _standard_variance = _standard_entropy = 1.0
    _standard_mode = 0.0

    def __init__(
        self,
        loc: TensorLike | None = None,
        scale_diag: TensorLike | None = None,
        scale_identity_multiplier: TensorLike | None = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "VectorExponentialDiag",
    ) -> None:
        given = dict(locals())
        with ops.name_scope(name) as name:
            loc, scale = _diag_operator(given)
        super().__init__(given, loc, scale, name)

    def _standard(self, shape: Any, seed: Any) -> ops.Tensor:
        tiny = np.finfo(self.dtype.as_numpy_dtype).tiny
        return -math_ops.log(
            random_ops.random_uniform(shape, tiny, 1, self.dtype, seed)
        )

    def _standard_log_prob(self, z: ops.Tensor) -> ops.Tensor:
        nothing = array_ops.fill(
            array_ops.shape(z), ops.convert_to_tensor(-np.inf, z.dtype)
        )
        return array_ops.where(z < 0, nothing, -z)


class VectorLaplaceDiag(_AffineVector):
    """loc + diagonal z of z with density exp(-|z|) / 2 each; arguments as in MultivariateNormalDiag."""

    _standard_mean = _standard_mode = 0.0
    _standard_variance = 2.0
    _standard_entropy = 1 + math.log(2)

    def __init__(
        self,
        loc: TensorLike | None = None,
        scale_diag: TensorLike | None = None,
        scale_identity_multiplier: TensorLike | None = None,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "VectorLaplaceDiag",
    ) -> None:
        given = dict(locals())
        with ops.name_scope(name) as name:
            loc, scale = _diag_operator(given)
        super().__init__(given, loc, scale, name)

    def _standard(self, shape: Any, seed: Any) -> ops.Tensor:
        low = np.nextafter(-1, 0, dtype=self.dtype.as_numpy_dtype)
        u = random_ops.random_uniform(shape, low, 1, self.dtype, seed)
        return -math_ops.sign(u) * math_ops.log1p(-math_ops.abs(u))

    def _standard_log_prob(self, z: ops.Tensor) -> ops.Tensor:
        return -math_ops.abs(z) - math.log(2)


@kullback_leibler.RegisterKL(_Normal, _Normal)
def _kl_normal(a: Any, b: Any, name: str | None = None) -> ops.Tensor:
    """log|B| - log|A| + (|B^-1 A|^2 + |B^-1 (mean_b - mean_a)|^2 - k) / 2 of scales A, B."""
    with ops.name_scope(name, "kl_mvn"):
        spread = b.scale.solve(a.scale.to_dense())
        apart = b.scale.solvevec(b.mean() - a.mean())
        k = math_ops.cast(a.event_shape_tensor()[0], a.dtype)
        squares = math_ops.reduce_sum(math_ops.square(spread), [-2, -1])
        squares += math_ops.reduce_sum(math_ops.square(apart), -1)
        logs = b.scale.log_abs_determinant() - a.scale.log_abs_determinant()
        return logs + 0.5 * (squares - k)
