# SPDX-License-Identifier: Apache-2.0
"""Tests of `tf.keras` import this first: it skips them if Keras is not installed, and forgets each test's objects."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator

import pytest

import tensorwright as tf

if importlib.util.find_spec("keras") is None:
    pytest.skip("Keras is not installed", allow_module_level=True)


@pytest.fixture(autouse=True)
def forget() -> Iterator[None]:
    """Each test has a session of its own, and layers named from the first."""
    tf.keras.backend.clear_session()
    yield
    tf.keras.backend.clear_session()
