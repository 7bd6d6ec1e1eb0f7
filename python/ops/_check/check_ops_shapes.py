# SPDX-License-Identifier: Apache-2.0
"""Assertions on the shapes of several tensors at once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from tensorwright.python.framework import ops, sparse_tensor, tensor_shape
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import array_ops, control_flow_ops, math_ops

_ANY_SIZE = (None, ".")
_ANY_RANK = ("*", "...", Ellipsis)


def assert_shapes(
    shapes: Any,
    data: TensorLike | None = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> ops.Operation:
    """Asserts that the shapes of tensors are as described, and that sizes of one name are equal.

        tf.debugging.assert_shapes({image: ("H", "W", 3), mask: ("H", "W"), rows: (..., "W")})

    Args:
      shapes: pairs (tensor, sizes), or a dict.  A size is an int, a name (str), or None or "." for
        any; "*", "..." or Ellipsis, in the first place only, stands for any number of them.
      data, summarize, message: what a failure prints, as for the other assertions.

    Returns:
      An op to depend on; a run fails with InvalidArgumentError if a shape is not as described.

    Raises:
      ValueError: the static shapes do not fit.
    """
    pairs = list(shapes.items() if isinstance(shapes, Mapping) else shapes)
    message = f"{message} " if message else ""
    with ops.name_scope(name, "assert_shapes", [pairs, data]):
        checks: list[Any] = []
        known: dict[str, tuple[Any, str]] = {}
        for x, sizes in pairs:
            if not isinstance(x, sparse_tensor.SparseTensor):
                x = ops.convert_to_tensor(x)
            checks += _check(x, _sizes(sizes), known, data, summarize, message)
        if not checks:
            return control_flow_ops.no_op("static_checks_determined_all_ok")
        return control_flow_ops.group(*checks)


def _sizes(sizes: Any) -> list[Any]:
    if isinstance(sizes, tensor_shape.TensorShape):
        return [...] if sizes.ndims is None else sizes.as_list()
    sizes = list(sizes) if isinstance(sizes, Iterable) else [sizes]
    if any(s in _ANY_RANK for s in sizes[1:]):
        raise ValueError(
            "assert_shapes: what stands for any number of sizes must be the first, got "
            f"{sizes}"
        )
    return sizes


def _check(
    x: Any,
    sizes: list[Any],
    known: dict[str, tuple[Any, str]],
    data: Any,
    summarize: int | None,
    message: str,
) -> list[ops.Operation]:
    """The checks that are left to the run; `known` has a size for each name, and learns."""
    any_rank = bool(sizes) and sizes[0] in _ANY_RANK
    sizes = sizes[1:] if any_rank else sizes
    static, shape = x.get_shape(), array_ops.shape(x)
    what = getattr(x, "name", "the tensor")
    checks = []

    def require(condition: Any, text: str, values: list[Any]) -> None:
        found = data if data is not None else [message + text, *values]
        checks.append(control_flow_ops.Assert(condition, found, summarize=summarize))

    rule = f"{what} must have rank {'>= ' if any_rank else ''}{len(sizes)}"
    if static.ndims is not None:
        if static.ndims < len(sizes) or (static.ndims > len(sizes) and not any_rank):
            raise ValueError(f"{message}assert_shapes: {rule}, got shape {static}")
    else:
        rank = array_ops.rank(x)
        fits = math_ops.greater_equal if any_rank else math_ops.equal
        require(fits(rank, len(sizes)), rule + ", got", [rank])
    for i, size in enumerate(sizes):
        at = i - len(sizes)  # Counted from the end, whatever comes before.
        if size in _ANY_SIZE:
            continue
        mine = None if static.ndims is None else static.dims[at].value
        real = shape[at] if mine is None else mine
        place = f"dimension {at} of {what}"
        if not isinstance(size, str):
            wanted, whose = int(size), "it must be"
        elif size not in known:
            known[size] = real, place
            continue
        else:
            wanted, source = known[size]
            whose = f"it must be as {source}"
            if not isinstance(real, ops.Tensor):
                known[size] = real, place
        if isinstance(real, ops.Tensor) or isinstance(wanted, ops.Tensor):
            text = f"{place}; {whose}:"
            require(math_ops.equal(real, wanted), text, [real, wanted])
        elif real != wanted:
            raise ValueError(
                f"{message}assert_shapes: {place} is {real}; {whose}, {wanted}"
            )
    return checks
