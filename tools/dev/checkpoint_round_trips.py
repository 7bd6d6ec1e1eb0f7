# SPDX-License-Identifier: Apache-2.0
"""Checkpoints go to TensorFlow and come back: every format, sharded or not, all dtypes, parts.

Usage: ./run tools/dev/checkpoint_round_trips.py

Each side saves in a process of its own and restores what the other saved, variable by variable
and cut in other parts; the values must be equal bit for bit.  The files themselves must be equal
too, but for V1 and shards, whose order is the graph's.
"""

import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

DTYPES = "float32 float64 int32 uint8 int16 int8 complex64 int64 bool uint16 complex128 float16"
LATER = " bfloat16 uint32 uint64"
PARTS = np.arange(60, dtype=np.float32).reshape(10, 6)
KINDS = [(v, s) for v in (1, 2) for s in (False, True)]


def library(name: str):
    """TensorFlow or ours; both have the names used here."""
    if name == "tensorflow":
        os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
        import tensorflow.compat.v1 as tf

        tf.disable_v2_behavior()
        tf.logging.set_verbosity(tf.logging.ERROR)
    else:
        import tensorwright as tf
    return tf


def values(tf, version: int) -> dict:
    rng = np.random.RandomState(version)
    made = {}
    for name in (DTYPES + (LATER if version == 2 else "")).split():
        dtype = tf.as_dtype(name).as_numpy_dtype
        raw = rng.randint(0, 2 if name == "bool" else 100, [3, 5])
        made[name] = raw.astype(dtype)
    made["text"] = np.array([bytes(rng.bytes(i * i)) for i in range(20)], object)
    made["scalar"] = np.float64(rng.normal())
    made["empty"] = np.zeros([0, 3], np.int64)
    made["large"] = rng.normal(size=[1000, 700]).astype(np.float32)
    return made


def build(tf, version: int, sharded: bool, parts: int):
    """Variables with those values, one of them in parts, and a saver."""
    made = {}
    for i, (name, value) in enumerate(values(tf, version).items()):
        with tf.device(f"/cpu:{i % 2}" if sharded else None):
            made[name] = tf.Variable(value, name=name)
    with tf.variable_scope("", partitioner=tf.fixed_size_partitioner(parts, axis=0)):
        made["parts"] = tf.get_variable("parts", [10, 6])
    saver = tf.train.Saver(write_version=version, sharded=sharded)
    return made, saver


def two_cpus(tf):
    return tf.Session(config=tf.ConfigProto(device_count={"CPU": 2}))


def save(name: str, folder: str) -> None:
    tf = library(name)
    for version, sharded in KINDS:
        with tf.Graph().as_default():
            made, saver = build(tf, version, sharded, 3)
            with two_cpus(tf) as session:
                session.run(tf.global_variables_initializer())
                for part in made["parts"]:
                    begin, n = part._get_save_slice_info().var_offset[0], part.shape[0]
                    session.run(part.assign(PARTS[begin : begin + int(n)]))
                path = f"{folder}/v{version}{'_sharded' if sharded else ''}"
                saver.save(session, path, write_state=False)


def restore(name: str, folder: str) -> None:
    tf = library(name)
    for version, sharded in KINDS:
        path = f"{folder}/v{version}{'_sharded' if sharded else ''}"
        if version == 1 and sharded:
            path += "-?????-of-00003"
        want = values(tf, version)
        want["parts"] = PARTS
        reader = tf.train.NewCheckpointReader(path)
        assert set(reader.get_variable_to_shape_map()) == set(want)
        for parts in (1, 4):
            with tf.Graph().as_default():
                variables, saver = build(tf, version, sharded, parts)
                with two_cpus(tf) as session:
                    saver.restore(session, path)
                    for key, variable in variables.items():
                        got = session.run(tf.convert_to_tensor(variable))
                        same(got, want[key], f"{path} {key}")
                        # TensorFlow's reader knows some dtypes of V1 files only.
                        if version == 2 or name == "tensorwright":
                            same(reader.get_tensor(key), want[key], f"{path} {key}")


def same(got, want, what: str) -> None:
    got, want = np.asarray(got), np.asarray(want)
    assert got.shape == want.shape, what
    if want.dtype == object:
        assert got.tolist() == want.tolist(), what
    else:
        assert got.dtype == want.dtype and got.tobytes() == want.tobytes(), what


def main() -> int:
    if len(sys.argv) > 1:
        do, name, folder = sys.argv[1:]
        {"save": save, "restore": restore}[do](name, folder)
        return 0
    sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "difftest"))
    import peer_venv

    pythons = {"tensorwright": sys.executable, "tensorflow": peer_venv.python()}
    with tempfile.TemporaryDirectory() as folder:
        for writer in pythons:
            os.mkdir(f"{folder}/{writer}")
            call(pythons[writer], "save", writer, f"{folder}/{writer}")
        for writer in pythons:
            for reader in pythons:
                call(pythons[reader], "restore", reader, f"{folder}/{writer}")
                print(f"{reader} reads what {writer} wrote: {len(KINDS)} checkpoints")
        for file in ("v1", "v2.index", "v2.data-00000-of-00001"):
            ours, theirs = (
                pathlib.Path(folder, side, file).read_bytes() for side in pythons
            )
            print(f"{file}: {'the same' if ours == theirs else 'other'} bytes")
    return 0


def call(python: str, *arguments: str) -> None:
    subprocess.run([python, os.path.abspath(__file__), *arguments], check=True)


if __name__ == "__main__":
    sys.exit(main())
