# SPDX-License-Identifier: Apache-2.0
"""`tf.compat.v2.random`: that of the first version, and `set_seed`."""

# ruff: noqa: F401
from typing import Any

from tensorwright.python.framework.random_seed import set_random_seed as set_seed
from tensorwright.python.ops._namespaces import random_ns


def poisson(
    shape: Any,
    lam: Any,
    dtype: Any = "float32",
    seed: int | None = None,
    name: str | None = None,
) -> Any:
    """Draws of Poisson distributions: `shape` of each rate in `lam`, the shape first."""
    return random_ns.poisson(lam, shape, dtype=dtype, seed=seed, name=name)


def __getattr__(name: str) -> Any:
    return getattr(random_ns, name)


def __dir__() -> list[str]:
    return sorted({*dir(random_ns), "poisson", "set_seed"})
