// SPDX-License-Identifier: Apache-2.0
// For tests of graphs: GraphDefs from text, and LiveGraphs from short calls.
#ifndef TENSORWRIGHT_CORE_GRAPH_GRAPH_TESTUTIL_H_
#define TENSORWRIGHT_CORE_GRAPH_GRAPH_TESTUTIL_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/framework/attr_value.pb.h"
#include "core/framework/graph.pb.h"
#include "core/framework/tensor.pb.h"
#include "core/framework/tensor_shape.pb.h"
#include "core/graph/live_graph.h"
#include "core/lib/core/errors.h"
#include "google/protobuf/text_format.h"

namespace tensorwright {
namespace testing_graph {

using Attrs = std::vector<std::pair<std::string, AttrValue>>;

// An attr in proto text form: "type: DT_FLOAT", "i: 3".
inline AttrValue Attr(const std::string& text) {
  AttrValue value;
  if (!google::protobuf::TextFormat::ParseFromString(text, &value)) {
    TF_CHECK_OK(errors::Internal("bad attr in a test: ", text));
  }
  return value;
}

inline GraphDef ParseGraph(const std::string& text) {
  GraphDef def;
  if (!google::protobuf::TextFormat::ParseFromString(text, &def)) {
    TF_CHECK_OK(errors::Internal("bad GraphDef in a test"));
  }
  return def;
}

// An int32 vector or scalar.
inline AttrValue Ints(const std::vector<int32_t>& values) {
  Tensor t(DT_INT32, {static_cast<int64_t>(values.size())});
  std::copy(values.begin(), values.end(), t.base<int32_t>());
  AttrValue attr;
  t.AsProtoField(attr.mutable_tensor());
  return attr;
}
inline AttrValue Int(int32_t value) {
  AttrValue attr;
  Tensor(value).AsProtoField(attr.mutable_tensor());
  return attr;
}

inline StatusOr<Node*> TryAdd(LiveGraph* g, const std::string& op,
                              const std::vector<OutputRef>& inputs,
                              const Attrs& attrs = {},
                              const std::string& name = "",
                              const std::vector<int>& list_sizes = {},
                              const std::string& device = "",
                              const std::vector<Node*>& controls = {}) {
  NodeArgs args;
  args.op = op;
  args.name = name;
  args.device = device;
  args.inputs = inputs;
  const std::vector<int> singles(inputs.size(), -1);
  args.arg_sizes = list_sizes.empty() ? singles : list_sizes;
  args.control_inputs = controls;
  args.attrs = attrs;
  return g->AddNode(args);
}

inline OutputRef Add(LiveGraph* g, const std::string& op,
                     const std::vector<OutputRef>& inputs,
                     const Attrs& attrs = {}, const std::string& name = "",
                     const std::vector<int>& list_sizes = {},
                     const std::string& device = "",
                     const std::vector<Node*>& controls = {}) {
  auto node = TryAdd(g, op, inputs, attrs, name, list_sizes, device, controls);
  TF_CHECK_OK(node.status());
  return {*node, 0};
}

inline OutputRef IntConst(LiveGraph* g, const AttrValue& value) {
  return Add(g, "Const", {},
             {{"dtype", Attr("type: DT_INT32")}, {"value", value}});
}

// A float placeholder with a shape such as "dim { size: -1 } dim { size: 3 }".
inline OutputRef Placeholder(LiveGraph* g, const std::string& shape,
                             const std::string& name = "") {
  return Add(g, "Placeholder", {},
             {{"dtype", Attr("type: DT_FLOAT")},
              {"shape", Attr("shape { " + shape + " }")}},
             name);
}

}  // namespace testing_graph
}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_GRAPH_GRAPH_TESTUTIL_H_
