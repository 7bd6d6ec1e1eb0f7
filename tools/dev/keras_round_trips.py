# SPDX-License-Identifier: Apache-2.0
"""Weights of Keras models go to TensorFlow and come back; and training begins with equal steps.

Usage: ./run tools/dev/keras_round_trips.py [PYTHON]

PYTHON is one with tensorflow-cpu 2.21 and tf_keras 2.21; .venv-peer-keras is made if none is given.  Each side builds the same models, draws their weights, and
saves these in HDF5 and what the models predict; the other loads them and must predict the same to 1e-5 of the largest.
Theirs are loaded from checkpoints, too, and whole models from HDF5.  A dense net that begins with the same weights is
trained by each optimizer on the same batches: the losses must be equal to 1e-4 of themselves.
"""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

TOLERANCE = 1e-5
OPTIMIZERS = {
    "sgd": dict(learning_rate=0.05),
    "momentum": dict(learning_rate=0.02, momentum=0.9, nesterov=True),
    "rmsprop": dict(learning_rate=0.01),
    "adam": dict(learning_rate=0.01),
    "adamax": dict(learning_rate=0.01),
    "adam_amsgrad": dict(learning_rate=0.01, amsgrad=True),
}


def library(name: str):
    """Keras of TensorFlow, or ours; both have the names used here."""
    if name == "tensorflow":
        os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
        os.environ["TF_USE_LEGACY_KERAS"] = "1"
        import tf_keras as keras
    else:
        import tensorwright as tf

        keras = tf.keras
    return keras


def _recurrent(keras, cell: str, **options):
    layers = keras.layers
    kind = getattr(layers, cell)
    if cell == "GRU":
        options = {"reset_after": False, **options}
    inputs = layers.Input((6, 4))
    hidden = kind(5, return_sequences=True, **options)(layers.Masking(0.0)(inputs))
    hidden = layers.Bidirectional(kind(3, **options))(hidden)
    return keras.Model(inputs, layers.Dense(2)(hidden))


def _images(keras):
    layers = keras.layers
    inputs = layers.Input((12, 12, 3))
    hidden = layers.Conv2D(6, 3, activation="relu", padding="same")(inputs)
    hidden = layers.BatchNormalization()(hidden)
    hidden = layers.MaxPooling2D()(hidden)
    hidden = layers.SeparableConv2D(5, 3, depth_multiplier=2)(hidden)
    hidden = layers.DepthwiseConv2D(2, padding="same")(hidden)
    hidden = layers.Conv2DTranspose(4, 3, strides=2, activation="tanh")(hidden)
    hidden = layers.LeakyReLU(0.3)(hidden)
    hidden = layers.PReLU(alpha_initializer="uniform")(hidden)
    hidden = layers.GlobalAveragePooling2D()(hidden)
    return keras.Model(inputs, layers.Dense(3, activation="softmax")(hidden))


def _nested(keras):
    layers = keras.layers
    part = keras.Sequential(
        [layers.Dense(5, activation="elu", input_shape=(4,)), layers.BatchNormalization()]
    )  # fmt: skip
    a, b = layers.Input((4,)), layers.Input((4,))
    both = layers.concatenate([part(a), part(b), layers.multiply([a, b])])
    return keras.Model([a, b], [layers.Dense(2)(both), layers.Dense(1)(both)])


def models(keras) -> dict:
    """Name -> (how the model is made, the shapes of its inputs)."""
    layers, sequential = keras.layers, keras.Sequential
    words = layers.Embedding
    return {
        "dense": (
            lambda: sequential(
                [layers.Dense(8, activation="relu", input_shape=(7,)), layers.Dropout(0.5), layers.Dense(3, activation="softmax")]
            ),
            [(7,)],
        ),
        "images": (lambda: _images(keras), [(12, 12, 3)]),
        "lstm": (lambda: _recurrent(keras, "LSTM"), [(6, 4)]),
        "lstm_hard": (
            lambda: _recurrent(keras, "LSTM", recurrent_activation="hard_sigmoid", unit_forget_bias=False),
            [(6, 4)],
        ),
        "gru": (lambda: _recurrent(keras, "GRU"), [(6, 4)]),
        "gru_reset_after": (
            lambda: _recurrent(keras, "GRU", reset_after=True),
            [(6, 4)],
        ),
        "rnn": (lambda: _recurrent(keras, "SimpleRNN"), [(6, 4)]),
        "words": (
            lambda: sequential(
                [words(10, 4, input_length=6), layers.Conv1D(5, 3), layers.GlobalMaxPooling1D(), layers.Dense(1)]
            ),
            [(6,)],
        ),
        "films": (
            lambda: sequential(
                [layers.ConvLSTM2D(3, 3, input_shape=(3, 6, 6, 2)), layers.Flatten(), layers.Dense(2)]
            ),
            [(3, 6, 6, 2)],
        ),
        "steps": (
            lambda: sequential(
                [layers.TimeDistributed(layers.Dense(3), input_shape=(6, 4)), layers.LocallyConnected1D(2, 2), layers.Flatten()]
            ),
            [(6, 4)],
        ),
        "nested": (lambda: _nested(keras), [(4,), (4,)]),
    }  # fmt: skip


def data(name: str, shapes: list) -> list:
    rng = np.random.RandomState(len(name))
    if name == "words":
        return [rng.randint(10, size=(5, *s)) for s in shapes]
    return [rng.randn(5, *s).astype("float32") for s in shapes]


def predictions(model, name: str, shapes: list) -> list:
    given = data(name, shapes)
    found = model.predict(given if len(given) > 1 else given[0], verbose=0)
    return found if isinstance(found, list) else [found]


def write(side: str, folder: pathlib.Path) -> None:
    """Weights, whole models and predictions of one side."""
    keras = library(side)
    for name, (make, shapes) in models(keras).items():
        keras.backend.clear_session()
        model = make()
        rng = np.random.RandomState(7)
        # Variances are positive.
        model.set_weights([rng.rand(*w.shape) * 0.6 for w in model.get_weights()])
        model.save_weights(str(folder / f"{name}.h5"))
        model.save(str(folder / f"{name}_whole.h5"))
        if side == "tensorflow":
            model.save_weights(str(folder / f"{name}_checkpoint"))
        np.savez(folder / f"{name}.npz", *predictions(model, name, shapes))


def read(side: str, folder: pathlib.Path) -> None:
    """Loads the other side's files, and prints the differences."""
    keras = library(side)
    for name, (make, shapes) in models(keras).items():
        wanted = list(np.load(folder / f"{name}.npz").values())
        ways = {
            "weights": lambda m, name=name: m.load_weights(str(folder / f"{name}.h5"))
        }
        if side == "tensorwright":
            ways["checkpoint"] = lambda m, name=name: m.load_weights(
                str(folder / f"{name}_checkpoint")
            )
            ways["whole"] = None
        for way, load in ways.items():
            keras.backend.clear_session()
            try:
                if load is None:
                    model = keras.models.load_model(str(folder / f"{name}_whole.h5"))
                else:
                    model = make()
                    load(model)
                found = predictions(model, name, shapes)
                far = max(
                    float(abs(a - b).max() / abs(b).max())
                    for a, b in zip(found, wanted)
                )
                told = "equal" if far <= TOLERANCE else f"DIFFERS by {far:.1e}"
            except Exception as error:
                told = f"FAILS: {type(error).__name__}: {str(error)[:300]}"
            print(f"{side} reads {name} ({way}): {told}", flush=True)


def train(side: str, folder: pathlib.Path) -> None:
    """The losses of a dense net's first steps, by each optimizer, into losses_SIDE.npz."""
    keras = library(side)
    rng = np.random.RandomState(3)
    x, y = rng.randn(96, 6), rng.randint(3, size=96)
    weights = [rng.randn(6, 8), rng.randn(8), rng.randn(8, 3), rng.randn(3)]
    found = {}
    for name, options in OPTIMIZERS.items():
        keras.backend.clear_session()
        layers = keras.layers
        model = keras.Sequential(
            [layers.Dense(8, activation="tanh", input_shape=(6,)), layers.Dense(3, activation="softmax")]
        )  # fmt: skip
        model.set_weights(weights)
        kinds = {"sgd": "SGD", "momentum": "SGD", "rmsprop": "RMSprop", "adam": "Adam"}
        kind = getattr(
            keras.optimizers, kinds.get(name, "Adamax" if "x" in name else "Adam")
        )
        model.compile(kind(**options), "sparse_categorical_crossentropy")
        history = model.fit(x, y, batch_size=16, epochs=6, shuffle=False, verbose=0)
        found[name] = history.history["loss"]
    np.savez(folder / f"losses_{side}.npz", **found)


def compare_training(folder: pathlib.Path) -> str:
    """A line for each optimizer: are the losses of both sides equal?"""
    ours, theirs = (
        np.load(folder / f"losses_{side}.npz")
        for side in ("tensorwright", "tensorflow")
    )
    lines = ""
    for name in OPTIMIZERS:
        far = float(np.max(abs(ours[name] - theirs[name]) / theirs[name]))
        told = "equal" if far <= 1e-4 else f"DIFFERS by {far:.1e}"
        lines += f"losses of {name}, {len(ours[name])} epochs: {told}\n"
    return lines


def theirs(argv: list[str]) -> str:
    """The Python of the command line, or of an environment that is made."""
    if argv:
        return argv[0]
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "difftest"))
    import peer_venv

    return peer_venv.python_with_keras()


def main(argv: list[str]) -> int:
    if len(argv) == 3:
        globals()[argv[0]](argv[1], pathlib.Path(argv[2]))
        return 0
    pythons = {"tensorwright": sys.executable, "tensorflow": theirs(argv)}

    def run(what: str, side: str, folder: str) -> str:
        environment = dict(os.environ)
        if side == "tensorflow":
            environment.pop("PYTHONPATH", None)
        done = subprocess.run(
            [pythons[side], __file__, what, side, folder],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
        if done.returncode:
            return f"{side}: {what} FAILS\n{done.stderr[-2000:]}\n"
        return done.stdout

    told = ""
    with tempfile.TemporaryDirectory() as folder:
        for writer, reader in (("tensorflow", "tensorwright"), ("tensorwright", "tensorflow")):  # fmt: skip # noqa: E501
            part = os.path.join(folder, writer)
            os.mkdir(part)
            told += run("write", writer, part)
            told += run("read", reader, part)
        trained = "".join(run("train", side, folder) for side in pythons)
        told += trained
        if "FAILS" not in trained:
            told += compare_training(pathlib.Path(folder))
    print(told, end="")
    bad = told.count("DIFFERS") + told.count("FAILS")
    print(f"{told.count(': equal')} equal, {bad} not")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
