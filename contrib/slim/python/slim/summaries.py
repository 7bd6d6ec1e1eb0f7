# SPDX-License-Identifier: Apache-2.0
"""Summaries of tensors, which may be printed in each run too."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tensorwright.python.framework import ops
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import logging_ops, nn_impl
from tensorwright.python.summary import summary

__all__ = [
    "add_histogram_summaries",
    "add_histogram_summary",
    "add_image_summaries",
    "add_image_summary",
    "add_scalar_summaries",
    "add_scalar_summary",
    "add_zero_fraction_summaries",
    "add_zero_fraction_summary",
]


def _name(tensor: Any, name: str | None, prefix: str | None) -> str:
    name = name or tensor.op.name
    return f"{prefix}/{name}" if prefix else name


def add_histogram_summary(
    tensor: TensorLike, name: str | None = None, prefix: str | None = None
) -> ops.Tensor:
    """A histogram, called as the tensor or `name`, in the scope `prefix`."""
    return summary.histogram(_name(tensor, name, prefix), tensor)


def add_image_summary(
    tensor: TensorLike,
    name: str | None = None,
    prefix: str | None = None,
    print_summary: bool = False,
) -> ops.Tensor:
    """Images, called as the tensor or `name`; with `print_summary` also printed."""
    name = _name(tensor, name, prefix)
    if print_summary:
        tensor = logging_ops.Print(tensor, [tensor], name)
    return summary.image(name, tensor)


def add_scalar_summary(
    tensor: TensorLike,
    name: str | None = None,
    prefix: str | None = None,
    print_summary: bool = False,
) -> ops.Tensor:
    """A scalar, called as the tensor or `name`; with `print_summary` also printed."""
    name = _name(tensor, name, prefix)
    if print_summary:
        tensor = logging_ops.Print(tensor, [tensor], name)
    return summary.scalar(name, tensor)


def add_zero_fraction_summary(
    tensor: TensorLike,
    name: str | None = None,
    prefix: str | None = None,
    print_summary: bool = False,
) -> ops.Tensor:
    """The share of zeros in a tensor, as a scalar."""
    name = _name(tensor, name, prefix or "Fraction of Zero Values")
    return add_scalar_summary(nn_impl.zero_fraction(tensor), name, None, print_summary)


def add_histogram_summaries(
    tensors: Iterable[TensorLike], prefix: str | None = None
) -> list[ops.Tensor]:
    """A histogram of each."""
    return [add_histogram_summary(t, prefix=prefix) for t in tensors]


def add_image_summaries(
    tensors: Iterable[TensorLike], prefix: str | None = None
) -> list[ops.Tensor]:
    """Images of each."""
    return [add_image_summary(t, prefix=prefix) for t in tensors]


def add_scalar_summaries(
    tensors: Iterable[TensorLike],
    prefix: str | None = None,
    print_summary: bool = False,
) -> list[ops.Tensor]:
    """A scalar of each."""
    return [
        add_scalar_summary(t, prefix=prefix, print_summary=print_summary)
        for t in tensors
    ]


def add_zero_fraction_summaries(
    tensors: Iterable[TensorLike], prefix: str | None = None
) -> list[ops.Tensor]:
    """The share of zeros in each."""
    return [add_zero_fraction_summary(t, prefix=prefix) for t in tensors]
