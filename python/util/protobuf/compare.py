# SPDX-License-Identifier: Apache-2.0
"""Comparing protos in tests."""

from __future__ import annotations

import copy
import difflib
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tensorwright.python.util.lazy_protos import descriptor, text_format

if TYPE_CHECKING:
    from google.protobuf.message import Message


# Text forms with more characters are compared by a faster algorithm.
_LONG = 2**16


def assertProtoEqual(
    self, a: Any, b: Any, check_initialized: bool = True, normalize_numbers: bool = False,
    msg: str | None = None, relative_tolerance: float | None = None,
) -> None:  # fmt: skip
    """Fails a TestCase unless two protos are equal; `a` may be in text form.

    relative_tolerance: by what share of the larger one two floats may differ.
    """
    if isinstance(a, (str, bytes)):
        a = text_format.Merge(a, type(b)())
    if check_initialized:
        for proto in (a, b):
            errors = proto.FindInitializationErrors()
            if errors:
                self.fail(f"Initialization errors: {errors}\n{proto}")
    if normalize_numbers:
        a, b = copy.deepcopy(a), copy.deepcopy(b)
        NormalizeNumberFields(a)
        NormalizeNumberFields(b)
    if ProtoEq(a, b):
        return
    if relative_tolerance is not None:
        close = copy.deepcopy(a)
        TakeCloseFloats(close, b, relative_tolerance)
        if ProtoEq(close, b):
            return
    before, after = (text_format.MessageToString(p) for p in (a, b))
    if max(len(before), len(after)) < _LONG:
        shown, self.maxDiff = self.maxDiff, None
        try:
            # Texts are equal where numbers that are not differ.
            self.assertMultiLineEqual(before, after, msg=msg)
        finally:
            self.maxDiff = shown
    elif before != after:
        # The marks below changed lines take minutes for texts of this length.
        diff = difflib.unified_diff(before.splitlines(True), after.splitlines(True))
        self.fail((msg or "") + "\n" + "".join(diff))


def NormalizeNumberFields(pb: Any) -> Any:
    """Rounds floats to float precision, in place, so that text forms compare equal."""
    kinds = descriptor.FieldDescriptor
    for field, value in pb.ListFields():
        repeated = field.label == kinds.LABEL_REPEATED
        if field.type in (kinds.TYPE_FLOAT, kinds.TYPE_DOUBLE):
            if repeated:
                rounded = [float(f"{v:.6g}") for v in value]
                del value[:]
                value.extend(rounded)
            else:
                setattr(pb, field.name, float(f"{value:.6g}"))
        elif field.type == kinds.TYPE_MESSAGE:
            if field.message_type.GetOptions().map_entry:
                if field.message_type.fields_by_name["value"].message_type:
                    for item in value.values():
                        NormalizeNumberFields(item)
            else:
                for item in value if repeated else [value]:
                    NormalizeNumberFields(item)
    return pb


def _is_repeated(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, (str, bytes))


def TakeCloseFloats(a: Any, b: Any, relative_tolerance: float) -> None:
    """Gives the floats of `a`, in place, the values of those of `b` that are close."""
    if type(a) is not type(b):
        return
    kinds = descriptor.FieldDescriptor
    for field, value in a.ListFields():
        other = getattr(b, field.name)
        repeated = _is_repeated(value)
        if field.type in (kinds.TYPE_FLOAT, kinds.TYPE_DOUBLE) and repeated:
            for i, (x, y) in enumerate(zip(value, other)):
                if math.isclose(x, y, rel_tol=relative_tolerance):
                    value[i] = y
        elif field.type in (kinds.TYPE_FLOAT, kinds.TYPE_DOUBLE):
            if math.isclose(value, other, rel_tol=relative_tolerance):
                setattr(a, field.name, other)
        elif field.type == kinds.TYPE_MESSAGE:
            if hasattr(value, "items"):
                pairs = [(value[k], other[k]) for k in value if k in other]
                pairs = [p for p in pairs if hasattr(p[0], "ListFields")]
            else:
                pairs = list(zip(value, other)) if repeated else [(value, other)]
            for x, y in pairs:
                TakeCloseFloats(x, y, relative_tolerance)


def ProtoEq(a: Message, b: Message) -> bool:
    """Whether two messages, or values of their fields, have equal fields set; NaN equals nothing."""
    ours, theirs = _parts(a), _parts(b)
    if ours is None or theirs is None:
        return bool(a == b)
    return ours.keys() == theirs.keys() and all(
        ProtoEq(value, theirs[key]) for key, value in ours.items()
    )


def _parts(value: Any) -> dict[Any, Any] | None:
    """The fields of a message by number, the items of a map or a repeated field; None for a single value."""
    if hasattr(value, "ListFields"):
        return {field.number: part for field, part in value.ListFields()}
    if hasattr(value, "items"):
        return dict(value.items())
    return dict(enumerate(value)) if _is_repeated(value) else None


class ProtoAssertions:
    """Mixin that makes assertProtoEqual a method."""

    def assertProtoEqual(self, *args: Any, **kwargs: Any) -> None:
        return assertProtoEqual(self, *args, **kwargs)
