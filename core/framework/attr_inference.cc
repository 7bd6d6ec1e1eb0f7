// SPDX-License-Identifier: Apache-2.0
// Fills in a new node's attrs from the dtypes of its inputs.
#include "core/framework/attr_inference.h"

#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "core/framework/attr_value.pb.h"
#include "core/framework/attr_value_util.h"
#include "core/framework/op_def.pb.h"
#include "core/framework/op_def_util.h"
#include "core/lib/core/errors.h"

namespace tensorwright {
namespace {

std::string TypesString(absl::Span<const DataType> types) {
  return DataTypeSliceString(types);
}

// Works through one op's arguments, setting attrs as it goes.
class Inference {
 public:
  Inference(const OpDef& op_def, AttrValueMap* attrs)
      : op_def_(op_def), attrs_(attrs) {}

  // One argument's tensors.
  Status AddArg(const OpDef::ArgDef& arg, absl::Span<const DataType> types,
                bool is_list) {
    const bool wants_list =
        !arg.number_attr().empty() || !arg.type_list_attr().empty();
    if (wants_list != is_list) {
      return Fail(arg,
                  wants_list ? "must be a list of tensors, got a tensor of "
                             : "must be one tensor, got a list of ",
                  TypesString(types));
    }
    if (arg.is_ref()) {
      for (DataType type : types) {
        if (!IsRefType(type)) {
          return Fail(arg, "must be a reference (a Variable), got a value of ",
                      DataTypeString(type));
        }
      }
    }
    if (!arg.type_list_attr().empty()) return SetTypeList(arg, types);
    if (!arg.number_attr().empty()) {
      TF_RETURN_IF_ERROR(SetNumber(arg, static_cast<int64_t>(types.size())));
    }
    if (!arg.type_attr().empty()) return SetType(arg, types);
    for (DataType type : types) {
      if (BaseType(type) != arg.type()) {
        return Fail(arg, "must be ", DataTypeString(arg.type()), ", got ",
                    DataTypeString(BaseType(type)));
      }
    }
    return OkStatus();
  }

  // Attrs that no input names: given, defaulted, or missing.
  Status Finish() {
    AddDefaultAttrs(op_def_, attrs_);
    for (const OpDef::AttrDef& attr : op_def_.attr()) {
      auto it = attrs_->find(attr.name());
      if (it == attrs_->end()) {
        return errors::InvalidArgument(
            op_def_.name(), ": attr '", attr.name(), "' of type ", attr.type(),
            " must be given: it has no default and no input says it");
      }
      Status s = ValidateAttrValue(it->second, attr);
      if (!s.ok()) return FailAttr(attr, s.message());
    }
    if (static_cast<int>(attrs_->size()) == op_def_.attr_size()) {
      return OkStatus();
    }
    for (const auto& [name, value] : *attrs_) {
      if (!absl::StartsWith(name, "_") && FindAttr(name, op_def_) == nullptr) {
        return errors::InvalidArgument(op_def_.name(), ": unknown attr '", name,
                                       "' (value ", SummarizeAttrValue(value),
                                       ")");
      }
    }
    return OkStatus();
  }

 private:
  template <typename... Words>
  Status Fail(const OpDef::ArgDef& arg, const Words&... words) const {
    return errors::InvalidArgument(op_def_.name(), ": ", arg.name(), " ",
                                   words...);
  }

  // An attr's value is not allowed: say which argument it came from, if any.
  Status FailAttr(const OpDef::AttrDef& attr, absl::string_view why) const {
    for (const OpDef::ArgDef& arg : op_def_.input_arg()) {
      if (arg.type_attr() == attr.name() ||
          arg.type_list_attr() == attr.name()) {
        return Fail(arg, "has a dtype that is not allowed: attr '", attr.name(),
                    "' ", why);
      }
      if (arg.number_attr() == attr.name()) {
        return Fail(arg, "has a length that is not allowed: attr '",
                    attr.name(), "' ", why);
      }
    }
    return errors::InvalidArgument(op_def_.name(), ": attr '", attr.name(),
                                   "' ", why);
  }

  // The first argument, before `arg`, that sets the same attr; null if the
  // caller gave it.
  const OpDef::ArgDef* Earlier(const OpDef::ArgDef& arg) const {
    for (const OpDef::ArgDef& other : op_def_.input_arg()) {
      if (&other == &arg) break;
      if ((!arg.type_attr().empty() && other.type_attr() == arg.type_attr()) ||
          (!arg.type_list_attr().empty() &&
           other.type_list_attr() == arg.type_list_attr())) {
        return &other;
      }
    }
    return nullptr;
  }
  const OpDef::ArgDef* EarlierNumber(const OpDef::ArgDef& arg) const {
    for (const OpDef::ArgDef& other : op_def_.input_arg()) {
      if (&other == &arg) break;
      if (other.number_attr() == arg.number_attr()) return &other;
    }
    return nullptr;
  }

  // "as x has", "as attr 'T' says".
  static std::string Because(const OpDef::ArgDef* earlier,
                             const std::string& attr) {
    return earlier != nullptr ? absl::StrCat("as ", earlier->name(), " has")
                              : absl::StrCat("as attr '", attr, "' says");
  }

  Status SetType(const OpDef::ArgDef& arg, absl::Span<const DataType> types) {
    for (size_t i = 1; i < types.size(); ++i) {
      if (BaseType(types[i]) != BaseType(types[0])) {
        return Fail(arg, "must hold tensors of one dtype, got ",
                    TypesString(types));
      }
    }
    // An empty list does not tell its dtype.
    if (types.empty()) return OkStatus();
    const DataType type = BaseType(types[0]);
    auto it = attrs_->find(arg.type_attr());
    if (it == attrs_->end()) {
      (*attrs_)[arg.type_attr()].set_type(type);
      return OkStatus();
    }
    if (it->second.type() == type) return OkStatus();
    return Fail(arg, "must have dtype ", DataTypeString(it->second.type()),
                ", ", Because(Earlier(arg), arg.type_attr()), ", got ",
                DataTypeString(type));
  }

  Status SetNumber(const OpDef::ArgDef& arg, int64_t n) {
    auto it = attrs_->find(arg.number_attr());
    if (it == attrs_->end()) {
      (*attrs_)[arg.number_attr()].set_i(n);
      return OkStatus();
    }
    if (it->second.i() == n) return OkStatus();
    return Fail(arg, "must have ", it->second.i(), " tensors, ",
                Because(EarlierNumber(arg), arg.number_attr()), ", got ", n);
  }

  Status SetTypeList(const OpDef::ArgDef& arg,
                     absl::Span<const DataType> types) {
    auto [it, inserted] = attrs_->insert({arg.type_list_attr(), AttrValue()});
    auto* list = it->second.mutable_list();
    if (inserted) {
      for (DataType type : types) list->add_type(BaseType(type));
      return OkStatus();
    }
    bool equal = static_cast<size_t>(list->type_size()) == types.size();
    for (size_t i = 0; equal && i < types.size(); ++i) {
      equal = list->type(i) == BaseType(types[i]);
    }
    if (equal) return OkStatus();
    return Fail(arg, "must have dtypes ", SummarizeAttrValue(it->second), ", ",
                Because(Earlier(arg), arg.type_list_attr()), ", got ",
                TypesString(types));
  }

  const OpDef& op_def_;
  AttrValueMap* const attrs_;
};

}  // namespace

Status InferAttrs(const OpDef& op_def, absl::Span<const DataType> input_types,
                  absl::Span<const int> arg_sizes, AttrValueMap* attrs) {
  if (static_cast<int>(arg_sizes.size()) != op_def.input_arg_size()) {
    return errors::InvalidArgument(
        op_def.name(), ": takes ", op_def.input_arg_size(), " inputs (",
        SummarizeArgs(op_def.input_arg()), "), got ", arg_sizes.size());
  }
  // The given attrs must be right before they are compared with the inputs.
  for (const OpDef::AttrDef& attr : op_def.attr()) {
    auto it = attrs->find(attr.name());
    if (it == attrs->end()) continue;
    Status s = ValidateAttrValue(it->second, attr);
    if (!s.ok()) {
      return errors::InvalidArgument(op_def.name(), ": attr '", attr.name(),
                                     "' ", s.message());
    }
  }
  Inference inference(op_def, attrs);
  size_t next = 0;
  for (int i = 0; i < op_def.input_arg_size(); ++i) {
    const bool is_list = arg_sizes[i] >= 0;
    const size_t n = is_list ? arg_sizes[i] : 1;
    if (n > input_types.size() - next) {
      return errors::InvalidArgument(
          op_def.name(), ": ", op_def.input_arg(i).name(), " has ", n,
          " tensors, but only ", input_types.size() - next, " are left");
    }
    TF_RETURN_IF_ERROR(inference.AddArg(op_def.input_arg(i),
                                        input_types.subspan(next, n), is_list));
    next += n;
  }
  if (next != input_types.size()) {
    return errors::InvalidArgument(op_def.name(), ": takes ", next,
                                   " tensors, got ", input_types.size());
  }
  return inference.Finish();
}

}  // namespace tensorwright
