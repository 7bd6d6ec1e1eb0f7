# SPDX-License-Identifier: Apache-2.0
"""RecordInput: records of files in random order."""

import pytest

import tensorwright as tf
from tensorwright.python.ops import data_flow_ops, gen_data_flow_ops

pytestmark = pytest.mark.usefixtures("fresh_graph")


def _files(folder, compression=""):
    records = []
    for i in range(3):
        with tf.python_io.TFRecordWriter(str(folder / f"part-{i}"), compression) as out:
            for j in range(10 * i):
                records.append(b"%d.%d" % (i, j))
                out.write(records[-1])
    return str(folder / "part-*"), records


@pytest.mark.parametrize("compression", ["", "GZIP"])
@pytest.mark.parametrize("buffer_size", [1, 5, 1000])
def test_every_record_comes_once_an_epoch(tmp_path, buffer_size, compression):
    pattern, records = _files(tmp_path, compression)
    batch = gen_data_flow_ops.record_input(
        pattern,
        file_buffer_size=buffer_size,
        file_parallelism=2,
        file_shuffle_shift_ratio=0.5,
        batch_size=6,
        compression_type=compression,
    )
    assert batch.shape.as_list() == [6]
    with tf.Session() as session:
        epochs = [
            sum((session.run(batch).tolist() for _ in range(5)), []) for _ in "abc"
        ]
    for epoch in epochs:
        assert sorted(epoch) == sorted(records)
    if buffer_size > 1:
        assert epochs[0] != epochs[1]


def test_the_class_gives_a_batch(tmp_path):
    pattern, records = _files(tmp_path)
    source = data_flow_ops.RecordInput(
        pattern, batch_size=4, buffer_size=7, parallelism=1
    )
    with tf.Session() as session:
        assert set(session.run(source.get_yield_op()).tolist()) <= set(records)
    split = data_flow_ops.RecordInput(pattern, batch_size=4, batches=2).get_yield_op()
    with tf.Session() as session:
        first, second = session.run(split)
    assert first.shape == second.shape == (2,)


def test_what_has_no_records_is_an_error(tmp_path):
    with tf.Session() as session:
        with pytest.raises(tf.errors.NotFoundError, match="Found no files"):
            session.run(gen_data_flow_ops.record_input(str(tmp_path / "none*")))
        (tmp_path / "empty").write_bytes(b"")
        with pytest.raises(tf.errors.OutOfRangeError, match="no records"):
            session.run(gen_data_flow_ops.record_input(str(tmp_path / "empty")))
        (tmp_path / "junk").write_bytes(b"junk" * 10)
        with pytest.raises(tf.errors.DataLossError, match="corrupted record at 0"):
            session.run(gen_data_flow_ops.record_input(str(tmp_path / "junk")))


@pytest.mark.parametrize(
    "wrong",
    [
        {"file_buffer_size": 0},
        {"file_parallelism": 0},
        {"file_parallelism": 1 << 40},
        {"file_shuffle_shift_ratio": 2.0},
        {"compression_type": "x"},
    ],
)
def test_wrong_options_are_refused(wrong):
    with tf.Session() as session:
        with pytest.raises(tf.errors.InvalidArgumentError, match=list(wrong)[0]):
            session.run(gen_data_flow_ops.record_input("x", **wrong))
    with pytest.raises(ValueError, match="batch_size"):
        gen_data_flow_ops.record_input("x", batch_size=0)
