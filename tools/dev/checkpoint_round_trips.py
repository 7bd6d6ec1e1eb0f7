# SPDX-License-Identifier: Apache-2.0
"""Checkpoints go to TensorFlow and come back: every format, sharded or not, all dtypes and ranks, parts.

Usage: ./run tools/dev/checkpoint_round_trips.py [--large]

With --large a tensor of more than 2^31 bytes goes too, in the second format; the first must refuse it.  Each side saves in a process of its own and restores what the other saved, variable by variable
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
# From 0 to 8 dimensions, and without elements.
SHAPES = [[2, 1, 3, 1, 2, 1, 1, 2][:rank] for rank in range(9)] + [[0], [2, 0, 3]]
# Bytes of the tensor that protos cannot hold.
LARGE = (1 << 31) + 1001
# Which must have the same bytes on both sides.
FILES = {"v1": False, "v2.index": True, "v2.data-00000-of-00001": True}
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
        for shape in SHAPES:
            raw = rng.randint(0, 2 if name == "bool" else 100, shape)
            label = "x".join(map(str, shape)) or "scalar"
            made[f"{name}_{label}"] = np.asarray(raw).astype(dtype)
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


def build_large(tf):
    """A variable of int8 whose elements count from -100 to 100, over and over."""
    counted = tf.cast(tf.range(201) - 100, tf.int8)
    times = -(-LARGE // 201)
    value = tf.tile(counted, [times])[:LARGE]
    return tf.Variable(value, name="large", validate_shape=False)


def save_large(name: str, folder: str) -> None:
    tf = library(name)
    with tf.Graph().as_default(), tf.Session() as session:
        variable = build_large(tf)
        session.run(variable.initializer)
        saver = tf.train.Saver()
        saver.save(session, f"{folder}/large", write_state=False)
        first = tf.train.Saver(write_version=tf.train.SaverDef.V1)
        if name == "tensorwright":
            try:
                first.save(session, f"{folder}/large_v1", write_state=False)
            except tf.errors.InvalidArgumentError as error:
                print(f"V1 refuses it: {error.message[:160]}")
            else:
                raise AssertionError("V1 took a tensor that a proto cannot hold")


def restore_large(name: str, folder: str) -> None:
    tf = library(name)
    with tf.Graph().as_default(), tf.Session() as session:
        variable = tf.Variable(
            tf.zeros([0], tf.int8), name="large", validate_shape=False
        )
        tf.train.Saver().restore(session, f"{folder}/large")
        got = session.run(variable)
    assert got.shape == (LARGE,)
    want = np.arange(201, dtype=np.int16) - 100
    whole = LARGE // 201 * 201
    assert (got[:whole].reshape(-1, 201) == want).all()
    assert (got[whole:] == want[: LARGE - whole]).all()


def main() -> int:
    if len(sys.argv) > 2:
        do, name, folder = sys.argv[1:]
        {
            "save": save,
            "restore": restore,
            "save_large": save_large,
            "restore_large": restore_large,
        }[do](name, folder)
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
        failed = 0
        for file, must_equal in FILES.items():
            ours, theirs = (
                pathlib.Path(folder, side, file).read_bytes() for side in pythons
            )
            print(f"{file}: {'the same' if ours == theirs else 'other'} bytes")
            failed += must_equal and ours != theirs
        if "--large" in sys.argv:
            large(pythons, folder)
    return 1 if failed else 0


def large(pythons: dict[str, str], folder: str) -> None:
    for writer in pythons:
        call(pythons[writer], "save_large", writer, folder)
        for reader in pythons:
            call(pythons[reader], "restore_large", reader, folder)
            print(f"{reader} reads {LARGE} bytes that {writer} wrote", flush=True)


def call(python: str, *arguments: str) -> None:
    subprocess.run([python, os.path.abspath(__file__), *arguments], check=True)


if __name__ == "__main__":
    sys.exit(main())
