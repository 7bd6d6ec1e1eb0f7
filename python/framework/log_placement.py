# SPDX-License-Identifier: Apache-2.0
"""Whether all sessions log on which device each node runs."""

_enabled = False


def set_log_device_placement(enabled: bool) -> None:
    """Sessions made from now on log on which device each node runs, as `ConfigProto.log_device_placement` asks."""
    global _enabled
    _enabled = bool(enabled)


def get_log_device_placement() -> bool:
    """Returns the setting of `set_log_device_placement`, at first False."""
    return _enabled
