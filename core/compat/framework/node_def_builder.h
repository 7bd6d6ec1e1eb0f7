// SPDX-License-Identifier: Apache-2.0
// NodeDefBuilder: builds a node, argument by argument.
#ifndef TENSORWRIGHT_CORE_COMPAT_FRAMEWORK_NODE_DEF_BUILDER_H_
#define TENSORWRIGHT_CORE_COMPAT_FRAMEWORK_NODE_DEF_BUILDER_H_

#include <functional>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "core/compat/framework/node_def_util.h"
#include "core/framework/op.h"
#include "core/framework/op_def.pb.h"
#include "core/framework/types.h"
#include "core/lib/core/status.h"

namespace tensorwright {

class NodeDefBuilder;

// Sets the next input to a tensor of a node that need not exist: fake_input.h.
using FakeInputFunctor =
    std::function<Status(const OpDef& op_def, int input_index,
                         const NodeDef& node_def, NodeDefBuilder* builder)>;

//   NodeDef node;
//   TF_RETURN_IF_ERROR(NodeDefBuilder("sum", "AddN")
//                          .Input({{"a", 0, DT_FLOAT}, {"b", 0, DT_FLOAT}})
//                          .Finalize(&node));
//
// Inputs come in the order of the op's definition, one call for each argument,
// with their types, which set the attrs that they decide.  Finalize() reports
// all mistakes.  Not thread-safe.
class NodeDefBuilder {
 public:
  struct NodeOut {
    NodeOut() = default;
    NodeOut(absl::string_view n, int i, DataType dt)
        : node(n), index(i), data_type(dt) {}
    std::string node;
    int index = 0;
    DataType data_type = DT_INVALID;
  };

  NodeDefBuilder(absl::string_view name, absl::string_view op_name,
                 const OpRegistryInterface* op_registry = OpRegistry::Global());
  // *op_def outlives this.
  NodeDefBuilder(absl::string_view name, const OpDef* op_def);

  NodeDefBuilder& Input(absl::string_view src_node, int src_index,
                        DataType dt) {
    return Input(NodeOut(src_node, src_index, dt));
  }
  NodeDefBuilder& Input(const NodeOut& src);
  // For an argument that is a list.
  NodeDefBuilder& Input(absl::Span<const NodeOut> src_list);
  NodeDefBuilder& Input(std::initializer_list<NodeOut> src_list) {
    return Input(absl::Span<const NodeOut>(src_list.begin(), src_list.size()));
  }
  NodeDefBuilder& Input(const FakeInputFunctor& fake_input);
  NodeDefBuilder& ControlInput(absl::string_view src_node);
  NodeDefBuilder& Device(absl::string_view device_spec);

  // Setting the same value again is fine; another value is a mistake.
  template <typename T>
  NodeDefBuilder& Attr(absl::string_view name, const T& value) {
    AttrValue attr;
    SetAttrValue(value, &attr);
    return SetAttr(name, attr);
  }
  template <typename T>
  NodeDefBuilder& Attr(absl::string_view name, std::initializer_list<T> value) {
    return Attr(name, std::vector<T>(value));
  }

  // Makes the node, with defaults for attrs that were not set.  InvalidArgument
  // lists every mistake.  With `consume` the builder is spent.
  Status Finalize(NodeDef* node_def, bool consume = false);

  const std::string& node_name() const { return node_def_.name(); }
  const OpDef& op_def() const { return *op_def_; }

 private:
  NodeDefBuilder& SetAttr(absl::string_view name, const AttrValue& value);
  // The definition of the next argument; null, which is noted as a mistake, if
  // there is none.
  const OpDef_ArgDef* NextArg();
  void AddSource(const NodeOut& src);
  // Checks that the type is the argument's, or lets it decide an attr.
  void CheckType(const OpDef_ArgDef& arg, DataType dt);
  void Mistake(std::string text) { mistakes_.push_back(std::move(text)); }

  const OpDef* op_def_ = nullptr;
  NodeDef node_def_;
  int next_input_ = 0;
  std::vector<std::string> control_inputs_;
  std::vector<std::string> mistakes_;
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMPAT_FRAMEWORK_NODE_DEF_BUILDER_H_
