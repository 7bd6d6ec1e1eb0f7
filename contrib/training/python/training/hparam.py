# SPDX-License-Identifier: Apache-2.0
"""Hyperparameters: names with values of fixed types, read from text, JSON and protos."""

from __future__ import annotations

import json
import numbers
import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from tensorwright.contrib.training.python.training import hparam_pb2
from tensorwright.python.util import compat

__all__ = ["HParams", "parse_values"]

# One assignment with the comma behind it: name=value, or name=[value,value,...].
_ASSIGNMENT = re.compile(
    r"\s*(?P<name>[a-zA-Z]\w*)\s*=\s*"
    r"(?:\[(?P<many>[^]]*)\]|(?P<one>[^,[]*))\s*(?:,|$)"
)
_TRUTHS = {"true": True, "1": True, "false": False, "0": False}


def _truth(text: str) -> bool:
    """The bool that a text names; ValueError for any other text."""
    if text.lower() not in _TRUTHS:
        raise ValueError(f"{text!r} is none of {', '.join(_TRUTHS)}")
    return _TRUTHS[text.lower()]


class _Family(NamedTuple):
    """A kind of hyperparameters that are handled alike.

    Attributes:
        base: the base class of their types.
        takes: the types of which they take values without losing anything.
        parse: reads a value from text; None: the type itself does.
        make: a function that makes a value; None: the type itself does.
        field: beginning of the names of their fields in HParamDef; None if they have none.
    """

    base: type
    takes: tuple[type, ...]
    parse: Callable[[str], Any] | None = None
    make: Callable[[Any], Any] | None = None
    field: str | None = None


# The first whose base fits counts: a bool is an integer to Python, and an integer a number.
_FAMILIES = (
    _Family(bool, (bool,), parse=_truth, field="bool"),
    _Family(numbers.Integral, (numbers.Integral,), field="int64"),
    _Family(numbers.Real, (numbers.Real,), field="float"),
    _Family(numbers.Number, (numbers.Number,)),
    _Family(str, (str, bytes), make=compat.as_str, field="bytes"),
    _Family(bytes, (str, bytes), compat.as_bytes, compat.as_bytes, "bytes"),
    # None tells no type: such a value takes everything.
    _Family(type(None), (object,), make=lambda value: value),
    _Family(object, (object,)),
)


def _family(kind: type) -> _Family:
    return next(family for family in _FAMILIES if issubclass(kind, family.base))


def _parsed(text: str, kind: type, name: str, values: str) -> Any:
    try:
        return (_family(kind).parse or kind)(text)
    except (TypeError, ValueError):
        raise ValueError(
            f"parse_values: Could not parse hparam {name!r}: {text!r} in {values!r} is no "
            f"{kind.__name__}"
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
        match = _ASSIGNMENT.match(values, place)
        if match is None:
            raise ValueError(
                "parse_values: Malformed hyperparameter value, expected name=value or "
                f"name=[value,...], got {values[place:]!r}"
            )
        place = match.end()
        name = match["name"]
        if name not in type_map:
            raise ValueError(
                f"parse_values: Unknown hyperparameter {name!r} in {values!r}"
            )
        if name in found:
            raise ValueError(
                f"parse_values: hyperparameter {name!r} has several values in {values!r}"
            )
        many = match["many"]
        if many is None:
            texts = [match["one"]]
        else:
            texts = many.split(",") if many.strip() else []
        parsed = [_parsed(t.strip(), type_map[name], name, values) for t in texts]
        found[name] = parsed[0] if many is None else parsed
    return found


def _cast(name: str, kind: type, value: Any) -> Any:
    """`value` as the type of a hyperparameter, where nothing is lost.

    Raises:
        ValueError: an integer in the place of a bool, a fraction in that of an integer, a number in that of text, ...
    """
    family = _family(kind)
    # True is 1 to Python, but no number here.
    disguised = isinstance(value, bool) and issubclass(kind, numbers.Number)
    if not isinstance(value, family.takes) or (disguised and kind is not bool):
        raise ValueError(
            f"HParams: Could not cast hparam {name!r} of type {kind.__name__!r} from "
            f"value {value!r}"
        )
    return (family.make or kind)(value)


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
        TypeError: `hparam_def` is no HParamDef.
        ValueError: both proto and keywords, a name that is an attribute already, or an empty list.
    """

    def __init__(
        self,
        hparam_def: object = None,
        model_structure: object = None,
        **kwargs: object,
    ):
        self._hparam_types: dict[str, tuple[type, bool]] = {}
        self._model_structure = model_structure
        if hparam_def is not None:
            if kwargs:
                raise ValueError(
                    "HParams: hparam_def and values by name exclude each other"
                )
            self._init_from_proto(hparam_def)
        for name, value in kwargs.items():
            self.add_hparam(name, value)

    def _init_from_proto(self, hparam_def: Any) -> None:
        if not isinstance(hparam_def, hparam_pb2.HParamDef):
            raise TypeError(f"hparam_def must be an HParamDef, got {type(hparam_def)}")
        for name, proto in hparam_def.hparam.items():
            field = proto.WhichOneof("kind")
            if field is None:
                raise ValueError(f"HParams: hparam {name!r} of the proto has no value")
            prefix, form = field.split("_")
            value = getattr(proto, field)
            read = compat.as_str if prefix == "bytes" else lambda item: item
            if form == "list":
                self.add_hparam(name, [read(item) for item in value.value])
            else:
                self.add_hparam(name, read(value))

    def add_hparam(self, name: str, value: object) -> None:
        """Adds a new hyperparameter; ValueError if the name exists already, or for an empty list."""
        if getattr(self, name, None) is not None:
            raise ValueError(
                f"HParams: the name {name!r} is reserved: there is an attribute of it"
            )
        listed = isinstance(value, (list, tuple))
        if listed and not value:
            raise ValueError(
                f"HParams: a list cannot be empty, its values tell their type: {name!r}"
            )
        self._hparam_types[name] = (type(value[0] if listed else value), listed)
        setattr(self, name, value)

    def set_hparam(self, name: str, value: Any) -> None:
        """A new value, of the type that the hyperparameter has.

        Raises:
            KeyError: a name that is not there.
            ValueError: a value of another type, a list in the place of a single value, or the other way round.
        """
        kind, listed = self._hparam_types[name]
        if listed and not isinstance(value, list):
            raise ValueError(
                f"HParams: Must pass a list for hparam {name!r}, got {value!r}"
            )
        if isinstance(value, list) and not listed:
            raise ValueError(
                f"HParams: Must not pass a list for hparam {name!r}, got {value!r}"
            )
        items = [_cast(name, kind, item) for item in (value if listed else [value])]
        setattr(self, name, items if listed else items[0])

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

    def _set_all(self, values: Mapping[str, Any]) -> HParams:
        for name, value in values.items():
            if name not in self._hparam_types:
                raise ValueError(
                    f"HParams: Unknown hyperparameter {name!r}, there are "
                    f"{sorted(self._hparam_types)}"
                )
            self.set_hparam(name, value)
        return self

    def set_model_structure(self, model_structure: object) -> None:
        self._model_structure = model_structure

    def get_model_structure(self) -> Any:
        return self._model_structure

    def to_json(
        self,
        indent: int | str | None = None,
        separators: tuple[str, str] | None = None,
        sort_keys: bool = False,
    ) -> str:
        """The values as a JSON object; arguments as in `json.dumps`.  Functions among them are left out."""
        values = {k: v for k, v in self.values().items() if not callable(v)}
        return json.dumps(
            values, indent=indent, separators=separators, sort_keys=sort_keys
        )

    def get(self, key: str, default: Any = None) -> Any:
        """The value of a name; `default` if it is not there.

        Raises:
            ValueError: it is there, with another type than the default.
        """
        if key not in self._hparam_types:
            return default
        if default is not None:
            kind, listed = self._hparam_types[key]
            if listed != isinstance(default, list):
                raise ValueError(
                    f"HParams: the value of {key!r} is of another form than the default "
                    f"{default!r}"
                )
            for item in default if listed else [default]:
                _cast(key, kind, item)
        return getattr(self, key)

    def override_from_dict(self, values_dict: Mapping[str, object]) -> HParams:
        """New values from a dict; returns this object.

        Raises:
            ValueError: a name that is not there, or a value of another type.
        """
        return self._set_all(values_dict)

    def del_hparam(self, name: str) -> None:
        """Takes a hyperparameter away, if it is there."""
        if hasattr(self, name):
            delattr(self, name)
            del self._hparam_types[name]

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
            field = _family(kind).field
            if field is None:
                raise ValueError(
                    f"HParams: hparam {name!r} of type {kind.__name__!r} has no form as a "
                    "proto"
                )
            value = getattr(self, name)
            items = list(value) if listed else [value]
            if field == "bytes":
                items = [compat.as_bytes(item) for item in items]
            if listed:
                getattr(proto.hparam[name], f"{field}_list").value.extend(items)
            else:
                setattr(proto.hparam[name], f"{field}_value", items[0])
        return proto

    @staticmethod
    def from_proto(hparam_def: object, import_scope: str | None = None) -> HParams:
        """The hyperparameters of an HParamDef; `import_scope` has no effect."""
        del import_scope
        return HParams(hparam_def=hparam_def)
