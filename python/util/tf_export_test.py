# SPDX-License-Identifier: Apache-2.0
"""Notes of public names."""

import sys

import pytest

from tensorwright.python.util import tf_export


def test_a_function_has_the_names_of_both_versions():
    @tf_export.tf_export("mine.double", v1=["double", "mine.double"])
    def double(x):
        return 2 * x

    assert double(3) == 6
    assert tf_export.get_v2_names(double) == ["mine.double"]
    assert tf_export.get_v1_names(double) == ["double", "mine.double"]
    assert tf_export.get_canonical_name_for_symbol(double) == "mine.double"
    assert tf_export.get_symbol_from_name("tensorflow.double") is double


def test_a_name_of_the_first_version_alone_says_so():
    @tf_export.tf_export(v1=["old_name"])
    def old():
        pass

    name = tf_export.get_canonical_name_for_symbol
    assert tf_export.get_v2_names(old) == []
    assert name(old) == "old_name"
    assert name(old, add_prefix_to_v1_names=True) == "compat.v1.old_name"
    assert name(len) is None and name(test_a_function_has_the_names_of_both_versions) is None  # fmt: skip # noqa: E501


def test_a_subclass_has_names_of_its_own():
    @tf_export.keras_export("layers.Base")
    class Base:
        pass

    @tf_export.keras_export("layers.Derived")
    class Derived(Base):
        pass

    assert tf_export.get_v1_names(Derived) == ["keras.layers.Derived"]
    assert tf_export.get_canonical_name_for_symbol(Base, "keras") == "layers.Base"
    assert tf_export.get_canonical_name_for_symbol(Base) is None
    with pytest.raises(tf_export.SymbolAlreadyExposedError, match="already exposed"):
        tf_export.keras_export("layers.Other")(Derived)


def test_constants_are_noted_in_their_module():
    tf_export.tf_export("mine.LIMIT").export_constant(__name__, "LIMIT")
    module = sys.modules[__name__]
    assert module._tf_api_constants == [(("mine.LIMIT",), "LIMIT")]
    assert module._tf_api_constants_v1 == [(("mine.LIMIT",), "LIMIT")]
