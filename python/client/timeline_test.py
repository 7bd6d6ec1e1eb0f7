# SPDX-License-Identifier: Apache-2.0
"""Timeline: traced runs in the format of chrome://tracing."""

import json

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.core.framework import step_stats_pb2
from tensorwright.python.client import timeline


def _trace(opt_level):
    config = tf.ConfigProto()
    config.graph_options.optimizer_options.opt_level = opt_level
    with tf.Graph().as_default(), tf.Session(config=config) as session:
        x = tf.placeholder(tf.float32, [100, 50], name="x")
        y = tf.matmul(x, x, transpose_b=True, name="y")
        z = tf.reduce_sum(tf.exp(y), name="z")
        metadata = tf.RunMetadata()
        session.run(
            z,
            {x: np.zeros([100, 50], np.float32)},
            options=tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE),
            run_metadata=metadata,
        )
    return metadata.step_stats


@pytest.fixture(scope="module")
def stats():
    """The statistics of a run in which each op is a node of its own."""
    return _trace(tf.OptimizerOptions.L0)


@pytest.fixture(scope="module")
def fused_stats():
    """The statistics of a run in which exp and reduce_sum are one node."""
    return _trace(tf.OptimizerOptions.L1)


def _events(text, phase):
    return [e for e in json.loads(text)["traceEvents"] if e["ph"] == phase]


def test_every_op_is_a_region_with_its_inputs(stats):
    text = timeline.Timeline(stats).generate_chrome_trace_format()
    regions = {e["args"]["name"]: e for e in _events(text, "X")}
    assert {"y", "z", "Exp"} <= set(regions)
    assert regions["y"]["name"] == regions["y"]["args"]["op"] == "MatMul"
    assert regions["Exp"]["args"]["input0"] == "y"
    assert regions["y"]["cat"] == "Op"
    ends = regions["y"]["ts"] + regions["y"]["dur"]
    assert ends <= regions["Exp"]["ts"]
    names = [e["args"]["name"] for e in _events(text, "M")]
    assert any(name.endswith("CPU:0 Compute") for name in names)


def test_a_fused_node_shows_what_runs_in_it(fused_stats):
    text = timeline.Timeline(fused_stats).generate_chrome_trace_format()
    regions = {e["args"]["name"]: e for e in _events(text, "X")}
    assert regions["z"]["args"]["op"] == "_FusedElementwise[Exp, z]"
    assert regions["z"]["args"]["input0"] == "y"
    assert regions["Exp"]["args"]["op"] == "Exp[in z]"
    assert regions["Exp"]["args"]["input0"] == "y"
    assert regions["Exp"]["ts"] == regions["z"]["ts"]


def test_arrows_lead_from_producers_to_consumers(stats):
    shown = timeline.Timeline(stats).generate_chrome_trace_format()
    starts, ends = _events(shown, "s"), _events(shown, "t")
    assert {e["name"] for e in starts} >= {"y", "Exp"}
    assert [e["id"] for e in starts] == [e["id"] for e in ends]
    for start, end in zip(starts, ends):
        assert start["ts"] <= end["ts"]
    hidden = timeline.Timeline(stats).generate_chrome_trace_format(show_dataflow=False)
    assert not _events(hidden, "s")


def test_memory_counts_tensors_from_their_making_to_their_last_use(stats):
    analysis = timeline.Timeline(stats).analyze_step_stats()
    (most,) = analysis.allocator_maximums.values()
    # y and exp(y), both 100 x 100 floats, are alive while exp is computed.
    assert most.num_bytes >= 2 * 40_000
    assert {"y:0", "Exp:0"} <= most.tensors
    text = analysis.chrome_trace.format_to_string()
    counts = [e["args"]["bytes"] for e in _events(text, "C")]
    assert min(counts) == 0
    assert counts[-1] == 0
    assert max(counts) == most.num_bytes
    assert len(_events(text, "N")) == len(_events(text, "D"))


def test_stats_with_microseconds_only_are_read_too():
    stats = step_stats_pb2.StepStats()
    node = stats.dev_stats.add(device="/cpu:0").node_stats.add(node_name="a")
    node.timeline_label = "a = Add(x, y)"
    node.all_start_micros = 10
    node.op_end_rel_micros = 5
    node.all_end_rel_micros = 7
    for op_time, took in [("schedule", 5), ("gpu", 5), ("all", 7)]:
        text = timeline.Timeline(stats).generate_chrome_trace_format(op_time=op_time)
        (event,) = _events(text, "X")
        assert (event["ts"], event["dur"]) == (10, took)
    with pytest.raises(ValueError, match="op_time"):
        timeline.Timeline(stats).generate_chrome_trace_format(op_time="some")


def test_a_run_without_ops_gives_an_empty_trace():
    text = timeline.Timeline(step_stats_pb2.StepStats()).generate_chrome_trace_format()
    assert json.loads(text) == {"traceEvents": []}


def test_a_formatter_takes_events_of_each_kind():
    trace = timeline._ChromeTraceFormatter()
    trace.emit_region(3, 4, 1, 2, "Op", "x", {"a": 1})
    trace.emit_pid("host", 1)
    trace.emit_tid("thread", 1, 2)
    trace.emit_flow_start("f", 5, 1, 2, 9)
    trace.emit_flow_end("f", 6, 1, 2, 9)
    trace.emit_counter("Memory", "bytes", 1, 7, "used", 3)
    trace.emit_obj_create("Tensor", "t", 1, 1, 2, 3)
    trace.emit_obj_snapshot("Tensor", "t", 2, 1, 2, 3, {"shape": [1]})
    trace.emit_obj_delete("Tensor", "t", 3, 1, 2, 3)
    for pretty in (False, True):
        events = json.loads(trace.format_to_string(pretty))["traceEvents"]
        assert "".join(e["ph"] for e in events) == "MMXstCNOD"
    assert events[2] == {
        "ph": "X", "cat": "Op", "name": "x", "pid": 1, "tid": 2, "ts": 3, "dur": 4,
        "args": {"a": 1},
    }  # fmt: skip
    assert events[5]["args"] == {"used": 3}
    assert events[7]["args"] == {"snapshot": {"shape": [1]}}
