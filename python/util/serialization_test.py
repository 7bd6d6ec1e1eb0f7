# SPDX-License-Identifier: Apache-2.0
"""Objects that JSON does not have."""

import json
import types

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.util import serialization


class _Configured:
    """As layers and initializers are."""

    def get_config(self):
        return {"units": np.int64(3)}


def test_objects_become_values_of_json():
    given = {
        "layer": _Configured(),
        "array": np.array([[1, 2]]),
        "scalar": np.float64(1.5),
        "shape": tf.TensorShape([None, 2]),
        "size": tf.Dimension(4),
        "dtype": tf.float32,
        "function": json.dumps,
        "class": _Configured,
        "mapping": types.MappingProxyType({"a": 1}),
    }
    text = json.dumps(given, default=serialization.get_json_type)
    assert json.loads(text) == {
        "layer": {"class_name": "_Configured", "config": {"units": 3}},
        "array": [[1, 2]],
        "scalar": 1.5,
        "shape": [None, 2],
        "size": 4,
        "dtype": "float32",
        "function": "dumps",
        "class": "_Configured",
        "mapping": {"a": 1},
    }


def test_other_objects_are_refused():
    with pytest.raises(TypeError, match="Not JSON Serializable: <object"):
        serialization.get_json_type(object())
