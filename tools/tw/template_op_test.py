# SPDX-License-Identifier: Apache-2.0
"""The op that `tw new-op` writes, built, loaded and used, and the module that load_op_library makes for it."""

import inspect
import os
import pathlib
import shutil
import subprocess
import sys

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python import _pywrap

HERE = pathlib.Path(__file__).parent


def _template(name):
    text = (HERE / "templates" / "op" / name).read_text()
    return text.replace("OpName", "TemplateOp").replace("op_name", "template_op")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("op")
    shutil.copy(HERE / "libtemplate_op.so", folder)
    for name in ("op_name.py", "op_name_test.py"):
        (folder / name.replace("op_name", "template_op")).write_text(_template(name))
    return folder


@pytest.fixture(scope="module")
def ops(folder):
    return tf.load_op_library(folder / "libtemplate_op.so")


def test_the_wrapper_is_typed_documented_and_readable(ops):
    parameters = inspect.signature(ops.template_op).parameters
    assert list(parameters) == ["x", "scale", "name"]
    assert parameters["scale"].annotation == "float"
    assert parameters["scale"].default == 1.0
    doc = inspect.getdoc(ops.template_op)
    assert doc.startswith("Multiplies x by scale.")
    assert "x: A `Tensor` of `float32` or `float64`. Of any shape." in doc
    assert "def template_op(" in inspect.getsource(ops.template_op)
    assert [op.name for op in ops.OP_LIST.op] == ["TemplateOp"]


def test_it_says_that_it_touches_nothing(ops):
    registered = _pywrap.op_registration("TemplateOp")
    assert registered["touches"] == [] == registered["needs"]
    assert registered["library"].endswith("libtemplate_op.so")


def test_the_library_is_loaded_once(ops, folder):
    assert tf.load_op_library(str(folder / "libtemplate_op.so")) is ops


def test_the_gradients_of_the_py_beside_are_there(ops, folder):
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.constant([1.0, 2.0])
        y = ops.template_op(x, scale=3.0)
        value, slope = session.run([y, tf.gradients(y, x)[0]])
    np.testing.assert_array_equal(value, [3, 6])
    np.testing.assert_array_equal(slope, [3, 3])
    assert sys.modules["template_op"].__file__ == str(folder / "template_op.py")


def test_explain_leads_to_the_kernel(ops):
    with tf.Graph().as_default():
        explanation = tf.explain(ops.template_op([1.0], name="y"))
    (chain,) = explanation.chains
    assert chain.op.file.endswith("template_op.cc")
    assert chain.gradient.name == "_template_op_grad"
    assert chain.wrapper.name.endswith("template_op")
    (kernel,) = chain.kernels
    assert kernel.place.name == "TemplateOpOp<float>"
    assert explanation.path[0].file == __file__


def test_a_failing_run_names_the_kernel(ops):
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, name="x")
        y = ops.template_op(x)
        with pytest.raises(tf.errors.InvalidArgumentError) as caught:
            session.run(y)
    # The placeholder fails: the chain is its own.
    assert "core/kernels/" in str(caught.value)


def test_the_generated_test_passes(folder):
    path = os.pathsep.join([str(folder), *filter(None, sys.path)])
    done = subprocess.run(
        [sys.executable, "template_op_test.py"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "OK" in done.stderr


def test_what_fails_in_the_py_beside_is_raised_and_forgotten(folder, tmp_path):
    shutil.copy(folder / "libtemplate_op.so", tmp_path / "libbroken.so")
    (tmp_path / "broken.py").write_text("raise ImportError('no')\n")
    code = "import tensorwright as tf, sys; tf.load_op_library('./libbroken.so')"
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "ImportError: no" in done.stderr
