# SPDX-License-Identifier: Apache-2.0
"""Samplers of classes for losses that look at some classes only."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tensorwright.python.framework import ops, random_seed
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import gen_candidate_sampling_ops

_Samples = tuple[ops.Tensor, ops.Tensor, ops.Tensor]

_ARGUMENTS = """

    Args:
        true_classes: int64 [batch, num_true], classes that are right.
        num_true: how many of each example.
        num_sampled: how many classes are drawn, for the whole batch.
        unique: all different; InvalidArgumentError in the run if there are not so many.
        range_max: the classes are [0, range_max).
        seed: of this op; see `set_random_seed`.

    Returns:
        sampled_candidates: int64 [num_sampled].
        true_expected_count: float32 [batch, num_true], how often each of true_classes is expected to be drawn.
        sampled_expected_count: float32 [num_sampled], the same of sampled_candidates.
    """


def _seeds(seed: int | None) -> dict[str, Any]:
    """The attributes by which an op gets its seeds: the graph's and its own."""
    return dict(zip(("seed", "seed2"), random_seed.get_seed(seed)))


def uniform_candidate_sampler(
    true_classes: TensorLike,
    num_true: int,
    num_sampled: int,
    unique: bool,
    range_max: int,
    seed: int | None = None,
    name: str | None = None,
) -> _Samples:
    """Classes of [0, range_max), each equally likely."""
    return gen_candidate_sampling_ops.uniform_candidate_sampler(
        true_classes,
        num_true,
        num_sampled,
        unique,
        range_max,
        name=name,
        **_seeds(seed),
    )


def log_uniform_candidate_sampler(
    true_classes: TensorLike,
    num_true: int,
    num_sampled: int,
    unique: bool,
    range_max: int,
    seed: int | None = None,
    name: str | None = None,
) -> _Samples:
    """Class k with probability log((k + 2) / (k + 1)) / log(range_max + 1), as words by their rank (Zipf)."""
    return gen_candidate_sampling_ops.log_uniform_candidate_sampler(
        true_classes,
        num_true,
        num_sampled,
        unique,
        range_max,
        name=name,
        **_seeds(seed),
    )


def learned_unigram_candidate_sampler(
    true_classes: TensorLike,
    num_true: int,
    num_sampled: int,
    unique: bool,
    range_max: int,
    seed: int | None = None,
    name: str | None = None,
) -> _Samples:
    """Classes in proportion to one more than how often they were among `true_classes` so far."""
    return gen_candidate_sampling_ops.learned_unigram_candidate_sampler(
        true_classes,
        num_true,
        num_sampled,
        unique,
        range_max,
        name=name,
        **_seeds(seed),
    )


def fixed_unigram_candidate_sampler(
    true_classes: TensorLike,
    num_true: int,
    num_sampled: int,
    unique: bool,
    range_max: int,
    vocab_file: str = "",
    distortion: float = 1.0,
    num_reserved_ids: int = 0,
    num_shards: int = 1,
    shard: int = 0,
    unigrams: Sequence[float] = (),
    seed: int | None = None,
    name: str | None = None,
) -> _Samples:
    """Classes in proportion to `unigrams`, or the last column of the lines of `vocab_file`, to the power of `distortion`.

    The first `num_reserved_ids` classes are never drawn; of `num_shards` interleaved parts, `shard` is drawn.
    """
    frequencies = {"vocab_file": vocab_file, "unigrams": list(unigrams)}
    part = {"num_shards": num_shards, "shard": shard}
    return gen_candidate_sampling_ops.fixed_unigram_candidate_sampler(
        true_classes,
        num_true,
        num_sampled,
        unique,
        range_max,
        name=name,
        distortion=distortion,
        num_reserved_ids=num_reserved_ids,
        **frequencies,
        **part,
        **_seeds(seed),
    )


def all_candidate_sampler(
    true_classes: TensorLike,
    num_true: int,
    num_sampled: int,
    unique: bool,
    seed: int | None = None,
    name: str | None = None,
) -> _Samples:
    """Samples all classes of [0, num_sampled), each expected once: for tests of code that samples."""
    return gen_candidate_sampling_ops.all_candidate_sampler(
        true_classes, num_true, num_sampled, unique, name=name, **_seeds(seed)
    )


for _function in (
    uniform_candidate_sampler,
    log_uniform_candidate_sampler,
    learned_unigram_candidate_sampler,
    fixed_unigram_candidate_sampler,
    all_candidate_sampler,
):
    _function.__doc__ = f"{_function.__doc__}{_ARGUMENTS}"


def compute_accidental_hits(
    true_classes: TensorLike,
    sampled_candidates: TensorLike,
    num_true: int,
    seed: int | None = None,
    name: str | None = None,
) -> gen_candidate_sampling_ops._ComputeAccidentalHitsOutput:
    """Finds the sampled candidates that are true classes, so that their logits can be left out.

    Args:
        true_classes: int64 [batch, num_true].
        sampled_candidates: int64 [num_sampled].

    Returns:
        indices: int32 [hits], rows of the batch.
        ids: int64 [hits], places among the candidates.
        weights: float32 [hits], the lowest number of the dtype, to add to logits.
    """
    return gen_candidate_sampling_ops.compute_accidental_hits(
        true_classes, sampled_candidates, num_true, name=name, **_seeds(seed)
    )
