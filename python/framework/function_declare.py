# SPDX-License-Identifier: Apache-2.0
"""Functions that are called before they are defined."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tensorwright.python import _pywrap
from tensorwright.python.framework import dtypes, function_def, ops
from tensorwright.python.framework.type_aliases import DTypeLike
from tensorwright.python.util.lazy_protos import function_pb2


class _DeclaredFunction:
    """A function that a graph knows by its declaration, before the function is defined."""

    _definition = None

    def __init__(self, name: str):
        self.name = name


class Declare:
    """The signature of a function that is defined later, or elsewhere.

    Args:
        func_name: its name.
        inputs: (name, dtype) of each argument.
        outputs: (name, dtype) of each result.
    """

    def __init__(
        self,
        func_name: str,
        inputs: Sequence[tuple[str, DTypeLike]],
        outputs: Sequence[tuple[str, DTypeLike]],
    ):
        self._definition = function_pb2.FunctionDef()
        signature = self._definition.signature
        signature.name = func_name
        for args, into in (
            (inputs, signature.input_arg),
            (outputs, signature.output_arg),
        ):
            for name, dtype in args:
                into.add(name=name, type=dtypes.as_dtype(dtype).as_datatype_enum)

    @property
    def name(self) -> str:
        return self._definition.signature.name

    def __call__(self, *inputs: Any, **kwargs: object) -> Any:
        """Adds a call to the default graph; see `Defun`."""
        signature = self._definition.signature
        if len(inputs) != len(signature.input_arg):
            raise ValueError(
                f"{self.name} takes {len(signature.input_arg)} arguments, got {len(inputs)}"
            )
        graph = ops.get_default_graph()
        if graph._function_def_bytes(self.name) is None:
            function_def.add_function_def(graph, self._definition)
            graph._functions[self.name] = _DeclaredFunction(self.name)
        tensors = [
            ops.convert_to_tensor(x, dtypes.as_dtype(a.type))
            for x, a in zip(inputs, signature.input_arg, strict=True)
        ]
        op = _pywrap.create_op(graph, self.name, tensors, kwargs.pop("name", None), {})
        if not op.outputs:
            return op
        return op.outputs[0] if len(op.outputs) == 1 else tuple(op.outputs)
