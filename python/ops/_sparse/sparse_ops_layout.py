# SPDX-License-Identifier: Apache-2.0
"""Elements of sparse tensors elsewhere: in order, in another shape, joined, cut."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tensorwright.python.framework import dtypes, ops, sparse_tensor, tensor_util
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import array_ops, gen_sparse_ops, math_ops
from tensorwright.python.ops._sparse.sparse_ops_argument import Sparse, as_sparse
from tensorwright.python.util.renamed_arguments import deprecated_argument_lookup


class KeywordRequired:
    """Stands where an argument must be given by name."""

    def __repr__(self) -> str:
        return "KeywordRequired()"


def sparse_reorder(
    sp_input: Sparse, name: str | None = None
) -> sparse_tensor.SparseTensor:
    """`sp_input` with its elements in row-major order of their indices.

    Raises:
        TypeError: `sp_input` is not sparse.
    """
    sp_input = as_sparse("sparse_reorder", sp_input)
    indices, values = gen_sparse_ops._sparse_reorder(
        sp_input.indices, sp_input.values, sp_input.dense_shape, name=name
    )
    shape = array_ops.identity(sp_input.dense_shape)
    return sparse_tensor.SparseTensor(indices, values, shape)


def sparse_reshape(
    sp_input: Sparse, shape: TensorLike, name: str | None = None
) -> sparse_tensor.SparseTensor:
    """The same elements, in row-major order, in another shape; one size may be -1.

    Args:
        sp_input: a SparseTensor.
        shape: integers [new rank].
        name: the op's name.

    Raises:
        TypeError: `sp_input` is not sparse.
        ValueError: `shape` is known to have another number of elements, or more than one -1; InvalidArgumentError in
            the run where that is known only there.
    """
    sp_input = as_sparse("sparse_reshape", sp_input)
    with ops.name_scope(name, "SparseReshape", [sp_input.values]) as scope:
        shape = math_ops.cast(shape, dtypes.int64)
        indices, sizes = gen_sparse_ops._sparse_reshape(
            sp_input.indices, sp_input.dense_shape, shape, name=scope
        )
        known = _known_reshape(sp_input, shape)
        if known is not None:
            sizes = ops.convert_to_tensor(known, dtypes.int64)
        return sparse_tensor.SparseTensor(
            indices, array_ops.identity(sp_input.values), sizes
        )


def _known_reshape(sp_input: sparse_tensor.SparseTensor, shape: Any) -> Any:
    """The sizes, if they are known now; ValueError if they are known not to fit."""
    wanted = tensor_util.constant_value(shape)
    if wanted is None:
        return None
    sizes = [int(size) for size in wanted]
    if sizes.count(-1) > 1:
        raise ValueError("At most one dimension can be inferred (-1).")
    given = sp_input.get_shape()
    if not given.is_fully_defined():
        return sizes if -1 not in sizes else None
    count = given.num_elements()
    assert count is not None
    rest = 1
    for size in sizes:
        rest *= 1 if size == -1 else size
    if -1 in sizes and rest > 0 and count % rest == 0:
        sizes[sizes.index(-1)] = count // rest
        rest = count
    if rest != count or min(sizes, default=0) < 0:
        raise ValueError(f"Cannot reshape a tensor of shape {given} into {sizes}")
    return sizes


def sparse_concat(
    axis: int | None = None,
    sp_inputs: Sequence[Sparse] | None = None,
    name: str | None = None,
    expand_nonconcat_dim: bool = False,
    concat_dim: int | None = None,
    expand_nonconcat_dims: bool | None = None,
) -> sparse_tensor.SparseTensor:
    """Concatenates sparse tensors along `axis`.

    Args:
        axis: an int, negative from the end.
        sp_inputs: SparseTensors of one rank and dtype.
        name: the op's name.
        expand_nonconcat_dim: whether the other dimensions may differ: then the largest counts.
        concat_dim: `axis`, by its older name.
        expand_nonconcat_dims: `expand_nonconcat_dim`, by its newer name.

    Raises:
        TypeError: `sp_inputs` is no list of SparseTensors.
        InvalidArgumentError: the shapes do not fit.
    """
    expand = deprecated_argument_lookup(
        "expand_nonconcat_dims",
        expand_nonconcat_dims,
        "expand_nonconcat_dim",
        expand_nonconcat_dim or None,
    )
    axis = deprecated_argument_lookup("axis", axis, "concat_dim", concat_dim)
    if not isinstance(sp_inputs, (list, tuple)):
        raise TypeError(f"sparse_concat: not a list of SparseTensors: {sp_inputs!r}")
    inputs = [as_sparse("sparse_concat", sp) for sp in sp_inputs]
    if len(inputs) == 1:
        return inputs[0]
    if axis is None:
        raise ValueError("sparse_concat: argument 'axis' is required")
    shapes = [sp.dense_shape for sp in inputs]
    if expand:
        largest = math_ops.reduce_max(array_ops.stack(shapes), axis=0)
        rank = array_ops.size(largest)
        place = axis if axis >= 0 else axis + rank
        along = math_ops.equal(math_ops.range(rank), place)
        shapes = [array_ops.where(along, shape, largest) for shape in shapes]
    indices, values, shape = gen_sparse_ops._sparse_concat(
        [sp.indices for sp in inputs],
        [sp.values for sp in inputs],
        shapes,
        axis,
        name=name,
    )
    known = _concatenated([sp.get_shape() for sp in inputs], axis, bool(expand))
    if known is not None:
        shape = ops.convert_to_tensor(known, dtypes.int64)
    return sparse_tensor.SparseTensor(indices, values, shape)


def _concatenated(shapes: list, axis: int, expand: bool) -> list[int] | None:
    """The sizes of the whole, if all are known and fit."""
    if (
        not all(s.is_fully_defined() for s in shapes)
        or len({s.ndims for s in shapes}) != 1
    ):
        return None
    columns = list(zip(*[s.as_list() for s in shapes], strict=True))
    if not -len(columns) <= axis < len(columns):
        return None
    sizes = [max(column) for column in columns]
    sizes[axis] = sum(columns[axis])
    others = [len(set(c)) for d, c in enumerate(columns) if d != axis % len(columns)]
    return sizes if expand or max(others, default=1) == 1 else None


def sparse_split(
    keyword_required: KeywordRequired = KeywordRequired(),
    sp_input: Sparse | None = None,
    num_split: int | None = None,
    axis: TensorLike | None = None,
    name: str | None = None,
    split_dim: TensorLike | None = None,
) -> list[sparse_tensor.SparseTensor]:
    """Splits `sp_input` along `axis` into `num_split` parts; if they cannot be equal, the first are larger by one.

    All arguments are given by name; `split_dim` is `axis`, by its older name.

    Raises:
        ValueError: an argument without a name, or one that is missing.
        TypeError: `sp_input` is not sparse.
        InvalidArgumentError: in the run, for more parts than there are places.
    """
    if not isinstance(keyword_required, KeywordRequired):
        raise ValueError("Keyword arguments are required for this function.")
    if sp_input is None:
        raise ValueError("sp_input is required")
    if num_split is None:
        raise ValueError("num_split is required")
    axis = deprecated_argument_lookup("axis", axis, "split_dim", split_dim)
    if axis is None:
        raise ValueError("axis is required")
    sp_input = as_sparse("sparse_split", sp_input)
    indices, values, shapes = gen_sparse_ops._sparse_split(
        math_ops.cast(axis, dtypes.int64),
        sp_input.indices,
        sp_input.values,
        sp_input.dense_shape,
        num_split,
        name=name,
    )
    return [
        sparse_tensor.SparseTensor(*parts)
        for parts in zip(indices, values, shapes, strict=True)
    ]


def sparse_slice(
    sp_input: Sparse, start: TensorLike, size: TensorLike, name: str | None = None
) -> sparse_tensor.SparseTensor:
    """Returns the elements in the box at `start`, [rank], of `size`, [rank], with indices counted from `start`.

    The part of the box beyond the shape is cut off.

    Raises:
        TypeError: `sp_input` is not sparse.
        InvalidArgumentError: in the run, for negative sizes.
    """
    sp_input = as_sparse("sparse_slice", sp_input)
    with ops.name_scope(name, "SparseSlice", [sp_input.values]) as scope:
        parts = gen_sparse_ops.sparse_slice(
            sp_input.indices,
            sp_input.values,
            sp_input.dense_shape,
            math_ops.cast(start, dtypes.int64),
            math_ops.cast(size, dtypes.int64),
            name=scope,
        )
        return sparse_tensor.SparseTensor(*parts)


def sparse_transpose(
    sp_input: Sparse, perm: TensorLike | None = None, name: str | None = None
) -> sparse_tensor.SparseTensor:
    """`sp_input` with dimension `perm[i]` as its dimension i; None stands for the reverse order.

    Raises:
        TypeError: `sp_input` is not sparse.
    """
    sp_input = as_sparse("sparse_transpose", sp_input)
    with ops.name_scope(name, "SparseTranspose", [sp_input.values]):
        if perm is None:
            known = sp_input.get_shape().ndims
            rank = array_ops.size(sp_input.dense_shape) if known is None else known
            perm = math_ops.range(rank)[::-1]
        shape = array_ops.gather(sp_input.dense_shape, perm)
        columns = array_ops.gather(array_ops.transpose(sp_input.indices), perm)
        moved = sparse_tensor.SparseTensor(
            array_ops.transpose(columns), sp_input.values, shape
        )
        order = tensor_util.constant_value(ops.convert_to_tensor(perm))
        given = sp_input.get_shape()
        if order is not None and given.is_fully_defined():
            sizes = [given.as_list()[d] for d in order]
            shape = ops.convert_to_tensor(sizes, dtypes.int64)
        ordered = sparse_reorder(moved)
        return sparse_tensor.SparseTensor(ordered.indices, ordered.values, shape)
