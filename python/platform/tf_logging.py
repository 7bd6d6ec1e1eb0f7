# SPDX-License-Identifier: Apache-2.0
"""`tf.logging`: messages on stderr, through Python's logger "tensorwright"."""

from __future__ import annotations

import logging as _logging
import sys as _sys
import threading as _threading
import time as _time
from logging import DEBUG, ERROR, FATAL, INFO, WARNING as WARN  # noqa: F401
from typing import Any

_LETTERS = {FATAL: "F", ERROR: "E", WARN: "W", INFO: "I", DEBUG: "D"}
_names = {FATAL: "FATAL", ERROR: "ERROR", WARN: "WARN", INFO: "INFO", DEBUG: "DEBUG"}
_lock = _threading.Lock()
_made: _logging.Logger | None = None
_counts: dict[Any, int] = {}


class _Formatter(_logging.Formatter):
    """`I1121 08:30:00.000001 1234 file.py:10] message`"""

    def format(self, record: _logging.LogRecord) -> str:
        now = _time.strftime("%m%d %H:%M:%S", _time.localtime(record.created))
        micros = int(record.created % 1 * 1e6)
        letter = _LETTERS.get(record.levelno, "?")
        return (
            f"{letter}{now}.{micros:06} {record.process} {record.filename}:"
            f"{record.lineno}] {super().format(record)}"
        )


def get_logger() -> _logging.Logger:
    """The logger all messages go to."""
    global _made
    with _lock:
        if _made is None:
            logger = _logging.getLogger("tensorwright")
            if not logger.handlers and not _logging.getLogger().handlers:
                handler = _logging.StreamHandler(_sys.stderr)
                handler.setFormatter(_Formatter())
                logger.addHandler(handler)
            if logger.level == _logging.NOTSET:
                logger.setLevel(WARN)
            _made = logger
        return _made


_get_logger = get_logger


def log(level: int, msg: object, *args: object, **kwargs: Any) -> None:
    """Logs `msg % args` at a level."""
    get_logger().log(level, msg, *args, stacklevel=2, **kwargs)


def debug(msg: object, *args: object, **kwargs: Any) -> None:
    get_logger().debug(msg, *args, stacklevel=2, **kwargs)


def info(msg: object, *args: object, **kwargs: Any) -> None:
    get_logger().info(msg, *args, stacklevel=2, **kwargs)


def warning(msg: object, *args: object, **kwargs: Any) -> None:
    get_logger().warning(msg, *args, stacklevel=2, **kwargs)


warn = warning


def error(msg: object, *args: object, **kwargs: Any) -> None:
    get_logger().error(msg, *args, stacklevel=2, **kwargs)


def fatal(msg: object, *args: object, **kwargs: Any) -> None:
    """Logs at the highest level; the program goes on."""
    get_logger().critical(msg, *args, stacklevel=2, **kwargs)


def vlog(level: int, msg: object, *args: object, **kwargs: Any) -> None:
    """Logs at a level given as a number."""
    get_logger().log(level, msg, *args, stacklevel=2, **kwargs)


def log_if(level: int, msg: object, condition: object, *args: object) -> None:
    """Logs where `condition` holds."""
    if condition:
        get_logger().log(level, msg, *args, stacklevel=2)


def _count_call() -> int:
    """How often the code that called our caller has come here before."""
    frame = _sys._getframe(2)
    key = (frame.f_code, frame.f_lineno)
    _counts[key] = _counts.get(key, -1) + 1
    return _counts[key]


def log_every_n(level: int, msg: object, n: int, *args: object) -> None:
    """Logs the first and then every n-th call from a place in the code."""
    if _count_call() % n == 0:
        get_logger().log(level, msg, *args, stacklevel=2)


def log_first_n(level: int, msg: object, n: int, *args: object) -> None:
    """Logs the first n calls from a place in the code."""
    if _count_call() < n:
        get_logger().log(level, msg, *args, stacklevel=2)


def TaskLevelStatusMessage(msg: object) -> None:
    error(msg)


def flush() -> None:
    for handler in get_logger().handlers:
        handler.flush()


def get_verbosity() -> int:
    """Messages below this level are dropped."""
    return get_logger().getEffectiveLevel()


def set_verbosity(v: int) -> None:
    """Drops messages below a level, e.g. `tf.logging.INFO`."""
    get_logger().setLevel(v)


def level_name(level: int) -> str:
    return _names[level]
