# SPDX-License-Identifier: Apache-2.0
"""Graphs that TensorFlow 2.21 freezes are loaded here and give its numbers.

Usage: ./run tools/dev/frozen_graphs.py [NAME ...]

TensorFlow, in a process of its own (.venv-peer), makes networks with drawn weights: convolutional and recurrent ones of
its Keras, an encoder as BERT's, the boxes that detectors choose. It writes each as a frozen GraphDef and as a SavedModel,
with inputs and what it computes of them. All of that is read and run here. The exit status is 1 where numbers differ by
more than 1e-4 of the largest.
"""

import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

_TOLERANCE = 1e-4


# TensorFlow's side. ------------------------------------------------------------------------------------------


def _drawn(*shape, low=-1.0, high=1.0):
    rng = np.random.RandomState(sum(shape))
    return rng.uniform(low, high, shape).astype(np.float32)


def _with_statistics(model):
    """Batch norms of a network that was not trained divide by 1: gives them other statistics."""
    rng = np.random.RandomState(1)
    for layer in model.layers:
        if hasattr(layer, "moving_variance"):
            shape = layer.moving_variance.shape
            layer.moving_variance.assign(rng.uniform(0.5, 2.0, shape))
            layer.moving_mean.assign(rng.uniform(-0.1, 0.1, shape))
    return model


def _application(name, size):
    def make(tf):
        build = getattr(tf.keras.applications, name)
        model = _with_statistics(
            build(weights=None, input_shape=(size, size, 3), classes=10)
        )
        return model, [_drawn(2, size, size, 3)]

    return make


def _recurrent(tf):
    layers = tf.keras.layers
    x = layers.Input((12, 5))
    y = layers.Bidirectional(layers.LSTM(7, return_sequences=True))(x)
    y = layers.GRU(6)(y)
    return tf.keras.Model(x, layers.Dense(3, activation="softmax")(y)), [
        _drawn(4, 12, 5)
    ]


def _bert(tf, words=50, length=16, width=32, heads=4):
    """An encoder of two blocks: attention by Einsum, layer norms, gelu by Erf; 0 is no word, and gets no attention."""
    layers = tf.keras.layers
    ids = layers.Input((length,), dtype="int32")
    places = tf.keras.ops.arange(length, dtype="int32")[None]
    x = layers.Embedding(words, width)(ids) + layers.Embedding(length, width)(places)
    x = layers.LayerNormalization(epsilon=1e-12)(x)
    mask = tf.keras.ops.not_equal(ids, 0)[:, None, :]
    for _ in range(2):
        attention = layers.MultiHeadAttention(heads, width // heads)
        found = attention(x, x, attention_mask=mask)
        x = layers.LayerNormalization(epsilon=1e-12)(x + found)
        inner = layers.Dense(4 * width)(x)
        inner = tf.keras.activations.gelu(inner, approximate=False)
        x = layers.LayerNormalization(epsilon=1e-12)(x + layers.Dense(width)(inner))
    first = layers.Dense(width, activation="tanh")(x[:, 0])
    drawn = np.random.RandomState(2).randint(1, words, (3, length))
    return tf.keras.Model(ids, [x, first]), [
        np.where(np.arange(length) < [[16], [9], [12]], drawn, 0).astype(np.int32)
    ]


def _detector(tf):
    """The boxes that remain of many, by each of TensorFlow's ways to choose them."""

    def call(boxes, scores):
        together = tf.image.combined_non_max_suppression(
            boxes[:, :, None], scores, 5, 20, 0.4, 0.3
        )
        one, best = boxes[0], tf.reduce_max(scores[0], -1)
        raw = tf.raw_ops
        third = raw.NonMaxSuppressionV3(
            boxes=one,
            scores=best,
            max_output_size=9,
            iou_threshold=0.4,
            score_threshold=0.2,
        )
        fourth = raw.NonMaxSuppressionV4(
            boxes=one,
            scores=best,
            max_output_size=9,
            iou_threshold=0.4,
            score_threshold=0.2,
            pad_to_max_output_size=True,
        )
        fifth = raw.NonMaxSuppressionV5(
            boxes=one,
            scores=best,
            max_output_size=9,
            iou_threshold=0.4,
            score_threshold=0.2,
            soft_nms_sigma=0.3,
        )
        return [*together, third, *fourth, *fifth]

    corner = _drawn(2, 40, 2, low=0.0, high=0.7)
    size = _drawn(2, 40, 3, low=0.05, high=0.3)[..., :2]
    return call, [
        np.concatenate([corner, corner + size], -1),
        _drawn(2, 40, 4, low=0.0),
    ]


_MODELS = {
    "resnet50": _application("ResNet50", 64),
    "resnet50_v2": _application("ResNet50V2", 64),
    "inception_v3": _application("InceptionV3", 96),
    "mobilenet_v2": _application("MobileNetV2", 64),
    "mobilenet_v3": _application("MobileNetV3Small", 64),
    "efficientnet": _application("EfficientNetB0", 64),
    "densenet": _application("DenseNet121", 64),
    "xception": _application("Xception", 96),
    "recurrent": _recurrent,
    "bert": _bert,
    "detector": _detector,
}  # fmt: skip


def write(folder: pathlib.Path, names: list[str]) -> None:
    """Runs in TensorFlow's interpreter: NAME.pb and NAME.npz for each, NAME/ with the SavedModel."""
    import tensorflow as tf
    from tensorflow.python.framework import convert_to_constants

    for name in names:
        tf.keras.utils.set_random_seed(1)
        model, inputs = _MODELS[name](tf)
        specs = [tf.TensorSpec(x.shape, x.dtype) for x in inputs]
        concrete = _function(tf, model, specs)
        frozen = convert_to_constants.convert_variables_to_constants_v2(concrete)
        found = concrete(*[tf.constant(x) for x in inputs])
        outputs = [found[key].numpy() for key in sorted(found)]
        definition = frozen.graph.as_graph_def()
        pathlib.Path(folder, f"{name}.pb").write_bytes(definition.SerializeToString())
        np.savez(
            f"{folder}/{name}.npz",
            fed=[t.name for t in frozen.inputs],
            fetched=[t.name for t in frozen.outputs],
            **{f"input{i}": x for i, x in enumerate(inputs)},
            **{f"output{i}": x for i, x in enumerate(outputs)},
        )
        _save(tf, model, concrete, f"{folder}/{name}")
        print(f"{name}: {len(definition.node)} nodes", flush=True)


def _function(tf, model, specs):
    """The model as a concrete function with a list of outputs."""

    def listed(found):
        found = found if isinstance(found, list) else [found]
        return {f"output_{i:02}": x for i, x in enumerate(found)}

    if isinstance(model, tf.keras.Model):
        function = tf.function(lambda input0: listed(model(input0, training=False)))
    else:
        function = tf.function(lambda input0, input1: listed(model(input0, input1)))
    named = [tf.TensorSpec(s.shape, s.dtype, f"input{i}") for i, s in enumerate(specs)]
    return function.get_concrete_function(*named)


def _save(tf, model, concrete, folder):
    if isinstance(model, tf.keras.Model):
        model.export(folder, verbose=False)
        return
    module = tf.Module()
    module.concrete = concrete
    tf.saved_model.save(module, folder, signatures=concrete)


# Ours. -------------------------------------------------------------------------------------------------------


def _numbered(data, prefix: str) -> list[np.ndarray]:
    count = sum(key.startswith(prefix) for key in data.files)
    return [data[f"{prefix}{i}"] for i in range(count)]


def _far(got: list[np.ndarray], wanted: list[np.ndarray]) -> str:
    """The first output that is another one; "" if all are alike."""
    for i, (a, b) in enumerate(zip(got, wanted, strict=True)):
        if a.dtype != b.dtype or a.shape != b.shape:
            return (
                f"output {i} is {a.dtype} {a.shape}, TensorFlow's {b.dtype} {b.shape}"
            )
        if a.dtype.kind == "f":
            off = np.abs(a - b).max(initial=0) / max(np.abs(b).max(initial=0), 1e-6)
            if not off <= _TOLERANCE:
                return f"output {i} is off by {off:.3g} of the largest"
        elif not np.array_equal(a, b):
            return f"output {i} differs"
    return ""


def _run_frozen(tf, folder: pathlib.Path, name: str) -> str:
    definition = tf.GraphDef.FromString((folder / f"{name}.pb").read_bytes())
    data = np.load(folder / f"{name}.npz")
    with tf.Graph().as_default(), tf.Session() as session:
        tf.import_graph_def(definition, name="")
        feeds = dict(zip(data["fed"].tolist(), _numbered(data, "input"), strict=True))
        return _far(
            session.run(data["fetched"].tolist(), feeds), _numbered(data, "output")
        )


def _run_saved(tf, folder: pathlib.Path, name: str) -> str:
    data = np.load(folder / f"{name}.npz")
    with tf.Graph().as_default(), tf.Session() as session:
        meta = tf.saved_model.loader.load(session, ["serve"], str(folder / name))
        signature = meta.signature_def["serving_default"]
        fed = [signature.inputs[key].name for key in sorted(signature.inputs)]
        fetched = [signature.outputs[key].name for key in sorted(signature.outputs)]
        feeds = dict(zip(fed, _numbered(data, "input"), strict=True))
        return _far(session.run(fetched, feeds), _numbered(data, "output"))


def read(folder: pathlib.Path, names: list[str]) -> int:
    import tensorwright as tf

    failed = 0
    for name in names:
        for form, run in (("frozen", _run_frozen), ("SavedModel", _run_saved)):
            try:
                wrong = run(tf, folder, name)
            except Exception as e:
                wrong = f"{type(e).__name__}: {str(e)[:300]}"
            failed += bool(wrong)
            print(f"{name:14} {form:11} {wrong or 'ok'}", flush=True)
    print(f"{failed} of {2 * len(names)} failed")
    return 1 if failed else 0


def main() -> int:
    if len(sys.argv) > 2 and sys.argv[1] == "--write":
        write(pathlib.Path(sys.argv[2]), sys.argv[3:])
        return 0
    names = sys.argv[1:] or list(_MODELS)
    if unknown := set(names) - set(_MODELS):
        sys.exit(
            f"no such model: {', '.join(sorted(unknown))}; there are {', '.join(_MODELS)}"
        )
    from tensorwright.tools.difftest import peer_venv

    with tempfile.TemporaryDirectory() as folder:
        environment = {
            **os.environ,
            "TF_CPP_MIN_LOG_LEVEL": "3",
            "CUDA_VISIBLE_DEVICES": "",
        }
        environment.pop("PYTHONPATH", None)
        command = [peer_venv.python(), __file__, "--write", folder, *names]
        if subprocess.run(command, env=environment).returncode:
            return 1
        return read(pathlib.Path(folder), names)


if __name__ == "__main__":
    sys.exit(main())
