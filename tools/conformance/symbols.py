# SPDX-License-Identifier: Apache-2.0
"""Compares the public symbols, the modules and `tf.contrib` with the lists beside this file.

    ./run tools/conformance/main.py symbols

A function matches if it takes the listed arguments first and by these names, a class if its constructor and its members do.
That is all that is compared here: what a symbol does is for the tests of its module.
"""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import json
from typing import Any

from tensorwright.tools.conformance.op_lists import LISTS


@dataclasses.dataclass
class Count:
    """Counts the listed names that match, and describes the others."""

    listed: int
    matching: int
    lacking: list[str]


def public(package: str) -> Count:
    """The symbols of `tf.compat.v1`, less those of `lists/left_out.json`."""
    root = importlib.import_module(package)
    left_out = set(_read("left_out"))
    wanted = {k: v for k, v in _read("python_api").items() if k not in left_out}
    return _count({f"tf.{name}": (root, name, want) for name, want in wanted.items()})


def contrib(package: str) -> Count:
    """The names of `tf.contrib` that programs use most."""
    rows = {}
    for folder, names in _read("contrib_api").items():
        try:
            module = importlib.import_module(f"{package}.contrib.{folder}")
        except ImportError:
            module = None
        for name, want in names.items():
            rows[f"tf.contrib.{folder}.{name}"] = module, name, _as_symbol(want or {})
    return _count(rows)


def modules(package: str) -> Count:
    """The modules of TensorFlow 1.x's tree that programs import, with the names that they take from them."""
    wanted = _read("python_modules")
    lacking = []
    for name, names in wanted.items():
        try:
            module = importlib.import_module(f"{package}.{name}")
        except ImportError as error:
            lacking.append(f"{name}: {error}")
            continue
        missing = [n for n in names if not hasattr(module, n)]
        if missing:
            lacking.append(f"{name}: lacks {' '.join(missing)}")
    return Count(len(wanted), len(wanted) - len(lacking), lacking)


def left_out() -> dict[str, str]:
    """Symbol -> why it is not counted."""
    return _read("left_out")


def listed() -> int:
    """How many symbols the list has, with those that are left out."""
    return len(_read("python_api"))


def _read(name: str) -> Any:
    return json.loads((LISTS / f"{name}.json").read_text())


def _count(rows: dict[str, tuple[Any, str, Any]]) -> Count:
    lacking = []
    for label, (root, name, want) in rows.items():
        what = _differs(root, name, want)
        if what:
            lacking.append(f"{label}: {what}")
    return Count(len(rows), len(rows) - len(lacking), lacking)


def _as_symbol(want: dict[str, Any]) -> dict[str, Any]:
    """An entry of the contrib list in the form of the other one."""
    members = dict.fromkeys(want.get("methods", ()), "member")
    if want.get("class"):
        return {"kind": "class", "init": want.get("args"), "members": members}
    kind = "function" if "args" in want else "value"
    return {"kind": kind, "args": want.get("args"), "members": members}


def _differs(root: Any, name: str, want: dict[str, Any]) -> str:
    if root is None:
        return "no module"
    found = root
    for part in name.split("."):
        if not hasattr(found, part):
            return "is missing"
        found = getattr(found, part)
    if want["kind"] == "function":
        return _refuses(found, want.get("args"))
    if want["kind"] != "class":
        lacking = [m for m in want.get("members", ()) if not hasattr(found, m)]
        return f"lacks {' '.join(lacking)}" if lacking else ""
    if not isinstance(found, type) and not callable(found):
        return "is no class"
    parts = [_refuses(found, want.get("init"))]
    for member, args in want.get("members", {}).items():
        if not hasattr(found, member):
            parts.append(f"lacks {member}")
        elif isinstance(args, list):
            wrong = _refuses(getattr(found, member), args)
            parts.append(f"{member} {wrong}" if wrong else "")
    return "; ".join(p for p in parts if p)


def _refuses(function: Any, args: list[str] | None) -> str:
    """Returns the fault in the arguments of a function; "" if it takes those listed."""
    if args is None or "*args" in args:
        return ""
    if not callable(function):
        # A method that only its instances show.
        return "" if hasattr(type(function), "__get__") else "cannot be called"
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return ""  # One of C tells no arguments.
    named = [p.name for p in parameters if p.name not in ("self", "cls")]
    plain = [
        p.name
        for p in parameters
        if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD) and p.name in named
    ]
    want = [a.split("=")[0] for a in args]
    want = [a.lstrip("*") for a in want if a not in ("self", "cls")]
    bare = [a for a in want if a not in ("args", "kwargs")]
    takes_any = any(p.kind is p.VAR_KEYWORD for p in parameters)
    if named[: len(want)] == want or plain[: len(bare)] == bare:
        return ""
    if takes_any and plain == bare[: len(plain)]:
        return ""
    return f"takes {named}, not {want}"
