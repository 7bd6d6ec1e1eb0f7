# SPDX-License-Identifier: Apache-2.0
"""`tw inspect` on SavedModels and checkpoints."""

import pytest

import tensorwright as tf
from tensorwright.core.protobuf import saved_model_pb2
from tensorwright.tools.tw import (
    graph_bodies,
    inspect_calls,
    inspect_sizes,
    inspect_testutil,
)


@pytest.fixture
def saved(tmp_path):
    """A SavedModel with a variable, a table from an asset, and one signature."""
    vocabulary = tmp_path / "words.txt"
    vocabulary.write_text("a\nb\n")
    folder = tmp_path / "model"
    with tf.Graph().as_default(), tf.Session() as session:
        words = tf.placeholder(tf.string, [None], name="words")
        table = tf.contrib.lookup.index_table_from_file(str(vocabulary))
        weights = tf.get_variable("weights", [2, 3])
        scores = tf.gather(weights, table.lookup(words), name="scores")
        session.run([tf.global_variables_initializer(), tf.tables_initializer()])
        builder = tf.saved_model.builder.SavedModelBuilder(str(folder))
        signature = tf.saved_model.signature_def_utils.predict_signature_def(
            {"words": words}, {"scores": scores}
        )
        builder.add_meta_graph_and_variables(
            session,
            ["serve"],
            {"serving_default": signature},
            assets_collection=tf.get_collection(tf.GraphKeys.ASSET_FILEPATHS),
            main_op=tf.tables_initializer(),
        )
        builder.save()
    return folder


def _saved_model(folder):

    return saved_model_pb2.SavedModel.FromString(
        (folder / "saved_model.pb").read_bytes()
    )


def test_a_saved_model_needs_less_to_be_served_than_for_all_of_it(saved):
    report = inspect_testutil.report(saved)
    (graph,) = report["graphs"]
    assert report["kind"] == "SavedModel" and graph["tags"] == ["serve"]
    use, whole = graph["policy"]["use"], graph["policy"]["all"]
    assert use["arguments"]["read"] == [str(saved)] and "write" not in use["arguments"]
    assert "files written" not in use["arguments"]["allow"]
    assert "files written" in whole["arguments"]["allow"]
    (signature,) = graph["signatures"]
    assert signature["name"] == "serving_default" and not signature["capabilities"]
    # Its own saver and loader are what every model has.
    assert not [
        t
        for t in inspect_testutil.texts(report, "outside")
        if "SaveV2" in t or "RestoreV2" in t
    ]


def test_the_policy_for_use_loads_and_serves_the_model(saved):
    made = inspect_testutil.report(saved)["graphs"][0]["policy"]["use"]
    graph = tf.Graph()
    with tf.Session(
        graph=graph, policy=inspect_testutil.policy_of(made["code"])
    ) as session:
        tf.saved_model.loader.load(session, ["serve"], str(saved))
        assert session.run("scores:0", {"words:0": ["b"]}).shape == (1, 3)
    without = {**made["arguments"], "read": ["/nowhere"]}
    with tf.Session(graph=tf.Graph(), policy=tf.Policy.sandbox(**without)) as session:
        with pytest.raises(tf.errors.PermissionDeniedError):
            tf.saved_model.loader.load(session, ["serve"], str(saved))


def test_each_variable_is_looked_up_in_the_checkpoint(saved):
    (graph,) = inspect_testutil.report(saved)["graphs"]
    (variable,) = graph["variables"]
    assert variable["node"]["node"] == "weights" and variable["in_checkpoint"] == "yes"
    assert variable["bytes"] == 24 and graph["not_in_graph"] == []
    model = _saved_model(saved)
    (node,) = [n for n in model.meta_graphs[0].graph_def.node if n.name == "weights"]
    node.attr["shape"].shape.dim[1].size = 4
    inspect_testutil.write(saved / "saved_model.pb", model)
    report = inspect_testutil.report(saved)
    assert (
        report["graphs"][0]["variables"][0]["in_checkpoint"] == "has the shape [2, 3]"
    )
    assert any(
        "has the shape [2, 3] for weights" in t
        for t in inspect_testutil.texts(report, "broken")
    )


def test_variables_that_a_function_restores_are_found_by_their_keys(tmp_path):
    # As exporters of TensorFlow 2 write it: the function gets the variables' handles.
    graph = tf.GraphDef()
    variable = graph.node.add(name="v", op="VarHandleOp")
    variable.attr["dtype"].type = tf.float32.as_datatype_enum
    for size in (2, 3):
        variable.attr["shape"].shape.dim.add(size=size)
    graph.node.add(name="prefix", op="Placeholder")
    call = graph.node.add(name="restore", op="StatefulPartitionedCall")
    call.input.extend(["prefix", "v"])
    call.attr["f"].func.name = "restoring"
    body = graph.library.function.add()
    body.signature.name = "restoring"
    for name in ("file", "handle"):
        body.signature.input_arg.add(name=name)
    names = body.node_def.add(name="names", op="Const")
    names.attr["value"].tensor.CopyFrom(tf.make_tensor_proto(["a", "layer/kernel"]))
    body.node_def.add(
        name="values", op="RestoreV2", input=["file", "names:output:0", "slices"]
    )
    body.node_def.add(name="same", op="Identity", input=["values:tensors:1"])
    body.node_def.add(
        name="set", op="AssignVariableOp", input=["handle", "same:output:0"]
    )
    bodies = graph_bodies.bodies(graph)
    calls = inspect_calls.Calls(graph, bodies)
    (found,) = inspect_sizes.variables(bodies, calls)
    assert (found.node, found.key, found.size) == ("v", "layer/kernel", 24)


def test_a_missing_asset_and_missing_variables_are_told(saved):
    (saved / "assets" / "words.txt").unlink()
    for path in (saved / "variables").iterdir():
        path.unlink()
    broken = inspect_testutil.texts(inspect_testutil.report(saved), "broken")
    assert any("words.txt' is not there" in t for t in broken)
    assert any("has values for 1 variable" in t for t in broken)


def test_a_checkpoint_alone_holds_values_and_with_its_graph_more(tmp_path):
    with tf.Graph().as_default(), tf.Session() as session:
        tf.get_variable("w", [3, 2])
        session.run(tf.global_variables_initializer())
        prefix = tf.train.Saver().save(session, str(tmp_path / "model"))
    for path in (prefix, tmp_path, f"{prefix}.meta"):
        report = inspect_testutil.report(path)
        assert report["kind"] == "MetaGraphDef"
        assert report["graphs"][0]["variables"][0]["in_checkpoint"] == "yes"
    (tmp_path / "model.meta").unlink()
    report = inspect_testutil.report(prefix)
    assert report["kind"] == "checkpoint" and report["graphs"] == []
    assert report["checkpoint"]["tensors"] == [
        {"name": "w", "dtype": "float32", "shape": [3, 2], "bytes": 24}
    ]
    assert (
        "it holds values alone: nothing of it runs" in inspect_testutil.run(prefix)[1]
    )


def test_a_renamed_saved_model_is_read(saved, tmp_path):
    renamed = tmp_path / "renamed.pb"
    renamed.write_bytes((saved / "saved_model.pb").read_bytes())
    assert inspect_testutil.report(renamed)["kind"] == "SavedModel"
