# SPDX-License-Identifier: Apache-2.0
"""Vectors as sets and sequences: distinct values, differences, distances."""

from __future__ import annotations

from typing import Any, cast

from tensorwright.python.framework import dtypes, ops, sparse_tensor
from tensorwright.python.framework.type_aliases import DTypeLike, TensorLike
from tensorwright.python.ops import gen_array_ops
from tensorwright.python.util.renamed_arguments import deprecated_argument_lookup


def unique(
    x: TensorLike, out_idx: DTypeLike = dtypes.int32, name: str | None = None
) -> gen_array_ops._UniqueOutput:
    """(y, idx): the distinct elements of vector `x`, and where each of `x` is."""
    return gen_array_ops.unique(x, out_idx=out_idx, name=name)


def unique_with_counts(
    x: TensorLike, out_idx: DTypeLike = dtypes.int32, name: str | None = None
) -> gen_array_ops._UniqueWithCountsOutput:
    """(y, idx, count): `unique`, and how often each of `y` is in `x`."""
    return gen_array_ops.unique_with_counts(x, out_idx=out_idx, name=name)


def setdiff1d(
    x: TensorLike,
    y: TensorLike,
    index_dtype: DTypeLike = dtypes.int32,
    name: str | None = None,
) -> gen_array_ops._ListDiffOutput:
    """(out, idx): the elements of vector `x` that `y` lacks, and where they are."""
    return gen_array_ops.list_diff(x, y, out_idx=index_dtype, name=name)


def listdiff(
    x: TensorLike,
    y: TensorLike,
    out_idx: DTypeLike | None = None,
    name: str | None = None,
) -> gen_array_ops._ListDiffOutput:
    """`setdiff1d` by its older name."""
    return gen_array_ops.list_diff(x, y, out_idx=cast(Any, out_idx), name=name)


def edit_distance(
    hypothesis: sparse_tensor.SparseTensor | sparse_tensor.SparseTensorValue,
    truth: sparse_tensor.SparseTensor | sparse_tensor.SparseTensorValue,
    normalize: bool = True,
    name: str = "edit_distance",
) -> ops.Tensor:
    """The Levenshtein distances of sequences along the last dimension.

    Args:
      hypothesis: SparseTensor [..., n].
      truth: SparseTensor [..., m] of the same dtype.
      normalize: divide by the length of the truth; a truth of no elements is then
        infinitely far from any other.
      name: the op's name.

    Returns:
      float32 [...].  Raises TypeError if an argument is no SparseTensor.
    """
    parts = []
    for label, value in (("Hypothesis", hypothesis), ("Truth", truth)):
        if isinstance(value, sparse_tensor.SparseTensorValue):
            value = sparse_tensor.SparseTensor.from_value(value)
        if not isinstance(value, sparse_tensor.SparseTensor):
            raise TypeError(f"{label} must be a SparseTensor, got {value!r}")
        parts += [value.indices, value.values, value.dense_shape]
    return gen_array_ops.edit_distance(*parts, normalize=normalize, name=name)


def reverse_sequence(
    input: TensorLike,
    seq_lengths: TensorLike,
    seq_axis: int | None = None,
    batch_axis: int | None = None,
    name: str | None = None,
    seq_dim: int | None = None,
    batch_dim: int | None = None,
) -> ops.Tensor:
    """Turns round the first seq_lengths[i] positions of sequence i.

    `input` has the sequences along `batch_axis` (0) and their elements along
    `seq_axis`; seq_lengths: int32 or int64 [input.shape[batch_axis]].
    """
    along, across = (
        deprecated_argument_lookup(f"{kind}_axis", axis, f"{kind}_dim", dim)
        for kind, axis, dim in (
            ("seq", seq_axis, seq_dim),
            ("batch", batch_axis, batch_dim),
        )
    )
    return gen_array_ops.reverse_sequence(input, seq_lengths, along, across or 0, name)
