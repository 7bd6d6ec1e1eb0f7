# SPDX-License-Identifier: Apache-2.0
"""tf.profiler counts parameters, floating-point operations and times of a graph."""

import gzip
import json
import math

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.core.profiler import profile_pb2

pytestmark = pytest.mark.usefixtures("fresh_graph")

Builder = tf.profiler.ProfileOptionBuilder


def quiet(options):
    return Builder(options).with_empty_output().build()


def model():
    x = tf.placeholder(tf.float32, [4, 8], name="x")
    with tf.variable_scope("one", initializer=tf.zeros_initializer()):
        w = tf.get_variable("w", [8, 16])
        b = tf.get_variable("b", [16])
        h = tf.nn.relu(tf.nn.bias_add(tf.matmul(x, w), b))
    with tf.variable_scope("two", initializer=tf.zeros_initializer()):
        y = tf.matmul(h, tf.get_variable("w", [16, 2]), name="y")
        tf.get_variable("step", [], trainable=False)
    return x, y


# 2 m k n of both products, the bias and the relu.
FLOPS = 2 * 4 * 8 * 16 + 64 + 64 + 2 * 4 * 16 * 2


def test_parameters_of_trained_variables():
    model()
    report = tf.profiler.profile(options=quiet(Builder.trainable_variables_parameter()))
    assert report.total_parameters == 8 * 16 + 16 + 16 * 2
    scopes = {child.name: child.total_parameters for child in report.children}
    assert scopes == {"one": 144, "two": 32}
    everything = tf.profiler.profile(options=quiet(Builder().build()))
    assert everything.total_parameters == report.total_parameters + 1


def test_floating_point_operations_by_scope_and_by_type():
    model()
    options = quiet(Builder.float_operation())
    assert tf.profiler.profile(options=options).total_float_ops == FLOPS
    graph = tf.profiler.profile(cmd="graph", options=options)
    assert graph.total_float_ops == FLOPS
    by_type = tf.profiler.profile(cmd="op", options=options)
    found = {child.name: child.total_float_ops for child in by_type.children}
    assert found == {"MatMul": 1024 + 256, "BiasAdd": 64, "Relu": 64}
    assert [child.name for child in by_type.children][0] == "MatMul"
    by_line = tf.profiler.profile(cmd="code", options=options)
    assert by_line.total_float_ops == FLOPS
    assert all("profiler_test.py" in child.name for child in by_line.children)


@pytest.mark.parametrize("padding,size", [("SAME", 6), ("VALID", 4)])
def test_floating_point_operations_of_convolutions(padding, size):
    x = tf.placeholder(tf.float32, [2, 6, 6, 3])
    tf.nn.conv2d(x, tf.ones([3, 3, 3, 5]), [1, 1, 1, 1], padding)
    report = tf.profiler.profile(options=quiet(Builder.float_operation()))
    assert report.total_float_ops == 2 * 3 * 3 * 3 * (2 * size * size * 5)


def test_what_is_shown():
    model()
    options = Builder(Builder.float_operation()).with_empty_output()
    report = tf.profiler.profile(options=options.with_min_float_operations(100).build())
    names = [c.name for scope in report.children for c in scope.children]
    assert names == ["one/MatMul", "two/y"]
    # Totals count all operations, unless they are limited to those shown.
    assert report.total_float_ops == FLOPS
    options.account_displayed_op_only(True)
    assert tf.profiler.profile(options=options.build()).total_float_ops == 1024 + 256
    options = Builder(Builder.float_operation()).with_empty_output()
    hidden = options.with_node_names(trim_name_regexes=["^one$"]).build()
    assert [c.name for c in tf.profiler.profile(options=hidden).children] == ["two"]
    flat = Builder(Builder.float_operation()).with_empty_output().with_max_depth(1)
    report = tf.profiler.profile(options=flat.build())
    assert [len(c.children) for c in report.children] == [0, 0]
    typed = Builder().with_empty_output().with_accounted_types(["MatMul"]).build()
    assert tf.profiler.profile(options=typed).total_float_ops == 1024 + 256


def test_times_of_a_traced_run(tmp_path, capsys):
    x, y = model()
    profiler = tf.profiler.Profiler()
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
        for step in range(2):
            metadata = tf.RunMetadata()
            session.run(y, {x: np.zeros([4, 8])}, options, metadata)
            profiler.add_step(step, metadata)
    report = profiler.profile_operations(Builder.time_and_memory(min_micros=0))
    by_name = {child.name: child for child in report.children}
    micros = sum(
        math.ceil(stats.all_end_rel_nanos / 1000)
        for device in metadata.step_stats.dev_stats
        for stats in device.node_stats
    )
    one = Builder(Builder.time_and_memory(min_micros=0)).with_step(1)
    path = tmp_path / "profile.txt"
    last = profiler.profile_name_scope(one.with_file_output(str(path)).build())
    assert last.total_exec_micros == micros
    assert "two/y" in path.read_text()
    assert by_name["MatMul"].graph_nodes[0].run_count == 2
    assert "MatMul (exec_micros" in capsys.readouterr().out
    advice = tf.profiler.advise(run_meta=metadata)
    assert advice.checkers["ExpensiveOperationChecker"].reports
    with pytest.raises(ValueError, match="There is no step 7"):
        profiler.profile_graph(Builder().with_step(7).build())


def test_op_logs_add_what_is_known(tmp_path):
    model()
    log = tf.profiler.OpLogProto()
    log.log_entries.add(name="x", float_ops=1000, types=["own"])
    options = Builder().with_empty_output().with_accounted_types(["own"]).build()
    assert tf.profiler.profile(op_log=log, options=options).total_float_ops == 1000
    tf.profiler.write_op_log(None, str(tmp_path), log)
    read = tf.profiler.OpLogProto.FromString((tmp_path / "tfprof_log").read_bytes())
    entries = {entry.name: entry for entry in read.log_entries}
    assert entries["two/y"].float_ops == 256
    assert list(entries["one/b"].types) == ["_trainable_variables"]
    files = {read.id_to_string[t.file_id] for t in entries["x"].code_def.traces}
    assert any(name.endswith("profiler_test.py") for name in files)
    profiler = tf.profiler.Profiler(op_log=log)
    assert b"own" in profiler.serialize_to_string()


def test_shapes_that_are_not_known_count_as_nothing():
    tf.square(tf.placeholder(tf.float32, [None]))
    report = tf.profiler.profile(options=quiet(Builder.float_operation()))
    assert report.total_float_ops == 0
    with pytest.raises(ValueError, match="cmd is one of"):
        tf.profiler.profile(cmd="nosuch")


def test_files_for_other_tools(tmp_path):
    x, y = model()
    metadata = tf.RunMetadata()
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
        session.run(y, {x: np.zeros([4, 8])}, options, metadata)
    path = tmp_path / "trace.json"
    options = Builder().with_timeline_output(str(path)).build()
    tf.profiler.profile(run_meta=metadata, options=options)
    events = json.loads(path.read_text())["traceEvents"]
    assert any(e.get("args", {}).get("name") == "two/y" for e in events)
    path = tmp_path / "profile.gz"
    options = Builder().with_pprof_output(str(path)).build()
    tf.profiler.profile(cmd="code", options=options)
    read = profile_pb2.Profile.FromString(gzip.decompress(path.read_bytes()))
    texts = read.string_table
    kinds = [texts[kind.type] for kind in read.sample_type]
    place = kinds.index("float_ops")
    assert sum(sample.value[place] for sample in read.sample) == FLOPS
    functions = {f.id: (texts[f.name], texts[f.filename]) for f in read.function}
    lines = {loc.id: loc.line[0].function_id for loc in read.location}
    innermost = {functions[lines[sample.location_id[0]]] for sample in read.sample}
    assert {name for name, _ in innermost} == {"model"}
    with pytest.raises(ValueError, match="of the code view, not of scope"):
        tf.profiler.profile(options=options)
    timeline = Builder().with_timeline_output(str(path)).build()
    with pytest.raises(ValueError, match="needs the RunMetadata"):
        tf.profiler.profile(options=timeline)
