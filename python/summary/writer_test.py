# SPDX-License-Identifier: Apache-2.0
"""FileWriter and summary_iterator: event files, written and read back."""

import os
import pathlib
import signal
import subprocess
import sys
import threading
import time
import zlib

import numpy as np
import pytest
from google.protobuf.message import DecodeError

import tensorwright as tf
from tensorwright.core.framework import summary_pb2
from tensorwright.core.protobuf import config_pb2, meta_graph_pb2
from tensorwright.core.util import event_pb2
from tensorwright.python import pywrap_tensorflow
from tensorwright.python.summary import plugin_asset
from tensorwright.python.summary.writer.event_file_writer import EventFileWriter
from tensorwright.python.training import tensorboard_logging


def event_file(folder):
    (name,) = [n for n in os.listdir(folder) if "tfevents" in n]
    return os.path.join(folder, name)


def events(folder):
    return list(tf.train.summary_iterator(event_file(folder)))


def scalar(tag, value):
    return summary_pb2.Summary(
        value=[summary_pb2.Summary.Value(tag=tag, simple_value=value)]
    )


def test_what_is_added_is_in_the_file_in_order(tmp_path):
    before = time.time()
    with tf.summary.FileWriter(str(tmp_path)) as writer:
        for step in range(100):
            summary = scalar("loss", step / 2)
            writer.add_summary(
                summary if step % 2 else summary.SerializeToString(), step
            )
        writer.add_summary(np.array(scalar("last", 1).SerializeToString(), object))
        assert writer.get_logdir() == str(tmp_path)
    first, *rest = events(tmp_path)
    assert first.file_version == "brain.Event:2"
    assert [e.step for e in rest] == [*range(100), 0]
    got = [e.summary.value[0].simple_value for e in rest]
    assert got == [*(s / 2 for s in range(100)), 1]
    times = [e.wall_time for e in [first, *rest]]
    assert times == sorted(times)
    assert before <= times[0] and times[-1] <= time.time()


def test_steps_of_any_size(tmp_path):
    steps = [0, 1, 127, 128, 2**31, 2**62, np.int64(5)]
    with tf.summary.FileWriter(str(tmp_path)) as writer:
        for step in steps:
            writer.add_summary(scalar("a", 1), step)
    assert [e.step for e in events(tmp_path)[1:]] == steps


def test_the_file_is_named_after_time_and_machine(tmp_path):
    folder = tmp_path / "new" / "folder"
    for _ in range(3):  # In the same second, too.
        tf.summary.FileWriter(str(folder), filename_suffix=".mine").close()
    names = sorted(os.listdir(folder))
    assert len(names) == 3
    for name in names:
        assert name.startswith("events.out.tfevents.")
        seconds, _, rest = name.removeprefix("events.out.tfevents.").partition(".")
        assert len(seconds) == 10 and abs(int(seconds) - time.time()) < 1000
        assert rest.startswith(f"{os.uname().nodename}.mine")


def test_records_have_tensorflows_bytes(tmp_path):
    def crc32c(data):
        crc = 0xFFFFFFFF
        for byte in data:
            crc ^= byte
            for _ in range(8):
                crc = (crc >> 1) ^ (0x82F63B78 if crc & 1 else 0)
        crc ^= 0xFFFFFFFF
        return (((crc >> 15) | (crc << 17)) + 0xA282EAD8) & 0xFFFFFFFF

    with tf.summary.FileWriter(str(tmp_path)) as writer:
        writer.add_summary(scalar("a", 1), 3)
    data, found = pathlib.Path(event_file(tmp_path)).read_bytes(), []
    while data:
        head, size = data[:8], int.from_bytes(data[:8], "little")
        assert int.from_bytes(data[8:12], "little") == crc32c(head)
        body, data = data[12 : 12 + size], data[12 + size :]
        assert int.from_bytes(data[:4], "little") == crc32c(body)
        found.append(event_pb2.Event.FromString(body))
        data = data[4:]
    assert [e.step for e in found] == [0, 3]


def test_flush_makes_events_readable(tmp_path):
    writer = tf.summary.FileWriter(str(tmp_path), flush_secs=1000)
    writer.add_summary(scalar("a", 1), 1)
    writer.flush()
    assert len(events(tmp_path)) == 2
    writer.close()


def test_events_are_flushed_in_time(tmp_path):
    writer = tf.summary.FileWriter(str(tmp_path), flush_secs=0.05)
    writer.add_summary(scalar("a", 1), 1)
    end = time.monotonic() + 20
    while len(events(tmp_path)) < 2 and time.monotonic() < end:
        time.sleep(0.01)
    assert len(events(tmp_path)) == 2
    writer.close()


def test_a_closed_writer_does_nothing_until_it_is_reopened(tmp_path):
    writer = tf.summary.FileWriter(str(tmp_path))
    writer.close()
    with pytest.warns(UserWarning, match="closed FileWriter"):
        writer.add_summary(scalar("lost", 1))
    writer.close()
    assert len(events(tmp_path)) == 1
    (tmp_path / os.path.basename(event_file(tmp_path))).unlink()
    writer.reopen()
    writer.add_summary(scalar("kept", 1))
    writer.close()
    assert [e.summary.value[0].tag for e in events(tmp_path)[1:]] == ["kept"]


def test_many_threads_share_a_writer(tmp_path):
    with tf.summary.FileWriter(str(tmp_path), max_queue=3) as writer:

        def add(tag):
            for step in range(200):
                writer.add_summary(scalar(tag, step), step)

        threads = [threading.Thread(target=add, args=(str(i),)) for i in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    by_tag = {}
    for event in events(tmp_path)[1:]:
        by_tag.setdefault(event.summary.value[0].tag, []).append(event.step)
    assert by_tag == {str(i): list(range(200)) for i in range(4)}


def test_a_graph_comes_with_shapes(tmp_path):
    with tf.Graph().as_default() as graph:
        tf.constant([1.0, 2.0], name="two")
    with tf.summary.FileWriter(str(tmp_path), graph) as writer:
        writer.add_graph(graph, 5)
    _, first, meta, again = events(tmp_path)
    graph_def = tf.GraphDef.FromString(first.graph_def)
    assert [n.name for n in graph_def.node] == ["two"]
    assert graph_def.node[0].attr["_output_shapes"].list.shape[0].dim[0].size == 2
    meta_graph = meta_graph_pb2.MetaGraphDef.FromString(meta.meta_graph_def)
    assert meta_graph.graph_def.node[0].name == "two"
    assert (again.graph_def, again.step) == (first.graph_def, 5)


def test_what_is_no_graph_is_refused(tmp_path):
    with tf.summary.FileWriter(str(tmp_path)) as writer:
        with pytest.raises(TypeError, match="Graph"):
            writer.add_graph("graph")
        with pytest.raises(ValueError, match="only graph"):
            writer.add_graph(tf.Graph(), graph_def=tf.GraphDef())
        with pytest.raises(TypeError, match="MetaGraphDef"):
            writer.add_meta_graph(tf.GraphDef())


def test_run_metadata_has_a_tag_of_its_own(tmp_path):
    metadata = config_pb2.RunMetadata()
    metadata.step_stats.dev_stats.add(device="cpu")
    with tf.summary.FileWriter(str(tmp_path)) as writer:
        writer.add_run_metadata(metadata, "step1", 1)
        with pytest.raises(ValueError, match="already used"):
            writer.add_run_metadata(metadata, "step1", 2)
    tagged = events(tmp_path)[1].tagged_run_metadata
    assert tagged.tag == "step1"
    assert config_pb2.RunMetadata.FromString(tagged.run_metadata) == metadata


def test_session_logs_and_messages(tmp_path):
    with tf.summary.FileWriter(str(tmp_path)) as writer:
        writer.add_session_log(tf.SessionLog(status=tf.SessionLog.START), 4)
        tensorboard_logging.set_summary_writer(writer)
        tensorboard_logging.error("it is %d", 7)
        tensorboard_logging.debug("not written")
        tensorboard_logging.set_summary_writer(None)
    _, log, message = events(tmp_path)
    assert (log.session_log.status, log.step) == (tf.SessionLog.START, 4)
    assert message.log_message.message == "it is 7"


def test_the_metadata_of_a_tag_is_written_once(tmp_path):
    def summary(tag):
        proto = scalar(tag, 1)
        proto.value[0].metadata.plugin_data.plugin_name = "mine"
        return proto.SerializeToString()

    with tf.summary.FileWriter(str(tmp_path)) as writer:
        for step, tag in enumerate("aab"):
            writer.add_summary(summary(tag), step)
    has = [e.summary.value[0].HasField("metadata") for e in events(tmp_path)[1:]]
    assert has == [True, False, True]
    assert all(e.summary.value[0].simple_value == 1 for e in events(tmp_path)[1:])


@pytest.mark.parametrize("bad", [b"\x0a\x05a", b"no", b"\xff\xff"])
def test_what_is_no_summary_is_refused(tmp_path, bad):
    with tf.summary.FileWriter(str(tmp_path)) as writer:
        with pytest.raises(DecodeError):
            writer.add_summary(bad)
        with pytest.raises(TypeError, match="summary"):
            writer.add_summary(3)
    assert len(events(tmp_path)) == 1


class _Asset(plugin_asset.PluginAsset):
    plugin_name = "mine"

    def assets(self):
        return {"words.txt": "a b"}


def test_assets_of_plugins_are_written_with_the_graph(tmp_path):
    with tf.Graph().as_default() as graph:
        asset = plugin_asset.get_plugin_asset(_Asset)
        assert plugin_asset.get_plugin_asset(_Asset) is asset
    tf.summary.FileWriter(str(tmp_path), graph).close()
    assert (tmp_path / "plugins/mine/words.txt").read_text() == "a b"


def test_the_cache_has_a_writer_a_folder(tmp_path):
    one, two = str(tmp_path / "one"), str(tmp_path / "two")
    tf.summary.FileWriterCache.clear()
    writer = tf.summary.FileWriterCache.get(one)
    assert tf.summary.FileWriterCache.get(one) is writer
    assert tf.summary.FileWriterCache.get(two) is not writer
    writer.add_summary(scalar("a", 1))
    tf.summary.FileWriterCache.clear()
    assert events(one)[-1].summary.value[0].tag == "a"
    assert tf.summary.FileWriterCache.get(one) is not writer
    tf.summary.FileWriterCache.clear()


def test_a_folder_that_cannot_be_made(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(tf.errors.OpError):
        tf.summary.FileWriter(str(tmp_path / "file" / "folder"))


def test_errors_of_the_disk_are_raised(tmp_path):
    with pytest.raises(tf.errors.OpError):
        EventFileWriter("/dev/full")
    program = """
import resource, signal, sys
import tensorwright as tf
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
writer = tf.summary.FileWriter(sys.argv[1])
resource.setrlimit(resource.RLIMIT_FSIZE, (10000, 10000))
summary = tf.Summary(value=[tf.Summary.Value(tag="a" * 1000)])
try:
    for step in range(100):
        writer.add_summary(summary, step)
    writer.flush()
except tf.errors.OpError as error:
    print(type(error).__name__, "tfevents" in str(error))
"""
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path)],
        env=env,
        capture_output=True,
        text=True,
        timeout=100,
    )
    assert "True" in done.stdout, done.stdout + done.stderr


def test_reading_stops_where_a_file_is_cut_off(tmp_path):
    with tf.summary.FileWriter(str(tmp_path)) as writer:
        for step in range(3):
            writer.add_summary(scalar("a", step), step)
    path = pathlib.Path(event_file(tmp_path))
    data = path.read_bytes()
    whole = len(events(tmp_path))
    for cut in range(1, 30):
        path.write_bytes(data[:-cut])
        assert len(events(tmp_path)) == whole - 1
    path.write_bytes(data[:-10] + bytes([data[-10] ^ 1]) + data[-9:])
    with pytest.raises(tf.errors.DataLossError):
        events(tmp_path)
    with pytest.raises(tf.errors.NotFoundError):
        next(tf.train.summary_iterator(str(tmp_path / "none")))


PROGRAM = """
import sys, time
import tensorwright as tf
from tensorwright.core.framework import summary_pb2
writer = tf.summary.FileWriter(sys.argv[1], flush_secs=0.01)
step = 0
while True:
    summary = summary_pb2.Summary(
        value=[summary_pb2.Summary.Value(tag="a", simple_value=step)])
    writer.add_summary(summary, step)
    step += 1
    if step == 200:
        print("many", flush=True)
    if sys.argv[2] == "end" and step == 300:
        break
    if step > 200:
        time.sleep(0.0001)
"""


def start(tmp_path, how):
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(tmp_path), how],
        stdout=subprocess.PIPE,
        env=env,
        text=True,
    )


def test_a_program_that_ends_loses_nothing(tmp_path):
    process = start(tmp_path, "end")
    assert process.wait(100) == 0
    assert [e.step for e in events(tmp_path)[1:]] == list(range(300))


def test_a_killed_writer_leaves_a_readable_file(tmp_path):
    process = start(tmp_path, "forever")
    assert process.stdout.readline() == "many\n"
    time.sleep(0.2)
    process.send_signal(signal.SIGKILL)
    process.wait(100)
    steps = [e.step for e in events(tmp_path)[1:]]
    assert len(steps) > 100 and steps == list(range(len(steps)))


def test_a_child_does_not_write_to_the_parents_file(tmp_path):
    writer = tf.summary.FileWriter(str(tmp_path))
    pid = os.fork()
    if pid == 0:
        writer.add_summary(scalar("child", 1))
        writer.close()
        os._exit(0)
    _, status = os.waitpid(pid, 0)
    assert status == 0
    writer.add_summary(scalar("parent", 1))
    writer.close()
    assert [e.summary.value[0].tag for e in events(tmp_path)[1:]] == ["parent"]


def test_the_step_waits_for_the_queue_alone(tmp_path):
    # A large event keeps the thread busy; adding does not wait for it.
    big = scalar("big", 1)
    big.value[0].image.encoded_image_string = zlib.compress(bytes(10)) * 2_000_000
    with tf.summary.FileWriter(str(tmp_path), max_queue=100) as writer:
        writer.add_summary(big, 0)
        start_time = time.monotonic()
        for step in range(50):
            writer.add_summary(scalar("a", step), step)
        took = time.monotonic() - start_time
    assert len(events(tmp_path)) == 52
    assert took < 5  # Nothing near a second a step.


def test_an_events_writer_as_scripts_use_it(tmp_path):
    writer = pywrap_tensorflow.EventsWriter(str(tmp_path / "events"))
    assert writer.InitWithSuffix(".mine")
    event = tf.Event(step=3)
    event.summary.value.add(tag="a", simple_value=2.0)
    writer.WriteEvent(event)
    assert writer.Flush() and writer.Close()
    (name,) = [p.name for p in tmp_path.iterdir()]
    assert name.startswith("events.out.tfevents.") and name.endswith(".mine")
    *_, last = tf.train.summary_iterator(str(tmp_path / name))
    assert (last.step, last.summary.value[0].tag) == (3, "a")
