# SPDX-License-Identifier: Apache-2.0
"""Names of `ops` by which programs tell eager execution from graphs."""

from __future__ import annotations

import itertools
from typing import NoReturn

from tensorwright.python.framework.tensor import Tensor

_numbers = itertools.count(1)


def uid() -> int:
    """A number that no other call in this process gives."""
    return next(_numbers)


def executing_eagerly_outside_functions() -> bool:
    """False: everything is built into graphs and run by sessions."""
    return False


class EagerTensor(Tensor):
    """A tensor that holds its value.  Tensors of graphs do not, so nothing is an instance."""

    def __new__(cls, *args: object, **kwargs: object) -> NoReturn:
        raise TypeError("EagerTensor: tensors are outputs of a graph's operations")
