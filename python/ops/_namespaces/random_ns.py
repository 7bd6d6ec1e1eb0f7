# SPDX-License-Identifier: Apache-2.0
"""tf.random: re-exports, no code."""

from tensorwright.python.framework.random_seed import (
    get_seed,
    set_random_seed,
)
from tensorwright.python.ops.candidate_sampling_ops import (
    all_candidate_sampler,
    fixed_unigram_candidate_sampler,
    learned_unigram_candidate_sampler,
    log_uniform_candidate_sampler,
    uniform_candidate_sampler,
)
from tensorwright.python.ops.random_ops import (
    categorical,
    multinomial,
    random_gamma as gamma,
    random_normal as normal,
    random_poisson as poisson,
    random_shuffle as shuffle,
    random_uniform as uniform,
    truncated_normal,
)
from tensorwright.python.ops.stateless_random_ops import (
    stateless_random_normal as stateless_normal,
    stateless_random_uniform as stateless_uniform,
    stateless_truncated_normal,
)
from tensorwright.python.ops.stateless_random_ops_samples import (
    stateless_categorical,
    stateless_multinomial,
    stateless_random_binomial as stateless_binomial,
    stateless_random_gamma as stateless_gamma,
    stateless_random_poisson as stateless_poisson,
)

__all__ = [
    "all_candidate_sampler",
    "categorical",
    "fixed_unigram_candidate_sampler",
    "gamma",
    "get_seed",
    "learned_unigram_candidate_sampler",
    "log_uniform_candidate_sampler",
    "multinomial",
    "normal",
    "poisson",
    "set_random_seed",
    "shuffle",
    "stateless_binomial",
    "stateless_categorical",
    "stateless_gamma",
    "stateless_multinomial",
    "stateless_normal",
    "stateless_poisson",
    "stateless_truncated_normal",
    "stateless_uniform",
    "truncated_normal",
    "uniform",
    "uniform_candidate_sampler",
]
