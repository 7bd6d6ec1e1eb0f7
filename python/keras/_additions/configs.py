# SPDX-License-Identifier: Apache-2.0
"""Reads configs of models that TensorFlow's Keras wrote, in the words of Keras 2.3.1.

TensorFlow's names of classes differ in part, and its later layers have more settings.  Settings that ask for the
behaviour of 2.3.1 are left out; settings that ask for another behaviour are refused.
"""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

from tensorwright.python.keras._additions import extend

if TYPE_CHECKING:
    from types import ModuleType

    from tensorwright.core.protobuf.config_pb2 import ConfigProto


_CLASSES = {
    "Functional": "Model",
    "ModuleWrapper": None,
    "BatchNormalizationV1": "BatchNormalization",
    "BatchNormalizationV2": "BatchNormalization",
    "LSTMV2": "LSTM",
    "GRUV2": "GRU",
}
# Classes of initializers, which Keras has as functions.
_INITIALIZERS = {
    "GlorotNormal": "glorot_normal",
    "GlorotUniform": "glorot_uniform",
    "HeNormal": "he_normal",
    "HeUniform": "he_uniform",
    "LecunNormal": "lecun_normal",
    "LecunUniform": "lecun_uniform",
}
# Settings of later layers that Keras 2.3.1 lacks -> the values that ask for its behaviour.
_AS_BEFORE: dict[str, tuple] = {
    "activity_regularizer": (None,),
    "cache_locally": (True, False),
    "data_format": ("channels_last", None),
    "groups": (1,),
    "implementation": (0, 1, 2),
    "interpolation": ("nearest",),
    "keepdims": (False,),
    "optional": (False,),
    "ragged": (False,),
    "renorm": (False,),
    "sparse": (False,),
    "synchronized": (False,),
    "time_major": (False,),
    "unroll": (False,),
    "virtual_batch_size": (None,),
    "zero_output_for_mask": (False,),
}
# The same for later optimizers.
_OPTIMIZERS_AS_BEFORE: dict[str, tuple] = {
    "centered": (False,),
    "clipnorm": (None,),
    "clipvalue": (None,),
    "ema_momentum": (0.99,),
    "ema_overwrite_frequency": (None, 100),
    "global_clipnorm": (None,),
    "initial_accumulator_value": (0.0, 0.1),
    "is_legacy_optimizer": (True, False),
    "jit_compile": (True, False),
    "momentum": (0.0,),
    "name": (),
    "use_ema": (False,),
    "weight_decay": (None, 0.0),
}
_OF_LAYERS = {"batch_input_shape", "batch_size", "dtype", "input_shape", "name", "trainable", "weights"}  # fmt: skip # noqa: E501


def _accepted(kind: type) -> set[str]:
    """The arguments of a class's constructor, with those that it hands on to its bases."""
    found: set[str] = set()
    for base in kind.__mro__:
        own: Any = vars(base).get("__init__")
        # Keras's decorators for old arguments hide the signature behind *args.
        while hasattr(own, "_original_function"):
            own = own._original_function
        if own is None or base is object:
            continue
        parameters = inspect.signature(own).parameters.values()
        found.update(p.name for p in parameters)
        if all(p.kind is not p.VAR_KEYWORD for p in parameters):
            return found
    return found


def _fit(
    kind: type, config: dict[str, Any], as_before: dict[str, tuple], known: set[str]
) -> dict[str, Any]:
    """Returns the settings of a config that the constructor of `kind` takes, or those of all its kind, `known`.

    Raises:
        ValueError: another setting asks for something that this Keras cannot do.
    """
    accepted, fitting = _accepted(kind) | known, {}
    for key, value in config.items():
        if key in accepted:
            fitting[key] = value
        elif key not in as_before or (as_before[key] and value not in as_before[key]):
            raise ValueError(
                f"{kind.__name__} {config.get('name', '')}: {key} must be {_told(as_before.get(key))} for Keras 2.3.1, got {value!r}"
            )
    return fitting


def _told(values: tuple | None) -> str:
    return "left out" if values is None else " or ".join(map(repr, values))


def _policy_name(dtype: Any) -> Any:
    """The type of a policy: later layers have a policy in the place of a type."""
    if isinstance(dtype, dict):
        return dtype.get("config", {}).get("name", "float32")
    return dtype


def translate(config: ConfigProto, classes: dict[str, Any]) -> Any:
    """A config, with all that are in it, in the words of Keras 2.3.1; those of a program's own classes stay."""
    if isinstance(config, list):
        return [translate(c, classes) for c in config]
    if not isinstance(config, dict):
        return config
    found = {key: translate(value, classes) for key, value in config.items()}
    name, inner = found.get("class_name"), found.get("config")
    if not isinstance(name, str) or not isinstance(inner, dict):
        return found
    if name in _INITIALIZERS:
        inner.pop("dtype", None)
        return {
            **found,
            "class_name": "VarianceScaling",
            "config": _scaling(name, inner),
        }
    name = found["class_name"] = _CLASSES.get(name, name) or name
    kind = classes.get(name)
    if isinstance(kind, type) and kind.__module__.startswith("keras.layers"):
        if "dtype" in inner:
            inner["dtype"] = _policy_name(inner["dtype"])
        if name == "BatchNormalization" and isinstance(inner.get("axis"), list):
            (inner["axis"],) = inner["axis"]
        found["config"] = _fit(kind, inner, _AS_BEFORE, _OF_LAYERS)
    elif name == "InputLayer":
        found["config"] = _fit(kind, inner, _AS_BEFORE, _OF_LAYERS)  # type: ignore[arg-type]
    return found


def _scaling(name: str, config: dict[str, Any]) -> dict[str, Any]:
    """The config of the VarianceScaling that an initializer's function gives."""
    from keras import initializers

    return getattr(initializers, _INITIALIZERS[name])(**config).get_config()


def _layers(before: Any) -> Any:
    def deserialize(config: Any, custom_objects: Any = None) -> Any:
        from keras import layers

        own = set(custom_objects or ())
        known = {k: v for k, v in vars(layers).items() if k not in own}
        return before(translate(config, known), custom_objects)

    return deserialize


def _optimizers(before: Any) -> Any:
    def deserialize(config: Any, custom_objects: Any = None) -> Any:
        from keras import optimizers

        kinds = {
            k.lower(): v for k, v in vars(optimizers).items() if isinstance(v, type)
        }
        kind = kinds.get(config["class_name"].lower())
        if kind is not None and config["class_name"] not in (custom_objects or ()):
            clipping = {"clipnorm", "clipvalue"}
            given = {
                k: v
                for k, v in config["config"].items()
                if k not in clipping or v is not None
            }
            # These are among **kwargs.
            known = clipping | {"lr", "decay", "epsilon", "schedule_decay"}
            fitting = _fit(kind, given, _OPTIMIZERS_AS_BEFORE, known)
            config = {**config, "config": fitting}
        return before(config, custom_objects)

    return deserialize


def install(layers: ModuleType, optimizers: ModuleType) -> None:
    """Lets Keras's functions that make layers and optimizers of configs take TensorFlow's."""
    extend.wrap(layers, "deserialize", _layers)
    extend.wrap(optimizers, "deserialize", _optimizers)
