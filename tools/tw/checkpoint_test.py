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


def save(path, **arrays):
    """A checkpoint of these arrays."""
    with tf.Graph().as_default(), tf.Session() as session:
        for name, array in arrays.items():
            tf.Variable(array, name=name)
        session.run(tf.global_variables_initializer())
        return tf.train.Saver().save(session, str(path))


def diff(capsys, *args):
    status = main.main(["checkpoint", *args])
    captured = capsys.readouterr()
    return status, captured.out.splitlines(), captured.err


def test_two_checkpoints_are_compared(tmp_path, capsys):
    w = np.arange(6, dtype=np.float32).reshape(2, 3)
    same = {"same": np.array([np.nan, np.inf], np.float32), "empty": np.zeros([0, 2])}
    a = save(tmp_path / "a", w=w, step=7, words=["a", "b"], gone=1.0, **same)
    moved = w.copy()
    moved[1, 1] -= 0.5
    moved[0, 2] += 3
    b = save(tmp_path / "b", w=moved, step=9, words=["a", "c"], new=[1], **same)
    status, lines, _ = diff(capsys, a, b)
    assert status == 1
    assert lines == [
        f"only in {a}: gone  float32 []",
        f"only in {b}: new  int32 [1]",
        "differs: w  float32 [2, 3]: 2 of 6 elements, most by 3 at [0, 2]: 2.0 against 5.0",
        "differs: step  int32 []: 7 against 9",
        "differs: words  string [2]: 1 of 2 elements, the first at [1]: b'b' against b'c'",
        "2 tensors are equal",
    ]
    assert diff(capsys, a, a) == (0, ["6 tensors are equal"], "")


def test_other_kinds_of_tensors_are_not_compared_by_value(tmp_path, capsys):
    a = save(tmp_path / "a", x=np.zeros([2], np.float32), y=np.int32(1))
    b = save(tmp_path / "b", x=np.zeros([3], np.float32), y=np.int64(1))
    assert diff(capsys, a, b)[1] == [
        "differs: x  float32 [2] against float32 [3]",
        "differs: y  int32 [] against int64 []",
        "0 tensors are equal",
    ]


def test_extreme_values_are_compared(tmp_path, capsys):
    big = np.iinfo(np.int64)
    a = save(tmp_path / "a", n=np.array([1.0, np.nan]), i=np.array([big.min, 1]))
    b = save(tmp_path / "b", n=np.array([1.0, 2.0]), i=np.array([big.max, 1]))
    assert diff(capsys, a, b)[1] == [
        "differs: n  float64 [2]: 1 of 2 elements, most by inf at [1]: nan against 2.0",
        f"differs: i  int64 [2]: 1 of 2 elements, most by 1.84467e+19 at [0]: "
        f"{big.min} against {big.max}",
        "0 tensors are equal",
    ]


def test_formats_are_compared_with_each_other(tmp_path, capsys):
    with tf.Graph().as_default(), tf.Session() as session:
        tf.Variable(tf.ones([3]), name="w")
        session.run(tf.global_variables_initializer())
        v1 = tf.train.Saver(write_version=tf.train.SaverDef.V1)
        a = v1.save(session, str(tmp_path / "a"))
        b = tf.train.Saver(sharded=True).save(session, str(tmp_path / "b"))
    assert diff(capsys, a, b) == (0, ["1 tensor is equal"], "")


def test_what_cannot_be_compared_is_trouble(folder, tmp_path, capsys):
    status, _, err = diff(capsys, str(folder), str(tmp_path / "nowhere"))
    assert status == 2 and "no checkpoint is at" in err
    other = save(tmp_path / "other", w=np.zeros([784, 10], np.float32))
    (data,) = tmp_path.glob("other.data*")
    data.write_bytes(data.read_bytes()[:-1])
    status, _, err = diff(capsys, str(folder), other)
    assert status == 2 and "other" in err
    assert diff(capsys, other, other, "--verify")[0] == 2


def test_a_folder_without_its_list_says_which_checkpoints_are_there(folder, capsys):
    (folder / "checkpoint").unlink()
    assert main.main(["checkpoint", str(folder)]) == 1
    err = capsys.readouterr().err
    assert f"{folder}/checkpoint, is missing; there are {folder}/model-7\n" in err
    (folder / "empty").mkdir()
    assert main.main(["checkpoint", str(folder / "empty")]) == 1
    assert capsys.readouterr().err.endswith("empty/checkpoint, is missing\n")


def test_a_file_of_a_checkpoint_means_all_of_it(folder, capsys):
    for path in folder.glob("model-7.*"):
        assert main.main(["checkpoint", str(path)]) == 0
        assert f"{folder}/model-7, V2, 3 tensors" in capsys.readouterr().out


def test_a_path_that_is_close_to_a_checkpoint_suggests_it(folder, capsys):
    assert main.main(["checkpoint", str(folder / "modl-7")]) == 1
    assert capsys.readouterr().err.endswith(f"; similar: {folder}/model-7\n")


def test_a_data_file_that_is_missing_is_told_once(folder, capsys):
    (data,) = folder.glob("*.data*")
    data.unlink()
    assert main.main(["checkpoint", str(folder), "--verify"]) == 1
    captured = capsys.readouterr()
    assert captured.err.count(str(data)) == 1 and "is missing" in captured.err
    assert "3 tensors are broken" in captured.out
