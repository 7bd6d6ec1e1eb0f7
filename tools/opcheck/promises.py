# SPDX-License-Identifier: Apache-2.0
"""Lists the promises of an op's registrations, and whether opcheck has checked each.

An op promises that calls of it work, in each dtype that its attrs allow and a CPU kernel takes; that its outputs have
the shapes that its shape function says; that its gradient, if one is registered, is the derivative; that the number of
threads changes nothing; and that no call kills the process.  A promise that was not checked is as bad as a broken one,
unless allowed.py says why.
"""

from __future__ import annotations

from tensorwright.python.framework import gradient_registry

# The module that registers all gradients, used for that alone.
from tensorwright.python.ops import gradients as _gradients  # noqa: F401
from tensorwright.tools.opcheck import allowed, handles, hint_files, signature as sig
from tensorwright.tools.opcheck.outcome import Result
from tensorwright.tools.opcheck.signature import Signature

# Values of these are made by ops alone.
_NOT_DATA = (sig.RESOURCE, sig.VARIANT)


def type_attrs(signature: Signature) -> list[str]:
    """The attrs that are a dtype or a list of them."""
    return [n for n, a in signature.attrs.items() if a.type in ("type", "list(type)")]


def dtypes(signature: Signature) -> set[tuple[str, int]]:
    """(type attr, dtype) for all that the attr allows and some CPU kernel takes."""
    found = set()
    for attr in type_attrs(signature):
        taken: set[int] = set()
        for kernel in signature.kernels:
            taken.update(kernel.get(attr, sig.ALL_TYPES))
        for enum in signature.allowed_types(attr):
            if enum in taken and enum not in _NOT_DATA:
                found.add((attr, enum))
    return found


def without_kernel(signature: Signature) -> set[tuple[str, int]]:
    """(type attr, dtype) for all that the definition lists and no kernel takes; none for an attr that lists nothing."""
    found = set()
    for attr in type_attrs(signature):
        for enum in signature.attrs[attr].allowed_values.list.type:
            if not any(
                enum in kernel.get(attr, sig.ALL_TYPES + _NOT_DATA)
                for kernel in signature.all_kernels
            ):
                found.add((attr, enum))
    return found


def dtype_name(attr: str, enum: int) -> str:
    return f"{attr}={sig.type_name(enum)}"


def together(signature: Signature, wanted: set[tuple[str, int]]) -> dict[str, int]:
    """Values of type attrs for one call, by one kernel, that has as many of the wanted as one call can."""
    best: dict[str, int] = {}
    for kernel in signature.kernels:
        types = {}
        for attr, enum in sorted(wanted):
            if attr not in types and enum in kernel.get(attr, sig.ALL_TYPES):
                types[attr] = enum
        if len(types) > len(best):
            best = types
    return best


def gradient(signature: Signature) -> bool:
    """Is a gradient registered that is not "not differentiable"?"""
    location = gradient_registry.lookup_location(signature.name)
    return location is not None and location.function is not None


def no_gradient(signature: Signature) -> str:
    """The reason why an op without a gradient has none."""
    if gradient_registry.lookup_location(signature.name) is None:
        return "no gradient is registered"
    return "it is said to be not differentiable"


def unkept(result: Result) -> list[str]:
    """Returns the promises that were not checked, in words; notes in the result which exemptions that needs."""
    s = result.signature
    if not s.all_kernels and result.own:
        return ["no kernel is registered"]
    if not result.valid:
        if result.excuse(allowed.find(s.name, allowed.VALID)):
            return []
        if result.found("valid"):
            return []
        why = result.unsuitable or "; ".join(result.refusals)
        text = f"no call was accepted, so nothing was checked ({why})"
        if result.own:
            file = hint_files.name_for(s.name)
            text += f"; a hint in {file} beside the library can draw better ones"
        return [text]
    checks = (_kernels, _dtypes, _shapes, _gradient, _threads, _malformed)
    return [text for check in checks for text in check(result)]


def _kernels(result: Result) -> list[str]:
    s = result.signature
    # Ops of the package have the definitions of TensorFlow's, and the kernels of a CPU.
    if not result.own:
        return []
    words = [dtype_name(*pair) for pair in sorted(without_kernel(s))]
    words = [w for w in words if not _excused(result, s.name, allowed.NO_KERNEL, w)]
    if not words:
        return []
    example = f'allow(NO_KERNEL, "{s.name}", "why", of="{words[0]}")'
    return [
        f"the definition allows {', '.join(words)}, and no kernel is registered for it; "
        f"if that is meant, {example} in a file *_hints.py beside the library says so"
    ]


def _dtypes(result: Result) -> list[str]:
    name, missing = result.signature.name, dtypes(result.signature) - result.dtypes
    words = [dtype_name(*pair) for pair in sorted(missing)]
    words = [w for w in words if not _excused(result, name, allowed.DTYPE, w)]
    if not words:
        return []
    return [f"no call was accepted with {', '.join(words)}"]


def _shapes(result: Result) -> list[str]:
    s = result.signature
    # A resource may hold a value of any shape.
    if result.shapes or not s.outputs or not s.has_shape_fn or _of_resource(s):
        return []
    if _excused(result, s.name, allowed.SHAPE):
        return []
    return ["the shape function said nothing of any output"]


def _gradient(result: Result) -> list[str]:
    s = result.signature
    # Findings of the gradient say more.
    if not gradient(s) or result.found("gradient"):
        return []
    found = [
        f"by {arg}: no derivative in {kind} numbers tells a right gradient from a wrong one: each is 0, or unclear"
        for kind, arg in sorted(result.untold - result.told)
        if not _excused(result, s.name, allowed.FLAT, arg)
    ]
    if not result.numbers and not result.no_gradient:
        if not _excused(result, s.name, allowed.NO_NUMBERS):
            found.append("a gradient is registered, and no draw was differentiated")
    wanted = sorted(result.number_dtypes - result.gradient_dtypes)
    names = [sig.type_name(enum) for enum in wanted]
    names = [
        n for n in names if not _excused(result, s.name, allowed.GRADIENT_DTYPE, n)
    ]
    if names:
        found.append(f"no gradient was computed in {', '.join(names)}")
    return found


def _threads(result: Result) -> list[str]:
    # Nor is it large because a call is.
    if _of_resource(result.signature):
        return []
    if result.threads or _excused(result, result.signature.name, allowed.THREADS):
        return []
    if result.found("threads"):
        return []
    why = result.why.get("threads")
    words = "no large call was run with several numbers of threads"
    return [f"{words}: {why}" if why else words]


def _of_resource(signature: Signature) -> bool:
    """Does it make or take the handles of its own library?"""
    own = handles.maker_of(signature) is not None
    return own or handles.is_maker(signature.name)


def _malformed(result: Result) -> list[str]:
    name = result.signature.name
    if result.malformed or _excused(result, name, allowed.MALFORMED):
        return []
    return ["no malformed call was made"]


def _excused(result: Result, op: str, check: str, of: str = "") -> bool:
    return result.excuse(allowed.find(op, check, of))
