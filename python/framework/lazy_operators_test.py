# SPDX-License-Identifier: Apache-2.0
"""Operators and lists of tensors work as the first thing that a program does after the import."""

import subprocess
import sys

import pytest

import tensorwright as tf


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("x + 2", 5),
        ("2 - x", -1),
        ("-x", -3),
        ("abs(x)", 3),
        ("x ** 2", 9),
        ("x < 4", True),
        ("tf.convert_to_tensor([x, 4])", "[3 4]"),
    ],
)
def test_an_operator_is_the_first_op_of_a_program(expression, value):
    program = (
        "import tensorwright as tf\n"
        "x = tf.constant(3)\n"
        f"print(tf.Session().run({expression}))"
    )
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert run.stdout.strip() == str(value), run.stderr


def test_tensors_stay_keys():
    with tf.Graph().as_default():
        x = tf.constant(1)
        assert x == x and {x: 1}[x] == 1
