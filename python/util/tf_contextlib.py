# SPDX-License-Identifier: Apache-2.0
"""`contextlib.contextmanager` that keeps the decorated function reachable."""

import contextlib
from collections.abc import Callable
from typing import Any

from tensorwright.python.util import tf_decorator


def contextmanager(target: Callable[..., Any]) -> Callable[..., Any]:
    """Makes a generator function a context manager."""
    context_manager = contextlib.contextmanager(target)
    return tf_decorator.make_decorator(target, context_manager, "contextmanager")
