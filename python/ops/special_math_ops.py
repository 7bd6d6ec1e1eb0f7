# SPDX-License-Identifier: Apache-2.0
"""lbeta and einsum."""

from __future__ import annotations

from typing import Any

import numpy as np

from tensorwright.python.framework import dtypes, ops
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import array_ops, gen_array_ops, gen_math_ops, math_ops


def lbeta(x: TensorLike, name: str | None = None) -> ops.Tensor:
    """log(|Beta(x)|) of the last dimension: [..., n] -> [...].

    The sum of lgamma(x_i) less lgamma of the sum of x_i; -infinity for n = 0.
    """
    with ops.name_scope(name, "lbeta", [x]):
        x = ops.convert_to_tensor(x, name="x")
        of_sum = gen_math_ops.lgamma(math_ops.reduce_sum(x, axis=-1))
        return math_ops.reduce_sum(gen_math_ops.lgamma(x), axis=-1) - of_sum


def einsum(equation: str, *inputs: TensorLike, **kwargs: str | None) -> ops.Tensor:
    """Products summed over the indices that the output lacks, as `numpy.einsum`.

    "ij,jk->ik" is a matrix product, "bij->b" a sum, "ii->i" a diagonal, "...ij->...ji" a transpose.
    Without "->" the output has the indices that occur once, in alphabetical order.  Operands are
    contracted from left to right, two at a time, by a batched matrix product.

    Raises ValueError for an equation that does not fit the operands, TypeError for an argument
    other than `name`.
    """
    name = kwargs.pop("name", None)
    kwargs.pop("optimize", None)
    if kwargs:
        raise TypeError(f"invalid keyword arguments for this function: {list(kwargs)}")
    with ops.name_scope(name, "einsum", list(inputs)):
        tensors = [ops.convert_to_tensor(x, name="input") for x in inputs]
        terms, output = _parse(equation, tensors)
        operands = [
            _Operand(*_without_repeats(t, labels))
            for t, labels in zip(tensors, terms, strict=True)
        ]
        result = operands[0]
        for i, other in enumerate(operands[1:], start=2):
            later = set(output).union(*(o.labels for o in operands[i:]))
            result = _contract(result, other, later)
        result = _summed(result, set(output))
        return _arranged(result, output)


class _Operand:
    """A tensor whose dimensions have one label each."""

    def __init__(self, tensor: ops.Tensor, labels: list[Any]) -> None:
        self.tensor = tensor
        self.labels = labels

    def sizes(self, labels: list[Any]) -> list[Any]:
        """Returns the sizes of dimensions: integers if known, else scalar tensors."""
        static = self.tensor.get_shape().as_list()
        at = [self.labels.index(label) for label in labels]
        if any(static[i] is None for i in at):
            shape = array_ops.shape(self.tensor)
            return [shape[i] if static[i] is None else static[i] for i in at]
        return [static[i] for i in at]

    def size_one(self, label: Any) -> bool:
        dim = self.tensor.get_shape().as_list()[self.labels.index(label)]
        return dim == 1


def _parse(equation: str, tensors: list[ops.Tensor]) -> tuple[list[list], list]:
    """The labels of each operand's dimensions, and the output's.

    A label is a letter or, in the place of "...", a number that counts from the right.
    """
    text = equation.replace(" ", "")
    left, arrow, right = text.partition("->")
    terms = left.split(",")
    if len(terms) != len(tensors):
        raise ValueError(
            f"einsum: got {len(tensors)} inputs for {len(terms)} terms of '{equation}'"
        )
    tensors[:] = [_of_known_rank(t, x) for t, x in zip(terms, tensors, strict=True)]
    parsed = [
        _labels(term, t, equation) for term, t in zip(terms, tensors, strict=True)
    ]
    dots = sorted({x for p in parsed for x in p if isinstance(x, int)}, reverse=True)
    if not arrow:
        letters = [c for c in "".join(terms) if c != "."]
        once = sorted(c for c in set(letters) if letters.count(c) == 1)
        return parsed, dots + once
    head, ellipsis, tail = right.partition("...")
    output = list(head) + (dots if ellipsis else []) + list(tail)
    known = {x for p in parsed for x in p}
    for label in output:
        if label not in known or not (isinstance(label, int) or label.isalpha()):
            raise ValueError(
                f"einsum: output index '{label}' is in no term of '{text}'"
            )
    if len(set(output)) != len(output):
        raise ValueError(f"einsum: an output index repeats in '{equation}'")
    return parsed, output


def _of_known_rank(term: str, tensor: ops.Tensor) -> ops.Tensor:
    """A tensor of unknown rank has a dimension for each index of its term, which a run checks."""
    if tensor.get_shape().ndims is not None or not term.isalpha():
        return tensor
    return gen_array_ops.ensure_shape(tensor, [None] * len(term))


def _labels(term: str, tensor: ops.Tensor, equation: str) -> list[Any]:
    rank = tensor.get_shape().ndims
    if rank is None:
        raise ValueError("einsum: the ranks of the inputs must be known")
    head, ellipsis, tail = term.partition("...")
    if not (head + tail).isalpha() and head + tail:
        raise ValueError(f"einsum: '{equation}' holds something else than indices")
    more = rank - len(head) - len(tail)
    if more < 0 or (more > 0 and not ellipsis):
        raise ValueError(
            f"einsum: '{term}' does not fit an input of shape {tensor.get_shape()}"
        )
    return list(head) + list(range(more - 1, -1, -1)) + list(tail)


def _without_repeats(x: ops.Tensor, labels: list[Any]) -> tuple[ops.Tensor, list[Any]]:
    """The diagonal over dimensions with the same label, which then is the first one's."""
    for label in labels:
        at = [i for i, other in enumerate(labels) if other == label]
        if len(at) < 2:
            continue
        rest = [i for i in range(len(labels)) if i not in at[:2]]
        x = array_ops.transpose(x, at[:2] + rest)
        static = x.get_shape().as_list()
        if None not in static[:2] and static[0] != static[1]:
            raise ValueError(f"einsum: index '{label}' has sizes {static[:2]}")
        shape = array_ops.shape(x)
        # The diagonal of [n, n, ...] is every n + 1st row of [n * n, ...].
        flat = array_ops.reshape(x, array_ops.concat([[-1], shape[2:]], 0))
        x = array_ops.gather(flat, math_ops.range(shape[0]) * (shape[1] + 1))
        x.set_shape([static[0], *static[2:]])
        return _without_repeats(x, [label] + [labels[i] for i in rest])
    return x, labels


def _summed(x: _Operand, keep: set) -> _Operand:
    """Sums over the dimensions whose labels are not to be kept."""
    gone = [i for i, label in enumerate(x.labels) if label not in keep]
    if not gone:
        return x
    return _Operand(
        math_ops.reduce_sum(x.tensor, axis=gone), [c for c in x.labels if c in keep]
    )


def _arranged(x: _Operand, labels: list[Any]) -> ops.Tensor:
    if x.labels == labels:
        return x.tensor
    return array_ops.transpose(x.tensor, [x.labels.index(label) for label in labels])


def _squeezed(x: _Operand, other: _Operand) -> _Operand:
    """Removes the dimensions of "..." that are 1 here and missing there: they broadcast."""
    gone = [
        label
        for label in x.labels
        if isinstance(label, int)
        and label in other.labels
        and x.size_one(label)
        and not other.size_one(label)
    ]
    if not gone:
        return x
    at = [x.labels.index(label) for label in gone]
    return _Operand(
        array_ops.squeeze(x.tensor, at), [c for c in x.labels if c not in gone]
    )


def _contract(x: _Operand, y: _Operand, later: set) -> _Operand:
    """Multiplies two operands, and sums over the labels that neither the output nor a later operand has."""
    x, y = _squeezed(x, y), _squeezed(y, x)
    x = _summed(x, later.union(y.labels))
    y = _summed(y, later.union(x.labels))
    both = [c for c in x.labels if c in y.labels]
    batch = [c for c in both if c in later]
    inner = [c for c in both if c not in later]
    rows = [c for c in x.labels if c not in both]
    columns = [c for c in y.labels if c not in both]
    if not inner and not (rows and columns):
        return _elementwise(x, y, batch + rows + columns, len(batch))
    a = _as_matrices(x, batch, rows, inner)
    b = _as_matrices(y, batch, inner, columns)
    product = math_ops.matmul(a, b)
    sizes = x.sizes(batch + rows) + y.sizes(columns)
    return _Operand(_reshaped(product, sizes), batch + rows + columns)


def _elementwise(x: _Operand, y: _Operand, labels: list[Any], batch: int) -> _Operand:
    """One of them has only labels that the other has, too: a product that broadcasts."""
    small, large = (x, y) if len(x.labels) == batch else (y, x)
    shared = labels[:batch]
    sizes = small.sizes(shared) + [1] * (len(labels) - batch)
    left = _reshaped(_arranged(small, shared), sizes)
    return _Operand(left * _arranged(large, labels), labels)


def _as_matrices(x: _Operand, batch: list, rows: list, columns: list) -> ops.Tensor:
    """[the batch's dimensions, all rows, all columns]."""
    tensor = _arranged(x, batch + rows + columns)
    if len(rows) == len(columns) == 1:
        return tensor
    sizes = x.sizes(batch) + [_product(x.sizes(rows)), _product(x.sizes(columns))]
    return _reshaped(tensor, sizes)


def _product(sizes: list[Any]) -> Any:
    if all(isinstance(s, (int, np.integer)) for s in sizes):
        return int(np.prod(sizes, dtype=np.int64))
    result = sizes[0]
    for size in sizes[1:]:
        result = result * size
    return result


def _reshaped(x: ops.Tensor, sizes: list[Any]) -> ops.Tensor:
    static = [s if isinstance(s, (int, np.integer)) else None for s in sizes]
    known = x.get_shape()
    if None not in static and known.is_fully_defined() and known.as_list() == static:
        return x
    shape: Any = sizes
    if None in static:
        shape = array_ops.stack([ops.convert_to_tensor(s, dtypes.int32) for s in sizes])
    result = array_ops.reshape(x, shape)
    result.set_shape(static)
    return result
