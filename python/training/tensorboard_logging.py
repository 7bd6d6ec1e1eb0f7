# SPDX-License-Identifier: Apache-2.0
"""Log messages that go to an event file, too."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from tensorwright.core.util import event_pb2
from tensorwright.python.platform import tf_logging

if TYPE_CHECKING:
    from tensorwright.python.summary.writer.writer import FileWriter


DEBUG = "DEBUG"
INFO = "INFO"
WARN = "WARN"
ERROR = "ERROR"
FATAL = "FATAL"

_LEVELS = {
    DEBUG: (event_pb2.LogMessage.DEBUGGING, tf_logging.DEBUG),
    INFO: (event_pb2.LogMessage.INFO, tf_logging.INFO),
    WARN: (event_pb2.LogMessage.WARN, tf_logging.WARN),
    ERROR: (event_pb2.LogMessage.ERROR, tf_logging.ERROR),
    FATAL: (event_pb2.LogMessage.FATAL, tf_logging.FATAL),
}
_summary_writer: Any = None
_verbosity = WARN


def set_summary_writer(summary_writer: FileWriter) -> None:
    """Messages go to this FileWriter from now on; None for none."""
    global _summary_writer
    _summary_writer = summary_writer


def _check(level: str) -> None:
    if level not in _LEVELS:
        raise ValueError(f"level must be one of {list(_LEVELS)}, got {level!r}")


def set_verbosity(verbosity: str) -> None:
    """Messages of lower levels are not written.  Raises ValueError for no level."""
    global _verbosity
    _check(verbosity)
    _verbosity = verbosity


def get_verbosity() -> str:
    """The lowest level that is written."""
    return _verbosity


def log(level: str, message: str, *args: object) -> None:
    """Logs `message % args`, to the event file and as tf.logging does.

    Raises ValueError for no level.
    """
    _check(level)
    number, logging_level = _LEVELS[level]
    if _summary_writer is not None and number >= _LEVELS[_verbosity][0]:
        entry = event_pb2.LogMessage(
            level=number, message=message % args if args else message
        )
        _summary_writer.add_event(
            event_pb2.Event(wall_time=time.time(), log_message=entry)
        )
    tf_logging.log(logging_level, message, *args)


def debug(message: str, *args: object) -> None:
    """Logs at level DEBUG."""
    log(DEBUG, message, *args)


def info(message: str, *args: object) -> None:
    """Logs at level INFO."""
    log(INFO, message, *args)


def warn(message: str, *args: object) -> None:
    """Logs at level WARN."""
    log(WARN, message, *args)


def error(message: str, *args: object) -> None:
    """Logs at level ERROR."""
    log(ERROR, message, *args)


def fatal(message: str, *args: object) -> None:
    """Logs at level FATAL."""
    log(FATAL, message, *args)
