# SPDX-License-Identifier: Apache-2.0
"""Properties of variables: how copies are kept equal, and where one lies in a larger one."""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, Any

from tensorwright.python.framework import ops

if TYPE_CHECKING:
    from tensorwright.core.framework.variable_pb2 import SaveSliceInfoDef


class VariableSynchronization(enum.Enum):
    """How copies of a variable are kept equal.  There is one copy here."""

    AUTO = 0
    NONE = 1
    ON_WRITE = 2
    ON_READ = 3


class VariableAggregation(enum.Enum):
    """How updates of several copies are put together.  There is one copy here."""

    NONE = 0
    SUM = 1
    MEAN = 2
    ONLY_FIRST_REPLICA = 3


class SaveSliceInfo:
    """The place of a variable in the larger one that it is a part of."""

    def __init__(
        self,
        full_name: str | None = None,
        full_shape: Any = None,
        var_offset: Any = None,
        var_shape: Any = None,
        save_slice_info_def: SaveSliceInfoDef | None = None,
        import_scope: str | None = None,
    ):
        """
        save_slice_info_def: a `SaveSliceInfoDef` that says the rest, of a name under `import_scope`.
        """
        if save_slice_info_def is not None:
            full_name = ops.prepend_name_scope(
                save_slice_info_def.full_name, import_scope
            )
            full_shape = list(save_slice_info_def.full_shape)
            var_offset = list(save_slice_info_def.var_offset)
            var_shape = list(save_slice_info_def.var_shape)
        self.full_name = full_name
        self.full_shape = full_shape
        self.var_offset = var_offset
        self.var_shape = var_shape

    @property
    def spec(self) -> str:
        """The text that a saver writes for it: the full shape, then begin and size of each dimension."""
        sizes = "".join(f"{d} " for d in self.full_shape)
        parts = zip(self.var_offset, self.var_shape, strict=True)
        return sizes + ":".join(f"{begin},{size}" for begin, size in parts)
