# SPDX-License-Identifier: Apache-2.0
"""tf.app: runs a program's main after its flags are parsed."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from tensorwright.python.platform import flags


def run(
    main: Callable[[list[str]], Any] | None = None, argv: list[str] | None = None
) -> None:
    """Parses flags, then exits with what `main(argv)` returns.

    Args:
      main: takes the list of arguments that are no flags, the program's name first;
        `main` of the `__main__` module when not given.
      argv: `sys.argv` when not given.  Flags that nobody defined are left in it.
    """
    main = main or sys.modules["__main__"].main
    argv = list(sys.argv if argv is None else argv)
    rest = flags.FLAGS(argv, known_only=True)
    sys.exit(main(rest))
