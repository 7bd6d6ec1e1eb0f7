# SPDX-License-Identifier: Apache-2.0
"""Resources of op libraries: which op of a library makes the handle that another one takes, and calls that share it.

A handle has no value that could be fed.  An op of the library that is checked, with a resource as its output, makes it;
calls of the library's other ops, drawn as well, come before the one that is checked, so that there is something to read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import numpy as np

from tensorwright.tools.opcheck import draws, lengths, signature as sig
from tensorwright.tools.opcheck.draws import Case, State, Unsuitable
from tensorwright.tools.opcheck.signature import Signature

# The numbers of calls that come before one.
_BEFORE = (0, 1, 1, 2, 3, 5)
_own: list[str] = []
_signatures: dict[str, Signature] = {}


def register(names: Iterable[str]) -> None:
    """Makes the ops of a library known, from which makers of handles are taken."""
    for name in names:
        if name not in _signatures:
            _own.append(name)
            _signatures[name] = Signature(name)


def is_maker(name: str) -> bool:
    """Is it an op of a library whose first output is a resource?"""
    outputs = _signatures[name].outputs if name in _signatures else []
    return bool(outputs) and outputs[0].type == sig.RESOURCE


def maker_of(signature: Signature) -> Signature | None:
    """The op of the same library that makes the handles which this one takes; None if there is none."""
    wanted = [a.name for a in signature.inputs if a.type == sig.RESOURCE]
    if not wanted or signature.name not in _signatures:
        return None
    makers = [_signatures[n] for n in _own if is_maker(n) and n != signature.name]

    def likeness(maker: Signature) -> tuple[int, bool]:
        words = zip(_words(maker.name), _words(signature.name))
        same = 0
        for ours, theirs in words:
            if ours != theirs:
                break
            same += 1
        return same, maker.outputs[0].name in wanted

    return max(makers, key=likeness, default=None)


def users_of(maker: Signature) -> list[Signature]:
    """The ops that take a handle of this maker."""
    found = []
    for name in _own:
        other = maker_of(_signatures[name])
        if other is not None and other.name == maker.name:
            found.append(_signatures[name])
    return found


def draw(
    signature: Signature,
    seed: int,
    size: str = draws.SMALL,
    prefer: Any = (),
    **fixed: Any,
) -> Case:
    """As draws.draw; of a library's own op the lists agree, and a call that takes a handle gets a state, too."""
    case = draws.draw(signature, seed, size, prefer, **fixed)
    if signature.name in _signatures and not draws.has_hint(signature.name):
        lengths.agree(signature, case, np.random.RandomState(seed % (1 << 32)))
    maker = maker_of(signature)
    if maker is not None:
        rng = np.random.RandomState((seed + 1) % (1 << 32))
        made = _make(maker, case, rng)
        count = _BEFORE[rng.randint(len(_BEFORE))]
        case.state = State(made, steps(maker, made, case, rng, count))
    return case


def steps(maker: Signature, made: Case, like: Case, rng: Any, count: int) -> list[Case]:
    """Draws calls with the handle that `made` makes; most have something to write."""
    users = users_of(maker)
    writers = [u for u in users if len(u.inputs) > 1] or users
    found: list[Case] = []
    for _ in range(count):
        user = _pick(rng, writers if rng.random_sample() < 0.7 else users)
        try:
            found.append(step(user, made, like, rng))
        except Unsuitable:
            continue
    return found


def step(user: Signature, made: Case, like: Case, rng: Any) -> Case:
    """Draws a call of `user` whose attrs agree with those of the maker, and whose inputs have the shapes of `like`."""
    fixed = {**_agreeing(user, made), **_agreeing(user, like)}
    case = draws.draw(user, int(rng.randint(1 << 30)), draws.SMALL, (), **fixed)
    if not draws.has_hint(user.name) and rng.random_sample() < 0.8:
        _reshape(user, case, _data_shape(like))
    return case


def _make(maker: Signature, case: Case, rng: Any) -> Case:
    """Draws the call that makes the handle."""
    fixed = _agreeing(maker, case)
    for name, attr in maker.attrs.items():
        if name in ("container", "shared_name"):
            fixed[name] = ""
        elif name in fixed or draws.has_hint(maker.name):
            continue
        elif attr.type == "int" and rng.randint(2):
            # With a default, such as a capacity of 1000, no call would reach the end of it.
            low = attr.minimum if attr.has_minimum else 1
            fixed[name] = int(low + rng.randint(4))
        elif attr.type == "shape":
            fixed[name] = _data_shape(case)
    return draws.draw(maker, int(rng.randint(1 << 30)), draws.SMALL, (), **fixed)


def _agreeing(signature: Signature, case: Case) -> dict[str, Any]:
    """The attrs that a call shares with another one: those of one name and type; of types also a single one."""
    theirs = Signature(case.op).attrs
    fixed = {
        name: case.attrs[name]
        for name, attr in signature.attrs.items()
        if name in case.attrs and theirs[name].type == attr.type
    }
    own = [n for n, a in signature.attrs.items() if a.type == "type"]
    others = [n for n, a in theirs.items() if a.type == "type"]
    if len(own) == len(others) == 1 and own[0] not in fixed:
        if case.attrs[others[0]] in signature.allowed_types(own[0]):
            fixed[own[0]] = case.attrs[others[0]]
    return fixed


def _data_shape(case: Case) -> list[int] | None:
    """The shape of the first input that is no handle."""
    for arg, value in zip(Signature(case.op).inputs, case.inputs):
        if arg.type != sig.RESOURCE and not isinstance(value, list):
            return list(value.shape)
    return None


def _reshape(user: Signature, case: Case, shape: list[int] | None) -> None:
    if shape is None or int(np.prod(shape)) > 1000:
        return
    for i, arg in enumerate(user.inputs):
        value = case.inputs[i]
        if arg.type != sig.RESOURCE and not isinstance(value, list) and value.size:
            case.inputs[i] = np.resize(value, shape)


def _words(name: str) -> list[str]:
    """The words of a CamelCase name."""
    return re.findall(r"[A-Z]+[a-z0-9]*|[a-z0-9]+", name)


def _pick(rng: Any, items: list[Signature]) -> Signature:
    return items[rng.randint(len(items))]
