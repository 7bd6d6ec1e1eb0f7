# SPDX-License-Identifier: Apache-2.0
"""Helpers of the tests of readers."""

import tensorwright as tf
from tensorwright.python.ops import gen_data_flow_ops, gen_io_ops, io_ops


def read_all(reader, names):
    """The records of work `names`, (key, value) each, and the two counts at the end."""
    queue = tf.FIFOQueue(len(names) + 1, [tf.string], shapes=[[]])
    read = reader.read(queue)
    records = []
    with tf.Session() as session:
        session.run(queue.enqueue_many([names]))
        session.run(queue.close())
        while True:
            try:
                records.append(tuple(session.run(read)))
            except tf.errors.OutOfRangeError:
                break
        counts = session.run(
            [reader.num_records_produced(), reader.num_work_units_completed()]
        )
    assert counts == [len(records), len(names)]
    return records


def first_generation(name, **attrs):
    """A reader whose handle is a reference, by the name of its wrapper."""
    return io_ops.ReaderBase(getattr(gen_io_ops, name)(**attrs))


def fake_queue(queue):
    return gen_data_flow_ops._fake_queue(queue.queue_ref)
