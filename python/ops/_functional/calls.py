# SPDX-License-Identifier: Apache-2.0
"""If, While, For and calls of functions, as single ops."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tensorwright.python.framework import dtypes, ops
from tensorwright.python.framework.type_aliases import DTypeLike, TensorLike
from tensorwright.python.ops._functional import bodies

if TYPE_CHECKING:
    from tensorwright.core.protobuf.config_pb2 import ConfigProto
    from tensorwright.python.framework.function import _DefinedFunction


def _defined(what: str, function: Any) -> Any:
    """The function, in the default graph's library."""
    if hasattr(function, "instantiate"):
        raise ValueError(
            f"{what}: the function must be defined with the types of its arguments"
        )
    function.add_to_graph(ops.get_default_graph())
    return function


def _without_captures(what: str, function: Any) -> Any:
    function = _defined(what, function)
    if function.captured_inputs:
        raise ValueError(
            f"{what}: function {function.name} uses tensors from around it; pass them as inputs"
        )
    return function


def _tensors(values: Sequence[TensorLike]) -> list[Any]:
    return [ops.convert_to_tensor(v) for v in values]


def _types(tensors: Sequence[Any]) -> list[Any]:
    return [t.dtype.base_dtype for t in tensors]


def _results(function: Any) -> list[Any]:
    return [dtypes.as_dtype(a.type) for a in function.definition.signature.output_arg]


def _outputs(op: Any) -> Any:
    if not op.outputs:
        return op
    return list(op.outputs)


def If(
    cond: TensorLike,
    inputs: Sequence[TensorLike],
    then_branch: _DefinedFunction,
    else_branch: _DefinedFunction,
    name: str | None = None,
) -> Any:
    """Calls `then_branch` if `cond` holds, or else `else_branch`, with `inputs`.

    Args:
        cond: a scalar, which holds if it is True, a number other than zero or a non-empty
            string; or another tensor, which holds if it has elements.
        inputs: the tensors that both functions take.
        then_branch: a function defined with `Defun`, with types.
        else_branch: another one, whose results have the same dtypes.
        name: the operation's name.

    Returns a list of tensors, or the operation if the functions return none.
    """
    then_branch = _without_captures("If", then_branch)
    else_branch = _without_captures("If", else_branch)
    cond = ops.convert_to_tensor(cond)
    values = _tensors(inputs)
    op = bodies.node(
        "If",
        [cond, *values],
        name or "If",
        Tcond=cond.dtype.base_dtype,
        Tin=_types(values),
        Tout=_results(then_branch),
        then_branch=bodies.func(then_branch.name),
        else_branch=bodies.func(else_branch.name),
    )
    return _outputs(op)


def While(
    input_: Sequence[TensorLike],
    cond: _DefinedFunction,
    body: _DefinedFunction,
    name: str | None = None,
    hostmem: Sequence[int] | None = None,
) -> Any:
    """Applies `body` to the inputs again and again while `cond` holds for them.

    Args:
        input_: the first values.
        cond: a function defined with `Defun`, with types, whose result `If` accepts.
        body: another one, that takes the values and returns the next ones, of the same dtypes.
        name: the operation's name.
        hostmem: not used: values are where kernels want them.

    Returns the last values: a list of tensors, or the operation if there are none.
    """
    del hostmem
    cond, body = _without_captures("While", cond), _without_captures("While", body)
    values = _tensors(input_)
    op = bodies.node(
        "While",
        values,
        name or "While",
        T=_types(values),
        cond=bodies.func(cond.name),
        body=bodies.func(body.name),
    )
    return _outputs(op)


def For(
    start: TensorLike,
    limit: TensorLike,
    delta: TensorLike,
    inputs: Sequence[TensorLike],
    body: _DefinedFunction,
    name: str | None = None,
    hostmem: Sequence[int] | None = None,
    rewrite_with_while: bool | None = None,
) -> Any:
    """Computes values = body(i, *values) for i = start, start + delta, ... before `limit`.

    Args:
        start: int32 [].
        limit: int32 [].
        delta: int32 [], not 0.
        inputs: the first values.
        body: a function defined with `Defun`, with types.
        name: the operation's name.
        hostmem: not used.
        rewrite_with_while: not used: the same loop runs in any case.

    Returns the last values: a list of tensors, or the operation where there are none.
    """
    del hostmem, rewrite_with_while
    body = _without_captures("For", body)
    values = _tensors(inputs)
    numbers = [ops.convert_to_tensor(n, dtypes.int32) for n in (start, limit, delta)]
    op = bodies.node(
        "For",
        [*numbers, *values],
        name or "For",
        T=_types(values),
        body=bodies.func(body.name),
    )
    return _outputs(op)


def remote_call(
    args: Sequence[TensorLike],
    Tout: Sequence[DTypeLike],
    f: _DefinedFunction,
    target: TensorLike,
    name: str | None = None,
) -> Any:
    """Calls `f` with `args` on the device that `target` names.

    Args:
        args: tensors.
        Tout: the dtypes of the results.
        f: a function defined with `Defun`, with types.
        target: string [], a device of this process.
        name: the operation's name.

    Returns a list of tensors.
    """
    f = _defined("remote_call", f)
    values = [*_tensors(args), *f.captured_inputs]
    op = bodies.node(
        "RemoteCall",
        [ops.convert_to_tensor(target), *values],
        name or "RemoteCall",
        Tin=_types(values),
        Tout=[dtypes.as_dtype(t) for t in Tout],
        f=bodies.func(f.name),
    )
    return _outputs(op)


def partitioned_call(
    args: Sequence[TensorLike],
    f: _DefinedFunction,
    tout: Sequence[DTypeLike] | None = None,
    executing_eagerly: bool | None = None,
    config: ConfigProto | None = None,
    executor_type: str | None = None,
) -> Any:
    """Calls `f` with `args` by an op that names the function in an attr.

    Args:
        args: tensors.
        f: a function defined with `Defun`, with types.
        tout: the dtypes of the results, if they are not those of `f`'s definition.
        executing_eagerly: not used.
        config: not used.
        executor_type: "", the only executor, or None.

    Returns a list of tensors, or the operation if `f` returns none.
    """
    del executing_eagerly, config
    f = _defined("partitioned_call", f)
    values = [*_tensors(args), *f.captured_inputs]
    stateful = f.definition.signature.is_stateful
    op = bodies.node(
        "StatefulPartitionedCall" if stateful else "PartitionedCall",
        values,
        "PartitionedCall",
        Tin=_types(values),
        Tout=_results(f) if tout is None else [dtypes.as_dtype(t) for t in tout],
        f=bodies.func(f.name),
        executor_type=executor_type or "",
    )
    return _outputs(op)
