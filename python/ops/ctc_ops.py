# SPDX-License-Identifier: Apache-2.0
"""Connectionist temporal classification (Graves et al., 2006): its loss, decoders, and label sequences for it.

A sequence of labels has no alignment with the time steps of an input.  Each step has a distribution over the labels and
one more class, the blank; a sequence's probability is the sum over its alignments, in which each label takes one or more
steps and blanks stand between labels.
"""

from __future__ import annotations

from typing import Any

from tensorwright.python.framework import dtypes, ops
from tensorwright.python.framework.sparse_tensor import SparseTensor
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import (
    array_ops,
    functional_ops,
    gen_ctc_ops,
    math_ops,
)
from tensorwright.python.util import renamed_arguments

_HALVES = (dtypes.float16, dtypes.bfloat16)


def ctc_loss(
    labels: SparseTensor,
    inputs: TensorLike | None = None,
    sequence_length: TensorLike | None = None,
    preprocess_collapse_repeated: bool = False,
    ctc_merge_repeated: bool = True,
    ignore_longer_outputs_than_inputs: bool = False,
    time_major: bool = True,
    logits: TensorLike | None = None,
) -> ops.Tensor:
    """Minus the logarithm of the probability of each row of labels.

    Args:
        labels: int32 SparseTensor of shape [batch, any]: row b has the labels of batch entry b, in [0, classes - 1).
        inputs: half, bfloat16, float or double [time, batch, classes], logits; the last class is the blank.
        sequence_length: int32 [batch], how many time steps of each entry count.
        preprocess_collapse_repeated: equal labels in a row become one before anything else.
        ctc_merge_repeated: a label may take several steps.  If not, each takes one, and equal ones need no blank between.
        ignore_longer_outputs_than_inputs: an entry with more labels than steps has loss and gradient 0; without it,
            InvalidArgumentError in the run.
        time_major: if not, `inputs` is [batch, time, classes].
        logits: another name of `inputs`.

    Returns:
        [batch], of the dtype of `inputs`.  It has a first derivative, and no second.

    Raises:
        TypeError: if `labels` is no SparseTensor.
        ValueError: if `inputs` or `sequence_length` is missing, or shapes do not fit.
    """
    inputs = renamed_arguments.required_argument("logits", logits, "inputs", inputs)
    if sequence_length is None:
        raise ValueError("Argument 'sequence_length' is required")
    if not isinstance(labels, SparseTensor):
        raise TypeError(f"Expected labels to be a SparseTensor, got {labels!r}")
    inputs = ops.convert_to_tensor(inputs, name="logits")
    dtype = inputs.dtype.base_dtype
    if dtype in _HALVES:
        inputs = math_ops.cast(inputs, dtypes.float32)
    if not time_major:
        inputs = array_ops.transpose(inputs, [1, 0, 2])
    loss, _ = gen_ctc_ops.ctc_loss(
        inputs, labels.indices, labels.values, sequence_length,
        preprocess_collapse_repeated=preprocess_collapse_repeated,
        ctc_merge_repeated=ctc_merge_repeated,
        ignore_longer_outputs_than_inputs=ignore_longer_outputs_than_inputs,
    )  # fmt: skip
    return math_ops.cast(loss, dtype) if dtype in _HALVES else loss


def ctc_loss_v2(
    labels: SparseTensor | TensorLike,
    logits: TensorLike,
    label_length: TensorLike | None,
    logit_length: TensorLike,
    logits_time_major: bool = True,
    unique: tuple[ops.Tensor, ops.Tensor] | None = None,
    blank_index: int | None = None,
    name: str | None = None,
) -> ops.Tensor:
    """Computes minus the logarithm of the probability of each row of labels; any class may be the blank.

    Args:
        labels: integers [batch, any], or an int32 SparseTensor of that shape.
        logits: half, bfloat16, float or double [time, batch, classes].
        label_length: integers [batch], the number of labels of each row that count; None for a SparseTensor.
        logit_length: integers [batch], the number of time steps of each entry that count.
        logits_time_major: if not, `logits` is [batch, time, classes].
        unique: the result of `ctc_unique_labels`; not needed here.
        blank_index: the class that is the blank, counted from the end if negative; 0 if None.  A SparseTensor needs one.
        name: the name of the scope.

    Returns:
        [batch], of the dtype of `logits`; infinite where an entry has more labels than its steps can have.

    Raises:
        ValueError: if `blank_index` is missing or out of range.
    """
    del unique
    with ops.name_scope(name, "ctc_loss", [logits, logit_length]):
        logits = ops.convert_to_tensor(logits, name="logits")
        sparse = isinstance(labels, SparseTensor)
        if blank_index is None:
            if sparse:
                raise ValueError("blank_index is required if labels are sparse")
            blank_index = 0
        if not sparse:
            labels = ops.convert_to_tensor(labels, name="labels")
            assert label_length is not None, "dense labels have lengths"
            label_length = math_ops.cast(label_length, dtypes.int64)
            possible = _has_alignment(labels, label_length, logit_length)
            labels = _to_sparse(labels, label_length)
        logits, labels = _blank_last(logits, labels, blank_index)
        loss = ctc_loss(
            labels,
            logits,
            math_ops.cast(logit_length, dtypes.int32),
            ignore_longer_outputs_than_inputs=not sparse,
            time_major=logits_time_major,
        )
        if sparse:
            return loss
        none = array_ops.fill(
            array_ops.shape(loss), math_ops.cast(float("inf"), loss.dtype)
        )
        return array_ops.where(possible, loss, none)


def _to_sparse(labels: ops.Tensor, lengths: ops.Tensor) -> SparseTensor:
    """The first labels of each row, [batch, any], as an int32 SparseTensor."""
    shape = array_ops.shape(labels, out_type=dtypes.int64)
    counts = array_ops.sequence_mask(lengths, maxlen=shape[1])
    indices = array_ops.where(counts)
    values = array_ops.gather_nd(labels, indices)
    return SparseTensor(indices, math_ops.cast(values, dtypes.int32), shape)


def _has_alignment(
    labels: ops.Tensor, lengths: ops.Tensor, steps: TensorLike
) -> ops.Tensor:
    """bool [batch]: is there a step for each label, and for the blank between equal ones?"""
    width = array_ops.shape(labels, out_type=dtypes.int64)[1]
    counts = array_ops.sequence_mask(lengths, maxlen=width)
    repeats = math_ops.logical_and(
        math_ops.equal(labels[:, 1:], labels[:, :-1]), counts[:, 1:]
    )
    needed = math_ops.reduce_sum(math_ops.cast(counts, dtypes.int64), 1)
    needed += math_ops.reduce_sum(math_ops.cast(repeats, dtypes.int64), 1)
    return math_ops.less_equal(needed, math_ops.cast(steps, dtypes.int64))


def _blank_last(
    logits: ops.Tensor, labels: SparseTensor, blank: int
) -> tuple[ops.Tensor, SparseTensor]:
    """Returns logits and labels whose blank is the last class."""
    classes = logits.get_shape().with_rank(3).as_list()[2]
    if classes is not None and not -classes <= blank < classes:
        raise ValueError(f"blank_index must be in [-{classes}, {classes}), got {blank}")
    if blank == -1 or blank + 1 == classes:
        return logits, labels
    if blank < 0:
        count: Any = array_ops.shape(logits)[2] if classes is None else classes
        blank = blank + count
    moved = array_ops.concat(
        [
            logits[:, :, :blank],
            logits[:, :, blank + 1 :],
            logits[:, :, blank : blank + 1],
        ],
        axis=2,
    )
    values = labels.values
    values = array_ops.where(math_ops.less(values, blank), values, values - 1)
    return moved, SparseTensor(labels.indices, values, labels.dense_shape)


def ctc_greedy_decoder(
    inputs: TensorLike,
    sequence_length: TensorLike,
    merge_repeated: bool = True,
    blank_index: int | None = None,
) -> tuple[list[SparseTensor], ops.Tensor]:
    """The labels with the largest logits, without blanks.

    Args:
        inputs: float or double [time, batch, classes], logits.
        sequence_length: int32 [batch], how many time steps of each entry count.
        merge_repeated: a label in several steps in a row is one.
        blank_index: the class that is the blank, counted from the end if negative; the last one if None.

    Returns:
        A list of one int64 SparseTensor [batch, longest sequence].
        [batch, 1], minus the sum of these logits, of the dtype of `inputs`.

    Raises:
        FailedPreconditionError: in the run, for a sequence longer than the input.
    """
    indices, values, shape, score = gen_ctc_ops.ctc_greedy_decoder(
        inputs,
        sequence_length,
        merge_repeated=merge_repeated,
        blank_index=-1 if blank_index is None else blank_index,
    )
    return [SparseTensor(indices, values, shape)], score


def ctc_beam_search_decoder(
    inputs: TensorLike,
    sequence_length: TensorLike,
    beam_width: int = 100,
    top_paths: int = 1,
    merge_repeated: bool = True,
) -> tuple[list[SparseTensor], ops.Tensor]:
    """Finds the most probable label sequences, summed over their alignments, by a beam search.

    Args:
        inputs: float or double [time, batch, classes], logits; the last class is the blank.
        sequence_length: int32 [batch], the number of time steps of each entry that count.
        beam_width: the number of sequences that are kept from step to step.
        top_paths: the number of sequences to return, at most `beam_width`.
        merge_repeated: whether equal neighbours in a found sequence are written as one, although a blank is between
            them: "hello" becomes "helo".

    Returns:
        `top_paths` int64 SparseTensors [batch, longest sequence], the most probable first.
        [batch, top_paths], logarithms of their probabilities, of the dtype of `inputs`.

    Raises:
        InvalidArgumentError: in the run, an entry's beam has fewer sequences.
        FailedPreconditionError: in the run, a sequence is longer than the input.
    """
    indices, values, shapes, score = gen_ctc_ops.ctc_beam_search_decoder(
        inputs,
        sequence_length,
        beam_width=beam_width,
        top_paths=top_paths,
        merge_repeated=merge_repeated,
    )
    paths = zip(indices, values, shapes, strict=True)
    return [SparseTensor(*path) for path in paths], score


def ctc_beam_search_decoder_v2(
    inputs: TensorLike,
    sequence_length: TensorLike,
    beam_width: int = 100,
    top_paths: int = 1,
) -> tuple[list[SparseTensor], ops.Tensor]:
    """`ctc_beam_search_decoder` that writes each sequence as it is."""
    return ctc_beam_search_decoder(
        inputs, sequence_length, beam_width, top_paths, merge_repeated=False
    )


def collapse_repeated(
    labels: TensorLike, seq_length: TensorLike, name: str | None = None
) -> tuple[ops.Tensor, ops.Tensor]:
    """Each run of equal labels becomes one.

    labels: [batch, time], seq_length: integers [batch], how many labels of each row count ->
    ([batch, longest], 0 after each row's end; the new lengths, of the dtype of `seq_length`).
    """
    with ops.name_scope(name, "collapse_repeated_labels", [labels, seq_length]):
        labels = ops.convert_to_tensor(labels, name="labels")
        seq_length = ops.convert_to_tensor(seq_length, name="seq_length")
        labels.get_shape().assert_has_rank(2)
        seq_length.get_shape().assert_has_rank(1)
        starts = math_ops.not_equal(labels[:, 1:], labels[:, :-1])
        starts = array_ops.concat(
            [array_ops.ones_like(labels[:, :1], dtypes.bool), starts], 1
        )
        width = math_ops.cast(array_ops.shape(labels)[1], seq_length.dtype)
        counts = array_ops.sequence_mask(seq_length, maxlen=width)
        kept = math_ops.cast(math_ops.logical_and(starts, counts), dtypes.int32)
        lengths = math_ops.reduce_sum(kept, 1)
        # The place of each kept label in its row.
        places = math_ops.cumsum(kept, axis=1) - 1
        found = math_ops.cast(array_ops.where(kept > 0), dtypes.int32)
        targets = array_ops.stack(
            [found[:, 0], array_ops.gather_nd(places, found)], axis=1
        )
        # The appended 0 gives a maximum even without rows.
        longest = math_ops.reduce_max(array_ops.concat([lengths, [0]], 0))
        collapsed = array_ops.scatter_nd(
            targets,
            array_ops.gather_nd(labels, found),
            array_ops.stack([array_ops.shape(labels)[0], longest]),
        )
        return collapsed, math_ops.cast(lengths, seq_length.dtype)


def ctc_unique_labels(
    labels: TensorLike, name: str | None = None
) -> tuple[ops.Tensor, ops.Tensor]:
    """The distinct labels of each row, in order of appearance, and where each label is among them.

    labels: [batch, time] -> (int64 [batch, time], 0 after the last distinct one; int32 [batch, time]).
    """
    with ops.name_scope(name, "ctc_unique_labels", [labels]):
        labels = ops.convert_to_tensor(labels, name="labels")
        labels.get_shape().assert_has_rank(2)

        def of_row(row: ops.Tensor) -> tuple[ops.Tensor, ops.Tensor]:
            found, places = array_ops.unique(row)
            missing = array_ops.size(places) - array_ops.size(found)
            padded = array_ops.pad(found, [[0, missing]])
            padded.set_shape(row.get_shape())
            return math_ops.cast(padded, dtypes.int64), places

        return tuple(
            functional_ops.map_fn(of_row, labels, dtype=(dtypes.int64, dtypes.int32))
        )
