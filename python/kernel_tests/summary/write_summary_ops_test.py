# SPDX-License-Identifier: Apache-2.0
"""WriteSummary and its kin, ImportEvent."""

import io
import wave

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.core.framework import summary_pb2
from tensorwright.core.util import event_pb2
from tensorwright.python.ops import gen_logging_ops, gen_summary_ops

pytestmark = pytest.mark.usefixtures("fresh_graph")

NUMBERS = [
    tf.float32, tf.float64, tf.float16, tf.bfloat16, tf.int8, tf.int16, tf.int32,
    tf.int64, tf.uint8, tf.uint16, tf.uint32, tf.uint64,
]  # fmt: skip


@pytest.fixture
def write(tmp_path):
    """Runs op(writer, ...) of a new writer; the event that it wrote."""

    def run(op, *arguments, **attrs):
        folder = tmp_path / str(len(list(tmp_path.iterdir())))
        writer = gen_summary_ops.summary_writer(shared_name=str(folder))
        made = gen_summary_ops.create_summary_file_writer(writer, str(folder), 0, 0, "")
        node = op(writer, *arguments, **attrs)
        with tf.Session() as session:
            session.run(made)
            session.run(node)
        (path,) = folder.iterdir()
        _, event = tf.train.summary_iterator(str(path))
        return event

    return run


def value_of(event, step=3):
    assert event.step == step and event.wall_time > 1e9
    (value,) = event.summary.value
    return value


@pytest.mark.parametrize("dtype", NUMBERS, ids=lambda d: d.name)
def test_a_scalar(write, dtype):
    number = tf.cast(tf.constant(5), dtype)
    value = value_of(write(gen_summary_ops.write_scalar_summary, 3, "loss", number))
    assert (value.tag, value.simple_value) == ("loss", 5.0)


@pytest.mark.parametrize("dtype", [*NUMBERS, tf.bool], ids=lambda d: d.name)
def test_a_histogram(write, dtype):
    numbers = tf.cast(tf.constant([[0, 1], [1, 1]]), dtype)
    value = value_of(write(gen_summary_ops.write_histogram_summary, 3, "h", numbers))
    histo = value.histo
    assert (histo.num, histo.min, histo.max, histo.sum) == (4, 0, 1, 3)
    assert histo.sum_squares == 3
    counts = dict(zip(histo.bucket_limit, histo.bucket, strict=True))
    assert sum(counts.values()) == 4
    assert [n for limit, n in counts.items() if limit > 1 and n] == [3]


@pytest.mark.parametrize("bad, word", [(np.nan, "Nan"), (np.inf, "Infinity")])
def test_a_histogram_must_be_finite(write, bad, word):
    with pytest.raises(tf.errors.InvalidArgumentError, match=f"{word}.*for: tag"):
        write(gen_summary_ops.write_histogram_summary, 3, "tag", [1.0, bad])


@pytest.mark.parametrize("dtype", [tf.uint8, tf.float16, tf.float32, tf.float64])
def test_images_are_those_of_image_summary(write, dtype):
    images = tf.cast(
        tf.constant(np.random.RandomState(0).randint(0, 255, [3, 5, 4, 3])), dtype
    )
    red = np.array([255, 0, 0], np.uint8)
    event = write(
        gen_summary_ops.write_image_summary, 3, "i", images, red, max_images=2
    )
    same = gen_logging_ops.image_summary("i", images, max_images=2)
    with tf.Session() as session:
        want = tf.Summary.FromString(session.run(same))
    assert event.summary == want
    assert [v.tag for v in event.summary.value] == ["i/image/0", "i/image/1"]


def test_one_image_has_no_number(write):
    value = value_of(
        write(
            gen_summary_ops.write_image_summary,
            3, "i", np.zeros([1, 2, 2, 1], np.float32), np.uint8([255]), max_images=1,
        )
    )  # fmt: skip
    assert value.tag == "i/image" and value.image.encoded_image_string[1:4] == b"PNG"


def test_pixels_that_are_no_numbers_have_a_color_of_their_own(write):
    images = np.linspace(0, 1, 12, dtype=np.float32).reshape(1, 2, 2, 3)
    images[0, 1, 0, 2] = np.nan
    for color in ([255, 0, 0], [0, 9, 200]):
        color = np.uint8(color)
        event = write(
            gen_summary_ops.write_image_summary, 3, "i", images, color, max_images=1
        )
        encoded = value_of(event).image.encoded_image_string
        with tf.Session() as session:
            pixels = session.run(tf.image.decode_png(encoded))
        assert pixels[1, 0].tolist() == color.tolist()
        assert (pixels != color).any(-1).sum() == 3


def test_images_that_are_refused(write):
    op, red = gen_summary_ops.write_image_summary, np.uint8([255])
    with pytest.raises(ValueError, match="rank 4"):
        write(op, 3, "i", np.zeros([2, 2, 1], np.float32), red)
    with pytest.raises(tf.errors.InvalidArgumentError, match="last dim 1, 3, or 4"):
        write(op, 3, "i", np.zeros([1, 2, 2, 2], np.float32), red)
    with pytest.raises(tf.errors.InvalidArgumentError, match="bad_color"):
        write(op, 3, "i", np.zeros([1, 2, 2, 3], np.float32), red)


def test_a_sound(write):
    samples = np.sin(np.arange(100, dtype=np.float32))[None, :, None]
    event = write(
        gen_summary_ops.write_audio_summary, 3, "a", samples, 8000.0, max_outputs=1
    )
    value = value_of(event)
    assert value.tag == "a/audio" and value.audio.sample_rate == 8000
    with wave.open(io.BytesIO(value.audio.encoded_audio_string)) as sound:
        assert (sound.getnframes(), sound.getframerate()) == (100, 8000)
        got = np.frombuffer(sound.readframes(100), "<i2") / 32767
    np.testing.assert_allclose(got, samples.ravel(), atol=1e-4)


def test_sounds_that_are_refused(write):
    op = gen_summary_ops.write_audio_summary
    with pytest.raises(tf.errors.InvalidArgumentError, match="3-D or 2-D"):
        write(op, 3, "a", [1.0], 8000.0)
    with pytest.raises(tf.errors.InvalidArgumentError, match="sample_rate"):
        write(op, 3, "a", [[1.0]], -1.0)


@pytest.mark.parametrize(
    "tensor",
    [np.arange(6).reshape(2, 3), np.float32(2), np.array([b"a", b"\xff"], object)],
    ids=["int64", "float", "string"],
)
def test_a_tensor_with_metadata(write, tensor):
    metadata = summary_pb2.SummaryMetadata(display_name="shown")
    metadata.plugin_data.plugin_name = "plugin"
    value = value_of(
        write(
            gen_summary_ops.write_summary,
            3, tensor, "t", metadata.SerializeToString(),
        )
    )  # fmt: skip
    assert value.tag == "t" and value.metadata == metadata
    np.testing.assert_array_equal(tf.make_ndarray(value.tensor), tensor)


def test_a_tensor_without_metadata(write):
    value = value_of(write(gen_summary_ops.write_summary, 3, 1.5, "t", b""))
    assert not value.HasField("metadata")
    with pytest.raises(tf.errors.InvalidArgumentError, match="summary_metadata"):
        write(gen_summary_ops.write_summary, 3, 1.5, "t", b"\xff")


def test_summaries_are_joined(write):
    parts = [
        tf.Summary(value=[tf.Summary.Value(tag=t, simple_value=1)]).SerializeToString()
        for t in "abc"
    ]
    event = write(gen_summary_ops.write_raw_proto_summary, 3, [parts])
    assert event.step == 3
    assert [v.tag for v in event.summary.value] == ["a", "b", "c"]
    with pytest.raises(tf.errors.DataLossError, match="element 1 "):
        write(gen_summary_ops.write_raw_proto_summary, 3, [parts[0], b"\xff"])
    with pytest.raises(ValueError, match="rank 0"):
        write(gen_summary_ops.write_raw_proto_summary, [3], parts)


def test_a_graph(write):
    tf.constant(1, name="one")
    graph = tf.get_default_graph().as_graph_def()
    event = write(gen_summary_ops.write_graph_summary, 3, graph.SerializeToString())
    assert tf.GraphDef.FromString(event.graph_def) == graph
    with pytest.raises(tf.errors.DataLossError, match="GraphDef"):
        write(gen_summary_ops.write_graph_summary, 3, b"\xff")


def test_an_event_is_written_as_it_is(write):
    event = event_pb2.Event(wall_time=1.5, step=9, graph_def=b"bytes")
    assert write(gen_summary_ops.import_event, event.SerializeToString()) == event
    with pytest.raises(tf.errors.DataLossError, match="Event"):
        write(gen_summary_ops.import_event, b"\xff")


def test_step_and_tag_must_have_one_element():
    writer = gen_summary_ops.summary_writer()
    with pytest.raises(ValueError, match="one element"):
        gen_summary_ops.write_scalar_summary(writer, [1, 2], "t", 1.0)
    with pytest.raises(ValueError, match="one element"):
        gen_summary_ops.write_scalar_summary(writer, 1, ["t", "u"], 1.0)
    with pytest.raises(ValueError, match="one element"):
        gen_summary_ops.write_scalar_summary(writer, 1, "t", [1.0, 2.0])
    with pytest.raises(ValueError, match="one element"):
        gen_summary_ops.import_event(writer, [b"", b""])


def test_a_writer_must_be_made_first():
    writer = gen_summary_ops.summary_writer()
    op = gen_summary_ops.write_scalar_summary(writer, 1, "t", 1.0)
    with tf.Session() as session, pytest.raises(tf.errors.NotFoundError):
        session.run(op)
