# SPDX-License-Identifier: Apache-2.0
"""tf.distributions: re-exports, no code."""

# ruff: noqa: F401
from tensorwright.python.ops.distributions.bernoulli import Bernoulli
from tensorwright.python.ops.distributions.categorical import Categorical
from tensorwright.python.ops.distributions.distribution import (
    FULLY_REPARAMETERIZED,
    NOT_REPARAMETERIZED,
    Distribution,
    ReparameterizationType,
)
from tensorwright.python.ops.distributions.exponential import Exponential
from tensorwright.python.ops.distributions.kullback_leibler import (
    RegisterKL,
    kl_divergence,
)
from tensorwright.python.ops.distributions.laplace import Laplace
from tensorwright.python.ops.distributions.multinomial import Multinomial
from tensorwright.python.ops.distributions.normal import Normal
from tensorwright.python.ops.distributions.uniform import Uniform
