# SPDX-License-Identifier: Apache-2.0
"""The loader in the module where TensorFlow has its functions."""

# ruff: noqa: F401
from tensorwright.python.saved_model.loader import (
    contains_saved_model as contains_saved_model,
    load as load,
    maybe_saved_model_directory as maybe_saved_model_directory,
    parse_saved_model as parse_saved_model,
)
