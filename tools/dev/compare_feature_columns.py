# SPDX-License-Identifier: Apache-2.0
"""Models of feature columns, tables and warm starts, here and in TensorFlow.

Usage: ./run tools/dev/compare_feature_columns.py

The same program builds each model in both libraries.  Names and shapes of variables, the specs of Examples, hashes
and ids must be equal; values and gradients must be as close as float32 allows.  Errors must be of one class.
"""

import os
import pathlib
import pickle
import subprocess
import sys
import tempfile
import traceback
import zlib

import numpy as np

MODELS = {}


def model(function):
    """A function of the library that returns (features, columns); both kinds of layers are made of them."""
    MODELS[function.__name__] = function
    return function


def words(rng, shape):
    return np.array([f"w{i}" for i in rng.randint(0, 9, shape).flat]).reshape(shape)


def sparse(tf, values, rows=4, seed=3):
    """Values of rows with 0 to 3 each."""
    rng = np.random.RandomState(seed)
    indices = [[r, c] for r in range(rows) for c in range(rng.randint(0, 4))]
    picked = [values[i % len(values)] for i in range(len(indices))]
    return tf.SparseTensorValue(indices, np.array(picked), [rows, 4])


@model
def numbers(tf):
    fc = tf.feature_column
    features = {
        "price": np.float32([[1], [2], [3.5], [-1]]),
        "size": np.float32([[1, 2], [3, 4], [-5, 6], [7, 100]]),
        "count": np.array([1, 2, 3, 4]),
    }
    size = fc.numeric_column("size", shape=2)
    return features, [
        fc.numeric_column("price", normalizer_fn=lambda x: (x - 1) / 2),
        fc.numeric_column("count", dtype=tf.int64, default_value=7),
        size,
        fc.bucketized_column(size, [0, 3, 5.5]),
    ]


@model
def hashes(tf):
    fc = tf.feature_column
    rng = np.random.RandomState(1)
    features = {
        "dense": words(rng, [4, 2]),
        "sparse": sparse(tf, ["a", "b", "", "löß", "a"]),
        "number": np.array([[3, -1], [0, 5], [-1, -1], [2**40, 7]]),
    }
    text = fc.categorical_column_with_hash_bucket("dense", 10)
    other = fc.categorical_column_with_hash_bucket("sparse", 1000)
    number = fc.categorical_column_with_hash_bucket("number", 17, tf.int64)
    return features, [
        fc.indicator_column(text),
        fc.indicator_column(number),
        fc.embedding_column(other, 3, combiner="sqrtn"),
    ]


@model
def identities(tf):
    fc = tf.feature_column
    features = {
        "id": np.array([[3, 0], [-1, 1], [2, 2], [-1, -1]]),
        "far": np.array([[30], [0], [2], [5]]),
    }
    near = fc.categorical_column_with_identity("id", 4)
    far = fc.categorical_column_with_identity("far", 4, default_value=1)
    return features, [
        fc.indicator_column(near),
        fc.indicator_column(far),
        fc.embedding_column(near, 2, max_norm=0.5),
    ]


@model
def vocabularies(tf):
    fc = tf.feature_column
    path = os.path.join(os.environ["FOLDER"], "words.txt")
    features = {
        "word": words(np.random.RandomState(2), [4, 3]),
        "text": sparse(tf, ["w1", "w8", "none", "w3"]),
        "number": np.array([[42, 7], [13, -1], [8, 42], [0, 0]]),
    }
    return features, [
        fc.indicator_column(
            fc.categorical_column_with_vocabulary_list("word", ["w1", "w2", "w5"])
        ),
        fc.indicator_column(
            fc.categorical_column_with_vocabulary_file("text", path, num_oov_buckets=2)
        ),
        fc.embedding_column(
            fc.categorical_column_with_vocabulary_list(
                "number", [42, 13, 8], num_oov_buckets=3
            ),
            2,
        ),
    ]


@model
def weights(tf):
    fc = tf.feature_column
    ids = tf.SparseTensorValue(
        [[0, 0], [1, 0], [1, 1], [3, 0]], np.array([1, 2, 1, 0]), [4, 2]
    )
    features = {
        "id": ids,
        "weight": ids._replace(values=np.float32([0.5, 2, -1, 3])),
        "dense": np.array([[0, 1], [2, 0], [1, 1], [0, 0]]),
        "dense_weight": np.float32([[1, 2], [3, 4], [5, 6], [7, 8]]),
    }
    one = fc.weighted_categorical_column(
        fc.categorical_column_with_identity("id", 3), "weight"
    )
    two = fc.weighted_categorical_column(
        fc.categorical_column_with_identity("dense", 3), "dense_weight"
    )
    return features, [
        fc.indicator_column(one),
        fc.embedding_column(one, 2, combiner="sum"),
        fc.embedding_column(two, 2),
    ]


def _crossed(tf):
    fc = tf.feature_column
    rng = np.random.RandomState(5)
    features = {
        "text": words(rng, [4, 2]),
        "sparse": sparse(tf, ["a", "b", "c"]),
        "number": rng.randint(0, 100, [4, 1]),
        "price": np.float32([[1], [2], [3.5], [-1]]),
    }
    price = fc.bucketized_column(fc.numeric_column("price"), [0, 2])
    pair = fc.crossed_column(["text", "sparse"], 1000)
    return features, [
        pair,
        fc.crossed_column(["number", price], 30, hash_key=9),
        fc.crossed_column([pair, "number", price], 100_000),
    ]


@model
def crossed(tf):
    features, columns = _crossed(tf)
    return features, [tf.feature_column.indicator_column(c) for c in columns[:2]]


@model
def shared(tf):
    fc = tf.feature_column
    features = {
        "b": np.array([[1, 2], [0, -1], [2, 2], [-1, -1]]),
        "a": np.array([[0], [1], [2], [1]]),
        "ab": np.float32([[0], [1], [2], [1]]),
    }
    columns = [fc.categorical_column_with_identity(key, 3) for key in ("b", "a")]
    return features, [
        *fc.shared_embedding_columns(columns, 2),
        fc.numeric_column("ab"),
    ]


def linear(tf, name):
    """(features, columns) for linear_model: categorical ones as they are."""
    features, columns = MODELS[name](tf)
    plain = [getattr(c, "categorical_column", c) for c in columns]
    if name == "crossed":
        plain = _crossed(tf)[1]
    found = {c.name: c for c in plain}
    return features, list(found.values())


def evaluate(tf, layer, features, columns, **options):
    """Everything about a layer that both must agree about."""
    to_variables = {}
    fed = {k: tf.sparse_placeholder(_dtype(tf, v.values)) if is_sparse(v) else
           tf.placeholder(_dtype(tf, v), [None, *np.shape(v)[1:]])
           for k, v in features.items()}  # fmt: skip
    out = layer(fed, columns, cols_to_vars=to_variables, **options)
    found = {"shape": [None if n is None else int(n) for n in out.shape.as_list()]}
    variables = tf.global_variables()
    found["variables"] = [(v.op.name, v.shape.as_list()) for v in variables]
    found["trained"] = [v.op.name for v in tf.trainable_variables()]
    found["model"] = [v.op.name for v in tf.get_collection("model_variables")]
    found["of columns"] = sorted(
        (getattr(c, "name", c), sorted(v.op.name for v in vs))
        for c, vs in to_variables.items()
    )
    loss = tf.reduce_sum(tf.sin(out))
    grads = tf.gradients(loss, variables)
    # Variables of other layers have no gradients.
    dense = [tf.convert_to_tensor(g) for g in grads if g is not None]
    with tf.Session() as session:
        session.run([tf.global_variables_initializer(), tf.tables_initializer()])
        for v in variables:
            rng = np.random.RandomState(zlib.crc32(v.op.name.encode()))
            v.load(rng.normal(size=v.shape.as_list()).astype(np.float32), session)
        feeds = {fed[k]: v for k, v in features.items()}
        found["value"], found["grads"] = session.run([out, dense], feeds)
    return found


def is_sparse(value):
    return hasattr(value, "dense_shape")


def _dtype(tf, value):
    dtype = np.asarray(value).dtype
    return tf.string if dtype.kind == "U" else tf.as_dtype(dtype)


def spec(tf, columns):
    made = tf.feature_column.make_parse_example_spec(columns)
    return {
        k: (type(v).__name__, [getattr(f, "name", f) for f in v])
        for k, v in made.items()
    }


def ids_of(tf, features, columns):
    """The ids of categorical columns, which hashes and tables gave."""
    found = {}
    fed = {k: tf.SparseTensor(*v) if is_sparse(v) else tf.constant(v)
           for k, v in features.items()}  # fmt: skip
    builder = _builder(tf, fed)
    made = {}
    for column in columns:
        if hasattr(column, "_get_sparse_tensors"):
            made[column.name] = column._get_sparse_tensors(builder).id_tensor
    with tf.Session() as session:
        session.run(tf.tables_initializer())
        for name, value in session.run(made).items():
            found[name] = [np.asarray(part).tolist() for part in value]
    return found


def _builder(tf, features):
    if tf.__name__ == "tensorwright":
        from tensorwright.python.feature_column import feature_column
    else:
        from tensorflow.python.feature_column import feature_column
    return feature_column._LazyBuilder(features)


def error_cases(tf):
    """Returns {name of the mistake: a call that raises}."""
    fc = tf.feature_column
    price = fc.numeric_column("price")
    text = fc.categorical_column_with_hash_bucket("text", 10)
    number = fc.categorical_column_with_identity("number", 3)
    return {
        "no columns": lambda: fc.input_layer({}, []),
        "a dict": lambda: fc.input_layer({}, {"a": price}),
        "not dense": lambda: fc.input_layer({"text": [["a"]]}, [text]),
        "twice": lambda: fc.input_layer({"price": [[1.0]]}, [price, fc.numeric_column("price")]),
        "missing": lambda: fc.input_layer({}, [price]),
        "scalar": lambda: fc.input_layer({"price": 1.0}, [price]),
        "batches": lambda: fc.input_layer({"price": [[1.0]], "a": [[1.0], [2.0]]}, [price, fc.numeric_column("a")]),
        "sparse number": lambda: fc.input_layer({"price": tf.SparseTensor([[0, 0]], [1.0], [1, 1])}, [price]),
        "shape": lambda: fc.numeric_column("a", shape=[0]),
        "shape type": lambda: fc.numeric_column("a", shape="x"),
        "shape item": lambda: fc.numeric_column("a", shape=[1.5]),
        "default": lambda: fc.numeric_column("a", default_value="x"),
        "default float": lambda: fc.numeric_column("a", default_value=1.5, dtype=tf.int32),
        "default shape": lambda: fc.numeric_column("a", shape=[2], default_value=[1, 2, 3]),
        "normalizer": lambda: fc.numeric_column("a", normalizer_fn=3),
        "dtype": lambda: fc.numeric_column("a", dtype=tf.string),
        "key": lambda: fc.numeric_column(3),
        "boundaries": lambda: fc.bucketized_column(price, [3, 1]),
        "no boundaries": lambda: fc.bucketized_column(price, []),
        "source": lambda: fc.bucketized_column(text, [1]),
        "buckets": lambda: fc.categorical_column_with_hash_bucket("a", 0),
        "hash dtype": lambda: fc.categorical_column_with_hash_bucket("a", 2, tf.float32),
        "no file": lambda: fc.categorical_column_with_vocabulary_file("a", ""),
        "missing file": lambda: fc.categorical_column_with_vocabulary_file("a", "/none"),
        "oov": lambda: fc.categorical_column_with_vocabulary_file("a", "x", 3, -1),
        "both": lambda: fc.categorical_column_with_vocabulary_file("a", "x", 3, 1, 2),
        "empty list": lambda: fc.categorical_column_with_vocabulary_list("a", []),
        "double": lambda: fc.categorical_column_with_vocabulary_list("a", ["a", "a"]),
        "list dtype": lambda: fc.categorical_column_with_vocabulary_list("a", ["a"], tf.int64),
        "list floats": lambda: fc.categorical_column_with_vocabulary_list("a", [1.5]),
        "identity": lambda: fc.categorical_column_with_identity("a", 0),
        "identity default": lambda: fc.categorical_column_with_identity("a", 2, 2),
        "crossed one": lambda: fc.crossed_column(["a"], 10),
        "crossed hash": lambda: fc.crossed_column(["a", text], 10),
        "crossed number": lambda: fc.crossed_column(["a", price], 10),
        "crossed size": lambda: fc.crossed_column(["a", "b"], 0),
        "dimension": lambda: fc.embedding_column(text, 0),
        "initializer": lambda: fc.embedding_column(text, 2, initializer="zeros"),
        "checkpoint": lambda: fc.embedding_column(text, 2, ckpt_to_load_from="x"),
        "shared kinds": lambda: fc.shared_embedding_columns([text, number], 2),
        "shared sizes": lambda: fc.shared_embedding_columns([number, fc.categorical_column_with_identity("b", 4)], 2),
        "weight dtype": lambda: fc.weighted_categorical_column(text, "w", tf.string),
        "spec": lambda: fc.make_parse_example_spec([price, fc.numeric_column("price", dtype=tf.int64)]),
        "spec of what": lambda: fc.make_parse_example_spec(["a"]),
        "hash input": lambda: fc.linear_model({"text": [[1.5]]}, [text]),
        "number input": lambda: fc.linear_model({"number": [["a"]]}, [number]),
        "table dtype": lambda: tf.lookup.StaticVocabularyTable(tf.lookup.KeyValueTensorInitializer(["a"], ["b"]), 1),
        "table buckets": lambda: tf.lookup.StaticVocabularyTable(None, 0),
        "axis": lambda: tf.train.VocabInfo("a", 1, 0, "b", axis=2),
        "warm": lambda: tf.train.warm_start(os.environ["FOLDER"], 3),
    }  # fmt: skip


def raised(call):
    try:
        call()
    except Exception as error:
        return type(error).__name__
    return None


def tables(tf):
    """Returns the results of tf.lookup's tables."""
    lines = os.path.join(os.environ["FOLDER"], "words.txt")
    index = tf.lookup.TextFileIndex
    offset = tf.lookup.TextFileInitializer(
        lines, tf.string, index.WHOLE_LINE, tf.int64, index.LINE_NUMBER,
        value_index_offset=5,
    )  # fmt: skip
    back = tf.lookup.TextFileInitializer(
        lines, tf.int64, index.LINE_NUMBER, tf.string, index.WHOLE_LINE, vocab_size=2
    )
    pairs = tf.lookup.KeyValueTensorInitializer(
        ["a", "b", "c"], tf.constant([0, 1, 2], tf.int64)
    )
    keys = tf.constant(["w1", "b", "w8", "zz"])
    one = tf.lookup.StaticHashTable(offset, -1)
    two = tf.lookup.StaticHashTable(back, "?")
    ids = tf.lookup.StaticVocabularyTable(pairs, 4)
    numbers = tf.lookup.StaticVocabularyTable(
        tf.lookup.KeyValueTensorInitializer(
            tf.constant([7, 9], tf.int64), tf.constant([0, 1], tf.int64)
        ),
        3,
        lookup_key_dtype=tf.int32,
    )
    only = tf.lookup.StaticVocabularyTable(None, 10)
    fetches = [
        one.lookup(keys),
        two.lookup(tf.constant([1, 2, 0], tf.int64)),
        ids.lookup(keys),
        numbers.lookup(tf.constant([7, 8, 9])),
        only.lookup(keys),
        [t.size() for t in (one, two, ids, numbers, only)],
    ]
    with tf.Session() as session:
        session.run([one.initializer, two.initializer, ids.initializer])
        session.run([numbers.initializer, only.initializer])
        found = [np.asarray(v).tolist() for v in session.run(fetches)]
        keys, values = session.run(one.export())
        return [*found, sorted(zip(keys.tolist(), values.tolist()))]


def warm(tf):
    """Variables after a warm start from a checkpoint that tensorwright and TensorFlow write each for themselves."""
    folder = os.environ["FOLDER"]
    path = os.path.join(folder, tf.__name__.split(".")[0])
    table = np.arange(24, dtype=np.float32).reshape(8, 3)
    with tf.Graph().as_default(), tf.Session() as session:
        made = [tf.get_variable("words", initializer=table),
                tf.get_variable("out", initializer=table.T.copy()),
                tf.get_variable("old_name", initializer=np.float32([1, 2]))]  # fmt: skip
        session.run(tf.global_variables_initializer())
        tf.train.Saver(made).save(session, path)
    old, new = (os.path.join(folder, f"{n}.txt") for n in ("words", "new"))
    found = {}
    for parts in (1, 3):
        with tf.Graph().as_default(), tf.Session() as session:
            cut = tf.fixed_size_partitioner(parts) if parts > 1 else None
            a = tf.get_variable("words", [7, 3], partitioner=cut)
            b = tf.get_variable("out", [3, 6], partitioner=cut)
            c = tf.get_variable("name", [2])
            rows = tf.train.VocabInfo(
                new, 5, 2, old, 8, backup_initializer=tf.ones_initializer()
            )
            columns = tf.train.VocabInfo(new, 5, 1, old, axis=1)
            tf.train.warm_start(
                path,
                var_name_to_vocab_info={"words": rows, "out": columns},
                var_name_to_prev_var_name={"name": "old_name"},
            )
            session.run(tf.global_variables_initializer())
            found[parts] = [
                session.run(tf.convert_to_tensor(v)).tolist() for v in (a, b, c)
            ]
    return found


def answer(name):
    """Everything, of one library."""
    if name == "tensorflow":
        os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
        import tensorflow.compat.v1 as tf

        tf.disable_v2_behavior()
        tf.logging.set_verbosity(tf.logging.ERROR)
    else:
        import tensorwright as tf
    found = {}

    def add(key, function):
        with tf.Graph().as_default():
            try:
                found[key] = function()
            except Exception:
                found[key] = traceback.format_exc()

    for made in MODELS:
        add(f"{made} spec", lambda: spec(tf, MODELS[made](tf)[1]))
        add(f"{made} ids", lambda: ids_of(tf, *linear(tf, made)))
        add(f"{made} input_layer", lambda: evaluate(
            tf, tf.feature_column.input_layer, *MODELS[made](tf)))  # fmt: skip
        add(f"{made} linear_model", lambda: evaluate(
            tf, tf.feature_column.linear_model, *linear(tf, made), units=2))  # fmt: skip
        for combiner in ("mean", "sqrtn"):
            add(f"{made} linear_model {combiner}", lambda: evaluate(
                tf, tf.feature_column.linear_model, *linear(tf, made),
                sparse_combiner=combiner, trainable=False))  # fmt: skip

    def scoped():
        with tf.variable_scope("outer", partitioner=tf.fixed_size_partitioner(2)):
            return evaluate(tf, tf.feature_column.linear_model, *linear(tf, "numbers"))

    def twice():
        features, columns = MODELS["hashes"](tf)
        with tf.variable_scope("first"):
            tf.feature_column.input_layer(features, columns)
        tf.feature_column.input_layer(features, columns)
        return evaluate(tf, tf.feature_column.input_layer, features, columns)

    add("scoped", scoped)
    add("twice", twice)
    add("tables", lambda: tables(tf))
    add("warm start", lambda: warm(tf))
    for key, call in error_cases(tf).items():
        add(f"error: {key}", lambda: raised(call))
    return found


def differs(ours, theirs, path=""):
    """Returns the places where two answers differ."""
    if type(ours) is not type(theirs):
        return [f"{path}: {ours!r} and {theirs!r}"]
    if isinstance(ours, dict):
        keys = sorted(set(ours) | set(theirs), key=str)
        return [
            d for k in keys for d in differs(ours.get(k), theirs.get(k), f"{path} {k}")
        ]
    if isinstance(ours, (list, tuple)):
        if len(ours) != len(theirs):
            return [f"{path}: {ours!r} and {theirs!r}"]
        return [
            d
            for i, (a, b) in enumerate(zip(ours, theirs))
            for d in differs(a, b, f"{path}[{i}]")
        ]
    if isinstance(ours, np.ndarray):
        if ours.shape == theirs.shape and np.allclose(ours, theirs, 2e-5, 1e-6):
            return []
        return [f"{path}: {ours} and {theirs}"]
    return [] if ours == theirs else [f"{path}: {ours!r} and {theirs!r}"]


def main() -> int:
    if len(sys.argv) > 1:
        name, path = sys.argv[1:]
        pathlib.Path(path).write_bytes(pickle.dumps(answer(name)))
        return 0
    sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "difftest"))
    import peer_venv

    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "words.txt").write_text(
            "".join(f"w{i}\n" for i in range(8))
        )
        pathlib.Path(folder, "new.txt").write_text("w7\nx\nw0\ny\nw3\nz\n")
        found = {}
        for name, python in (
            ("tensorwright", sys.executable),
            ("tensorflow", peer_venv.python()),
        ):
            path = f"{folder}/{name}.pickle"
            command = [python, os.path.abspath(__file__), name, path]
            subprocess.run(command, check=True, env={**os.environ, "FOLDER": folder})
            found[name] = pickle.loads(pathlib.Path(path).read_bytes())
    ours, theirs = found["tensorwright"], found["tensorflow"]
    broken = [k for k, v in ours.items() if isinstance(v, str) and "Traceback" in v]
    problems = [f"{k}: {ours[k]}" for k in broken]
    problems += differs(*({k: v for k, v in side.items() if k not in broken}
                          for side in (ours, theirs)))  # fmt: skip
    print("\n".join(problems))
    print(f"{len(ours)} answers compared, {len(problems)} differences")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
