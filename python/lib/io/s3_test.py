# SPDX-License-Identifier: Apache-2.0
"""Files in S3, by fsspec, under gfile, kernels, savers and writers: against a server of this process."""

import re

import numpy as np
import pytest
import s3fs
from moto.server import ThreadedMotoServer

import tensorwright as tf
from tensorwright.python.lib.io import file_io

pytestmark = pytest.mark.usefixtures("fresh_graph")


@pytest.fixture(scope="module")
def store():
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    fs = s3fs.S3FileSystem(
        key="key",
        secret="secret",
        client_kwargs={
            "endpoint_url": f"http://{host}:{port}",
            "region_name": "eu-west-1",
        },
    )
    tf.gfile.register_filesystem("s3", fs)
    yield fs
    server.stop()


@pytest.fixture
def bucket(store, request):
    name = re.sub(r"[^a-z0-9]+", "-", request.node.name)[:60].strip("-")
    store.mkdir(name)
    return f"s3://{name}"


def names(store, bucket):
    store.invalidate_cache()
    return sorted(p.partition("/")[2] for p in store.find(bucket))


def test_gfile_writes_reads_lists_and_removes(store, bucket):
    with tf.gfile.GFile(f"{bucket}/folder/a.txt", "w") as f:
        f.write("one\n")
        f.write("zwei: ü\n")
    with tf.gfile.GFile(f"{bucket}/folder/a.txt") as f:
        assert f.readline() == "one\n"
        assert f.read() == "zwei: ü\n"
        f.seek(2)
        assert f.read(2) == "e\n"
    with tf.gfile.GFile(f"{bucket}/folder/a.txt", "a") as f:
        f.write("end")
    assert file_io.read_file_to_string(f"{bucket}/folder/a.txt").endswith("ü\nend")
    assert tf.gfile.Exists(f"{bucket}/folder/a.txt")
    assert not tf.gfile.Exists(f"{bucket}/folder/b.txt")
    assert tf.gfile.IsDirectory(f"{bucket}/folder")
    assert not tf.gfile.IsDirectory(f"{bucket}/folder/a.txt")
    stat = tf.gfile.Stat(f"{bucket}/folder/a.txt")
    assert stat.length == 16 and stat.mtime_nsec > 1_600_000_000 * 10**9
    tf.gfile.Copy(f"{bucket}/folder/a.txt", f"{bucket}/folder/c.txt")
    tf.gfile.Rename(f"{bucket}/folder/c.txt", f"{bucket}/d.txt")
    assert names(store, bucket) == ["d.txt", "folder/a.txt"]
    assert tf.gfile.ListDirectory(f"{bucket}/folder") == ["a.txt"]
    assert tf.gfile.Glob(f"{bucket}/*/*.txt") == [f"{bucket}/folder/a.txt"]
    assert [step[1:] for step in tf.gfile.Walk(bucket)] == [
        (["folder"], ["d.txt"]),
        ([], ["a.txt"]),
    ]
    tf.gfile.Remove(f"{bucket}/d.txt")
    tf.gfile.DeleteRecursively(f"{bucket}/folder")
    assert names(store, bucket) == []
    with pytest.raises(tf.errors.NotFoundError, match="none"):
        tf.gfile.GFile(f"{bucket}/none").read()


def test_a_file_of_many_parts(bucket):
    data = np.random.RandomState(0).bytes(11 << 20)
    with tf.gfile.GFile(f"{bucket}/large", "wb") as f:
        for begin in range(0, len(data), 1 << 20):
            f.write(data[begin : begin + (1 << 20)])
    with tf.gfile.GFile(f"{bucket}/large", "rb") as f:
        assert f.read() == data


@pytest.mark.parametrize("sharded", [False, True])
@pytest.mark.parametrize("version", [tf.train.SaverDef.V1, tf.train.SaverDef.V2])
def test_checkpoints(store, bucket, version, sharded):
    config = tf.ConfigProto(device_count={"CPU": 2})
    with tf.Session(config=config) as session:
        values = [np.arange(5000.0), np.array([b"text", b""], object)]
        with tf.device("/cpu:0"):
            first = tf.Variable(values[0], name="a")
        with tf.device("/cpu:1"):
            second = tf.Variable(values[1], name="b")
        saver = tf.train.Saver(max_to_keep=1, sharded=sharded, write_version=version)
        session.run(tf.global_variables_initializer())
        for step in range(2):
            path = saver.save(session, f"{bucket}/run/model", step)
        session.run([first.assign(values[0] * 0), second.assign([b"", b""])])
        latest = tf.train.latest_checkpoint(f"{bucket}/run")
        assert latest == path and latest.startswith(f"{bucket}/run/model-1")
        saver.restore(session, latest)
        for got, want in zip(session.run([first, second]), values, strict=True):
            np.testing.assert_array_equal(got, want)
    # The older one is gone, and nothing is left of writing.
    left = names(store, bucket)
    assert not [n for n in left if "model-0" in n or "tempstate" in n], left


def test_summaries(bucket):
    with tf.summary.FileWriter(f"{bucket}/events") as writer:
        for step in range(20):
            value = tf.Summary.Value(tag="loss", simple_value=step)
            writer.add_summary(tf.Summary(value=[value]), step)
    (path,) = tf.gfile.Glob(f"{bucket}/events/*tfevents*")
    steps = [e.step for e in tf.train.summary_iterator(path) if e.summary.value]
    assert steps == list(range(20))


def test_records_and_ops_of_files(bucket):
    records = [b"%d" % i * i for i in range(300)]
    with tf.python_io.TFRecordWriter(f"{bucket}/data/x.tfrecord") as writer:
        for record in records:
            writer.write(record)
    path = f"{bucket}/data/x.tfrecord"
    assert list(tf.python_io.tf_record_iterator(path)) == records
    element = tf.data.TFRecordDataset(path).batch(1000)
    element = element.make_one_shot_iterator().get_next()
    write = tf.write_file(f"{bucket}/data/y", b"written")
    with tf.control_dependencies([write]):
        read = tf.read_file(f"{bucket}/data/y")
        found = tf.matching_files(f"{bucket}/data/*")
    with tf.Session() as session:
        got, text, files = session.run([element, read, found])
    assert got.tolist() == records and text == b"written"
    assert sorted(files) == [path.encode(), f"{bucket}/data/y".encode()]


def test_saved_models(bucket):
    with tf.Session() as session:
        x = tf.placeholder(tf.float32, [], name="x")
        v = tf.Variable(3.0)
        session.run(v.initializer)
        tf.saved_model.simple_save(
            session, f"{bucket}/model", {"x": x}, {"y": tf.multiply(x, v, name="y")}
        )
    with tf.Graph().as_default(), tf.Session() as session:
        tf.saved_model.loader.load(session, ["serve"], f"{bucket}/model")
        assert session.run("y:0", {"x:0": 2.0}) == 6.0
