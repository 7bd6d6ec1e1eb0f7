# SPDX-License-Identifier: Apache-2.0
"""`contextlib.contextmanager` that keeps the decorated function reachable."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import TYPE_CHECKING

from tensorwright.python.util import tf_decorator

if TYPE_CHECKING:
    from collections.abc import Iterator
    from contextlib import AbstractContextManager

    from tensorwright.python.framework.type_aliases import P, T


def contextmanager(
    target: Callable[P, Iterator[T]],
) -> Callable[P, AbstractContextManager[T]]:
    """Makes a generator function a context manager."""
    context_manager = contextlib.contextmanager(target)
    return tf_decorator.make_decorator(target, context_manager, "contextmanager")
