# SPDX-License-Identifier: Apache-2.0
"""Modules in front of others."""

import types

import pytest

from tensorwright.python.util import deprecation_wrapper, module_wrapper


@pytest.fixture
def wrapped():
    module = types.ModuleType("old", "The names of old programs.")
    module.kept = 1
    return module


def test_names_are_those_of_the_other_module(wrapped):
    module = module_wrapper.TFModuleWrapper(wrapped, "old")
    assert module.kept == 1 and module.__doc__ == wrapped.__doc__
    module.kept = 4
    assert wrapped.kept == 4 and repr(module) == repr(wrapped)
    del module.kept
    assert not hasattr(module, "kept") and "kept" not in dir(module)
    with pytest.raises(AttributeError, match="has no attribute 'missing'"):
        module.missing
    assert deprecation_wrapper.DeprecationWrapper is module_wrapper.TFModuleWrapper


def test_names_are_imported_when_they_are_used(wrapped):
    apis = {"sqrt": ("math", "sqrt"), "math": ("math", "")}
    module = module_wrapper.TFModuleWrapper(wrapped, "old", apis)
    assert "sqrt" in dir(module) and not hasattr(wrapped, "sqrt")
    assert module.sqrt(4) == 2 and module.math.sqrt is wrapped.sqrt
