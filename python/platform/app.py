# SPDX-License-Identifier: Apache-2.0
"""`tf.app.run`: parses flags, then calls main."""

import sys
from collections.abc import Callable
from typing import Any, NoReturn

from tensorwright.python.platform import flags


def run(
    main: Callable[[list[str]], Any] | None = None, argv: list[str] | None = None
) -> NoReturn:
    """Runs `main(argv)` and exits with its result.

    Args:
        main: `main` of the program where it is not given.  It gets the arguments
            that are no flags.
        argv: `sys.argv` where it is not given.
    """
    main = main or sys.modules["__main__"].main
    argv = sys.argv if argv is None else argv
    rest = flags.FLAGS(argv, known_only=True)
    sys.exit(main(rest))


__all__ = ["flags", "run"]
