# SPDX-License-Identifier: Apache-2.0
"""The proto classes that are names of `tf`, imported when they are first used."""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tensorwright.core.framework.attr_value_pb2 import (
        AttrValue as AttrValue,
        NameAttrList as NameAttrList,
    )
    from tensorwright.core.framework.graph_pb2 import GraphDef as GraphDef
    from tensorwright.core.framework.node_def_pb2 import NodeDef as NodeDef
    from tensorwright.core.framework.op_def_pb2 import OpDef as OpDef
    from tensorwright.core.framework.summary_pb2 import (
        HistogramProto as HistogramProto,
        Summary as Summary,
        SummaryMetadata as SummaryMetadata,
    )
    from tensorwright.core.framework.tensor_pb2 import TensorProto as TensorProto
    from tensorwright.core.framework.tensor_shape_pb2 import (
        TensorShapeProto as TensorShapeProto,
    )
    from tensorwright.core.protobuf.config_pb2 import (
        ConfigProto as ConfigProto,
        GPUOptions as GPUOptions,
        GraphOptions as GraphOptions,
        OptimizerOptions as OptimizerOptions,
        RunMetadata as RunMetadata,
        RunOptions as RunOptions,
    )
    from tensorwright.core.protobuf.meta_graph_pb2 import (
        MetaGraphDef as MetaGraphDef,
        TensorInfo as TensorInfo,
    )
    from tensorwright.core.util.event_pb2 import (
        Event as Event,
        LogMessage as LogMessage,
        SessionLog as SessionLog,
    )

_CLASSES = {
    "AttrValue": "core.framework.attr_value_pb2",
    "ConfigProto": "core.protobuf.config_pb2",
    "Event": "core.util.event_pb2",
    "GPUOptions": "core.protobuf.config_pb2",
    "GraphDef": "core.framework.graph_pb2",
    "GraphOptions": "core.protobuf.config_pb2",
    "HistogramProto": "core.framework.summary_pb2",
    "LogMessage": "core.util.event_pb2",
    "MetaGraphDef": "core.protobuf.meta_graph_pb2",
    "NameAttrList": "core.framework.attr_value_pb2",
    "NodeDef": "core.framework.node_def_pb2",
    "OpDef": "core.framework.op_def_pb2",
    "OptimizerOptions": "core.protobuf.config_pb2",
    "RunMetadata": "core.protobuf.config_pb2",
    "RunOptions": "core.protobuf.config_pb2",
    "SessionLog": "core.util.event_pb2",
    "Summary": "core.framework.summary_pb2",
    "SummaryMetadata": "core.framework.summary_pb2",
    "TensorInfo": "core.protobuf.meta_graph_pb2",
    "TensorProto": "core.framework.tensor_pb2",
    "TensorShapeProto": "core.framework.tensor_shape_pb2",
}
__all__ = list(_CLASSES)


def __getattr__(name: str) -> Any:
    if name not in _CLASSES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = importlib.import_module(f"tensorwright.{_CLASSES[name]}")
    value = globals()[name] = getattr(module, name)
    return value


def __dir__() -> list[str]:
    return __all__
