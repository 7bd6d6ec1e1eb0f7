# SPDX-License-Identifier: Apache-2.0
"""Printing from a run."""

from __future__ import annotations

from typing import Any

from tensorwright.python.framework import ops
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import gen_logging_ops


def Print(
    input_: TensorLike,
    data: list[Any],
    message: str | None = None,
    first_n: int | None = None,
    summarize: int | None = None,
    name: str | None = None,
) -> ops.Tensor:
    """`input_`, writing the values of `data` to stderr whenever it is computed.

    Args:
      input_: any tensor; it passes through.
      data: tensors to write.
      message: goes before them.
      first_n: how often at most; -1, the default, is always.
      summarize: how many elements of each, 3 by default.
      name: of the op.
    """
    return gen_logging_ops._print(
        input_, data, message=message, first_n=first_n, summarize=summarize, name=name
    )
