# SPDX-License-Identifier: Apache-2.0
"""tw checkpoint: lists, verifies and prints."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.tools.tw import checkpoint, main


@pytest.fixture
def folder(tmp_path):
    with tf.Graph().as_default(), tf.Session() as session:
        tf.Variable(np.zeros([784, 10], np.float32), name="w")
        tf.Variable(np.int64(7), name="step")
        tf.Variable(["a", "b"], name="words")
        session.run(tf.global_variables_initializer())
        tf.train.Saver().save(session, str(tmp_path / "model"), 7)
    return tmp_path


def test_tensors_are_listed(folder, capsys):
    for path in (str(folder), str(folder / "model-7")):
        assert main.main(["checkpoint", path, "--verify"]) == 0
        assert capsys.readouterr().out.splitlines() == [
            f"{folder}/model-7, V2, 3 tensors, 31.37 kB",
            "step  int64 []             8 B",
            "w  float32 [784, 10]  31.36 kB",
            "words  string [2]",
            "every checksum is right",
        ]


def test_values_are_printed(folder, capsys):
    assert main.main(["checkpoint", str(folder), "--tensor", "step"]) == 0
    assert capsys.readouterr().out == "7\n"
    assert main.main(["checkpoint", str(folder), "--tensor", "none"]) == 1
    assert "no tensor is called 'none'; without" in capsys.readouterr().err
    assert main.main(["checkpoint", str(folder), "--tensor", "stop"]) == 1
    assert "no tensor is called 'stop'; similar: step" in capsys.readouterr().err


def test_what_is_broken_is_named(folder, capsys):
    (data,) = folder.glob("*.data*")
    whole = data.read_bytes()
    data.write_bytes(whole[:20] + b"x" + whole[21:])
    assert main.main(["checkpoint", str(folder), "--verify"]) == 1
    captured = capsys.readouterr()
    assert "tensor 'w'" in captured.err and "1 tensors are broken" in captured.out
    assert main.main(["checkpoint", str(folder / "nowhere")]) == 1
    assert "no checkpoint is at" in capsys.readouterr().err


def test_sizes_have_units():
    sizes = [checkpoint.size_text(n) for n in (0, 999, 1000, 31400, 2.5e9, 3e15)]
    assert sizes == ["0 B", "999 B", "1 kB", "31.4 kB", "2.5 GB", "3000 TB"]
