# SPDX-License-Identifier: Apache-2.0
"""Public functions for the ops of user_ops/.

An op that is not in the `hidden` list of //python/ops:gen_user_ops needs no line
here: its generated function is public as it is.
"""

from tensorwright.python.framework.tensor import Tensor
from tensorwright.python.ops import gen_user_ops
from tensorwright.python.ops.gen_user_ops import *  # noqa: F403


def my_fact() -> Tensor:
    """A fact: scalar string."""
    return gen_user_ops._fact()


def zero_out(arg) -> Tensor:
    """`arg`, int32 of any shape, with every element but the first set to 0."""
    return gen_user_ops._zero_out(arg)
