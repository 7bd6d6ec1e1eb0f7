# SPDX-License-Identifier: Apache-2.0
"""Operators of Tensor and SparseTensor that load the ops layer when one is first used.

`tf.constant(1) + 2` needs the math ops, `import tensorwright` does not: until they are loaded, each operator
stands for "load them, then do it".
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorwright.python.framework.sparse_tensor import SparseTensor
from tensorwright.python.framework.tensor import Tensor

# Tensors compare by identity, so that they can be keys: these are no operators of the ops layer.
_NOT_LAZY = ("__eq__", "__ne__")


def install(load_ops: Callable[..., object]) -> None:
    """`load_ops` must override every operator (see `Tensor._override_operator`)."""
    for name in Tensor.OVERLOADABLE_OPERATORS.difference(_NOT_LAZY):
        setattr(Tensor, name, _loader(Tensor, name, load_ops))
    for name in SparseTensor.OVERLOADABLE_OPERATORS:
        setattr(SparseTensor, name, _loader(SparseTensor, name, load_ops))


def _loader(kind: type, name: str, load_ops: Callable[[], Any]) -> Callable[..., Any]:
    def operator(self: Any, *args: Any) -> Any:
        load_ops()
        loaded = getattr(kind, name)
        return NotImplemented if loaded is operator else loaded(self, *args)

    operator._loads_ops = True
    return operator
