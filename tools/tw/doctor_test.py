# SPDX-License-Identifier: Apache-2.0
"""tw doctor and tw upgrade read programs, and upgraded programs run."""

import contextlib
import io

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.tools.tw import doctor, main as tw, old_names, upgrade

OLD = '''\
"""Ümlauts before what is changed."""
import tensorflow as tf
nn = tf.nn

x = tf.pack([[1.0, 2.0], [3.0, 4.0]])  # stays
y = tf.mul(tf.concat(1, [x, x]), tf.neg(
    x[0, 1]))
first, second = tf.split(1, 2, y)
total = tf.reduce_sum(tf.sub(first, second), reduction_indices=[1])
losses = nn.softmax_cross_entropy_with_logits((first + second), x)
text = "é"; tf.scalar_summary("e", tf.reduce_mean(losses)); merged = tf.merge_all_summaries()
v = tf.Variable(1.0)
init = tf.initialize_all_variables()
'''


def run(*argv):
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = tw.main(list(argv))
    return status, out.getvalue(), err.getvalue()


def kinds(source):
    return [(f.line, f.kind) for f in doctor.findings(source)]


def test_the_upgraded_program_is_without_findings_and_computes_what_it_meant():
    changed, notes = upgrade.upgraded(OLD)
    assert not notes and doctor.findings(changed) == []
    assert "# stays" in changed and "Ümlauts" in changed
    assert upgrade.upgraded(changed)[0] == changed
    scope = {}
    changed = changed.replace("import tensorflow", "import tensorwright")
    with tf.Graph().as_default(), tf.Session() as session:
        exec(changed, scope)
        session.run(scope["init"])
        total, losses = session.run([scope["total"], scope["losses"]])
        assert session.run(scope["merged"])
    x = np.array([[1.0, 2.0], [3.0, 4.0]])
    y = np.hstack([x, x]) * -2
    np.testing.assert_allclose(total, (y[:, :2] - y[:, 2:]).sum(1))
    logits = y[:, :2] + y[:, 2:]
    softmax = np.exp(logits) / np.exp(logits).sum(1, keepdims=True)
    np.testing.assert_allclose(losses, -(x * np.log(softmax)).sum(1), rtol=1e-5)


@pytest.mark.parametrize(
    "call",
    [
        "tf.concat([a, b], 1)",
        "tf.concat(values, 1)",
        "tf.concat(values=[a], axis=0)",
        "tf.split(a, 2, 1)",
        "tf.split(a, [1, 2], axis=1)",
        "tf.split(value=a, num_or_size_splits=2)",
        "tf.nn.nce_loss(w, b, labels, inputs, 3, 4)",
        "tf.nn.softmax_cross_entropy_with_logits(labels=a, logits=b)",
        "tf.multiply(a, b)",
        "np.concat(1, a)",
    ],
)
def test_calls_of_1_x_stay(call):
    source = f"import tensorflow as tf\nimport numpy as np\nx = {call}\n"
    assert upgrade.upgraded(source)[0] == source


def test_every_new_name_exists_and_no_old_one_does():
    for old, new in old_names.RENAMED.items():
        assert doctor.resolve(new)[1] is None, new
    for name, renamed in old_names.ARGUMENTS.items():
        value, missing = doctor.resolve(name)
        assert missing is None, name
        for new in renamed.values():
            assert doctor._accepts(name, new), (name, new)
    for name, order in old_names.ORDER.items():
        for argument in order:
            argument = old_names.ARGUMENTS.get(name, {}).get(argument, argument)
            assert doctor._accepts(name, argument), (name, argument)


def test_the_doctor_finds_what_is_missing_and_different():
    source = """\
import tensorflow as tf
from tensorflow.contrib import slim
import tensorflow.contrib.layers as layers
from tensorflow.python.ops import array_ops
tf.nn.relo(1.0)
slim.nosuch(2)
layers.fully_connected(3, nosuch=4)
array_ops.zeros([1])
tf.nn.relu(1, 2, 3)
tf.train.Saver.nosuch
tf.mul(1, 2)
tf.concat(1, [2])
tf.Session().nosuch
try:
    tf.contrib.nosuch
except AttributeError:
    pass
tf = None
tf.nosuch
"""
    assert kinds(source) == [
        (5, doctor.MISSING),
        (6, doctor.MISSING),
        (7, doctor.DIFFERENT),
        (9, doctor.DIFFERENT),
        (10, doctor.MISSING),
        (11, doctor.OLD),
        (12, doctor.OLD),
    ]
    texts = [f.text for f in doctor.findings(source)]
    assert "similar: tf.nn.relu" in texts[0]
    assert "takes no argument nosuch" in texts[2]


def test_a_missing_module_of_contrib_says_so():
    (found,) = doctor.findings("import tensorflow as tf\ntf.contrib.verbs.x\n")
    assert (found.line, found.kind) == (2, doctor.MISSING)
    assert "TensorFlow has this, tensorwright does not yet" in found.text


def test_a_package_that_is_not_installed_is_named(monkeypatch):
    def missing():
        raise ImportError("pip install tensorwright[keras]")

    monkeypatch.setattr(tf.keras._load, "keras", missing)
    program = "import tensorflow as tf\nx = tf.keras.nosuch\n"
    (found,) = doctor.findings(program)
    assert (found.line, found.kind) == (2, doctor.MISSING)
    assert "pip install tensorwright[keras]" in found.text


def test_exit_codes_and_folders(tmp_path):
    (tmp_path / "old.py").write_text(OLD, encoding="utf-8")
    (tmp_path / "new.py").write_text("import tensorflow as tf\ntf.constant(1)\n")
    status, out, _ = run("doctor", str(tmp_path / "new.py"))
    assert status == 0 and out == "1 file read, 0 found\n"
    status, out, _ = run("doctor", "--dir", str(tmp_path))
    assert status == 1 and f"{tmp_path}/old.py:5: old: tf.pack is tf.stack" in out
    status, out, _ = run("upgrade", "--dir", str(tmp_path))
    assert status == 1 and "+x = tf.stack([[1.0, 2.0]" in out
    assert (tmp_path / "old.py").read_text(encoding="utf-8") == OLD
    status, out, _ = run("upgrade", "--write", "--dir", str(tmp_path))
    assert status == 0 and "+x = tf.stack" in out
    assert run("upgrade", "--dir", str(tmp_path))[:2] == (0, "")
    assert run("doctor", "--dir", str(tmp_path))[0] == 0
    (tmp_path / "bad.py").write_text("print 'Python 2'\n")
    assert run("doctor", "--dir", str(tmp_path))[0] == 2
    assert run("upgrade", str(tmp_path / "nosuch.py"))[0] == 2
    assert run("doctor")[0] == run("upgrade")[0] == 2


def test_what_is_left_to_do_by_hand_is_named(tmp_path):
    path = tmp_path / "p.py"
    path.write_text("import tensorflow as tf\nx = tf.reverse(y, [True])\n")
    status, out, err = run("upgrade", str(path))
    assert status == 0 and not out
    assert f"{path}:2: by hand: tf.reverse" in err
