# SPDX-License-Identifier: Apache-2.0
"""The devices of this process."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorwright.python import _pywrap
from tensorwright.python.framework import ops
from tensorwright.python.util.lazy_protos import device_attributes_pb2

if TYPE_CHECKING:
    from google.protobuf.message import Message


def list_local_devices(session_config: Message | None = None) -> list:
    """A `DeviceAttributes` proto for each device a session would have."""
    config = b"" if session_config is None else session_config.SerializeToString()
    core = _pywrap.SessionCore(ops.Graph(), config)
    parse = device_attributes_pb2.DeviceAttributes.FromString
    return [parse(b) for b in core.list_devices()]
