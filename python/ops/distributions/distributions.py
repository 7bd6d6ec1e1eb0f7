# SPDX-License-Identifier: Apache-2.0
"""tf.distributions: re-exports, no code."""

# ruff: noqa: F401
from tensorwright.python.ops.distributions.bernoulli import Bernoulli as Bernoulli
from tensorwright.python.ops.distributions.beta import Beta as Beta
from tensorwright.python.ops.distributions.categorical import Categorical as Categorical
from tensorwright.python.ops.distributions.dirichlet import Dirichlet as Dirichlet
from tensorwright.python.ops.distributions.dirichlet_multinomial import (
    DirichletMultinomial as DirichletMultinomial,
)
from tensorwright.python.ops.distributions.distribution import (
    FULLY_REPARAMETERIZED as FULLY_REPARAMETERIZED,
    NOT_REPARAMETERIZED as NOT_REPARAMETERIZED,
    Distribution as Distribution,
    ReparameterizationType as ReparameterizationType,
)
from tensorwright.python.ops.distributions.exponential import Exponential as Exponential
from tensorwright.python.ops.distributions.gamma import Gamma as Gamma
from tensorwright.python.ops.distributions.kullback_leibler import (
    RegisterKL as RegisterKL,
    kl_divergence as kl_divergence,
)
from tensorwright.python.ops.distributions.laplace import Laplace as Laplace
from tensorwright.python.ops.distributions.multinomial import Multinomial as Multinomial
from tensorwright.python.ops.distributions.normal import Normal as Normal
from tensorwright.python.ops.distributions.student_t import StudentT as StudentT
from tensorwright.python.ops.distributions.uniform import Uniform as Uniform
