# SPDX-License-Identifier: Apache-2.0
"""Tests of traceback filtering."""

import os
import subprocess
import sys

import pytest

import tensorwright as tf
from tensorwright.python.util import traceback_utils

_PROGRAM = """
import tensorwright as tf
{setup}
def of_the_program():
    return tf.matmul(tf.zeros([2, 3]), tf.zeros([2, 3]))
try:
    of_the_program()
except ValueError as error:
    raise RuntimeError("on top") from error
"""


def _stderr(tmp_path, setup):
    path = tmp_path / "program.py"
    path.write_text(_PROGRAM.format(setup=setup))
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    done = subprocess.run(
        [sys.executable, str(path)], capture_output=True, text=True, env=env, check=False
    )  # fmt: skip
    assert done.returncode == 1
    return done.stderr


def test_a_program_ends_with_its_own_frames(tmp_path):
    text = _stderr(tmp_path, "")
    assert "in of_the_program" in text and "RuntimeError: on top" in text
    assert "ValueError: MatMul: " in text
    assert "math_ops_matmul.py" not in text


def test_all_frames_when_it_is_off(tmp_path):
    text = _stderr(tmp_path, "tf.debugging.disable_traceback_filtering()")
    assert "in of_the_program" in text and "math_ops_matmul.py" in text


def test_another_hook_before_ours_is_called(tmp_path):
    text = _stderr(
        tmp_path,
        "import sys; mine = sys.excepthook\n"
        "sys.excepthook = lambda *a: (print('first', file=sys.stderr), mine(*a))",
    )
    assert text.startswith("first") and "math_ops_matmul.py" not in text


def test_the_switch():
    assert tf.debugging.is_traceback_filtering_enabled()
    tf.debugging.disable_traceback_filtering()
    assert not tf.debugging.is_traceback_filtering_enabled()
    tf.debugging.enable_traceback_filtering()
    assert tf.debugging.is_traceback_filtering_enabled()


def test_an_error_keeps_its_traceback():
    with tf.Graph().as_default(), pytest.raises(ValueError) as caught:
        tf.matmul(tf.zeros([2, 3]), tf.zeros([2, 3]))
    error = caught.value
    whole = error.__traceback__
    names = []

    def show(kind, value, traceback):
        while traceback is not None:
            names.append(traceback.tb_frame.f_code.co_filename)
            traceback = traceback.tb_next

    outer, traceback_utils._next_hook = traceback_utils._next_hook, show
    try:
        traceback_utils._hook(type(error), error, whole)
    finally:
        traceback_utils._next_hook = outer
    assert error.__traceback__ is whole
    assert names and all(name.endswith("_test.py") for name in names)
