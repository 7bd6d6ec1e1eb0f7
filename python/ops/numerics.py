# SPDX-License-Identifier: Apache-2.0
"""Finding NaN and infinity in a graph."""

from __future__ import annotations

from tensorwright.python.framework import dtypes, ops
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import array_ops, control_flow_ops

# The dtypes of CheckNumerics.
CHECKED_TYPES = (dtypes.float16, dtypes.bfloat16, dtypes.float32, dtypes.float64)


def verify_tensor_all_finite(
    t: TensorLike | None = None,
    msg: str | None = None,
    name: str | None = None,
    x: TensorLike | None = None,
    message: str | None = None,
) -> ops.Tensor:
    """`t`; the run fails with InvalidArgumentError and `msg` if an element is NaN or infinite."""
    t = x if t is None else t
    msg = message if msg is None else msg
    if t is None or msg is None:
        raise ValueError("verify_tensor_all_finite needs a tensor and a message")
    with ops.name_scope(name, "VerifyFinite", [t]):
        t = ops.convert_to_tensor(t, name="t")
        with ops.colocate_with(t):
            check = array_ops.check_numerics(t, message=msg)
            return control_flow_ops.with_dependencies([check], t)


def add_check_numerics_ops() -> ops.Operation:
    """An op that checks every floating tensor of the graph, each after those it depends on.

    Raises ValueError if the graph has control flow: a check outside a branch would run it.
    """
    made_so_far = ops.get_default_graph().get_operations()
    tensors = [t for op in made_so_far for t in op.outputs if t.dtype in CHECKED_TYPES]
    checks: list[ops.Operation] = []
    for t in tensors:
        if t.op._get_control_flow_context() is not None:
            raise ValueError(
                "`tf.add_check_numerics_ops()` is not compatible with TensorFlow control "
                f"flow operations such as `tf.cond()` or `tf.while_loop()`: {t.op.name} "
                "is inside one, where a check would have to be built with it"
            )
        with ops.control_dependencies(checks[-1:]):
            checks.append(array_ops.check_numerics(t, message=t.name).op)
    return control_flow_ops.group(*checks)
