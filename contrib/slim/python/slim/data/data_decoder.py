# SPDX-License-Identifier: Apache-2.0
"""DataDecoder: the interface of decoders, which make items from serialized examples."""

from __future__ import annotations

import abc
from collections.abc import Sequence
from typing import Any

from tensorwright.python.framework.type_aliases import TensorLike

__all__ = ["DataDecoder"]


class DataDecoder(abc.ABC):
    """Decodes one example."""

    @abc.abstractmethod
    def decode(self, data: TensorLike, items: Sequence[str] | None = None) -> list[Any]:
        """The tensors of `items`, by name, in their order; None: of all."""

    @abc.abstractmethod
    def list_items(self) -> list[str]:
        """The names of all items."""
