# SPDX-License-Identifier: Apache-2.0
"""The values that the calls of calls.txt use: VALUES, and the functions of `Values`."""

from __future__ import annotations

import pathlib
import struct
from collections.abc import Callable
from typing import Any

import numpy as np

# Name -> expression; one that a call uses is made in the call's graph.
VALUES: dict[str, str] = {
    # Real numbers: of any sign, positive, increasing, a vector, a scalar.
    "x": "tf.constant([[.1, -.2, .3], [.4, .5, -.6]])",
    "y": "tf.constant([[1., 2., 3.], [4., 5., 6.5]])",
    "p": "tf.constant([[.2, .3, .5], [.6, .1, .3]])",
    "v": "tf.constant([1., 2.5, 4.])",
    "a": "tf.constant(.75)",
    "d": "tf.constant([[.1, -.2, .3], [.4, .5, -.6]], tf.float64)",
    # Matrices: square, symmetric and positive, and a batch of both.
    "m": "tf.constant([[4., 1., .5], [1., 3., .2], [.5, .2, 2.]])",
    "lower": "tf.constant([[2., 0., 0.], [.5, 1.5, 0.], [.2, .1, 1.]])",
    "ms": "tf.stack([m, 2. * m])",
    # Complex numbers, integers, booleans, strings.
    "c": "tf.complex(x, y)",
    "i": "tf.constant([[3, 1, 2], [0, 2, 5]])",
    "k": "tf.constant([2, 0, 1])",
    "ids": "tf.constant([0, 0, 1])",
    "b": "tf.constant([[True, False, True], [False, False, True]])",
    "s": "tf.constant(['one two', 'Three', 'four'])",
    "u": "tf.constant([[1, 2, 3], [250, 5, 6]], tf.uint8)",
    # Images and signals.
    "images": "tf.constant(np.linspace(0, 1, 2 * 8 * 6 * 3).reshape(2, 8, 6, 3), tf.float32)",
    "gray": "tf.constant(np.linspace(0, 1, 2 * 8 * 6).reshape(2, 8, 6, 1), tf.float32)",
    "picture": "tf.constant(np.arange(8 * 6 * 3).reshape(8, 6, 3), tf.uint8)",
    "volumes": "tf.constant(np.linspace(0, 1, 2 * 4 * 4 * 4 * 2).reshape(2, 4, 4, 4, 2), tf.float32)",
    "sequence": "tf.constant(np.linspace(-1, 1, 2 * 5 * 3).reshape(2, 5, 3), tf.float32)",
    "wave": "tf.constant(np.sin(np.arange(64.)).reshape(2, 32), tf.float32)",
    "boxes": "tf.constant([[0., 0., .5, .5], [.1, .1, .6, .6], [.5, .5, 1., 1.]])",
    # Sparse tensors, slices, variables.
    "sp": "tf.SparseTensor([[0, 0], [1, 2]], [1., 2.], [2, 3])",
    "sp_ids": "tf.SparseTensor([[0, 0], [1, 0], [1, 1]], tf.constant([1, 0, 2], tf.int64), [2, 2])",
    "sp_words": "tf.SparseTensor([[0, 0], [1, 0]], ['a', 'b'], [2, 1])",
    "sliced": "tf.IndexedSlices(tf.constant([[1., 2.], [3., 4.]]), tf.constant([0, 2]), tf.constant([3, 2]))",
    "var": "tf.Variable([[1., 2., 3.], [4., 5., 6.]], name='var')",
    "counter": "tf.Variable(3, name='counter')",
    "total_loss": "(tf.losses.add_loss(a), True)[1]",
    "loss": "tf.reduce_sum(tf.square(var))",
    "step": "tf.train.get_or_create_global_step()",
    # Records, files, models.
    "dataset": "tf.data.Dataset.from_tensor_slices([1., 2.])",
    "words": "tf.feature_column.categorical_column_with_vocabulary_list('word', ['a', 'b'])",
    "file": "write('file', b'abc')",
    "bmp": "tf.constant(bitmap())",
    "big": "tf.image.resize_images(images, [16, 16])",
    "example": "tf.train.Example(features=tf.train.Features(feature={'a': floats(1., 2.)})).SerializeToString()",
    "sequence_example": "sequence_of_words()",
    "records": "recorded()",
    "events": "written_events()",
    "checkpoint": "saved()",
    "model": "exported()",
    "keeper": "StateKeeper(tf)",
    # Random numbers without a state.
    "seed": "[7, 11]",
}


class Values(dict):
    """The globals of an expression: a value is made when it is first used, in the default graph.

    The names that start with a small letter below can be called from an expression, too.
    """

    def __init__(self, tf: Any, folder: str):
        super().__init__(tf=tf, np=np, tmp=folder)
        self._tf, self._folder = tf, pathlib.Path(folder)
        for name in dir(type(self)):
            if not name.startswith("_") and name not in dir(dict):
                self[name] = getattr(self, name)
        self["StateKeeper"] = StateKeeper

    def __missing__(self, name: str) -> Any:
        if name not in VALUES:
            raise KeyError(name)
        self[name] = eval(VALUES[name], self)
        return self[name]

    def write(self, name: str, content: bytes) -> str:
        """The path of a file with this content."""
        path = self._folder / name
        path.write_bytes(content)
        return str(path)

    def bitmap(self) -> bytes:
        """A BMP file of 2 x 2 pixels."""
        pixels = bytes(range(6)) + b"\0\0" + bytes(range(6)) + b"\0\0"
        header = struct.pack("<IiiHHIIiiII", 40, 2, 2, 1, 24, 0, 16, 0, 0, 0, 0)
        return b"BM" + struct.pack("<IHHI", 70, 0, 0, 54) + header + pixels

    def floats(self, *values: float) -> Any:
        tf = self._tf
        return tf.train.Feature(float_list=tf.train.FloatList(value=values))

    def sequence_of_words(self) -> bytes:
        """A serialized SequenceExample with two numbers and a list of words."""
        tf = self._tf
        words = [
            tf.train.Feature(bytes_list=tf.train.BytesList(value=[w]))
            for w in (b"one", b"two")
        ]
        return tf.train.SequenceExample(
            context=tf.train.Features(feature={"a": self.floats(1.0, 2.0)}),
            feature_lists=tf.train.FeatureLists(
                feature_list={"w": tf.train.FeatureList(feature=words)}
            ),
        ).SerializeToString()

    def recorded(self) -> str:
        """The path of a file with two records."""
        path = str(self._folder / "records")
        with self._tf.python_io.TFRecordWriter(path) as writer:
            writer.write(b"one")
            writer.write(b"two")
        return path

    def written_events(self) -> str:
        """The path of an event file with a graph."""
        writer = self._tf.summary.FileWriter(str(self._folder), self["x"].graph)
        writer.close()
        return next(str(p) for p in self._folder.iterdir() if "events" in p.name)

    def saved(self) -> str:
        """The prefix of a checkpoint that holds `var`."""
        saver = self._tf.train.Saver([self["var"]])
        return saver.save(self.with_variables(), str(self._folder / "saved"))

    def exported(self) -> str:
        """The folder of a SavedModel, written from a graph of its own."""
        tf = self._tf
        folder = str(self._folder / "exported")
        with tf.Graph().as_default(), tf.Session() as session:
            x = tf.constant([1.0, 2.0], name="x")
            v = tf.Variable(2.0, name="v")
            session.run(tf.global_variables_initializer())
            tf.saved_model.simple_save(session, folder, {"x": x}, {"y": x * v})
        return folder

    def with_variables(self) -> Any:
        """The default session, with the variables made so far."""
        tf = self._tf
        self["var"], self["step"]
        session = tf.get_default_session()
        session.run(tf.global_variables_initializer())
        return session

    def empty_session(self) -> Any:
        """A session of an empty graph, which stays the default one for as long as the call lasts."""
        return self._tf.get_default_session()

    def graph_def(self, tensor: Any) -> Any:
        """The graph of a tensor."""
        return tensor.graph.as_graph_def()

    def last(self) -> str:
        """The name of the newest operation."""
        return self._tf.get_default_graph().get_operations()[-1].name

    def cell(self) -> Any:
        return self._tf.nn.rnn_cell.GRUCell(
            4, kernel_initializer=self._tf.ones_initializer()
        )

    def raw_loop(self, time: Any, output: Any, state: Any, loop_state: Any) -> Any:
        """The loop function of raw_rnn: three steps over `sequence`."""
        tf = self._tf
        step = tf.transpose(self["sequence"], [1, 0, 2])[tf.minimum(time, 4)]
        following = tf.zeros([2, 4]) if output is None else state
        return tf.fill([2], time >= 3), step, following, output, None


class StateKeeper:
    """A state saver of static_state_saving_rnn that forgets."""

    def __init__(self, tf: Any):
        self.state: Callable[[str], Any] = lambda name: tf.zeros([2, 4])
        self.save_state: Callable[[str, Any], Any] = lambda name, state: tf.no_op()
