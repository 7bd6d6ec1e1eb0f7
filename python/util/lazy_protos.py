# SPDX-License-Identifier: Apache-2.0
"""The modules of protos, each imported when one of its names is first used: `import tensorwright` reads no proto."""

from typing import TYPE_CHECKING

from tensorwright.python.util.lazy_loader import LazyLoader

if TYPE_CHECKING:
    from google.protobuf import (
        descriptor as descriptor,
        json_format as json_format,
        message as message,
        text_format as text_format,
    )

    from tensorwright.core.framework import (
        attr_value_pb2 as attr_value_pb2,
        device_attributes_pb2 as device_attributes_pb2,
        full_type_pb2 as full_type_pb2,
        function_pb2 as function_pb2,
        graph_pb2 as graph_pb2,
        node_def_pb2 as node_def_pb2,
        op_def_pb2 as op_def_pb2,
        tensor_pb2 as tensor_pb2,
        tensor_shape_pb2 as tensor_shape_pb2,
        types_pb2 as types_pb2,
        variable_pb2 as variable_pb2,
    )
    from tensorwright.core.protobuf import (
        config_pb2 as config_pb2,
        control_flow_pb2 as control_flow_pb2,
        meta_graph_pb2 as meta_graph_pb2,
        rewriter_config_pb2 as rewriter_config_pb2,
        saver_pb2 as saver_pb2,
        struct_pb2 as struct_pb2,
    )
else:
    _FOLDERS = {
        "google.protobuf": "descriptor json_format message text_format",
        "tensorwright.core.framework": """attr_value_pb2 device_attributes_pb2 full_type_pb2
            function_pb2 graph_pb2 node_def_pb2 op_def_pb2 tensor_pb2 tensor_shape_pb2
            types_pb2 variable_pb2""",
        "tensorwright.core.protobuf": """config_pb2 control_flow_pb2 meta_graph_pb2
            rewriter_config_pb2 saver_pb2 struct_pb2""",
    }
    for _folder, _names in _FOLDERS.items():
        for _name in _names.split():
            globals()[_name] = LazyLoader(_name, globals(), f"{_folder}.{_name}")
