# SPDX-License-Identifier: Apache-2.0
"""The registered ops and the public symbols are TensorFlow's, and README counts them right."""

import copy
import pathlib
import sys
import types

import pytest

from tensorwright.tools.conformance import op_lists, symbols

README = pathlib.Path(__file__).resolve().parents[2] / "README.md"


def test_every_op_is_as_its_list_has_it():
    of_1_3, later, wrong = op_lists.all_differences()
    assert not wrong, "\n" + "\n".join(map(str, wrong))
    assert of_1_3 == len(op_lists.ops_of_1_3()) == 719
    assert later > 200


def _attr(signature, name):
    return next(a for a in signature["attrs"] if a["name"] == name)


def _change_default(signature):
    _attr(signature, "use_cudnn_on_gpu")["default"] = False


def _allow_more(signature):
    _attr(signature, "data_format")["allowed"].append("NCHW_VECT_C")


def _change_type(signature):
    _attr(signature, "strides")["type"] = "list(float)"


def _rename_input(signature):
    signature["inputs"][0]["name"] = "image"


def _add_attr(signature):
    signature["attrs"].append({"name": "groups", "type": "int"})


def _drop_attr(signature):
    signature["attrs"] = [a for a in signature["attrs"] if a["name"] != "strides"]


@pytest.mark.parametrize(
    ("change", "what"),
    [
        (_change_default, "use_cudnn_on_gpu: has default True, not False"),
        (_allow_more, "data_format: does not allow ['NCHW_VECT_C']"),
        (_change_type, "strides: has type list(int)"),
        (_rename_input, "its inputs are"),
        (_add_attr, "groups: is missing"),
        (_drop_attr, "strides: is in no list, and has no default"),
    ],
)
def test_a_list_that_says_otherwise_is_noticed(change, what):
    wanted = copy.deepcopy(op_lists.ops_of_1_3()["Conv2D"])
    assert not op_lists.differences("Conv2D", wanted)
    for signature in wanted:
        change(signature)
    found = [str(d) for d in op_lists.differences("Conv2D", wanted)]
    assert len(found) == 1 and what in found[0], found


def test_a_dtype_without_a_kernel_is_noticed(monkeypatch):
    theirs = {"Conv2D": {"T": ["float", "string"]}}
    monkeypatch.setattr(op_lists, "_their_kernels", lambda: theirs)
    wanted = copy.deepcopy(op_lists.ops_of_1_3()["Conv2D"])
    assert not op_lists.differences("Conv2D", wanted)  # Conv2D does not allow strings.
    theirs["Conv2D"]["T"].append("complex64")
    monkeypatch.setattr(op_lists.Signature, "allowed_types", lambda *_: [1, 8])
    found = [str(d) for d in op_lists.differences("Conv2D", wanted)]
    assert "Conv2D.T: has no kernel for complex64" in found


def test_a_difference_that_is_not_there_must_not_be_named(monkeypatch):
    monkeypatch.setitem(op_lists.DIFFERENCES, "Conv2D.T", "none")
    wrong = [str(d) for d in op_lists.all_differences()[2]]
    assert wrong == ["Conv2D.T: does not differ, and DIFFERENCES names it"]


def test_a_package_of_other_functions_matches_little(monkeypatch):
    """Names alone are not enough, where the list has arguments."""
    package = types.ModuleType("package_of_one_function")
    package.__getattr__ = lambda name: lambda: name
    monkeypatch.setitem(sys.modules, package.__name__, package)
    monkeypatch.setitem(sys.modules, f"{package.__name__}.contrib", package)
    count = symbols.public(package.__name__)
    # Values, whose use nothing here tries, and functions without arguments.
    assert count.matching < count.listed / 8


def test_readme_states_what_is_counted():
    text = " ".join(README.read_text().split())
    of_1_3, _, _ = op_lists.all_differences()
    public, contrib = symbols.public("tensorwright"), symbols.contrib("tensorwright")
    left_out = len(symbols.left_out())
    for sentence in (
        f"TensorFlow 1.3's {of_1_3} ops",
        f"{public.matching:,} of {public.listed:,} public symbols",
        f"the list has {symbols.listed():,}, of which {left_out} are left out",
        f"{contrib.matching} of {contrib.listed} names of `tf.contrib`",
    ):
        assert sentence in text, sentence
