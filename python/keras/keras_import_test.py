# SPDX-License-Identifier: Apache-2.0
"""Imports of `tf.keras` and of Keras, and the errors if Keras is missing."""

import subprocess
import sys

import pytest

import tensorwright as tf
from tensorwright.python.keras.keras_testutil import forget  # noqa: F401


def _run(program: str) -> str:
    """Runs a Python program in a process of its own, and returns its output."""
    paths = f"import sys; sys.path[:0] = {sys.path!r}\n"
    done = subprocess.run(
        [sys.executable, "-c", paths + program], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_modules_are_found_by_every_path():
    printed = _run("""
from tensorwright import compat
compat.alias()
import tensorflow as tf
from tensorflow.keras.layers import Dense
import tensorflow.keras as keras
import tensorflow.keras.layers as a
import tensorflow.python.keras.layers as b
import tensorwright.keras.layers as c
from tensorflow.keras import layers as d, backend
from tensorflow.python.keras import backend as inner
from tensorflow.python.keras.engine import base_layer
from tensorflow.python.keras.engine.input_spec import InputSpec
from tensorflow.keras.preprocessing.text import Tokenizer
import keras as plain
assert a is b is c is d is plain.layers
assert backend is inner and keras is tf.keras
assert base_layer.Layer is tf.keras.layers.Layer and Dense is plain.layers.Dense
assert InputSpec is keras.layers.InputSpec
assert backend.mean is plain.backend.mean
print("all found")
""")
    assert printed == "all found\n"


def test_plain_keras_runs_under_the_alias():
    printed = _run("""
from tensorwright import compat
compat.alias()
import numpy as np, keras
from keras.models import Sequential
from keras.layers import Dense
model = Sequential([Dense(1, input_dim=2)])
model.compile("sgd", "mse")
x = np.random.rand(64, 2)
losses = model.fit(x, x @ [[1.0], [2.0]], epochs=20, verbose=0).history["loss"]
print(keras.__version__, model.layers[0].name, losses[-1] < losses[0] / 2)
""")
    assert printed == "2.3.1 dense_1 True\n"


@pytest.mark.parametrize(
    "use", ["tf.keras.layers", "tf.keras.Model", "import tensorwright.keras.layers"]
)
def test_without_keras_the_error_says_what_to_install(use):
    printed = _run(f"""
import tensorwright as tf
class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "keras":
            raise ModuleNotFoundError("No module named 'keras'", name="keras")
sys.meta_path.insert(0, Hidden())
assert hasattr(tf, "keras")
try:
    {use}
except ImportError as error:
    print(error)
""")
    assert "pip install tensorwright[keras]" in printed


def test_importing_the_package_does_not_load_keras():
    printed = _run("""
import tensorwright as tf
hasattr(tf, "keras")
print(sorted(m for m in sys.modules if m.partition(".")[0] in ("keras", "h5py")))
""")
    assert printed == "[]\n"


def test_a_name_that_is_not_there_is_an_attribute_error():
    with pytest.raises(AttributeError, match="there is no tf.keras.nonsense"):
        tf.keras.nonsense
    with pytest.raises(AttributeError, match="there is no tf.keras.backend.nonsense"):
        tf.keras.backend.nonsense
