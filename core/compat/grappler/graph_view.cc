// SPDX-License-Identifier: Apache-2.0
// The functions of graph_view.h.
#include "core/compat/grappler/graph_view.h"

#include "core/framework/attr_value.pb.h"

namespace tensorwright {
namespace grappler {
namespace {

// The number of tensors of an argument; 1 if the node lacks the attr.
int LengthOf(const NodeDef& node, const OpDef::ArgDef& arg) {
  const bool is_number = !arg.number_attr().empty();
  if (!is_number && arg.type_list_attr().empty()) return 1;
  const auto it =
      node.attr().find(is_number ? arg.number_attr() : arg.type_list_attr());
  if (it == node.attr().end()) return 1;
  return is_number ? static_cast<int>(it->second.i())
                   : it->second.list().type_size();
}

template <typename Args>
int ArgOfPort(const NodeDef& node, const Args& args, int port_id) {
  if (port_id < 0) return -1;
  int end = 0;
  for (int i = 0; i < args.size(); ++i) {
    end += LengthOf(node, args[i]);
    if (port_id < end) return i;
  }
  return -1;
}

}  // namespace

int OpOutputPortIdToArgId(const NodeDef& node, const OpDef& op, int port_id) {
  return ArgOfPort(node, op.output_arg(), port_id);
}

int OpInputPortIdToArgId(const NodeDef& node, const OpDef& op, int port_id) {
  return ArgOfPort(node, op.input_arg(), port_id);
}

bool HasSingleFanoutNode(const GraphView& graph_view, const NodeDef* node,
                         int port) {
  return graph_view.GetFanout(GraphView::OutputPort(node, port)).size() <= 1;
}

bool HasFanouts(const GraphView& graph_view, const NodeDef* node, int port) {
  return !graph_view.GetFanout(GraphView::OutputPort(node, port)).empty();
}

bool HasControlFanin(const GraphView& /*graph_view*/, const NodeDef* node) {
  return HasControlInputs(*node);
}

bool HasControlFanout(const GraphView& graph_view, const NodeDef* node) {
  return HasFanouts(graph_view, node, -1);
}

bool HasControlFaninOrFanout(const GraphView& graph_view, const NodeDef* node) {
  return HasControlFanin(graph_view, node) ||
         HasControlFanout(graph_view, node);
}

}  // namespace grappler
}  // namespace tensorwright
