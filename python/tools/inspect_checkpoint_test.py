# SPDX-License-Identifier: Apache-2.0
"""inspect_checkpoint prints the tensors of a checkpoint."""

import argparse

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.tools import inspect_checkpoint


@pytest.fixture
def path(tmp_path):
    with tf.Graph().as_default(), tf.Session() as session:
        tf.Variable([[1.5, 2.5]], name="w")
        tf.Variable(7, name="step")
        session.run(tf.global_variables_initializer())
        return tf.train.Saver().save(session, str(tmp_path / "model"))


def _printed(capsys, *flags):
    assert inspect_checkpoint.main(list(flags)) == 0
    return capsys.readouterr().out.splitlines()


def test_names_values_or_one_value_are_printed(path, capsys):
    count = "# Total number of params: 3"
    names = ["tensor_name: step; dtype: int32", "tensor_name: w; dtype: float32"]
    file = f"--file_name={path}"
    assert _printed(capsys, file, "--all_tensor_names") == [*names, count]
    values = [names[0], "7", names[1], "[[1.5 2.5]]", count]
    assert _printed(capsys, file, "--all_tensors=true") == values
    assert _printed(capsys, file, "--tensor_name=w") == [
        "tensor_name: w",
        "[[1.5 2.5]]",
        count,
    ]
    listed = _printed(capsys, file, "--count_exclude_pattern=^w$")
    assert "w (DT_FLOAT) [1,2]" in listed and listed[-1].endswith(": 1")


def test_errors_are_printed(path, capsys):
    (text,) = _printed(capsys, "--file_name=/nowhere/model")
    assert "/nowhere/model" in text
    inspect_checkpoint.print_tensors_in_checkpoint_file(path, "z", False)
    assert "z" in capsys.readouterr().out.splitlines()[1]
    assert inspect_checkpoint.main([]) == 1


def test_options_of_numpy_are_set(path, capsys):
    with np.printoptions():
        out = _printed(capsys, f"--file_name={path}", "--tensor_name=w", "--printoptions", "precision=0")  # fmt: skip # noqa: E501
        assert out[1] == "[[2. 2.]]"
        inspect_checkpoint.parse_numpy_printoption("suppress=true")
        assert np.get_printoptions()["suppress"] is True
    for text, words in (
        ("precision", "not in the form k=v"),
        ("nothing=1", "'nothing' is not a valid printoption"),
        ("precision=x", "invalid literal"),
        ("formatter=x", "cannot be given as text"),
    ):
        with pytest.raises(argparse.ArgumentTypeError, match=words):
            inspect_checkpoint.parse_numpy_printoption(text)
