# SPDX-License-Identifier: Apache-2.0
"""Models and weights in HDF5, checkpoints and SavedModels."""

import io
import pickle

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.keras.keras_testutil import forget  # noqa: F401

K, layers = tf.keras.backend, tf.keras.layers
_x = np.random.RandomState(0).randn(8, 5, 4).astype("float32")


def _model(units=3):
    inputs = layers.Input((5, 4), name="steps")
    hidden = layers.Bidirectional(layers.LSTM(units))(inputs)
    hidden = layers.BatchNormalization()(hidden)
    inner = tf.keras.Sequential([layers.Dense(4, input_shape=(2 * units,))])
    output = layers.Dense(2, name="scores")(layers.Dropout(0.5)(inner(hidden)))
    model = tf.keras.Model(inputs, output)
    model.compile(tf.keras.optimizers.Adam(0.01), "mse", metrics=["mae"])
    return model


def _trained():
    model = _model()
    model.fit(_x, np.ones((8, 2)), epochs=2, verbose=0)
    return model


def test_a_model_in_hdf5_goes_on_where_it_was(tmp_path):
    model, path = _trained(), str(tmp_path / "model.h5")
    model.save(path)
    again = tf.keras.models.load_model(path)
    np.testing.assert_array_equal(again.predict(_x), model.predict(_x))
    assert K.get_value(again.optimizer.iterations) == 2
    assert again.metrics_names == ["loss", "mean_absolute_error"]
    # Adam's moments were saved, too: without dropout both make the same step.
    K.set_learning_phase(0)
    for m in (model, again):
        m.compile(m.optimizer, "mse")
    found = [m.train_on_batch(_x, np.ones((8, 2))) for m in (model, again)]
    np.testing.assert_allclose(*found)
    np.testing.assert_allclose(again.predict(_x), model.predict(_x), rtol=1e-5, atol=1e-6)  # fmt: skip # noqa: E501


def test_hdf5_groups_and_streams_and_pickles_hold_models(tmp_path):
    import h5py

    model = _trained()
    wanted = model.predict(_x)
    with h5py.File(str(tmp_path / "many.h5"), "w") as file:
        model.save(file.create_group("one"))
    with h5py.File(str(tmp_path / "many.h5"), "r") as file:
        again = tf.keras.models.load_model(file["one"])
    np.testing.assert_array_equal(again.predict(_x), wanted)
    stream = io.BytesIO()
    model.save(stream)
    stream.seek(0)
    np.testing.assert_array_equal(
        tf.keras.models.load_model(stream).predict(_x), wanted
    )
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict(_x), wanted)


@pytest.mark.parametrize("name", ["weights.h5", "weights", "folder/weights"])
def test_weights_go_to_hdf5_or_a_checkpoint_by_the_files_name(tmp_path, name):
    model, path = _trained(), str(tmp_path / name)
    model.save_weights(path)
    if name.endswith(".h5"):
        assert (tmp_path / name).is_file()
    else:
        assert tf.train.latest_checkpoint(str((tmp_path / name).parent)) == path
    other = _model()
    assert abs(other.predict(_x) - model.predict(_x)).max() > 1e-3
    other.load_weights(path)
    np.testing.assert_array_equal(other.predict(_x), model.predict(_x))


def test_the_keys_of_a_checkpoint_are_tensorflows(tmp_path):
    _trained().save_weights(str(tmp_path / "w"))
    end = "/.ATTRIBUTES/VARIABLE_VALUE"
    found = {n.removesuffix(end): s for n, s in tf.train.list_variables(str(tmp_path / "w"))}  # fmt: skip # noqa: E501
    cell = "layer_with_weights-0/{}_layer/cell/{}"
    wanted = {
        cell.format(way, part): shape
        for way in ("forward", "backward")
        for part, shape in (
            ("kernel", [4, 12]),
            ("recurrent_kernel", [3, 12]),
            ("bias", [12]),
        )  # fmt: skip # noqa: E501
    }
    for part in ("gamma", "beta", "moving_mean", "moving_variance"):
        wanted[f"layer_with_weights-1/{part}"] = [6]
    wanted["layer_with_weights-2/layer_with_weights-0/kernel"] = [6, 4]
    wanted["layer_with_weights-2/layer_with_weights-0/bias"] = [4]
    wanted["layer_with_weights-3/kernel"] = [4, 2]
    wanted["layer_with_weights-3/bias"] = [2]
    assert found == wanted


def test_weights_that_do_not_fit_are_refused(tmp_path):
    path = str(tmp_path / "w")
    _trained().save_weights(path)
    other = _model(units=2)
    before = other.predict(_x)
    with pytest.raises(ValueError, match="must have the shape of"):
        other.load_weights(path)
    with pytest.raises(tf.errors.NotFoundError, match="has no layer_with_weights-0"):
        tf.keras.Sequential([layers.Dense(1, input_shape=(2,))]).load_weights(path)
    with pytest.raises(ValueError, match="by_name"):
        other.load_weights(path, by_name=True)
    with pytest.raises(ValueError, match="save_format"):
        other.save_weights(path, save_format="zip")
    with pytest.raises(OSError):
        other.load_weights(str(tmp_path / "nothing"))
    np.testing.assert_array_equal(other.predict(_x), before)


def test_weights_are_saved_by_tensorflows_saver(tmp_path):
    model = _trained()
    wanted = model.predict(_x)
    path = tf.train.Saver(model.weights).save(K.get_session(), str(tmp_path / "c"))
    names = {n for n, _ in tf.train.list_variables(path)}
    assert {"scores/kernel", "batch_normalization/moving_mean"} <= names
    model.set_weights([w * 0 for w in model.get_weights()])
    tf.train.Saver(model.weights).restore(K.get_session(), path)
    np.testing.assert_array_equal(model.predict(_x), wanted)


@pytest.mark.parametrize("how", ["export", "save"])
def test_a_saved_model_predicts_and_is_loaded(tmp_path, how):
    model, folder = _trained(), str(tmp_path / "saved")
    if how == "export":
        tf.keras.experimental.export_saved_model(model, folder)
        again = tf.keras.experimental.load_from_saved_model(folder)
    else:
        model.save(folder, save_format="tf")
        again = tf.keras.models.load_model(folder)
    wanted = model.predict(_x)
    np.testing.assert_array_equal(again.predict(_x), wanted)
    with tf.Graph().as_default(), tf.Session() as session:
        meta = tf.saved_model.loader.load(session, ["serve"], folder)
        signature = meta.signature_def["serving_default"]
        assert list(signature.inputs) == ["steps"]
        assert list(signature.outputs) == ["scores"]
        found = session.run(
            signature.outputs["scores"].name, {signature.inputs["steps"].name: _x}
        )
    np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-6)


def test_a_model_that_is_not_built_is_not_exported(tmp_path):
    with pytest.raises(ValueError, match="has no inputs yet"):
        tf.keras.Sequential([layers.Dense(1)]).save(str(tmp_path), save_format="tf")
    with pytest.raises(ValueError, match="save_format must be"):
        _model().save(str(tmp_path), save_format="zip")


def test_a_saved_model_of_something_else_is_refused(tmp_path):
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [2])
        tf.saved_model.simple_save(session, str(tmp_path / "m"), {"x": x}, {"y": x + 1})
    with pytest.raises(ValueError, match="has no assets"):
        tf.keras.models.load_model(str(tmp_path / "m"))


def test_configs_make_models_again():
    model = _trained()
    for again in (
        tf.keras.models.model_from_json(model.to_json()),
        tf.keras.models.model_from_yaml(model.to_yaml()),
        tf.keras.Model.from_config(model.get_config()),
        tf.keras.models.clone_model(model),
    ):
        again.set_weights(model.get_weights())
        np.testing.assert_array_equal(again.predict(_x), model.predict(_x))
