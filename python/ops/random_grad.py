# SPDX-License-Identifier: Apache-2.0
"""Random numbers do not depend on anything that can be differentiated, but for those of gamma distribution."""

from __future__ import annotations

from typing import Any

from tensorwright.python.framework import dtypes, ops
from tensorwright.python.ops import array_ops, gen_random_ops, math_ops

for _name in (
    "RandomStandardNormal",
    "RandomUniform",
    "RandomUniformInt",
    "TruncatedNormal",
    "Multinomial",
    "RandomIndexShuffle",
    "RandomShuffle",
    "ParameterizedTruncatedNormal",
    "StatelessMultinomial",
    "StatelessRandomBinomial",
    "StatelessRandomPoisson",
):
    ops.NotDifferentiable(_name)


@ops.RegisterGradient("RandomGamma")
def _random_gamma_grad(op: ops.Operation, grad: Any) -> Any:
    """g dx/dalpha of each sample, its quantile fixed, summed over the samples; none by the shape."""
    alpha, sample = op.inputs[1], op.outputs[0]
    dtype = alpha.dtype.base_dtype
    of_shape = op.inputs[0].get_shape()
    with ops.control_dependencies([grad]):
        if dtype == dtypes.float16:
            alpha, sample = (math_ops.cast(v, dtypes.float32) for v in (alpha, sample))
        derivative = gen_random_ops.random_gamma_grad(alpha, sample)
        products = grad * math_ops.cast(derivative, dtype)
        count = of_shape.as_list()[0] if of_shape.ndims == 1 else None
        if count is not None:
            return None, math_ops.reduce_sum(products, axis=list(range(count)))
        axes = math_ops.range(array_ops.size(op.inputs[0]))
        return None, math_ops.reduce_sum(products, axis=axes)


def _stateless_gamma_grad(op: ops.Operation, grad: Any) -> Any:
    """As RandomGamma's gradient, by alpha, which is broadcast to the samples."""
    alpha, sample = op.inputs[-1], op.outputs[0]
    dtype = alpha.dtype.base_dtype
    with ops.control_dependencies([grad]):
        if dtype == dtypes.float16:
            alpha, sample = (math_ops.cast(v, dtypes.float32) for v in (alpha, sample))
        derivative = gen_random_ops.random_gamma_grad(alpha, sample)
        products = grad * math_ops.cast(derivative, dtype)
        axes = math_ops.range(array_ops.rank(products) - array_ops.rank(alpha))
        return math_ops.reduce_sum(products, axis=axes)


@ops.RegisterGradient("StatelessRandomGammaV2")
def _stateless_gamma_v2_grad(op: ops.Operation, grad: Any) -> Any:
    """Only alpha has a gradient."""
    return None, None, _stateless_gamma_grad(op, grad)


@ops.RegisterGradient("StatelessRandomGammaV3")
def _stateless_gamma_v3_grad(op: ops.Operation, grad: Any) -> Any:
    """Only alpha has a gradient."""
    return None, None, None, None, _stateless_gamma_grad(op, grad)
