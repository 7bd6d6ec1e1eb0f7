# SPDX-License-Identifier: Apache-2.0
"""Scenarios that save and restore checkpoints, of both formats: the last whole one must stay."""

from __future__ import annotations

from scenario import Scenario

import tensorwright as tf


class _Variables(Scenario):
    """Three variables in a session, of which a checkpoint is there already."""

    version = 2
    shards = False

    def prepare(self) -> None:
        self.graph = tf.Graph()
        with self.graph.as_default():
            self.step = tf.get_variable("step", [], tf.int64)
            with tf.device("/cpu:0"):
                self.weights = tf.get_variable("weights", [40, 30])
            self.names = tf.get_variable(
                "names", [3], tf.string, initializer=tf.constant_initializer("a")
            )
            self.given = tf.placeholder(tf.int64, [])
            scaled = tf.cast(self.given, tf.float32)
            self.set = tf.group(
                self.step.assign(self.given),
                self.weights.assign(tf.fill([40, 30], scaled)),
                self.names.assign(tf.fill([3], tf.as_string(self.given))),
            )
            self.saver = tf.train.Saver(
                max_to_keep=2,
                sharded=self.shards,
                write_version=tf.train.SaverDef.V2
                if self.version == 2
                else tf.train.SaverDef.V1,
            )
        self.session = tf.Session(graph=self.graph)
        self._assign(1)
        self.saver.save(self.session, "./model", 1)

    def _assign(self, number: int) -> None:
        self.session.run(self.set, {self.given: number})

    def values(self) -> tuple[int, float, float, bytes]:
        step, weights, names = self.session.run([self.step, self.weights, self.names])
        return int(step), float(weights.min()), float(weights.max()), names[2]

    def must_be(self, number: int) -> None:
        found = self.values()
        assert found == (number, number, number, str(number).encode()), found

    def close(self) -> None:
        self.session.close()


class Save(_Variables):
    """A checkpoint is written beside an older one."""

    def run(self) -> str:
        self._assign(2)
        return self.saver.save(self.session, "./model", 2)

    def check(self, result: str) -> None:
        assert tf.train.latest_checkpoint(".") == result == "./model-2", result
        self._assign(7)
        self.saver.restore(self.session, result)
        self.must_be(2)

    def left(self) -> None:
        latest = tf.train.latest_checkpoint(".")
        assert latest in ("./model-1", "./model-2"), latest
        # The older one is whole, whatever became of the other.
        for path in {latest, "./model-1"}:
            self._assign(7)
            self.saver.restore(self.session, path)
            self.must_be(int(path[-1]))


class SaveV1(Save):
    """The same in the older format."""

    version = 1


class SaveShards(Save):
    """The same by a shard for each device."""

    shards = True


class Restore(_Variables):
    """A checkpoint is read."""

    def run(self) -> None:
        self._assign(9)
        self.saver.restore(self.session, "./model-1")

    def check(self, result: None) -> None:
        self.must_be(1)

    def left(self) -> None:
        # Each variable has its old value or the new one, whole.
        step, least, most, name = self.values()
        assert step in (1, 9) and least == most in (1, 9) and name in (b"1", b"9")


class RestoreV1(Restore):
    """The same in the older format."""

    version = 1
