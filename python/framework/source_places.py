# SPDX-License-Identifier: Apache-2.0
"""What source_chain finds, as values that print well."""

from __future__ import annotations

import dataclasses


@dataclasses.dataclass(frozen=True)
class Place:
    """A named thing at a line of a file; files in the tree are relative to its root."""

    name: str
    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.name:44} {self.file}:{self.line}"


@dataclasses.dataclass(frozen=True)
class Kernel:
    """One kernel registration."""

    place: Place
    device: str
    constraints: dict[str, list[str]]
    label: str
    library: str

    def __str__(self) -> str:
        types_ = " ".join(f"{k}={','.join(v)}" for k, v in self.constraints.items())
        label = f" label={self.label}" if self.label else ""
        rests_on = f"\n{'':12}on {self.library}" if self.library else ""
        what = f"{self.device} {types_}{label}".rstrip()
        return f"{what}\n{'':12}{self.place}{rests_on}"


@dataclasses.dataclass(frozen=True)
class OpChain:
    """All that stands behind one op."""

    op: Place
    wrapper: Place | None
    shape_function: Place | None
    gradient: Place | None
    differentiable: bool | None
    kernels: tuple[Kernel, ...]

    def __str__(self) -> str:
        rows = []
        if self.wrapper:
            rows.append(f"  wrapper   {self.wrapper}")
        rows.append(f"  op        {self.op}")
        rows.append(f"  shape fn  {self.shape_function or 'none'}")
        if self.gradient:
            rows.append(f"  gradient  {self.gradient}")
        else:
            none = "none registered"
            text = "not differentiable" if self.differentiable is False else none
            rows.append(f"  gradient  {text}")
        rows.extend(f"  kernel    {k}" for k in self.kernels)
        if not self.kernels:
            rows.append("  kernel    none registered")
        return "\n".join(rows)


@dataclasses.dataclass(frozen=True)
class Explanation:
    """A printable answer: the Python places that lead to the ops, then a chain for each op.

    `calls` is the Python function that the kernel calls, for ops written in Python.
    """

    title: str
    path: tuple[Place, ...]
    chains: tuple[OpChain, ...]
    also_uses: tuple[str, ...] = ()
    calls: Place | None = None

    def __str__(self) -> str:
        rows = [self.title]
        rows.extend(f"  python    {place}" for place in self.path)
        rows.extend(str(chain) for chain in self.chains)
        if self.calls:
            rows.append(f"  calls     {self.calls}")
        if self.also_uses:
            rows.append(f"  also uses {', '.join(self.also_uses)}")
        return "\n".join(rows)

    __repr__ = __str__
