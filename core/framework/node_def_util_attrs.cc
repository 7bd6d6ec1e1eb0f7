// SPDX-License-Identifier: Apache-2.0
// AttrSlice and GetNodeAttr.
#include <limits>
#include <string>
#include <vector>

#include "core/framework/attr_value.pb.h"
#include "core/framework/attr_value_util.h"
#include "core/framework/node_def.pb.h"
#include "core/framework/node_def_util.h"
#include "core/framework/tensor.h"
#include "core/framework/tensor.pb.h"
#include "core/framework/tensor_shape.pb.h"
#include "core/lib/core/errors.h"

namespace tensorwright {
namespace {

const AttrValueMap& NoAttrs() {
  static const AttrValueMap* const none = new AttrValueMap;
  return *none;
}

// Finds an attr and checks its type.
Status FindTyped(const AttrSlice& attrs, absl::string_view name,
                 absl::string_view type, const AttrValue** value) {
  TF_RETURN_IF_ERROR(attrs.Find(name, value));
  Status s = AttrValueHasType(**value, type);
  if (s.ok()) return s;
  return errors::InvalidArgument("attr '", name, "' ", s.message());
}

Status ToInt32(absl::string_view name, int64_t value, int32_t* out) {
  if (value < std::numeric_limits<int32_t>::min() ||
      value > std::numeric_limits<int32_t>::max()) {
    return errors::InvalidArgument("attr '", name, "' must fit an int32, got ",
                                   value);
  }
  *out = static_cast<int32_t>(value);
  return OkStatus();
}

Status ToTensor(absl::string_view name, const TensorProto& proto, Tensor* out) {
  if (out->FromProto(proto)) return OkStatus();
  return errors::InvalidArgument("attr '", name, "' holds a broken tensor of ",
                                 DataTypeString(proto.dtype()));
}

Status ToShape(absl::string_view name, const TensorShapeProto& proto,
               TensorShape* out) {
  Status s = TensorShape::BuildTensorShape(proto, out);
  if (s.ok()) return s;
  return errors::InvalidArgument("attr '", name, "': ", s.message());
}

Status ToShape(absl::string_view name, const TensorShapeProto& proto,
               PartialTensorShape* out) {
  Status s = PartialTensorShape::BuildPartialTensorShape(proto, out);
  if (s.ok()) return s;
  return errors::InvalidArgument("attr '", name, "': ", s.message());
}

}  // namespace

AttrSlice::AttrSlice() : attrs_(&NoAttrs()) {}
AttrSlice::AttrSlice(const NodeDef& node_def)
    : node_def_(&node_def), attrs_(&node_def.attr()) {}
AttrSlice::AttrSlice(const AttrValueMap* attrs) : attrs_(attrs) {}

int AttrSlice::size() const { return static_cast<int>(attrs_->size()); }

const AttrValue* AttrSlice::Find(absl::string_view attr_name) const {
  // A scan costs less than a std::string for the map's own find: nodes have a
  // handful of attrs.
  for (const auto& [name, value] : *attrs_) {
    if (name == attr_name) return &value;
  }
  return nullptr;
}

Status AttrSlice::Find(absl::string_view attr_name,
                       const AttrValue** attr_value) const {
  *attr_value = Find(attr_name);
  if (*attr_value != nullptr) return OkStatus();
  if (node_def_ == nullptr) {
    return errors::NotFound("There is no attr '", attr_name, "'");
  }
  return errors::NotFound("There is no attr '", attr_name, "' in ",
                          SummarizeNodeDef(*node_def_));
}

std::string AttrSlice::SummarizeNode() const {
  if (node_def_ != nullptr) return SummarizeNodeDef(*node_def_);
  NodeDef node;
  *node.mutable_attr() = *attrs_;
  return ::tensorwright::SummarizeNode(node);
}

bool AttrSlice::EqualAttrs(const AttrSlice& other) const {
  if (size() != other.size()) return false;
  for (const auto& [name, value] : *attrs_) {
    const AttrValue* theirs = other.Find(name);
    if (theirs == nullptr || !AreAttrValuesEqual(value, *theirs)) return false;
  }
  return true;
}

bool HasNodeAttr(const NodeDef& node_def, absl::string_view attr_name) {
  return AttrSlice(node_def).Find(attr_name) != nullptr;
}

const std::string& GetNodeAttrString(const AttrSlice& attrs,
                                     absl::string_view attr_name) {
  static const std::string* const empty = new std::string;
  const AttrValue* value = attrs.Find(attr_name);
  return value != nullptr && value->value_case() == AttrValue::kS ? value->s()
                                                                  : *empty;
}

// ---- One value -------------------------------------------------------------

Status GetNodeAttr(const AttrSlice& attrs, absl::string_view attr_name,
                   std::string* value) {
  const AttrValue* attr;
  TF_RETURN_IF_ERROR(FindTyped(attrs, attr_name, "string", &attr));
  *value = attr->s();
  return OkStatus();
}

Status GetNodeAttr(const AttrSlice& attrs, absl::string_view attr_name,
                   tstring* value) {
  return GetNodeAttr(attrs, attr_name, static_cast<std::string*>(value));
}

Status GetNodeAttr(const AttrSlice& attrs, absl::string_view attr_name,
                   int64_t* value) {
  const AttrValue* attr;
  TF_RETURN_IF_ERROR(FindTyped(attrs, attr_name, "int", &attr));
  *value = attr->i();
  return OkStatus();
}

Status GetNodeAttr(const AttrSlice& attrs, absl::string_view attr_name,
                   int32_t* value) {
  const AttrValue* attr;
  TF_RETURN_IF_ERROR(FindTyped(attrs, attr_name, "int", &attr));
  return ToInt32(attr_name, attr->i(), value);
}

Status GetNodeAttr(const AttrSlice& attrs, absl::string_view attr_name,
                   float* value) {
  const AttrValue* attr;
  TF_RETURN_IF_ERROR(FindTyped(attrs, attr_name, "float", &attr));
  *value = attr->f();
  return OkStatus();
}

Status GetNodeAttr(const AttrSlice& attrs, absl::string_view attr_name,
                   bool* value) {
  const AttrValue* attr;
  TF_RETURN_IF_ERROR(FindTyped(attrs, attr_name, "bool", &attr));
  *value = attr->b();
  return OkStatus();
}

Status GetNodeAttr(const AttrSlice& attrs, absl::string_view attr_name,
                   DataType* value) {
  const AttrValue* attr;
  TF_RETURN_IF_ERROR(FindTyped(attrs, attr_name, "type", &attr));
  *value = attr->type();
  return OkStatus();
}

Status GetNodeAttr(const AttrSlice& attrs, absl::string_view attr_name,
                   TensorShapeProto* value) {
  const AttrValue* attr;
  TF_RETURN_IF_ERROR(FindTyped(attrs, attr_name, "shape", &attr));
  *value = attr->shape();
  return OkStatus();
}

Status GetNodeAttr(const AttrSlice& attrs, absl::string_view attr_name,
                   TensorShape* value) {
  const AttrValue* attr;
  TF_RETURN_IF_ERROR(FindTyped(attrs, attr_name, "shape", &attr));
  return ToShape(attr_name, attr->shape(), value);
}

Status GetNodeAttr(const AttrSlice& attrs, absl::string_view attr_name,
                   PartialTensorShape* value) {
  const AttrValue* attr;
  TF_RETURN_IF_ERROR(FindTyped(attrs, attr_name, "shape", &attr));
  return ToShape(attr_name, attr->shape(), value);
}

Status GetNodeAttr(const AttrSlice& attrs, absl::string_view attr_name,
                   Tensor* value) {
  const AttrValue* attr;
  TF_RETURN_IF_ERROR(FindTyped(attrs, attr_name, "tensor", &attr));
  return ToTensor(attr_name, attr->tensor(), value);
}

Status GetNodeAttr(const AttrSlice& attrs, absl::string_view attr_name,
                   const TensorProto** value) {
  const AttrValue* attr;
  TF_RETURN_IF_ERROR(FindTyped(attrs, attr_name, "tensor", &attr));
  *value = &attr->tensor();
  return OkStatus();
}

Status GetNodeAttr(const AttrSlice& attrs, absl::string_view attr_name,
                   const NameAttrList** value) {
  const AttrValue* attr;
  TF_RETURN_IF_ERROR(FindTyped(attrs, attr_name, "func", &attr));
  *value = &attr->func();
  return OkStatus();
}

Status GetNodeAttr(const AttrSlice& attrs, absl::string_view attr_name,
                   NameAttrList* value) {
  const AttrValue* attr;
  TF_RETURN_IF_ERROR(FindTyped(attrs, attr_name, "func", &attr));
  *value = attr->func();
  return OkStatus();
}

// ---- Lists -----------------------------------------------------------------

Status GetNodeAttr(const AttrSlice& attrs, absl::string_view attr_name,
                   std::vector<std::string>* value) {
  const AttrValue* attr;
  TF_RETURN_IF_ERROR(FindTyped(attrs, attr_name, "list(string)", &attr));
  value->assign(attr->list().s().begin(), attr->list().s().end());
  return OkStatus();
}

Status GetNodeAttr(const AttrSlice& attrs, absl::string_view attr_name,
                   std::vector<tstring>* value) {
  std::vector<std::string> strings;
  TF_RETURN_IF_ERROR(GetNodeAttr(attrs, attr_name, &strings));
  value->assign(strings.begin(), strings.end());
  return OkStatus();
}

Status GetNodeAttr(const AttrSlice& attrs, absl::string_view attr_name,
                   std::vector<int64_t>* value) {
  const AttrValue* attr;
  TF_RETURN_IF_ERROR(FindTyped(attrs, attr_name, "list(int)", &attr));
  value->assign(attr->list().i().begin(), attr->list().i().end());
  return OkStatus();
}

Status GetNodeAttr(const AttrSlice& attrs, absl::string_view attr_name,
                   std::vector<int32_t>* value) {
  const AttrValue* attr;
  TF_RETURN_IF_ERROR(FindTyped(attrs, attr_name, "list(int)", &attr));
  value->resize(attr->list().i_size());
  for (int i = 0; i < attr->list().i_size(); ++i) {
    TF_RETURN_IF_ERROR(ToInt32(attr_name, attr->list().i(i), &(*value)[i]));
  }
  return OkStatus();
}

Status GetNodeAttr(const AttrSlice& attrs, absl::string_view attr_name,
                   std::vector<float>* value) {
  const AttrValue* attr;
  TF_RETURN_IF_ERROR(FindTyped(attrs, attr_name, "list(float)", &attr));
  value->assign(attr->list().f().begin(), attr->list().f().end());
  return OkStatus();
}

Status GetNodeAttr(const AttrSlice& attrs, absl::string_view attr_name,
                   std::vector<bool>* value) {
  const AttrValue* attr;
  TF_RETURN_IF_ERROR(FindTyped(attrs, attr_name, "list(bool)", &attr));
  value->assign(attr->list().b().begin(), attr->list().b().end());
  return OkStatus();
}

namespace {

template <typename Vector>
Status GetTypeList(const AttrSlice& attrs, absl::string_view attr_name,
                   Vector* value) {
  const AttrValue* attr;
  TF_RETURN_IF_ERROR(FindTyped(attrs, attr_name, "list(type)", &attr));
  value->clear();
  for (int type : attr->list().type()) {
    if (!DataType_IsValid(type) || type == DT_INVALID) {
      return errors::InvalidArgument("attr '", attr_name,
                                     "' must hold dtypes, got number ", type);
    }
    value->push_back(static_cast<DataType>(type));
  }
  return OkStatus();
}

template <typename Shape>
Status GetShapeList(const AttrSlice& attrs, absl::string_view attr_name,
                    std::vector<Shape>* value) {
  const AttrValue* attr;
  TF_RETURN_IF_ERROR(FindTyped(attrs, attr_name, "list(shape)", &attr));
  value->resize(attr->list().shape_size());
  for (int i = 0; i < attr->list().shape_size(); ++i) {
    TF_RETURN_IF_ERROR(ToShape(attr_name, attr->list().shape(i), &(*value)[i]));
  }
  return OkStatus();
}

}  // namespace

Status GetNodeAttr(const AttrSlice& attrs, absl::string_view attr_name,
                   std::vector<DataType>* value) {
  return GetTypeList(attrs, attr_name, value);
}

Status GetNodeAttr(const AttrSlice& attrs, absl::string_view attr_name,
                   DataTypeVector* value) {
  return GetTypeList(attrs, attr_name, value);
}

Status GetNodeAttr(const AttrSlice& attrs, absl::string_view attr_name,
                   std::vector<TensorShapeProto>* value) {
  const AttrValue* attr;
  TF_RETURN_IF_ERROR(FindTyped(attrs, attr_name, "list(shape)", &attr));
  value->assign(attr->list().shape().begin(), attr->list().shape().end());
  return OkStatus();
}

Status GetNodeAttr(const AttrSlice& attrs, absl::string_view attr_name,
                   std::vector<TensorShape>* value) {
  return GetShapeList(attrs, attr_name, value);
}

Status GetNodeAttr(const AttrSlice& attrs, absl::string_view attr_name,
                   std::vector<PartialTensorShape>* value) {
  return GetShapeList(attrs, attr_name, value);
}

Status GetNodeAttr(const AttrSlice& attrs, absl::string_view attr_name,
                   std::vector<Tensor>* value) {
  const AttrValue* attr;
  TF_RETURN_IF_ERROR(FindTyped(attrs, attr_name, "list(tensor)", &attr));
  value->resize(attr->list().tensor_size());
  for (int i = 0; i < attr->list().tensor_size(); ++i) {
    TF_RETURN_IF_ERROR(
        ToTensor(attr_name, attr->list().tensor(i), &(*value)[i]));
  }
  return OkStatus();
}

Status GetNodeAttr(const AttrSlice& attrs, absl::string_view attr_name,
                   std::vector<NameAttrList>* value) {
  const AttrValue* attr;
  TF_RETURN_IF_ERROR(FindTyped(attrs, attr_name, "list(func)", &attr));
  value->assign(attr->list().func().begin(), attr->list().func().end());
  return OkStatus();
}

}  // namespace tensorwright
