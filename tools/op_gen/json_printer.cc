// SPDX-License-Identifier: Apache-2.0
// Prints signatures as JSON, one op on each line.
#include "tools/op_gen/json_printer.h"

#include <charconv>
#include <cmath>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "core/framework/attr_value.pb.h"
#include "core/framework/tensor_shape.pb.h"
#include "core/framework/types.h"

namespace tensorwright {
namespace op_gen {
namespace {

std::string Quoted(absl::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      absl::StrAppend(&out, "\\", std::string(1, c));
    } else if (static_cast<unsigned char>(c) < 0x20) {
      absl::StrAppend(&out, "\\u", absl::Hex(c, absl::kZeroPad4));
    } else {
      out.push_back(c);
    }
  }
  return out + "\"";
}

std::string Number(float f) {
  char buffer[32];
  const std::string text(buffer,
                         std::to_chars(buffer, buffer + sizeof buffer, f).ptr);
  // JSON has no infinities and no NaN: those are strings.
  return std::isfinite(f) ? text : Quoted(text);
}

std::string ShapeText(const TensorShapeProto& shape) {
  if (shape.unknown_rank()) return "{\"unknown_rank\": true}";
  return absl::StrCat("[",
                      absl::StrJoin(shape.dim(), ", ",
                                    [](std::string* out, const auto& dim) {
                                      absl::StrAppend(out, dim.size());
                                    }),
                      "]");
}

std::string ListText(const AttrValue::ListValue& list) {
  std::vector<std::string> items;
  for (const std::string& s : list.s()) items.push_back(Quoted(s));
  for (const int64_t i : list.i()) items.push_back(absl::StrCat(i));
  for (const float f : list.f()) items.push_back(Number(f));
  for (const bool b : list.b()) items.push_back(b ? "true" : "false");
  for (const int type : list.type()) {
    items.push_back(Quoted(DataTypeString(static_cast<DataType>(type))));
  }
  for (const TensorShapeProto& shape : list.shape()) {
    items.push_back(ShapeText(shape));
  }
  for (const NameAttrList& func : list.func()) {
    items.push_back(Quoted(func.name()));
  }
  return absl::StrCat("[", absl::StrJoin(items, ", "), "]");
}

std::string ValueText(const AttrValue& value) {
  switch (value.value_case()) {
    case AttrValue::kS:
      return Quoted(value.s());
    case AttrValue::kI:
      return absl::StrCat(value.i());
    case AttrValue::kF:
      return Number(value.f());
    case AttrValue::kB:
      return value.b() ? "true" : "false";
    case AttrValue::kType:
      return Quoted(DataTypeString(value.type()));
    case AttrValue::kShape:
      return ShapeText(value.shape());
    case AttrValue::kList:
      return ListText(value.list());
    case AttrValue::kFunc:
      return Quoted(value.func().name());
    default:
      return "null";
  }
}

std::string TypeText(const OpDef::ArgDef& arg) {
  std::string type = !arg.type_list_attr().empty() ? arg.type_list_attr()
                     : !arg.type_attr().empty()    ? arg.type_attr()
                                                   : DataTypeString(arg.type());
  if (!arg.number_attr().empty()) {
    type = absl::StrCat(arg.number_attr(), "*", type);
  }
  return arg.is_ref() ? absl::StrCat("Ref(", type, ")") : type;
}

template <typename Args>
std::string ArgsText(const Args& args) {
  return absl::StrCat(
      "[",
      absl::StrJoin(args, ", ",
                    [](std::string* out, const OpDef::ArgDef& arg) {
                      absl::StrAppend(out, "{\"name\": ", Quoted(arg.name()),
                                      ", \"type\": ", Quoted(TypeText(arg)),
                                      "}");
                    }),
      "]");
}

std::string AttrText(const OpDef::AttrDef& attr) {
  std::string out = absl::StrCat("{\"name\": ", Quoted(attr.name()),
                                 ", \"type\": ", Quoted(attr.type()));
  if (attr.has_default_value()) {
    absl::StrAppend(&out, ", \"default\": ", ValueText(attr.default_value()));
  }
  if (attr.has_allowed_values()) {
    absl::StrAppend(&out, ", \"allowed\": ", ValueText(attr.allowed_values()));
  }
  if (attr.has_minimum()) {
    absl::StrAppend(&out, ", \"minimum\": ", attr.minimum());
  }
  return out + "}";
}

std::string OpText(const OpModel& op) {
  const OpDef& def = *op.def;
  std::string family = FamilyOfFile(op.location.file);
  if (family == "user") family = "user_ops";  // The list's name for it.
  const auto flag = [](bool b) { return b ? "true" : "false"; };
  std::string attrs = absl::StrJoin(
      def.attr(), ", ", [](std::string* out, const OpDef::AttrDef& attr) {
        out->append(AttrText(attr));
      });
  return absl::StrCat(
      "{\"name\": ", Quoted(def.name()), ", \"family\": ", Quoted(family),
      ", \"inputs\": ", ArgsText(def.input_arg()),
      ", \"outputs\": ", ArgsText(def.output_arg()), ", \"attrs\": [", attrs,
      "], \"stateful\": ", flag(def.is_stateful()),
      ", \"commutative\": ", flag(def.is_commutative()),
      ", \"aggregate\": ", flag(def.is_aggregate()),
      def.has_deprecation() ? ", \"deprecated\": true" : "",
      ", \"registered_at\": ",
      Quoted(absl::StrCat(op.location.file, ":", op.location.line)), "}");
}

}  // namespace

std::string JsonPrinter::Print(const FamilyModel& family) const {
  return absl::StrCat("{\n",
                      absl::StrJoin(family.ops, ",\n",
                                    [](std::string* out, const OpModel& op) {
                                      absl::StrAppend(out, Quoted(op.name()),
                                                      ": ", OpText(op));
                                    }),
                      "\n}\n");
}

}  // namespace op_gen
}  // namespace tensorwright
