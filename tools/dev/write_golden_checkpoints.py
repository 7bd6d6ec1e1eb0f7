# SPDX-License-Identifier: Apache-2.0
"""Writes the checkpoints in python/training/testdata, with TensorFlow.

Usage: .venv-peer/bin/python tools/dev/write_golden_checkpoints.py python/training/testdata
"""

import os
import sys

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["CUDA_VISIBLE_DEVICES"] = ""

import numpy as np  # noqa: E402
import tensorflow.compat.v1 as tf  # noqa: E402

tf.disable_v2_behavior()

V1_DTYPES = "float32 float64 int32 uint8 int16 int8 complex64 int64 bool uint16 complex128 float16"
V2_DTYPES = V1_DTYPES + " bfloat16 uint32 uint64"


def values(dtypes: str) -> dict[str, np.ndarray]:
    """A tensor [2, 3] of each dtype, and those that are special."""
    count = np.arange(6).reshape(2, 3)
    made = {}
    for name in dtypes.split():
        dtype = tf.as_dtype(name).as_numpy_dtype
        made[name] = (count % 2 if name == "bool" else count).astype(dtype)
        if "complex" in name:
            made[name] += np.array(1j, dtype)
    made["string"] = np.array([[b"", b"one"], [b"\x00\xff", b"x" * 300]], object)
    made["scalar"] = np.float32(7)
    made["empty"] = np.zeros([0, 4], np.float32)
    return made


def part(shape, dtype, partition_info) -> tf.Tensor:
    """Columns of 0 to 11, [3, 4]."""
    begin = partition_info.var_offset[1]
    whole = np.arange(12).reshape(3, 4)
    return tf.constant(whole[:, begin : begin + shape[1]], dtype)


def save(folder: str, name: str, version: int, dtypes: str, sharded: bool) -> None:
    with tf.Graph().as_default():
        variables = []
        for i, (key, value) in enumerate(values(dtypes).items()):
            with tf.device(f"/cpu:{i % 2}" if sharded else None):
                variables.append(tf.Variable(value, name=key))
        with tf.variable_scope("", partitioner=tf.fixed_size_partitioner(2, axis=1)):
            tf.get_variable("parts", [3, 4], initializer=part)
        saver = tf.train.Saver(write_version=version, sharded=sharded)
        config = tf.ConfigProto(device_count={"CPU": 2})
        with tf.Session(config=config) as sess:
            sess.run(tf.global_variables_initializer())
            saver.save(
                sess,
                os.path.join(folder, name),
                write_meta_graph=False,
                write_state=False,
            )


def main() -> None:
    folder = sys.argv[1]
    v1, v2 = tf.train.SaverDef.V1, tf.train.SaverDef.V2
    save(folder, "v1", v1, V1_DTYPES, False)
    save(folder, "v1_sharded", v1, V1_DTYPES, True)
    save(folder, "v2", v2, V2_DTYPES, False)
    save(folder, "v2_sharded", v2, V2_DTYPES, True)


if __name__ == "__main__":
    main()
