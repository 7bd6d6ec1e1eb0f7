# SPDX-License-Identifier: Apache-2.0
"""The best tags of sequences by operations of the graph, and scores where a step may have several tags."""

from __future__ import annotations

from tensorwright.contrib.crf.python.ops.crf import crf_log_norm
from tensorwright.python.framework import dtypes, ops
from tensorwright.python.framework.type_aliases import ScopeLike, TensorLike
from tensorwright.python.ops import array_ops, math_ops, rnn
from tensorwright.python.ops.rnn_cell_impl import RNNCell


class CrfDecodeForwardRnnCell(RNNCell):
    """A step of Viterbi's algorithm: best scores that end in each tag, and the tags that they came from.

    Args:
        transition_params: [tags, tags].
    """

    def __init__(self, transition_params: TensorLike):
        super().__init__()
        transitions = ops.convert_to_tensor(transition_params)
        self._transitions = array_ops.expand_dims(transitions, 0)
        self._num_tags = transitions.get_shape()[0].value

    @property
    def state_size(self) -> int:
        return self._num_tags

    @property
    def output_size(self) -> int:
        return self._num_tags

    def __call__(
        self, inputs: TensorLike, state: TensorLike, scope: ScopeLike | None = None
    ) -> tuple:
        """(int32 [batch, tags], where each best score came from; [batch, tags], the best scores)."""
        del scope
        reached = array_ops.expand_dims(state, 2) + self._transitions
        back = math_ops.cast(math_ops.argmax(reached, 1), dtypes.int32)
        return back, inputs + math_ops.reduce_max(reached, [1])


class CrfDecodeBackwardRnnCell(RNNCell):
    """A step back along the best path: from int32 [batch, tags], and the tag [batch, 1], to the tag before.

    Args:
        num_tags: how many tags there are.
    """

    def __init__(self, num_tags: int):
        super().__init__()
        self._num_tags = num_tags

    @property
    def state_size(self) -> int:
        return 1

    @property
    def output_size(self) -> int:
        return 1

    def __call__(
        self, inputs: TensorLike, state: TensorLike, scope: ScopeLike | None = None
    ) -> tuple:
        """(int32 [batch, 1], the same)."""
        del scope
        tags = array_ops.squeeze(state, axis=[1])
        places = array_ops.stack([math_ops.range(array_ops.shape(inputs)[0]), tags], 1)
        before = array_ops.expand_dims(array_ops.gather_nd(inputs, places), 1)
        return before, before


def crf_decode(
    potentials: TensorLike,
    transition_params: TensorLike,
    sequence_length: TensorLike,
) -> tuple[ops.Tensor, ops.Tensor]:
    """The tags of the highest score of each sequence.

    Args:
        potentials: [batch, time, tags], scores of tags.
        transition_params: [tags, tags].
        sequence_length: integers [batch].

    Returns:
        (int32 [batch, time], 0 behind the end of a sequence; the scores [batch]).

    Example:
        tags, score = tf.contrib.crf.crf_decode(logits, transitions, lengths)
    """
    potentials = ops.convert_to_tensor(potentials)
    steps = math_ops.cast(ops.convert_to_tensor(sequence_length), dtypes.int32)
    transitions = math_ops.cast(transition_params, potentials.dtype)
    num_tags = potentials.get_shape()[2].value
    if num_tags is None:
        raise ValueError(
            "crf_decode: the number of tags of potentials must be known, got shape "
            f"{potentials.get_shape()}"
        )
    # A sequence of n tags has n - 1 transitions.
    less_one = math_ops.maximum(steps - 1, 0)
    back, last = rnn.dynamic_rnn(
        CrfDecodeForwardRnnCell(transitions),
        potentials[:, 1:],
        sequence_length=less_one,
        initial_state=potentials[:, 0],
        dtype=dtypes.int32,
        scope="crf_decode_forward",
    )
    back = array_ops.reverse_sequence(back, less_one, seq_axis=1)
    end = math_ops.cast(math_ops.argmax(last, 1), dtypes.int32)
    end = array_ops.expand_dims(end, 1)
    before, _ = rnn.dynamic_rnn(
        CrfDecodeBackwardRnnCell(num_tags),
        back,
        sequence_length=less_one,
        initial_state=end,
        dtype=dtypes.int32,
        scope="crf_decode_backward",
    )
    tags = array_ops.concat([end, array_ops.squeeze(before, axis=[2])], 1)
    tags = array_ops.reverse_sequence(tags, steps, seq_axis=1)
    tags.set_shape(potentials.get_shape()[:2])
    return tags, math_ops.reduce_max(last, [1])


def crf_multitag_sequence_score(
    inputs: TensorLike,
    tag_bitmap: TensorLike,
    sequence_lengths: TensorLike,
    transition_params: TensorLike,
) -> ops.Tensor:
    """The logarithm of the sum of exp(score) over all sequences of tags that a bitmap allows: [batch].

    Args:
        inputs: [batch, time, tags], scores of tags.
        tag_bitmap: bools of that shape, whether a step may have a tag.
        sequence_lengths: integers [batch].
        transition_params: [tags, tags].
    """
    inputs = ops.convert_to_tensor(inputs)
    # Not minus infinity: gradients of the difference of two infinities are NaN.
    never = array_ops.fill(array_ops.shape(inputs), inputs.dtype.min / 4)
    allowed = array_ops.where(math_ops.cast(tag_bitmap, dtypes.bool), inputs, never)
    return crf_log_norm(allowed, sequence_lengths, transition_params)
