// SPDX-License-Identifier: Apache-2.0
// Checks and prints OpDefs.
#include "core/framework/op_def_util.h"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "core/framework/attr_value.pb.h"
#include "core/framework/attr_value_util.h"
#include "core/framework/node_def_util.h"
#include "core/framework/types.h"
#include "core/lib/core/errors.h"

namespace tensorwright {
namespace {

bool IsIdentifier(absl::string_view name) {
  if (name.empty() || !(absl::ascii_isalpha(name[0]) || name[0] == '_')) {
    return false;
  }
  for (char c : name) {
    if (!absl::ascii_isalnum(c) && c != '_') return false;
  }
  return true;
}

// `name` must be an attr of that type.
Status RequireAttr(const OpDef& op_def, absl::string_view arg,
                   absl::string_view name, absl::string_view type) {
  const OpDef::AttrDef* attr = FindAttr(name, op_def);
  if (attr == nullptr) {
    return errors::InvalidArgument("argument '", arg, "' refers to attr '",
                                   name, "', which the op does not have");
  }
  if (attr->type() != type) {
    return errors::InvalidArgument("argument '", arg, "' needs attr '", name,
                                   "' of type ", type, ", but it is ",
                                   attr->type());
  }
  return OkStatus();
}

Status ValidateArg(const OpDef& op_def, const OpDef::ArgDef& arg,
                   std::set<std::string>* names) {
  if (!IsIdentifier(arg.name())) {
    return errors::InvalidArgument("'", arg.name(), "' is no argument name");
  }
  if (!names->insert(arg.name()).second) {
    return errors::InvalidArgument("the name '", arg.name(), "' is used twice");
  }
  if (!arg.number_attr().empty()) {
    TF_RETURN_IF_ERROR(
        RequireAttr(op_def, arg.name(), arg.number_attr(), "int"));
    if (!arg.type_list_attr().empty()) {
      return errors::InvalidArgument("argument '", arg.name(),
                                     "' is a list by number and by type list");
    }
  }
  const int kinds = (arg.type() != DT_INVALID) + !arg.type_attr().empty() +
                    !arg.type_list_attr().empty();
  if (kinds != 1) {
    return errors::InvalidArgument("argument '", arg.name(),
                                   "' must have one type, but has ", kinds);
  }
  if (!arg.type_attr().empty()) {
    return RequireAttr(op_def, arg.name(), arg.type_attr(), "type");
  }
  if (!arg.type_list_attr().empty()) {
    return RequireAttr(op_def, arg.name(), arg.type_list_attr(), "list(type)");
  }
  if (IsRefType(arg.type())) {
    return errors::InvalidArgument("argument '", arg.name(), "' must say Ref(",
                                   DataTypeString(RemoveRefType(arg.type())),
                                   ")");
  }
  return OkStatus();
}

Status ValidateAttrDef(const OpDef::AttrDef& attr,
                       std::set<std::string>* names) {
  if (!IsIdentifier(attr.name())) {
    return errors::InvalidArgument("'", attr.name(), "' is no attr name");
  }
  if (!names->insert(attr.name()).second) {
    return errors::InvalidArgument("the name '", attr.name(),
                                   "' is used twice");
  }
  absl::string_view base = attr.type();
  const bool is_list = absl::StartsWith(base, "list(");
  if (is_list) base = base.substr(5, base.size() - 6);
  static const char* const kTypes[] = {"string", "int",   "float",  "bool",
                                       "type",   "shape", "tensor", "func"};
  bool known = false;
  for (const char* type : kTypes) known |= base == type;
  if (!known) {
    return errors::InvalidArgument("attr '", attr.name(),
                                   "' has unknown type '", attr.type(), "'");
  }
  if (attr.has_minimum()) {
    if (!is_list && base != "int") {
      return errors::InvalidArgument("attr '", attr.name(), "' of type ",
                                     attr.type(), " cannot have a minimum");
    }
    if (is_list && attr.minimum() < 0) {
      return errors::InvalidArgument("attr '", attr.name(),
                                     "' must have a minimum >= 0, got ",
                                     attr.minimum());
    }
  }
  if (attr.has_allowed_values() && base != "type" && base != "string") {
    return errors::InvalidArgument("attr '", attr.name(), "' of type ",
                                   attr.type(),
                                   " cannot have a set of allowed values");
  }
  if (attr.has_default_value()) {
    TF_RETURN_WITH_CONTEXT_IF_ERROR(
        ValidateAttrValue(attr.default_value(), attr),
        "in the default of attr '", attr.name(), "'");
  }
  return OkStatus();
}

std::string ArgTypeString(const OpDef::ArgDef& arg) {
  std::string type = !arg.type_list_attr().empty() ? arg.type_list_attr()
                     : !arg.type_attr().empty()    ? arg.type_attr()
                                                   : DataTypeString(arg.type());
  if (arg.is_ref()) type = absl::StrCat("Ref(", type, ")");
  return arg.number_attr().empty() ? type
                                   : absl::StrCat(arg.number_attr(), "*", type);
}

// The values of an allowed set, printed; to compare and to name them.
std::set<std::string> AllowedSet(const OpDef::AttrDef& attr) {
  std::set<std::string> values;
  for (int type : attr.allowed_values().list().type()) {
    values.insert(DataTypeString(static_cast<DataType>(type)));
  }
  for (const std::string& s : attr.allowed_values().list().s()) {
    values.insert(absl::StrCat("'", s, "'"));
  }
  return values;
}

Status AttrCompatible(const OpDef& old_op, const OpDef::AttrDef& old_attr,
                      const OpDef::AttrDef* new_attr) {
  if (new_attr == nullptr) {
    return errors::InvalidArgument("Op ", old_op.name(), ": attr '",
                                   old_attr.name(), "' was removed");
  }
  if (old_attr.type() != new_attr->type()) {
    return errors::InvalidArgument("Op ", old_op.name(), ": attr '",
                                   old_attr.name(), "' changed its type from ",
                                   old_attr.type(), " to ", new_attr->type());
  }
  if (new_attr->has_allowed_values()) {
    const std::set<std::string> now = AllowedSet(*new_attr);
    if (!old_attr.has_allowed_values()) {
      return errors::InvalidArgument(
          "Op ", old_op.name(), ": attr '", old_attr.name(),
          "' was free and allows only ", absl::StrJoin(now, ", "), " now");
    }
    for (const std::string& value : AllowedSet(old_attr)) {
      if (now.count(value) == 0) {
        return errors::InvalidArgument("Op ", old_op.name(), ": attr '",
                                       old_attr.name(), "' does not allow ",
                                       value, " any more");
      }
    }
  }
  if (new_attr->has_minimum() &&
      (!old_attr.has_minimum() || old_attr.minimum() < new_attr->minimum())) {
    return errors::InvalidArgument("Op ", old_op.name(), ": attr '",
                                   old_attr.name(), "' has a higher minimum, ",
                                   new_attr->minimum());
  }
  return OkStatus();
}

}  // namespace

const OpDef::AttrDef* FindAttr(absl::string_view name, const OpDef& op_def) {
  for (const OpDef::AttrDef& attr : op_def.attr()) {
    if (attr.name() == name) return &attr;
  }
  return nullptr;
}

OpDef::AttrDef* FindAttrMutable(absl::string_view name, OpDef* op_def) {
  return const_cast<OpDef::AttrDef*>(FindAttr(name, *op_def));
}

const OpDef::ArgDef* FindInputArg(absl::string_view name, const OpDef& op_def) {
  for (const OpDef::ArgDef& arg : op_def.input_arg()) {
    if (arg.name() == name) return &arg;
  }
  return nullptr;
}

bool IsTypeAllowed(const OpDef::AttrDef& attr, DataType type) {
  if (!attr.has_allowed_values()) return true;
  for (int allowed : attr.allowed_values().list().type()) {
    if (allowed == type) return true;
  }
  return false;
}

Status ValidateOpDef(const OpDef& op_def) {
  absl::string_view bare = op_def.name();
  while (absl::StartsWith(bare, "_")) bare.remove_prefix(1);
  // Namespaced names, "Addons>Gelu", come from later TensorFlow.
  for (char c : bare) {
    if (!absl::ascii_isalnum(c) && c != '_' && c != '>') {
      return errors::InvalidArgument("'", op_def.name(), "' is no op name: '",
                                     std::string(1, c),
                                     "' is not allowed in one");
    }
  }
  if (bare.empty() || !absl::ascii_isupper(bare[0])) {
    return errors::InvalidArgument("'", op_def.name(),
                                   "' is no op name: it must start with a "
                                   "capital letter, as in MatMul");
  }
  // The names of attrs and inputs together; wrappers mix them.
  std::set<std::string> names;
  for (const OpDef::AttrDef& attr : op_def.attr()) {
    TF_RETURN_IF_ERROR(ValidateAttrDef(attr, &names));
  }
  for (const OpDef::ArgDef& arg : op_def.input_arg()) {
    TF_RETURN_IF_ERROR(ValidateArg(op_def, arg, &names));
  }
  std::set<std::string> output_names;
  for (const OpDef::ArgDef& arg : op_def.output_arg()) {
    TF_RETURN_IF_ERROR(ValidateArg(op_def, arg, &output_names));
  }
  return OkStatus();
}

Status CheckOpDeprecation(const OpDef& op_def, int graph_def_version) {
  if (!op_def.has_deprecation() ||
      graph_def_version < op_def.deprecation().version()) {
    return OkStatus();
  }
  return errors::Unimplemented(
      "Op ", op_def.name(), " is not available in GraphDef version ",
      graph_def_version, ": it was removed in version ",
      op_def.deprecation().version(), ". ", op_def.deprecation().explanation());
}

std::string SummarizeArgs(
    const google::protobuf::RepeatedPtrField<OpDef::ArgDef>& args) {
  return absl::StrJoin(args, ", ", [](std::string* out, const auto& arg) {
    absl::StrAppend(out, arg.name(), ":", ArgTypeString(arg));
  });
}

std::string SummarizeOpDef(const OpDef& op_def) {
  std::string text =
      absl::StrCat("Op<name=", op_def.name(),
                   "; signature=", SummarizeArgs(op_def.input_arg()), " -> ",
                   SummarizeArgs(op_def.output_arg()));
  for (const OpDef::AttrDef& attr : op_def.attr()) {
    absl::StrAppend(&text, "; attr=", attr.name(), ":", attr.type());
    if (attr.has_default_value()) {
      absl::StrAppend(&text,
                      ",default=", SummarizeAttrValue(attr.default_value()));
    }
    if (attr.has_minimum()) absl::StrAppend(&text, ",min=", attr.minimum());
    if (attr.has_allowed_values()) {
      absl::StrAppend(&text,
                      ",allowed=", SummarizeAttrValue(attr.allowed_values()));
    }
  }
  if (op_def.is_commutative()) text += "; is_commutative=true";
  if (op_def.is_aggregate()) text += "; is_aggregate=true";
  if (op_def.is_stateful()) text += "; is_stateful=true";
  if (op_def.allows_uninitialized_input()) {
    text += "; allows_uninitialized_input=true";
  }
  return text + ">";
}

void RemoveDescriptionsFromOpDef(OpDef* op_def) {
  for (auto& arg : *op_def->mutable_input_arg()) arg.clear_description();
  for (auto& arg : *op_def->mutable_output_arg()) arg.clear_description();
  for (auto& attr : *op_def->mutable_attr()) attr.clear_description();
  op_def->clear_summary();
  op_def->clear_description();
}

void RemoveDescriptionsFromOpList(OpList* op_list) {
  for (OpDef& op_def : *op_list->mutable_op()) {
    RemoveDescriptionsFromOpDef(&op_def);
  }
}

bool SameOpDef(const OpDef& a, const OpDef& b) {
  const auto in_order = [](OpDef op_def) {
    for (OpDef::AttrDef& attr : *op_def.mutable_attr()) {
      if (!attr.has_allowed_values()) continue;
      auto* allowed = attr.mutable_allowed_values()->mutable_list();
      std::sort(allowed->mutable_type()->begin(),
                allowed->mutable_type()->end());
      std::sort(allowed->mutable_s()->begin(), allowed->mutable_s()->end());
    }
    std::sort(op_def.mutable_attr()->begin(), op_def.mutable_attr()->end(),
              [](const auto& x, const auto& y) { return x.name() < y.name(); });
    return op_def;
  };
  return SummarizeOpDef(in_order(a)) == SummarizeOpDef(in_order(b));
}

std::string OpDefChanges(const OpDef& before, const OpDef& now) {
  if (SameOpDef(before, now)) return "";
  // "input x:float", "attr T:type,allowed=[DT_FLOAT]", "is_stateful=true".
  const auto parts = [](OpDef op_def) {
    std::vector<std::string> lines;
    for (const OpDef::ArgDef& arg : op_def.input_arg()) {
      lines.push_back(
          absl::StrCat("input ", arg.name(), ":", ArgTypeString(arg)));
    }
    for (const OpDef::ArgDef& arg : op_def.output_arg()) {
      lines.push_back(
          absl::StrCat("output ", arg.name(), ":", ArgTypeString(arg)));
    }
    op_def.clear_input_arg();
    op_def.clear_output_arg();
    const std::string rest = SummarizeOpDef(op_def);
    for (absl::string_view part : absl::StrSplit(
             absl::string_view(rest).substr(0, rest.size() - 1), "; ")) {
      if (absl::StartsWith(part, "Op<") ||
          absl::StartsWith(part, "signature=")) {
        continue;
      }
      if (absl::ConsumePrefix(&part, "attr=")) {
        lines.push_back(absl::StrCat("attr ", part));
      } else {
        lines.emplace_back(part);
      }
    }
    return lines;
  };
  const std::vector<std::string> old_lines = parts(before);
  const std::vector<std::string> new_lines = parts(now);
  std::string text;
  const auto add = [&text](const char* word,
                           const std::vector<std::string>& from,
                           const std::vector<std::string>& other) {
    for (const std::string& line : from) {
      if (absl::c_linear_search(other, line)) continue;
      absl::StrAppend(&text, "  ", word, "  ", line, "\n");
    }
  };
  add("was", old_lines, new_lines);
  add("now", new_lines, old_lines);
  // The same lines in another order: that of arguments counts.
  if (text.empty()) {
    absl::StrAppend(&text, "  was  ", SummarizeOpDef(before), "\n  now  ",
                    SummarizeOpDef(now), "\n");
  }
  return text;
}

Status OpDefCompatible(const OpDef& old_op, const OpDef& new_op) {
  for (const OpDef::AttrDef& attr : old_op.attr()) {
    TF_RETURN_IF_ERROR(
        AttrCompatible(old_op, attr, FindAttr(attr.name(), new_op)));
  }
  for (const OpDef::AttrDef& attr : new_op.attr()) {
    if (FindAttr(attr.name(), old_op) == nullptr && !attr.has_default_value()) {
      return errors::InvalidArgument("Op ", old_op.name(), ": attr '",
                                     attr.name(),
                                     "' was added without a default");
    }
  }
  const std::string old_signature =
      absl::StrCat(SummarizeArgs(old_op.input_arg()), " -> ",
                   SummarizeArgs(old_op.output_arg()));
  const std::string new_signature =
      absl::StrCat(SummarizeArgs(new_op.input_arg()), " -> ",
                   SummarizeArgs(new_op.output_arg()));
  if (old_signature != new_signature) {
    return errors::InvalidArgument("Op ", old_op.name(),
                                   ": the signature changed from ",
                                   old_signature, " to ", new_signature);
  }
  return OkStatus();
}

}  // namespace tensorwright
