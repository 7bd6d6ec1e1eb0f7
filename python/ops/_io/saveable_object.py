# SPDX-License-Identifier: Apache-2.0
"""Things with a state that a saver writes and reads: tensors under names."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tensorwright.python.framework import dtypes, ops
from tensorwright.python.framework.type_aliases import ShapeLike


class SaveSpec:
    """One tensor to save: `slice_spec` ("" for all of it) and `name` in the checkpoint.

    `tensor` may be a function that makes it, to be called where it is saved; then `dtype`
    and `device` say what it will be.
    """

    def __init__(
        self,
        tensor: ops.Tensor | Callable[[], ops.Tensor],
        slice_spec: str,
        name: str,
        dtype: dtypes.DType | None = None,
        device: str | None = None,
    ):
        self._tensor = tensor
        self.slice_spec = slice_spec
        self.name = name
        if callable(tensor):
            if dtype is None or device is None:
                raise ValueError(
                    "A SaveSpec of a function needs its dtype and its device"
                )
            self.dtype, self.device = dtype, device
        else:
            self.dtype, self.device = tensor.dtype, tensor.device

    @property
    def tensor(self) -> ops.Tensor:
        return self._tensor() if callable(self._tensor) else self._tensor


class SaveableObject:
    """Something with a state of one tensor or more (`specs`); subclasses say how it is restored."""

    def __init__(self, op: Any, specs: list[SaveSpec], name: str):
        self.op = op
        self.specs = specs
        self.name = name

    @property
    def optional_restore(self) -> bool:
        return False

    @property
    def device(self) -> str:
        return self.specs[0].device

    def restore(
        self,
        restored_tensors: list[ops.Tensor],
        restored_shapes: Sequence[ShapeLike] | None,
    ) -> ops.Operation | ops.Tensor:
        """An op that sets the state to `restored_tensors`, one for each spec.

        `restored_shapes` is None, or the shapes that they are to be given.
        """
        raise NotImplementedError("Calling an abstract method.")
