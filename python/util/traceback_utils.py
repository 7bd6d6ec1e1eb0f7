# SPDX-License-Identifier: Apache-2.0
"""Which frames a program's last traceback shows: its own, not those inside tensorwright."""

import os
import sys
import types
from typing import Any

_PACKAGE = os.path.dirname(os.path.dirname(os.path.dirname(__file__))) + os.sep
_OURS = (_PACKAGE + "python" + os.sep, _PACKAGE + "user_ops" + os.sep)

_enabled = True
_next_hook: Any = None


def enable_traceback_filtering() -> None:
    """An error that ends the program shows no frames inside tensorwright.  So it is at first."""
    global _enabled
    _enabled = True


def disable_traceback_filtering() -> None:
    """An error that ends the program shows all frames, as who works on tensorwright needs them."""
    global _enabled
    _enabled = False


def is_traceback_filtering_enabled() -> bool:
    """Whether frames inside tensorwright are left out."""
    return _enabled


def _is_ours(frame: Any) -> bool:
    # As IsOurs in pywrap/traceback.cc.
    file = frame.f_code.co_filename
    return file.startswith(_OURS) and not file.endswith("_test.py")


def filtered(traceback: types.TracebackType | None) -> types.TracebackType | None:
    """`traceback` without the frames inside tensorwright; as it is where there are no others."""
    frames = []
    at = traceback
    while at is not None:
        if not _is_ours(at.tb_frame):
            frames.append(at)
        at = at.tb_next
    if not frames:
        return traceback
    result = None
    for at in reversed(frames):
        result = types.TracebackType(result, at.tb_frame, at.tb_lasti, at.tb_lineno)
    return result


def _chain(error: BaseException | None) -> list[BaseException]:
    """An error and those it came from."""
    found: list[BaseException] = []
    todo = [error]
    while todo:
        error = todo.pop()
        if error is not None and not any(error is e for e in found):
            found.append(error)
            todo += [error.__cause__, error.__context__]
    return found


def _hook(kind: type, error: BaseException, traceback: Any) -> None:
    if not _enabled:
        _next_hook(kind, error, traceback)
        return
    errors = _chain(error)
    whole = [e.__traceback__ for e in errors]
    try:
        for e, tb in zip(errors, whole):
            e.__traceback__ = filtered(tb)
        _next_hook(kind, error, filtered(traceback))
    finally:
        for e, tb in zip(errors, whole):
            e.__traceback__ = tb


def install() -> None:
    """Takes part when the interpreter prints the error that ends the program; once."""
    global _next_hook
    if _next_hook is None:
        _next_hook, sys.excepthook = sys.excepthook, _hook
