// SPDX-License-Identifier: Apache-2.0
// The answers that every device gives unless it overrides them.
#include "core/framework/device_base.h"

#include "core/framework/device_attributes.pb.h"
#include "core/framework/tensor.pb.h"
#include "core/lib/core/errors.h"

namespace tensorwright {

DeviceBase::~DeviceBase() = default;

Allocator* DeviceBase::GetStepAllocator(
    AllocatorAttributes attr, ResourceMgr* /*step_resource_manager*/) {
  return GetAllocator(attr);
}

const DeviceAttributes& DeviceBase::attributes() const {
  static const DeviceAttributes* const none = new DeviceAttributes;
  return *none;
}

const std::string& DeviceBase::name() const { return attributes().name(); }

Status DeviceBase::MakeTensorFromProto(const TensorProto& tensor_proto,
                                       AllocatorAttributes alloc_attrs,
                                       Tensor* tensor) {
  return Tensor::ParseProto(GetAllocator(alloc_attrs), tensor_proto, tensor);
}

}  // namespace tensorwright
