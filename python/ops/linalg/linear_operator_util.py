# SPDX-License-Identifier: Apache-2.0
"""Helpers of linear operators: checks, broadcasting of batches, blocks of arguments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from tensorwright.python.framework import (
    constant_op,
    dtypes,
    ops,
    tensor_shape,
    tensor_util,
)
from tensorwright.python.framework.type_aliases import DTypeLike, TensorLike
from tensorwright.python.ops import (
    array_ops,
    check_ops,
    gen_linalg_ops,
    math_ops,
    variables,
)
from tensorwright.python.util import nest

if TYPE_CHECKING:
    from collections.abc import Callable

    from tensorwright.python.framework.dtypes import DType
    from tensorwright.python.framework.tensor import Tensor
    from tensorwright.python.framework.type_aliases import SizeLike
    from tensorwright.python.ops._variables.variables_variable import Variable
    from tensorwright.python.ops.linalg.linear_operator import LinearOperator


@overload
def convert_nonref_to_tensor(
    value: None, dtype: DTypeLike | None = None, name: str | None = None
) -> None: ...


@overload
def convert_nonref_to_tensor(
    value: TensorLike, dtype: DTypeLike | None = None, name: str | None = None
) -> Variable | Tensor: ...


def convert_nonref_to_tensor(
    value: TensorLike | None, dtype: DTypeLike | None = None, name: str | None = None
) -> Variable | Tensor | None:
    """Returns a tensor of `value`; a variable stays a variable, and is read when it is used.

    Raises:
        TypeError: a variable is not of `dtype`.
    """
    if value is None:
        return None
    if isinstance(value, variables.Variable):
        if dtype is not None and value.dtype.base_dtype != dtypes.as_dtype(dtype):
            raise TypeError(
                f"{name} must be of dtype {dtypes.as_dtype(dtype).name}, got "
                f"{value.dtype.base_dtype.name}"
            )
        return value
    return ops.convert_to_tensor(value, dtype=dtype, name=name)


def base_dtype(x: TensorLike) -> dtypes.DType | None:
    """Returns the dtype of a value that has one; None for others."""
    dtype = getattr(x, "dtype", None)
    return None if dtype is None else dtypes.as_dtype(dtype).base_dtype


def known_dtype(x: TensorLike) -> dtypes.DType:
    """`base_dtype` of a value that has one, as tensors and variables do."""
    dtype = base_dtype(x)
    assert dtype is not None
    return dtype


def assert_not_ref_type(x: TensorLike, arg_name: str) -> None:
    """TypeError for a variable, whose value a constructor would fix."""
    if isinstance(x, variables.Variable):
        raise TypeError(f"{arg_name} must not be a variable, got {x!r}")


# ---- Assertions, each an operation.


def assert_no_entries_with_modulus_zero(
    x: TensorLike,
    message: str | None = None,
    name: str = "assert_no_entries_with_modulus_zero",
) -> ops.Operation:
    """Fails the run where an element of `x` is 0."""
    with ops.name_scope(name, values=[x]):
        size = math_ops.abs(x)
        zero = np.zeros([], size.dtype.as_numpy_dtype)
        return check_ops.assert_less(zero, size, message=message)


def assert_zero_imag_part(
    x: TensorLike, message: str | None = None, name: str = "assert_zero_imag_part"
) -> ops.Operation:
    """Fails the run where an element of `x` has an imaginary part."""
    with ops.name_scope(name, values=[x]):
        part = math_ops.imag(x)
        zero = np.zeros([], part.dtype.as_numpy_dtype)
        return check_ops.assert_equal(zero, part, message=message)


def assert_compatible_matrix_dimensions(
    operator: LinearOperator, x: ops.Tensor
) -> ops.Operation:
    """Fails the run unless `x` [..., n, k] has as many rows as `operator` has columns."""
    return check_ops.assert_equal(
        operator.domain_dimension_tensor(),
        array_ops.shape(x)[-2],
        message=f"Dimensions are not compatible: {operator.name} and x",
    )


def check_rank_at_least(x: Tensor | Variable, rank: int, name: str) -> None:
    """Raises ValueError for a tensor that is known to have fewer dimensions."""
    ndims = x.get_shape().ndims
    if ndims is not None and ndims < rank:
        plural = "dimension" if rank == 1 else "dimensions"
        raise ValueError(f"{name} must have at least {rank} {plural}, got {x}")


# ---- Shapes.


def shape_tensor(shape: TensorLike, name: str | None = None) -> ops.Tensor:
    """A shape or size as an integer tensor: int32, unless it is one of another dtype."""
    dtype = None
    if isinstance(shape, (tuple, list)) and not shape:
        dtype = dtypes.int32
    if isinstance(shape, tensor_shape.TensorShape):
        shape, dtype = shape.as_list(), dtypes.int32
    return ops.convert_to_tensor(shape, dtype=dtype, name=name)


def batch_and_matrix(
    batch: tensor_shape.TensorShape, rows: SizeLike, columns: SizeLike
) -> tensor_shape.TensorShape:
    """Returns the static shape batch + [rows, columns]."""
    sizes = [tensor_shape.dimension_value(d) for d in (rows, columns)]
    return batch.concatenate(tensor_shape.TensorShape(sizes))


def known_or_tensor(
    shape: tensor_shape.TensorShape, tensor: Callable[[], ops.Tensor]
) -> ops.Tensor:
    """`shape` as a constant where all of it is known, else `tensor()`."""
    if shape.is_fully_defined():
        return constant_op.constant(shape.as_list(), dtypes.int32, name="shape")
    return tensor()


def zeros_of(batch: TensorLike, dtype: DTypeLike, value: float = 0.0) -> ops.Tensor:
    """A tensor of shape `batch` and one value."""
    return array_ops.fill(batch, constant_op.constant(value, dtype=dtype))


def static_batch(x: Tensor | Variable, inner: int = 2) -> tensor_shape.TensorShape:
    """Returns the static shape of x without its last `inner` dimensions."""
    shape = x.get_shape()
    return tensor_shape.unknown_shape() if shape.ndims is None else shape[:-inner]


def broadcast_batch(
    batch: tensor_shape.TensorShape,
    batch_tensor: Callable[[], ops.Tensor],
    x: ops.Tensor,
    inner: int = 2,
) -> ops.Tensor:
    """`x` [..., inner dimensions] repeated so that its batch is that of `x` and `batch` together.

    batch_tensor: a function that gives `batch` as a tensor, called where not all is known.
    """
    have = static_batch(x, inner)
    if batch.is_fully_defined() and batch.ndims == 0:
        return x
    both = array_ops.broadcast_static_shape(have, batch)
    if both.is_fully_defined() and have.is_fully_defined():
        if have.as_list() == both.as_list():
            return x
    shape = array_ops.shape(x)
    if both.is_fully_defined():
        target = constant_op.constant(both.as_list(), dtypes.int32)
    else:
        target = array_ops.broadcast_dynamic_shape(shape[:-inner], batch_tensor())
    result = array_ops.broadcast_to(x, array_ops.concat([target, shape[-inner:]], 0))
    if x.get_shape().ndims is not None:
        result.set_shape(both.concatenate(x.get_shape()[-inner:]))
    return result


def broadcast_matrix_batch_dims(
    batch_matrices: Sequence[TensorLike], name: str | None = None
) -> list[ops.Tensor]:
    """Tensors [..., m, n] of sizes of their own, repeated to have one batch."""
    with ops.name_scope(name or "broadcast_matrix_batch_dims", values=batch_matrices):
        matrices = [ops.convert_to_tensor(m) for m in batch_matrices]
        for matrix in matrices:
            check_rank_at_least(matrix, 2, "a matrix")
        if len(matrices) < 2:
            return matrices
        static = static_batch(matrices[0])
        for matrix in matrices[1:]:
            static = array_ops.broadcast_static_shape(static, static_batch(matrix))

        def tensor() -> ops.Tensor:
            batch = array_ops.shape(matrices[0])[:-2]
            for matrix in matrices[1:]:
                batch = array_ops.broadcast_dynamic_shape(
                    batch, array_ops.shape(matrix)[:-2]
                )
            return batch

        return [broadcast_batch(static, tensor, matrix) for matrix in matrices]


# ---- Products and solutions.


def matrix_adjoint(a: TensorLike, name: str = "matrix_adjoint") -> ops.Tensor:
    """[..., m, n] -> [..., n, m], conjugated."""
    return array_ops.matrix_transpose(a, name, conjugate=True)


def adjoint_if(x: ops.Tensor, adjoint: bool) -> ops.Tensor:
    """`x`, or its adjoint."""
    return matrix_adjoint(x) if adjoint else x


def conj_if(x: TensorLike, conjugate: bool) -> ops.Tensor:
    """`x`, or its conjugate."""
    return math_ops.conj(x) if conjugate else ops.convert_to_tensor(x)


def matmul_with_broadcast(
    a: TensorLike,
    b: TensorLike,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
    name: str | None = None,
) -> ops.Tensor:
    """Returns the matrix product, with broadcast batches, of operands of any rank, known or not."""
    with ops.name_scope(name, "MatMulWithBroadcast", [a, b]):
        a, b = ops.convert_to_tensor(a), ops.convert_to_tensor(b)
        if None in (a.get_shape().ndims, b.get_shape().ndims):
            a, b = broadcast_matrix_batch_dims([a, b])
        return math_ops.matmul(a, b, adjoint_a=adjoint_a, adjoint_b=adjoint_b)


def matrix_solve_with_broadcast(
    matrix: TensorLike,
    rhs: TensorLike,
    adjoint: bool = False,
    name: str | None = None,
) -> ops.Tensor:
    """X with matrix X = rhs, batches broadcast.  A single matrix is factored once for a batch of rhs."""
    with ops.name_scope(name, "MatrixSolveWithBroadcast", [matrix, rhs]):
        matrix = ops.convert_to_tensor(matrix, name="matrix")
        rhs = ops.convert_to_tensor(rhs, name="rhs", dtype=matrix.dtype.base_dtype)
        rank = rhs.get_shape().ndims
        if matrix.get_shape().ndims == 2 and rank is not None and rank > 2:
            order = [rank - 2, *range(rank - 2), rank - 1]
            rows = array_ops.transpose(rhs, order)
            flat = array_ops.reshape(rows, [array_ops.shape(rows)[0], -1])
            solved = gen_linalg_ops.matrix_solve(matrix, flat, adjoint=adjoint)
            solved = array_ops.reshape(solved, array_ops.shape(rows))
            result = array_ops.transpose(solved, np.argsort(order))
            result.set_shape(rhs.get_shape())
            return result
        matrix, rhs = broadcast_matrix_batch_dims([matrix, rhs])
        return gen_linalg_ops.matrix_solve(matrix, rhs, adjoint=adjoint)


def cholesky_solve_with_broadcast(
    chol: TensorLike, rhs: TensorLike, name: str | None = None
) -> ops.Tensor:
    """X with chol chol^H X = rhs, batches broadcast."""
    with ops.name_scope(name, "CholeskySolveWithBroadcast", [chol, rhs]):
        half = gen_linalg_ops.matrix_triangular_solve(chol, rhs)
        return gen_linalg_ops.matrix_triangular_solve(chol, half, adjoint=True)


def self_adjoint_eigenvalues(matrix: TensorLike) -> ops.Tensor:
    """The eigenvalues of Hermitian matrices, ascending, of the dtype of `matrix`."""
    values, _ = gen_linalg_ops.self_adjoint_eig_v2(matrix, compute_v=False)
    return values


def singular_values(matrix: TensorLike) -> ops.Tensor:
    """Descending, real: [..., m, n] -> [..., min(m, n)]."""
    values, _, _ = gen_linalg_ops.svd(matrix, compute_uv=False)
    return math_ops.real(values)


def ratio_of_extremes(sizes: ops.Tensor) -> ops.Tensor:
    """The largest over the smallest: [..., n] -> [...]."""
    return math_ops.reduce_max(sizes, axis=-1) / math_ops.reduce_min(sizes, axis=-1)


# ---- Hints.


def use_operator_or_provided_hint_unless_contradicting(
    operator: object,
    hint_attr_name: str,
    provided_hint_value: bool | None,
    message: str,
) -> bool | None:
    """Returns the hint that `operator` or a caller knows; ValueError with `message` if they differ."""
    known = getattr(operator, hint_attr_name)
    if None not in (known, provided_hint_value) and known != provided_hint_value:
        raise ValueError(message)
    if True in (known, provided_hint_value):
        return True
    return False if False in (known, provided_hint_value) else None


def implied(hint: bool | None, holds: object, message: str) -> bool | None:
    """True where it `holds`, else `hint`; ValueError with `message` where the hint says False then."""
    if not holds:
        return hint
    if hint is False:
        raise ValueError(message)
    return True


def same_dtype(operators: Sequence[LinearOperator]) -> DType | None:
    """The dtype of all operators.  ValueError where there is none, TypeError where they differ."""
    if not operators:
        raise ValueError("expected a non-empty list of operators, got []")
    for operator in operators:
        if operator.dtype != operators[0].dtype:
            pairs = ", ".join(f"{o.name}: {o.dtype.name}" for o in operators)
            raise TypeError(
                f"expected all operators to have the same dtype, got {pairs}"
            )
    return operators[0].dtype


def joint_batch_shape(operators: Sequence[LinearOperator]) -> tensor_shape.TensorShape:
    """Returns the static shape to which the operators' batches broadcast."""
    batch = operators[0].batch_shape
    for operator in operators[1:]:
        batch = array_ops.broadcast_static_shape(batch, operator.batch_shape)
    return batch


def joint_batch_shape_tensor(operators: Sequence[LinearOperator]) -> ops.Tensor:
    """The same as a tensor."""
    batch = operators[0].batch_shape_tensor()
    for operator in operators[1:]:
        batch = array_ops.broadcast_dynamic_shape(batch, operator.batch_shape_tensor())
    return batch


# ---- Sizes that constructors take.


def check_size(size: ops.Tensor, name: str) -> int | None:
    """The value of a size where it is known.  TypeError unless an integer; ValueError unless a scalar, or negative."""
    if not size.dtype.is_integer:
        raise TypeError(f"Argument {name} must be integer type, got {size}")
    if size.get_shape().ndims not in (None, 0):
        raise ValueError(f"Argument {name} must be a 0-D Tensor, got {size}")
    known = tensor_util.constant_value(size)
    if known is None:
        return None
    if known < 0:
        raise ValueError(f"Argument {name} must be non-negative, got {known}")
    return int(known)


def check_batch_shape(shape: ops.Tensor) -> tensor_shape.TensorShape:
    """Returns the static batch shape that a tensor gives; errors as in `check_size`."""
    if not shape.dtype.is_integer:
        raise TypeError(f"Argument batch_shape must be integer type, got {shape}")
    if shape.get_shape().ndims not in (None, 1):
        raise ValueError(f"Argument batch_shape must be a 1-D Tensor, got {shape}")
    known = tensor_util.constant_value(shape)
    if known is None:
        length = shape.get_shape().with_rank(1).as_list()[0]
        return tensor_shape.unknown_shape(length)
    if np.any(known < 0):
        raise ValueError(f"Argument batch_shape must be non-negative, got {known}")
    return tensor_shape.TensorShape(known.tolist())


# ---- Arguments in blocks.


def arg_is_blockwise(
    block_dimensions: Sequence[SizeLike], arg: object, arg_split_dim: int
) -> bool:
    """Whether `arg` is a list of blocks, one for each of `block_dimensions`, and not a value for one tensor.

    Raises:
        ValueError: the blocks' sizes along `arg_split_dim` fit neither.
    """
    if not isinstance(arg, (tuple, list)) or len(arg) != len(block_dimensions):
        return False
    if not any(nest.is_sequence(x) for x in arg):
        return True
    shapes = [ops.convert_to_tensor(x).get_shape() for x in arg]
    if any(s.ndims is not None and s.ndims < -arg_split_dim for s in shapes):
        # Rows of a matrix.
        return False
    sizes = [tensor_shape.dimension_at_index(s, arg_split_dim).value for s in shapes]
    wanted = [tensor_shape.dimension_value(d) for d in block_dimensions]
    if all(None in pair or pair[0] == pair[1] for pair in zip(sizes, wanted)):
        return True
    whole = sum(w for w in wanted if w is not None)
    if None not in wanted and all(size == whole for size in sizes):
        return False
    raise ValueError(f"expected blocks of {wanted} rows, got {sizes}")


def split_arg_into_blocks(
    block_dims: Sequence[SizeLike],
    block_dims_fn: Callable[[], Sequence[TensorLike]],
    arg: ops.Tensor,
    axis: int = -1,
) -> list[ops.Tensor]:
    """`arg` cut along `axis` into the sizes `block_dims`, or those that `block_dims_fn()` gives as tensors."""
    sizes = [tensor_shape.dimension_value(d) for d in block_dims]
    lengths: Any = sizes if None not in sizes else array_ops.stack(block_dims_fn())
    blocks = array_ops.split(arg, lengths, axis=axis, num=len(sizes))
    if arg.get_shape().ndims is not None:
        for size, block in zip(sizes, blocks, strict=True):
            static = arg.get_shape().as_list()
            static[axis] = size
            block.set_shape(static)
    return list(blocks)
