// SPDX-License-Identifier: Apache-2.0
// ResourceHandle: the element of a DT_RESOURCE tensor, a name for an object
// that a device keeps.
//
// Making, copying or destroying one touches no resource and holds none alive; a
// look-up (core/framework/resource_mgr.h) finds out whether there is one of
// that name.  A value: const access is thread-safe.  It may come from a
// stranger's proto, so look-ups check device and type.
#ifndef TENSORWRIGHT_CORE_FRAMEWORK_RESOURCE_HANDLE_H_
#define TENSORWRIGHT_CORE_FRAMEWORK_RESOURCE_HANDLE_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/framework/tensor_shape.h"
#include "core/framework/types.h"
#include "core/lib/core/status.h"

namespace tensorwright {

class ResourceHandleProto;

// The known dtype and shape of a tensor that the resource holds, such as a
// variable's.
struct DtypeAndPartialTensorShape {
  DataType dtype = DT_INVALID;
  PartialTensorShape shape;
};

// A value: copying copies the name, not the object.  A default one names
// nothing: no look-up finds it.
class ResourceHandle {
 public:
  ResourceHandle();
  ResourceHandle(const ResourceHandle& other);
  ResourceHandle(ResourceHandle&& other) noexcept;
  ResourceHandle& operator=(const ResourceHandle& other);
  ResourceHandle& operator=(ResourceHandle&& other) noexcept;
  ~ResourceHandle();
  // Empty if the proto holds a malformed shape; the form with a Status is
  // InvalidArgument then and leaves `out` alone.
  explicit ResourceHandle(const ResourceHandleProto& proto);
  static Status BuildResourceHandle(const ResourceHandleProto& proto,
                                    ResourceHandle* out);

  // The full name of the device that has the object, and the object's container
  // and name in the device's ResourceMgr.  References that the getters return
  // live until the field is set.
  const std::string& device() const { return device_; }
  void set_device(std::string device) { device_ = std::move(device); }
  const std::string& container() const { return container_; }
  void set_container(std::string container) {
    container_ = std::move(container);
  }
  const std::string& name() const { return name_; }
  void set_name(std::string name) { name_ = std::move(name); }
  // The hash code of the object's C++ type, 0 if it is not known.
  // maybe_type_name is the type's mangled name, for messages.
  uint64_t hash_code() const { return hash_code_; }
  void set_hash_code(uint64_t hash_code) { hash_code_ = hash_code; }
  const std::string& maybe_type_name() const { return maybe_type_name_; }
  void set_maybe_type_name(std::string name) {
    maybe_type_name_ = std::move(name);
  }
  // The known dtypes and shapes of the tensors in the resource; often empty.
  const std::vector<DtypeAndPartialTensorShape>& dtypes_and_shapes() const {
    return dtypes_and_shapes_;
  }
  void set_dtypes_and_shapes(std::vector<DtypeAndPartialTensorShape> v) {
    dtypes_and_shapes_ = std::move(v);
  }

  // All fields.  FromProto and ParseFromString leave this as it was if they
  // fail: for a malformed shape, or bytes that are no proto.
  void AsProto(ResourceHandleProto* proto) const;
  Status FromProto(const ResourceHandleProto& proto);
  std::string SerializeAsString() const;
  bool ParseFromString(const std::string& s);
  std::string DebugString() const;

 private:
  std::string device_;
  std::string container_;
  std::string name_;
  uint64_t hash_code_ = 0;
  std::string maybe_type_name_;
  std::vector<DtypeAndPartialTensorShape> dtypes_and_shapes_;
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_FRAMEWORK_RESOURCE_HANDLE_H_
