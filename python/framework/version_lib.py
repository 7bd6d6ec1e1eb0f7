# SPDX-License-Identifier: Apache-2.0
"""`tf.version`."""

# ruff: noqa: F401
from tensorwright.python.framework.versions import (
    COMPILER_VERSION,
    GIT_VERSION,
    GRAPH_DEF_VERSION,
    GRAPH_DEF_VERSION_MIN_CONSUMER,
    GRAPH_DEF_VERSION_MIN_PRODUCER,
    VERSION,
)
