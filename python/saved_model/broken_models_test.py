# SPDX-License-Identifier: Apache-2.0
"""SavedModels that are not valid are refused by the errors that the functions which read them document."""

import pathlib

import pytest

import tensorwright as tf
from tensorwright.core.protobuf import saved_model_pb2


@pytest.fixture
def model(tmp_path):
    """The folder of a SavedModel, and a function that changes its only meta graph."""
    folder = str(tmp_path / "model")
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [None], name="x")
        v = tf.get_variable("v", [], use_resource=True)
        y = tf.multiply(x, v, name="y")
        session.run(tf.global_variables_initializer())
        tf.saved_model.simple_save(session, folder, {"x": x}, {"y": y})
    path = pathlib.Path(folder, "saved_model.pb")

    def change(how):
        saved = saved_model_pb2.SavedModel.FromString(path.read_bytes())
        how(saved.meta_graphs[0])
        path.write_bytes(saved.SerializeToString())
        return folder

    return change


def load(folder):
    with tf.Graph().as_default(), tf.Session() as session:
        tf.saved_model.load(session, ["serve"], folder)


def load_v2(folder):
    with tf.Graph().as_default():
        return tf.saved_model.load_v2(folder)


def signature(meta):
    return meta.signature_def["serving_default"]


LOADS = [load, load_v2]


@pytest.mark.parametrize("read", LOADS)
def test_an_item_that_is_no_variable_is_refused_by_its_collection(model, read):
    def spoil(meta):
        meta.collection_def["variables"].bytes_list.value[0] = b"\xff\xff"

    with pytest.raises(
        ValueError, match="'variables' has an item that is no VariableD"
    ):
        read(model(spoil))


def test_an_item_that_is_no_asset_is_refused_by_its_collection(model):
    def spoil(meta):
        del meta.asset_file_def[:]
        meta.collection_def["saved_model_assets"].any_list.value.add(value=b"\xff\xff")

    with pytest.raises(ValueError, match="'saved_model_assets' has an item"):
        load_v2(model(spoil))


@pytest.mark.parametrize("read", LOADS)
def test_a_variable_whose_tensors_are_not_in_the_graph_is_a_key_error(model, read):
    def spoil(meta):
        item = meta.collection_def["variables"].bytes_list.value
        item[0] = item[0].replace(b"v/Assign", b"w/Assign")

    with pytest.raises(KeyError, match="w/Assign"):
        read(model(spoil))


def test_a_saver_that_names_no_tensor_is_a_type_error(model):
    def spoil(meta):
        meta.saver_def.filename_tensor_name = "x"

    with pytest.raises(TypeError, match="Cannot interpret feed_dict key"):
        load(model(spoil))


def test_an_init_op_of_several_outputs_is_refused(model):
    def spoil(meta):
        init = meta.signature_def["__saved_model_init_op"]
        init.CopyFrom(signature(meta))
        init.outputs["z"].CopyFrom(init.outputs["y"])

    with pytest.raises(ValueError, match="init op must have 1 output, got 2"):
        load(model(spoil))


@pytest.mark.parametrize("side", ["inputs", "outputs"])
@pytest.mark.parametrize("dtype", [0, 77])
def test_a_signature_of_no_dtype_is_refused_by_its_key(model, side, dtype):
    def spoil(meta):
        (info,) = getattr(signature(meta), side).values()
        info.dtype = dtype

    with pytest.raises(ValueError, match="signature 'serving_default' is not valid"):
        load_v2(model(spoil))


def test_an_input_for_a_signature_without_inputs_is_refused(model):
    loaded = load_v2(model(lambda meta: signature(meta).inputs.clear()))
    with loaded.graph.as_default(), pytest.raises(TypeError, match="takes no inputs"):
        loaded.signatures["serving_default"](1.0)


@pytest.mark.parametrize("read", LOADS)
def test_bytes_that_are_no_saved_model_are_an_os_error(model, read):
    folder = model(lambda meta: None)
    pathlib.Path(folder, "saved_model.pb").write_bytes(b"\xff" * 20)
    with pytest.raises(OSError, match="Cannot parse the SavedModel"):
        read(folder)
