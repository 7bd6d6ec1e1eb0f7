# SPDX-License-Identifier: Apache-2.0
"""The results of source_chain, as values that print well."""

from __future__ import annotations

import dataclasses
import textwrap


@dataclasses.dataclass(frozen=True)
class Place:
    """A named thing at a line of a file; files in the tree are relative to its root."""

    name: str
    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.name:44} {self.file}:{self.line}"


@dataclasses.dataclass(frozen=True)
class Algorithm:
    """One of several ways in which a kernel does its work.  `library`: the library type it calls, or ""."""

    name: str
    file: str
    library: str

    def __str__(self) -> str:
        name = f"{self.name} ({self.library})" if self.library else self.name
        return f"{name:41} {self.file}"


@dataclasses.dataclass(frozen=True)
class Kernel:
    """One kernel registration.

    `library` is the library type the kernel rests on.  `algorithms`: where it has several ways, those that may run, in
    the order in which they are considered.
    """

    place: Place
    device: str
    constraints: dict[str, list[str]]
    label: str
    library: str
    algorithms: tuple[Algorithm, ...] = ()

    def __str__(self) -> str:
        types_ = " ".join(f"{k}={','.join(v)}" for k, v in self.constraints.items())
        label = f" label={self.label}" if self.label else ""
        rows = [f"{self.device} {types_}{label}".rstrip(), str(self.place)]
        if self.algorithms:
            words = ["by"] + ["or"] * (len(self.algorithms) - 1)
            rows.extend(f"{w} {a}" for w, a in zip(words, self.algorithms, strict=True))
        elif self.library:
            rows.append(f"on {self.library}")
        return f"\n{'':12}".join(rows)


def _texts_of(kernels: tuple[Kernel, ...]) -> list[str]:
    """A text for each registration; one for all types that a line registers a template for."""
    groups: dict[tuple, list[Kernel]] = {}
    for kernel in kernels:
        place = kernel.place
        key: tuple = (kernel.device, kernel.label, kernel.library, kernel.algorithms)
        types_ = [t for allowed in kernel.constraints.values() for t in allowed]
        template, bracket, _ = place.name.rpartition("<")
        if bracket and len(types_) == 1:
            key += (template, place.file, place.line, *kernel.constraints)
        else:
            key += (str(kernel),)
        groups.setdefault(key, []).append(kernel)
    return [_text_of(group) for group in groups.values()]


def _text_of(group: list[Kernel]) -> str:
    first = group[0]
    if len(group) == 1:
        return str(first)
    ((attr, _),) = first.constraints.items()
    types_ = [k.constraints[attr][0] for k in group]
    template = first.place.name.rpartition("<")[0]
    place = dataclasses.replace(first.place, name=f"{template}<...>")
    return str(dataclasses.replace(first, place=place, constraints={attr: types_}))


@dataclasses.dataclass(frozen=True)
class OpChain:
    """All places behind one op."""

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
        rows.extend(f"  kernel    {text}" for text in _texts_of(self.kernels))
        if not self.kernels:
            rows.append("  kernel    none registered")
        return "\n".join(rows)


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(
        text,
        100,
        initial_indent="  ",
        subsequent_indent=" " * 12,
        break_on_hyphens=False,
    )


@dataclasses.dataclass(frozen=True)
class Explanation:
    """A printable answer: the Python places that lead to the ops, then a chain for each op.

    `calls` is the Python function that the kernel calls, for ops written in Python.
    `made_of` names the ops of a function that is made of many, in place of chains.  `choice` is which algorithm of the
    kernel a node of these shapes gets, and why, where the shapes are known.  `built`: the call whose graph showed the
    ops, for a layer or an optimizer; `variants`: circumstances in which it adds other ops, with these.
    """

    title: str
    path: tuple[Place, ...]
    chains: tuple[OpChain, ...]
    also_uses: tuple[str, ...] = ()
    calls: Place | None = None
    made_of: tuple[str, ...] = ()
    choice: str = ""
    built: str = ""
    variants: tuple[tuple[str, tuple[str, ...]], ...] = ()

    def __str__(self) -> str:
        rows = [self.title]
        if self.built:
            rows.append(f"  built     {self.built}")
        rows.extend(f"  python    {place}" for place in self.path)
        rows.extend(str(chain) for chain in self.chains)
        if self.choice:
            rows.append(f"  runs      {self.choice}")
        if self.calls:
            rows.append(f"  calls     {self.calls}")
        if self.made_of:
            rows.extend(_wrapped(f"made of   {', '.join(self.made_of)}"))
        if self.also_uses:
            rows.extend(_wrapped(f"also uses {', '.join(self.also_uses)}"))
        for circumstance, ops in self.variants:
            rows.extend(_wrapped(f"{circumstance}: {', '.join(ops)}"))
        return "\n".join(rows)

    __repr__ = __str__
