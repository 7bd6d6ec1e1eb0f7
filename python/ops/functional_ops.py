# SPDX-License-Identifier: Apache-2.0
"""map_fn, foldl, foldr and scan: functions over the rows of tensors, as loops."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorwright.python.framework import dtypes, ops, tensor_shape
from tensorwright.python.framework.type_aliases import DTypeTree, TensorTree
from tensorwright.python.ops import (
    array_ops,
    control_flow_ops,
    tensor_array_ops,
    variable_scope as vs,
)
from tensorwright.python.ops._functional.calls import (
    For as For,
    If as If,
    While as While,
    partitioned_call as partitioned_call,
    remote_call as remote_call,
)
from tensorwright.python.util import nest


class _Rows:
    """The rows of each tensor in a structure, to be read one at a time."""

    def __init__(self, elems: Any, clear: bool = True):
        self.structure = elems
        self.flat = [ops.convert_to_tensor(e, name="elem") for e in nest.flatten(elems)]
        for e in self.flat:
            if e.get_shape().ndims == 0:
                raise ValueError("elems must be a 1+ dimensional Tensor, not a scalar")
        static = tensor_shape.Dimension(None)
        for e in self.flat:
            if e.get_shape().ndims is not None:
                static = static.merge_with(e.get_shape()[0])
        self.static_count = static.value
        self.count: Any = static.value
        if self.count is None:
            self.count = array_ops.shape(self.flat[0])[0]
        self._arrays = [
            tensor_array_ops.TensorArray(
                e.dtype,
                size=self.count,
                element_shape=e.get_shape()[1:],
                infer_shape=True,
                clear_after_read=clear,
            ).unstack(e)
            for e in self.flat
        ]

    def read(self, index: Any) -> Any:
        return _pack(self.structure, [a.read(index) for a in self._arrays])


def _pack(structure: Any, flat: list) -> Any:
    return (
        nest.pack_sequence_as(structure, flat)
        if nest.is_sequence(structure)
        else flat[0]
    )


def _check_function(fn: Any) -> None:
    if not callable(fn):
        raise TypeError("fn must be callable.")


class _Caching:
    """Variables that the function reads are read once, on the loop's device."""

    def __enter__(self) -> None:
        self._scope = vs.get_variable_scope()
        self._reset = self._scope.caching_device is None
        if self._reset:
            self._scope.set_caching_device(lambda op: op.device)

    def __exit__(self, *unused: Any) -> None:
        if self._reset:
            self._scope.set_caching_device(None)


def map_fn(
    fn: Callable[..., object],
    elems: TensorTree,
    dtype: DTypeTree | None = None,
    parallel_iterations: int | None = None,
    back_prop: bool = True,
    swap_memory: bool = False,
    infer_shape: bool = True,
    name: str | None = None,
    fn_output_signature: DTypeTree | None = None,
) -> Any:
    """Applies `fn` to every row of `elems`, and stacks the results: [n, ...] -> [n, ...].

    Args:
        fn: takes a row, in the structure of `elems`.
        elems: a tensor [n, ...] or a structure of such.
        dtype: the dtypes of the results of `fn`, in their structure; by default those of `elems`.
        parallel_iterations: calls under way at a time (10).
        back_prop: whether gradients can go through it.
        swap_memory: see `while_loop`.
        infer_shape: whether all results have one static shape.
        fn_output_signature: a later name of `dtype`.

    Raises:
        TypeError: if `fn` is not callable, or its structure is not that of `dtype`.
        ValueError: if some of `elems` is a scalar.
    """
    _check_function(fn)
    dtype = fn_output_signature if dtype is None else dtype
    with ops.name_scope(name, "map", nest.flatten(elems)), _Caching():
        rows = _Rows(elems)
        structure = elems if dtype is None else dtype
        types = (
            [e.dtype for e in rows.flat]
            if dtype is None
            else [dtypes.as_dtype(d) for d in nest.flatten(dtype)]
        )
        results = [
            tensor_array_ops.TensorArray(t, size=rows.count, infer_shape=infer_shape)
            for t in types
        ]

        def body(i: Any, arrays: list) -> tuple:
            values = fn(rows.read(i))
            nest.assert_same_structure(structure, values)
            flat = nest.flatten(values)
            for value, wanted in zip(flat, types, strict=True):
                got = ops.convert_to_tensor(value).dtype
                if got.base_dtype != wanted.base_dtype:
                    raise TypeError(
                        f"fn gives {got.name} where dtype says {wanted.name}"
                    )
            return i + 1, [a.write(i, v) for a, v in zip(arrays, flat, strict=True)]

        _, results = control_flow_ops.while_loop(
            lambda i, _: i < rows.count,
            body,
            (0, results),
            parallel_iterations=parallel_iterations or 10,
            back_prop=back_prop,
            swap_memory=swap_memory,
        )
        return _pack(structure, _stacked(results, rows.static_count))


def _stacked(arrays: list, count: int | None) -> list:
    values = [a.stack() for a in arrays]
    for value in values:
        if value.get_shape().ndims is not None:
            value.set_shape([count, *value.get_shape().as_list()[1:]])
    return values


def _fold(
    fn: Any, elems: Any, initializer: Any, parallel: int, back_prop: bool, swap: bool,
    backwards: bool,
) -> Any:  # fmt: skip
    rows = _Rows(elems)
    count = ops.convert_to_tensor(rows.count)
    first = 0
    if initializer is None:
        initializer = rows.read(count - 1 if backwards else 0)
        first = 1
    state = nest.map_structure(ops.convert_to_tensor, initializer)

    def body(i: Any, value: Any) -> tuple:
        row = count - 1 - i if backwards else i
        return i + 1, fn(value, rows.read(row))

    _, result = control_flow_ops.while_loop(
        lambda i, _: i < count,
        body,
        (first, state),
        parallel_iterations=parallel,
        back_prop=back_prop,
        swap_memory=swap,
    )
    return result


def foldl(
    fn: Callable[..., object],
    elems: TensorTree,
    initializer: TensorTree | None = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
) -> Any:
    """fn(... fn(fn(initializer, elems[0]), elems[1]) ..., elems[n - 1]).

    Args:
        fn: a function of the value so far, and of a row of `elems`.
        elems: a tensor [n, ...] or a structure of such.
        initializer: the first value, in any structure; elems[0] if absent.

    Raises:
        TypeError: if `fn` is not callable.
        ValueError: if some of `elems` is a scalar.

    Without rows and `initializer` there is no first value: a run fails.
    """
    _check_function(fn)
    with ops.name_scope(name, "foldl", nest.flatten(elems)), _Caching():
        return _fold(
            fn, elems, initializer, parallel_iterations, back_prop, swap_memory, False
        )


def foldr(
    fn: Callable[..., object],
    elems: TensorTree,
    initializer: TensorTree | None = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
) -> Any:
    """As `foldl`, from the last row of `elems` to the first."""
    _check_function(fn)
    with ops.name_scope(name, "foldr", nest.flatten(elems)), _Caching():
        return _fold(
            fn, elems, initializer, parallel_iterations, back_prop, swap_memory, True
        )


def scan(
    fn: Callable[..., object],
    elems: TensorTree,
    initializer: TensorTree | None = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    infer_shape: bool = True,
    reverse: bool = False,
    name: str | None = None,
) -> Any:
    """Returns all intermediate values of `foldl`, stacked; those of `foldr` if `reverse`.

    Args:
        fn: a function of the value so far, and of a row of `elems`.
        elems: a tensor [n, ...] or a structure of such.
        initializer: the first value, in any structure; if absent the first row, which
            then is also the first of the results.
        infer_shape: whether all results have one static shape.
        reverse: from the last row to the first; results stay in the rows' order.

    Returns:
        [n, ...], in the structure of `initializer`, or else `elems`.

    Raises:
        TypeError: if `fn` is not callable.
        ValueError: if some of `elems` is a scalar.

    Without rows and `initializer` there is no first value: a run fails.
    """
    _check_function(fn)
    with ops.name_scope(name, "scan", nest.flatten(elems)), _Caching():
        # The first row is read twice without an initializer.
        rows = _Rows(elems, clear=initializer is not None)
        count = ops.convert_to_tensor(rows.count)
        begins_with_row = initializer is None
        if begins_with_row:
            initializer = rows.read(count - 1 if reverse else 0)
        structure = initializer
        state = [ops.convert_to_tensor(v) for v in nest.flatten(initializer)]
        results = [
            tensor_array_ops.TensorArray(
                v.dtype,
                size=count,
                element_shape=v.get_shape() if infer_shape else None,
                infer_shape=infer_shape,
                clear_after_read=False,
            )
            for v in state
        ]
        if begins_with_row:
            row = count - 1 if reverse else 0
            results = [a.write(row, v) for a, v in zip(results, state, strict=True)]

        def body(i: Any, values: list, arrays: list) -> tuple:
            row = count - 1 - i if reverse else i
            out = fn(_pack(structure, values), rows.read(row))
            nest.assert_same_structure(structure, out)
            flat = nest.flatten(out)
            written = [a.write(row, v) for a, v in zip(arrays, flat, strict=True)]
            return i + 1, flat, written

        _, _, results = control_flow_ops.while_loop(
            lambda i, *_: i < count,
            body,
            (int(begins_with_row), state, results),
            parallel_iterations=parallel_iterations,
            back_prop=back_prop,
            swap_memory=swap_memory,
        )
        return _pack(structure, _stacked(results, rows.static_count))
