// SPDX-License-Identifier: Apache-2.0
// VariantTensorData to and from its proto.
#include "core/framework/variant_tensor_data.h"

#include "absl/strings/str_cat.h"
#include "core/framework/tensor.pb.h"

namespace tensorwright {

VariantTensorData::VariantTensorData(const VariantTensorDataProto& proto) {
  FromProto(proto);
}

void VariantTensorData::ToProto(VariantTensorDataProto* proto) const {
  proto->set_type_name(type_name_);
  proto->set_metadata(metadata_);
  proto->clear_tensors();
  for (const Tensor& t : tensors_) t.AsProtoField(proto->add_tensors());
}

bool VariantTensorData::FromProto(const VariantTensorDataProto& proto) {
  *this = VariantTensorData();
  std::vector<Tensor> tensors(proto.tensors_size());
  for (int i = 0; i < proto.tensors_size(); ++i) {
    if (!tensors[i].FromProto(proto.tensors(i))) return false;
  }
  type_name_ = proto.type_name();
  metadata_ = proto.metadata();
  tensors_ = std::move(tensors);
  return true;
}

std::string VariantTensorData::SerializeAsString() const {
  VariantTensorDataProto proto;
  ToProto(&proto);
  return proto.SerializeAsString();
}

bool VariantTensorData::SerializeToString(std::string* out) const {
  *out = SerializeAsString();
  return true;
}

bool VariantTensorData::ParseFromString(const std::string& s) {
  VariantTensorDataProto proto;
  return proto.ParseFromString(s) && FromProto(proto);
}

std::string VariantTensorData::DebugString() const {
  return absl::StrCat("type_name: ", type_name_,
                      " metadata: ", metadata_.size(),
                      " bytes tensors: ", tensors_.size());
}

}  // namespace tensorwright
