# SPDX-License-Identifier: Apache-2.0
"""Whether TensorFlow behaves as its second version does by default: this one does not."""


def enabled() -> bool:
    """False."""
    return False


def disable() -> None:
    """Does nothing: version 1's behaviour is the only one."""
