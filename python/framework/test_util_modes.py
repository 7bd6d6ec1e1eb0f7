# SPDX-License-Identifier: Apache-2.0
"""Decorators of tests that say in which mode they run: the one of graphs is the only one."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from google.protobuf.message import Message


def run_in_graph_and_eager_modes(
    func: Callable[..., object] | None = None,
    config: Message | None = None,
    use_gpu: bool = True,
    reset_test: bool = True,
    assert_no_eager_garbage: bool = False,
) -> Callable[..., object]:
    """Decorator: runs a method of a TensorFlowTestCase once, in a graph with a session.

    Args:
        func: the method; None makes a decorator.
        config: the session's ConfigProto.
        use_gpu: as in `TensorFlowTestCase.test_session`.
        reset_test: not used.
        assert_no_eager_garbage: not used.

    Raises:
        ValueError: `func` is a class: `run_all_in_graph_and_eager_modes` takes one.
    """
    del reset_test, assert_no_eager_garbage

    def decorate(method: Callable[..., object]) -> Callable[..., object]:
        if isinstance(method, type):
            raise ValueError(
                "run_in_graph_and_eager_modes takes test methods; run_all_in_graph_and_eager_modes takes a class"
            )

        @functools.wraps(method)
        def run(self: Any, *args: object, **kwargs: object) -> None:
            with self.test_session(use_gpu=use_gpu, config=config):
                method(self, *args, **kwargs)

        return run

    return decorate if func is None else decorate(func)


def run_all_in_graph_and_eager_modes(cls: type) -> type:
    """Decorator: runs all methods of a class that begin with "test" as `run_in_graph_and_eager_modes` does."""
    for name in dir(cls):
        method = getattr(cls, name)
        runs = name.startswith("test") and name != "test_session"
        if runs and callable(method):
            setattr(cls, name, run_in_graph_and_eager_modes(method))
    return cls


def InstallStackTraceHandler() -> None:
    """Does nothing: the library prints a crash with its node and the Python line by itself."""


def IsMklEnabled() -> bool:
    """False: no kernel asks for the layouts of TensorFlow's MKL build."""
    return False


def is_xla_enabled() -> bool:
    """False: graphs are not compiled by XLA."""
    return False
