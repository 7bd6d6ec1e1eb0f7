// SPDX-License-Identifier: Apache-2.0
// Making, comparing, printing and parsing AttrValue protos.
#include "core/framework/attr_value_util.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "core/framework/attr_value.pb.h"
#include "core/framework/tensor.pb.h"
#include "core/framework/tensor_shape.pb.h"
#include "core/lib/core/errors.h"
#include "google/protobuf/io/tokenizer.h"
#include "google/protobuf/text_format.h"

namespace tensorwright {
namespace {

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

// The attrs by name, since a proto map has no order.
template <typename Map>
std::vector<std::string> SortedKeys(const Map& map) {
  std::vector<std::string> keys;
  for (const auto& entry : map) keys.push_back(entry.first);
  std::sort(keys.begin(), keys.end());
  return keys;
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

// Same shape and elements, whichever field of the proto they are in.
bool AreTensorProtosEqual(const TensorProto& a, const TensorProto& b) {
  if (a.dtype() != b.dtype()) return false;
  Tensor ta, tb;
  if (!ta.FromProto(a) || !tb.FromProto(b)) {
    return a.SerializeAsString() == b.SerializeAsString();
  }
  if (!ta.IsSameSize(tb)) return false;
  TensorProto pa, pb;
  // Bytes decide, so that NaN equals itself and 0 differs from -0.
  if (DataTypeCanUseMemcpy(ta.dtype()))
    return ta.tensor_data() == tb.tensor_data();
  ta.AsProtoField(&pa);
  tb.AsProtoField(&pb);
  return pa.SerializeAsString() == pb.SerializeAsString();
}

bool AreFuncsEqual(const NameAttrList& a, const NameAttrList& b) {
  if (a.name() != b.name() || a.attr_size() != b.attr_size()) return false;
  for (const auto& [key, value] : a.attr()) {
    auto it = b.attr().find(key);
    if (it == b.attr().end() || !AreAttrValuesEqual(value, it->second)) {
      return false;
    }
  }
  return true;
}

uint64_t HashBytes(absl::string_view bytes, uint64_t seed) {
  // FNV-1a: stable from run to run, which absl::Hash is not.
  uint64_t h = seed ^ 0xcbf29ce484222325u;
  for (unsigned char c : bytes) h = (h ^ c) * 0x100000001b3u;
  return h;
}

uint64_t TensorHash(const TensorProto& proto, uint64_t seed) {
  Tensor t;
  if (!t.FromProto(proto)) return HashBytes(proto.SerializeAsString(), seed);
  const uint64_t h = HashBytes(t.shape().DebugString(), seed + proto.dtype());
  return DataTypeCanUseMemcpy(t.dtype()) ? HashBytes(t.tensor_data(), h) : h;
}

uint64_t FuncHash(const NameAttrList& func, uint64_t seed) {
  uint64_t h = HashBytes(func.name(), seed);
  for (const std::string& key : SortedKeys(func.attr())) {
    h = HashBytes(key, h) ^ AttrValueHash(func.attr().at(key));
  }
  return h;
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
  const char* actual = "nothing";
  switch (attr_value.value_case()) {
    case AttrValue::kS:
      actual = "string";
      break;
    case AttrValue::kI:
      actual = "int";
      break;
    case AttrValue::kF:
      actual = "float";
      break;
    case AttrValue::kB:
      actual = "bool";
      break;
    case AttrValue::kType:
      actual = "type";
      break;
    case AttrValue::kShape:
      actual = "shape";
      break;
    case AttrValue::kTensor:
      actual = "tensor";
      break;
    case AttrValue::kFunc:
      actual = "func";
      break;
    case AttrValue::kPlaceholder:
      return errors::InvalidArgument("must have a value of type ", type,
                                     ", but is left open as placeholder '",
                                     attr_value.placeholder(), "'");
    case AttrValue::VALUE_NOT_SET:
      // An empty list is often written as nothing at all.
      if (absl::StartsWith(type, "list(")) return OkStatus();
      break;
    case AttrValue::kList: {
      actual = "list";
      if (absl::StartsWith(type, "list(")) {
        for (const ListKind& kind : ListKinds(attr_value.list())) {
          if (kind.size == 0) continue;
          if (type != absl::StrCat("list(", kind.type, ")")) {
            return errors::InvalidArgument("must have type ", type,
                                           ", got list(", kind.type, ")");
          }
        }
        return OkStatus();
      }
      break;
    }
  }
  if (type != actual) {
    return errors::InvalidArgument("must have type ", type, ", got ", actual,
                                   " ", SummarizeAttrValue(attr_value));
  }
  if (type == "type" && !DataType_IsValid(attr_value.type())) {
    return errors::InvalidArgument("must be a dtype, got number ",
                                   static_cast<int>(attr_value.type()));
  }
  if (type == "type" && attr_value.type() == DT_INVALID) {
    return errors::InvalidArgument("must be a dtype, got DT_INVALID");
  }
  if (type == "type" && IsRefType(attr_value.type())) {
    return errors::InvalidArgument("must be no reference type, got ",
                                   TypeEnumName(attr_value.type()));
  }
  return OkStatus();
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

bool AreAttrValuesEqual(const AttrValue& a, const AttrValue& b) {
  if (a.value_case() != b.value_case()) return false;
  if (a.has_tensor()) return AreTensorProtosEqual(a.tensor(), b.tensor());
  if (a.has_func()) return AreFuncsEqual(a.func(), b.func());
  if (a.has_list()) {
    const auto& la = a.list();
    const auto& lb = b.list();
    if (la.func_size() != lb.func_size() ||
        la.tensor_size() != lb.tensor_size()) {
      return false;
    }
    for (int i = 0; i < la.func_size(); ++i) {
      if (!AreFuncsEqual(la.func(i), lb.func(i))) return false;
    }
    for (int i = 0; i < la.tensor_size(); ++i) {
      if (!AreTensorProtosEqual(la.tensor(i), lb.tensor(i))) return false;
    }
    if (la.func_size() > 0 || la.tensor_size() > 0) return true;
  }
  // What is left holds no map, so equal values have equal bytes.
  return a.SerializeAsString() == b.SerializeAsString();
}

uint64_t AttrValueHash(const AttrValue& value) {
  const uint64_t seed = value.value_case();
  if (value.has_tensor()) return TensorHash(value.tensor(), seed);
  if (value.has_func()) return FuncHash(value.func(), seed);
  if (value.has_list() &&
      (value.list().func_size() > 0 || value.list().tensor_size() > 0)) {
    uint64_t h = seed;
    for (const auto& t : value.list().tensor()) h = TensorHash(t, h);
    for (const auto& f : value.list().func()) h = FuncHash(f, h);
    return h;
  }
  return HashBytes(value.SerializeAsString(), seed);
}

// ---- SetAttrValue ----------------------------------------------------------

void SetAttrValue(const std::string& value, AttrValue* out) {
  out->set_s(value);
}
void SetAttrValue(const char* value, AttrValue* out) { out->set_s(value); }
void SetAttrValue(absl::string_view value, AttrValue* out) {
  out->set_s(value.data(), value.size());
}
void SetAttrValue(int64_t value, AttrValue* out) { out->set_i(value); }
void SetAttrValue(int32_t value, AttrValue* out) { out->set_i(value); }
void SetAttrValue(float value, AttrValue* out) { out->set_f(value); }
void SetAttrValue(double value, AttrValue* out) {
  out->set_f(static_cast<float>(value));
}
void SetAttrValue(bool value, AttrValue* out) { out->set_b(value); }
void SetAttrValue(DataType value, AttrValue* out) { out->set_type(value); }
void SetAttrValue(const TensorShape& value, AttrValue* out) {
  value.AsProto(out->mutable_shape());
}
void SetAttrValue(const TensorShapeProto& value, AttrValue* out) {
  *out->mutable_shape() = value;
}
void SetAttrValue(const PartialTensorShape& value, AttrValue* out) {
  value.AsProto(out->mutable_shape());
}
void SetAttrValue(const Tensor& value, AttrValue* out) {
  if (value.NumElements() > 1 && DataTypeCanUseMemcpy(value.dtype())) {
    value.AsProtoTensorContent(out->mutable_tensor());
  } else {
    value.AsProtoField(out->mutable_tensor());
  }
}
void SetAttrValue(const TensorProto& value, AttrValue* out) {
  *out->mutable_tensor() = value;
}
void SetAttrValue(const NameAttrList& value, AttrValue* out) {
  *out->mutable_func() = value;
}
void SetAttrValue(const AttrValue& value, AttrValue* out) { *out = value; }

namespace {

template <typename T, typename F>
void SetList(absl::Span<const T> values, AttrValue* out, F add) {
  auto* list = out->mutable_list();
  list->Clear();
  for (const T& value : values) add(list, value);
}

}  // namespace

void SetAttrValue(absl::Span<const std::string> value, AttrValue* out) {
  SetList(value, out, [](auto* l, const std::string& v) { l->add_s(v); });
}
void SetAttrValue(absl::Span<const char* const> value, AttrValue* out) {
  SetList(value, out, [](auto* l, const char* v) { l->add_s(v); });
}
void SetAttrValue(absl::Span<const absl::string_view> value, AttrValue* out) {
  SetList(value, out,
          [](auto* l, absl::string_view v) { l->add_s(v.data(), v.size()); });
}
void SetAttrValue(absl::Span<const int64_t> value, AttrValue* out) {
  SetList(value, out, [](auto* l, int64_t v) { l->add_i(v); });
}
void SetAttrValue(absl::Span<const int32_t> value, AttrValue* out) {
  SetList(value, out, [](auto* l, int32_t v) { l->add_i(v); });
}
void SetAttrValue(absl::Span<const float> value, AttrValue* out) {
  SetList(value, out, [](auto* l, float v) { l->add_f(v); });
}
void SetAttrValue(absl::Span<const double> value, AttrValue* out) {
  SetList(value, out,
          [](auto* l, double v) { l->add_f(static_cast<float>(v)); });
}
void SetAttrValue(absl::Span<const bool> value, AttrValue* out) {
  SetList(value, out, [](auto* l, bool v) { l->add_b(v); });
}
void SetAttrValue(const std::vector<bool>& value, AttrValue* out) {
  auto* list = out->mutable_list();
  list->Clear();
  for (bool v : value) list->add_b(v);
}
void SetAttrValue(absl::Span<const DataType> value, AttrValue* out) {
  SetList(value, out, [](auto* l, DataType v) { l->add_type(v); });
}
void SetAttrValue(absl::Span<const TensorShape> value, AttrValue* out) {
  SetList(value, out,
          [](auto* l, const TensorShape& v) { v.AsProto(l->add_shape()); });
}
void SetAttrValue(absl::Span<const PartialTensorShape> value, AttrValue* out) {
  SetList(value, out, [](auto* l, const PartialTensorShape& v) {
    v.AsProto(l->add_shape());
  });
}
void SetAttrValue(absl::Span<const TensorShapeProto> value, AttrValue* out) {
  SetList(value, out,
          [](auto* l, const TensorShapeProto& v) { *l->add_shape() = v; });
}
void SetAttrValue(absl::Span<const Tensor> value, AttrValue* out) {
  SetList(value, out,
          [](auto* l, const Tensor& v) { v.AsProtoField(l->add_tensor()); });
}
void SetAttrValue(absl::Span<const TensorProto> value, AttrValue* out) {
  SetList(value, out,
          [](auto* l, const TensorProto& v) { *l->add_tensor() = v; });
}
void SetAttrValue(absl::Span<const NameAttrList> value, AttrValue* out) {
  SetList(value, out,
          [](auto* l, const NameAttrList& v) { *l->add_func() = v; });
}

}  // namespace tensorwright
