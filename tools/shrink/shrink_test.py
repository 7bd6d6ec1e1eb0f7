# SPDX-License-Identifier: Apache-2.0
"""`tw shrink`: packages compute what the whole library does, bit for bit, and say what is wrong."""

import pathlib
import subprocess
import sys
import threading

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.tools.shrink import testing
from tensorwright.tools.tw import shrink_link

_HEADER = pathlib.Path("tools/shrink")


def _weights(*shape):
    return tf.constant(np.random.RandomState(len(shape)).randn(*shape).astype("f") / 4)


@pytest.fixture(scope="module")
def digits(tmp_path_factory):
    """A small network, its file, and the folder of its package, which has no oneDNN."""
    folder = tmp_path_factory.mktemp("digits")
    with tf.Graph().as_default() as graph:
        pixels = tf.placeholder(tf.float32, [None, 8, 8, 1], name="pixels")
        h = tf.nn.conv2d(pixels, _weights(3, 3, 1, 8), [1, 1, 1, 1], "SAME")
        h = tf.nn.max_pool(tf.nn.relu(h), [1, 2, 2, 1], [1, 2, 2, 1], "SAME")
        h = tf.reshape(h, [-1, 128])
        scores = tf.nn.softmax(tf.matmul(h, _weights(128, 10)), name="scores")
        tf.argmax(scores, 1, name="digit")
        file = testing.write(folder / "digits.pb")
    options = ["--outputs", "scores,digit", "--onednn", "no", "-o", folder / "dist"]
    assert testing.shrink(file, *options) == 0
    return graph, file, folder / "dist"


def test_a_package_is_small_and_needs_numpy_alone(digits):
    _, _, dist = digits
    (wheel,) = dist.glob("digits-1.0-py3-none-*.whl")
    assert wheel.stat().st_size < 5e6
    program = f"""
import sys
sys.path.insert(0, {str(dist)!r})
import digits
assert "numpy" not in sys.modules
model = digits.load(threads=1)
import numpy as np
print(model.run({{"pixels": np.ones([2, 8, 8, 1], "f")}})["scores"].shape)
print(sorted(n for n in sys.modules if "tensor" in n or "google" in n))
"""
    printed = subprocess.check_output([sys.executable, "-I", "-c", program], text=True)
    assert printed.splitlines() == ["(2, 10)", "[]"]


def test_outputs_are_close_to_those_with_onednn_at_any_batch(digits):
    graph, _, dist = digits
    model = testing.load(dist, "digits").load()
    for batch in (1, 2, 7, 64):
        pixels = np.random.RandomState(batch).rand(batch, 8, 8, 1).astype("f")
        with tf.Session(graph=graph) as session:
            scores, digit = session.run(["scores:0", "digit:0"], {"pixels:0": pixels})
        got = model.run({"pixels": pixels})
        np.testing.assert_allclose(got["scores"], scores, rtol=1e-5)
        np.testing.assert_array_equal(got["digit"], digit)
        assert got["digit"].dtype == np.int64


def test_inputs_and_outputs_are_described(digits):
    model = testing.load(digits[2], "digits").load()
    assert model.inputs == {"pixels": ("float32", (None, 8, 8, 1))}
    assert model.outputs == {
        "digit": ("int64", (None,)),
        "scores": ("float32", (None, 10)),
    }


@pytest.mark.parametrize(
    ("inputs", "words"),
    [
        ({}, "the inputs are ['pixels'], not []"),
        ({"x": 1}, "the inputs are ['pixels'], not ['x']"),
        ({"pixels": np.ones([1, 8, 8, 1])}, ""),
        ({"pixels": np.ones([1, 8, 8, 1], complex)}, "an array of complex128"),
        ({"pixels": ["a"]}, "the input 'pixels': an array of <U1"),
        ({"pixels": np.ones([8, 8], "f")}, "pixels"),
        ({"pixels": np.ones([1, 8, 9, 1], "f")}, "pixels"),
    ],
)
def test_inputs_that_do_not_fit_are_refused(digits, inputs, words):
    package = testing.load(digits[2], "digits")
    model = package.load()
    if not words:
        # Doubles become floats, as NumPy's own functions make them.
        assert model.run(inputs)["scores"].shape == (1, 10)
        return
    with pytest.raises(package.ModelError) as refused:
        model.run(inputs)
    assert words in str(refused.value)
    model.run({"pixels": np.ones([1, 8, 8, 1], "f")})


def test_many_threads_run_one_model(digits):
    model = testing.load(digits[2], "digits").load(threads=2)
    pixels = np.random.RandomState(0).rand(20, 8, 8, 1).astype("f")
    expected = model.run({"pixels": pixels})["scores"]
    wrong = []

    def work():
        for _ in range(50):
            got = model.run({"pixels": pixels})["scores"]
            wrong.extend([1] * (got.tobytes() != expected.tobytes()))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


_PROGRAM = r"""
#include <stdio.h>
#include "model.h"

int main(void) {
  char error[200];
  float pixels[64] = {0};
  int64_t dims[] = {1, 8, 8, 1};
  tw_tensor x = {TW_FLOAT, 4, dims, pixels};
  tw_model* model = tw_model_load(1, error, sizeof error);
  if (model == NULL) return puts(error), 1;
  printf("%s %s\n", tw_model_input(model, 0)->name, tw_model_output(model, 1)->name);
  tw_result* result = tw_model_run(model, &x, error, sizeof error);
  if (result == NULL) return puts(error), 1;
  printf("%.6f\n", ((const float*)tw_result_tensor(result, 1)->data)[3]);
  tw_result_free(result);
  x.dtype = TW_INT32;
  if (tw_model_run(model, &x, error, sizeof error) == NULL) puts(error);
  x.dtype = TW_FLOAT;
  x.rank = 3;
  if (tw_model_run(model, &x, error, 20) == NULL) puts(error);
  tw_model_free(model);
  return tw_model_load(-1, error, sizeof error) != NULL;
}
"""


def test_a_program_in_c_runs_it(digits, tmp_path):
    package = digits[2] / "digits"
    (tmp_path / "program.c").write_text(_PROGRAM)
    command = ["gcc", "-std=c11", "-Wall", "-Werror", "-pedantic", "-o", "program"]
    command += ["program.c", f"-I{package}", str(package / "libmodel.so")]
    # The libraries beside it are found from it.
    command += [f"-Wl,-rpath,{package},-rpath-link,{package}"]
    subprocess.run(command, cwd=tmp_path, check=True)
    printed = subprocess.check_output([tmp_path / "program"], text=True).splitlines()
    assert printed[:2] == ["pixels scores", f"{0.1:.6f}"]
    assert "input 'pixels' has the dtype float, not 3" in printed[2]
    assert len(printed[3]) == 19


def test_kernels_of_other_dtypes_are_left_out(digits, tmp_path):
    _, file, dist = digits
    found = shrink_link.parts(testing.OBJECTS.absolute())
    ops = {"Const", "Placeholder", "Relu", "NoOp", "_Arg", "_Retval"}
    sizes = []
    for types in ({"float"}, None):
        work = tmp_path / str(types)
        work.mkdir()
        library = shrink_link.link(found, "m", b"", ops, types, False, work)
        sizes.append((library.path.stat().st_size, library.dropped))
    assert sizes[0][0] < sizes[1][0]
    assert sizes[0][1] > 20 and sizes[1][1] == 0


def _graph(build):
    with tf.Graph().as_default() as graph:
        build()
    return graph.as_graph_def().SerializeToString()


@pytest.mark.parametrize(
    ("build", "options", "words"),
    [
        (lambda: tf.Variable(1.0) + 1.0, [], "has state"),
        (lambda: tf.placeholder(tf.float32, name="x") + 1.0, [], "rank of the input"),
        (
            lambda: tf.identity(tf.placeholder(tf.string, [2], name="x")),
            [],
            "no string is drawn",
        ),
        (lambda: tf.zeros([2]) + 1.0, ["--outputs", "y"], "no node 'y'"),
        (lambda: tf.zeros([2]) + 1.0, ["--name", "a-b"], "no name of a package"),
        (
            lambda: tf.py_func(lambda: 1.0, [], tf.float32) + 1.0,
            [],
            "the model does not run",
        ),
        (
            lambda: tf.cast(tf.placeholder(tf.float32, [2]), tf.bfloat16) + 1,
            [],
            "bfloat16",
        ),
    ],
)
def test_models_that_cannot_be_shrunk(tmp_path, capsys, build, options, words):
    file = tmp_path / "model.pb"
    file.write_bytes(_graph(build))
    assert testing.shrink(file, "-o", tmp_path / "dist", *options) == 1
    assert words in capsys.readouterr().err
    assert not (tmp_path / "dist").exists()


def test_files_that_are_no_models(tmp_path, capsys):
    (tmp_path / "a.pb").write_bytes(b"no graph")
    assert testing.shrink(tmp_path / "a.pb", "-o", tmp_path / "dist") == 1
    assert testing.shrink(tmp_path / "b.pb", "-o", tmp_path / "dist") == 1
    assert capsys.readouterr().err.count("tw shrink: ") == 2


def test_a_library_that_does_not_load_is_an_error_of_the_package(digits, tmp_path):
    package = tmp_path / "digits"
    package.mkdir()
    text = (digits[2] / "digits" / "__init__.py").read_text()
    (package / "__init__.py").write_text(text)
    (package / "libmodel.so").write_bytes(b"no library")
    broken = testing.load(tmp_path, "digits")
    with pytest.raises(broken.ModelError):
        broken.load()


def test_the_numbers_of_dtypes_in_the_header_are_those_of_the_enum():
    text = (_HEADER / "model.h").read_text()
    found = dict(
        line.strip().rstrip(",").split(" = ")
        for line in text.splitlines()
        if line.strip().startswith("TW_") and " = " in line
    )
    assert len(found) == 9
    others = {"float": "float32", "double": "float64"}
    for name, number in found.items():
        dtype = name[len("TW_") :].lower()
        dtype = tf.as_dtype(others.get(dtype, dtype))
        assert dtype.as_datatype_enum == int(number)


def test_two_models_live_in_one_process(digits, tmp_path):
    """Each with a protobuf of its own, which knows a message once."""
    _, file, dist = digits
    options = ["--outputs", "digit", "--onednn", "no", "--name", "other", "-o"]
    assert testing.shrink(file, *options, tmp_path) == 0
    program = f"""
import sys
sys.path[:0] = [{str(dist)!r}, {str(tmp_path)!r}]
import numpy as np
import digits, other
x = {{"pixels": np.ones([1, 8, 8, 1], "f")}}
one, two = digits.load(), other.load()
print(one.run(x)["digit"] == two.run(x)["digit"])
"""
    printed = subprocess.check_output([sys.executable, "-I", "-c", program], text=True)
    assert printed == "[ True]\n"
