# SPDX-License-Identifier: Apache-2.0
"""Bijectors: maps with an inverse, and the logarithms of their Jacobians' determinants."""

from tensorwright.contrib.distributions.python.ops.bijectors._base import (
    Bijector,
    ConditionalBijector,
)
from tensorwright.contrib.distributions.python.ops.bijectors._composed import (
    Affine,
    AffineLinearOperator,
    Chain,
    CholeskyOuterProduct,
    Inline,
    Invert,
)
from tensorwright.contrib.distributions.python.ops.bijectors._elementwise import (
    Exp,
    PowerTransform,
    Sigmoid,
    Softplus,
)
from tensorwright.contrib.distributions.python.ops.bijectors._simplex import (
    SigmoidCentered,
    SoftmaxCentered,
)
from tensorwright.contrib.distributions.python.ops.bijectors.identity import Identity
