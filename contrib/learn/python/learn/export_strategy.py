# SPDX-License-Identifier: Apache-2.0
"""How an Experiment exports its model."""

from __future__ import annotations

import collections
import inspect
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


__all__ = ["ExportStrategy"]


class ExportStrategy(
    collections.namedtuple("ExportStrategy", ["name", "export_fn", "strip_default_attrs"])
):  # fmt: skip
    """A name, which is that of a folder, and a function that exports an estimator.

    Args:
        name: the folder in `export` of the model's folder.
        export_fn: `f(estimator, export_path)`, which may take `checkpoint_path` and `eval_result` too, and returns where
            the export is.
        strip_default_attrs: given to `export_fn` where it takes that.
    """

    __slots__ = ()

    def __new__(
        cls,
        name: str,
        export_fn: Callable[..., object],
        strip_default_attrs: bool | None = None,
    ) -> ExportStrategy:
        return super().__new__(cls, name, export_fn, strip_default_attrs)

    def export(
        self,
        estimator: object,
        export_path: str,
        checkpoint_path: str | None = None,
        eval_result: Mapping[str, object] | None = None,
    ) -> Any:
        """Exports a model; returns the result of `export_fn`, which gets those of the arguments that it takes."""
        takes = inspect.signature(self.export_fn).parameters
        any_name = any(p.kind is p.VAR_KEYWORD for p in takes.values())
        given: dict[str, Any] = {}
        if checkpoint_path is not None and ("checkpoint_path" in takes or any_name):
            given["checkpoint_path"] = checkpoint_path
        if eval_result is not None and ("eval_result" in takes or any_name):
            given["eval_result"] = eval_result
        if self.strip_default_attrs is not None and "strip_default_attrs" in takes:
            given["strip_default_attrs"] = self.strip_default_attrs
        return self.export_fn(estimator, export_path, **given)
