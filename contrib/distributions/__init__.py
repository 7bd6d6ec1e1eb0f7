# SPDX-License-Identifier: Apache-2.0
"""`tf.contrib.distributions`: those of `tf.distributions`, and more; bijectors, and distributions transformed by them."""

from tensorwright.contrib.distributions.python.ops import bijectors
from tensorwright.contrib.distributions.python.ops._affine_vectors import (
    MultivariateNormalDiag,
    MultivariateNormalDiagPlusLowRank,
    MultivariateNormalDiagWithSoftplusScale,
    MultivariateNormalFullCovariance,
    MultivariateNormalTriL,
    VectorExponentialDiag,
    VectorLaplaceDiag,
)
from tensorwright.contrib.distributions.python.ops._continuous import (
    Chi2,
    Chi2WithAbsDf,
    InverseGamma,
    InverseGammaWithSoftplusConcentrationRate,
    Logistic,
)
from tensorwright.contrib.distributions.python.ops._counts import (
    Binomial,
    Geometric,
    NegativeBinomial,
    Poisson,
)
from tensorwright.contrib.distributions.python.ops._helpers import (
    matrix_diag_transform,
    normal_conjugates_known_scale_posterior,
    normal_conjugates_known_scale_predictive,
    percentile,
)
from tensorwright.contrib.distributions.python.ops._mixture import Mixture
from tensorwright.contrib.distributions.python.ops._points import (
    Deterministic,
    OneHotCategorical,
    VectorDeterministic,
)
from tensorwright.contrib.distributions.python.ops._quantized import (
    QuantizedDistribution,
)
from tensorwright.contrib.distributions.python.ops._relaxed import (
    ExpRelaxedOneHotCategorical,
    RelaxedBernoulli,
    RelaxedOneHotCategorical,
)
from tensorwright.contrib.distributions.python.ops._transformed import (
    ConditionalDistribution,
    ConditionalTransformedDistribution,
    TransformedDistribution,
)
from tensorwright.contrib.distributions.python.ops._wishart import (
    WishartCholesky,
    WishartFull,
)
from tensorwright.python.ops.distributions.bernoulli import BernoulliWithSigmoidProbs
from tensorwright.python.ops.distributions.distributions import (
    FULLY_REPARAMETERIZED,
    NOT_REPARAMETERIZED,
    Bernoulli,
    Beta,
    Categorical,
    Dirichlet,
    DirichletMultinomial,
    Distribution,
    Exponential,
    Gamma,
    Laplace,
    Multinomial,
    Normal,
    RegisterKL,
    ReparameterizationType,
    StudentT,
    Uniform,
    kl_divergence,
)
from tensorwright.python.ops.distributions.exponential import (
    ExponentialWithSoftplusRate,
)
from tensorwright.python.ops.distributions.gamma import (
    GammaWithSoftplusConcentrationRate,
)
from tensorwright.python.ops.distributions.util import softplus_inverse

kl = kl_divergence
