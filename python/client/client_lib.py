# SPDX-License-Identifier: Apache-2.0
"""The public names of the client."""

# ruff: noqa: F401
from tensorwright.python.client.session import InteractiveSession, Session
from tensorwright.python.framework.ops import get_default_session
