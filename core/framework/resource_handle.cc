// SPDX-License-Identifier: Apache-2.0
// Resource handles to and from protos.
#include "core/framework/resource_handle.h"

#include "absl/strings/str_cat.h"
#include "core/framework/resource_handle.pb.h"
#include "core/framework/tensor_shape.pb.h"
#include "core/lib/core/errors.h"
#include "core/platform/protobuf.h"

namespace tensorwright {

ResourceHandle::ResourceHandle() = default;
ResourceHandle::ResourceHandle(const ResourceHandle& other) = default;
ResourceHandle::ResourceHandle(ResourceHandle&& other) noexcept = default;
ResourceHandle& ResourceHandle::operator=(const ResourceHandle& other) =
    default;
ResourceHandle& ResourceHandle::operator=(ResourceHandle&& other) noexcept =
    default;
ResourceHandle::~ResourceHandle() = default;

ResourceHandle::ResourceHandle(const ResourceHandleProto& proto) {
  FromProto(proto).IgnoreError();  // Empty if it is malformed.
}

Status ResourceHandle::BuildResourceHandle(const ResourceHandleProto& proto,
                                           ResourceHandle* out) {
  return out->FromProto(proto);
}

void ResourceHandle::AsProto(ResourceHandleProto* proto) const {
  proto->Clear();
  proto->set_device(device_);
  proto->set_container(container_);
  proto->set_name(name_);
  proto->set_hash_code(hash_code_);
  proto->set_maybe_type_name(maybe_type_name_);
  for (const DtypeAndPartialTensorShape& entry : dtypes_and_shapes_) {
    auto* out = proto->add_dtypes_and_shapes();
    out->set_dtype(entry.dtype);
    entry.shape.AsProto(out->mutable_shape());
  }
}

Status ResourceHandle::FromProto(const ResourceHandleProto& proto) {
  std::vector<DtypeAndPartialTensorShape> entries;
  for (const auto& entry : proto.dtypes_and_shapes()) {
    PartialTensorShape shape;
    TF_RETURN_IF_ERROR(
        PartialTensorShape::BuildPartialTensorShape(entry.shape(), &shape));
    entries.push_back({entry.dtype(), std::move(shape)});
  }
  device_ = proto.device();
  container_ = proto.container();
  name_ = proto.name();
  hash_code_ = proto.hash_code();
  maybe_type_name_ = proto.maybe_type_name();
  dtypes_and_shapes_ = std::move(entries);
  return OkStatus();
}

std::string ResourceHandle::SerializeAsString() const {
  ResourceHandleProto proto;
  AsProto(&proto);
  return proto.SerializeAsString();
}

bool ResourceHandle::ParseFromString(const std::string& s) {
  ResourceHandleProto proto;
  return ParseProtoUnlimited(&proto, s) && FromProto(proto).ok();
}

std::string ResourceHandle::DebugString() const {
  return absl::StrCat("device: ", device_, " container: ", container_,
                      " name: ", name_, " type: ", maybe_type_name_);
}

}  // namespace tensorwright
