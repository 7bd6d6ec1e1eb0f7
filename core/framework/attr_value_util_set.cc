// SPDX-License-Identifier: Apache-2.0
// Making AttrValue protos.
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "core/framework/attr_value.pb.h"
#include "core/framework/attr_value_util.h"
#include "core/framework/tensor.pb.h"
#include "core/framework/tensor_shape.pb.h"

namespace tensorwright {

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
