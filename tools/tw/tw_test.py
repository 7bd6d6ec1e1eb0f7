# SPDX-License-Identifier: Apache-2.0
"""tw where, tw ops, tw run and tf.explain, on the registries of this build."""

import contextlib
import io
import json
import os
import pathlib
import shutil
import sys
import tarfile

import pytest

import tensorwright as tf
from tensorwright.python.explain import source_chain
from tensorwright.tools.tw import main as tw, show


def _output(*argv):
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        status = tw.main(list(argv))
    return status, out.getvalue()


def _exists(place):
    root = pathlib.Path(tf.__file__).resolve().parent
    return (root / place.file).exists() or pathlib.Path(place.file).exists()


def test_where_leads_from_conv2d_transpose_to_the_kernel_and_its_library():
    status, text = _output("where", "conv2d_transpose")
    assert status == 0
    assert "python/ops/_nn/nn_ops_conv.py:" in text
    assert "python/ops/gen_nn_ops.py:" in text
    assert "Conv2DBackpropInput" in text
    assert "core/ops/nn_ops_conv.cc:" in text
    assert "python/ops/nn_grad.py:" in text
    assert "core/kernels/nn/conv_" in text
    assert "dnnl::convolution_backward_data" in text


def test_where_names_every_algorithm_a_convolution_may_take():
    _, text = _output("where", "tf.nn.conv2d")
    floats = text.partition("T=float32")[2].partition("kernel ")[0]
    assert "by Winograd " in floats
    assert "or oneDNN (dnnl::convolution_forward)" in floats
    assert "or patches x filter " in floats
    doubles = text.partition("T=float64")[2].partition("kernel ")[0]
    assert "by patches x filter " in doubles and "Winograd" not in doubles


def test_explain_says_what_a_convolution_of_known_shapes_runs():
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [8, 56, 56, 64])
        large = tf.nn.conv2d(x, tf.zeros([3, 3, 64, 64]), [1, 1, 1, 1], "SAME")
        strided = tf.nn.conv2d(x, tf.zeros([3, 3, 64, 64]), [1, 2, 2, 1], "SAME")
        unknown = tf.placeholder(tf.float32, [None, 56, 56, 64])
        any_batch = tf.nn.conv2d(unknown, tf.zeros([3, 3, 64, 64]), [1] * 4, "SAME")
    assert "runs      Winograd 4x4: 3x3 filter, 64 -> 64 channels" in str(
        tf.explain(large)
    )
    text = str(tf.explain(strided))
    assert "runs      oneDNN: " in text and "not Winograd: windows move by" in text
    assert tf.explain(any_batch).choice == ""


@pytest.mark.parametrize(
    "name", ["MatMul", "tf.nn.relu", "mat_mul", "train.AdamOptimizer"]
)
def test_where_takes_ops_wrappers_functions_and_classes(name):
    status, text = _output("where", name)
    assert status == 0
    assert "  op        " in text
    assert "  kernel    CPU" in text


def test_explain_says_what_replaces_a_pool_in_a_training_step():
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [8, 28, 28, 3])
        pool = tf.nn.max_pool(x, [1, 2, 2, 1], [1, 2, 2, 1], "SAME")
        first = tf.nn.max_pool(
            tf.transpose(x, [0, 3, 1, 2]),
            [1, 1, 2, 2],
            [1, 1, 2, 2],
            "SAME",
            data_format="NCHW",
        )
    choice = tf.explain(pool).choice
    assert choice.startswith("oneDNN: 2x2 windows of 3 channels; ")
    assert "with its gradient, _MaxPool runs in its place: vectors of" in choice
    assert "_MaxPool" not in tf.explain(first).choice


def test_where_shows_the_op_that_a_function_is_named_after():
    status, text = _output("where", "tf.nn.softmax_cross_entropy_with_logits")
    assert status == 0
    assert text.count("  op   ") == 1
    assert "  op        SoftmaxCrossEntropyWithLogits " in text


def test_where_a_function_made_of_many_ops_names_them_only():
    status, text = _output("where", "tf.gradients")
    assert status == 0
    assert "python/ops/gradients_impl.py:" in text
    assert "  made of   Add, AddN, " in text
    assert "  kernel " not in text
    assert len(text.splitlines()) < 10


def test_where_names_no_ops_behind_what_a_helper_is_not_there_for():
    _, text = _output("where", "tf.einsum")
    (_, made_of) = text.split("  made of   ")
    ops = made_of.replace(",", " ").split()
    assert {"BatchMatMul", "Transpose", "Sum"} <= set(ops)
    # tf.cast takes complex numbers apart, for other callers.
    assert not {"Imag", "Real"} & set(ops)


def test_where_the_types_of_one_registration_share_a_line():
    _, text = _output("where", "Relu")
    (types_,) = [line for line in text.splitlines() if "CPU T=" in line]
    assert "float32,float64" in types_
    assert "Op<...>" in text


def test_where_an_unknown_name_suggests_ops(capsys):
    assert tw.main(["where", "Mat_Mull"]) == 1
    assert "MatMul" in capsys.readouterr().err


def test_where_nothing_close_suggests_nothing(capsys):
    assert tw.main(["where", "nosuch"]) == 1
    assert capsys.readouterr().err == "tw where: nothing is called 'nosuch'\n"


def test_where_tells_a_chain_once():
    _, text = _output("where", "max_pool")
    assert text.count("  op   ") == 1


def test_where_the_file_of_a_wrapper_exists():
    assert _exists(source_chain.chain_of_op("MaxPool").wrapper)


def test_every_op_has_a_place_and_every_kernel_too():
    for op in (data["name"] for data in tf.python._pywrap.op_registrations()):
        chain = source_chain.chain_of_op(op)
        assert chain.op.file.endswith(".cc") and chain.op.line > 0, op
        for kernel in chain.kernels:
            assert (
                kernel.place.file.endswith((".cc", "cwise_table.h"))
                and kernel.place.line > 0
            ), op


def test_the_places_of_python_steps_exist():
    (explanation,) = source_chain.explain_name("tf.nn.conv2d_transpose")
    for place in explanation.path:
        assert _exists(place), place


def test_explain_names_the_line_that_built_the_tensor_and_the_kernel_for_its_type():
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [2, 3], name="x")
        y = tf.matmul(x, x, transpose_b=True, name="y")
    explanation = tf.explain(y)
    assert "y = MatMul(x:0, x:0)" in str(explanation)
    assert explanation.path[-1].file.endswith("tw_test.py")
    (chain,) = explanation.chains
    assert chain.kernels
    for kernel in chain.kernels:
        assert kernel.constraints["T"] == ["float32"]


def test_ops_json_is_a_registry_dump():
    status, text = _output("ops", "--json")
    assert status == 0
    ops = {op["name"]: op for op in json.loads(text)}
    assert "_Send" not in ops
    conv = ops["Conv2D"]
    assert conv["inputs"] == [
        {"name": "input", "type": "T"},
        {"name": "filter", "type": "T"},
    ]
    attrs = {a["name"]: a for a in conv["attrs"]}
    assert attrs["strides"]["type"] == "list(int)"
    assert attrs["padding"]["allowed"] == ["SAME", "VALID", "EXPLICIT"]
    assert ops["VariableV2"]["outputs"] == [{"name": "ref", "type": "Ref(dtype)"}]
    assert ops["AddN"]["inputs"] == [{"name": "inputs", "type": "N*T"}]


def test_ops_tell_family_kernels_and_what_they_touch():
    _, text = _output("ops", "MatMul")
    (line,) = [line for line in text.splitlines() if line.startswith("MatMul(")]
    assert line.startswith("MatMul(a: T, b: T) -> product: T  [math; CPU T: ")
    assert "float32" in line
    assert line.endswith("; touches nothing]")


def test_ops_are_listed_by_what_they_touch_and_need():
    def names(*asked):
        _, text = _output("ops", *asked)
        return [line.split("(")[0] for line in text.splitlines()]

    reading, writing = (names("--touches", f"files {w}") for w in ("read", "written"))
    assert "ImmutableConst" in reading and "ImmutableConst" not in writing
    assert "SaveV2" in writing and "SaveV2" not in reading
    assert set(names("--touches", "files")) == {*reading, *writing}
    assert names("--touches", "python") == ["PyFunc", "PyFuncStateless"]
    touching = names("--touches", "anything")
    assert set(touching) >= {*reading, *writing, "PyFunc", "Timestamp"}
    untouching = names("--touches", "nothing")
    assert "MatMul" in untouching and "Print" in untouching
    assert not set(untouching) & set(touching)
    blocking = names("--needs", "blocking")
    assert "QueueDequeueV2" in blocking and "QueueSizeV2" not in blocking
    assert "Fill" in names("--needs", "unbounded memory")
    assert "RecordInput" in names("--touches", "files read", "--needs", "blocking")
    with pytest.raises(SystemExit), contextlib.redirect_stderr(io.StringIO()):
        tw.main(["ops", "--touches", "disk"])


def test_capabilities_are_those_that_were_agreed():
    """Whoever changes what an op says of itself changes the list, too: `tw ops --capabilities` prints the new lines."""
    _, text = _output("ops", "--capabilities")
    lines = [line for line in text.splitlines() if not line.endswith("]")]
    assert "MatMul: nothing" in lines and "_Recv: blocking" in lines
    kept = pathlib.Path(tw.__file__).with_name("capabilities.txt").read_text()
    agreed = [line for line in kept.splitlines() if not line.startswith("#")]
    assert [line for line in lines if not line.endswith(": nothing")] == agreed


def test_capabilities_as_json():
    _, text = _output("ops", "--capabilities", "--json", "readfile")
    assert json.loads(text) == {
        "ReadFile": {
            "touches": ["files read"],
            "needs": ["unbounded memory"],
            "chance": "",
            "library": "",
        }
    }


@pytest.mark.parametrize(
    "arguments, said",
    [
        (["zzz"], "no op has 'zzz' in its name; `tw ops` lists all"),
        (["MatMull"], "no op has 'MatMull' in its name; similar: "),
        (["MatMul", "--touches", "files"], "name and touches files"),
        (
            ["MatMul", "--touches", "files", "--needs", "blocking"],
            "name and touches files and needs blocking",
        ),
    ],
)
def test_no_such_ops_are_an_error(arguments, said, capsys):
    assert tw.main(["ops", *arguments]) == 1
    printed = capsys.readouterr()
    assert said in printed.err and not printed.out


def test_check_op_of_a_misspelt_name_suggests_ops(capsys):
    assert tw.main(["check-op", "Mat_Mull"]) == 2
    assert "no such op: Mat_Mull; similar: MatMul" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        (["whre", "conv2d"], 2, "no such command: whre; similar: where"),
        (["run", "progam.py"], 2, "no such program: progam.py; similar: program.py"),
        (["trace", "progam.py"], 2, "similar: program.py"),
        (["plan", "progam.py"], 2, "similar: program.py"),
        (["where", "--library", "libopp.so", "x"], 2, "libopp.so; similar: libop.so"),
        (["check-op", "--library", "libopp.so", "X"], 2, "similar: libop.so"),
        (["explain", "--library", "libopp.so", "1"], 2, "similar: libop.so"),
        (["explain", "tf.matmull(1, 2)"], 1, "'matmull'; similar: matmul"),
        (["explain", "tff.matmul(1, 2)"], 1, "is not defined; similar: tf"),
        (["build", "row_nrm"], 1, "no such folder: "),
        (["checkpoint", "modl-7"], 1, "no checkpoint is at modl-7; similar: model-7"),
        (["show", "conv_ops.ccc"], 1, "similar: conv_ops.cc"),
        (["doctor", "progam.py"], 2, "no such file: progam.py; similar: program.py"),
        (["upgrade", "progam.py"], 2, "no such file: progam.py; similar: program.py"),
        (["saved-model", "modls"], 1, "no such folder: modls; similar: models"),
        (["saved-model", "models"], 1, "saved_model.pbtxt; there are models/1"),
        (["saved-model", "models/1/saved_model.pb"], 1, "its folder is one: models/1"),
        (["saved-model", "models/1", "--run", "in.npz"], 1, "similar: inp.npz"),
    ],
)
def test_what_is_not_there_is_an_error_with_suggestions(
    arguments, status, said, capsys, tmp_path, monkeypatch
):
    for name in ("program.py", "libop.so", "model-7.index"):
        (tmp_path / name).touch()
    (tmp_path / "row_norm").mkdir()
    (tmp_path / "inp.npz").touch()
    (tmp_path / "models" / "1").mkdir(parents=True)
    (tmp_path / "models" / "1" / "saved_model.pb").touch()
    monkeypatch.chdir(tmp_path)
    try:
        assert tw.main(arguments) == status
    except SystemExit as left:
        # The parser's own errors have numbers, others a text, which Python prints.
        if isinstance(left.code, str):
            print(left.code)
        assert left.code == status or status == 1
    printed = capsys.readouterr()
    assert said in printed.out + printed.err


def test_run_gives_a_program_tensorflow(tmp_path, monkeypatch):
    (tmp_path / "beside_the_program.py").write_text("WORD = 'beside'\n")
    monkeypatch.setattr(sys, "path", list(sys.path))
    script = tmp_path / "program.py"
    script.write_text(
        "import sys\n"
        "import tensorflow as tf\n"
        "import tensorflow.compat.v1 as tf1\n"
        "from tensorflow.python.ops import array_ops, no_such_ops\n"
        "import beside_the_program\n"
        "assert beside_the_program.WORD == 'beside'\n"
        "assert tf is tf1\n"
        "with tf.Session() as session:\n"
        "    print(session.run(array_ops.reshape(tf.constant([1, 2]), [2, 1]))[1], *sys.argv[1:])\n"
    )
    monkeypatch.setattr(sys, "argv", ["tw"])
    status, text = _output("run", str(script), "--flag")
    assert status == 0
    assert text == "[2] --flag\n"


def test_run_takes_a_program_as_text_and_where_suggests(capfd, monkeypatch):
    monkeypatch.setattr(sys, "argv", [])
    monkeypatch.setattr(sys, "path", list(sys.path))
    code = "import sys, tensorflow as tf; print(tf.__name__, *sys.argv)"
    assert tw.main(["run", "-c", code, "a", "--b"]) == 0
    assert capfd.readouterr().out == "tensorwright -c a --b\n"
    assert tw.main(["where", "conv2d_transpos"]) == 1
    assert "tf.nn.conv2d_transpose" in capfd.readouterr().err
    for command in ("run", "trace", "plan"):
        assert tw.main([command, "nosuch.py"]) == 2
        assert f"tw {command}: no such program: nosuch.py" in capfd.readouterr().err


def test_show_suggests_files(capsys):
    assert tw.main(["show", "conv_opss.cc"]) == 1
    assert "similar: conv_ops.cc" in capsys.readouterr().err


def test_where_begins_with_the_op_of_the_function():
    _, text = _output("where", "tf.matmul")
    assert 0 < text.index("gen_math_ops._mat_mul") < text.index("_sparse_mat_mul")
    _, text = _output("where", "LSTMCell")
    assert text.startswith("tf.nn.rnn_cell.LSTMCell\n")
    assert "LSTMCell.call" in text and "MatMul" in text


def _in_order(text, parts):
    places = [text.index(part) for part in parts]
    return places == sorted(places)


def test_where_shows_steps_as_they_are_called():
    _, text = _output("where", "tf.nn.batch_normalization")
    ops = [f"  op        {op} " for op in ("Add", "Rsqrt", "Mul", "Sub", "Cast")]
    assert _in_order(text, ops), text
    _, text = _output("where", "LSTMCell")
    ops = [f"  op        {op} " for op in ("MatMul", "BiasAdd", "Sigmoid", "Mul")]
    assert _in_order(text, ops), text
    _, text = _output("where", "tf.layers.dense")
    assert _in_order(text, ["  op        MatMul ", "  op        BiasAdd "]), text


def test_explain_tells_what_runs_one_call(capsys):
    call = "tf.nn.conv2d(tf.ones([1, 28, 28, 64]), tf.ones([3, 3, 64, 64]), [1] * 4, 'SAME')"
    status, text = _output("explain", call)
    assert status == 0
    assert "runs      Winograd 4x4" in text and "or oneDNN" in text
    status, text = _output("explain", "[tf.exp(np.ones(3)), tf.tanh(1.0)]")
    assert "Exp = Exp(" in text and "Tanh = Tanh(" in text
    for wrong, message in (("3 + 4", "no tensor, but 7"), ("tf.nope(1)", "nope")):
        assert tw.main(["explain", wrong]) == 1
        assert message in capsys.readouterr().err


def test_show_prints_the_line_that_where_names(capsys, tmp_path):
    chain = source_chain.chain_of_op("Conv2D")
    status, text = _output("show", f"{chain.op.file}:{chain.op.line}", "-n", "1")
    assert status == 0
    lines = text.splitlines()
    assert lines[0] == "core/ops/nn_ops_conv.cc" and len(lines) == 4
    assert lines[2].startswith(">") and 'REGISTER_OP("Conv2D")' in lines[2]
    status, text = _output("show", f"conv_ops.cc:{chain.kernels[0].place.line}")
    assert 'Name("Conv2D")' in text
    assert tw.main(["show", "conv_ops.cc:99999"]) == 1
    assert "lines" in capsys.readouterr().err
    assert tw.main(["show", "BUILD.h"]) == 1
    mine = tmp_path / "mine.cc"
    mine.write_text("one\ntwo\n")
    assert _output("show", f"{mine}:2", "-n", "0")[1] == f"{mine}\n>    2  two\n"


def test_show_reads_the_archive_of_a_wheel(tmp_path, monkeypatch):
    text = b"first\nsecond\n"
    with tarfile.open(tmp_path / show.ARCHIVE, "w:xz") as archive:
        member = tarfile.TarInfo("core/ops/nn_ops.cc")
        member.size = len(text)
        archive.addfile(member, io.BytesIO(text))
    monkeypatch.setattr(show, "_PACKAGE", tmp_path)
    assert _output("show", "nn_ops.cc:1", "-n", "0") == (
        0,
        "core/ops/nn_ops.cc\n>    1  first\n",
    )


def test_run_starts_commands_whose_pythons_import_tensorflow(tmp_path):
    (tmp_path / "Makefile").write_text(
        f"all:\n\t{sys.executable} -c 'import tensorflow as tf; import tensorflow.python.ops;"
        ' open("said", "w").write(tf.__name__)\'\n'
    )
    if shutil.which("make") is None:
        pytest.skip("no make")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path)
        patch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
        assert tw.main(["run", "make", "all"]) == 0
        assert (tmp_path / "said").read_text() == "tensorwright"
        assert tw.main(["run", "make", "nothing"]) == 2
