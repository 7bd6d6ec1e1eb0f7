# SPDX-License-Identifier: Apache-2.0
"""Random valid calls of an op, drawn from its registration, for opcheck and difftest.

`draw(signature, seed)` returns a Case.  Types come from the CPU kernels, attrs from their defaults and allowed values,
inputs from their dtypes.  The tables hints_*.py, with a function for each op, add the rules that a signature cannot
express (for instance, that `indices` count rows of `params`).  An op without a hint, such as a user's, gets inputs of
one shape, shapes that broadcast, or shapes of their own; most ops accept one of these.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np

from tensorwright.tools.opcheck import hint_table, signature as sig
from tensorwright.tools.opcheck.hint_table import (  # noqa: F401
    HintError,
    Unsuitable,
    has_hint,
    hint,
)
from tensorwright.tools.opcheck.signature import Signature

SMALL, BIG, HUGE, SMOOTH = "small", "big", "huge", "smooth"
# The shapes of BIG and HUGE draws, by rank.
_LARGE = {
    BIG: [[], [150_001], [301, 333], [67, 3, 512], [5, 61, 7, 64]],
    HUGE: [[], [4_000_001], [1999, 2003], [61, 67, 1024], [32, 61, 32, 64]],
}

_WORDS = [b"", b"a", b"b", b"abc", b"\xff\x00z", "löß".encode(), b"tensor" * 5]


@dataclasses.dataclass
class State:
    """A resource that a call takes: the call that makes it, and those that come before; see handles.py."""

    maker: Case
    before: list[Case]


@dataclasses.dataclass
class Case:
    """One call: attrs as Python values, and per input an array or a list of them.

    `types` has the dtype enum of every array, in the same structure.
    """

    op: str
    seed: int
    attrs: dict[str, Any]
    inputs: list[Any]
    types: list[Any]
    size: str = SMALL
    state: State | None = None  # None: its resources are variables.
    # The other arguments that `draw` was given.
    prefer: tuple[int, ...] = ()
    fixed: dict[str, Any] = dataclasses.field(default_factory=dict)

    def flat(self) -> list[tuple[np.ndarray, int]]:
        """(array, dtype enum) of every tensor, in order."""
        out = []
        for value, enum in zip(self.inputs, self.types):
            if isinstance(value, list):
                out.extend(zip(value, enum))
            else:
                out.append((value, enum))
        return out


def draw(
    signature: Signature,
    seed: int,
    size: str = SMALL,
    prefer: Sequence[int] = (),
    **fixed: Any,
) -> Case:
    """Returns the call that `seed` stands for.

    `size`: SMALL shapes; BIG ones of some 100,000 elements; HUGE ones of 4 million, of float32 if there is a choice; or
    SMOOTH: small and without infinities, for gradients.  The first dtype in `prefer` that a kernel takes is drawn; for
    SMOOTH they are float64 and float32 unless given.  `fixed` gives attrs.
    """
    rng = np.random.RandomState(seed % (1 << 32))
    given = tuple(prefer)
    prefer = prefer or {SMOOTH: (sig.DOUBLE, sig.FLOAT), HUGE: (sig.FLOAT,)}.get(
        size, ()
    )
    d = Drawer(signature, rng, size, prefer)
    d.draw_attrs(fixed)
    with np.errstate(all="ignore"):
        inputs = hint_table.inputs_of(signature, d, _guess)
    types = [d.types_of(i) for i in range(len(signature.inputs))]
    hint_table.check(signature, inputs, types)
    case = Case(signature.name, seed, d.attrs, inputs, types, size)
    case.prefer, case.fixed = given, fixed
    return case


class Drawer:
    """Draws for a hint: it has `rng`, the attrs drawn so far, shapes and values."""

    def __init__(
        self, signature: Signature, rng: Any, size: str, prefer: Sequence[int] = ()
    ):
        self.sig, self.rng, self.size, self.prefer = signature, rng, size, prefer
        self.attrs: dict[str, Any] = {}

    @property
    def large(self) -> bool:
        return self.size in (BIG, HUGE)

    @property
    def big(self) -> bool:
        """Is the draw for a comparison of thread counts?  Then work must be worth sharing: some 20,000 elements."""
        return self.size == BIG

    @property
    def huge(self) -> bool:
        return self.size == HUGE

    # Attrs. --------------------------------------------------------------------------------------------------

    def draw_attrs(self, fixed: dict[str, Any]) -> None:
        self.attrs.update(self._draw_types(fixed))
        for name, attr in self.sig.attrs.items():
            if name in fixed:
                self.attrs[name] = fixed[name]
            elif name not in self.attrs:
                self.attrs[name] = self._draw_attr(attr)

    def _draw_types(self, fixed: dict[str, Any]) -> dict[str, int]:
        kernel = {}
        if self.sig.kernels:
            fitting = [
                k
                for k in self.sig.kernels
                if all(a not in fixed or fixed[a] in t for a, t in k.items())
            ]
            kernel = self.pick(self._preferred(fitting or self.sig.kernels))
        types = {}
        for name, attr in self.sig.attrs.items():
            if attr.type == "type" and name not in fixed:
                choices = self.sig.allowed_types(name)
                choices = [t for t in kernel.get(name, choices) if t in choices]
                if not choices:
                    raise Unsuitable(f"no dtype for {name}")
                types[name] = self.pick(_first_of(self.prefer, choices))
        return types

    def _preferred(self, kernels: list[dict[str, list[int]]]) -> list[Any]:
        """Returns the kernels that take the first preferred dtype that any of them takes; all if none does."""
        if self.size == HUGE:
            return kernels  # Every dtype is timed.
        for t in self.prefer:
            taking = [k for k in kernels if any(t in ok for ok in k.values())]
            if taking:
                return taking
        return kernels

    def _draw_attr(self, attr: Any) -> Any:
        kind = attr.type
        if kind == "bool":
            return bool(self.rng.randint(2))
        if kind == "string" and attr.allowed_values.list.s:
            return self.pick([s.decode() for s in attr.allowed_values.list.s])
        if attr.HasField("default_value"):
            return sig.value_of(attr.default_value, kind)
        low = attr.minimum if attr.has_minimum else 1
        if kind == "int":
            return int(low + self.rng.randint(4))
        if kind == "float":
            return float(self.rng.normal())
        if kind == "string":
            return self.pick(["", "x", "name"])
        if kind == "shape":
            return self.shape()
        if kind == "tensor":
            return None  # A hint says it.
        if kind.startswith("list(") and kind != "list(func)":
            n = (
                int(low + self.rng.randint(3))
                if attr.has_minimum
                else self.rng.randint(4)
            )
            return [self._list_item(attr.name, kind[5:-1]) for _ in range(n)]
        raise Unsuitable(f"no value for attr {attr.name} of type {kind}")

    def _list_item(self, name: str, kind: str) -> Any:
        if kind == "type":
            return self.pick(self.sig.allowed_types(name))
        if kind == "int":
            return int(self.rng.randint(1, 4))
        if kind == "float":
            return float(self.rng.normal())
        if kind == "shape":
            return self.shape()
        return self.pick(["", "x"]) if kind == "string" else bool(self.rng.randint(2))

    def types_of(self, index: int) -> Any:
        """The dtype enum of an input, or a list of them."""
        arg = self.sig.inputs[index]
        if arg.type_list_attr:
            return list(self.attrs[arg.type_list_attr])
        enum = arg.type or self.attrs[arg.type_attr]
        if enum == sig.RESOURCE:
            # The drawn array is the value of a variable, or does not count.
            enum = self.attrs.get("dtype", self.attrs.get("T", sig.FLOAT))
        return [enum] * self.attrs[arg.number_attr] if arg.number_attr else enum

    def enum(self, what: str | int) -> int:
        """A dtype enum, of an enum or the name of a type attr."""
        return self.attrs[what] if isinstance(what, str) else what

    def __getitem__(self, attr: str) -> Any:
        return self.attrs[attr]

    # Choices. ------------------------------------------------------------------------------------------------

    def pick(self, items: Sequence[Any]) -> Any:
        return items[self.rng.randint(len(items))]

    def chance(self, p: float) -> bool:
        return self.rng.random_sample() < p

    def int(self, low: int, high: int) -> int:
        """An int in [low, high]; `low` where that is empty."""
        return int(self.rng.randint(low, max(high, low) + 1))

    # Shapes. -------------------------------------------------------------------------------------------------

    def dim(self, low: int = 0) -> int:
        if self.size == SMOOTH:
            return self.int(max(low, 1), 4)
        if low == 0 and self.chance(0.06):
            return 0
        return max(low, self.pick([1, 2, 3, 4, 5, 7, 8, 9]))

    def shape(self, low: int = 0, high: int = 4, min_dim: int = 0) -> list[int]:
        """A shape of rank `low` to `high`."""
        if self.large:
            rank = max(low, min(high, self.int(1, 3)))
            dims = _LARGE[self.size]
            if rank < len(dims):
                return list(dims[rank])
            return [*dims[-1], *[2] * (rank - 4)]
        rank = self.int(low, high)
        if rank > 3 and high > 3 and self.chance(0.5):
            rank -= rank > low
        return [self.dim(min_dim) for _ in range(rank)]

    def broadcast_shapes(self, n: int, high: int = 4) -> list[list[int]]:
        """Shapes that broadcast against each other."""
        full = self.shape(high=high)
        if self.chance(0.4):
            return [full] * n
        shapes = [[1 if self.chance(0.25) else s for s in full] for _ in range(n)]
        return [s[self.int(0, len(s)) :] if self.chance(0.3) else s for s in shapes]

    # Values. -------------------------------------------------------------------------------------------------

    def values(self, what: str | int, shape: Sequence[int], kind: str = "any") -> Any:
        """An array of a dtype (an enum or a type attr's name).

        `kind`: "any"; or floats "positive", "unit" (inside (-1, 1)), "probability" (inside (0, 1)), "above 1".
        """
        enum, shape = self.enum(what), tuple(shape)
        self._check_size(shape)
        if enum == sig.STRING:
            out = np.empty(int(np.prod(shape)), dtype=object)
            out[:] = [self.pick(_WORDS) for _ in range(out.size)]
            return out.reshape(shape)
        dtype = sig.numpy_type(enum)
        if enum in (sig.RESOURCE, sig.VARIANT):
            raise Unsuitable(f"needs a {sig.type_name(enum)}, which only ops make")
        if enum == sig.BOOL:
            return self.rng.randint(0, 2, shape).astype(bool)
        if enum in sig.FLOATS or enum in sig.COMPLEXES:
            x = self._reals(shape, kind)
            if enum in sig.COMPLEXES:
                x = x + 1j * self._reals(shape, kind)
            return x.astype(dtype)
        return self._integers(enum, shape, kind)

    def _check_size(self, shape: Sequence[int]) -> None:
        if int(np.prod(shape, dtype=np.int64)) > 1 << 23:
            raise Unsuitable("larger than a draw should be")

    def _reals(self, shape: tuple[int, ...], kind: str) -> np.ndarray:
        if kind == "unit":
            return self.rng.uniform(-0.95, 0.95, shape)
        if kind == "probability":
            return self.rng.uniform(0.05, 0.95, shape)
        x = self.rng.normal(size=shape) * self.pick([1, 1, 3])
        if kind == "positive":
            x = np.abs(x) + 0.2
        if kind == "above 1":
            x = np.abs(x) + 1.2
        if kind == "any" and self.size == SMALL and x.size and self.chance(0.3):
            special = [
                0.0,
                -0.0,
                np.inf,
                -np.inf,
                np.nan,
                1e30,
                -1e-30,
                0.5,
                -1,
                1,
                2.5,
            ]
            flat = x.reshape(-1)
            for _ in range(self.int(1, 3)):
                flat[self.rng.randint(flat.size)] = self.pick(special)
        return x

    def _integers(self, enum: int, shape: tuple[int, ...], kind: str) -> np.ndarray:
        dtype = sig.numpy_type(enum)
        plain = np.dtype(dtype[0]) if dtype.names else dtype
        info = np.iinfo(plain)
        low = 1 if kind in ("positive", "above 1") else max(-10, info.min)
        x = self.rng.randint(low, 11, shape).astype(plain)
        if kind == "any" and x.size and self.chance(0.1):
            x.reshape(-1)[self.rng.randint(x.size)] = self.pick([info.min, info.max])
        if enum in sig.QUANTIZED:
            span = min(int(info.max), 1 << 30), max(int(info.min), -(1 << 30))
            x = self.rng.randint(span[1], span[0], shape).astype(plain)
        return x.view(dtype) if dtype.names else x

    def ints(self, what: str | int, shape: Sequence[int], low: int, high: int) -> Any:
        """Integers in [low, high] of any integer dtype."""
        if high < low:
            if int(np.prod(shape)) > 0:
                raise Unsuitable("no value in an empty range")
            high = low
        self._check_size(shape)
        x = self.rng.randint(low, high + 1, tuple(shape))
        return x.astype(sig.numpy_type(self.enum(what)))

    def array(self, what: str | int, content: Any) -> np.ndarray:
        return np.asarray(content).astype(sig.numpy_type(self.enum(what)))

    def axis(self, rank: int, negative: bool = True) -> int:
        if rank == 0:
            raise Unsuitable("no axis in a scalar")
        axis = int(self.rng.randint(rank))
        return axis - rank if negative and self.chance(0.4) else axis


def _guess(d: Drawer) -> list[Any]:
    """Inputs of an op that no table knows."""
    arrangement = d.pick(["same", "same", "broadcast", "own"])
    shape = d.shape()
    names = [a.name for a in d.sig.inputs]
    shapes = d.broadcast_shapes(len(names)) if arrangement == "broadcast" else None
    out: list[Any] = []
    for i in range(len(names)):
        types = d.types_of(i)
        mine = shapes[i] if shapes else shape
        if arrangement == "own" and i > 0:
            mine = d.pick([[], d.shape()])
        if isinstance(types, list):
            out.append([d.values(t, mine) for t in types])
        else:
            out.append(d.values(types, mine))
    return out


def _first_of(wanted: Sequence[int], choices: list[int]) -> list[int]:
    """The first of `wanted` among the choices, alone; all where none is."""
    for t in wanted:
        if t in choices:
            return [t]
    return choices
