# SPDX-License-Identifier: Apache-2.0
"""Modules are imported by the paths under which they are attributes of `tf`."""

import importlib
import subprocess
import sys

import pytest

import tensorwright as tf
from tensorwright.python.ops import nn


def test_an_attribute_that_is_a_module_is_imported_by_its_path():
    import tensorwright.nn as by_path
    from tensorwright.nn import relu
    from tensorwright.train import Saver

    assert by_path is nn is tf.nn and relu is tf.nn.relu and Saver is tf.train.Saver
    assert nn.__name__ == nn.__spec__.name == "tensorwright.python.ops.nn"
    assert nn.__package__ == "tensorwright.python.ops"
    assert sys.modules["tensorwright.nn"] is nn


@pytest.mark.parametrize("name", ["nosuch", "nn.nosuch", "nosuch.nn", "errors.a.b"])
def test_a_path_that_leads_nowhere_is_a_missing_module(name):
    with pytest.raises(ModuleNotFoundError, match="tensorwright"):
        importlib.import_module(f"tensorwright.{name}")


def test_a_module_says_what_it_lacks_however_it_was_imported_first():
    program = (
        "import tensorwright.estimator\n"
        "import tensorwright as tf\n"
        "print(tf.estimator.experimental.__name__)\n"
        "try:\n    tf.estimator.nosuch\n"
        "except AttributeError as error:\n    print(error)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    name, error = done.stdout.splitlines()
    assert name == "tensorwright.contrib.estimator.experimental_ns"
    assert error.startswith("there is no tf.estimator.nosuch")
