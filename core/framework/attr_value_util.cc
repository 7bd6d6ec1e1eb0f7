// SPDX-License-Identifier: Apache-2.0
// Prints and parses AttrValue protos, and tells their type.
#include "core/framework/attr_value_util.h"

#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "core/framework/attr_value.pb.h"
#include "core/framework/attr_value_util_internal.h"
#include "core/framework/tensor.pb.h"
#include "core/framework/tensor_shape.pb.h"
#include "core/lib/core/errors.h"
#include "google/protobuf/io/tokenizer.h"
#include "google/protobuf/text_format.h"

namespace tensorwright {
namespace {

using attr_value_util_internal::SortedKeys;

// Deeper text is no attr of an honest program, and would recurse too far.
constexpr int kMaxNesting = 100;
constexpr size_t kMaxSummarizedString = 80;
constexpr int kMaxSummarizedList = 5;

std::string SummarizeString(const std::string& s) {
  std::string escaped = absl::CEscape(s);
  if (escaped.size() > kMaxSummarizedString) {
    const size_t half = kMaxSummarizedString / 2 - 5;
    escaped = absl::StrCat(escaped.substr(0, half), "...",
                           escaped.substr(escaped.size() - half));
  }
  return absl::StrCat("\"", escaped, "\"");
}

std::string SummarizeTensor(const TensorProto& proto) {
  Tensor t;
  if (!t.FromProto(proto)) {
    return absl::StrCat("<Invalid TensorProto: ", proto.ShortDebugString(),
                        ">");
  }
  return t.DebugString();
}

std::string SummarizeFunc(const NameAttrList& func) {
  std::vector<std::string> parts;
  for (const std::string& key : SortedKeys(func.attr())) {
    parts.push_back(
        absl::StrCat(key, "=", SummarizeAttrValue(func.attr().at(key))));
  }
  return absl::StrCat(func.name(), "[", absl::StrJoin(parts, ", "), "]");
}

std::string TypeEnumName(int type) {
  return DataType_IsValid(type) ? DataType_Name(static_cast<DataType>(type))
                                : absl::StrCat(type);
}

// The first few elements, and "..." for the others.
template <typename List, typename F>
void AppendPieces(const List& list, F print, std::vector<std::string>* out) {
  int n = 0;
  for (const auto& element : list) {
    if (n++ == kMaxSummarizedList) {
      out->push_back("...");
      return;
    }
    out->push_back(print(element));
  }
}

std::string SummarizeList(const AttrValue::ListValue& list) {
  std::vector<std::string> parts;
  AppendPieces(list.s(), SummarizeString, &parts);
  AppendPieces(
      list.i(), [](int64_t i) { return absl::StrCat(i); }, &parts);
  AppendPieces(
      list.f(), [](float f) { return absl::StrCat(f); }, &parts);
  AppendPieces(
      list.b(), [](bool b) { return std::string(b ? "true" : "false"); },
      &parts);
  AppendPieces(list.type(), TypeEnumName, &parts);
  AppendPieces(
      list.shape(),
      [](const TensorShapeProto& s) {
        return PartialTensorShape::DebugString(s);
      },
      &parts);
  AppendPieces(list.tensor(), SummarizeTensor, &parts);
  AppendPieces(list.func(), SummarizeFunc, &parts);
  return absl::StrCat("[", absl::StrJoin(parts, ", "), "]");
}

// The kinds of value that a list holds; all are zero for an empty one.
struct ListKind {
  const char* type;
  int size;
};
std::vector<ListKind> ListKinds(const AttrValue::ListValue& list) {
  return {{"string", list.s_size()},      {"int", list.i_size()},
          {"float", list.f_size()},       {"bool", list.b_size()},
          {"type", list.type_size()},     {"shape", list.shape_size()},
          {"tensor", list.tensor_size()}, {"func", list.func_size()}};
}

// Returns an OpDef's name for the value's type; "list" for all lists.
const char* TypeOf(const AttrValue& value) {
  switch (value.value_case()) {
    case AttrValue::kS:
      return "string";
    case AttrValue::kI:
      return "int";
    case AttrValue::kF:
      return "float";
    case AttrValue::kB:
      return "bool";
    case AttrValue::kType:
      return "type";
    case AttrValue::kShape:
      return "shape";
    case AttrValue::kTensor:
      return "tensor";
    case AttrValue::kFunc:
      return "func";
    case AttrValue::kList:
      return "list";
    case AttrValue::kPlaceholder:
    case AttrValue::VALUE_NOT_SET:
      break;
  }
  return "nothing";
}

// InvalidArgument if the list has elements of another type than `type`, such as
// "list(int)".
Status ListHasType(const AttrValue::ListValue& list, absl::string_view type) {
  for (const ListKind& kind : ListKinds(list)) {
    if (kind.size == 0) continue;
    if (type != absl::StrCat("list(", kind.type, ")")) {
      return errors::InvalidArgument("must have type ", type, ", got list(",
                                     kind.type, ")");
    }
  }
  return OkStatus();
}

// InvalidArgument for a number that is no dtype of a value.
Status CheckDataType(DataType type) {
  if (!DataType_IsValid(type)) {
    return errors::InvalidArgument("must be a dtype, got number ",
                                   static_cast<int>(type));
  }
  if (type == DT_INVALID) {
    return errors::InvalidArgument("must be a dtype, got DT_INVALID");
  }
  if (IsRefType(type)) {
    return errors::InvalidArgument("must be no reference type, got ",
                                   TypeEnumName(type));
  }
  return OkStatus();
}

bool NestsTooDeeply(absl::string_view text) {
  int depth = 0;
  for (char c : text) {
    if (c == '{' || c == '[' || c == '<') {
      if (++depth > kMaxNesting) return true;
    } else if (c == '}' || c == ']' || c == '>') {
      --depth;
    }
  }
  return false;
}

// Keeps protobuf from printing what it thinks of the text.
class SilentErrors : public google::protobuf::io::ErrorCollector {
 public:
  void AddError(int, int, const std::string&) override {}
};

// The proto field of AttrValue and ListValue for a base type.
const char* FieldOf(absl::string_view base_type) {
  if (base_type == "string") return "s";
  if (base_type == "int") return "i";
  if (base_type == "float") return "f";
  if (base_type == "bool") return "b";
  if (base_type == "type") return "type";
  if (base_type == "shape") return "shape";
  if (base_type == "tensor") return "tensor";
  if (base_type == "func") return "func";
  return nullptr;
}

}  // namespace

std::string SummarizeAttrValue(const AttrValue& attr_value) {
  switch (attr_value.value_case()) {
    case AttrValue::kS:
      return SummarizeString(attr_value.s());
    case AttrValue::kI:
      return absl::StrCat(attr_value.i());
    case AttrValue::kF:
      return absl::StrCat(attr_value.f());
    case AttrValue::kB:
      return attr_value.b() ? "true" : "false";
    case AttrValue::kType:
      return TypeEnumName(attr_value.type());
    case AttrValue::kShape:
      return PartialTensorShape::DebugString(attr_value.shape());
    case AttrValue::kTensor:
      return SummarizeTensor(attr_value.tensor());
    case AttrValue::kList:
      return SummarizeList(attr_value.list());
    case AttrValue::kFunc:
      return SummarizeFunc(attr_value.func());
    case AttrValue::kPlaceholder:
      return absl::StrCat("$", attr_value.placeholder());
    case AttrValue::VALUE_NOT_SET:
      break;
  }
  return "<Unknown AttrValue type>";
}

Status AttrValueHasType(const AttrValue& attr_value, absl::string_view type) {
  if (attr_value.value_case() == AttrValue::kPlaceholder) {
    return errors::InvalidArgument("must have a value of type ", type,
                                   ", but is left open as placeholder '",
                                   attr_value.placeholder(), "'");
  }
  if (absl::StartsWith(type, "list(")) {
    if (attr_value.has_list()) return ListHasType(attr_value.list(), type);
    // An empty list is often written as nothing at all.
    if (attr_value.value_case() == AttrValue::VALUE_NOT_SET) return OkStatus();
  }
  const char* actual = TypeOf(attr_value);
  if (type != actual) {
    return errors::InvalidArgument("must have type ", type, ", got ", actual,
                                   " ", SummarizeAttrValue(attr_value));
  }
  return type == "type" ? CheckDataType(attr_value.type()) : OkStatus();
}

bool ParseAttrValue(absl::string_view type, absl::string_view text,
                    AttrValue* out) {
  const bool is_list =
      absl::ConsumePrefix(&type, "list(") && absl::ConsumeSuffix(&type, ")");
  const char* field = FieldOf(type);
  if (field == nullptr || NestsTooDeeply(text)) return false;
  text = absl::StripAsciiWhitespace(text);
  if (text.empty()) return false;
  out->Clear();

  std::string proto_text;
  if (is_list) {
    if (!absl::StartsWith(text, "[")) return false;
    absl::string_view inside = text;
    if (absl::ConsumePrefix(&inside, "[") &&
        absl::ConsumeSuffix(&inside, "]") &&
        absl::StripAsciiWhitespace(inside).empty()) {
      out->mutable_list();
      return true;
    }
    proto_text = absl::StrCat("list { ", field, ": ", text, " }");
  } else {
    proto_text = absl::StrCat(field, ": ", text);
  }
  SilentErrors silent;
  google::protobuf::TextFormat::Parser parser;
  parser.RecordErrorsTo(&silent);
  return parser.ParseFromString(proto_text, out);
}

}  // namespace tensorwright
