# SPDX-License-Identifier: Apache-2.0
"""The exceptions of a run: `OpError` and one class for each error code."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any, cast

from tensorwright.python.util import later

if TYPE_CHECKING:
    from google.protobuf.message import Message

    from tensorwright.python.framework.operation import Operation

OK = 0
CANCELLED = 1
UNKNOWN = 2
INVALID_ARGUMENT = 3
DEADLINE_EXCEEDED = 4
NOT_FOUND = 5
ALREADY_EXISTS = 6
PERMISSION_DENIED = 7
RESOURCE_EXHAUSTED = 8
FAILED_PRECONDITION = 9
ABORTED = 10
OUT_OF_RANGE = 11
UNIMPLEMENTED = 12
INTERNAL = 13
UNAVAILABLE = 14
DATA_LOSS = 15
UNAUTHENTICATED = 16


class OpError(Exception):
    """An error of a run or of the runtime.

    Attributes:
        message: what happened, without the description of the node.
        op: the `Operation` that failed, None where it is not in the graph.
        node_def: its `NodeDef`, None likewise.
        error_code: one of the codes above.
    """

    def __init__(
        self,
        node_def: Message | None,
        op: Operation | None,
        message: str,
        error_code: int,
    ):
        super().__init__(node_def, op, message, error_code)
        self._node_def = node_def
        self._op = op
        self._message = message
        self._error_code = error_code
        # "FILE:LINE" of the OP_REQUIRES that failed; the binding sets it.
        self._source = ""

    @property
    def message(self) -> str:
        return self._message

    @property
    def op(self) -> Any:
        return self._op

    @property
    def node_def(self) -> Any:
        if self._node_def is None and self._op is not None:
            self._node_def = self._op.node_def
        return self._node_def

    @property
    def error_code(self) -> int:
        return self._error_code

    def __str__(self) -> str:
        if self._op is None:
            return self._message
        message = self._message
        if self._error_code == RESOURCE_EXHAUSTED:
            message = _with_lines(message, self._op.graph)
        text = f"{message}\n\t [[{describe_operation(self._op)}]]"
        chain = _chain_of(self._op, self._source, self._message)
        return f"{text}\n{chain}" if chain else text

    def __reduce__(self):
        # An Operation does not travel between processes; its description does.
        init = (None, None, str(self)) + (
            () if _has_own_code(self) else (self._error_code,)
        )
        return type(self), init


def _has_own_code(error: OpError) -> bool:
    return type(error) is not OpError


def describe_operation(op: Operation) -> str:
    """`node NAME (defined at FILE:LINE) = Op[attr=...](input, ...)`."""
    where = op._defined_at()
    where = f" (defined at {where})" if where else ""
    attrs = ", ".join(f"{k}={v}" for k, v in op._attr_summaries())
    inputs = [t.name.removesuffix(":0") for t in op.inputs]
    inputs += ["^" + c.name for c in op.control_inputs]
    device = f', _device="{op.device}"' if op.device else ""
    return f"node {op.name}{where} = {op.type}[{attrs}{device}]({', '.join(inputs)})"


def _with_lines(message: str, graph: Any) -> str:
    """The message, where a list of pieces of memory (core/common_runtime/memory_in_use.h) also says the nodes' lines."""
    lines = message.split("\n")
    for i, line in enumerate(lines):
        size, is_piece, label = line.partition(" MiB for ")
        if not is_piece or not size.startswith("  "):
            continue
        try:
            op = graph.get_operation_by_name(label.rpartition(" (")[0])
        except (KeyError, ValueError):
            continue  # It belongs to the runtime, or a pass has made it.
        where = op._defined_at()
        if where:
            lines[i] += f", defined at {where}"
    return "\n".join(lines)


def _chain_of(op: Any, source: str, message: str) -> str:
    """Returns the lines that lead from the program to the failed kernel; "" if they cannot be found."""
    try:
        return later.part("explain").failure_text(op, source, message)
    except Exception:  # The error of the run matters more than one of this search.
        return ""


if TYPE_CHECKING:

    class _CodedError(OpError):
        """The classes below: their code is their own."""

        def __init__(
            self, node_def: Message | None, op: Operation | None, message: str
        ): ...

else:
    _CodedError = OpError


def _error_class(name: str, code: int, doc: str) -> type[_CodedError]:
    def __init__(self, node_def: Any, op: Any, message: str):
        OpError.__init__(self, node_def, op, message, code)

    body = {"__init__": __init__, "__doc__": doc, "__module__": __name__}
    return cast("type[_CodedError]", type(name, (OpError,), body))


CancelledError = _error_class(
    "CancelledError", CANCELLED, "The run or step was cancelled."
)
UnknownError = _error_class(
    "UnknownError", UNKNOWN, "An error from elsewhere, without a known code."
)
InvalidArgumentError = _error_class(
    "InvalidArgumentError", INVALID_ARGUMENT, "An input that the op does not accept."
)
DeadlineExceededError = _error_class(
    "DeadlineExceededError", DEADLINE_EXCEEDED, "A time limit passed first."
)
NotFoundError = _error_class(
    "NotFoundError", NOT_FOUND, "A file, resource or op that does not exist."
)
AlreadyExistsError = _error_class(
    "AlreadyExistsError", ALREADY_EXISTS, "What was to be made exists already."
)
PermissionDeniedError = _error_class(
    "PermissionDeniedError", PERMISSION_DENIED, "The caller may not do this."
)
UnauthenticatedError = _error_class(
    "UnauthenticatedError", UNAUTHENTICATED, "The caller has not shown who it is."
)
ResourceExhaustedError = _error_class(
    "ResourceExhaustedError", RESOURCE_EXHAUSTED, "Memory or a quota ran out."
)
FailedPreconditionError = _error_class(
    "FailedPreconditionError",
    FAILED_PRECONDITION,
    "The state does not allow this yet, e.g. a variable without a value.",
)
AbortedError = _error_class(
    "AbortedError", ABORTED, "The operation was given up, e.g. by a closed queue."
)
OutOfRangeError = _error_class(
    "OutOfRangeError", OUT_OF_RANGE, "The input has come to its end."
)
UnimplementedError = _error_class(
    "UnimplementedError", UNIMPLEMENTED, "No kernel does this."
)
InternalError = _error_class(
    "InternalError", INTERNAL, "An invariant of the runtime does not hold."
)
UnavailableError = _error_class(
    "UnavailableError", UNAVAILABLE, "A service cannot be reached now."
)
DataLossError = _error_class(
    "DataLossError", DATA_LOSS, "Data is damaged or cannot be recovered."
)

_CODE_TO_CLASS = {
    CANCELLED: CancelledError,
    UNKNOWN: UnknownError,
    INVALID_ARGUMENT: InvalidArgumentError,
    DEADLINE_EXCEEDED: DeadlineExceededError,
    NOT_FOUND: NotFoundError,
    ALREADY_EXISTS: AlreadyExistsError,
    PERMISSION_DENIED: PermissionDeniedError,
    RESOURCE_EXHAUSTED: ResourceExhaustedError,
    FAILED_PRECONDITION: FailedPreconditionError,
    ABORTED: AbortedError,
    OUT_OF_RANGE: OutOfRangeError,
    UNIMPLEMENTED: UnimplementedError,
    INTERNAL: InternalError,
    UNAVAILABLE: UnavailableError,
    DATA_LOSS: DataLossError,
    UNAUTHENTICATED: UnauthenticatedError,
}
_CLASS_TO_CODE: dict[type[OpError], int] = {
    c: code for code, c in _CODE_TO_CLASS.items()
}


def exception_type_from_error_code(error_code: int) -> type[OpError]:
    return _CODE_TO_CLASS[error_code]


def error_code_from_exception_type(cls: type[OpError]) -> int:
    return _CLASS_TO_CODE.get(cls, UNKNOWN)


def _make_specific_exception(node_def, op, message: str, error_code: int) -> OpError:
    """The exception for a code; called by `_pywrap` for every failed Status."""
    cls = _CODE_TO_CLASS.get(error_code)
    if cls is None:
        return OpError(node_def, op, message, error_code)
    return cls(node_def, op, message)


class OperatorNotAllowedInGraphError(TypeError):
    """A tensor of a graph, whose value is not known yet, was asked for it by Python: by `if`, `for` or `and`."""


class raise_exception_on_not_ok_status(contextlib.AbstractContextManager):
    """A context that raised what its Status held; `_pywrap` raises by itself.

    Kept for programs that enter it: the body gets a placeholder status.
    """

    def __enter__(self) -> None:
        return None

    def __exit__(self, *exc_info) -> bool:
        return False
