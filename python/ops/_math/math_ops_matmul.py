# SPDX-License-Identifier: Apache-2.0
"""Products of matrices and tensors."""

from __future__ import annotations

from typing import Any

import numpy as np

from tensorwright.python.framework import dtypes, ops
from tensorwright.python.framework.tensor_util import constant_value
from tensorwright.python.framework.type_aliases import DTypeLike, TensorLike
from tensorwright.python.ops import array_ops, gen_array_ops, gen_math_ops
from tensorwright.python.ops._math import math_ops_complex
from tensorwright.python.ops._math.math_ops_binary import is_value
from tensorwright.python.ops._math.math_ops_unary import cast


def matmul(
    a: TensorLike,
    b: TensorLike,
    transpose_a: bool = False,
    transpose_b: bool = False,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    output_type: DTypeLike | None = None,
    grad_a: bool = False,
    grad_b: bool = False,
    name: str | None = None,
) -> ops.Tensor:
    """The matrix product: [..., m, k] x [..., k, n] -> [..., m, n].

    Each operand may be transposed or adjointed (transposed and conjugated) first.
    An operand said to be sparse may be multiplied with its zeros left out.  Batches of
    known rank are broadcast where a size is known to be 1 or missing; an operand of
    unknown rank is assumed to have the other's.  Raises ValueError if an operand is both
    transposed and adjointed, `output_type` is not the operands', or batches do not broadcast.
    """
    if transpose_a and adjoint_a:
        raise ValueError("matmul: transpose_a and adjoint_a cannot both be True")
    if transpose_b and adjoint_b:
        raise ValueError("matmul: transpose_b and adjoint_b cannot both be True")
    turn_a, turn_b = transpose_a or adjoint_a, transpose_b or adjoint_b
    name = name or "MatMul"
    if a_is_sparse or b_is_sparse or _mixes_bfloat16(a, b):
        a = ops.convert_to_tensor(a, name="a")
        b = ops.convert_to_tensor(b, preferred_dtype=a.dtype.base_dtype, name="b")
        if _are_for_sparse_matmul(a, b):
            product = sparse_matmul(
                a, b, turn_a, turn_b, a_is_sparse, b_is_sparse, name=name
            )
            if a.dtype.base_dtype == b.dtype.base_dtype == dtypes.bfloat16:
                return cast(product, dtypes.bfloat16)
            return product
    if _are_plain_matrices(a, b) and output_type is None:
        return gen_math_ops.mat_mul(
            a, b, transpose_a=turn_a, transpose_b=turn_b, name=name
        )
    with ops.name_scope(name, values=[a, b]) as scope:
        a = ops.convert_to_tensor(a, name="a")
        b = ops.convert_to_tensor(b, dtype=a.dtype.base_dtype, name="b")
        if output_type is not None and dtypes.as_dtype(output_type) != a.dtype:
            raise ValueError("matmul: output_type must be that of the operands")
        rank_a, rank_b = a.get_shape().ndims, b.get_shape().ndims
        if rank_a is not None and rank_b is not None and min(rank_a, rank_b) >= 2:
            if rank_a > 2 and _is_one_matrix(b, rank_a) and not turn_a:
                return _matmul_by_matrix(a, b, transpose_b, adjoint_b, scope)
            a, b = _of_one_batch(a, b)
            rank_a, rank_b = a.get_shape().ndims, b.get_shape().ndims
        # Beside a matrix, a value of unknown rank counts as a matrix, as in TensorFlow 1.x, so
        # that the product's rank is known.
        if all(rank is None or rank > 2 for rank in (rank_a, rank_b)):
            a, adjoint_a = _to_be_adjointed(a, transpose_a, adjoint_a)
            b, adjoint_b = _to_be_adjointed(b, transpose_b, adjoint_b)
            multiply = (
                gen_math_ops.batch_mat_mul
                if _known_alike(a, b)
                else gen_math_ops.batch_mat_mul_v2
            )
            return multiply(a, b, adj_x=adjoint_a, adj_y=adjoint_b, name=scope)
        a = math_ops_complex.conj(a) if adjoint_a else a
        b = math_ops_complex.conj(b) if adjoint_b else b
        return gen_math_ops.mat_mul(
            a, b, transpose_a=turn_a, transpose_b=turn_b, name=scope
        )


def _to_be_adjointed(
    t: ops.Tensor, transpose: bool, adjoint: bool
) -> tuple[ops.Tensor, bool]:
    """(an operand, whether its adjoint is multiplied), which for real numbers is the transpose."""
    if not transpose:
        return t, adjoint
    return (array_ops.matrix_transpose(t), False) if t.dtype.is_complex else (t, True)


def _known_alike(a: ops.Tensor, b: ops.Tensor) -> bool:
    """Do the batches need no broadcasting, whatever comes?"""
    if None in (a.get_shape().ndims, b.get_shape().ndims):
        return False
    batches = [t.get_shape().as_list()[:-2] for t in (a, b)]
    return batches[0] == batches[1] and None not in batches[0]


def _is_one_matrix(t: ops.Tensor, rank: int) -> bool:
    """True for a matrix, or a batch of one, which does not broadcast the other operand, of this rank."""
    batch = t.get_shape().as_list()[:-2]
    return len(batch) <= rank - 2 and all(size == 1 for size in batch)


def _matmul_by_matrix(
    a: ops.Tensor, b: ops.Tensor, transpose_b: bool, adjoint_b: bool, name: str
) -> ops.Tensor:
    """[..., m, k] x [1..., k, n] as a single product of matrices, [... m, k] x [k, n]."""
    rank_a, rank_b = a.get_shape().ndims, b.get_shape().ndims
    assert rank_a is not None and rank_b is not None
    if rank_b > 2:
        b = array_ops.squeeze(b, list(range(rank_b - 2)))
    b = math_ops_complex.conj(b) if adjoint_b else b
    rows, kept, static = _as_matrix(a, [rank_a - 1], contract_last=True)
    product = gen_math_ops.mat_mul(rows, b, transpose_b=transpose_b or adjoint_b)
    width = b.get_shape().as_list()[0 if transpose_b or adjoint_b else 1]
    columns = [width] if width is not None else array_ops.shape(product)[1:]
    return _unfolded(product, kept, columns, static + [width], name)


def _of_one_batch(a: ops.Tensor, b: ops.Tensor) -> tuple[ops.Tensor, ops.Tensor]:
    """Returns both operands, of known ranks, broadcast to one batch if it is known that theirs differ."""
    batches = [t.get_shape()[:-2] for t in (a, b)]
    both = array_ops.broadcast_static_shape(*batches)
    sizes = [batch.as_list() for batch in batches]
    if len(sizes[0]) == len(sizes[1]) and not any(
        (m == 1) != (n == 1) for m, n in zip(*sizes, strict=True)
    ):
        return a, b
    shapes = [array_ops.shape(t) for t in (a, b)]
    target: Any = both.as_list()
    if not both.is_fully_defined():
        target = array_ops.broadcast_dynamic_shape(shapes[0][:-2], shapes[1][:-2])
    result = []
    for t, batch, shape in zip((a, b), sizes, shapes, strict=True):
        if batch != target:
            static = both.concatenate(t.get_shape()[-2:])
            t = array_ops.broadcast_to(t, array_ops.concat([target, shape[-2:]], 0))
            t.set_shape(static)
        result.append(t)
    return tuple(result)


def _are_plain_matrices(a: Any, b: Any) -> bool:
    """Real tensors of rank 2: no scope is needed to convert anything."""
    return all(
        isinstance(t, ops.Tensor)
        and not t.dtype.is_complex
        and t.get_shape().ndims == 2
        for t in (a, b)
    )


def _mixes_bfloat16(a: Any, b: Any) -> bool:
    """Whether one is of bfloat16 and the other is not: only SparseMatMul multiplies these."""
    return (
        isinstance(a, ops.Tensor)
        and isinstance(b, ops.Tensor)
        and a.dtype != b.dtype
        and dtypes.bfloat16 in (a.dtype.base_dtype, b.dtype.base_dtype)
    )


def _are_for_sparse_matmul(a: ops.Tensor, b: ops.Tensor) -> bool:
    """Matrices of float32 or bfloat16, in any mixture."""
    return all(
        t.dtype.base_dtype in (dtypes.float32, dtypes.bfloat16)
        and t.get_shape().ndims == 2
        for t in (a, b)
    )


sparse_matmul = gen_math_ops.sparse_mat_mul


def _matmul_operator(a: Any, b: Any, name: str = "matmul") -> ops.Tensor:
    try:
        return matmul(a, b, name=name)
    except (TypeError, ValueError):
        if hasattr(type(b), "__rmatmul__") and not is_value(b):
            return NotImplemented
        raise


def _reflected_matmul(b: ops.Tensor, a: Any) -> ops.Tensor:
    return matmul(ops.convert_to_tensor(a, dtype=b.dtype.base_dtype), b, name="matmul")


ops.Tensor._override_operator("__matmul__", _matmul_operator)
ops.Tensor._override_operator("__rmatmul__", _reflected_matmul)


def batch_matmul(
    x: TensorLike,
    y: TensorLike,
    adj_x: bool = False,
    adj_y: bool = False,
    name: str | None = None,
) -> ops.Tensor:
    """The matrix product of each pair of matrices in two batches."""
    return gen_math_ops.batch_mat_mul(x, y, adj_x=adj_x, adj_y=adj_y, name=name)


def _contracted_axes(a: ops.Tensor, axes: Any) -> tuple[Any, Any]:
    """The axes of a and of b: lists, or vectors where only the run knows them."""
    if isinstance(axes, ops.Tensor):
        value = constant_value(axes)
        if value is None:
            return _axes_in_run(a, axes)
        axes = value if value.ndim else int(value)
    if isinstance(axes, (int, np.integer)):
        if axes < 0:
            raise ValueError(f"'axes' must be at least 0, got {axes}")
        rank = a.get_shape().ndims
        if rank is None:
            return _axes_in_run(a, ops.convert_to_tensor(axes, dtypes.int32))
        if axes > rank:
            raise ValueError(f"'axes' must not be larger than the rank of 'a', {axes}")
        return list(range(rank - axes, rank)), list(range(axes))
    if isinstance(axes, (list, tuple)) and any(isinstance(x, ops.Tensor) for x in axes):
        if len(axes) != 2:
            raise ValueError(f"tensordot: axes must be a number or a pair, got {axes}")
        of_a, of_b = (
            array_ops.reshape(ops.convert_to_tensor(x, dtypes.int32), [-1])
            for x in axes
        )
        return of_a, of_b
    if not isinstance(axes, (list, tuple, np.ndarray)) or len(axes) != 2:
        raise ValueError(f"tensordot: axes must be a number or a pair, got {axes}")
    first, second = (
        [int(x)] if isinstance(x, (int, np.integer)) else [int(i) for i in x]
        for x in axes
    )
    if len(first) != len(second):
        raise ValueError(
            f"tensordot: axes must name as many of a as of b, got {first} and {second}"
        )
    return first, second


def _axes_in_run(a: ops.Tensor, axes: ops.Tensor) -> tuple[ops.Tensor, ops.Tensor]:
    """`axes` [], [2] or [2, n] -> the axes of a and of b."""
    axes = cast(axes, dtypes.int32)
    ndims = axes.get_shape().ndims
    # Axes of unknown rank count as a pair, as in TensorFlow.
    if ndims == 0:
        rank = array_ops.rank(a)
        return gen_math_ops._range(rank - axes, rank, 1), gen_math_ops._range(
            0, axes, 1
        )
    if ndims == 1:
        return axes[:1], axes[1:]
    pair = array_ops.reshape(axes, [2, -1])
    return pair[0], pair[1]


def _as_matrix_in_run(x: ops.Tensor, axes: Any, contract_last: bool) -> tuple:
    """As `_as_matrix`, for an unknown rank or unknown axes."""
    rank = array_ops.rank(x)
    axes = ops.convert_to_tensor(axes, dtypes.int32)
    axes = axes + cast(gen_math_ops.less(axes, 0), dtypes.int32) * rank
    free, _ = array_ops.setdiff1d(gen_math_ops._range(0, rank, 1), axes)
    order = [free, axes] if contract_last else [axes, free]
    x = array_ops.transpose(x, gen_array_ops.concat_v2(order, 0))
    dims = array_ops.shape(x)
    n = array_ops.size(free)
    m = array_ops.size(axes)
    kept = dims[:n] if contract_last else dims[m:]
    rest = dims[n:] if contract_last else dims[:m]
    inner, outer = gen_math_ops.prod(rest, [0]), gen_math_ops.prod(kept, [0])
    shape = [outer, inner] if contract_last else [inner, outer]
    return array_ops.reshape(x, shape), kept, None


def _as_matrix(x: ops.Tensor, axes: list, contract_last: bool) -> tuple:
    """(x as a matrix with the contracted axes on one side, sizes of the others)."""
    rank = x.get_shape().ndims
    if rank is None or isinstance(axes, ops.Tensor):
        return _as_matrix_in_run(x, axes, contract_last)
    axes = [i + rank if i < 0 else i for i in axes]
    if any(not 0 <= i < rank for i in axes):
        raise ValueError(f"tensordot: axes {axes} out of range for rank {rank}")
    free = [i for i in range(rank) if i not in axes]
    sizes = x.get_shape().as_list()
    perm = free + axes if contract_last else axes + free
    if perm != list(range(rank)):
        x = array_ops.transpose(x, perm)
    if all(s is not None for s in sizes):
        kept = [sizes[i] for i in free]
        inner = int(np.prod([sizes[i] for i in axes], dtype=np.int64))
        outer = int(np.prod(kept, dtype=np.int64))
    else:
        dims = array_ops.shape(x)
        n = len(free)
        kept = dims[:n] if contract_last else dims[len(axes) :]
        rest = dims[n:] if contract_last else dims[: len(axes)]
        inner = gen_math_ops.prod(rest, [0])
        outer = gen_math_ops.prod(kept, [0])
    shape = [outer, inner] if contract_last else [inner, outer]
    static = [sizes[i] for i in free]
    return array_ops.reshape(x, shape), kept, static


def matvec(
    a: TensorLike,
    b: TensorLike,
    transpose_a: bool = False,
    adjoint_a: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    name: str | None = None,
) -> ops.Tensor:
    """The product of matrices and vectors: [..., m, k] x [..., k] -> [..., m]."""
    with ops.name_scope(name, "MatVec", [a, b]):
        columns = array_ops.expand_dims(b, -1)
        product = matmul(
            a,
            columns,
            transpose_a=transpose_a,
            adjoint_a=adjoint_a,
            a_is_sparse=a_is_sparse,
            b_is_sparse=b_is_sparse,
        )
        return array_ops.squeeze(product, [-1])


def adjoint(matrix: TensorLike, name: str | None = None) -> ops.Tensor:
    """The last two dimensions swapped and the numbers conjugated: [..., m, n] -> [..., n, m]."""
    return array_ops.matrix_transpose(matrix, name or "adjoint", conjugate=True)


def tensordot(
    a: TensorLike, b: TensorLike, axes: TensorLike, name: str | None = None
) -> ops.Tensor:
    """The sum of products over pairs of dimensions, as `numpy.tensordot`.

    `axes` is a number n (the last n of `a` with the first n of `b`) or two lists, or an int32 tensor [] or [2, n].
    The ranks need not be known.
    """
    with ops.name_scope(name, "Tensordot", [a, b, axes]) as scope:
        a = ops.convert_to_tensor(a, name="a")
        b = ops.convert_to_tensor(b, dtype=a.dtype.base_dtype, name="b")
        a_axes, b_axes = _contracted_axes(a, axes)
        a2, a_kept, a_static = _as_matrix(a, a_axes, contract_last=True)
        b2, b_kept, b_static = _as_matrix(b, b_axes, contract_last=False)
        product = matmul(a2, b2)
        static = None
        if a_static is not None and b_static is not None:
            static = a_static + b_static
        return _unfolded(product, a_kept, b_kept, static, scope)


def _unfolded(
    product: ops.Tensor, rows: Any, columns: Any, static: list | None, name: str
) -> ops.Tensor:
    """Gives a matrix the original rows and columns again, which are lists of sizes, or vectors in the run."""
    if isinstance(rows, list) and isinstance(columns, list):
        return array_ops.reshape(product, rows + columns, name=name)
    shape = gen_array_ops.concat_v2([_as_sizes(rows), _as_sizes(columns)], 0)
    result = array_ops.reshape(product, shape, name=name)
    if static is not None:
        result.set_shape(static)
    return result


def _as_sizes(kept: Any) -> ops.Tensor:
    return cast(ops.convert_to_tensor(kept, dtype=dtypes.int32), dtypes.int32)
