# SPDX-License-Identifier: Apache-2.0
"""Derivatives, under TensorFlow's module name: a facade of gradients_impl."""

from tensorwright.python.ops.gradients_impl import (
    AggregationMethod as AggregationMethod,
    UnconnectedGradients as UnconnectedGradients,
    gradients as gradients,
    hessians as hessians,
)

__all__ = ["AggregationMethod", "UnconnectedGradients", "gradients", "hessians"]
