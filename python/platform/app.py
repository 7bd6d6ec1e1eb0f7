# SPDX-License-Identifier: Apache-2.0
"""`tf.app.run`: parses flags, then calls main."""

import sys
from collections.abc import Callable
from typing import NoReturn

from absl import app as _absl

from tensorwright.python.platform import flags


def run(
    main: Callable[[list[str]], int | str | None] | None = None,
    argv: list[str] | None = None,
) -> NoReturn:
    """Runs `main(argv)` and exits with its result.

    `--help` prints the program's flags and their documentation, `--helpfull` those of all modules; then, or where a
    flag has a value that it does not take, the program exits with 1.  Arguments that look like flags and are none are
    left to `main`.

    Args:
        main: `main` of the program where it is not given.  It gets the arguments
            that are no flags.
        argv: `sys.argv` where it is not given.
    """
    entry = main or sys.modules["__main__"].main
    argv = sys.argv if argv is None else argv
    _absl.define_help_flags()
    try:
        rest = flags.FLAGS(argv, known_only=True)
    except flags.Error as error:
        _absl.usage(shorthelp=True, detailed_error=error, exitcode=1)
    sys.exit(entry(rest))


__all__ = ["flags", "run"]
