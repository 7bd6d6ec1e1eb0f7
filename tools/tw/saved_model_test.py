# SPDX-License-Identifier: Apache-2.0
"""tw saved-model: shows the contents of a SavedModel, and runs it."""

import io
import json

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.tools.tw import main, saved_model_values

_SERVING = "serving_default"


@pytest.fixture
def folder(tmp_path):
    """x, scale (3 by default) -> y = (x w) scale; words -> longer; x of a sparse tensor -> its double."""
    path = tmp_path / "model"
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [None, 2], name="x")
        scale = tf.placeholder(tf.float32, [], name="scale")
        w = tf.get_variable("w", initializer=[[1.0, 2.0], [3.0, 4.0]])
        y = tf.multiply(tf.matmul(x, w), scale, name="y")
        words = tf.placeholder(tf.string, [None], name="words")
        longer = tf.string_join([words, "!"], name="longer")
        sparse = tf.sparse_placeholder(tf.int32, name="sparse")
        twice = tf.SparseTensor(sparse.indices, sparse.values * 2, sparse.dense_shape)
        info = tf.saved_model.build_tensor_info
        predict = tf.saved_model.signature_constants.PREDICT_METHOD_NAME
        signatures = {
            _SERVING: tf.saved_model.build_signature_def(
                {"x": info(x), "scale": info(scale)},
                {"y": info(y)},
                predict,
                defaults={"scale": 3.0},
            ),
            "words": tf.saved_model.predict_signature_def(
                {"words": words}, {"longer": longer}
            ),
            "sparse": tf.saved_model.build_signature_def(
                {"s": info(sparse)}, {"twice": info(twice)}, predict
            ),
        }
        session.run(tf.global_variables_initializer())
        builder = tf.saved_model.Builder(str(path))
        builder.add_meta_graph_and_variables(session, ["serve"], signatures)
        builder.add_meta_graph(["serve", "gpu"], {"words": signatures["words"]})
        builder.save()
    return path


def run(capsys, *args):
    """Returns the exit status and the output."""
    status = main.main(["saved-model", *map(str, args)])
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def run_json(capsys, monkeypatch, values, *args):
    monkeypatch.setattr("sys.stdin", io.StringIO(json.dumps(values)))
    status, out, err = run(capsys, *args, "--run", "-")
    assert status == 0, err
    return json.loads(out)


def test_graphs_and_signatures_are_shown(folder, capsys):
    status, out, _ = run(capsys, folder)
    lines = out.splitlines()
    assert status == 0
    assert lines[0] == f"{folder}: 2 graphs, 1 variable of 16 B"
    assert [line.split(",")[0] for line in lines if line.startswith("tags")] == [
        "tags serve",
        "tags gpu serve",
    ]
    # The nodes that save and restore.
    assert "touch files read (MergeV2Checkpoints, RestoreV2)" in lines[1]
    assert "files written (MergeV2Checkpoints, SaveV2)" in lines[1]
    start = lines.index(f"  {_SERVING}: tensorflow/serving/predict")
    assert [line.split() for line in lines[start + 1 : start + 4]] == [
        "input scale float32 [] scale:0 has a default".split(),
        "input x float32 [?, 2] x:0".split(),
        "output y float32 [?, 2] y:0".split(),
    ]
    assert "input  s/values" in out and "sparse/values:0" in out


def test_a_text_file_and_ops_that_are_not_there(folder, capsys):
    from tensorwright.core.protobuf import saved_model_pb2

    path = folder / "saved_model.pb"
    model = saved_model_pb2.SavedModel.FromString(path.read_bytes())
    model.meta_graphs[0].graph_def.node.add(name="n", op="NeverHeardOf")
    (folder / "saved_model.pbtxt").write_text(str(model))
    path.unlink()
    status, out, _ = run(capsys, folder)
    assert status == 0 and "no op is called NeverHeardOf" in out


@pytest.mark.parametrize("dtype", [-1, 0])
def test_a_number_that_is_no_dtype_is_said(folder, capsys, dtype):
    from tensorwright.core.protobuf import saved_model_pb2

    path = folder / "saved_model.pb"
    model = saved_model_pb2.SavedModel.FromString(path.read_bytes())
    model.meta_graphs[0].signature_def["words"].inputs["words"].dtype = dtype
    path.write_bytes(model.SerializeToString())
    status, _, err = run(capsys, folder)
    assert status != 0 and "words has no dtype" in err and "Traceback" not in err


def test_a_signature_runs_on_json(folder, capsys, monkeypatch):
    x = [[1, 0], [1.5, 2]]
    serve = ("--tags", "serve")
    got = run_json(capsys, monkeypatch, {"x": x, "scale": 10}, folder, *serve)
    assert got == {"y": (np.dot(x, [[1, 2], [3, 4]]) * 10).tolist()}
    # Without tags it is the graph for serving, and the default of an input is used.
    got = run_json(capsys, monkeypatch, {"x": x}, folder)
    assert got == {"y": (np.dot(x, [[1, 2], [3, 4]]) * 3).tolist()}


def test_bytes_and_text_in_json(folder, capsys, monkeypatch):
    words = {"words": ["grün", {"b64": "/wA="}]}
    got = run_json(capsys, monkeypatch, words, folder, "--signature", "words")
    assert got == {"longer": ["grün!", {"b64": "/wAh"}]}


def test_sparse_tensors_are_fed_by_parts(folder, capsys, monkeypatch):
    parts = {"s/indices": [[0, 1]], "s/values": [4], "s/dense_shape": [1, 3]}
    got = run_json(capsys, monkeypatch, parts, folder, "--signature", "sparse")
    assert got == {
        "twice/indices": [[0, 1]],
        "twice/values": [8],
        "twice/dense_shape": [1, 3],
    }


def test_a_signature_runs_on_an_npz_file(folder, tmp_path, capsys):
    x = np.arange(6.0).reshape(3, 2)
    np.savez(tmp_path / "in.npz", x=x, scale=np.float32(0.5))
    out = tmp_path / "out.npz"
    assert run(capsys, folder, "--run", tmp_path / "in.npz", "--out", out)[0] == 0
    with np.load(out) as results:
        assert results["y"].dtype == np.float32
        np.testing.assert_array_equal(results["y"], x @ [[1, 2], [3, 4]] * 0.5)
    np.savez(tmp_path / "in.npz", words=np.array(["a", "grün"]))
    args = ["--run", tmp_path / "in.npz", "--out", out, "--signature", "words"]
    assert run(capsys, folder, *args)[0] == 0
    with np.load(out) as results:
        assert results["longer"].tolist() == ["a!", "grün!"]


@pytest.mark.parametrize(
    "values, args, words",
    [
        ("[1]", [], "needs an object"),
        ("{", [], "is not JSON"),
        ('{"x": [[1, 2]], "yy": 1}', [], "no input is called 'yy'; there are scale, x"),
        ("{}", [], "input 'x' is missing"),
        ('{"x": "text"}', [], "input 'x': float32 is needed"),
        ('{"x": [[1, 2], [3]]}', [], "input 'x'"),
        ('{"x": {"y": 1}}', [], "is no value"),
        ('{"x": [1, 2]}', [], "x:0"),
        ('{"words": [1]}', ["--signature", "words"], "strings are needed"),
        ("{}", ["--tags", "train"], "no graph has the tags train; serve or gpu,serve"),
        ("{}", ["--signature", "word"], "called 'word'; similar: words"),
        ("{}", ["--out", "x.txt"], "ends in .npz or .json"),
        (
            '{"s/indices": [[0, 0.5]], "s/values": [4], "s/dense_shape": [1, 3]}',
            ["--signature", "sparse"],
            "int64 does not have all of the values",
        ),
    ],
)
def test_what_cannot_be_run_is_said(folder, tmp_path, capsys, values, args, words):
    path = tmp_path / "in.json"
    path.write_text(values)
    status, out, err = run(capsys, folder, "--run", path, *args)
    assert (status, out) == (1, "")
    assert err.startswith("tw saved-model: ") and words in err


def test_files_that_are_not_what_they_should_be(folder, tmp_path, capsys):
    status, _, err = run(capsys, tmp_path)
    assert status == 1 and "has no saved_model.pb or" in err
    (tmp_path / "in.npz").write_bytes(b"no archive")
    status, _, err = run(capsys, folder, "--run", tmp_path / "in.npz")
    assert status == 1 and "no .npz file of arrays" in err
    np.savez(tmp_path / "in.npz", x=np.array([{}]))  # Would have to be unpickled.
    status, _, err = run(capsys, folder, "--run", tmp_path / "in.npz")
    assert status == 1 and "no .npz file of arrays" in err
    status, _, err = run(capsys, folder, "--run", tmp_path / "none.json")
    assert status == 1 and "none.json" in err


@pytest.mark.parametrize("suffix", ["npz", "json"])
def test_every_dtype_comes_back_from_a_file(suffix, tmp_path):
    path = str(tmp_path / f"values.{suffix}")
    given = {
        "half": np.array([1.5, -2], np.float16),
        "bfloat16": np.array([1.5, 3], tf.bfloat16.as_numpy_dtype),
        "int64": np.array([[2**62]]),
        "uint64": np.array(2**64 - 1, np.uint64),
        "bool": np.array([True, False]),
        "string": np.array([[b"a", b"\xff"]], object),
        "float32": np.zeros([0, 3], np.float32),
    }
    saved_model_values.write(path, given)
    got = saved_model_values.read(path)
    assert set(got) == set(given)
    for name, array in given.items():
        back = saved_model_values.as_dtype(got[name], name)
        np.testing.assert_array_equal(back, array.reshape(back.shape))
        assert back.dtype == array.dtype


def test_what_no_file_holds_is_refused(tmp_path):
    with pytest.raises(ValueError, match="complex"):
        saved_model_values.to_json({"z": np.array([1j])})
    with pytest.raises(ValueError, match="end in zero"):
        saved_model_values.write(
            str(tmp_path / "a.npz"), {"s": np.array([b"\xff\0"], object)}
        )
    with pytest.raises(ValueError, match="bool is needed"):
        saved_model_values.as_dtype([1, 0], "bool")
