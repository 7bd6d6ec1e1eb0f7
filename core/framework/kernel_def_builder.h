// SPDX-License-Identifier: Apache-2.0
// KernelDefBuilder: says when a kernel class may run a node.
//
//   Name("MatMul").Device(DEVICE_CPU).TypeConstraint<float>("T")
//
// Nothing is checked here, since a mistake must not stop a program that is
// starting: attrs and arguments that the op does not have are found when the
// op's kernels are first looked up (kernel_registry.h).
#ifndef TENSORWRIGHT_CORE_FRAMEWORK_KERNEL_DEF_BUILDER_H_
#define TENSORWRIGHT_CORE_FRAMEWORK_KERNEL_DEF_BUILDER_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "core/framework/types.h"

namespace tensorwright {

class KernelDef;

// A plain value, made while the program starts; the proto is made at need.
// Strings are copied.  Used by one thread.
class KernelDefBuilder {
 public:
  explicit KernelDefBuilder(const char* op_name);
  // None of these is inline: thousands of registrations would each have it.
  KernelDefBuilder(const KernelDefBuilder& other);
  KernelDefBuilder(KernelDefBuilder&& other) noexcept;
  KernelDefBuilder& operator=(const KernelDefBuilder& other);
  KernelDefBuilder& operator=(KernelDefBuilder&& other) noexcept;
  ~KernelDefBuilder();

  // Required.  A type of types.h, DEVICE_DEFAULT included; the last call
  // counts.
  KernelDefBuilder& Device(const char* device_type);
  KernelDefBuilder& Device(const DeviceType& device_type);

  // The kernel is for nodes whose attr (of type "type" or "list(type)") has one
  // of these values; every element of a list must.  Several constraints must
  // all hold.  A kernel without any runs every type that the op allows.
  KernelDefBuilder& TypeConstraint(const char* attr_name,
                                   absl::Span<const DataType> allowed);
  KernelDefBuilder& TypeConstraint(const char* attr_name, DataType allowed);
  template <typename T>
  KernelDefBuilder& TypeConstraint(const char* attr_name) {
    return TypeConstraint(attr_name, DataTypeToEnum<T>::v());
  }

  // The input or output argument of that name lives in host memory, whatever
  // the device.
  KernelDefBuilder& HostMemory(const char* arg_name);

  // The kernel is for nodes whose attr "_kernel" is exactly this; a kernel
  // without a label is for nodes without that attr.
  KernelDefBuilder& Label(const char* label);

  // Among the kernels that fit a node, the one of the highest priority runs it
  // (0 by default); two that fit with the same priority are an error of the
  // look-up.
  KernelDefBuilder& Priority(int32_t priority);

  const std::string& op() const { return op_; }
  const std::string& device_type() const { return device_type_; }

  // Makes the proto; the builder stays as it is.
  void Fill(KernelDef* kernel_def) const;
  // A new proto that the caller owns.
  const KernelDef* Build() const;

 private:
  std::string op_;
  std::string device_type_;
  std::string label_;
  int32_t priority_ = 0;
  std::vector<std::pair<std::string, DataTypeVector>> constraints_;
  std::vector<std::string> host_memory_args_;
};

namespace register_kernel {

// The first argument of REGISTER_KERNEL_BUILDER starts with this.
class Name : public KernelDefBuilder {
 public:
  explicit Name(const char* op) : KernelDefBuilder(op) {}
};

}  // namespace register_kernel

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_FRAMEWORK_KERNEL_DEF_BUILDER_H_
