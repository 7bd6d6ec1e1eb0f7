# SPDX-License-Identifier: Apache-2.0
"""SavedModels as objects: loaded, called, trained further, saved again."""

import numpy as np
import pytest

import tensorwright as tf

_W = np.array([[1, 2], [3, 4]], np.float32)
_X = np.array([[1, -1], [0.5, 2]], np.float32)


def _init(session):
    session.run([tf.global_variables_initializer(), tf.tables_initializer()])


def _write_model(folder, words, use_resource=False, parts=1):
    """`mul`: x (w) by a scale of 2; `look`: words to lines of a file; `sparse`: doubles a sparse tensor."""
    words.write_text("one\ntwo\n")
    with tf.Graph().as_default(), tf.Session() as session:
        partitioner = tf.fixed_size_partitioner(parts) if parts > 1 else None
        scope = tf.variable_scope(
            "m", use_resource=use_resource, partitioner=partitioner
        )
        with scope:
            w = tf.get_variable("w", initializer=tf.constant(_W))
            frozen = tf.get_variable("f", [], trainable=False)
        x = tf.placeholder(tf.float32, [None, 2], name="x")
        scale = tf.placeholder(tf.float32, [], name="scale")
        y = tf.matmul(x, tf.convert_to_tensor(w)) * scale + 0 * frozen
        key = tf.placeholder(tf.string, [None], name="key")
        asset = tf.saved_model.Asset(str(words))
        lines = tf.lookup.TextFileIndex
        table = tf.lookup.StaticHashTable(
            tf.lookup.TextFileInitializer(
                asset.asset_path,
                tf.string,
                lines.WHOLE_LINE,
                tf.int64,
                lines.LINE_NUMBER,
            ),
            -1,
        )
        found = table.lookup(key)
        sparse = tf.sparse_placeholder(tf.float32, name="sparse")
        twice = tf.SparseTensor(sparse.indices, sparse.values * 2, sparse.dense_shape)
        _init(session)
        info = tf.saved_model.build_tensor_info
        build = tf.saved_model.build_signature_def
        signatures = {
            "mul": build(
                {"x": info(x), "scale": info(scale)},
                {"y": info(y)},
                "mul",
                defaults={"scale": 2.0},
            ),
            "look": build({"key": info(key)}, {"line": info(found)}, "look"),
            "sparse": build({"s": info(sparse)}, {"twice": info(twice)}, "s"),
        }
        builder = tf.saved_model.Builder(str(folder))
        builder.add_meta_graph_and_variables(
            session,
            ["serve"],
            signatures,
            assets_collection=[asset.asset_path],
            main_op=tf.tables_initializer(),
        )
        builder.save()
    words.unlink()  # The loaded model reads its own copy.
    return str(folder)


@pytest.fixture
def folder(tmp_path):
    return _write_model(tmp_path / "model", tmp_path / "words.txt")


@pytest.mark.parametrize("use_resource", [False, True])
@pytest.mark.parametrize("parts", [1, 2])
def test_signatures_are_functions_of_tensors(use_resource, parts, tmp_path):
    words = tmp_path / "words.txt"
    folder = _write_model(tmp_path / "model", words, use_resource, parts)
    with tf.Graph().as_default(), tf.Session() as session:
        model = tf.saved_model.load_v2(folder)
        assert sorted(model.signatures) == ["look", "mul", "sparse"]
        assert len(model.variables) == parts + 1
        assert len(model.trainable_variables) == parts
        given = tf.constant(_X)
        mul = model.signatures["mul"]
        results = mul(x=given)["y"], mul(x=given, scale=10.0)["y"]
        line = model.signatures["look"](tf.constant(["two", "three"]))["line"]
        _init(session)
        a, b, c = session.run([*results, line])
        np.testing.assert_allclose(a, _X @ _W * 2)
        np.testing.assert_allclose(b, _X @ _W * 10)
        np.testing.assert_array_equal(c, [1, -1])


def test_a_sparse_tensor_goes_in_and_out(folder):
    with tf.Graph().as_default(), tf.Session() as session:
        model = tf.saved_model.load_v2(folder)
        given = tf.SparseTensor([[1]], [4.0], [3])
        twice = model.signatures["sparse"](s=given)["twice"]
        value = session.run(twice)
        assert value.values.tolist() == [8] and value.indices.tolist() == [[1]]
        with pytest.raises(TypeError, match="needs a SparseTensor"):
            model.signatures["sparse"](s=tf.constant(1.0))


def test_a_loaded_model_is_trained_further(folder):
    with tf.Graph().as_default(), tf.Session() as session:
        model = tf.saved_model.load_v2(folder)
        y = model.signatures["mul"](x=_X)["y"]
        other = model.signatures["mul"](x=_X, scale=1.0)["y"]
        loss = tf.reduce_sum(tf.square(y))
        (gradient,) = tf.gradients(loss, model.trainable_variables)
        train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
        session.run(model.initializer)
        expected = _X.T @ (2 * (_X @ _W * 2)) * 2
        np.testing.assert_allclose(session.run(gradient), expected, rtol=1e-5)
        session.run(train)
        # Calls share the variables.
        np.testing.assert_allclose(
            session.run(other), _X @ (_W - 0.1 * expected), rtol=1e-5
        )


def test_calls_do_not_copy_variables_and_tables(folder):
    with tf.Graph().as_default() as graph:
        model = tf.saved_model.load_v2(folder)
        before = len(graph.get_operations())
        for _ in range(2):
            model.signatures["mul"](x=_X)
            model.signatures["look"](tf.constant(["two"]))
        kinds = [op.type for op in graph.get_operations()[before:]]
        assert kinds.count("MatMul") == 2
        assert not any(k.startswith(("Variable", "HashTable", "Assign")) for k in kinds)


def test_any_tensors_can_be_asked_for(folder):
    with tf.Graph().as_default(), tf.Session() as session:
        model = tf.saved_model.load_v2(folder)
        f = model.prune(["x:0", "scale:0"], {"product": "MatMul:0", "in": "x"})
        got = f(_X, tf.constant(3.0))
        _init(session)
        got = session.run(got)
        np.testing.assert_allclose(got["product"], _X @ _W)
        np.testing.assert_array_equal(got["in"], _X)
        with pytest.raises(TypeError, match="2 tensors are needed, got 1"):
            f(_X)
        with pytest.raises(ValueError, match="no tensor nowhere:0"):
            model.prune("nowhere:0", "MatMul:0")(_X)


def test_two_models_in_one_graph(folder):
    with tf.Graph().as_default(), tf.Session() as session:
        one, two = tf.saved_model.load_v2(folder), tf.saved_model.load_v2(folder)
        _init(session)
        session.run(tf.assign(two.trainable_variables[0], -_W))
        ys = [m.signatures["mul"](x=_X)["y"] for m in (one, two)]
        a, b = session.run(ys)
        np.testing.assert_allclose(a, -b)


def test_what_a_signature_does_not_take_is_refused(folder):
    with tf.Graph().as_default():
        model = tf.saved_model.load_v2(folder)
        mul = model.signatures["mul"]
        with pytest.raises(TypeError, match="lacks its input 'x'"):
            mul(scale=1.0)
        with pytest.raises(TypeError, match=r"no input \['z'\]"):
            mul(x=_X, z=1)
        with pytest.raises(TypeError, match="by key"):
            mul(_X)
        with pytest.raises(ValueError, match=r"'x' needs the shape \(\?, 2\)"):
            mul(x=tf.zeros([2, 3]))
        with tf.Graph().as_default():
            with pytest.raises(ValueError, match="graph it was loaded into"):
                mul(x=_X)


def test_tags_choose_the_graph(folder, tmp_path):
    for tags in (None, "serve", ["serve"], {"serve"}):
        with tf.Graph().as_default():
            assert tf.saved_model.load_v2(folder, tags).variables
    with pytest.raises(ValueError, match=r"no graph with the tags \['train'\]"):
        tf.saved_model.load_v2(folder, ["train"])
    with pytest.raises(OSError, match="does not exist"):
        tf.saved_model.load_v2(str(tmp_path))
    with tf.Graph().as_default(), tf.Session() as session:
        tf.get_variable("v", initializer=1.0)
        _init(session)
        builder = tf.saved_model.Builder(str(tmp_path / "two"))
        builder.add_meta_graph_and_variables(session, ["a"])
        builder.add_meta_graph(["b"])
        builder.save()
    with pytest.raises(ValueError, match="has 2 graphs, so a tags= argument"):
        tf.saved_model.load_v2(str(tmp_path / "two"))


class Scale(tf.Module):
    def __init__(self):
        super().__init__()
        self.factors = {"a": tf.Variable(3.0, name="a")}

    def scaled(self, x):
        return {"y": self.factors["a"] * x}

    scaled.input_signature = [tf.TensorSpec([None], tf.float32, name="x")]


def test_a_module_is_saved(tmp_path):
    folder = str(tmp_path / "model")
    with tf.Graph().as_default(), tf.Session() as session:
        tf.Variable(1.0, name="not_of_the_module")
        module = Scale()
        _init(session)
        session.run(module.factors["a"].assign(5.0))
        options = tf.saved_model.SaveOptions(extra_tags=["more"])
        tf.saved_model.save(module, folder, options=options)
    names = dict(tf.train.list_variables(folder + "/variables/variables"))
    assert names == {"a": []}
    with tf.Graph().as_default(), tf.Session() as session:
        model = tf.saved_model.load_v2(folder, ["serve", "more"])
        y = model.signatures["serving_default"](tf.constant([1.0, 2.0]))["y"]
        session.run(model.initializer)
        np.testing.assert_array_equal(session.run(y), [5, 10])


def test_what_was_loaded_is_saved_again(folder, tmp_path):
    again = str(tmp_path / "again")
    with tf.Graph().as_default(), tf.Session() as session:
        model = tf.saved_model.load_v2(folder)
        _init(session)
        session.run(tf.assign(model.trainable_variables[0], -_W))
        mul = model.signatures["mul"]
        tf.saved_model.save(model, again, signatures={"m": mul})
    with tf.Graph().as_default(), tf.Session() as session:
        model = tf.saved_model.load_v2(again)
        y = model.signatures["m"](x=_X, scale=1.0)["y"]
        _init(session)
        np.testing.assert_allclose(session.run(y), _X @ -_W)


def test_functions_say_what_they_take(tmp_path):
    class Plain:
        def __init__(self):
            self.parts = [tf.Variable([1.0, 2.0], name="p")]

    with tf.Graph().as_default(), tf.Session() as session:
        plain = Plain()
        _init(session)

        def pair(x, y):
            return x + plain.parts[0], y

        with pytest.raises(ValueError, match="does not say what it takes"):
            tf.saved_model.save(plain, str(tmp_path / "a"), pair)
        pair.input_signature = [tf.TensorSpec([2]), tf.TensorSpec([], tf.int32)]
        tf.saved_model.save(plain, str(tmp_path / "b"), {"pair": pair})
        with pytest.raises(ValueError, match="must be a function"):
            tf.saved_model.save(plain, str(tmp_path / "c"), 7)
        with pytest.raises(AssertionError, match="isn't empty"):
            tf.saved_model.save(plain, str(tmp_path / "b"), pair)
        image = tf.saved_model.SaveOptions(experimental_image_format=True)
        with pytest.raises(ValueError, match="experimental_image_format"):
            tf.saved_model.save(plain, str(tmp_path / "c"), pair, image)
    with pytest.raises(ValueError, match="default session"):
        tf.saved_model.save(plain, str(tmp_path / "c"))
    with tf.Graph().as_default(), tf.Session() as session:
        f = tf.saved_model.load_v2(str(tmp_path / "b")).signatures["pair"]
        assert f.inputs["args_1"] == tf.TensorSpec([], tf.int32, "args_1")
        got = f(args_0=[1.0, 1.0], args_1=7)
        _init(session)
        got = session.run(got)
        assert got["output_0"].tolist() == [2, 3] and got["output_1"] == 7


def test_options_of_saving():
    options = tf.saved_model.SaveOptions(namespace_whitelist=["a"])
    assert options.namespace_whitelist == ["a"] and options.function_aliases == {}
    with pytest.raises(TypeError, match="list of names"):
        tf.saved_model.SaveOptions(namespace_whitelist="a")
    with pytest.raises(ValueError, match="must contain strings"):
        tf.saved_model.SaveOptions(namespace_whitelist=[1])
    with pytest.raises(AttributeError):
        options.no_such_option = 1
