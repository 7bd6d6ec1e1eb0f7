# SPDX-License-Identifier: Apache-2.0
"""Layers of plain operations, which a program has applied to the outputs of layers.

    hidden = tf.nn.relu(Dense(3)(inputs)) * 2.0
    model = Model(inputs, Dense(1)(hidden))

All operations between the outputs of layers and a tensor become one TensorFlowOpLayer.
"""

from __future__ import annotations

import base64
import functools
import weakref
from collections.abc import Iterable
from typing import Any

from keras import backend, layers
from keras.engine import base_layer

from tensorwright.core.framework import graph_pb2
from tensorwright.python.framework import importer, ops, tensor_util
from tensorwright.python.keras import _base
from tensorwright.python.keras._additions import extend
from tensorwright.python.util.lazy_protos import tensor_pb2

# Graph -> the operations that are known to depend on no layer.
_plain: weakref.WeakKeyDictionary[Any, set[Any]] = weakref.WeakKeyDictionary()


def _is_of_layer(tensor: Any) -> bool:
    return hasattr(tensor, "_keras_history")


_CONTROL_FLOW = frozenset(
    ["Enter", "Exit", "LoopCond", "Merge", "NextIteration", "Switch"]
)


def _goes_along(op: Any) -> bool:
    """Does an operation that depends on no layer belong to the operations that do?"""
    context = op._get_control_flow_context()
    return op.type == "Const" or op.type in _CONTROL_FLOW or context is not None


def _region(tensor: ops.Tensor) -> tuple[list[Any], list[Any], list[Any]]:
    """(operations between layers and `tensor`, outputs of layers they use, other tensors they use)."""
    plain = _plain.setdefault(tensor.graph, set())
    region: dict[Any, None] = {}
    waiting = [tensor.op]
    while waiting:
        op = waiting.pop()
        if op in region or op in plain:
            continue
        region[op] = None
        waiting += [x.op for x in op.inputs if not _is_of_layer(x)]
    reached: dict[Any, None] = {}
    waiting = [op for op in region if any(map(_is_of_layer, op.inputs))]
    while waiting:
        op = waiting.pop()
        if op in reached:
            continue
        reached[op] = None
        waiting += [c for x in op.outputs for c in x.consumers() if c in region]
    plain.update(op for op in region if op not in reached)
    # Values inside loops and branches cannot be taken out of them, and constants need not.
    if reached:
        reached.update({op: None for op in region if _goes_along(op)})
    inside = [op for op in region if op in reached][::-1]
    used = dict.fromkeys(x for op in inside for x in op.inputs if x.op not in reached)
    sources = [x for x in used if _is_of_layer(x)]
    return inside, sources, [x for x in used if not _is_of_layer(x)]


def _graph_def(operations: Iterable[Any]) -> Any:
    """Returns a GraphDef of operations, without their control inputs and devices."""
    operations = list(operations)
    names = {op.name for op in operations}
    graph_def = graph_pb2.GraphDef()
    for op in operations:
        node = graph_def.node.add()
        node.CopyFrom(op.node_def)
        inputs = [n for n in node.input if n[0] != "^" or n[1:] in names]
        del node.input[:]
        node.input.extend(inputs)
        node.attr.pop("_class", None)
        if any(a.HasField("func") or a.list.func for a in node.attr.values()):
            library = op.graph.as_graph_def().library
            graph_def.library.CopyFrom(library)
    return graph_def


class TensorFlowOpLayer(base_layer.Layer):
    """Operations as a layer.

    Args:
        graph: a GraphDef of the operations, in base64.
        sources: the names of the tensors that are the layer's inputs.
        constants: name -> TensorProto in base64, for the other tensors that the operations use.
        output: the name of the tensor that is the output.
    """

    def __init__(
        self,
        graph: str,
        sources: list[str],
        constants: dict[str, str],
        output: str,
        **kwargs: object,
    ):
        super().__init__(**kwargs)
        self._graph, self._sources, self._output = graph, sources, output
        self._constants = constants
        # Name -> tensor of the graph that the layer was found in.
        self._captured: dict[str, Any] = {}

    def _others(self) -> dict[str, Any]:
        """Returns, by name, the tensors that the operations use beside the inputs."""
        graph = ops.get_default_graph()
        if self._captured and all(t.graph is graph for t in self._captured.values()):
            return self._captured
        return {
            name: ops.convert_to_tensor(tensor_util.MakeNdarray(_tensor_proto(text)))
            for name, text in self._constant_texts().items()
        }

    def _constant_texts(self) -> dict[str, str]:
        """Returns the present values of the tensors that the operations use beside the inputs."""
        if not self._captured:
            return self._constants
        tensors = list(self._captured.values())
        with tensors[0].graph.as_default():
            values = _base.get_session().run(tensors)
        return {
            name: _text(tensor_util.make_tensor_proto(value))
            for name, value in zip(self._captured, values)
        }

    def call(self, inputs: Any) -> Any:
        listed = inputs if isinstance(inputs, list) else [inputs]
        graph_def = graph_pb2.GraphDef.FromString(base64.b64decode(self._graph))
        given = {**dict(zip(self._sources, listed)), **self._others()}
        (output,) = importer.import_graph_def(
            graph_def, input_map=given, return_elements=[self._output], name="ops"
        )
        return output

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "graph": self._graph,
            "sources": self._sources,
            "constants": self._constant_texts(),
            "output": self._output,
        }


def _text(message: Any) -> str:
    return base64.b64encode(message.SerializeToString()).decode("ascii")


def _tensor_proto(text: str) -> Any:
    return tensor_pb2.TensorProto.FromString(base64.b64decode(text))


def connect(tensor: object) -> None:
    """Makes a tensor that was computed from layers' outputs the output of a layer; any other stays as it is."""
    if not isinstance(tensor, ops.Tensor) or _is_of_layer(tensor):
        return
    operations, sources, others = _region(tensor)
    if not sources:
        return
    name = "tf_op_layer_" + tensor.op.name.replace("/", "_")
    number = _base.get_uid(name) - 1
    layer = TensorFlowOpLayer(
        graph=_text(_graph_def(operations)),
        sources=[x.name for x in sources],
        constants={},
        output=tensor.name,
        name=f"{name}_{number}" if number else name,
    )
    layer._captured = {x.name: x for x in others}
    layer.built = True
    shapes = [backend.int_shape(x) for x in sources]
    layer._add_inbound_node(
        input_tensors=sources,
        output_tensors=[tensor],
        input_masks=[None] * len(sources),
        output_masks=[None],
        input_shapes=shapes,
        output_shapes=[backend.int_shape(tensor)],
    )


def _connected(before: Any) -> Any:
    @functools.wraps(before)
    def call(self: Any, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        for x in inputs if isinstance(inputs, (list, tuple)) else [inputs]:
            connect(x)
        return before(self, inputs, *args, **kwargs)

    return call


def _outputs_connected(before: Any) -> Any:
    def init(self: Any, inputs: Any, outputs: Any, *args: Any, **kwargs: Any) -> None:
        for x in outputs if isinstance(outputs, (list, tuple)) else [outputs]:
            connect(x)
        before(self, inputs, outputs, *args, **kwargs)

    return init


def install(layer: type, network: type) -> None:
    """Lets Keras's layers and models take plain tensors that were computed from layers."""
    extend.wrap(layer, "__call__", _connected)
    extend.wrap(network, "_init_graph_network", _outputs_connected)
    setattr(layers, "TensorFlowOpLayer", TensorFlowOpLayer)
