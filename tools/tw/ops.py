# SPDX-License-Identifier: Apache-2.0
"""`tw ops`: the registered ops, one a line: signature, family, kernels, and what they touch outside the graph.

    $ tw ops --touches "files read"
    ImmutableConst() -> tensor: dtype  [array; CPU; touches files read; needs unbounded memory]
    $ tw ops matmul
    MatMul(a: T, b: T) -> product: T  [math; CPU T: float32 float64 ...; touches nothing]
    $ tw ops --capabilities queue
    QueueEnqueue: blocking, unbounded memory
    QueueSize: chance

What an op touches and needs is part of its registration (`.Touches("files read")` and `.Needs("blocking")` in
REGISTER_OP). "chance" is there too: the result depends on random numbers, or on what other threads have done, so that
tf.Policy(deterministic=True) refuses it; an op with "chance unless seed" is refused without a seed. An op of a library
that says nothing counts as one that touches and needs everything.
"""

from __future__ import annotations

import argparse
import json
import pathlib
import sys
from collections.abc import Iterable
from typing import Any

from tensorwright.python import _pywrap
from tensorwright.tools.tw import registry_dump

# As in core/framework/op_registration.h.
TOUCH_KINDS = (
    "files read",
    "files written",
    "network",
    "python",
    "native code",
    "host",
)
NEED_KINDS = ("blocking", "unbounded memory")


def family_of(file: str) -> str:
    """The family of the op registered in that file: `nn` of core/ops/nn_ops_conv.cc."""
    path = pathlib.PurePath(file)
    if "user_ops" in path.parts:
        return "user"
    stem = path.stem
    words = stem.split("_")
    return "_".join(words[: words.index("ops")]) if "ops" in words else stem


def kernels_text(kernels: Iterable[dict[str, Any]]) -> str:
    """`CPU T: float32 int32; GPU T: float32`: each device with the types of its kernels, attr by attr."""
    devices: dict[str, dict[str, list[str]]] = {}
    for kernel in kernels:
        attrs = devices.setdefault(kernel["device"], {})
        for attr, types in kernel["constraints"].items():
            known = attrs.setdefault(attr, [])
            known.extend(t for t in types if t not in known)
    texts = []
    for device, attrs in devices.items():
        types = ", ".join(f"{attr}: {' '.join(names)}" for attr, names in attrs.items())
        texts.append(f"{device} {types}" if types else device)
    return "; ".join(texts) or "no kernel"


def line_of(op: dict[str, Any], data: dict[str, Any]) -> str:
    """One op: `op` as registry_dump has it, `data` its registration."""
    touches = ", ".join(data["touches"]) or "nothing"
    needs = f"; needs {', '.join(data['needs'])}" if data["needs"] else ""
    chance = f"; {data['chance']}" if data["chance"] else ""
    kernels = kernels_text(_pywrap.kernel_registrations(op["name"]))
    return (
        f"{registry_dump.signature(op)}  "
        f"[{family_of(data['file'])}; {kernels}; touches {touches}{needs}{chance}]"
    )


def capability_line(data: dict[str, Any]) -> str:
    """`ReadFile: files read, unbounded memory`, of the op with that registration; chance comes last."""
    chance = [data["chance"]] if data["chance"] else []
    said = ", ".join((*data["touches"], *data["needs"], *chance)) or "nothing"
    return f"{data['name']}: {said}"


def _capabilities(registrations: list[dict[str, Any]], as_json: bool) -> None:
    """Prints what each op may do: a line an op, or a JSON object of them."""
    if as_json:
        table = {
            data["name"]: {
                key: data[key] for key in ("touches", "needs", "chance", "library")
            }
            for data in registrations
        }
        json.dump(table, sys.stdout, indent=1)
        print()
        return
    for data in registrations:
        library = f"  [{data['library']}]" if data["library"] else ""
        print(capability_line(data) + library)


def add_command(commands: Any) -> None:
    ops = commands.add_parser("ops", help="the registered ops")
    ops.add_argument("part", nargs="?", default="", help="only names with this part")
    ops.add_argument("--json", action="store_true", help="as a registry dump")
    ops.add_argument(
        "--touches",
        choices=(*TOUCH_KINDS, "files", "anything", "nothing"),
        help="only ops whose kernels reach that outside the graph",
    )
    ops.add_argument("--needs", choices=NEED_KINDS, help="only ops that may need that")
    ops.add_argument(
        "--capabilities",
        action="store_true",
        help="what each op, internal ones too, may touch and need; no more of it",
    )
    ops.set_defaults(do=_ops)


def _is_wanted(data: dict[str, Any], args: argparse.Namespace) -> bool:
    """Whether the op of that registration touches and needs what `args` ask for."""
    touches, wanted = data["touches"], args.touches
    if args.part.lower() not in data["name"].lower():
        return False
    if args.needs is not None and args.needs not in data["needs"]:
        return False
    if wanted in (None, "anything", "nothing"):
        return wanted is None or bool(touches) == (wanted == "anything")
    return wanted in touches or any(kind.split()[0] == wanted for kind in touches)


def _ops(args: argparse.Namespace) -> int:
    registrations = {
        data["name"]: data
        for data in _pywrap.op_registrations()
        if _is_wanted(data, args)
    }
    if args.capabilities and registrations:
        _capabilities(list(registrations.values()), args.json)
        return 0
    chosen = [op for op in registry_dump.ops() if op["name"] in registrations]
    if not chosen:
        return _none_chosen(args)
    if args.json:
        json.dump(chosen, sys.stdout, indent=1)
        print()
        return 0
    for op in chosen:
        print(line_of(op, registrations[op["name"]]))
    return 0


def _none_chosen(args: argparse.Namespace) -> int:
    """Says that no op is like that; the exit status."""
    named = f" has {args.part!r} in its name" if args.part else ""
    asked = {"touches": args.touches, "needs": args.needs}
    touching = " and".join(f" {k} {v}" for k, v in asked.items() if v is not None)
    both = " and" if named and touching else ""
    close = registry_dump.similar_ops(args.part) if args.part else []
    hint = f"similar: {', '.join(close)}" if close else "`tw ops` lists all"
    print(f"tw ops: no op{named}{both}{touching}; {hint}", file=sys.stderr)
    return 1
