# SPDX-License-Identifier: Apache-2.0
"""A model starts from the variables of another one."""

import numpy as np
import pytest

import tensorwright as tf

pytestmark = pytest.mark.usefixtures("fresh_graph")

_WORDS = np.arange(8, dtype=np.float32).reshape(4, 2)


@pytest.fixture
def saved(tmp_path):
    """The folder of a checkpoint, and of two vocabularies."""
    (tmp_path / "old").write_text("a\nb\nc\nd\n")
    (tmp_path / "new").write_text("c\nx\na\n")
    with tf.Graph().as_default(), tf.Session() as session:
        tf.get_variable("words", initializer=_WORDS)
        tf.get_variable("out", initializer=_WORDS.T.copy())
        tf.get_variable("bias", initializer=np.float32([5, 6]))
        tf.get_variable("count", initializer=np.float32(7), trainable=False)
        session.run(tf.global_variables_initializer())
        tf.train.Saver().save(session, str(tmp_path / "model"))
    return tmp_path


def _values(*variables):
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return session.run([tf.convert_to_tensor(v) for v in variables])


def _variables(**shapes):
    zeros = tf.zeros_initializer()
    return [tf.get_variable(n, s, initializer=zeros) for n, s in shapes.items()]


def _info(saved, **options):
    new, old = str(saved / "new"), str(saved / "old")
    return tf.train.VocabInfo(new, 3, 1, old, **options)


def test_variables_of_one_name_start_alike(saved):
    words, bias = _variables(words=[4, 2], bias=[2])
    count = tf.get_variable("count", initializer=0.0, trainable=False)
    tf.train.warm_start(str(saved))
    values = _values(words, bias, count)
    np.testing.assert_array_equal(values[0], _WORDS)
    assert [v.tolist() for v in values[1:]] == [[5, 6], 0]


def test_which_variables_are_started(saved):
    for wanted, expected in (
        ("bi", ([0, 0], [5, 6], 0)),
        (["bias", "count"], ([0, 0], [5, 6], 7)),
        (None, ([0, 0], [0, 0], 0)),
        ([], ([0, 0], [0, 0], 0)),
    ):
        with tf.Graph().as_default():
            (other,) = _variables(other=[2])
            (bias,) = _variables(bias=[2])
            count = tf.get_variable("count", initializer=0.0, trainable=False)
            tf.train.warm_start(str(saved / "model"), wanted)
            assert [v.tolist() for v in _values(other, bias, count)] == list(expected)
    (bias,) = _variables(bias=[2])
    tf.train.warm_start(str(saved), [bias])
    assert _values(bias)[0].tolist() == [5, 6]


def test_a_variable_that_had_another_name(saved):
    (offset,) = _variables(offset=[2])
    tf.train.warm_start(str(saved), var_name_to_prev_var_name={"offset": "bias"})
    assert _values(offset)[0].tolist() == [5, 6]


@pytest.mark.parametrize("resource", [False, True])
@pytest.mark.parametrize("parts", [1, 3])
def test_rows_and_columns_follow_their_words(saved, parts, resource):
    cut = tf.fixed_size_partitioner(parts) if parts > 1 else None
    with tf.variable_scope("", partitioner=cut, use_resource=resource):
        words, out = _variables(words=[4, 2], out=[2, 4])
    rows = _info(saved, backup_initializer=tf.constant_initializer(9.0))
    infos = {"words": rows, "out": _info(saved, old_vocab_size=4, axis=1)}
    tf.train.warm_start(str(saved), var_name_to_vocab_info=infos)
    rows, columns = _values(words, out)
    np.testing.assert_array_equal(rows, [_WORDS[2], [9, 9], _WORDS[0], [9, 9]])
    np.testing.assert_array_equal(columns.T, [_WORDS[2], [0, 0], _WORDS[0], [0, 0]])


def test_what_cannot_be_started_is_refused(saved):
    (bias,) = _variables(bias=[2])
    for options, words in (
        ({"var_name_to_prev_var_name": {"bais": "bias"}}, r"not used: \['bais'\]"),
        ({"var_name_to_vocab_info": {"words": _info(saved)}}, "not used"),
        ({"vars_to_warm_start": 3}, "must be a `list` or `str`"),
        ({"vars_to_warm_start": [bias, "b"]}, "all `Variable` or all `str`"),
        ({"var_name_to_vocab_info": {"bias": _info(saved)}}, "must be a matrix"),
        ({"var_name_to_prev_var_name": {"bias": "none"}}, "not found"),
    ):
        with pytest.raises(ValueError, match=words):
            tf.train.warm_start(str(saved), **options)
    with pytest.raises(ValueError, match="Provided axis: 2"):
        _info(saved, axis=2)
    with pytest.raises(ValueError, match="Must provide all"):
        (words,) = _variables(words=[4, 2])
        infos = {"words": tf.train.VocabInfo("", 3, 1, "old")}
        tf.train.warm_start(str(saved), var_name_to_vocab_info=infos)
    with pytest.raises(ValueError, match="no checkpoint"):
        (saved / "empty").mkdir()
        tf.train.warm_start(str(saved / "empty"))
