# SPDX-License-Identifier: Apache-2.0
"""Helpers of test_util: threads whose errors fail the test, and captured output."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import TextIO
    from unittest import TestCase


class CapturedWrites:
    """The text that `TensorFlowTestCase.captureWritesToStream` has captured."""

    def __init__(self, stream: TextIO, path: str):
        self._stream, self._path = stream, path

    def contents(self) -> str:
        """All that was written so far."""
        if not self._stream.closed:
            self._stream.flush()
        with open(self._path) as file:
            return file.read()


class CheckedThread:
    """See `TensorFlowTestCase.checkedThread`."""

    def __init__(
        self, testcase: TestCase, target: Callable[..., object], args=None, kwargs=None
    ):
        self._testcase = testcase
        self._target = target
        self._args = args or ()
        self._kwargs = kwargs or {}
        self._thread = threading.Thread(target=self._protected_run)
        self._exception: BaseException | None = None
        self._is_thread_joined = False

    def _protected_run(self) -> None:
        try:
            self._target(*self._args, **self._kwargs)
        except BaseException as error:  # Reported by join().
            self._exception = error

    def start(self) -> None:
        self._thread.start()

    def join(self) -> None:
        self._is_thread_joined = True
        self._thread.join()
        if self._exception is not None:
            self._testcase.fail(f"Error in checkedThread: {self._exception!r}")

    def is_alive(self) -> bool:
        return self._thread.is_alive()

    def check_termination(self) -> None:
        if self._thread.is_alive():
            self._testcase.fail("A checked thread was not joined.")
        if self._exception is not None and not self._is_thread_joined:
            self._testcase.fail(f"Error in checkedThread: {self._exception!r}")
