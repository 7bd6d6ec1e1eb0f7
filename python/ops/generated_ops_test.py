# SPDX-License-Identifier: Apache-2.0
"""The promises of every printed wrapper: readable source, full docs, a stub that agrees."""

import ast
import importlib
import inspect
import pathlib
import shutil
import subprocess
import sys

import pytest

FOLDER = pathlib.Path(importlib.import_module("tensorwright.python.ops").__file__)
MODULES = sorted(path.stem for path in FOLDER.parent.glob("gen_*.py"))


def functions(module):
    """The functions a module defines, by name, without aliases and imports."""
    return {
        name: value
        for name, value in vars(module).items()
        if inspect.isfunction(value)
        and value.__module__ == module.__name__
        and value.__name__ == name
    }


def load(stem):
    return importlib.import_module(f"tensorwright.python.ops.{stem}")


def test_the_families_are_there():
    assert {"gen_array_ops", "gen_math_ops", "gen_nn_ops"} <= set(MODULES)


@pytest.mark.parametrize("stem", MODULES)
def test_source_docs_and_signature(stem):
    for name, function in functions(load(stem)).items():
        assert f"def {name}(" in inspect.getsource(function)
        parameters = list(inspect.signature(function).parameters.values())
        assert parameters[-1].name == "name"
        assert parameters[-1].default is None
        doc = inspect.getdoc(function)
        for parameter in parameters:
            assert f"\n    {parameter.name}: " in doc, (name, parameter.name)
        assert "\nReturns:\n" in doc
        assert "\nRegistered at " in doc


@pytest.mark.parametrize("stem", MODULES)
def test_stub_agrees(stem):
    module = pathlib.Path(load(stem).__file__)

    def signatures(path):
        tree = ast.parse(path.read_text())
        return {
            node.name: (ast.dump(node.args), ast.dump(node.returns))
            for node in tree.body
            if isinstance(node, ast.FunctionDef)
        }

    assert signatures(module) == signatures(module.with_suffix(".pyi"))


@pytest.mark.parametrize("stem", MODULES)
def test_ruff_has_nothing_to_say(stem, tmp_path):
    ruff = shutil.which("ruff", path=str(pathlib.Path(sys.executable).parent))
    if ruff is None:
        pytest.skip("ruff is not installed")
    module = pathlib.Path(load(stem).__file__)
    for path in (module, module.with_suffix(".pyi")):
        # A copy: ruff does not look at links out of its folder.
        copy = tmp_path / path.name
        copy.write_text(path.read_text())
        for arguments in (["format", "--check"], ["check"]):
            run = subprocess.run(
                [ruff, *arguments, "--isolated", "--no-cache", str(copy)],
                capture_output=True,
                text=True,
            )
            assert run.returncode == 0, run.stdout + run.stderr


def test_hidden_ops_have_both_names():
    gen_nn_ops = load("gen_nn_ops")
    assert gen_nn_ops.relu_grad is gen_nn_ops._relu_grad
    gen_math_ops = load("gen_math_ops")
    assert gen_math_ops.mat_mul is gen_math_ops._mat_mul


def test_registration_is_named():
    doc = load("gen_nn_ops").conv2d_backprop_input.__doc__
    assert "Registered at core/ops/nn_ops_conv.cc:" in doc
