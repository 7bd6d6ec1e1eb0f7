# SPDX-License-Identifier: Apache-2.0
"""Second looks: where two libraries round differently, who is right?

The referee is never a kernel of ours.  It is a formula of NumPy's or SciPy's in double precision (formulas.py), or else
TensorFlow's own kernel: the same call in the next wider dtype.  TensorFlow also says how far a result may be off: it
computes the call again with inputs that are moved by about their rounding.  A result that moves a lot, such as a sum
whose terms cancel, no kernel can know better.  If a call was made wrong with numbers so large that TensorFlow's wider
kernel finds no number at all, an infinity of one library says as little as a NaN of the other.

Numbers that are drawn by chance get no second look.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import ml_dtypes
import numpy as np

from tensorwright.tools.difftest import compare, formulas
from tensorwright.tools.difftest.difference import GRADIENT, VALUE, Difference
from tensorwright.tools.difftest.process_pair import ProcessPair
from tensorwright.tools.opcheck import scenarios, signature as sig, wire
from tensorwright.tools.opcheck.signature import Signature

_WIDER = {
    sig.HALF: sig.FLOAT,
    sig.BFLOAT16: sig.FLOAT,
    sig.FLOAT: sig.DOUBLE,
    sig.COMPLEX64: sig.COMPLEX128,
}
_EPSILON = {
    sig.HALF: 2.0**-11,
    sig.BFLOAT16: 2.0**-8,
    sig.FLOAT: 2.0**-24,
    sig.COMPLEX64: 2.0**-24,
    sig.DOUBLE: 2.0**-53,
    sig.COMPLEX128: 2.0**-53,
}
# The number of moves of the inputs, and the allowed error in multiples of the change that they make.
_MOVES, _MOVED = 4, 8.0
# Ours may be this much further from the referee's than TensorFlow's is; and no more than so many tolerances of the
# element, or of the largest one: of two that are far off neither is right.
_NEARER, _FURTHEST, _LARGEST = 1.5, 8.0, 4.0
WIDER = "TensorFlow in a wider dtype"
MOVED = "TensorFlow with moved inputs"


@dataclasses.dataclass
class SecondLook:
    """The judgement of a referee on one output or gradient of a draw."""

    op: str
    seed: int
    what: str  # "output 0 (float32)"
    referee: str
    ours: float  # How far off, at most, in units of the tolerance; less than 0 where it is no matter of numbers.
    theirs: float
    accepted: bool

    def __str__(self) -> str:
        seed = f"(--seed {self.seed})"
        if self.ours < 0:
            return f"{self.op} {self.what}: {self.referee}  {seed}"
        return (
            f"{self.op} {self.what}: {self.referee} finds ours off by {self.ours:.3g} "
            f"tolerances, TensorFlow's by {self.theirs:.3g}  {seed}"
        )


def judge(
    d: Difference,
    reference: np.ndarray,
    referee: str,
    slack: float = 1.0,
    spread: np.ndarray | float = 0.0,
) -> SecondLook:
    """Judges whether ours, where the two are apart, is right or nearer.  `spread`: the change by moved inputs."""
    arrays = d.arrays
    assert arrays is not None and arrays.ours is not None and arrays.far is not None
    assert arrays.theirs is not None
    wide = np.broadcast_to(reference, arrays.ours.shape)
    with np.errstate(all="ignore"):
        # A number that the dtype cannot hold is infinite in it.
        held = np.isfinite(compare.widest(wide.astype(arrays.ours.dtype)))
        z = compare.widest(wide)
        z = np.where(
            held | ~np.isfinite(z), z, compare.widest(wide.astype(arrays.ours.dtype))
        )
        x, y = compare.widest(arrays.ours), compare.widest(arrays.theirs)
        tolerance = slack * compare.TOLERANCE[d.enum]
        unit = tolerance * compare.scale(z, z) + 1e-300
        finite = np.isfinite(z)
        largest = float(np.abs(z[finite]).max()) if finite.any() else 0.0
        off, other = np.abs(x - z), np.abs(y - z)
        most = np.maximum(_FURTHEST * unit, _LARGEST * tolerance * largest)
        near = (off <= _NEARER * other) & (off <= most)
        near |= off <= _MOVED * slack * spread
        fine = compare.close(x, z, tolerance) | near
        if referee != formulas.WHO and overflows(d):
            fine |= np.isnan(z) & ~np.isfinite(x) & ~np.isfinite(y)
        worst = [_worst((v / unit)[arrays.far]) for v in (off, other)]
    what = f"{'gradient by' if d.kind == GRADIENT else 'output'} {d.output} ({d.dtype})"
    return SecondLook(d.op, d.seed, what, referee, *worst, bool(fine[arrays.far].all()))


def overflows(d: Difference) -> bool:
    """Was the call made wrong with a number so large that its square is none in its dtype?"""
    if not d.words or d.case is None:
        return False
    inputs = [i for v in d.case.inputs for i in (v if isinstance(v, list) else [v])]
    attrs = [np.float32(v) for v in d.attrs.values() if isinstance(v, float)]
    return any(_large(np.asarray(v)) for v in (*inputs, *attrs))


def _large(x: np.ndarray) -> bool:
    if x.dtype.kind not in "fc" and x.dtype != ml_dtypes.bfloat16:
        return False
    most = np.sqrt(float(ml_dtypes.finfo(x.dtype).max))
    return not (np.abs(compare.widest(x)) < most).all()


def _worst(off: np.ndarray) -> float:
    """The largest; infinite where something is no number."""
    return float(np.nan_to_num(off, nan=np.inf).max())


def look(
    lane: ProcessPair,
    signature: Signature,
    d: Difference,
    graph: dict[str, Any],
    slack: float,
) -> SecondLook | None:
    """Returns a referee's judgement on a difference of a call; None if there is no referee.

    `graph` is TensorFlow's of the call.
    """
    if d.enum not in compare.TOLERANCE or d.arrays is None or d.arrays.far is None:
        return None
    if d.kind == VALUE and _is_drawn(signature):
        return None
    said = None
    if d.kind == VALUE:
        reference = formulas.evaluate(d)
        if reference is not None:
            said = judge(d, reference, formulas.WHO, slack)
    if said is not None and said.accepted:
        return said
    wide, enums = _widened(signature, d, graph)
    if wide is None:
        return said
    arrays = _moved(lane, d, graph, wide, enums)
    if not arrays and enums:
        # TensorFlow may have no kernel for the wider dtype.
        enums = {}
        arrays = _moved(lane, d, graph, dict(graph), enums)
    if not arrays:
        return said
    exact, moved = arrays[0], [compare.widest(a) for a in arrays[1:]]
    with np.errstate(all="ignore"):
        changes = [np.abs(m - compare.widest(exact)) for m in moved]
        spread = np.nan_to_num(np.max(changes, axis=0), nan=0.0, posinf=0.0)
    return judge(d, exact, WIDER if enums else MOVED, slack, spread)


def _moved(
    lane: ProcessPair,
    d: Difference,
    graph: dict[str, Any],
    wide: dict,
    enums: dict[str, int],
) -> list[np.ndarray]:
    """TensorFlow's output, or gradient, of the call in the wider dtypes, and of moved inputs; none where it fails."""
    assert d.arrays is not None and d.arrays.ours is not None
    wide["sets"] = _moved_sets(d, graph, enums)
    answer = lane.peer_alone(wide)
    key = "values" if d.kind == VALUE else "grads"
    found = [run.get(key) for run in answer.get("runs", [])]
    if not found or not all(found):
        return []
    arrays = [compare.array(f[d.output]) for f in found]
    fits = [a for a in arrays if a is not None and a.shape == d.arrays.ours.shape]
    return fits if len(fits) == len(arrays) else []


def _is_drawn(signature: Signature) -> bool:
    """Says whether results are random: then a wider dtype, or a moved parameter, draws other numbers."""
    return "seed" in signature.attrs and signature.op_def.is_stateful


def _moved_sets(d: Difference, graph: dict[str, Any], enums: dict[str, int]) -> list:
    """Returns the feeds: the call's own inputs, and these moved by their rounding, in the wider dtypes."""
    rng = np.random.RandomState(d.seed % (1 << 32))
    sets: list[list[wire.Array]] = [[] for _ in range(_MOVES + 1)]
    for name, data in zip(graph["feeds"], graph["sets"][0]):
        enum = enums.get(name, data[0])
        if data[0] not in _EPSILON:
            for one in sets:
                one.append(data)
            continue
        x = wire.decode(data, sig.numpy_type(data[0])).astype(sig.numpy_type(enum))
        for i, one in enumerate(sets):
            by = rng.uniform(-1, 1, x.shape) * _EPSILON[data[0]] * (i > 0)
            with np.errstate(all="ignore"):
                one.append(wire.encode((x * (1 + by)).astype(x.dtype), enum))
    return sets


def _widened(
    signature: Signature, d: Difference, graph: dict[str, Any]
) -> tuple[dict[str, Any] | None, dict[str, int]]:
    """Returns the graph with its op, and its feeds, in wider dtypes; and the feeds' new dtypes.

    Gradients start from upstream ones of the call's dtype, to which its outputs are cast.  If nothing is wider, the
    graph itself is returned; None if the graph has other ops as well.
    """
    from tensorwright.core.framework import graph_pb2

    case = d.case
    assert case is not None
    if scenarios.find(signature.name):
        return None, {}
    wider = {
        name: _WIDER[case.attrs[name]]
        for name, attr in signature.attrs.items()
        if attr.type == "type"
        and case.attrs[name] in _WIDER
        and _WIDER[case.attrs[name]] in signature.allowed_types(name)
    }
    if not wider:
        return dict(graph), {}
    definition = graph_pb2.GraphDef.FromString(graph["def"])
    nodes = {n.name: n for n in definition.node}
    op, enums = nodes["op"], {}
    for name, enum in wider.items():
        op.attr[name].type = enum
    fetches = list(graph["fetches"])
    for i, attr in enumerate(_type_attrs(signature.inputs, case.attrs)):
        if f"var{i}" in nodes and nodes[f"var{i}"].op == "VarHandleOp":
            attr = "dtype" if "dtype" in signature.attrs else "T"
        if attr not in wider:
            continue
        enum = wider[attr]
        for name, key in (
            (f"in{i}", "dtype"),
            (f"start{i}", "dtype"),
            (f"var{i}", "dtype"),
            (f"assign{i}", "T"),
            (f"after_var{i}", "T"),
            (f"around{i}", "T"),
        ):
            if name in nodes:
                if nodes[name].op in ("AssignVariableOp", "ReadVariableOp"):
                    key = "dtype"
                nodes[name].attr[key].type = enum
                enums[f"{name}:0"] = enum
    for i, attr in enumerate(_type_attrs(signature.outputs, case.attrs)):
        # special.invariant has made these nodes from the output.
        for name in (f"turned{i}", f"size{i}"):
            if name in nodes and attr in wider:
                nodes[name].attr["T"].type = wider[attr]
    if d.kind == GRADIENT:
        for i, attr in enumerate(_type_attrs(signature.outputs, case.attrs)):
            if attr in wider:
                source = f"size{i}:0" if f"size{i}" in nodes else f"op:{i}"
                node = definition.node.add(op="Cast", name=f"narrow{i}")
                node.input.append(source)
                node.attr["SrcT"].type = wider[attr]
                node.attr["DstT"].type = case.attrs[attr]
                fetches = [f"narrow{i}:0" if f == source else f for f in fetches]
    wide = {**graph, "def": definition.SerializeToString(), "fetches": fetches}
    return wide, enums


def _type_attrs(args: list[sig.Arg], attrs: dict[str, Any]) -> list[str]:
    """Per tensor of the arguments, the attr that says its type."""
    found: list[str] = []
    for arg in args:
        if arg.type_list_attr:
            found += [""] * len(attrs[arg.type_list_attr])
        else:
            found += [arg.type_attr] * (
                attrs[arg.number_attr] if arg.number_attr else 1
            )
    return found
