# SPDX-License-Identifier: Apache-2.0
"""Label sequences for connectionist temporal classification: repeats collapsed, distinct labels."""

from __future__ import annotations

from tensorwright.python.framework import dtypes, ops
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import array_ops, functional_ops, math_ops


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
        # Where each kept label goes in its row.
        places = math_ops.cumsum(kept, axis=1) - 1
        found = math_ops.cast(array_ops.where(kept > 0), dtypes.int32)
        targets = array_ops.stack(
            [found[:, 0], array_ops.gather_nd(places, found)], axis=1
        )
        # With a 0, so that no rows have a longest one too.
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
