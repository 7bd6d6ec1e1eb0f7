# SPDX-License-Identifier: Apache-2.0
"""Functions of `tf.compat.v2` whose arguments differ from those of the first version."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tensorwright as tf
from tensorwright.python.framework import dtypes


def argmax(input: Any, axis: Any = None, output_type: Any = dtypes.int64, name: str | None = None) -> Any:  # fmt: skip # noqa: E501
    """The places of the largest elements along `axis`, 0 if it is None."""
    return tf.argmax(input, axis, name=name, output_type=output_type)


def argmin(input: Any, axis: Any = None, output_type: Any = dtypes.int64, name: str | None = None) -> Any:  # fmt: skip # noqa: E501
    """The places of the smallest elements along `axis`, 0 if it is None."""
    return tf.argmin(input, axis, name=name, output_type=output_type)


def cond(
    pred: Any,
    true_fn: Callable[[], Any] | None = None,
    false_fn: Callable[[], Any] | None = None,
    name: str | None = None,
) -> Any:
    """`tf.cond` that keeps a list of one."""
    return tf.cond(pred, true_fn, false_fn, strict=True, name=name)


def convert_to_tensor(
    value: Any, dtype: Any = None, dtype_hint: Any = None, name: str | None = None
) -> Any:
    """`value` as a tensor, of `dtype_hint` if that can be and `dtype` is None."""
    return tf.convert_to_tensor(value, dtype, name, preferred_dtype=dtype_hint)


def expand_dims(input: Any, axis: Any, name: str | None = None) -> Any:
    """`input` with a dimension of 1 at `axis`."""
    return tf.expand_dims(input, axis, name)


def gather(
    params: Any,
    indices: Any,
    validate_indices: Any = None,
    axis: Any = None,
    batch_dims: int = 0,
    name: str | None = None,
) -> Any:
    """Slices of `params` along `axis`, which is `batch_dims` if it is None."""
    return tf.gather(
        params, indices, validate_indices, name, axis=axis, batch_dims=batch_dims
    )


def gradients(
    ys: Any,
    xs: Any,
    grad_ys: Any = None,
    name: str = "gradients",
    gate_gradients: bool = False,
    aggregation_method: Any = None,
    stop_gradients: Any = None,
    unconnected_gradients: Any = None,
) -> Any:
    """The sum of the derivatives of `ys` by each of `xs`."""
    given = {} if unconnected_gradients is None else {"unconnected_gradients": unconnected_gradients}  # fmt: skip # noqa: E501
    return tf.gradients(
        ys,
        xs,
        grad_ys,
        name,
        gate_gradients=gate_gradients,
        aggregation_method=aggregation_method,
        stop_gradients=stop_gradients,
        **given,
    )


def norm(
    tensor: Any,
    ord: Any = "euclidean",
    axis: Any = None,
    keepdims: Any = None,
    name: str | None = None,
) -> Any:
    """The norm of vectors or matrices along `axis`."""
    return tf.norm(tensor, ord, axis, keepdims=bool(keepdims), name=name)


def ones(shape: Any, dtype: Any = dtypes.float32, name: str | None = None) -> Any:
    """A tensor of ones."""
    return tf.ones(shape, dtype, name)


def ones_like(input: Any, dtype: Any = None, name: str | None = None) -> Any:
    """Ones in the shape of `input`."""
    return tf.ones_like(input, dtype, name)


def pad(
    tensor: Any,
    paddings: Any,
    mode: str = "CONSTANT",
    constant_values: Any = 0,
    name: str | None = None,
) -> Any:
    """`tensor` with `paddings`, int32 [rank, 2], before and after each dimension."""
    return tf.pad(tensor, paddings, mode, name, constant_values)


def _reduction(name: str) -> Callable[..., Any]:
    def reduce(
        input_tensor: Any,
        axis: Any = None,
        keepdims: bool = False,
        name: str | None = None,
    ) -> Any:
        return function(input_tensor, axis, keepdims, name)

    function = getattr(tf, name)
    reduce.__name__ = reduce.__qualname__ = name
    reduce.__doc__ = f"`tf.{name}` along `axis`, or of all elements."
    return reduce


reduce_all = _reduction("reduce_all")
reduce_any = _reduction("reduce_any")
reduce_logsumexp = _reduction("reduce_logsumexp")
reduce_max = _reduction("reduce_max")
reduce_mean = _reduction("reduce_mean")
reduce_min = _reduction("reduce_min")
reduce_prod = _reduction("reduce_prod")
reduce_sum = _reduction("reduce_sum")


def shape(input: Any, out_type: Any = dtypes.int32, name: str | None = None) -> Any:
    """The shape of `input`."""
    return tf.shape(input, name, out_type)


def size(input: Any, out_type: Any = dtypes.int32, name: str | None = None) -> Any:
    """The number of elements of `input`."""
    return tf.size(input, name, out_type)


def squeeze(input: Any, axis: Any = None, name: str | None = None) -> Any:
    """`input` without its dimensions of 1, or without those in `axis`."""
    return tf.squeeze(input, axis, name)


def transpose(
    a: Any, perm: Any = None, conjugate: bool = False, name: str = "transpose"
) -> Any:
    """`a` with its dimensions in the order `perm`, which is the reverse if it is None."""
    return tf.transpose(a, perm, name, conjugate)


def Variable(*args: Any, **kwargs: Any) -> Any:
    """`tf.Variable` of a resource."""
    return tf.Variable(*args, **{"use_resource": True} | kwargs)


def where(condition: Any, x: Any = None, y: Any = None, name: str | None = None) -> Any:
    """The elements of `x` or `y` by `condition`, broadcast to one shape; the true places without `x` and `y`."""
    return tf.where_v2(condition, x, y, name=name)


def while_loop(
    cond: Callable[..., Any],
    body: Callable[..., Any],
    loop_vars: Any,
    shape_invariants: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    maximum_iterations: Any = None,
    name: str | None = None,
) -> Any:
    """`tf.while_loop` whose result has the structure of `loop_vars`, also if that is a list of one."""
    return tf.while_loop(
        cond,
        body,
        loop_vars,
        shape_invariants=shape_invariants,
        parallel_iterations=parallel_iterations,
        back_prop=back_prop,
        swap_memory=swap_memory,
        maximum_iterations=maximum_iterations,
        name=name,
        return_same_structure=True,
    )


def zeros(shape: Any, dtype: Any = dtypes.float32, name: str | None = None) -> Any:
    """A tensor of zeros."""
    return tf.zeros(shape, dtype, name)


def zeros_like(input: Any, dtype: Any = None, name: str | None = None) -> Any:
    """Zeros in the shape of `input`."""
    return tf.zeros_like(input, dtype, name)
