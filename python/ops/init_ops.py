# SPDX-License-Identifier: Apache-2.0
"""Initializers: callables `(shape, dtype, partition_info) -> Tensor`."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from tensorwright.python.framework import constant_op, dtypes, ops
from tensorwright.python.framework.type_aliases import DTypeLike, TensorLike
from tensorwright.python.ops import array_ops, gen_linalg_ops, math_ops, random_ops

if TYPE_CHECKING:
    from tensorwright.python.ops._variables.variable_scope_store import _PartitionInfo


class Initializer:
    """Base class of initializers."""

    def __call__(
        self,
        shape: TensorLike,
        dtype: DTypeLike | None = None,
        partition_info: _PartitionInfo | None = None,
    ) -> ops.Tensor:
        raise NotImplementedError

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments with which `from_config` makes an equal initializer."""
        return {}

    @classmethod
    def from_config(cls, config: dict[str, object]) -> Initializer:
        """Makes an initializer from the result of `get_config`."""
        return cls(**config)


def _float_dtype(dtype: Any) -> dtypes.DType:
    dtype = dtypes.as_dtype(dtype)
    if not dtype.is_floating:
        raise ValueError(f"Expected floating point type, got {dtype}.")
    return dtype


class Zeros(Initializer):
    """All zeros."""

    def __init__(self, dtype: DTypeLike = dtypes.float32):
        self.dtype = dtypes.as_dtype(dtype)

    def __call__(self, shape, dtype=None, partition_info=None):
        return array_ops.zeros(shape, dtype or self.dtype)

    def get_config(self):
        return {"dtype": self.dtype.name}


class Ones(Initializer):
    """All ones."""

    def __init__(self, dtype: DTypeLike = dtypes.float32):
        self.dtype = dtypes.as_dtype(dtype)

    def __call__(self, shape, dtype=None, partition_info=None):
        return array_ops.ones(shape, dtype or self.dtype)

    def get_config(self):
        return {"dtype": self.dtype.name}


class Constant(Initializer):
    """A scalar everywhere, or a list of values whose last one is repeated."""

    def __init__(
        self,
        value: TensorLike = 0,
        dtype: DTypeLike = dtypes.float32,
        verify_shape: bool = False,
    ):
        if not isinstance(value, (list, tuple, np.ndarray)) and not np.isscalar(value):
            raise TypeError(
                "Constant: value must be a number, string, list, tuple or array, got "
                f"{value!r}"
            )
        self.value = value
        self.dtype = dtypes.as_dtype(dtype)
        self._verify_shape = verify_shape

    def __call__(self, shape, dtype=None, partition_info=None, verify_shape=None):
        verify = self._verify_shape if verify_shape is None else verify_shape
        sizes = shape if isinstance(shape, (list, tuple)) else [shape]
        if np.isscalar(self.value) and any(isinstance(n, ops.Tensor) for n in sizes):
            value = constant_op.constant(self.value, dtype or self.dtype)
            return array_ops.fill(ops.convert_to_tensor(shape), value)
        return constant_op.constant(
            self.value, dtype=dtype or self.dtype, shape=shape, verify_shape=verify
        )

    def get_config(self):
        return {"value": self.value, "dtype": self.dtype.name}


class RandomUniform(Initializer):
    """Uniform in [minval, maxval); maxval defaults to 1 for floats."""

    def __init__(
        self,
        minval: TensorLike = 0,
        maxval: TensorLike | None = None,
        seed: int | None = None,
        dtype: DTypeLike = dtypes.float32,
    ):
        self.minval = minval
        self.maxval = maxval
        self.seed = seed
        self.dtype = dtypes.as_dtype(dtype)

    def __call__(self, shape, dtype=None, partition_info=None):
        return random_ops.random_uniform(
            shape, self.minval, self.maxval, dtype or self.dtype, seed=self.seed
        )

    def get_config(self):
        return {
            "minval": self.minval,
            "maxval": self.maxval,
            "seed": self.seed,
            "dtype": self.dtype.name,
        }


class _Normal(Initializer):
    """The base of the two normal initializers."""

    def __init__(
        self,
        mean: Any = 0.0,
        stddev: Any = 1.0,
        seed: int | None = None,
        dtype: Any = dtypes.float32,
    ):
        self.mean = mean
        self.stddev = stddev
        self.seed = seed
        self.dtype = _float_dtype(dtype)

    def get_config(self):
        return {
            "mean": self.mean,
            "stddev": self.stddev,
            "seed": self.seed,
            "dtype": self.dtype.name,
        }


class RandomNormal(_Normal):
    """Normally distributed."""

    def __call__(self, shape, dtype=None, partition_info=None):
        return random_ops.random_normal(
            shape, self.mean, self.stddev, dtype or self.dtype, seed=self.seed
        )


class TruncatedNormal(_Normal):
    """Normally distributed within two standard deviations."""

    def __call__(self, shape, dtype=None, partition_info=None):
        return random_ops.truncated_normal(
            shape, self.mean, self.stddev, dtype or self.dtype, seed=self.seed
        )


class UniformUnitScaling(Initializer):
    """Uniform in +-factor * sqrt(3 / input size), which keeps the scale of a layer."""

    def __init__(
        self,
        factor: float = 1.0,
        seed: int | None = None,
        dtype: DTypeLike = dtypes.float32,
    ):
        self.factor = factor
        self.seed = seed
        self.dtype = _float_dtype(dtype)

    def __call__(self, shape, dtype=None, partition_info=None):
        full = shape if partition_info is None else partition_info.full_shape
        size = max(math.prod(float(d) for d in _sizes(full)[:-1]), 1.0)
        bound = math.sqrt(3 / size) * self.factor
        return random_ops.random_uniform(
            shape, -bound, bound, dtype or self.dtype, seed=self.seed
        )

    def get_config(self):
        return {"factor": self.factor, "seed": self.seed, "dtype": self.dtype.name}


class VarianceScaling(Initializer):
    """Random with variance scale / n, n the fan in, the fan out or their mean.

    distribution: "normal" or "truncated_normal" (cut at two standard deviations),
    "untruncated_normal", "uniform".
    """

    _MODES = ("fan_in", "fan_out", "fan_avg")
    _DISTRIBUTIONS = ("normal", "truncated_normal", "untruncated_normal", "uniform")

    def __init__(
        self,
        scale: float = 1.0,
        mode: str = "fan_in",
        distribution: str = "truncated_normal",
        seed: int | None = None,
        dtype: DTypeLike = dtypes.float32,
    ):
        if not scale > 0:
            raise ValueError(
                f"VarianceScaling: `scale` must be a positive float, got {scale}"
            )
        self.scale, self.seed, self.dtype = scale, seed, _float_dtype(dtype)
        self.mode = self._one_of("mode", mode, self._MODES)
        self.distribution = self._one_of(
            "distribution", distribution.lower(), self._DISTRIBUTIONS
        )

    @staticmethod
    def _one_of(argument: str, value: str, known: tuple[str, ...]) -> str:
        if value not in known:
            raise ValueError(
                f"VarianceScaling: Invalid `{argument}` argument, it must be one of "
                f"{known}, got {value!r}"
            )
        return value

    def __call__(self, shape, dtype=None, partition_info=None):
        dtype = dtype or self.dtype
        full = shape if partition_info is None else partition_info.full_shape
        fan_in, fan_out = _fans(full)
        n = {
            "fan_in": fan_in,
            "fan_out": fan_out,
            "fan_avg": (fan_in + fan_out) / 2.0,
        }[self.mode]
        variance = self.scale / max(1.0, n)
        if self.distribution == "uniform":
            limit = math.sqrt(3.0 * variance)
            return random_ops.random_uniform(
                shape, -limit, limit, dtype, seed=self.seed
            )
        if self.distribution == "untruncated_normal":
            return random_ops.random_normal(
                shape, 0.0, math.sqrt(variance), dtype, seed=self.seed
            )
        # Cutting a unit normal at +-2 leaves it this standard deviation.
        stddev = math.sqrt(variance) / 0.87962566103423978
        return random_ops.truncated_normal(shape, 0.0, stddev, dtype, seed=self.seed)

    def get_config(self):
        return {
            "scale": self.scale,
            "mode": self.mode,
            "distribution": self.distribution,
            "seed": self.seed,
            "dtype": self.dtype.name,
        }


class GlorotUniform(VarianceScaling):
    """Uniform in +-sqrt(6 / (fan in + fan out)); also called Xavier."""

    def __init__(self, seed: int | None = None, dtype: DTypeLike = dtypes.float32):
        super().__init__(1.0, "fan_avg", "uniform", seed, dtype)

    def get_config(self):
        return {"seed": self.seed, "dtype": self.dtype.name}


class GlorotNormal(VarianceScaling):
    """Normal with variance 2 / (fan in + fan out); also called Xavier."""

    def __init__(self, seed: int | None = None, dtype: DTypeLike = dtypes.float32):
        super().__init__(1.0, "fan_avg", "truncated_normal", seed, dtype)

    def get_config(self):
        return {"seed": self.seed, "dtype": self.dtype.name}


class Orthogonal(Initializer):
    """`gain` times orthogonal columns of length 1, or rows if they are fewer; [..., n] is seen as a matrix with n
    columns.

    Uniformly distributed: the Q of a random normal matrix, signs chosen such that the diagonal of R is positive
    (Mezzadri, "How to generate random matrices from the classical compact groups", 2007).
    """

    def __init__(
        self,
        gain: float = 1.0,
        seed: int | None = None,
        dtype: DTypeLike = dtypes.float32,
    ):
        self.gain = gain
        self.seed = seed
        self.dtype = _float_dtype(dtype)

    def __call__(self, shape, dtype=None, partition_info=None):
        sizes = _sizes(shape)
        if len(sizes) < 2:
            raise ValueError(
                f"Orthogonal: shape must be at least two-dimensional, got {sizes}"
            )
        rows, columns = math.prod(sizes[:-1]), sizes[-1]
        wide = rows < columns
        drawn = random_ops.random_normal(
            [max(rows, columns), min(rows, columns)],
            dtype=dtype or self.dtype,
            seed=self.seed,
        )
        q, r = gen_linalg_ops.qr(drawn, full_matrices=False)
        q *= math_ops.sign(array_ops.matrix_diag_part(r))
        if wide:
            q = array_ops.matrix_transpose(q)
        return self.gain * array_ops.reshape(q, sizes)

    def get_config(self):
        return {"gain": self.gain, "seed": self.seed, "dtype": self.dtype.name}


class Identity(Initializer):
    """A matrix with `gain` on its diagonal."""

    def __init__(self, gain: float = 1.0, dtype: DTypeLike = dtypes.float32):
        self.gain = gain
        self.dtype = _float_dtype(dtype)

    def __call__(self, shape, dtype=None, partition_info=None):
        full = _sizes(shape if partition_info is None else partition_info.full_shape)
        if len(full) != 2:
            raise ValueError(f"Identity: shape must be 2D, got {full}")
        value = np.eye(int(full[0]), int(full[1])) * self.gain
        if partition_info is not None:
            offset = [int(o) for o in partition_info.var_offset]
            rows, columns = _sizes(shape)
            value = value[offset[0] : offset[0] + rows, offset[1] : offset[1] + columns]
        return constant_op.constant(value, dtype=dtype or self.dtype)

    def get_config(self):
        return {"gain": self.gain, "dtype": self.dtype.name}


def _sizes(shape: Any) -> list[int]:
    return [int(d) for d in (shape.as_list() if hasattr(shape, "as_list") else shape)]


def _fans(shape: Any) -> tuple[float, float]:
    """(fan in, fan out) of weights: [..., in, out], windows count for both."""
    sizes = _sizes(shape)
    if len(sizes) < 1:
        return 1.0, 1.0
    if len(sizes) == 1:
        return sizes[0], sizes[0]
    window = math.prod(sizes[:-2])
    return sizes[-2] * window, sizes[-1] * window


def he_normal(seed: int | None = None) -> Initializer:
    """Normal with variance 2 / fan in."""
    return VarianceScaling(2.0, "fan_in", "truncated_normal", seed)


def he_uniform(seed: int | None = None) -> Initializer:
    """Uniform with variance 2 / fan in."""
    return VarianceScaling(2.0, "fan_in", "uniform", seed)


def lecun_normal(seed: int | None = None) -> Initializer:
    """Normal with variance 1 / fan in."""
    return VarianceScaling(1.0, "fan_in", "truncated_normal", seed)


def lecun_uniform(seed: int | None = None) -> Initializer:
    """Uniform with variance 1 / fan in."""
    return VarianceScaling(1.0, "fan_in", "uniform", seed)


zeros_initializer = Zeros
ones_initializer = Ones
constant_initializer = Constant
random_uniform_initializer = RandomUniform
random_normal_initializer = RandomNormal
truncated_normal_initializer = TruncatedNormal
uniform_unit_scaling_initializer = UniformUnitScaling
variance_scaling_initializer = VarianceScaling
glorot_uniform_initializer = GlorotUniform
glorot_normal_initializer = GlorotNormal
identity_initializer = Identity
orthogonal_initializer = Orthogonal
