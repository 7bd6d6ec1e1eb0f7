# SPDX-License-Identifier: Apache-2.0
"""Writes the seeds of the corpus: small files of each kind that a target reads.

Usage: ./run tools/fuzz/write_corpus.py [FOLDER]

FOLDER is tools/fuzz/corpus by default.  Files that libFuzzer found stand beside them under other names (run.sh).
"""

from __future__ import annotations

import gzip
import pathlib
import struct
import sys
import tempfile
import zlib
from typing import Any

import numpy as np
from google.protobuf import json_format

import tensorwright as tf
from tensorwright.core.framework import types_pb2
from tensorwright.core.protobuf import saved_model_pb2, tensor_bundle_pb2
from tensorwright.python.framework import function
from tensorwright.python.kernel_tests.image import image_files

# Fuzz targets take this for a checkpoint's data file.
DATA = bytes(i % 3 for i in range(1000))


def _crc32c_table() -> list[int]:
    table = []
    for byte in range(256):
        for _ in range(8):
            byte = byte >> 1 ^ (0x82F63B78 if byte & 1 else 0)
        table.append(byte)
    return table


_TABLE = _crc32c_table()


def masked_crc(data: bytes) -> int:
    crc = 0xFFFFFFFF
    for byte in data:
        crc = crc >> 8 ^ _TABLE[(crc ^ byte) & 0xFF]
    crc ^= 0xFFFFFFFF
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


def varint(n: int) -> bytes:
    out = bytearray()
    while n > 0x7F:
        out.append(n & 0x7F | 0x80)
        n >>= 7
    return bytes([*out, n])


def snappy_table() -> bytes:
    """A table of one compressed block, of 40 equal bytes, with literals and copies."""
    value = b"v" * 40
    block = varint(0) + varint(1) + varint(len(value)) + b"k" + value
    block += struct.pack("<II", 0, 1)
    # The first six bytes, 36 more of the one before them, and the rest.
    packed = varint(len(block)) + bytes([5 << 2]) + block[:6]
    packed += bytes([35 << 2 | 2, 1, 0])
    packed += bytes([len(block[42:]) - 1 << 2]) + block[42:]
    file = b""

    def append(contents: bytes, kind: int) -> bytes:
        nonlocal file
        handle = varint(len(file)) + varint(len(contents))
        contents += bytes([kind])
        file += contents + struct.pack("<I", masked_crc(contents))
        return handle

    data = append(packed, 1)
    meta = append(struct.pack("<II", 0, 1), 0)
    entry = varint(0) + varint(1) + varint(len(data)) + b"k" + data
    footer = meta + append(entry + struct.pack("<II", 0, 1), 0)
    return file + footer.ljust(40, b"\0") + struct.pack("<Q", 0xDB4775248B80FB57)


def bundle_entries() -> bytes:
    """Entries of tensors that the data file has, one of them in two slices."""
    entries = {}

    def add(key: str, dtype: int, shape: list[int], begin: int, end: int):
        entry = tensor_bundle_pb2.BundleEntryProto(
            dtype=dtype,
            offset=begin,
            size=end - begin,
            crc32c=masked_crc(DATA[begin:end]),
        )
        for size in shape:
            entry.shape.dim.add(size=size)
        entries[key] = entry

    add("bytes", types_pb2.DT_UINT8, [2, 5], 0, 10)
    add("floats", types_pb2.DT_FLOAT, [3], 12, 24)
    add("one", types_pb2.DT_INT64, [], 40, 48)
    add("zero", types_pb2.DT_DOUBLE, [0, 4], 7, 7)
    add("text", types_pb2.DT_STRING, [1], 0, 6)
    out = b""
    for key, entry in sorted(entries.items()):
        value = entry.SerializeToString()
        out += varint(len(key)) + key.encode() + varint(len(value)) + value
    return out


def checkpoints(folder: str) -> dict[str, bytes]:
    """The index of a V2 checkpoint, and V1 files, with a partitioned variable."""
    made = {}
    for version in (tf.train.SaverDef.V1, tf.train.SaverDef.V2):
        with tf.Graph().as_default(), tf.Session() as session:
            tf.Variable(np.arange(6.0).reshape(2, 3), name="matrix")
            tf.Variable(np.arange(3, dtype=np.int16), name="short")
            tf.Variable(b"some text", name="text")
            tf.Variable(np.zeros([0, 2], np.complex64), name="empty")
            parts = tf.fixed_size_partitioner(2)
            with tf.variable_scope("", partitioner=parts):
                tf.get_variable("parts", [4, 2], initializer=tf.ones_initializer)
            session.run(tf.global_variables_initializer())
            saver = tf.train.Saver(write_version=version)
            path = f"{folder}/v{version}"
            saver.save(session, path, write_meta_graph=False, write_state=False)
        file = path + (".index" if version == tf.train.SaverDef.V2 else "")
        made[f"v{version}"] = pathlib.Path(file).read_bytes()
    return made


def records(folder: str) -> dict[str, bytes]:
    """An event file, and one of plain records."""
    with tf.Graph().as_default() as graph:
        tf.constant(1.0, name="c")
        with tf.summary.FileWriter(folder, graph) as writer:
            value = tf.Summary.Value(tag="loss", simple_value=0.5)
            writer.add_summary(tf.Summary(value=[value]), 3)
    (events,) = pathlib.Path(folder).glob("*tfevents*")
    path = f"{folder}/records"
    with tf.python_io.TFRecordWriter(path) as out:
        for record in (b"", b"one", bytes(range(256)) * 3):
            out.write(record)
    return {
        "events": events.read_bytes(),
        "plain": pathlib.Path(path).read_bytes(),
    }


def events() -> dict[str, bytes]:
    """Records of an event file."""
    image = tf.Summary.Image(height=1, width=1, encoded_image_string=b"png")
    histogram = tf.HistogramProto(min=-1, num=2, bucket=[1, 1], bucket_limit=[0, 1])
    values = [
        tf.Summary.Value(tag="image", image=image),
        tf.Summary.Value(tag="spread", histo=histogram),
        tf.Summary.Value(tag="text", tensor=tf.make_tensor_proto([b"words"])),
    ]
    event = tf.Event(wall_time=1.5, step=2, summary=tf.Summary(value=values))
    log = tf.SessionLog(status=tf.SessionLog.START)
    return {
        "summary": event.SerializeToString(),
        "log": tf.Event(session_log=log).SerializeToString(),
    }


def _loop() -> tf.Tensor:
    return tf.while_loop(
        lambda i: i < 3, lambda i: i + 1, [tf.constant(0)], name="loop"
    )


def _branches() -> tf.Tensor:
    p = tf.placeholder(tf.bool, [], name="p")
    return tf.cond(p, lambda: tf.constant(1.0), lambda: tf.zeros([]) - 1)


def _layer() -> tf.Tensor:
    x = tf.placeholder(tf.float32, [None, 3], name="x")
    w = tf.Variable(np.ones([3, 2], np.float32), name="w")
    return tf.nn.softmax(tf.matmul(x, w), name="y")


def _queue() -> tf.Operation:
    queue = tf.FIFOQueue(3, [tf.int32], [[]], name="queue")
    with tf.device("/cpu:0"):
        return queue.enqueue(tf.constant(1))


def _function() -> tf.Tensor:
    @function.Defun(tf.float32)
    def double(x):
        return x + x

    return double(tf.constant(2.0))


def graphs() -> dict[str, bytes]:
    made = {}
    for build in (_loop, _branches, _layer, _queue, _function):
        with tf.Graph().as_default():
            build()
            proto = tf.train.export_meta_graph(clear_devices=False)
            # Registered ops are known anyway, and are most of the file.
            proto.meta_info_def.ClearField("stripped_op_list")
            made[build.__name__[1:]] = proto.SerializeToString(deterministic=True)
    return made


def saved_model(folder: str) -> bytes:
    with tf.Graph().as_default(), tf.Session() as session:
        y = _layer()
        x = session.graph.get_tensor_by_name("x:0")
        session.run(tf.global_variables_initializer())
        tf.saved_model.simple_save(session, folder, {"x": x}, {"y": y})
    proto = saved_model_pb2.SavedModel()
    proto.ParseFromString(pathlib.Path(folder, "saved_model.pb").read_bytes())
    for graph in proto.meta_graphs:
        graph.meta_info_def.ClearField("stripped_op_list")
    return proto.SerializeToString(deterministic=True)


def examples() -> tuple[dict[str, bytes], dict[str, bytes]]:
    """Examples, and their JSON, of the features that the target asks for."""

    def feature(values: list) -> Any:
        train = tf.train
        if isinstance(values[0], bytes):
            return train.Feature(bytes_list=train.BytesList(value=values))
        if isinstance(values[0], float):
            return train.Feature(float_list=train.FloatList(value=values))
        return train.Feature(int64_list=train.Int64List(value=values))

    values = {
        "pair": [1.5, -2.5], "number": [3], "word": [b"word"], "rows": [1, 2, 3, 4],
        "many_ints": [1, -1, 2**62], "many_words": [b"", b"two"],
        "many_floats": [0.5], "other": [b"x" * 20],
    }  # fmt: skip
    made = {}
    for name, keys in (("all", list(values)), ("few", ["pair", "many_words"])):
        example = tf.train.Example()
        for key in keys:
            example.features.feature[key].CopyFrom(feature(values[key]))
        made[name] = example
    # Numbers one by one, each with its tag, as old writers have them.
    floats = b"".join(b"\x0d" + struct.pack("<f", x) for x in (1.0, 2.0))
    value = b"\x12" + varint(len(floats)) + floats
    entry = b"\x0a\x04pair\x12" + varint(len(value)) + value
    entry = b"\x0a" + varint(len(entry)) + entry
    unpacked = b"\x0a" + varint(len(entry)) + entry
    binary = {n: e.SerializeToString(deterministic=True) for n, e in made.items()}
    text = {n: json_format.MessageToJson(e, indent=None) for n, e in made.items()}
    text["escapes"] = '{"features": {"feature": {"\\u00e4\\n": {"int64List": {"value": ["7", 8]}}}}}'  # fmt: skip
    return {**binary, "unpacked": unpacked}, {n: t.encode() for n, t in text.items()}


def csv() -> dict[str, bytes]:
    """Lines of five columns."""
    return {
        "plain": b"1,2.5,text,-9223372036854775808,1e300",
        "quoted": b'0,NA,"a ""b"", c",,\r\n',
        "fields": b'-1,inf,"",12,nan',
    }


def images() -> dict[str, dict[str, bytes]]:
    """Small images of each format."""
    rng = np.random.RandomState(0)
    pixels = rng.randint(0, 256, [5, 7, 3]).astype(np.uint8)
    with tf.Graph().as_default(), tf.Session() as session:
        deep = tf.constant(pixels.astype(np.uint16) * 257)
        image = tf.constant(pixels)
        jpeg = {
            "rgb": tf.image.encode_jpeg(image),
            "grey": tf.image.encode_jpeg(image[:, :, :1], quality=30),
            "progressive": tf.image.encode_jpeg(image, progressive=True),
        }
        png = {
            "rgb": tf.image.encode_png(image),
            "deep": tf.image.encode_png(deep),
            "grey": tf.image.encode_png(image[:, :, :1]),
        }
        jpeg, png = session.run([jpeg, png])
    frame = image_files.gif_frame(rng.randint(0, 4, [4, 6]))
    return {
        "jpeg": jpeg,
        "png": png,
        "gif": {
            "one": image_files.gif(4, 6, frame),
            "two": image_files.gif(4, 6, frame, frame),
        },  # fmt: skip
        "bmp": {
            "rgb": image_files.bmp(pixels),
            "top": image_files.bmp(pixels, top_down=True),
        },  # fmt: skip
    }


def seeds() -> dict[str, dict[str, bytes]]:
    """Target -> name -> bytes."""
    with tempfile.TemporaryDirectory() as folder:
        saved = checkpoints(folder)
        plain = records(folder)
        model = saved_model(folder + "/model")
    binary, text = examples()
    zipped = {}
    for name, data in plain.items():
        zipped[name + ".gz"] = gzip.compress(data, mtime=0)
        zipped[name + ".z"] = zlib.compress(data)
    return {
        "table": {"v2": saved["v2"], "snappy": snappy_table()},
        "records": plain,
        "zipped_records": zipped,
        "event": events(),
        "bundle_index": {"v2": saved["v2"], "snappy": snappy_table()},
        "bundle_entries": {"entries": bundle_entries()},
        "slice_table": {"v1": saved["v1"], "snappy": snappy_table()},
        "meta_graph": graphs(),
        "saved_model": {"layer": model},
        "example": binary,
        "json_example": text,
        "csv": csv(),
        **images(),
    }


def main() -> None:
    default = pathlib.Path(__file__).parent / "corpus"
    root = pathlib.Path(sys.argv[1]) if sys.argv[1:] else default
    for target, files in seeds().items():
        (root / target).mkdir(parents=True, exist_ok=True)
        for name, data in files.items():
            (root / target / name).write_bytes(data)
            print(f"{target}/{name}: {len(data)} bytes")


if __name__ == "__main__":
    main()
