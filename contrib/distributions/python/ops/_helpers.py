# SPDX-License-Identifier: Apache-2.0
"""Percentiles, conjugate normal distributions, and a transform of diagonals."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tensorwright.python.framework import dtypes, ops
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import array_ops, check_ops, math_ops, sort_ops
from tensorwright.python.ops.distributions import normal

if TYPE_CHECKING:
    from tensorwright.python.ops.distributions.distribution import Distribution


def matrix_diag_transform(
    matrix: TensorLike, transform: Callable | None = None, name: str | None = None
) -> ops.Tensor:
    """`matrix` [..., n, n] with `transform` of its diagonal in the diagonal's place."""
    with ops.name_scope(name, "matrix_diag_transform", [matrix]):
        matrix = ops.convert_to_tensor(matrix, name="matrix")
        if transform is not None:
            diagonal = array_ops.matrix_diag_part(matrix)
            matrix = array_ops.matrix_set_diag(matrix, transform(diagonal))
        return matrix


def percentile(
    x: TensorLike,
    q: TensorLike,
    axis: Any = None,
    interpolation: str | None = None,
    keep_dims: bool = False,
    validate_args: bool = False,
    name: str | None = None,
) -> ops.Tensor:
    """The element that q percent of `x` are below.

    Args:
        x: numbers.
        q: a scalar in [0, 100].
        axis: an axis, or several, over which to go; all if absent.
        interpolation: "lower", "higher" or "nearest" of the two elements that it lies between; "nearest" if absent.
        keep_dims: whether these axes stay, of size 1.
        validate_args: whether the run checks q.
        name: the name of the name scope.

    Raises:
        ValueError: for another interpolation, or axes of an `x` of unknown rank.
    """
    interpolation = interpolation or "nearest"
    if interpolation not in ("lower", "higher", "nearest"):
        raise ValueError(
            "Argument 'interpolation' must be in {'lower', 'higher', 'nearest'}. "
            f"Found {interpolation}"
        )
    with ops.name_scope(name, "percentile", [x, q]):
        x = ops.convert_to_tensor(x, name="x")
        q = math_ops.cast(ops.convert_to_tensor(q, name="q"), dtypes.float64)
        q.get_shape().assert_has_rank(0)
        if validate_args:
            bounds = [
                check_ops.assert_non_negative(q, message="q must be in [0, 100]"),
                check_ops.assert_less_equal(
                    q, ops.convert_to_tensor(100.0, q.dtype), message="q must be <= 100"
                ),
            ]
            with ops.control_dependencies(bounds):
                q = array_ops.identity(q)
        rank = x.get_shape().ndims
        if rank is None:
            raise ValueError("percentile: the rank of x must be known")
        axes = range(rank) if axis is None else axis
        axes = list(axes) if isinstance(axes, (list, tuple, range)) else [axes]
        axes = sorted({a % rank for a in map(int, axes)}) if rank else []
        rest = [a for a in range(rank) if a not in axes]
        moved = array_ops.transpose(x, rest + axes)
        kept = array_ops.shape(moved)[: len(rest)]
        rows = array_ops.reshape(moved, array_ops.concat([kept, [-1]], 0))
        ordered = sort_ops.sort(rows, axis=-1)
        count = array_ops.shape(ordered)[-1]
        place = q / 100.0 * math_ops.cast(count - 1, q.dtype)
        rounding = {
            "lower": math_ops.floor,
            "higher": math_ops.ceil,
            "nearest": math_ops.round,
        }[interpolation]
        place = math_ops.cast(rounding(place), dtypes.int32)
        result = array_ops.gather(
            ordered, clip(place, count), axis=ordered.get_shape().ndims - 1
        )
        if keep_dims:
            for a in axes:
                result = array_ops.expand_dims(result, a)
        return result


def clip(place: ops.Tensor, count: ops.Tensor) -> ops.Tensor:
    """`place` in [0, count)."""
    return math_ops.maximum(math_ops.minimum(place, count - 1), 0)


def _posterior(prior: Any, scale: Any, s: Any, n: Any) -> tuple:
    """(mean, variance) of the mean of a normal distribution, given n draws that add up to s."""
    if not isinstance(prior, normal.Normal):
        raise TypeError(
            f"Expected prior to be an instance of type Normal, got {type(prior)}"
        )
    if s.dtype != prior.dtype:
        raise TypeError(
            f"Observation sum s.dtype does not match prior dtype: {s.dtype} vs. "
            f"{prior.dtype}"
        )
    n = math_ops.cast(n, prior.dtype)
    before, noise = math_ops.square(prior.scale), math_ops.square(scale)
    variance = 1 / (1 / before + n / noise)
    return (prior.loc / before + s / noise) * variance, variance


def normal_conjugates_known_scale_posterior(
    prior: Distribution, scale: TensorLike, s: ops.Tensor, n: TensorLike
) -> normal.Normal:
    """Returns the posterior of a normal distribution's mean, with known `scale`, after n draws of sum s.

    Raises TypeError if `prior` is no Normal, or `s` has another dtype.
    """
    mean, variance = _posterior(prior, scale, s, n)
    return normal.Normal(loc=mean, scale=math_ops.sqrt(variance))


def normal_conjugates_known_scale_predictive(
    prior: Distribution, scale: TensorLike, s: ops.Tensor, n: TensorLike
) -> normal.Normal:
    """The next draw of that distribution; see `normal_conjugates_known_scale_posterior`."""
    mean, variance = _posterior(prior, scale, s, n)
    both = variance + math_ops.square(scale)
    return normal.Normal(loc=mean, scale=math_ops.sqrt(both))
