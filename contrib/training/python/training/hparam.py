# SPDX-License-Identifier: Apache-2.0
"""Hyperparameters: names with values of fixed types, read from text, JSON and protos."""

from __future__ import annotations

import json
import numbers
import re
from typing import Any

from tensorwright.contrib.training.python.training import hparam_pb2
from tensorwright.python.util import compat

__all__ = ["HParams", "parse_values"]

# name=value or name=[value,value,...], up to a comma or the end.
_PARAM = re.compile(
    r"\s*(?P<name>[a-zA-Z][\w]*)\s*=\s*(\[(?P<vals>[^\]]*)\]|(?P<val>[^,\[]*))\s*($|,)"
)


def _as_bool(text: str) -> bool:
    found = {"true": True, "1": True, "false": False, "0": False}.get(text.lower())
    if found is None:
        raise ValueError(f"{text!r} is no bool")
    return found


def _parsed(text: str, kind: type, name: str, values: str) -> Any:
    try:
        if kind is bool:
            return _as_bool(text)
        return kind(text)
    except ValueError:
        raise ValueError(
            f"Could not parse hparam {name!r} of type {kind.__name__!r} with value "
            f"{text!r} in {values}"
        ) from None


def parse_values(values: str, type_map: dict[str, type]) -> dict[str, Any]:
    """The values of text like "a=1,b=2.5,names=[x,y]".

    Args:
        values: the text.
        type_map: the type of each name that may come; of a list that of its elements.

    Raises:
        ValueError: text of another form, an unknown name, a value of another type, or a name twice.
    """
    found: dict[str, Any] = {}
    place = 0
    while place < len(values):
        match = _PARAM.match(values, place)
        if match is None:
            raise ValueError(f"Malformed hyperparameter value: {values[place:]}")
        place = match.end()
        name = match["name"]
        if name not in type_map:
            raise ValueError(f"Unknown hyperparameter type for {name}")
        if name in found:
            raise ValueError(f"Hyperparameter {name} has several values in {values}")
        kind = type_map[name]
        if match["vals"] is not None:
            items = [v.strip() for v in match["vals"].split(",")] if match["vals"].strip() else []  # fmt: skip
            found[name] = [_parsed(v, kind, name, values) for v in items]
        else:
            found[name] = _parsed(match["val"].strip(), kind, name, values)
    return found


def _cast(name: str, kind: type, value: Any) -> Any:
    """`value` as the type of a hyperparameter, where nothing is lost.

    Raises:
        ValueError: an integer in the place of a bool, a fraction in that of an integer, a number in that of text, ...
    """
    fail = ValueError(
        f"Could not cast hparam {name!r} of type {kind.__name__!r} from value {value!r}"
    )
    if issubclass(kind, type(None)):
        return value
    if issubclass(kind, str):
        if isinstance(value, (str, bytes)):
            return compat.as_str(value)
        raise fail
    if isinstance(value, bool) != issubclass(kind, bool):
        raise fail
    if issubclass(kind, numbers.Integral) and not isinstance(value, numbers.Integral):
        raise fail
    if issubclass(kind, numbers.Number) and not isinstance(value, numbers.Number):
        raise fail
    return kind(value)


class HParams:
    """Hyperparameters as attributes.

        hparams = HParams(learning_rate=0.1, num_hidden_units=[100, 50])
        hparams.parse("learning_rate=0.2,num_hidden_units=[10]")
        hparams.learning_rate  # 0.2

    A value keeps the type that it begins with: a number, a bool, text, or a list of one of these.

    Args:
        hparam_def: an HParamDef that they come from, instead of keywords.
        model_structure: any object, which is not written.
        **kwargs: the values by name.

    Raises:
        ValueError: both proto and keywords, a name that is an attribute already, or an empty list.
    """

    def __init__(
        self, hparam_def: Any = None, model_structure: Any = None, **kwargs: Any
    ):
        self._hparam_types: dict[str, tuple[type, bool]] = {}
        self._model_structure = model_structure
        if hparam_def is not None:
            if kwargs:
                raise ValueError("hparam_def and initial values exclude each other")
            self._init_from_proto(hparam_def)
        for name, value in kwargs.items():
            self.add_hparam(name, value)

    def _init_from_proto(self, hparam_def: Any) -> None:
        if not isinstance(hparam_def, hparam_pb2.HParamDef):
            raise TypeError(f"hparam_def must be an HParamDef, got {type(hparam_def)}")
        for name, proto in hparam_def.hparam.items():
            kind = proto.WhichOneof("kind")
            value = getattr(proto, kind)
            if kind.startswith("bytes"):
                if kind.endswith("_list"):
                    self.add_hparam(name, [compat.as_str(v) for v in value.value])
                else:
                    self.add_hparam(name, compat.as_str(value))
            elif kind.endswith("_list"):
                self.add_hparam(name, list(value.value))
            else:
                self.add_hparam(name, value)

    def add_hparam(self, name: str, value: Any) -> None:
        """A new hyperparameter; ValueError for a name that there is, or an empty list."""
        if getattr(self, name, None) is not None:
            raise ValueError(f"Hyperparameter name is reserved: {name}")
        if isinstance(value, (list, tuple)):
            if not value:
                raise ValueError(
                    f"Multi-valued hyperparameters cannot be empty: {name}"
                )
            self._hparam_types[name] = (type(value[0]), True)
        else:
            self._hparam_types[name] = (type(value), False)
        setattr(self, name, value)

    def _set(self, name: str, value: Any) -> None:
        kind, listed = self._hparam_types[name]
        if isinstance(value, list):
            if not listed:
                raise ValueError(f"Must not pass a list for single-valued parameter: {name}")  # fmt: skip
            setattr(self, name, [_cast(name, kind, v) for v in value])
        else:
            if listed:
                raise ValueError(
                    f"Must pass a list for multi-valued parameter: {name}."
                )
            setattr(self, name, _cast(name, kind, value))

    set_hparam = _set

    def parse(self, values: str) -> HParams:
        """New values from text, see `parse_values`; returns this object."""
        types = {name: kind for name, (kind, _) in self._hparam_types.items()}
        return self._set_all(parse_values(values, types))

    def parse_json(self, values_json: str) -> HParams:
        """New values from a JSON object; returns this object.

        Raises:
            ValueError: a name that is not there, or a value of another type.
        """
        return self._set_all(json.loads(values_json))

    def _set_all(self, values: dict[str, Any]) -> HParams:
        for name, value in values.items():
            if name not in self._hparam_types:
                raise ValueError(f"Unknown hyperparameter {name}")
            self._set(name, value)
        return self

    def set_model_structure(self, model_structure: Any) -> None:
        self._model_structure = model_structure

    def get_model_structure(self) -> Any:
        return self._model_structure

    def to_json(self) -> str:
        """The values as a JSON object."""
        return json.dumps(self.values())

    def values(self) -> dict[str, Any]:
        """The values by name."""
        return {name: getattr(self, name) for name in self._hparam_types}

    def __contains__(self, name: str) -> bool:
        return name in self._hparam_types

    def __str__(self) -> str:
        return str(sorted(self.values().items()))

    def to_proto(self, export_scope: str | None = None) -> Any:
        """The values as an HParamDef; `export_scope` has no effect."""
        del export_scope
        proto = hparam_pb2.HParamDef()
        for name, (kind, listed) in self._hparam_types.items():
            value = getattr(self, name)
            prefix = _proto_kind(kind)
            if prefix == "bytes":
                value = [compat.as_bytes(v) for v in value] if listed else compat.as_bytes(value)  # fmt: skip
            if listed:
                getattr(proto.hparam[name], f"{prefix}_list").value.extend(value)
            else:
                setattr(proto.hparam[name], f"{prefix}_value", value)
        return proto

    @staticmethod
    def from_proto(hparam_def: Any, import_scope: str | None = None) -> HParams:
        """The hyperparameters of an HParamDef; `import_scope` has no effect."""
        del import_scope
        return HParams(hparam_def=hparam_def)


def _proto_kind(kind: type) -> str:
    for base, prefix in ((bool, "bool"), (numbers.Integral, "int64"), (numbers.Real, "float"), ((str, bytes), "bytes")):  # fmt: skip
        if issubclass(kind, base):
            return prefix
    raise ValueError(f"A hyperparameter of type {kind.__name__} has no form as a proto")
