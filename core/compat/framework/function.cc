// SPDX-License-Identifier: Apache-2.0
// FunctionDefHelper: turns nodes with names for their outputs into
// FunctionDefs.
#include "core/compat/framework/function.h"

#include <algorithm>
#include <map>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "core/framework/op.h"
#include "core/framework/op_def_builder.h"
#include "core/framework/op_registration.h"
#include "core/platform/logging.h"

namespace tensorwright {
namespace {

using Node = FunctionDefHelper::Node;

// The attr of a node; the op's default, or null, if it has none of that name.
const AttrValue* FindAttrOf(const Node& node, const OpDef& op,
                            const std::string& name) {
  for (const auto& attr : node.attr) {
    if (attr.first == name) return &attr.second.proto;
  }
  for (const OpDef::AttrDef& attr : op.attr()) {
    if (attr.name() == name && attr.has_default_value()) {
      return &attr.default_value();
    }
  }
  return nullptr;
}

// The number of tensors of an output; -1 if an attr of the function gives it.
int LengthOf(const OpDef::ArgDef& arg, const Node& node, const OpDef& op) {
  const bool is_number = !arg.number_attr().empty();
  const std::string& name =
      is_number ? arg.number_attr() : arg.type_list_attr();
  if (name.empty()) return 1;
  const AttrValue* const value = FindAttrOf(node, op, name);
  if (value == nullptr || !value->placeholder().empty()) return -1;
  return is_number ? static_cast<int>(value->i()) : value->list().type_size();
}

// Adds the tensors that the names of a node's outputs stand for to `tensors`.
void AddOutputs(const Node& node, std::map<std::string, std::string>* tensors) {
  const std::string& name = node.ret[0];
  const OpDef* op = nullptr;
  const Status found = OpRegistry::Global()->LookUpOpDef(node.op, &op);
  if (!found.ok()) {
    // When the body is used, it is refused because of its op.
    LOG(ERROR) << "FunctionDefHelper: node " << name << ": "
               << found.error_message();
    return;
  }
  const int given = static_cast<int>(node.ret.size());
  const int args = op->output_arg_size();
  int at = 0;
  for (int a = 0; a < args && at < given; ++a) {
    int length = LengthOf(op->output_arg(a), node, *op);
    // All remaining names but one for each argument that follows.
    if (length < 0) length = std::max(0, given - at - (args - a - 1));
    for (int i = 0; i < length && at < given; ++i, ++at) {
      (*tensors)[node.ret[at]] =
          absl::StrCat(name, ":", op->output_arg(a).name(), ":", i);
    }
  }
}

// The signature; empty, except for the name, if it makes no sense.
FunctionDef WithSignature(const std::string& name,
                          const std::vector<std::string>& in_def,
                          const std::vector<std::string>& out_def,
                          const std::vector<std::string>& attr_def) {
  // A function may have a name that no op may have.
  OpDefBuilder builder("Function");
  for (const std::string& spec : attr_def) builder.Attr(spec);
  for (const std::string& spec : in_def) builder.Input(spec);
  for (const std::string& spec : out_def) builder.Output(spec);
  OpRegistrationData data;
  const Status made = builder.Finalize(&data);
  FunctionDef def;
  if (made.ok()) {
    *def.mutable_signature() = data.op_def;
  } else {
    LOG(ERROR) << "FunctionDefHelper: function " << name << ": "
               << made.error_message();
  }
  def.mutable_signature()->set_name(name);
  return def;
}

void SetIfStateful(FunctionDef* def) {
  for (const NodeDef& node : def->node_def()) {
    const OpDef* op = nullptr;
    if (OpRegistry::Global()->LookUpOpDef(node.op(), &op).ok() &&
        op->is_stateful()) {
      def->mutable_signature()->set_is_stateful(true);
    }
  }
}

}  // namespace

void FunctionDefHelper::AttrValueWrapper::FromText(absl::string_view text) {
  if (absl::StartsWith(text, "$")) {
    proto.set_placeholder(std::string(text.substr(1)));
  } else {
    SetAttrValue(text, &proto);
  }
}

NodeDef FunctionDefHelper::Node::ToNodeDef() const {
  NodeDef node;
  if (!ret.empty()) node.set_name(ret[0]);
  node.set_op(op);
  node.set_device(device);
  for (const std::string& name : arg) node.add_input(name);
  for (const std::string& name : dep) node.add_input(absl::StrCat("^", name));
  for (const auto& a : attr) (*node.mutable_attr())[a.first] = a.second.proto;
  return node;
}

FunctionDefHelper::AttrValueWrapper FunctionDefHelper::FunctionRef(
    const std::string& name,
    absl::Span<const std::pair<std::string, AttrValueWrapper>> attrs) {
  AttrValueWrapper made;
  NameAttrList* const func = made.proto.mutable_func();
  func->set_name(name);
  for (const auto& attr : attrs) {
    (*func->mutable_attr())[attr.first] = attr.second.proto;
  }
  return made;
}

FunctionDef FunctionDefHelper::Create(
    const std::string& function_name, const std::vector<std::string>& in_def,
    const std::vector<std::string>& out_def,
    const std::vector<std::string>& attr_def, const std::vector<Node>& nodes,
    const std::vector<std::pair<std::string, std::string>>& ret_def,
    const std::vector<std::pair<std::string, std::string>>& control_ret_def) {
  FunctionDef def = WithSignature(function_name, in_def, out_def, attr_def);
  for (const Node& node : nodes) *def.add_node_def() = node.ToNodeDef();
  for (const auto& ret : ret_def) (*def.mutable_ret())[ret.first] = ret.second;
  for (const auto& ret : control_ret_def) {
    (*def.mutable_control_ret())[ret.first] = ret.second;
    def.mutable_signature()->add_control_output(ret.first);
  }
  SetIfStateful(&def);
  return def;
}

FunctionDef FunctionDefHelper::Define(const std::string& function_name,
                                      const std::vector<std::string>& arg_def,
                                      const std::vector<std::string>& ret_def,
                                      const std::vector<std::string>& attr_def,
                                      const std::vector<Node>& nodes) {
  FunctionDef def = WithSignature(function_name, arg_def, ret_def, attr_def);
  std::map<std::string, std::string> tensors;
  std::map<std::string, std::string> owners;  // The nodes of outputs.
  for (const Node& node : nodes) {
    if (node.ret.empty()) continue;
    AddOutputs(node, &tensors);
    for (const std::string& name : node.ret) owners[name] = node.ret[0];
  }
  const auto tensor = [&](const std::string& name) {
    const auto found = tensors.find(name);
    return found == tensors.end() ? name : found->second;
  };
  for (const Node& node : nodes) {
    if (node.ret.empty()) {
      LOG(ERROR) << "FunctionDefHelper: function " << function_name
                 << ": a node of op " << node.op << " has no name";
      continue;
    }
    NodeDef made = node.ToNodeDef();
    made.clear_input();
    for (const std::string& name : node.arg) made.add_input(tensor(name));
    for (const std::string& name : node.dep) {
      const auto owner = owners.find(name);
      made.add_input(
          absl::StrCat("^", owner == owners.end() ? name : owner->second));
    }
    *def.add_node_def() = std::move(made);
  }
  for (const OpDef::ArgDef& ret : def.signature().output_arg()) {
    (*def.mutable_ret())[ret.name()] = tensor(ret.name());
  }
  SetIfStateful(&def);
  return def;
}

FunctionDefHelper::Node FunctionDefHelper::ConstNode(const std::string& name,
                                                     const Tensor& value) {
  return {{name}, "Const", {}, {{"dtype", value.dtype()}, {"value", value}},
          {},     ""};
}

}  // namespace tensorwright
