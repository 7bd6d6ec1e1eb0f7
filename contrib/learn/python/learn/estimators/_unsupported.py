# SPDX-License-Identifier: Apache-2.0
"""Arguments that TensorFlow has and this package does not serve: an error, since to ignore one changes a model unseen."""

from __future__ import annotations


def refuse(where: str, **arguments: object) -> None:
    """Raises ValueError, naming `where` and the argument, for the first of `arguments` that was given."""
    for name, value in arguments.items():
        if value is not None:
            raise ValueError(f"{where}: {name} is not supported, got {value!r}")
