# SPDX-License-Identifier: Apache-2.0
"""Monotonic attention (Raffel et al. 2017): a place is chosen, and the next one is not before it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tensorwright.contrib.seq2seq.python.ops._attention_mechanisms import (
    _BaseAttentionMechanism,
    _without_bias,
    bahdanau_score,
    luong_score,
)
from tensorwright.python.framework import dtypes, ops
from tensorwright.python.framework.type_aliases import DTypeLike, TensorLike
from tensorwright.python.ops import (
    array_ops,
    clip_ops,
    functional_ops,
    init_ops,
    math_ops,
    random_ops,
    variable_scope as vs,
)


def safe_cumprod(x: TensorLike, *args: Any, **kwargs: Any) -> ops.Tensor:
    """Cumulative products of numbers in [0, 1], by sums of logarithms: finite gradients at 0.

    Further arguments are those of `tf.cumsum`.
    """
    with ops.name_scope(None, "SafeCumprod", [x]):
        x = ops.convert_to_tensor(x, name="x")
        tiny = np.finfo(x.dtype.as_numpy_dtype).tiny
        logarithms = math_ops.log(clip_ops.clip_by_value(x, tiny, 1))
        return math_ops.exp(math_ops.cumsum(logarithms, *args, **kwargs))


def monotonic_attention(
    p_choose_i: TensorLike, previous_attention: TensorLike, mode: str
) -> ops.Tensor:
    """Returns the probabilities of the place where a search from `previous_attention` stops: [batch, memory].

    Args:
        p_choose_i: [batch, memory], the probability that the search stops at a place when it comes there.
        previous_attention: [batch, memory], the probabilities of its previous place.
        mode: "recursive" is exact and goes place by place; "parallel" uses cumulative products, and is less exact if
            probabilities are near 0 or 1; "hard" is for probabilities that are all 0 or 1.

    Raises:
        ValueError: `mode` is another one.
    """
    p = ops.convert_to_tensor(p_choose_i, name="p_choose_i")
    previous = ops.convert_to_tensor(previous_attention, name="previous_attention")
    if mode == "recursive":
        passed = array_ops.concat([array_ops.ones_like(p[:, :1]), 1 - p[:, :-1]], 1)
        reached = functional_ops.scan(
            lambda before, here: here[0] * before + here[1],
            [array_ops.transpose(passed), array_ops.transpose(previous)],
            array_ops.zeros_like(p[:, 0]),
        )
        return p * array_ops.transpose(reached)
    if mode == "parallel":
        passed = safe_cumprod(1 - p, axis=1, exclusive=True)
        # The divisor is clipped away from 0.
        shares = previous / clip_ops.clip_by_value(passed, 1e-10, 1.0)
        return p * passed * math_ops.cumsum(shares, axis=1)
    if mode == "hard":
        # 1 for all places that are not before the last one; the first of them that is chosen stays.
        p *= math_ops.cumsum(previous, axis=1)
        return p * math_ops.cumprod(1 - p, axis=1, exclusive=True)
    raise ValueError("mode must be 'recursive', 'parallel', or 'hard'.")


def _monotonic_probability_fn(noise: float, mode: str, seed: int | None) -> Callable:
    """f(score, previous alignments) -> alignments; noise makes scores of training go far from 0."""

    def alignments(score: ops.Tensor, previous: ops.Tensor) -> ops.Tensor:
        if noise > 0:
            drawn = random_ops.random_normal(
                array_ops.shape(score), dtype=score.dtype, seed=seed
            )
            score += noise * drawn
        if mode == "hard":
            p = math_ops.cast(score > 0, score.dtype)
        else:
            p = math_ops.sigmoid(score)
        return monotonic_attention(p, previous, mode)

    return alignments


class _BaseMonotonicAttentionMechanism(_BaseAttentionMechanism):
    """A mechanism that begins at the first place of the memory."""

    _score_bias_init: float

    def initial_alignments(self, batch_size: TensorLike, dtype: DTypeLike) -> Any:
        """1 at the first place, [batch, memory]."""
        batch = ops.convert_to_tensor(batch_size, dtype=dtypes.int32)
        first = array_ops.zeros(array_ops.reshape(batch, [1]), dtype=dtypes.int32)
        return array_ops.one_hot(first, self._alignments_size, dtype=dtype)

    def _bias(self, dtype: Any) -> Any:
        return vs.get_variable(
            "attention_score_bias",
            [],
            dtype=dtype,
            initializer=init_ops.constant_initializer(self._score_bias_init),
        )


class BahdanauMonotonicAttention(_BaseMonotonicAttentionMechanism):
    """Monotonic attention with BahdanauAttention's score and a bias.

    Args:
        num_units, memory, memory_sequence_length, normalize, score_mask_value, name: as in BahdanauAttention.
        sigmoid_noise: deviation of noise that is added to scores, with `sigmoid_noise_seed`; 0 when not training.
        score_bias_init: the initial bias; negative for long memories.
        mode: as in `monotonic_attention`.
    """

    def __init__(
        self,
        num_units: int,
        memory: TensorLike,
        memory_sequence_length: TensorLike | None = None,
        normalize: bool = False,
        score_mask_value: float = float("-inf"),
        sigmoid_noise: float = 0.0,
        sigmoid_noise_seed: int | None = None,
        score_bias_init: float = 0.0,
        mode: str = "parallel",
        name: str = "BahdanauMonotonicAttention",
    ):
        super().__init__(
            _without_bias(num_units, "query_layer"),
            memory,
            _monotonic_probability_fn(sigmoid_noise, mode, sigmoid_noise_seed),
            memory_sequence_length,
            _without_bias(num_units, "memory_layer"),
            score_mask_value=score_mask_value,
            name=name,
        )
        self._normalize = normalize
        self._score_bias_init = score_bias_init

    def _score(self, query: ops.Tensor) -> ops.Tensor:
        with vs.variable_scope(None, "bahdanau_monotonic_attention", [query]):
            processed = self._query_layer(query)
            score = bahdanau_score(processed, self._keys, self._normalize)
            return score + self._bias(query.dtype.base_dtype)


class LuongMonotonicAttention(_BaseMonotonicAttentionMechanism):
    """Monotonic attention with LuongAttention's score and a bias.

    Args:
        num_units, memory, memory_sequence_length, scale, score_mask_value, name: as in LuongAttention.
        sigmoid_noise, sigmoid_noise_seed, score_bias_init, mode: as in BahdanauMonotonicAttention.
    """

    def __init__(
        self,
        num_units: int,
        memory: TensorLike,
        memory_sequence_length: TensorLike | None = None,
        scale: bool = False,
        score_mask_value: float = float("-inf"),
        sigmoid_noise: float = 0.0,
        sigmoid_noise_seed: int | None = None,
        score_bias_init: float = 0.0,
        mode: str = "parallel",
        name: str = "LuongMonotonicAttention",
    ):
        super().__init__(
            None,
            memory,
            _monotonic_probability_fn(sigmoid_noise, mode, sigmoid_noise_seed),
            memory_sequence_length,
            _without_bias(num_units, "memory_layer"),
            score_mask_value=score_mask_value,
            name=name,
        )
        self._scale = scale
        self._score_bias_init = score_bias_init

    def _score(self, query: ops.Tensor) -> ops.Tensor:
        with vs.variable_scope(None, "luong_monotonic_attention", [query]):
            score = luong_score(query, self._keys, self._scale)
            return score + self._bias(query.dtype.base_dtype)
