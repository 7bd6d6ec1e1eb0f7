# SPDX-License-Identifier: Apache-2.0
"""The additions of `tf.keras` to Keras: TensorFlow's layers, datasets, optimizers and names."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.keras.keras_testutil import forget  # noqa: F401

K, layers = tf.keras.backend, tf.keras.layers
_x = np.random.RandomState(0).randn(48, 4).astype("float32")
_y = (_x @ np.array([[1.0], [2.0], [-1.0], [0.5]])).astype("float32")


def _line(optimizer="sgd", **compiling):
    model = tf.keras.Sequential([layers.Dense(1, input_shape=(4,))])
    model.compile(optimizer, "mse", **compiling)
    return model


def _dataset(batch=16):
    return tf.data.Dataset.from_tensor_slices((_x, _y)).batch(batch)


class Scale(layers.Layer):
    """A layer as those of TensorFlow's guides are written."""

    def __init__(self, units, **kwargs):
        self.units = units
        super().__init__(**kwargs)

    def build(self, input_shape):
        assert input_shape[-1].value == input_shape.as_list()[-1] == input_shape[1]
        shape = tf.TensorShape((input_shape[1], self.units))
        self.kernel = self.add_weight("kernel", shape=shape, initializer="ones")
        self.offset = self.add_variable("offset", [self.units], trainable=False)
        super().build(input_shape)

    def call(self, inputs, training=None):
        return tf.matmul(inputs, self.kernel) + self.offset

    def get_config(self):
        return {**super().get_config(), "units": self.units}


def test_layers_have_tensorflows_members():
    layer = Scale(3)
    output = layer.apply(tf.constant(_x))
    assert output.shape.as_list() == [48, 3]
    assert [v.name for v in layer.variables] == ["scale/kernel:0", "scale/offset:0"]
    assert layer.trainable_variables == [layer.kernel]
    assert layer.non_trainable_variables == [layer.offset]


def test_weights_that_are_not_trained_are_not_in_the_collection():
    Scale(3)(tf.constant(_x))
    layers.BatchNormalization()(tf.constant(_x))
    model = _line("adam")
    model.train_on_batch(_x, _y)
    names = [v.name.partition("/")[2] for v in tf.trainable_variables()]
    assert names == ["kernel:0", "gamma:0", "beta:0", "kernel:0", "bias:0"]
    everything = {v.name for v in tf.global_variables()}
    assert {"scale/offset:0", "batch_normalization/moving_mean:0"} <= everything


def test_a_layer_that_does_not_tell_its_shape_has_that_of_its_output():
    inputs = layers.Input((4,))
    hidden = Scale(7)(inputs)
    assert K.int_shape(hidden) == (None, 7)
    model = tf.keras.Model(inputs, layers.Dense(2)(hidden))
    assert model.predict(_x).shape == (48, 2)
    assert model.layers[2].kernel.shape.as_list() == [7, 2]


def test_a_layer_may_tell_its_shape_as_a_tensor_shape():
    class Told(Scale):
        def compute_output_shape(self, input_shape):
            sizes = tf.TensorShape(input_shape).as_list()
            return tf.TensorShape([*sizes[:-1], self.units])

    inputs = layers.Input((4,))
    assert K.int_shape(Told(6)(inputs)) == (None, 6)


def test_a_layer_of_ones_own_is_saved_and_loaded(tmp_path):
    model = tf.keras.Sequential([Scale(3, input_shape=(4,)), layers.Dense(1)])
    model.compile("sgd", "mse")
    model.fit(_x, _y, verbose=0)
    model.save(str(tmp_path / "model.h5"))
    again = tf.keras.models.load_model(
        str(tmp_path / "model.h5"), custom_objects={"Scale": Scale}
    )
    np.testing.assert_array_equal(again.predict(_x), model.predict(_x))


def test_add_weight_refuses_arguments_it_does_not_know():
    with pytest.raises(TypeError, match="unknown arguments.*nonsense"):
        layers.Dense(1).add_weight("w", (1,), nonsense=1)


def test_names_begin_without_a_number():
    assert [layers.Dense(1).name for _ in range(3)] == ["dense", "dense_1", "dense_2"]
    assert tf.keras.Sequential().name == "sequential"
    assert layers.Input((1,)).name == "input_1:0"


def test_initializers_and_activations_of_tensorflow_serve_layers():
    layer = layers.Dense(
        3,
        activation=tf.nn.relu,
        kernel_initializer=tf.constant_initializer(0.5),
        kernel_regularizer=lambda w: 0.1 * tf.reduce_sum(w),
    )
    output, loss = layer(tf.ones([1, 4])), layer.losses
    value, (lost,) = K.get_session().run([output, loss])
    np.testing.assert_allclose(value, [[2.0, 2.0, 2.0]])
    np.testing.assert_allclose(lost, 0.6, rtol=1e-6)


def test_fit_takes_each_batch_of_a_dataset_once_an_epoch():
    model, same = _line(), _line()
    same.set_weights(model.get_weights())
    found = model.fit(_dataset(), epochs=3, verbose=0).history["loss"]
    wanted = same.fit(_x, _y, 16, epochs=3, verbose=0, shuffle=False).history["loss"]
    np.testing.assert_allclose(found, wanted, rtol=1e-5)
    for a, b in zip(model.get_weights(), same.get_weights()):
        np.testing.assert_allclose(a, b, rtol=1e-5)


def test_evaluate_and_predict_take_datasets():
    model = _line(metrics=["mae"])
    np.testing.assert_allclose(
        model.evaluate(_dataset(), verbose=0), model.evaluate(_x, _y, verbose=0), rtol=1e-5
    )  # fmt: skip
    np.testing.assert_allclose(model.predict(_dataset()), model.predict(_x), rtol=1e-5)
    assert model.predict(_dataset(), steps=2).shape == (32, 1)
    only = tf.data.Dataset.from_tensor_slices(_x).batch(16)
    assert model.predict(only).shape == (48, 1)


def test_steps_go_on_where_the_epoch_before_ended():
    seen = []
    record = tf.keras.callbacks.LambdaCallback(
        on_batch_end=lambda _, logs: seen.append(logs["loss"])
    )
    model = _line(tf.train.GradientDescentOptimizer(0.0))
    model.fit(
        _dataset().repeat(), epochs=3, steps_per_epoch=2, verbose=0, callbacks=[record]
    )
    np.testing.assert_allclose(seen[:3], seen[3:], rtol=1e-6)
    assert len(set(seen)) == 3


def test_validation_data_may_be_a_dataset():
    model = _line(tf.train.GradientDescentOptimizer(0.0))
    wanted = model.evaluate(_x, _y, verbose=0)
    for given in (dict(x=_dataset()), dict(x=_x, y=_y)):
        history = model.fit(
            **given, validation_data=_dataset(), epochs=2, verbose=0
        ).history
        np.testing.assert_allclose(history["val_loss"], [wanted] * 2, rtol=1e-5)


def test_a_dataset_that_runs_out_ends_training():
    model = _line()
    history = model.fit(_dataset(), epochs=5, steps_per_epoch=2, verbose=0)
    assert len(history.history["loss"]) == 1


def test_fit_takes_tensors_of_an_iterator():
    batch = tf.data.make_one_shot_iterator(_dataset().repeat())
    features, labels = batch.get_next()
    model = _line(tf.train.AdamOptimizer(0.1))
    losses = model.fit(features, labels, steps_per_epoch=3, epochs=15, verbose=0).history["loss"]  # fmt: skip # noqa: E501
    assert losses[-1] < losses[0] / 4
    with pytest.raises(ValueError, match="steps_per_epoch"):
        model.fit(features, labels, verbose=0)


def test_models_of_several_inputs_take_dicts_of_a_dataset():
    a, b = layers.Input((4,), name="a"), layers.Input((4,), name="b")
    total = layers.concatenate([a, b])
    model = tf.keras.Model([a, b], [layers.Dense(1, name=n)(total) for n in "cd"])
    model.compile("sgd", {"c": "mse", "d": "mae"}, loss_weights={"c": 1.0, "d": 0.5})
    data = tf.data.Dataset.from_tensor_slices(
        ({"a": _x, "b": _x}, {"c": _y, "d": _y})
    ).batch(16)
    losses = model.fit(data, epochs=4, verbose=0).history
    assert set(losses) == {"loss", "c_loss", "d_loss"}
    assert losses["loss"][-1] < losses["loss"][0]
    c, d = model.predict({"a": _x, "b": _x})
    found, *_ = model.evaluate(data, verbose=0)
    wanted = np.mean((c - _y) ** 2) + 0.5 * np.mean(abs(d - _y))
    np.testing.assert_allclose(found, wanted, rtol=1e-4)


def test_optimizers_of_tensorflow_count_each_step_once():
    model = _line(tf.train.MomentumOptimizer(0.05, 0.9))
    losses = model.fit(_x, _y, 16, epochs=10, verbose=0).history["loss"]
    assert losses[-1] < losses[0] / 4
    assert K.get_value(model.optimizer.iterations) == 30


def test_one_step_of_an_optimizer_of_tensorflow_is_its_formula():
    model = _line(tf.train.GradientDescentOptimizer(0.1))
    w, b = model.get_weights()
    model.train_on_batch(_x, _y)
    error = _x @ w + b - _y
    wanted = w - 0.1 * 2 * _x.T @ error / len(_x), b - 0.1 * 2 * error.mean(0)
    for found, value in zip(model.get_weights(), wanted):
        np.testing.assert_allclose(found, value, rtol=1e-4, atol=1e-6)


def test_a_model_of_its_own_class_is_built_by_its_first_batch():
    class Two(tf.keras.Model):
        def __init__(self):
            super().__init__(name="two")
            self.hidden = layers.Dense(8, activation="relu")
            self.out = layers.Dense(1)

        def call(self, inputs, training=None):
            return self.out(self.hidden(inputs))

    for given in (dict(x=_dataset()), dict(x=_x, y=_y)):
        model = Two()
        model.compile(tf.train.AdamOptimizer(0.05), "mse")
        losses = model.fit(**given, epochs=10, verbose=0).history["loss"]
        assert losses[-1] < losses[0] / 2
        assert len(model.trainable_variables) == 4


def test_states_of_a_stateful_layer_last_until_they_are_reset():
    model = tf.keras.Sequential(
        [layers.LSTM(3, stateful=True, batch_input_shape=(2, 5, 1))]
    )
    x = np.ones((2, 5, 1))
    first, second = model.predict(x), model.predict(x)
    model.reset_states()
    np.testing.assert_allclose(model.predict(x), first)
    assert abs(first - second).max() > 1e-3
    whole = layers.LSTM(3)
    long = tf.keras.Sequential([whole])
    long.build((2, 10, 1))
    whole.set_weights(model.get_weights())
    np.testing.assert_allclose(
        long.predict(np.ones((2, 10, 1))), second, rtol=1e-5, atol=1e-6
    )


def test_time_distributed_is_the_layer_at_each_step():
    dense = layers.Dense(3)
    inputs = layers.Input((5, 4))
    model = tf.keras.Model(inputs, layers.TimeDistributed(dense)(inputs))
    x = np.random.RandomState(1).randn(2, 5, 4)
    w, b = dense.get_weights()
    np.testing.assert_allclose(model.predict(x), x @ w + b, rtol=1e-5, atol=1e-5)


def test_plain_operations_see_the_learning_phase():
    inputs = layers.Input((4,))
    noisy = layers.Lambda(
        lambda t: tf.where(tf.cast(K.learning_phase(), tf.bool), t * 0.0, t)
    )
    model = tf.keras.Model(inputs, noisy(inputs))

    def size(_, found):
        return K.mean(K.abs(found))

    model.compile("sgd", "mse", metrics=[size])
    assert abs(model.predict(_x)).max() > 0
    assert model.train_on_batch(_x, _x)[1] == 0
    assert model.test_on_batch(_x, _x)[1] > 0


def test_metrics_are_named_as_tensorflow_names_them():
    def size(_, found):
        return K.mean(found)

    model = tf.keras.Sequential([layers.Dense(3, input_shape=(4,))])
    model.compile(
        "sgd",
        "mse",
        metrics=["accuracy", "mae", size, tf.keras.metrics.CosineSimilarity()],
        weighted_metrics=["accuracy", "mae"],
    )
    assert model.metrics_names == [
        "loss", "acc", "mean_absolute_error", "size", "cosine_similarity",
        "weighted_acc", "weighted_mean_absolute_error",
    ]  # fmt: skip
