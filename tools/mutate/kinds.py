# SPDX-License-Identifier: Apache-2.0
"""The kinds of mutants, and which an op has.

A mutant is one fault of one op, the same in every run.  An op has a mutant of its gradient for every input that has
one, and up to two of each other kind, numbers 0 and 1.  Its registration and the facts that tests have shown (`Facts`)
decide which kinds make sense: an op that never shares its work out over threads cannot share it out wrongly, and a
gradient that is always zero stays the same if it is multiplied by three.
"""

from __future__ import annotations

import dataclasses
import hashlib
import re
from collections.abc import Iterable, Sequence
from typing import Any

from tensorwright.python.framework import gradient_registry
from tensorwright.tools.opcheck import signature as sig
from tensorwright.tools.opcheck.signature import Signature

GRADIENTS, VALUES, SHAPES = "gradients", "values", "shapes"
PARTITION, CHECKS = "partition", "checks"


@dataclasses.dataclass(frozen=True)
class Kind:
    """A kind of fault: the kind of check that should see it, and its description, for numbers 0 and 1.

    Gradients have more numbers: 0 is all of them, 1 + i the one by input i; the second text is that of each.
    """

    name: str
    group: str
    words: tuple[str, str]


# fmt: off
_KINDS = [
    Kind("grad-times3", GRADIENTS, ("all gradients are three times too large", "the gradient by input {} is three times too large")),
    Kind("grad-sign", GRADIENTS, ("all gradients have the wrong sign", "the gradient by input {} has the wrong sign")),
    Kind("grad-input", GRADIENTS, ("inputs get the gradient of the next one", "inputs get the gradient of the one after next")),
    Kind("grad-none", GRADIENTS, ("no input gets a gradient", "input {} gets no gradient")),
    Kind("element", VALUES, ("one element is wrong", "another element is wrong, of the next output if there are several")),
    Kind("dtype", VALUES, ("all values are wrong for one dtype", "all values are wrong for another dtype")),
    Kind("end", VALUES, ("the last row is wrong", "the last element of each row is wrong")),
    Kind("ties", VALUES, ("an element is wrong if an input's maximum is there twice", "an element is wrong if an input's minimum is there twice")),
    Kind("nan", VALUES, ("where an input has a NaN, results that are NaN are numbers", "where an input has a NaN, the first result that is NaN is a number")),
    Kind("lax", SHAPES, ("the shape function checks and promises nothing", "the shape function tells no sizes of an output")),
    Kind("strict", SHAPES, ("two sizes must be equal that need not be", "two other sizes must be equal that need not be")),
    Kind("dim", SHAPES, ("one promised size is too large by 1", "another promised size is too large by 1")),
    Kind("partition", PARTITION, ("an element of the second half is wrong when threads share the work", "another element of the second half is wrong when threads share the work")),
    Kind("check", CHECKS, ("what one check refuses is computed", "what another check refuses is computed")),
]
# fmt: on
KINDS = {kind.name: kind for kind in _KINDS}

# No fault, with all the hooks of one: a check that fails with it does not fail because of a mutant.
NO_FAULT = "none"

# The share of mutants that must be caught.
BUDGETS = {GRADIENTS: 0.98, VALUES: 0.98, SHAPES: 0.95, PARTITION: 0.95, CHECKS: 0.95}

# Ops whose result depends on which of two equal elements counts.
_ORDERED = re.compile(
    "Max|Min|Arg|Top|Unique|Search|Bucket|Sort|Median|Equal|Less|Greater|Where|ListDiff|Relu|NonMax"
)


@dataclasses.dataclass(frozen=True)
class Mutant:
    op: str
    kind: str
    number: int = 0
    # "T=9" for a fault of one dtype, the rule for one of a missing check.
    argument: str = ""

    @property
    def group(self) -> str:
        return KINDS[self.kind].group if self.kind in KINDS else ""

    def words(self) -> str:
        text = KINDS[self.kind].words[min(self.number, 1)].format(self.number - 1)
        if self.kind == "dtype":
            attr, enum = self.argument.split("=")
            return f"{text}: {attr} = {sig.type_name(int(enum))}"
        return f"{text}: {self.argument!r}" if self.argument else text


@dataclasses.dataclass
class Facts:
    """The facts of an op that were seen while tests ran; mutants.h explains the words."""

    seen: set[str] = dataclasses.field(default_factory=set)
    # Rules by which its kernels refused inputs.
    rules: set[str] = dataclasses.field(default_factory=set)
    # Inputs by which there was a gradient that was not zero as it stood in the graph; None: it was never asked.
    gradients: set[int] | None = None

    def add(self, what: str, more: str) -> None:
        if what == "refused":
            self.rules.add(more)
        elif what == "gradient":
            # "" where the gradient function was asked and gave none.
            self.gradients = (self.gradients or set()) | {int(i) for i in more.split()}
        self.seen.add(what)


def mutants_of(op: str, facts: Facts) -> list[Mutant]:
    """All mutants of an op, of the kinds that it can have."""
    signature = Signature(op)
    out: list[Mutant] = []

    def add(kind: str, numbers: Iterable[int] = (0, 1)) -> None:
        out.extend(Mutant(op, kind, n) for n in numbers)

    for kind, numbers in _gradient_kinds(signature, facts).items():
        add(kind, numbers)
    plain = _has_plain(signature.outputs, signature)
    reads = [i for i in signature.inputs if not _is_handle(i)]
    if signature.kernels and (plain or _has_plain(reads, signature)):
        add("element")
        out += _of_dtypes(signature)
    if signature.kernels and plain:
        add("end", [n for n, f in enumerate(("rows", "tails")) if f in facts.seen])
        if _ORDERED.search(op):
            add(
                "ties",
                [n for n, f in enumerate(("maxima", "minima")) if f in facts.seen],
            )
        if "nan" in facts.seen:
            add("nan")
        if "wide" in facts.seen:
            add("partition")
    if signature.has_shape_fn:
        add("lax", [n for n, f in enumerate(("promised", "sized")) if f in facts.seen])
        if not all(_is_handle(i) for i in signature.inputs):
            add("strict")
        if "promised" in facts.seen:
            add("dim")
    # The mutant computes refused calls as zeros, which a handle cannot be.
    if all(_has_plain([output], signature) for output in signature.outputs):
        rules = _rotated(op, sorted(facts.rules))[:2]
        out += [Mutant(op, "check", n, rule) for n, rule in enumerate(rules)]
    return out


# Inputs of one op that have mutants of their gradients: a list of many is as well tested by some.
_MOST_INPUTS = 8


def _gradient_kinds(signature: Signature, facts: Facts) -> dict[str, list[int]]:
    """The numbers of mutants of each gradient kind."""
    location = gradient_registry.lookup_location(signature.name)
    if location is None or location.function is None:
        return {}
    if facts.gradients is None:
        # A gradient that no test asks for has its mutants too: they survive.
        places = list(range(len(signature.inputs)))
    else:
        places = sorted(facts.gradients)
    if not places:
        return {}
    each = [1 + i for i in places[:_MOST_INPUTS]]
    # The one gradient of several has mutants of its own, the only one those of all.
    alone = each if len(places) > 1 else []
    return {
        "grad-times3": [0, *alone],
        "grad-sign": [0, *alone],
        "grad-none": each,
        "grad-input": list(range(min(len(places) - 1, 2))),
    }


def _is_handle(arg: Any) -> bool:
    """A handle of TensorFlow 1's first resources: a reference to two strings, which no mutant can make wrong."""
    return arg.is_ref and arg.type == sig.STRING


def _has_plain(
    args: Sequence[Any], signature: Signature, types: Sequence[int] | None = None
) -> bool:
    """Can an argument have a dtype whose elements are data (one of `types`)?"""
    for arg in args:
        attr = arg.type_attr or arg.type_list_attr
        found = {arg.type} if not attr else set(signature.allowed_types(attr))
        found -= {sig.RESOURCE, sig.VARIANT}
        if found & set(types) if types else found:
            return True
    return False


def _of_dtypes(signature: Signature) -> list[Mutant]:
    """Two dtypes of type attrs that have several."""
    by_attr: dict[str, set[int]] = {}
    for kernel in signature.kernels:
        for attr, types in kernel.items():
            if signature.attrs[attr].type == "type":
                allowed = set(signature.allowed_types(attr))
                by_attr.setdefault(attr, set()).update(allowed & set(types))
    choices = [
        f"{attr}={t}"
        for attr, types in sorted(by_attr.items())
        if len(types) > 1
        for t in sorted(types - {sig.RESOURCE, sig.VARIANT})
    ]
    picked = _rotated(signature.name, choices)[:2]
    return [Mutant(signature.name, "dtype", n, c) for n, c in enumerate(picked)]


def _rotated(op: str, items: list[str]) -> list[str]:
    """The items from another one on for each op, in an order that has nothing to do with theirs."""

    def key(item: str) -> str:
        return hashlib.sha256(f"{op} {item}".encode()).hexdigest()

    return sorted(items, key=key)
