# SPDX-License-Identifier: Apache-2.0
"""The public names of the client."""

# ruff: noqa: F401
from tensorwright.python.client.policy import Policy as Policy
from tensorwright.python.client.session import (
    InteractiveSession as InteractiveSession,
    Session as Session,
)
from tensorwright.python.framework.ops import get_default_session as get_default_session
