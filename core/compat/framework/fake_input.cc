// SPDX-License-Identifier: Apache-2.0
// Names and types of inputs that nobody computes.
#include "core/compat/framework/fake_input.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "core/framework/attr_value.pb.h"
#include "core/lib/core/errors.h"

namespace tensorwright {
namespace {

// The node's attr or, if it has none, its op's default.
const AttrValue* AttrOf(const OpDef& op_def, const NodeDef& node_def,
                        const std::string& name) {
  if (const AttrValue* value = AttrSlice(node_def).Find(name)) return value;
  for (const OpDef_AttrDef& attr : op_def.attr()) {
    if (attr.name() == name && attr.has_default_value()) {
      return &attr.default_value();
    }
  }
  return nullptr;
}

// The parts of an argument that the caller gave; attrs must give the rest.
struct Given {
  absl::optional<int> n = {};
  absl::optional<DataType> dt = {};
  absl::optional<DataTypeVector> dts = {};
};

Status Fake(const Given& given, const OpDef& op_def, int input_index,
            const NodeDef& node_def, NodeDefBuilder* builder) {
  if (input_index >= op_def.input_arg_size()) {
    return errors::InvalidArgument("there are more than the op's ",
                                   op_def.input_arg_size(), " inputs");
  }
  const OpDef_ArgDef& arg = op_def.input_arg(input_index);
  DataTypeVector types;
  const bool is_list =
      !arg.number_attr().empty() || !arg.type_list_attr().empty();
  if (given.dts.has_value()) {
    types = *given.dts;
  } else if (!arg.type_list_attr().empty() && !given.dt.has_value()) {
    const AttrValue* list = AttrOf(op_def, node_def, arg.type_list_attr());
    if (list == nullptr) {
      return errors::InvalidArgument("attr ", arg.type_list_attr(),
                                     " is needed before FakeInput()");
    }
    for (const int dt : list->list().type()) {
      types.push_back(static_cast<DataType>(dt));
    }
  } else {
    int64_t n = given.n.value_or(1);
    if (!arg.number_attr().empty() && !given.n.has_value()) {
      const AttrValue* number = AttrOf(op_def, node_def, arg.number_attr());
      if (number == nullptr) {
        return errors::InvalidArgument("attr ", arg.number_attr(),
                                       " is needed before FakeInput()");
      }
      n = number->i();
    }
    DataType dt = given.dt.value_or(arg.type());
    if (dt == DT_INVALID) {
      const AttrValue* type = AttrOf(op_def, node_def, arg.type_attr());
      if (type == nullptr) {
        return errors::InvalidArgument("attr ", arg.type_attr(),
                                       " is needed before FakeInput()");
      }
      dt = type->type();
    }
    types.assign(static_cast<size_t>(n), dt);
  }
  std::vector<NodeDefBuilder::NodeOut> outs;
  for (const DataType dt : types) {
    outs.emplace_back(absl::StrCat("fake_", input_index), outs.size(),
                      arg.is_ref() && !IsRefType(dt) ? MakeRefType(dt) : dt);
  }
  if (is_list) {
    builder->Input(outs);
  } else if (outs.size() == 1) {
    builder->Input(outs[0]);
  } else {
    return errors::InvalidArgument("input ", arg.name(),
                                   " must be a tensor, got a list");
  }
  return OkStatus();
}

FakeInputFunctor Functor(Given given) {
  return [given = std::move(given)](const OpDef& op_def, int input_index,
                                    const NodeDef& node_def,
                                    NodeDefBuilder* builder) {
    return Fake(given, op_def, input_index, node_def, builder);
  };
}

}  // namespace

FakeInputFunctor FakeInput() { return Functor({}); }
FakeInputFunctor FakeInput(DataType dt) { return Functor({.dt = dt}); }
FakeInputFunctor FakeInput(int n) { return Functor({.n = n}); }
FakeInputFunctor FakeInput(int n, DataType dt) {
  return Functor({.n = n, .dt = dt});
}
FakeInputFunctor FakeInput(DataTypeSlice dts) {
  return Functor({.dts = DataTypeVector(dts.begin(), dts.end())});
}

}  // namespace tensorwright
