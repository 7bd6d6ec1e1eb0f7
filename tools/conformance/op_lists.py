# SPDX-License-Identifier: Apache-2.0
"""Compares registered ops with TensorFlow's lists: arguments, attrs, defaults, allowed values and minimums.

    ./run tools/conformance/main.py ops

`lists/ops.json` has the 719 ops of TensorFlow 1.3 with, where they differ, the signatures of 2.21; `lists/later_ops.json` ops
of later versions.  An op matches if its inputs and outputs are those of one version, and if each of its attrs has

- the type and the default of one version,
- every allowed value of both, and no minimum above both,
- and, for a type, a CPU kernel for at least one dtype that is allowed, and for each for which TensorFlow 2.21 has one
  (`lists/kernels.json`, which record_kernels.py writes).

An attr may be missing if 1.3 has none.  `DIFFERENCES` names what is meant to differ, and why; an entry that is not needed is
a difference, too.
"""

from __future__ import annotations

import dataclasses
import functools
import json
import pathlib
from typing import Any

from tensorwright.core.framework import types_pb2
from tensorwright.tools.opcheck.signature import Arg, Signature, registered_ops

LISTS = pathlib.Path(__file__).resolve().parent / "lists"

# Enum -> name, as the lists have it.
DTYPES = {n: name[3:].lower() for name, n in types_pb2.DataType.items()}

_ONLY_WRITTEN = "TensorFlow 1.3 lists the dtypes and has no kernel for them"
_NO_HALF = "TensorFlow 2.21 lists half for XLA and has no CPU kernel for it"
_NO_KERNEL = "TensorFlow 2.21 lists the dtypes and has no kernel for them"
_REAL = "TensorFlow 1.3 lists complex numbers, which have no order, and has no kernel"

# "Op.attr": why it differs.
DIFFERENCES: dict[str, str] = {}


def _differ(why: str, ops: str, attr: str = "T") -> None:
    DIFFERENCES.update((f"{op}.{attr}", why) for op in ops.split())


_differ(_ONLY_WRITTEN, "Acos Asin Atan Tan Softplus SoftplusGrad Softsign SoftsignGrad")
_differ(_REAL, "ArgMax ArgMin Max Min")
_differ(
    _NO_HALF,
    "Cholesky CholeskyGrad MatrixDeterminant MatrixInverse MatrixSolve MatrixSolveLs MatrixTriangularSolve "
    "Qr SelfAdjointEig SelfAdjointEigV2 Svd",
)
_differ(
    _NO_KERNEL,
    "AccumulatorApplyGradient AccumulatorTakeGradient ConditionalAccumulator SparseAccumulatorApplyGradient "
    "SparseAccumulatorTakeGradient SparseConditionalAccumulator",
    "dtype",
)
_differ("TensorFlow 2 conjugates lists of tensors, which are variants", "Conj")
_differ("no kernel writes a variant as text", "AsString")
_differ("a string of no inputs has no shape", "StringJoin", "N")


@dataclasses.dataclass(frozen=True)
class Difference:
    op: str
    attr: str  # "" for arguments, and for an op that is missing.
    what: str

    def __str__(self) -> str:
        return f"{self.op}{'.' if self.attr else ''}{self.attr}: {self.what}"


@functools.cache
def ops_of_1_3() -> dict[str, Any]:
    """The list of TensorFlow 1.3 by op: a list of its signatures, the oldest first."""
    entries = json.loads((LISTS / "ops.json").read_text())
    return {
        name: [entry] + ([entry["tf_2_21"]] if "tf_2_21" in entry else [])
        for name, entry in entries.items()
    }


@functools.cache
def later_ops() -> dict[str, Any]:
    """Later versions' ops, in the same form."""
    entries = json.loads((LISTS / "later_ops.json").read_text())
    return {name: [entry] for name, entry in entries.items()}


@functools.cache
def _their_kernels() -> dict[str, dict[str, list[str]]]:
    return json.loads((LISTS / "kernels.json").read_text())


def differences(name: str, wanted: list[Any]) -> list[Difference]:
    """Returns all differences of a registered op from each of the wanted signatures, intended ones too."""
    signature = Signature(name)
    found = []
    for role, args in (("inputs", signature.inputs), ("outputs", signature.outputs)):
        have = [{"name": a.name, "type": _type(a)} for a in args]
        if have not in [w[role] for w in wanted]:
            found.append(Difference(name, "", f"its {role} are {have}"))
    for attr in {a["name"]: None for w in wanted for a in w["attrs"]}:
        entries = [a for w in wanted for a in w["attrs"] if a["name"] == attr]
        if attr in signature.attrs:
            what = _attr_differs(signature, attr, entries)
        else:
            in_first = any(a["name"] == attr for a in wanted[0]["attrs"])
            what = "is missing" if in_first else ""
        if what:
            found.append(Difference(name, attr, what))
    known = {a["name"] for w in wanted for a in w["attrs"]}
    for attr, definition in signature.attrs.items():
        if attr not in known and not definition.HasField("default_value"):
            found.append(Difference(name, attr, "is in no list, and has no default"))
    return found


def all_differences() -> tuple[int, int, list[Difference]]:
    """Returns (ops of 1.3 that match, later ops that match, unintended differences)."""
    registered = set(registered_ops())
    found: list[Difference] = []
    counts = []
    meant = set()
    for wanted, must_exist in ((ops_of_1_3(), True), (later_ops(), False)):
        matching = 0
        for name, signatures in wanted.items():
            if name not in registered:
                if must_exist:
                    found.append(Difference(name, "", "is not registered"))
                continue
            here = differences(name, signatures)
            meant |= {f"{d.op}.{d.attr}" for d in here}
            here = [d for d in here if f"{d.op}.{d.attr}" not in DIFFERENCES]
            matching += not here
            found += here
        counts.append(matching)
    for key in sorted(set(DIFFERENCES) - meant):
        op, _, attr = key.partition(".")
        found.append(Difference(op, attr, "does not differ, and DIFFERENCES names it"))
    return counts[0], counts[1], found


def _attr_differs(signature: Signature, name: str, wanted: list[Any]) -> str:
    attr = signature.attrs[name]
    if attr.type not in {_spaceless(w["type"]) for w in wanted}:
        return f"has type {attr.type}"
    default = _value(attr.default_value)
    if not any(_is_same(default, w.get("default")) for w in wanted):
        return f"has default {default}, not {wanted[0].get('default')}"
    allowed = _value(attr.allowed_values) or []
    for entry in wanted:
        lacking = [v for v in entry.get("allowed", []) if v not in allowed]
        if allowed and lacking:
            return f"does not allow {lacking}"
        if allowed and "allowed" not in entry and "allowed" not in wanted[-1]:
            return f"allows {allowed} alone"
    least = min(w.get("minimum", -(1 << 63)) for w in wanted)
    if attr.has_minimum and attr.minimum > least:
        return f"has minimum {attr.minimum}"
    if attr.type == "type":
        if not _has_kernel(signature, name):
            return "has a kernel for none of its dtypes"
        lacking = _kernels_lacking(signature, name)
        if lacking:
            return f"has no kernel for {' '.join(lacking)}"
    return ""


def _kernels_lacking(signature: Signature, attr: str) -> list[str]:
    """The dtypes for which TensorFlow has a kernel, and this op, which allows them, has none."""
    theirs = _their_kernels().get(signature.name, {}).get(attr, [])
    allowed = {DTYPES[t] for t in signature.allowed_types(attr)}
    if any(attr not in k for k in signature.kernels):
        return []
    mine = {DTYPES[t] for k in signature.kernels for t in k[attr]}
    return sorted(set(theirs) & allowed - mine)


def _has_kernel(signature: Signature, attr: str) -> bool:
    allowed = signature.allowed_types(attr)
    return any(attr not in k or set(k[attr]) & set(allowed) for k in signature.kernels)


def _type(arg: Arg) -> str:
    one = arg.type_attr or arg.type_list_attr or DTYPES[arg.type]
    if arg.number_attr:
        one = f"{arg.number_attr}*{one}"
    return f"Ref({one})" if arg.is_ref else one


def _spaceless(text: str) -> str:
    return "".join(text.split())


def _is_same(have: Any, want: Any) -> bool:
    if isinstance(have, list) and isinstance(want, list) and len(have) == len(want):
        return all(_is_same(h, w) for h, w in zip(have, want, strict=True))
    if isinstance(have, float) and isinstance(want, (int, float, str)):
        # An attr is a float32; JSON has no infinities.
        want = float(want)
        return have == want or abs(have - want) <= 1e-7 * abs(want)
    return have == want


def _value(value: Any) -> Any:
    """An AttrValue as the lists write it; None for none."""
    field = value.WhichOneof("value")
    if field is None:
        return None
    if field != "list":
        return _one(field, getattr(value, field))
    for part in ("s", "i", "f", "b", "type", "shape", "func"):
        items = getattr(value.list, part)
        if len(items):
            return [_one(part, item) for item in items]
    return []


def _one(field: str, item: Any) -> Any:
    if field == "s":
        return item.decode("utf-8", "backslashreplace")
    if field == "type":
        return DTYPES[item]
    if field == "shape":
        if item.unknown_rank:
            return {"unknown_rank": True}
        return [d.size for d in item.dim]
    if field == "func":
        return item.name
    if field == "tensor":
        from tensorwright.python.framework import tensor_util

        array = tensor_util.MakeNdarray(item)
        shape, values = list(array.shape), array.ravel().tolist()
        return {"dtype": DTYPES[item.dtype], "shape": shape, "values": values}
    return item
