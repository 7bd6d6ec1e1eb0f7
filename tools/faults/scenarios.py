# SPDX-License-Identifier: Apache-2.0
"""The programs that faults.py runs with a call failing, and what each must leave; scenario.py says what one is."""

from __future__ import annotations

import pathlib
from typing import Any

import numpy as np
from scenario import Scenario
from scenarios_checkpoints import (
    Restore,
    RestoreV1,
    Save,
    SaveShards,
    SaveV1,
)

import tensorwright as tf


class Events(Scenario):
    """A FileWriter writes summaries and a graph."""

    def run(self) -> None:
        graph = tf.Graph()
        with graph.as_default():
            tf.constant(1.0, name="one")
        writer = tf.summary.FileWriter("events", graph)
        try:
            for step in range(5):
                value = tf.Summary.Value(tag="loss", simple_value=step)
                writer.add_summary(tf.Summary(value=[value]), step)
            writer.flush()
        finally:
            writer.close()

    def check(self, result: None) -> None:
        newest = max(pathlib.Path("events").iterdir())
        assert self._steps(newest) == list(range(5)), newest
        self.left()

    def left(self) -> None:
        # A file has all that was written, up to the record that failed.
        for path in pathlib.Path("events").glob("*"):
            steps = self._steps(path)
            assert steps == list(range(len(steps))), steps

    def _steps(self, path: pathlib.Path) -> list[int]:
        steps = []
        try:
            for event in tf.train.summary_iterator(str(path)):
                steps += [event.step] if event.summary.value else []
        except tf.errors.DataLossError:
            pass
        return steps


class Records(Scenario):
    """Records are written, plain and compressed, and read."""

    options: Any = None

    def run(self) -> list[bytes]:
        kind = tf.python_io.TFRecordCompressionType
        found = []
        for compression in (kind.NONE, kind.GZIP, kind.ZLIB):
            options = tf.python_io.TFRecordOptions(compression)
            with tf.python_io.TFRecordWriter("records", options) as writer:
                for i in range(20):
                    writer.write(b"%d" % i * 1000)
            found += tf.python_io.tf_record_iterator("records", options)
        return found

    def check(self, result: list[bytes]) -> None:
        assert result == [b"%d" % i * 1000 for i in range(20)] * 3, len(result)


class Datasets(Scenario):
    """Datasets read files of all kinds; what cannot be read must not look like the end."""

    count = 0

    def prepare(self) -> None:
        for k in range(2):
            with tf.python_io.TFRecordWriter(f"r{k}") as writer:
                for i in range(10):
                    writer.write(b"%d" % (10 * k + i))
            lines = "\n".join(str(10 * k + i) for i in range(10))
            pathlib.Path(f"t{k}").write_text(lines)
            pathlib.Path(f"f{k}").write_bytes(
                b"".join(b"%02d" % (10 * k + i) for i in range(10))
            )
        self.graph = tf.Graph()
        with self.graph.as_default():
            self.cached = tf.placeholder(tf.string, [])
            data = tf.data
            made = [
                data.TFRecordDataset(["r0", "r1"]),
                data.TextLineDataset(["t0", "t1"]),
                data.FixedLengthRecordDataset(["f0", "f1"], 2),
                data.Dataset.list_files("t*", shuffle=False).map(tf.read_file),
                data.TFRecordDataset(["r0", "r1"], num_parallel_reads=2),
                data.Dataset.range(10).map(tf.as_string).cache(self.cached),
            ]
            iterators = [dataset.make_initializable_iterator() for dataset in made]
            self.starts = [iterator.initializer for iterator in iterators]
            self.nexts = [iterator.get_next() for iterator in iterators]
        self.session = tf.Session(graph=self.graph)

    def run(self) -> list[list[bytes]]:
        # An iterator that failed keeps its file until the next one is made.
        self.count += 1
        cached = {self.cached: f"cached{self.count}"}
        found = []
        for start, one in zip(self.starts, self.nexts):
            # Twice: what a cache has written is read.
            for _ in range(2):
                self.session.run(start, cached)
                found.append([])
                try:
                    while True:
                        found[-1].append(self.session.run(one))
                except tf.errors.OutOfRangeError:
                    pass
        return found

    def check(self, result: list[list[bytes]]) -> None:
        numbers = [b"%d" % i for i in range(20)]
        wanted = [numbers, numbers, [b"%02d" % i for i in range(20)]]
        for i, rows in enumerate(wanted):
            assert result[2 * i] == result[2 * i + 1] == rows, (i, result[2 * i])
        texts = [b"\n".join(numbers[:10]), b"\n".join(numbers[10:])]
        assert result[6] == result[7] == texts, result[6]
        assert sorted(result[8]) == sorted(result[9]) == sorted(numbers), result[8]
        assert result[10] == result[11] == numbers[:10], result[10:]

    def close(self) -> None:
        self.session.close()


class Models(Scenario):
    """A SavedModel is exported, loaded and run."""

    count = 0

    def run(self) -> Any:
        self.count += 1
        folder = f"model{self.count}"
        pathlib.Path("words").write_text("a\nb\n")
        with tf.Graph().as_default(), tf.Session() as session:
            x = tf.placeholder(tf.float32, [None], name="x")
            y = tf.add(
                x * tf.get_variable("v", [], initializer=tf.ones_initializer()),
                1.0,
                name="y",
            )
            asset = tf.constant("words", name="asset")
            tf.add_to_collection(tf.GraphKeys.ASSET_FILEPATHS, asset)
            session.run(tf.global_variables_initializer())
            builder = tf.saved_model.builder.SavedModelBuilder(folder)
            signature = tf.saved_model.signature_def_utils.predict_signature_def(
                {"x": x}, {"y": y}
            )
            builder.add_meta_graph_and_variables(
                session,
                ["serve"],
                {"serving_default": signature},
                assets_collection=tf.get_collection(tf.GraphKeys.ASSET_FILEPATHS),
            )
            builder.save()
        with tf.Graph().as_default(), tf.Session() as session:
            tf.saved_model.loader.load(session, ["serve"], folder)
            words = session.run(
                tf.read_file(session.graph.get_tensor_by_name("asset:0"))
            )
            return session.run("y:0", {"x:0": [1.0, 2.0]}).tolist(), words

    def check(self, result: Any) -> None:
        assert result == ([2.0, 3.0], b"a\nb\n"), result


def _raise(error: Exception) -> None:
    raise error


class Files(Scenario):
    """The functions of gfile, and ops that read and write whole files."""

    # Exists and IsDirectory are False for what cannot be looked at, as TensorFlow's are.
    absent = ("access", "stat")

    def prepare(self) -> None:
        self.graph = tf.Graph()
        with self.graph.as_default():
            self.write = tf.write_file("made/by_op", tf.constant("text"))
            self.read = tf.read_file("made/by_op")
            self.match = tf.matching_files("made/*")
        self.session = tf.Session(graph=self.graph)

    def run(self) -> Any:
        if tf.gfile.Exists("made"):
            tf.gfile.DeleteRecursively("made")
        tf.gfile.MakeDirs("made/inner")
        with tf.gfile.GFile("made/file", "w") as file:
            file.write("abc" * 1000)
        tf.gfile.Copy("made/file", "made/copy", overwrite=True)
        tf.gfile.Rename("made/copy", "made/inner/moved", overwrite=True)
        with tf.gfile.GFile("made/inner/moved") as file:
            text = file.read()
        self.session.run(self.write)
        read = self.session.run(self.read)
        match = sorted(self.session.run(self.match))
        size = tf.gfile.Stat("made/file").length
        tree = tf.io.gfile.walk("made", onerror=_raise)
        walked = sorted(name for _, _, files in tree for name in files)
        tf.gfile.Remove("made/file")
        return text, read, match, size, walked, sorted(tf.gfile.ListDirectory("made"))

    def check(self, result: Any) -> None:
        text, read, match, size, walked, listed = result
        assert text == "abc" * 1000 and read == b"text" and size == 3000
        assert match == [b"made/by_op", b"made/file", b"made/inner"], match
        assert walked == ["by_op", "file", "moved"], walked
        assert [name.rstrip("/") for name in listed] == ["by_op", "inner"], listed

    def close(self) -> None:
        self.session.close()


class Threads(Scenario):
    """A session of its own threads computes, and datasets that have threads feed it."""

    kinds = ("threads", "memory")

    def run(self) -> Any:
        with tf.Graph().as_default():
            dataset = tf.data.Dataset.range(20).map(
                lambda x: x * 2, num_parallel_calls=2
            )
            dataset = dataset.batch(5).prefetch(2)
            one = dataset.make_one_shot_iterator().get_next()
            total = tf.matmul(tf.ones([300, 200]), tf.ones([200, 300]))
            config = tf.ConfigProto(
                intra_op_parallelism_threads=3,
                inter_op_parallelism_threads=3,
                use_per_session_threads=True,
            )
            with tf.Session(config=config) as session:
                found = [session.run(one).tolist() for _ in range(4)]
                return found, float(session.run(total).max())

    def check(self, result: Any) -> None:
        found, most = result
        assert sum(found, []) == list(range(0, 40, 2)) and most == 200.0, result


class Train(Scenario):
    """A convolutional network takes steps; memory that is not there ends a step, and no variable is half of it."""

    kinds = ("memory",)

    def prepare(self) -> None:
        self.graph = tf.Graph()
        with self.graph.as_default():
            tf.set_random_seed(1)
            images = tf.random_normal([8, 12, 12, 3], seed=2)
            layer = tf.layers.conv2d(images, 8, 3, activation=tf.nn.relu)
            layer = tf.layers.max_pooling2d(layer, 2, 2)
            logits = tf.layers.dense(tf.layers.flatten(layer), 5)
            texts = tf.string_join([tf.as_string(tf.argmax(logits, 1)), "x"])
            self.loss = tf.losses.sparse_softmax_cross_entropy(
                tf.zeros([8], tf.int32), logits
            )
            self.train = tf.train.AdamOptimizer().minimize(self.loss)
            self.texts = texts
            start = tf.global_variables_initializer()
        self.session = tf.Session(graph=self.graph)
        self.session.run(start)

    def run(self) -> Any:
        return self.session.run([self.loss, self.train, self.texts])

    def check(self, result: Any) -> None:
        assert np.isfinite(result[0]) and len(result[2]) == 8, result
        with self.graph.as_default():
            values = self.session.run([v for v in tf.global_variables()])
        assert all(np.isfinite(value).all() for value in values)

    def left(self) -> None:
        self.check(self.session.run([self.loss, self.loss, self.texts]))

    def close(self) -> None:
        self.session.close()


SCENARIOS: dict[str, type[Scenario]] = {
    "save": Save,
    "save_v1": SaveV1,
    "save_shards": SaveShards,
    "restore": Restore,
    "restore_v1": RestoreV1,
    "events": Events,
    "records": Records,
    "datasets": Datasets,
    "models": Models,
    "files": Files,
    "threads": Threads,
    "train": Train,
}
