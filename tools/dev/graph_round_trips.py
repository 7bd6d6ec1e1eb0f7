# SPDX-License-Identifier: Apache-2.0
"""SavedModels, meta graphs and event files go to TensorFlow and come back.

Usage: ./run tools/dev/graph_round_trips.py

Each side writes in a process of its own, and each reads the files of both: models are run, graphs imported with their
variables and collections, events compared value by value.
"""

import os
import pathlib
import subprocess
import sys
import tempfile

import checkpoint_round_trips as checkpoints
import numpy as np

# Given to the model, which multiplies by the weights and adds a looked-up constant.
X = np.arange(6, dtype=np.float32).reshape(2, 3)
WEIGHTS = np.array([[1, -1], [2, 0.5], [0, 3]], np.float32)
WANT = X @ WEIGHTS + 0.25


def model(tf):
    """x, y and a saver; a loop, a condition, a partitioned variable and collections are in the graph too."""
    x = tf.placeholder(tf.float32, [None, 3], name="x")
    parts = tf.fixed_size_partitioner(3)
    with tf.variable_scope("", partitioner=parts):
        weights = tf.get_variable("weights", initializer=tf.constant(WEIGHTS))
    resource = tf.get_variable("bias", initializer=0.25, use_resource=True)
    looped = tf.while_loop(
        lambda i: i < 5, lambda i: tf.subtract(i, -1), [tf.constant(0)]
    )
    zero = tf.cond(looped > 4, lambda: tf.constant(0.0), lambda: tf.constant(9.0))
    # Not by a sum: TensorFlow's is AddV2, which the list of 1.3 does not have.
    bias = tf.subtract(tf.negative(resource), zero)
    y = tf.subtract(tf.matmul(x, weights), bias, name="y")
    tf.add_to_collection("results", y)
    tf.add_to_collection("numbers", 7)
    tf.train.create_global_step()
    return x, y


def write(name: str, folder: str) -> None:
    tf = checkpoints.library(name)
    with tf.Graph().as_default(), tf.Session() as session:
        x, y = model(tf)
        session.run(tf.global_variables_initializer())
        asset = pathlib.Path(folder, "words.txt")
        asset.write_text("one\ntwo\n")
        path = tf.constant(str(asset), name="asset")
        tf.add_to_collection(tf.GraphKeys.ASSET_FILEPATHS, path)
        builder = tf.saved_model.builder.SavedModelBuilder(f"{folder}/saved")
        signature = tf.saved_model.signature_def_utils.predict_signature_def(
            {"x": x}, {"y": y}
        )
        builder.add_meta_graph_and_variables(
            session,
            ["serve", "cpu"],
            {"serving_default": signature},
            assets_collection=[path],
        )
        builder.save()
        builder.save(as_text=True)
        tf.train.Saver().save(session, f"{folder}/graph/model", write_state=False)
    write_events(tf, f"{folder}/events")


def write_events(tf, folder: str) -> None:
    with tf.Graph().as_default() as graph, tf.Session() as session:
        x = tf.placeholder(tf.float32, [None], name="x")
        tf.summary.scalar("average", tf.reduce_mean(x))
        tf.summary.histogram("spread", x)
        tf.summary.image("image", tf.reshape(x[:64], [1, 8, 8, 1]))
        tf.summary.audio("sound", tf.reshape(x, [1, -1]), 8000.0)
        tf.summary.text("text", tf.constant(["a", "b"]))
        merged = tf.summary.merge_all()
        writer = tf.summary.FileWriter(folder, graph)
        for step in range(3):
            feed = {x: np.linspace(-1, step, 100, dtype=np.float32)}
            writer.add_summary(session.run(merged, feed), step)
        writer.add_session_log(tf.SessionLog(status=tf.SessionLog.START), 3)
        writer.close()


def read(name: str, folder: str) -> None:
    tf = checkpoints.library(name)
    with tf.Graph().as_default(), tf.Session() as session:
        loaded = tf.saved_model.loader.load(
            session, ["serve", "cpu"], f"{folder}/saved"
        )
        signature = loaded.signature_def["serving_default"]
        got = session.run(signature.outputs["y"].name, {signature.inputs["x"].name: X})
        np.testing.assert_allclose(got, WANT)
        (asset,) = tf.get_collection(tf.GraphKeys.ASSET_FILEPATHS)
        text = pathlib.Path(session.run(asset).decode()).read_text()
        assert text == "one\ntwo\n"
    with tf.Graph().as_default(), tf.Session() as session:
        functions = tf.saved_model.load_v2(f"{folder}/saved").signatures
        y = functions["serving_default"](x=tf.constant(X))["y"]
        session.run(tf.global_variables_initializer())
        np.testing.assert_allclose(session.run(y), WANT)
    with tf.Graph().as_default(), tf.Session() as session:
        saver = tf.train.import_meta_graph(f"{folder}/graph/model.meta")
        saver.restore(session, f"{folder}/graph/model")
        (y,) = tf.get_collection("results")
        np.testing.assert_allclose(session.run(y, {"x:0": X}), WANT)
        assert tf.get_collection("numbers") == [7]
        assert len(tf.global_variables()) == 5
        assert session.run(tf.train.get_global_step()) == 0
    read_events(tf, f"{folder}/events")


def read_events(tf, folder: str) -> None:
    (path,) = pathlib.Path(folder).glob("*tfevents*")
    seen: dict[str, list] = {}
    for event in tf.train.summary_iterator(str(path)):
        seen.setdefault(event.WhichOneof("what"), []).append(event)
    nodes = tf.GraphDef.FromString(seen["graph_def"][0].graph_def).node
    assert {"x", "average", "spread"} <= {node.name for node in nodes}
    (log,) = seen["session_log"]
    assert log.step == 3 and log.session_log.status == tf.SessionLog.START
    assert [e.step for e in seen["summary"]] == [0, 1, 2]
    for event in seen["summary"]:
        values = {v.tag: v for v in event.summary.value}
        x = np.linspace(-1, event.step, 100, dtype=np.float32)
        np.testing.assert_allclose(values["average"].simple_value, x.mean(), atol=1e-6)
        histogram = values["spread"].histo
        assert (histogram.num, histogram.min) == (100, -1)
        assert sum(histogram.bucket) == 100
        image = values["image/image"].image if "image/image" in values else None
        image = image or values["image/image/0"].image
        assert (image.height, image.width, image.colorspace) == (8, 8, 1)
        sound = next(v.audio for tag, v in values.items() if tag.startswith("sound"))
        assert sound.length_frames == 100 and sound.encoded_audio_string[:4] == b"RIFF"
        text = next(v for tag, v in values.items() if tag.startswith("text"))
        assert tf.make_ndarray(text.tensor).tolist() == [b"a", b"b"]


def main() -> int:
    if len(sys.argv) > 1:
        do, name, folder = sys.argv[1:]
        {"write": write, "read": read}[do](name, folder)
        return 0
    sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "difftest"))
    import peer_venv

    pythons = {"tensorwright": sys.executable, "tensorflow": peer_venv.python()}
    with tempfile.TemporaryDirectory() as folder:
        for writer, python in pythons.items():
            os.mkdir(f"{folder}/{writer}")
            call(python, "write", writer, f"{folder}/{writer}")
        for writer in pythons:
            for reader, python in pythons.items():
                call(python, "read", reader, f"{folder}/{writer}")
                print(f"{reader} reads what {writer} wrote: model, graph, events")
    return 0


def call(python: str, *arguments: str) -> None:
    subprocess.run([python, os.path.abspath(__file__), *arguments], check=True)


if __name__ == "__main__":
    sys.exit(main())
