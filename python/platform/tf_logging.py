# SPDX-License-Identifier: Apache-2.0
"""tf.logging: the "tensorwright" logger of the standard library under TF 1.x's names."""

from __future__ import annotations

import collections
import itertools
import logging as _logging
import sys
from typing import Any

DEBUG = _logging.DEBUG
INFO = _logging.INFO
WARN = _logging.WARN
ERROR = _logging.ERROR
FATAL = _logging.FATAL

_logger = _logging.getLogger("tensorwright")
_calls: dict[Any, itertools.count] = collections.defaultdict(itertools.count)

if not _logging.getLogger().handlers:  # The program set nothing up: write to stderr.
    _handler = _logging.StreamHandler(sys.stderr)
    _handler.setFormatter(_logging.Formatter("%(levelname)s:%(name)s:%(message)s"))
    _logger.addHandler(_handler)
_logger.setLevel(WARN)

debug = _logger.debug
info = _logger.info
warning = _logger.warning
error = _logger.error
fatal = _logger.fatal
log = _logger.log


def warn(msg: str, *args: Any, **kwargs: Any) -> None:
    """The same as `warning`."""
    _logger.warning(msg, *args, **kwargs)


def vlog(level: int, msg: str, *args: Any, **kwargs: Any) -> None:
    """Logs at a numeric level of the standard library's logging."""
    _logger.log(level, msg, *args, **kwargs)


def log_if(level: int, msg: str, condition: Any, *args: Any) -> None:
    """Logs when `condition` is true."""
    if condition:
        _logger.log(level, msg, *args)


def log_every_n(level: int, msg: str, n: int, *args: Any) -> None:
    """Logs the first, the n+1st, the 2n+1st ... call of the calling line."""
    log_if(level, msg, next(_calls[_caller(), "every"]) % n == 0, *args)


def log_first_n(level: int, msg: str, n: int, *args: Any) -> None:
    """Logs the first n calls of the calling line."""
    log_if(level, msg, next(_calls[_caller(), "first"]) < n, *args)


def TaskLevelStatusMessage(msg: str) -> None:  # noqa: N802 (TensorFlow's name)
    """Logs a task's status as an error, so that it is never filtered."""
    _logger.error(msg)


def flush() -> None:
    """Writes out what handlers hold."""
    for handler in _logger.handlers:
        handler.flush()


def get_verbosity() -> int:
    """The lowest level that is logged."""
    return _logger.getEffectiveLevel()


def set_verbosity(v: int) -> None:
    """Sets the lowest level that is logged."""
    _logger.setLevel(v)


def get_logger() -> _logging.Logger:
    """The logger itself."""
    return _logger


def _caller() -> tuple[str, int]:
    frame = sys._getframe(2)
    return frame.f_code.co_filename, frame.f_lineno
