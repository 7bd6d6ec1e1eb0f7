# SPDX-License-Identifier: Apache-2.0
"""Statistics of memory, each an int64 scalar of the device that the op is on."""

from tensorwright.python.framework import ops
from tensorwright.python.ops import gen_contrib_ops


def BytesInUse() -> ops.Tensor:
    """Bytes in use now."""
    return gen_contrib_ops.bytes_in_use()


def BytesLimit() -> ops.Tensor:
    """The most bytes that can be in use, 0 where there is no limit."""
    return gen_contrib_ops.bytes_limit()


def MaxBytesInUse() -> ops.Tensor:
    """The most bytes that ever were in use."""
    return gen_contrib_ops.max_bytes_in_use()
