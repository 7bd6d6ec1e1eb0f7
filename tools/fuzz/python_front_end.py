# SPDX-License-Identifier: Apache-2.0
"""Gives broken SavedModels and meta graphs to the Python functions that read them.

Usage: ./run tools/fuzz/python_front_end.py [--runs N] [--first N] [--seconds N] [--seed N]

Each run changes a good file: bytes, or parts of its message (names, ops, attrs, collections, signatures).  Each function
that reads it must succeed or raise one of TensorFlow's errors or of those that its docstring names.  A crash, another kind
of error, or ten seconds without an answer is a finding: it is printed with the number of its run, which --seed repeats.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import pathlib
import random
import sys
import tempfile
from collections.abc import Callable
from typing import Any

import batches
from documented_errors import documented_errors


def write_model(folder: str) -> None:
    """Writes a SavedModel with the parts that readers look at, and a meta graph beside it."""
    import tensorwright as tf

    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [None, 2], name="x")
        parts = tf.fixed_size_partitioner(2)
        with tf.variable_scope("a", partitioner=parts):
            w = tf.convert_to_tensor(tf.get_variable("w", [2, 2]))
        b = tf.get_variable("b", [2], use_resource=True)
        y = tf.while_loop(lambda y: tf.reduce_sum(y) < 9, lambda y: y + 1, [x @ w])
        y = tf.cond(x[0, 0] > 0, lambda: y + b, lambda: y)
        tf.add_to_collection("ys", y)
        tf.add_to_collection("words", "a")
        tf.train.create_global_step()
        session.run(tf.global_variables_initializer())
        tf.saved_model.simple_save(session, f"{folder}/model", {"x": x}, {"y": y})
        tf.train.export_meta_graph(f"{folder}/graph.meta")


def _fields(message: Any, found: list) -> list:
    """Every (message, field, value) in a message, its own and those inside."""
    for field, value in message.ListFields():
        found.append((message, field, value))
        if field.message_type is None:
            continue
        values = value if hasattr(value, "add") else [value]
        if field.message_type.GetOptions().map_entry:
            inside = field.message_type.fields_by_name["value"].message_type
            values = list(value.values()) if inside is not None else []
        for one in values:
            _fields(one, found)
    return found


def mutate(message: Any, rng: random.Random) -> None:
    """Changes some parts of a message."""
    for _ in range(rng.choice([1, 1, 2, 5])):
        places = _fields(message, [])
        if not places:
            return
        owner, field, value = rng.choice(places)
        repeated = hasattr(value, "__len__") and not isinstance(value, (str, bytes))
        if rng.random() < 0.15:
            owner.ClearField(field.name)
        elif repeated:
            _mutate_repeated(field, value, rng)
        elif isinstance(value, str):
            names = ["", "x", "x:0", "^x", "a/w", "NoOp", "\u00e9", "x:99", "Merge"]
            setattr(owner, field.name, rng.choice([*names, value + "_", value[:-1]]))
        elif isinstance(value, bytes):
            setattr(owner, field.name, _mutate_bytes(value, rng))
        elif isinstance(value, bool):
            setattr(owner, field.name, not value)
        elif isinstance(value, int):
            _set_number(owner, field.name, rng)


def _mutate_repeated(field: Any, value: Any, rng: random.Random) -> None:
    try:
        if hasattr(value, "keys"):
            del value[rng.choice(list(value))]
        elif rng.random() < 0.5:
            del value[rng.randrange(len(value))]
        elif field.message_type is not None:
            value.add().CopyFrom(rng.choice(list(value)))
        else:
            value.append(rng.choice(list(value)))
    except (TypeError, IndexError, KeyError):
        pass


def _mutate_bytes(value: bytes, rng: random.Random) -> bytes:
    data = bytearray(value or b"\0")
    for _ in range(rng.choice([1, 1, 3])):
        data[rng.randrange(len(data))] = rng.randrange(256)
    return bytes(data[: rng.randrange(len(data)) + 1] if rng.random() < 0.3 else data)


def _set_number(owner: Any, name: str, rng: random.Random) -> None:
    try:
        setattr(owner, name, rng.choice([0, 1, -1, 7, 22, 2**31 - 1, 2**62, -(2**62)]))
    except ValueError:
        setattr(owner, name, 1)


class Refused(Exception):
    """The called function has raised an error that it documents."""


def attempt(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Calls the function.  Raises Refused for an error that its docstring names, and every other error as it is."""
    from google.protobuf import message

    from tensorwright.tools.tw import saved_model

    known = {"DecodeError": message.DecodeError, "Mistake": saved_model.Mistake}
    try:
        return function(*args, **kwargs)
    except documented_errors(function, known) as error:
        raise Refused(str(error)) from error


def read_everything(folder: str, data: bytes) -> None:
    """Gives the bytes, a SavedModel's, to all that reads one."""
    path = pathlib.Path(folder, "model", "saved_model.pb")
    path.write_bytes(data)
    model = str(path.parent)
    for reader in (_load, _load_v2, _show):
        with contextlib.suppress(Refused):
            reader(model)
    with contextlib.suppress(Refused):
        _import_meta_graphs(data)


def _load(model: str) -> None:
    """Loads the SavedModel and runs its signatures."""
    import tensorwright as tf

    with tf.Graph().as_default(), tf.Session() as session:
        meta = attempt(tf.saved_model.load, session, ["serve"], model)
        for signature in meta.signature_def.values():
            names = [i.name for i in signature.outputs.values()]
            feeds = {i.name: [[1.0, 2.0]] for i in signature.inputs.values()}
            options = tf.RunOptions(timeout_in_ms=1000)
            attempt(session.run, names, feeds, options=options)


def _load_v2(model: str) -> None:
    """Loads the SavedModel and calls its signatures."""
    import tensorwright as tf

    with tf.Graph().as_default():
        loaded = attempt(tf.saved_model.load_v2, model)
        for function in loaded.signatures.values():
            # The call is the class's; there its docstring is.
            attempt(type(function).__call__, function, tf.constant([[1.0, 2.0]]))


def _show(model: str) -> None:
    """Prints the SavedModel as `tw saved-model` does."""
    from tensorwright.python.saved_model import loader
    from tensorwright.tools.tw import saved_model

    parsed = attempt(loader.parse_saved_model, model)
    attempt(saved_model.show, model, parsed)


def _import_meta_graphs(data: bytes) -> None:
    """Imports and exports each meta graph of the SavedModel."""
    from google.protobuf import message

    import tensorwright as tf
    from tensorwright.core.protobuf import saved_model_pb2

    try:
        parsed = saved_model_pb2.SavedModel.FromString(data)
    except message.DecodeError:
        return
    for meta in parsed.meta_graphs:
        with tf.Graph().as_default():
            attempt(tf.train.import_meta_graph, meta)
            attempt(tf.train.export_meta_graph)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    batches.add_options(parser, runs=10_000)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        writer = os.fork()
        if writer == 0:
            write_model(folder)
            os._exit(0)
        os.waitpid(writer, 0)
        good = pathlib.Path(folder, "model", "saved_model.pb").read_bytes()

        def one(rng: random.Random) -> None:
            from tensorwright.core.protobuf import saved_model_pb2

            if rng.random() < 0.3:
                data = _mutate_bytes(good, rng)
            else:
                model = saved_model_pb2.SavedModel.FromString(good)
                mutate(model, rng)
                data = model.SerializeToString()
            read_everything(folder, data)

        return batches.run(args, one)


if __name__ == "__main__":
    sys.exit(main())
