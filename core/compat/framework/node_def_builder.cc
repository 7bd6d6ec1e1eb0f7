// SPDX-License-Identifier: Apache-2.0
// Checks the inputs and attrs of one node against its op's definition.
#include "core/compat/framework/node_def_builder.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "core/framework/attr_value_util.h"
#include "core/lib/core/errors.h"

namespace tensorwright {

NodeDefBuilder::NodeDefBuilder(absl::string_view name,
                               absl::string_view op_name,
                               const OpRegistryInterface* op_registry) {
  node_def_.set_name(std::string(name));
  node_def_.set_op(std::string(op_name));
  const Status found = op_registry->LookUpOpDef(op_name, &op_def_);
  if (!found.ok()) {
    Mistake(std::string(found.error_message()));
    op_def_ = &OpDef::default_instance();
  }
}

NodeDefBuilder::NodeDefBuilder(absl::string_view name, const OpDef* op_def)
    : op_def_(op_def) {
  node_def_.set_name(std::string(name));
  node_def_.set_op(op_def->name());
}

const OpDef_ArgDef* NodeDefBuilder::NextArg() {
  if (next_input_ >= op_def_->input_arg_size()) {
    Mistake(absl::StrCat("there are more than the op's ",
                         op_def_->input_arg_size(), " inputs"));
    return nullptr;
  }
  return &op_def_->input_arg(next_input_++);
}

void NodeDefBuilder::AddSource(const NodeOut& src) {
  if (src.node.empty()) {
    Mistake("an input has no name");
  } else if (src.index == 0) {
    node_def_.add_input(src.node);
  } else {
    node_def_.add_input(absl::StrCat(src.node, ":", src.index));
  }
}

void NodeDefBuilder::CheckType(const OpDef_ArgDef& arg, DataType dt) {
  const DataType base = BaseType(dt);
  if (arg.is_ref() && !IsRefType(dt)) {
    Mistake(absl::StrCat("input ", arg.name(), " must be a reference, got ",
                         DataTypeString(dt)));
  } else if (arg.type() == DT_INVALID) {
    Attr(arg.type_attr(), base);
  } else if (arg.type() != base) {
    Mistake(absl::StrCat("input ", arg.name(), " must be ",
                         DataTypeString(arg.type()), ", got ",
                         DataTypeString(dt)));
  }
}

NodeDefBuilder& NodeDefBuilder::Input(const NodeOut& src) {
  const OpDef_ArgDef* arg = NextArg();
  if (arg == nullptr) return *this;
  if (!arg->number_attr().empty() || !arg->type_list_attr().empty()) {
    Mistake(
        absl::StrCat("input ", arg->name(), " must be a list, got a tensor"));
    return *this;
  }
  AddSource(src);
  CheckType(*arg, src.data_type);
  return *this;
}

NodeDefBuilder& NodeDefBuilder::Input(absl::Span<const NodeOut> src_list) {
  const OpDef_ArgDef* arg = NextArg();
  if (arg == nullptr) return *this;
  if (arg->number_attr().empty() && arg->type_list_attr().empty()) {
    Mistake(
        absl::StrCat("input ", arg->name(), " must be a tensor, got a list"));
    return *this;
  }
  for (const NodeOut& src : src_list) AddSource(src);
  if (arg->number_attr().empty()) {
    DataTypeVector types;
    for (const NodeOut& src : src_list)
      types.push_back(BaseType(src.data_type));
    return Attr(arg->type_list_attr(), absl::Span<const DataType>(types));
  }
  Attr(arg->number_attr(), static_cast<int64_t>(src_list.size()));
  for (const NodeOut& src : src_list) CheckType(*arg, src.data_type);
  return *this;
}

NodeDefBuilder& NodeDefBuilder::Input(const FakeInputFunctor& fake_input) {
  const Status made = fake_input(*op_def_, next_input_, node_def_, this);
  if (!made.ok()) Mistake(std::string(made.error_message()));
  return *this;
}

NodeDefBuilder& NodeDefBuilder::ControlInput(absl::string_view src_node) {
  control_inputs_.emplace_back(src_node);
  return *this;
}

NodeDefBuilder& NodeDefBuilder::Device(absl::string_view device_spec) {
  node_def_.set_device(std::string(device_spec));
  return *this;
}

NodeDefBuilder& NodeDefBuilder::SetAttr(absl::string_view name,
                                        const AttrValue& value) {
  const AttrValue* before = AttrSlice(node_def_).Find(name);
  if (before == nullptr) {
    AddNodeAttr(name, value, &node_def_);
  } else if (!AreAttrValuesEqual(*before, value)) {
    Mistake(absl::StrCat("attr ", name, " is ", SummarizeAttrValue(*before),
                         " and ", SummarizeAttrValue(value)));
  }
  return *this;
}

Status NodeDefBuilder::Finalize(NodeDef* node_def, bool consume) {
  if (next_input_ < op_def_->input_arg_size() && mistakes_.empty()) {
    Mistake(absl::StrCat("input ", op_def_->input_arg(next_input_).name(),
                         " is missing"));
  }
  if (!mistakes_.empty()) {
    return errors::InvalidArgument(node_def_.op(), " node ", node_def_.name(),
                                   ": ", absl::StrJoin(mistakes_, "; "));
  }
  NodeDef made;
  if (consume) {
    made = std::move(node_def_);
  } else {
    made = node_def_;
  }
  // Control inputs come last.
  for (const std::string& src : control_inputs_) {
    made.add_input(absl::StrCat("^", src));
  }
  AddDefaultsToNodeDef(*op_def_, &made);
  *node_def = std::move(made);
  return OkStatus();
}

}  // namespace tensorwright
