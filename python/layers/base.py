# SPDX-License-Identifier: Apache-2.0
"""The base class of layers.  A facade of python/ops/_layers."""

from tensorwright.python.ops._layers.base import (
    InputSpec as InputSpec,
    Layer as Layer,
)
