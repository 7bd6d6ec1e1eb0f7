# SPDX-License-Identifier: Apache-2.0
"""Helpers of distributions: checks of their arguments, shapes, seeds, and some functions."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any, cast

import numpy as np

from tensorwright.python.framework import constant_op, dtypes, ops, tensor_util
from tensorwright.python.framework.type_aliases import DTypeLike, TensorLike
from tensorwright.python.ops import (
    array_ops,
    check_ops,
    control_flow_ops,
    math_ops,
    nn_ops,
)
from tensorwright.python.util import compat

# The integers that a floating dtype has all of, from 0.
_EXACT_INTEGERS = {
    dtypes.float16: 2**11,
    dtypes.bfloat16: 2**8,
    dtypes.float32: 2**24,
    dtypes.float64: 2**53,
}


def floating(x: TensorLike, name: str, dtype: DTypeLike | None = None) -> ops.Tensor:
    """A tensor of floats, named `name` if it is made of a value of Python.

    Raises:
        ValueError: another dtype.
    """
    x = ops.convert_to_tensor(x, dtype=dtype, name=name)
    return _checked_floating(x, name)


def floating_copy(x: TensorLike, name: str) -> ops.Tensor:
    """A copy of a tensor of floats, as TensorFlow makes of some parameters: seeds follow from the number of operations."""
    return _checked_floating(array_ops.identity(x, name=name), name)


def _checked_floating(x: ops.Tensor, name: str) -> ops.Tensor:
    if not x.dtype.base_dtype.is_floating:
        raise ValueError(f"{name} must be of a floating dtype, got {x.dtype.name}")
    return x


def softplus(x: TensorLike, name: str) -> ops.Tensor:
    """log(1 + exp(x)), a positive parameter of any."""
    return nn_ops.softplus(x, name=name)


def times_log(factor: ops.Tensor, x: ops.Tensor) -> ops.Tensor:
    """factor log(x), and 0 where both are 0; the derivative by `factor` is log(x) for a factor of 0 too."""
    neither = math_ops.logical_and(math_ops.equal(factor, 0), math_ops.equal(x, 0))
    return factor * math_ops.log(array_ops.where_v2(neither, array_ops.ones_like(x), x))


def assert_close(
    x: TensorLike,
    y: TensorLike,
    data: Sequence[TensorLike] | None = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str = "assert_close",
) -> ops.Operation:
    """Fails the run where x and y, of one dtype, differ by more than the dtype's epsilon; integers must be equal."""
    x = ops.convert_to_tensor(x, name="x")
    y = ops.convert_to_tensor(y, dtype=x.dtype.base_dtype, name="y")
    if x.dtype.is_integer:
        return check_ops.assert_equal(x, y, data, summarize, message, name)
    with ops.name_scope(name, values=[x, y, data]):
        epsilon = np.finfo(x.dtype.as_numpy_dtype).eps
        if data is None:
            data = [f"{message or ''} x and y are not close:", x, y]
        condition = math_ops.reduce_all(math_ops.abs(x - y) <= epsilon)
        return control_flow_ops.Assert(condition, data, summarize=summarize)


def assert_integer_form(
    x: TensorLike,
    data: Sequence[TensorLike] | None = None,
    summarize: int | None = None,
    message: str | None = None,
    int_dtype: DTypeLike | None = None,
    name: str = "assert_integer_form",
) -> ops.Operation:
    """Fails the run where an element of `x` is no integer, or none that `int_dtype` has.

    `int_dtype`: int16, int32 or int64, by default the one as large as the dtype of `x`.
    """
    with ops.name_scope(name, values=[x, data]):
        x = ops.convert_to_tensor(x, name="x")
        if x.dtype.is_integer:
            return control_flow_ops.no_op()
        if int_dtype is None:
            sizes = {2: dtypes.int16, 4: dtypes.int32, 8: dtypes.int64}
            int_dtype = sizes[x.dtype.base_dtype.size]
        there_and_back = math_ops.cast(math_ops.cast(x, int_dtype), x.dtype)
        message = message or f"{x.name} has elements that are no integers"
        return check_ops.assert_equal(x, there_and_back, data, summarize, message)


def embed_check_nonnegative_integer_form(
    x: TensorLike, name: str = "embed_check_nonnegative_integer_form"
) -> ops.Tensor:
    """`x`; the run fails where an element is negative or no integer."""
    with ops.name_scope(name, values=[x]):
        x = ops.convert_to_tensor(x, name="x")
        checks = [
            check_ops.assert_non_negative(x, message=f"{x.name} must be non-negative"),
            assert_integer_form(
                x, message=f"{x.name} cannot contain fractional components"
            ),
        ]
        with ops.control_dependencies(checks):
            return array_ops.identity(x)


def _largest_integer(dtype: dtypes.DType) -> int:
    """All integers from 0 to this have a value of their own in `dtype`."""
    dtype = dtype.base_dtype
    if dtype.is_floating:
        return _EXACT_INTEGERS[dtype]
    if dtype.is_integer or dtype == dtypes.bool:
        return 1 if dtype == dtypes.bool else int(dtype.max)
    raise TypeError(f"{dtype.name} is no dtype of numbers")


def embed_check_categorical_event_shape(
    categorical_param: TensorLike, name: str = "embed_check_categorical_event_shape"
) -> ops.Tensor:
    """`categorical_param`, [..., classes]; its classes must be at least 2, and have numbers in its dtype.

    ValueError where that is known, else the run fails.
    """
    with ops.name_scope(name, values=[categorical_param]):
        x = ops.convert_to_tensor(categorical_param, name="categorical_param")
        most = _largest_integer(x.dtype) + 1
        shape = x.get_shape()
        if shape.ndims is not None and shape.ndims < 1:
            raise ValueError("a categorical parameter must be a vector, or more")
        known = None if shape.ndims is None else shape[-1].value
        if known is not None:
            if not 2 <= known <= most:
                raise ValueError(
                    f"a categorical parameter must have 2 to {most} classes, got {known}"
                )
            return x
        classes = array_ops.shape(x, out_type=dtypes.int64)[-1]
        message = f"a categorical parameter must have 2 to {most} classes"
        checks = [
            check_ops.assert_rank_at_least(x, 1),
            check_ops.assert_greater_equal(classes, np.int64(2), message=message),
            check_ops.assert_less_equal(classes, np.int64(most), message=message),
        ]
        with ops.control_dependencies(checks):
            return array_ops.identity(x)


def embed_check_integer_casting_closed(
    x: TensorLike,
    target_dtype: DTypeLike,
    assert_nonnegative: bool = True,
    name: str = "embed_check_casting_closed",
) -> ops.Tensor:
    """`x`; the run fails where an element is no integer, not one of `target_dtype`, or (if asked) negative."""
    with ops.name_scope(name, values=[x]):
        x = ops.convert_to_tensor(x, name="x")
        target = dtypes.as_dtype(target_dtype)
        if not (x.dtype.is_integer or x.dtype.is_floating):
            raise TypeError(f"x must be of integers or floats, got {x.dtype.name}")
        most = _largest_integer(target)
        checks = []
        if x.dtype.is_floating:
            checks.append(
                assert_integer_form(
                    x,
                    message=f"Elements must be {target.name}-equivalent",
                    int_dtype=target if target.is_integer else None,
                )
            )
        if assert_nonnegative:
            checks.append(
                check_ops.assert_non_negative(
                    x, message="Elements must be non-negative"
                )
            )
        least = int(target.min) if target.is_integer else -most
        least = 0 if assert_nonnegative else least
        # Floats were compared above with their values as integers of `target`.
        if x.dtype.is_integer or target == dtypes.bool:
            checks += _range_checks(x, least, most)
        with ops.control_dependencies(checks):
            return array_ops.identity(x)


def _range_checks(x: ops.Tensor, least: int, most: int) -> list:
    """Checks that numbers are in the range, if their dtype has others; the least number 0 is checked already."""
    checks = []
    if most < x.dtype.max:
        message = f"Elements cannot exceed {most}"
        limit = np.array(most, x.dtype.as_numpy_dtype)
        checks.append(check_ops.assert_less_equal(x, limit, message=message))
    if 0 > least > x.dtype.min:
        message = f"Elements cannot be smaller than {least}"
        limit = np.array(least, x.dtype.as_numpy_dtype)
        checks.append(check_ops.assert_greater_equal(x, limit, message=message))
    return checks


def get_logits_and_probs(
    logits: TensorLike | None = None,
    probs: TensorLike | None = None,
    multidimensional: bool = False,
    validate_args: bool = False,
    name: str = "get_logits_and_probs",
    dtype: DTypeLike | None = None,
) -> tuple[ops.Tensor, ops.Tensor]:
    """Computes from log odds or probabilities both of them, of classes [..., n] if `multidimensional`.

    Raises:
        ValueError: where both are given, or neither; for a dtype that is not floating.
    """
    with ops.name_scope(name, values=[probs, logits]):
        if (probs is None) == (logits is None):
            raise ValueError("Must pass probs or logits, but not both.")
        if probs is None:
            logits = floating(cast(Any, logits), "logits", dtype)
            if multidimensional:
                if validate_args:
                    logits = embed_check_categorical_event_shape(logits)
                return logits, nn_ops.softmax(logits, name="probs")
            return logits, math_ops.sigmoid(logits, name="probs")
        probs = floating(probs, "probs", dtype)
        if validate_args:
            probs = _checked_probs(probs, multidimensional)
        with ops.name_scope("logits"):
            if multidimensional:
                return math_ops.log(probs), probs
            return math_ops.log(probs) - math_ops.log1p(-1.0 * probs), probs


def _checked_probs(probs: ops.Tensor, multidimensional: bool) -> ops.Tensor:
    checks = [
        check_ops.assert_non_negative(probs, message="probs must be non-negative")
    ]
    one = ops.convert_to_tensor(1.0, probs.dtype.base_dtype)
    if multidimensional:
        probs = embed_check_categorical_event_shape(probs)
        total = math_ops.reduce_sum(probs, -1)
        checks.append(
            check_ops.assert_near(total, one, message="probs does not sum to 1")
        )
    else:
        checks.append(
            check_ops.assert_less_equal(
                probs, one, message="probs has components greater than 1"
            )
        )
    with ops.control_dependencies(checks):
        return array_ops.identity(probs)


def gen_new_seed(seed: int | None, salt: str) -> int | None:
    """A seed that follows from `seed` and `salt`, as TensorFlow's; None for None."""
    if seed is None:
        return None
    digest = hashlib.md5(f"{seed}{salt}".encode(), usedforsecurity=False).hexdigest()
    return int(digest[:8], 16) & 0x7FFFFFFF


def log_combinations(
    n: TensorLike, counts: TensorLike, name: str = "log_combinations"
) -> ops.Tensor:
    """The log of n! / product of counts!: [...] and [..., k], which add up to n -> [...]."""
    with ops.name_scope(name, values=[n, counts]):
        n = ops.convert_to_tensor(n, name="n")
        counts = ops.convert_to_tensor(counts, name="counts")
        each = math_ops.reduce_sum(math_ops.lgamma(counts + 1), -1)
        return math_ops.lgamma(n + 1) - each


def softplus_inverse(x: TensorLike, name: str | None = None) -> ops.Tensor:
    """The y with softplus(y) = x > 0: log(exp(x) - 1), without overflow and with all digits of small ones."""
    with ops.name_scope(name, "softplus_inverse", [x]):
        x = ops.convert_to_tensor(x, name="x")
        return x + math_ops.log(-math_ops.expm1(-x))


def as_vector(shape: ops.Tensor) -> tuple[ops.Tensor, Any]:
    """A shape that may be a number as a vector, and the product of its elements: NumPy's if it is known, else a tensor."""
    if shape.get_shape().ndims not in (None, 0, 1):
        raise ValueError(
            f"sample_shape is neither scalar nor vector, its shape is {shape.get_shape()}"
        )
    known = tensor_util.constant_value(shape)
    count = (
        math_ops.reduce_prod(shape, name="n")
        if known is None
        else np.prod(known, dtype=np.int32)
    )
    if shape.get_shape().ndims == 0:
        if known is None:
            shape = array_ops.reshape(shape, [1])
        else:
            shape = constant_op.constant([known], dtypes.int32, name="sample_shape")
    return shape, count


def same_dynamic_shape(a: TensorLike, b: TensorLike) -> ops.Tensor:
    """Whether both have one shape: bool []."""
    a, b = ops.convert_to_tensor(a, name="a"), ops.convert_to_tensor(b, name="b")
    if not a.get_shape().is_compatible_with(b.get_shape()):
        return ops.convert_to_tensor(False)
    if a.get_shape().is_fully_defined() and b.get_shape().is_fully_defined():
        return ops.convert_to_tensor(True)

    def equal() -> ops.Tensor:
        differ = math_ops.not_equal(array_ops.shape(a), array_ops.shape(b))
        return math_ops.logical_not(math_ops.reduce_any(differ))

    return control_flow_ops.cond(
        math_ops.equal(array_ops.rank(a), array_ops.rank(b)),
        equal,
        lambda: ops.convert_to_tensor(False),
    )


def pick_vector(
    cond: TensorLike,
    true_vector: TensorLike,
    false_vector: TensorLike,
    name: str = "pick_vector",
) -> ops.Tensor:
    """One of two vectors, which may differ in length, by a bool []."""
    with ops.name_scope(name, values=[cond, true_vector, false_vector]):
        cond = ops.convert_to_tensor(cond, name="cond")
        if cond.dtype.base_dtype != dtypes.bool:
            raise TypeError(f"pick_vector: cond must be bool, got {cond.dtype.name}")
        known = tensor_util.constant_value(cond)
        if known is not None:
            return ops.convert_to_tensor(true_vector if known else false_vector)
        true_vector = ops.convert_to_tensor(true_vector, name="true_vector")
        false_vector = ops.convert_to_tensor(false_vector, name="false_vector")
        if true_vector.dtype.base_dtype != false_vector.dtype.base_dtype:
            raise TypeError(
                "pick_vector: true_vector and false_vector must be of one dtype, got "
                f"{true_vector.dtype.name} and {false_vector.dtype.name}"
            )
        size = array_ops.shape(true_vector)[0]
        both = array_ops.concat([true_vector, false_vector], 0)
        return array_ops.slice(
            both,
            [array_ops.where(cond, 0, size)],
            [array_ops.where(cond, size, -1)],
        )


def rotate_transpose(
    x: TensorLike, shift: TensorLike, name: str = "rotate_transpose"
) -> ops.Tensor:
    """`x` with its dimensions moved `shift` places to the right, those at the end to the front."""
    with ops.name_scope(name, values=[x, shift]):
        x = ops.convert_to_tensor(x, name="x")
        rank = x.get_shape().ndims
        if rank is not None and isinstance(shift, compat.integral_types):
            return (
                array_ops.transpose(x, np.roll(np.arange(rank), shift)) if rank else x
            )
        rank = array_ops.rank(x)
        shift = math_ops.cast(shift, dtypes.int32)
        places = math_ops.floormod(math_ops.range(rank) - shift, rank)
        return array_ops.transpose(x, places)


def fill_lower_triangular(
    x: TensorLike, validate_args: bool = False, name: str = "fill_lower_triangular"
) -> ops.Tensor:
    """Makes lower triangles of rows, row by row: [..., n (n + 1) / 2] -> [..., n, n].

    Raises:
        ValueError: the last dimension is not known, or no such number.
    """
    del validate_args
    with ops.name_scope(name, values=[x]):
        x = ops.convert_to_tensor(x, name="x")
        shape = x.get_shape().with_rank_at_least(1)
        count = None if shape.ndims is None else shape[-1].value
        if count is None:
            raise ValueError("fill_lower_triangular: the last dimension must be known")
        n = int(np.sqrt(0.25 + 2 * count) - 0.5)
        if n * (n + 1) // 2 != count:
            raise ValueError(
                "fill_lower_triangular: the last dimension must be n (n + 1) / 2, got "
                f"{count}"
            )
        # Elements above the diagonal are gathered from an appended 0.
        zeros = array_ops.zeros_like(x[..., :1])
        places = np.full([n, n], count)
        places[np.tril_indices(n)] = np.arange(count)
        padded = array_ops.concat([x, zeros], -1)
        return array_ops.gather(padded, places, axis=-1)
