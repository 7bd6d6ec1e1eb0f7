// SPDX-License-Identifier: Apache-2.0
// Argument dtypes, validation, defaults and text of NodeDefs.
#include "core/framework/node_def_util.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "core/framework/attr_value.pb.h"
#include "core/framework/attr_value_util.h"
#include "core/framework/node_def.pb.h"
#include "core/framework/node_properties.h"
#include "core/framework/op.h"
#include "core/framework/op_def.pb.h"
#include "core/framework/op_def_util.h"
#include "core/lib/core/errors.h"

namespace tensorwright {
namespace {

// More tensors in one argument are an attack, not a model.
constexpr int64_t kMaxListLength = int64_t{2} << 20;

// The runtime adds such attrs ("_class", "_output_shapes"); they are nobody's
// argument, and an error's text leaves them out.
std::string SummarizeAttrs(const AttrValueMap& attrs) {
  std::vector<std::string> parts;
  for (const auto& [name, value] : attrs) {
    if (absl::StartsWith(name, "_")) continue;
    parts.push_back(absl::StrCat(name, "=", SummarizeAttrValue(value)));
  }
  std::sort(parts.begin(), parts.end());
  return absl::StrCat("[", absl::StrJoin(parts, ", "), "]");
}

}  // namespace

std::string SummarizeNode(const NodeDef& node_def) {
  std::string text =
      absl::StrCat(node_def.op(), SummarizeAttrs(node_def.attr()), "(",
                   absl::StrJoin(node_def.input(), ", "), ")");
  if (!node_def.device().empty()) {
    absl::StrAppend(&text, " on ", node_def.device());
  }
  return text;
}

std::string SummarizeNodeDef(const NodeDef& node_def) {
  return absl::StrCat("{{node ", node_def.name(),
                      "}} = ", SummarizeNode(node_def));
}

Status AddArgToSig(const AttrSlice& attrs, const OpDef::ArgDef& arg_def,
                   DataTypeVector* types) {
  const size_t first = types->size();
  if (!arg_def.number_attr().empty()) {
    int64_t n = 0;
    TF_RETURN_IF_ERROR(GetNodeAttr(attrs, arg_def.number_attr(), &n));
    if (n < 0 || n > kMaxListLength) {
      return errors::InvalidArgument(
          "attr '", arg_def.number_attr(), "', the length of '", arg_def.name(),
          "', must be >= 0 and at most ", kMaxListLength, ", got ", n);
    }
    DataType dtype = arg_def.type();
    if (!arg_def.type_attr().empty()) {
      TF_RETURN_IF_ERROR(GetNodeAttr(attrs, arg_def.type_attr(), &dtype));
    }
    types->insert(types->end(), n, dtype);
  } else if (!arg_def.type_attr().empty()) {
    DataType dtype;
    TF_RETURN_IF_ERROR(GetNodeAttr(attrs, arg_def.type_attr(), &dtype));
    types->push_back(dtype);
  } else if (!arg_def.type_list_attr().empty()) {
    DataTypeVector list;
    TF_RETURN_IF_ERROR(GetNodeAttr(attrs, arg_def.type_list_attr(), &list));
    types->insert(types->end(), list.begin(), list.end());
  } else if (arg_def.type() != DT_INVALID) {
    types->push_back(arg_def.type());
  } else {
    return errors::InvalidArgument("argument '", arg_def.name(),
                                   "' has no type");
  }
  if (arg_def.is_ref()) {
    for (size_t i = first; i < types->size(); ++i) {
      if (IsRefType((*types)[i])) {
        return errors::InvalidArgument("argument '", arg_def.name(),
                                       "' would be a reference to a reference");
      }
      (*types)[i] = MakeRefType((*types)[i]);
    }
  }
  return OkStatus();
}

Status InputTypesForNode(const NodeDef& node_def, const OpDef& op_def,
                         DataTypeVector* inputs) {
  for (const auto& arg : op_def.input_arg()) {
    TF_RETURN_IF_ERROR(AddArgToSig(node_def, arg, inputs));
  }
  return OkStatus();
}

Status OutputTypesForNode(const AttrSlice& attrs, const OpDef& op_def,
                          DataTypeVector* outputs) {
  for (const auto& arg : op_def.output_arg()) {
    TF_RETURN_IF_ERROR(AddArgToSig(attrs, arg, outputs));
  }
  return OkStatus();
}

Status OutputTypesForNode(const NodeDef& node_def, const OpDef& op_def,
                          DataTypeVector* outputs) {
  return OutputTypesForNode(AttrSlice(node_def), op_def, outputs);
}

Status InOutTypesForNode(const NodeDef& node_def, const OpDef& op_def,
                         DataTypeVector* inputs, DataTypeVector* outputs) {
  TF_RETURN_IF_ERROR(InputTypesForNode(node_def, op_def, inputs));
  return OutputTypesForNode(AttrSlice(node_def), op_def, outputs);
}

Status NumOutputsForNode(const NodeDef& node_def, const OpDef& op_def,
                         int* num_outputs) {
  DataTypeVector outputs;
  TF_RETURN_IF_ERROR(OutputTypesForNode(AttrSlice(node_def), op_def, &outputs));
  *num_outputs = static_cast<int>(outputs.size());
  return OkStatus();
}

namespace {

Status AddRanges(const AttrSlice& attrs,
                 const google::protobuf::RepeatedPtrField<OpDef::ArgDef>& args,
                 ArgRanges* ranges) {
  ranges->clear();
  int start = 0;
  for (const OpDef::ArgDef& arg : args) {
    int n = 1;
    if (!arg.number_attr().empty()) {
      TF_RETURN_IF_ERROR(GetNodeAttr(attrs, arg.number_attr(), &n));
      if (n < 0) {
        return errors::InvalidArgument("attr '", arg.number_attr(),
                                       "' must be >= 0, got ", n);
      }
    } else if (!arg.type_list_attr().empty()) {
      const AttrValue* list = nullptr;
      TF_RETURN_IF_ERROR(attrs.Find(arg.type_list_attr(), &list));
      n = list->list().type_size();
    }
    ranges->push_back(ArgRange{arg.name(), start, start + n});
    start += n;
  }
  return OkStatus();
}

}  // namespace

Status NameRangesForNode(const AttrSlice& attrs, const OpDef& op_def,
                         ArgRanges* inputs, ArgRanges* outputs) {
  if (inputs != nullptr) {
    TF_RETURN_IF_ERROR(AddRanges(attrs, op_def.input_arg(), inputs));
  }
  if (outputs != nullptr) {
    TF_RETURN_IF_ERROR(AddRanges(attrs, op_def.output_arg(), outputs));
  }
  return OkStatus();
}

const ArgRange* FindArgRange(const ArgRanges& ranges, absl::string_view name) {
  for (const ArgRange& range : ranges) {
    if (range.name == name) return &range;
  }
  return nullptr;
}

// ---- Validation
// --------------------------------------------------------------

namespace {

Status CheckTypeAllowed(int type, const OpDef::AttrDef& attr) {
  if (IsTypeAllowed(attr, static_cast<DataType>(type))) return OkStatus();
  return errors::InvalidArgument(
      "must be one of ",
      absl::StrJoin(attr.allowed_values().list().type(), ", ",
                    [](std::string* out, int t) {
                      out->append(DataTypeString(static_cast<DataType>(t)));
                    }),
      ", got ", DataTypeString(static_cast<DataType>(type)));
}

Status CheckStringAllowed(const std::string& s, const OpDef::AttrDef& attr) {
  const auto& allowed = attr.allowed_values().list().s();
  if (std::find(allowed.begin(), allowed.end(), s) != allowed.end()) {
    return OkStatus();
  }
  return errors::InvalidArgument(
      "must be one of '", absl::StrJoin(allowed, "', '"), "', got '", s, "'");
}

int ListLength(const AttrValue::ListValue& l) {
  return l.s_size() + l.i_size() + l.f_size() + l.b_size() + l.type_size() +
         l.shape_size() + l.tensor_size() + l.func_size();
}

}  // namespace

Status ValidateAttrValue(const AttrValue& value,
                         const OpDef::AttrDef& attr_def) {
  TF_RETURN_IF_ERROR(AttrValueHasType(value, attr_def.type()));
  if (attr_def.has_minimum()) {
    if (attr_def.type() == "int") {
      if (value.i() < attr_def.minimum()) {
        return errors::InvalidArgument("must be >= ", attr_def.minimum(),
                                       ", got ", value.i());
      }
    } else if (const int length = ListLength(value.list());
               length < attr_def.minimum()) {
      return errors::InvalidArgument("must have at least ", attr_def.minimum(),
                                     " elements, got ", length);
    }
  }
  if (attr_def.has_allowed_values()) {
    if (attr_def.type() == "type") {
      return CheckTypeAllowed(value.type(), attr_def);
    }
    if (attr_def.type() == "string") {
      return CheckStringAllowed(value.s(), attr_def);
    }
    for (int type : value.list().type()) {
      TF_RETURN_IF_ERROR(CheckTypeAllowed(type, attr_def));
    }
    for (const std::string& s : value.list().s()) {
      TF_RETURN_IF_ERROR(CheckStringAllowed(s, attr_def));
    }
  }
  return OkStatus();
}

Status ValidateOpInput(absl::string_view input_name, bool* is_control_input) {
  absl::string_view name = input_name;
  *is_control_input = absl::StartsWith(name, "^");
  if (*is_control_input) name.remove_prefix(1);
  const size_t colon = name.rfind(':');
  if (colon != absl::string_view::npos) {
    int port;
    if (*is_control_input || !absl::SimpleAtoi(name.substr(colon + 1), &port) ||
        port < 0 || !absl::ascii_isdigit(name[colon + 1])) {
      return errors::InvalidArgument("Input '", input_name,
                                     "' must be NODE, NODE:NUMBER or ^NODE");
    }
    name = name.substr(0, colon);
  }
  return ValidateNodeName(name);
}

Status ValidateNodeName(absl::string_view name) {
  bool good =
      !name.empty() && (absl::ascii_isalnum(name[0]) || name[0] == '.' ||
                        name[0] == '>' || name[0] == '_');
  for (char c : name) {
    good &= absl::ascii_isalnum(c) || c == '_' || c == '.' || c == '/' ||
            c == '>' || c == '-' || c == '\\';
  }
  if (good) return OkStatus();
  return errors::InvalidArgument(
      "'", name,
      "' is no node name: letters, digits and _./>- only, starting with a "
      "letter, digit or '.'");
}

namespace {

// Gives ", the dtype of input 'x'," for an attr that is one.
std::string WhoseType(const OpDef& op_def, const std::string& attr) {
  for (const OpDef::ArgDef& arg : op_def.input_arg()) {
    if (arg.type_attr() == attr) {
      return absl::StrCat(", the dtype of input '", arg.name(), "',");
    }
  }
  return "";
}

}  // namespace

Status ValidateNodeDef(const NodeDef& node_def, const OpDef& op_def) {
  auto fail = [&](const auto&... words) {
    return errors::InvalidArgument("Node '", node_def.name(),
                                   "': ", op_def.name(), ": ", words...);
  };
  if (node_def.op() != op_def.name()) {
    return fail("the node's op is '", node_def.op(), "'");
  }
  for (const auto& [name, value] : node_def.attr()) {
    if (absl::StartsWith(name, "_")) continue;
    const OpDef::AttrDef* attr_def = FindAttr(name, op_def);
    if (attr_def == nullptr) {
      return fail("the op has no attr '", name, "' (value ",
                  SummarizeAttrValue(value), "); it has ",
                  SummarizeOpDef(op_def));
    }
    Status s = ValidateAttrValue(value, *attr_def);
    if (!s.ok()) {
      return fail("attr '", name, "'", WhoseType(op_def, name), " ",
                  s.message());
    }
  }
  for (const OpDef::AttrDef& attr_def : op_def.attr()) {
    if (node_def.attr().find(attr_def.name()) == node_def.attr().end()) {
      return fail("attr '", attr_def.name(), "' of type ", attr_def.type(),
                  " is missing");
    }
  }

  size_t num_inputs = 0;
  bool seen_control = false;
  for (const std::string& input : node_def.input()) {
    bool is_control = false;
    Status s = ValidateOpInput(input, &is_control);
    if (!s.ok()) return fail(s.message());
    if (seen_control && !is_control) {
      return fail("data input '", input, "' follows a control input");
    }
    seen_control |= is_control;
    num_inputs += !is_control;
  }
  DataTypeVector inputs, outputs;
  Status s = InOutTypesForNode(node_def, op_def, &inputs, &outputs);
  if (!s.ok()) return fail(s.message());
  if (num_inputs != inputs.size()) {
    return fail("must have ", inputs.size(), " inputs (",
                SummarizeArgs(op_def.input_arg()), "), got ", num_inputs);
  }
  return OkStatus();
}

void AddDefaultAttrs(const OpDef& op_def, AttrValueMap* attrs) {
  for (const OpDef::AttrDef& attr : op_def.attr()) {
    if (attr.has_default_value() && attrs->find(attr.name()) == attrs->end()) {
      (*attrs)[attr.name()] = attr.default_value();
    }
  }
}

void AddDefaultsToNodeDef(const OpDef& op_def, NodeDef* node_def) {
  AddDefaultAttrs(op_def, node_def->mutable_attr());
}

Status AttachDef(const Status& status, const NodeDef& node_def) {
  if (status.ok()) return status;
  Status result = errors::AttachNode(status, node_def.name());
  errors::AppendToMessage(&result, "[[", SummarizeNodeDef(node_def), "]]");
  return result;
}

Status NodeProperties::CreateFromNodeDef(
    NodeDef node_def, const OpRegistryInterface* op_registry,
    std::shared_ptr<const NodeProperties>* props) {
  const OpDef* op_def;
  TF_RETURN_IF_ERROR(op_registry->LookUpOpDef(node_def.op(), &op_def));
  DataTypeVector inputs, outputs;
  TF_RETURN_IF_ERROR(InOutTypesForNode(node_def, *op_def, &inputs, &outputs));
  *props = std::make_shared<const NodeProperties>(
      op_def, std::move(node_def), std::move(inputs), std::move(outputs));
  return OkStatus();
}

}  // namespace tensorwright
