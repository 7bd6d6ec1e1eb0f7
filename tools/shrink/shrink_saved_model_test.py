# SPDX-License-Identifier: Apache-2.0
"""`tw shrink` of a SavedModel with variables, a loop, branches and strings."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.tools.shrink import testing


@pytest.fixture(scope="module")
def several(tmp_path_factory):
    """A package of a model with a loop, strings, a function and several types, of a SavedModel with variables."""
    folder = tmp_path_factory.mktemp("several")
    export = folder / "export"
    with tf.Graph().as_default(), tf.Session() as session:
        n = tf.placeholder(tf.int32, [], name="n")
        text = tf.placeholder(tf.string, [None], name="text")
        v = tf.get_variable("v", initializer=tf.constant([1.5, -2.0]))
        r = tf.get_variable("r", initializer=3.0, use_resource=True)
        _, total = tf.while_loop(
            lambda i, x: i < n,
            lambda i, x: (i + 1, tf.tanh(x * v) + r),
            [tf.constant(0), tf.zeros([2])],
        )
        big = tf.cond(n > 3, lambda: total * 2.0, lambda: total - 1.0)
        words = tf.string_join([text, tf.as_string(tf.fill(tf.shape(text), n))], "-")
        session.run(tf.global_variables_initializer())
        tf.saved_model.simple_save(
            session, str(export), {"n": n, "text": text}, {"sum": big, "words": words}
        )
        feeds = {n: 5, text: ["a\0b", "", "ccc"]}
        expected = session.run([big, words], feeds)
    examples = folder / "examples.npz"
    np.savez(examples, n=np.int32(5), text=np.array([b"a", b"bb"]))
    options = ["-o", folder / "dist", "--name", "several", "--version", "2.1"]
    assert testing.shrink(export, *options, "--examples", examples) == 0
    return folder / "dist", expected


def test_loops_branches_strings_and_variables_of_a_saved_model(several):
    dist, (total, words) = several
    assert list(dist.glob("several-2.1-*.whl"))
    model = testing.load(dist, "several").load()
    got = model.run({"n": 5, "text": [b"a\0b", "", "ccc"]})
    assert got["sum"].tobytes() == total.tobytes()
    assert got["words"].tolist() == words.tolist() == [b"a\0b-5", b"-5", b"ccc-5"]
    assert model.inputs["text"] == ("object", (None,))
    empty = model.run({"n": 1, "text": np.array([], object)})
    assert empty["words"].shape == (0,)


def test_a_package_is_written_again_and_nothing_else_is(several, tmp_path, capsys):
    with tf.Graph().as_default():
        tf.identity(tf.placeholder(tf.float32, [2], name="x"), name="y")
        file = testing.write(tmp_path / "same.pb")
    for _ in range(2):
        assert testing.shrink(file, "-o", tmp_path) == 0
    assert "without oneDNN; 2 calls give the same bits" in capsys.readouterr().out
    (tmp_path / "mine").mkdir()
    assert testing.shrink(file, "-o", tmp_path, "--name", "mine") == 1
    assert "is there and is no shrunk model" in capsys.readouterr().err
