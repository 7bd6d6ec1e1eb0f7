# SPDX-License-Identifier: Apache-2.0
"""Linear-chain conditional random fields (Lafferty et al. 2001).

The score of tags y of a sequence x is sum_t x[t, y_t] + sum_t transitions[y_t, y_{t+1}]; its probability is exp(score),
divided by the sum of that over all tags.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tensorwright.python.framework import dtypes, ops
from tensorwright.python.framework.type_aliases import ScopeLike, TensorLike
from tensorwright.python.ops import (
    array_ops,
    math_ops,
    rnn,
    variable_scope as vs,
)
from tensorwright.python.ops.rnn_cell_impl import RNNCell


def _mask(lengths: Any, steps: Any, dtype: dtypes.DType) -> ops.Tensor:
    lengths = math_ops.cast(lengths, dtypes.int32)
    return array_ops.sequence_mask(lengths, steps, dtype=dtype)


def crf_unary_score(
    tag_indices: TensorLike, sequence_lengths: TensorLike, inputs: TensorLike
) -> ops.Tensor:
    """sum_t inputs[b, t, tags[b, t]]: [batch] of [batch, time] int32, [batch] and [batch, time, tags]."""
    inputs = ops.convert_to_tensor(inputs)
    shape = array_ops.shape(inputs)
    rows = array_ops.reshape(inputs, [-1, shape[2]])
    tags = array_ops.reshape(math_ops.cast(tag_indices, dtypes.int32), [-1])
    places = array_ops.stack([math_ops.range(shape[0] * shape[1]), tags], 1)
    scores = array_ops.reshape(array_ops.gather_nd(rows, places), shape[:2])
    return math_ops.reduce_sum(
        scores * _mask(sequence_lengths, shape[1], inputs.dtype), 1
    )


def crf_binary_score(
    tag_indices: TensorLike,
    sequence_lengths: TensorLike,
    transition_params: TensorLike,
) -> ops.Tensor:
    """sum_t transitions[tags[b, t], tags[b, t + 1]]: [batch] of [batch, time] int32, [batch] and [tags, tags]."""
    tags = math_ops.cast(ops.convert_to_tensor(tag_indices), dtypes.int32)
    pairs = array_ops.stack([tags[:, :-1], tags[:, 1:]], 2)
    scores = array_ops.gather_nd(ops.convert_to_tensor(transition_params), pairs)
    mask = _mask(sequence_lengths, array_ops.shape(tags)[1], scores.dtype)
    return math_ops.reduce_sum(scores * mask[:, 1:], 1)


def crf_sequence_score(
    inputs: TensorLike,
    tag_indices: TensorLike,
    sequence_lengths: TensorLike,
    transition_params: TensorLike,
) -> ops.Tensor:
    """The scores of tags, not normalised: crf_unary_score + crf_binary_score, [batch]."""
    unary = crf_unary_score(tag_indices, sequence_lengths, inputs)
    return unary + crf_binary_score(tag_indices, sequence_lengths, transition_params)


class CrfForwardRnnCell(RNNCell):
    """A step of the forward algorithm: log sums of scores that end in each tag, [batch, tags]."""

    def __init__(self, transition_params: TensorLike):
        super().__init__()
        self._transitions = ops.convert_to_tensor(transition_params)
        self._num_tags = self._transitions.get_shape()[0].value

    @property
    def state_size(self) -> int:
        return self._num_tags

    @property
    def output_size(self) -> int:
        return self._num_tags

    def __call__(
        self, inputs: TensorLike, state: TensorLike, scope: ScopeLike | None = None
    ) -> tuple:
        """(next sums, next sums) for the scores `inputs` of a step."""
        del scope
        scores = array_ops.expand_dims(state, 2) + self._transitions
        new = inputs + math_ops.reduce_logsumexp(scores, [1])
        return new, new


def crf_log_norm(
    inputs: TensorLike, sequence_lengths: TensorLike, transition_params: TensorLike
) -> ops.Tensor:
    """The logarithm of the sum of exp(score) over all tags of each sequence: [batch]."""
    inputs = ops.convert_to_tensor(inputs)
    _, sums = rnn.dynamic_rnn(
        CrfForwardRnnCell(transition_params),
        inputs[:, 1:],
        sequence_length=math_ops.cast(sequence_lengths, dtypes.int32) - 1,
        initial_state=inputs[:, 0],
        dtype=inputs.dtype,
    )
    return math_ops.reduce_logsumexp(sums, [1])


def crf_log_likelihood(
    inputs: TensorLike,
    tag_indices: TensorLike,
    sequence_lengths: TensorLike,
    transition_params: TensorLike | None = None,
) -> tuple:
    """The logarithm of the probability of tags.

    Args:
        inputs: [batch, time, tags] float32, scores of tags.
        tag_indices: [batch, time] int32.
        sequence_lengths: [batch].
        transition_params: [tags, tags]; a variable "transitions" if absent.

    Returns:
        ([batch], transition_params).
    """
    inputs = ops.convert_to_tensor(inputs)
    if transition_params is None:
        count = inputs.get_shape()[2].value
        transition_params = vs.get_variable("transitions", [count, count])
    score = crf_sequence_score(inputs, tag_indices, sequence_lengths, transition_params)
    log_norm = crf_log_norm(inputs, sequence_lengths, transition_params)
    return score - log_norm, transition_params


def viterbi_decode(score: np.ndarray, transition_params: np.ndarray) -> tuple:
    """The best tags of one sequence, in NumPy.

    Args:
        score: [time, tags].
        transition_params: [tags, tags].

    Returns:
        (a list of tags, their score).
    """
    best, back = np.array(score[0]), []
    for row in score[1:]:
        reached = best[:, None] + transition_params
        back.append(np.argmax(reached, 0))
        best = row + np.max(reached, 0)
    tags = [int(np.argmax(best))]
    for pointers in reversed(back):
        tags.append(int(pointers[tags[-1]]))
    return tags[::-1], np.max(best)
