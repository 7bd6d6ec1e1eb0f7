# SPDX-License-Identifier: Apache-2.0
"""Registry: named things, each with the place that registered it."""

import sys
from typing import Any, NamedTuple


class Registration(NamedTuple):
    """A registered value, and the place of its registration."""

    value: Any
    file: str
    line: int
    function: str


class Registry:
    """Maps names to values; a name can be taken once.

    Example:
        registry = Registry("gradient")
        registry.register(function, "MatMul")
        registry.lookup("MatMul")
    """

    __slots__ = ("_name", "_registry")

    def __init__(self, name: str):
        self._name = name
        self._registry: dict[str, Registration] = {}

    def register(self, candidate: object, name: str | None = None, depth: int = 1):
        """Adds `candidate` as `name`, or as its own `__name__`.

        `depth` is the number of calls between the code that registers and here.
        Raises KeyError where the name is taken.
        """
        if not candidate and not callable(candidate) and candidate is not None:
            raise ValueError(f"Cannot register {candidate!r} as a {self._name}")
        name = name or str(getattr(candidate, "__name__"))
        if name in self._registry:
            first = self._registry[name]
            raise KeyError(
                f"Registering two {self._name} with name {name!r}! "
                f"(Previous registration was in {first.function} "
                f"{first.file}:{first.line})"
            )
        frame = sys._getframe(depth)
        code = getattr(candidate, "__code__", None)
        self._registry[name] = Registration(
            candidate,
            code.co_filename if code else frame.f_code.co_filename,
            code.co_firstlineno if code else frame.f_lineno,
            frame.f_code.co_name,
        )

    def list(self) -> list[str]:
        return list(self._registry)

    def lookup(self, name: str) -> Any:
        """The value of `name`.  LookupError where there is none."""
        return self.registration(name).value

    def registration(self, name: str) -> Registration:
        found = self._registry.get(name)
        if found is None:
            raise LookupError(f"{self._name} registry has no entry for: {name}")
        return found
