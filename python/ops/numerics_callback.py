# SPDX-License-Identifier: Apache-2.0
"""tf.debugging.enable_check_numerics: every floating output of every operation is checked in every run."""

from typing import Any

from tensorwright.python import _pywrap
from tensorwright.python.framework import op_hook
from tensorwright.python.ops.numerics import CHECKED_TYPES

# Their outputs are checked under another name, or do not leave a frame.
_UNCHECKED = frozenset(("CheckNumerics", "NextIteration"))
# Runs as soon as one input is there: it cannot wait for the checks of all.
_NO_WAIT = frozenset(("CheckNumerics", "Merge", "RefMerge"))


def _unique_name(graph: Any, name: str) -> str:
    """Returns `name` if no scope has it, or a name that is free."""
    scope, graph._scope = graph._scope, ""
    try:
        return graph.unique_name(name)
    finally:
        graph._scope = scope


class _CheckEverything:
    """Adds a CheckNumerics beside every floating output; consumers of the output run after the check.

    The outputs themselves stay as they are, so graphs, gradients and names are those of the program.
    """

    def __init__(self, stack_height_limit: int | None, path_length_limit: int | None):
        self._height = stack_height_limit
        self._length = path_length_limit

    def control_inputs(self, graph: Any, op_type: str, inputs: list) -> list:
        """The checks that an operation of these inputs waits for."""
        if op_type in _NO_WAIT:
            return []
        checks = [graph._fetch_checks.get(t) for t in inputs]
        # The Enter or Switch of an outer value has waited for its check.
        context = graph._get_control_flow_context()
        return [
            c for c in checks if c is not None and c._control_flow_context is context
        ]

    def added(self, graph: Any, op: Any) -> None:
        """Adds the checks of a new operation."""
        if op.type in _UNCHECKED:
            return
        for output in op.outputs:
            if output.dtype in CHECKED_TYPES:
                graph._fetch_checks[output] = self._check(graph, output)

    def _check(self, graph: Any, tensor: Any) -> Any:
        op = tensor.op
        # No scope in force applies to the check; it is in the loop or branch of the operation.
        plain, device = graph._plain, graph._device
        graph._plain, graph._device = True, op.device
        try:
            check = _pywrap.create_op(
                graph,
                "CheckNumerics",
                [tensor],
                _unique_name(graph, f"{op.name}/CheckNumerics") + "/",
                {"message": self._message(tensor)},
            )
        finally:
            graph._plain, graph._device = plain, device
        context = op._control_flow_context
        if context is not None:
            check._control_flow_context = context
            context.AddOp(check)
        return check

    def _message(self, tensor: Any) -> str:
        op = tensor.op
        inputs = ", ".join(t.name for t in op.inputs) or "none"
        frames = [
            f"  {self._short(f)}:{line} in {name}" for f, line, name in op.traceback
        ]
        if self._height is not None:
            frames = frames[max(len(frames) - self._height, 0) :]
        return "\n".join(
            [
                f"Infinity or NaN in output {tensor.value_index} of {op.name} "
                f"({op.type}, {len(op.outputs)} outputs, defined at "
                f"{op._defined_at() or 'an unknown place'}); "
                f"dtype {tensor.dtype.name}, shape {tensor.shape}, inputs: {inputs}",
                *frames,
                "",
            ]
        )

    def _short(self, path: str) -> str:
        if self._length is None or len(path) <= self._length:
            return path
        return "..." + path[len(path) - self._length :]


def enable_check_numerics(
    stack_height_limit: int | None = 30, path_length_limit: int | None = 50
) -> None:
    """Makes each operation's floating outputs be checked from now on, in all graphs.

    A run in which one has a NaN or an infinity fails with InvalidArgumentError, whose text names the operation and
    where it was made, before anything takes the value.  Operations that exist already are not checked.  A second
    call does nothing.

    Args:
        stack_height_limit: the number of lines of the stack, the innermost, in the text; None: all.
        path_length_limit: the number of characters of a file's path, from the end, in the text; None: all.
    """
    if not isinstance(op_hook.active, _CheckEverything):
        op_hook.set_active(_CheckEverything(stack_height_limit, path_length_limit))


def disable_check_numerics() -> None:
    """Operations made from now on are not checked; those that exist still are."""
    if isinstance(op_hook.active, _CheckEverything):
        op_hook.set_active(None)
