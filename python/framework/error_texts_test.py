# SPDX-License-Identifier: Apache-2.0
"""Errors name what a user wrote: the input, the public name, a shape as a shape."""

import subprocess
import sys

import pytest

import tensorwright as tf


def test_a_shape_is_not_taken_for_a_value():
    with tf.Graph().as_default():
        words = r"dimension 5 .* input shapes: \[2,3\], \[\] .* input\[1\] = <5>"
        with pytest.raises(ValueError, match=words):
            tf.reduce_sum(tf.ones([2, 3]), 5)


def test_a_dtype_that_is_not_allowed_is_an_inputs():
    with tf.Graph().as_default():
        with pytest.raises(
            TypeError, match="parameter 'a' of op 'MatMul' has DataType"
        ):
            tf.matmul(tf.constant([["a"]]), tf.constant([["b"]]))
        with pytest.raises(TypeError, match="parameter 'features' of op 'Relu' has"):
            tf.nn.relu("a")
        # A dtype that the caller names belongs to an attr: the error names the attr.
        with pytest.raises(TypeError, match="parameter 'out_type' of op 'Shape' has"):
            tf.shape(tf.placeholder(tf.int32), out_type=tf.float32)
        graph_def = tf.GraphDef()
        x = graph_def.node.add(name="x", op="Placeholder")
        x.attr["dtype"].type = tf.string.as_datatype_enum
        y = graph_def.node.add(name="y", op="Relu", input=["x"])
        y.attr["T"].type = tf.string.as_datatype_enum
        with pytest.raises(
            (ValueError, tf.errors.InvalidArgumentError),
            match="'y': Relu: attr 'T', the dtype of input 'features', must be one of",
        ):
            tf.import_graph_def(graph_def, name="")


@pytest.mark.parametrize("module", ["train", "nn", "layers"])
def test_a_name_that_is_missing_is_called_by_its_public_module(module):
    with pytest.raises(AttributeError, match=f"there is no tf.{module}.NoSuchThing"):
        getattr(tf, module).NoSuchThing  # noqa: B018
    assert not hasattr(getattr(tf, module), "NoSuchThing")


@pytest.mark.parametrize("kind", ["ImportError", "ModuleNotFoundError"])
def test_a_module_that_cannot_be_imported_says_why(kind):
    lost = "tensorwright.python.training.checkpoint_management"
    program = (
        "import sys\n"
        "import tensorwright as tf\n"
        "class Loses:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        f"        if name == {lost!r}:\n"
        f"            raise {kind}('cannot read ' + name, name=name)\n"
        "sys.meta_path.insert(0, Loses())\n"
        "tf.train\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert run.stderr.splitlines()[-1] == f"{kind}: cannot read {lost}"
