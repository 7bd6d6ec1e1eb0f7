# SPDX-License-Identifier: Apache-2.0
"""The gradient of Einsum, of Einsums.

The gradient by an input is an Einsum of g and the other input that ends in the input's labels.  It also
undoes the other steps of Einsum: a label that the input alone had was summed, so the gradient repeats
along it; a label that the input had twice was a diagonal, so the gradient is zero beside it;
dimensions of "..." were broadcast, so the gradient is summed over them.
"""

from __future__ import annotations

from typing import Any

from tensorwright.python.framework import dtypes, ops
from tensorwright.python.ops import (
    array_ops,
    gen_array_ops,
    gen_math_ops,
    math_ops,
)
from tensorwright.python.ops._math.math_grad_unary import _conj

_DOTS = "..."


@ops.RegisterGradient("Einsum")
def _einsum_grad(op: ops.Operation, grad: Any) -> Any:
    """The gradients of "a,b->c": by a "c,b->a" of g and conj(b), by b "a,c->b" of conj(a) and g."""
    equation = op.get_attr("equation")
    if isinstance(equation, bytes):
        equation = equation.decode()
    left, output = equation.split("->")
    terms = left.split(",")
    inputs = list(op.inputs)
    if len(terms) == 1:
        return _by_input(inputs[0], terms[0], [(grad, output)])
    x, y = inputs
    return [
        _by_input(x, terms[0], [(grad, output), (_conj(y), terms[1])]),
        _by_input(y, terms[1], [(_conj(x), terms[0]), (grad, output)]),
    ]


def _by_input(x: ops.Tensor, term: str, factors: list[tuple[Any, str]]) -> ops.Tensor:
    """The product of the factors, each with its labels, in the shape and with the labels of `x`."""
    known = "".join(labels for _, labels in factors)
    letters = list(dict.fromkeys(term.replace(_DOTS, "")))
    lost = [c for c in letters if c not in known]
    kept = [c for c in letters if c in known]
    # The dimensions of "..." first, in which the shapes of x and g broadcast.
    dots = _DOTS if _DOTS in known else ""
    left = ",".join(labels for _, labels in factors)
    product = gen_math_ops.einsum(
        [t for t, _ in factors], f"{left}->{dots}{''.join(kept)}"
    )
    if dots:
        product = _unbroadcast(product, len(kept), x, term)
    labels = (dots if _DOTS in term else "") + "".join(kept)
    if lost:
        at = {c: _position(term, c) for c in lost}
        sizes = array_ops.stack([_size(x, at[c]) for c in lost])
        shape = array_ops.concat([sizes, array_ops.shape(product)], 0)
        product = gen_array_ops.broadcast_to(product, shape)
        labels = "".join(lost) + labels
    if labels != term:
        product = gen_math_ops.einsum([product], f"{labels}->{term}")
    product.set_shape(x.get_shape())
    return product


def _position(term: str, letter: str) -> int:
    """Returns the dimension of the first such letter, counted from the end if "..." is before it."""
    at = term.index(letter)
    dots = term.find(_DOTS)
    return at - len(term) if 0 <= dots < at else at


def _size(x: ops.Tensor, at: int) -> Any:
    shape = x.get_shape()
    if shape.ndims is not None and shape.as_list()[at] is not None:
        return ops.convert_to_tensor(shape.as_list()[at], dtypes.int32)
    return array_ops.shape(x)[at]


def _unbroadcast(product: Any, letters: int, x: ops.Tensor, term: str) -> ops.Tensor:
    """[..., of the letters], summed over the dimensions of "..." along which x was repeated."""
    head, dots, tail = term.partition(_DOTS)
    if _same_dots(product, letters, x, len(head), len(tail) if dots else None):
        return product
    shape = array_ops.shape(product)
    at = array_ops.size(shape) - letters
    own = array_ops.shape(x)
    own = own[len(head) : array_ops.size(own) - len(tail)] if dots else own[:0]
    axes, _ = gen_array_ops.broadcast_gradient_args(own, shape[:at])
    summed = math_ops.reduce_sum(product, axes)
    return array_ops.reshape(summed, array_ops.concat([own, shape[at:]], 0))


def _same_dots(
    product: ops.Tensor, letters: int, x: ops.Tensor, head: int, tail: int | None
) -> bool:
    """Whether static shapes alone show that x was not repeated; its "..." leaves out `head` and `tail` dimensions."""
    if product.get_shape().ndims is None or x.get_shape().ndims is None:
        return False
    full, own = product.get_shape().as_list(), x.get_shape().as_list()
    full = full[: len(full) - letters]
    own = [] if tail is None else own[head : len(own) - tail]
    return full == own and None not in full
