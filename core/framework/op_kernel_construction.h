// SPDX-License-Identifier: Apache-2.0
// OpKernelConstruction: answers a kernel's constructor.
//
// Made for one kernel, used by the thread that makes it, gone when the
// constructor returns: a kernel copies what it needs later.  Device, allocator
// and resource manager are borrowed and outlive the kernel.  A constructor
// reports a failure by OP_REQUIRES, OP_REQUIRES_OK or SetStatus; the plan then
// fails with that status and the node's name, and the kernel is destroyed.
#ifndef TENSORWRIGHT_CORE_FRAMEWORK_OP_KERNEL_CONSTRUCTION_H_
#define TENSORWRIGHT_CORE_FRAMEWORK_OP_KERNEL_CONSTRUCTION_H_

#include <memory>

#include "absl/strings/string_view.h"
#include "core/framework/allocator.h"
#include "core/framework/node_def_util.h"
#include "core/framework/tensor.h"
#include "core/framework/types.h"
#include "core/lib/core/status.h"

namespace tensorwright {

class Allocator;
class DeviceBase;
class Env;
class FunctionLibraryRuntime;
class OpKernel;
class OpKernelConstruction;
class OpKernelContext;
class ResourceMgr;
struct NodeProperties;

// A tensor that a kernel keeps between calls.  It is reached through a context
// only, as in TensorFlow; any context will do.  A copy shares the buffer.  Not
// guarded: calls run concurrently, so a kernel that changes it locks.
class PersistentTensor {
 public:
  PersistentTensor() = default;
  explicit PersistentTensor(const Tensor& tensor) : tensor_(tensor) {}

  // Never null; lives as long as this object.
  Tensor* AccessTensor(OpKernelConstruction* /*context*/) { return &tensor_; }
  Tensor* AccessTensor(OpKernelContext* /*context*/) { return &tensor_; }
  bool IsInitialized() const { return tensor_.IsInitialized(); }
  int64_t NumElements() const { return tensor_.NumElements(); }

 private:
  Tensor tensor_;
};

// InvalidArgument, with both lists, unless the types of op `op`'s node are the
// expected ones.  A reference also matches the dtype of its value.
Status MatchSignature(absl::string_view op, DataTypeSlice expected_inputs,
                      DataTypeSlice inputs, DataTypeSlice expected_outputs,
                      DataTypeSlice outputs);

// Lives only while one kernel is constructed.  Objects that it returns by
// pointer or reference belong to others: device, function library and resource
// manager outlive the kernel, the rest is good until the constructor returns.
class OpKernelConstruction {
 public:
  // For CreateOpKernel, and tests.  All pointers are borrowed; SetStatus writes
  // to *status.
  OpKernelConstruction(DeviceType device_type, DeviceBase* device,
                       Allocator* allocator,
                       std::shared_ptr<const NodeProperties> props,
                       MemoryTypeSlice input_memory_types,
                       MemoryTypeSlice output_memory_types,
                       FunctionLibraryRuntime* flib, int graph_def_version,
                       Status* status);
  OpKernelConstruction(const OpKernelConstruction&) = delete;
  OpKernelConstruction& operator=(const OpKernelConstruction&) = delete;

  // Reads one attr; see GetNodeAttr for the types T may be, and for the errors:
  // NotFound, InvalidArgument.
  template <class T>
  Status GetAttr(absl::string_view attr_name, T* value) const {
    return GetNodeAttr(AttrSlice(def()), attr_name, value);
  }
  bool HasAttr(absl::string_view attr_name) const;

  // InvalidArgument unless the node's types are these; see above.
  Status MatchSignature(DataTypeSlice expected_inputs,
                        DataTypeSlice expected_outputs);

  // Records that the kernel cannot be made; the first call wins.  The
  // constructor should return then: OP_REQUIRES does both.  CtxFailure also
  // notes the line; "WithWarning" logs nothing here.
  void SetStatus(const Status& status);
  const Status& status() const { return *status_; }
  void CtxFailure(const Status& s) { SetStatus(s); }
  void CtxFailure(const char* file, int line, const Status& s);
  void CtxFailureWithWarning(const Status& s) { SetStatus(s); }
  void CtxFailureWithWarning(const char* file, int line, const Status& s) {
    CtxFailure(file, line, s);
  }

  Env* env() const;
  DeviceBase* device() const { return device_; }
  const DeviceType& device_type() const { return device_type_; }
  // Null if nothing in the session calls functions.
  FunctionLibraryRuntime* function_library() const { return flib_; }
  int graph_def_version() const { return graph_def_version_; }
  // The device's resource manager, which outlives the kernel; nullptr if it has
  // none.
  ResourceMgr* resource_manager() const;

  // The node, the declared types of its inputs and outputs (reference dtypes
  // included), and their memory: on a CPU always DEVICE_MEMORY.  Positions are
  // not checked.
  const NodeDef& def() const;
  int num_inputs() const { return static_cast<int>(input_types().size()); }
  DataType input_type(int i) const { return input_types()[i]; }
  const DataTypeVector& input_types() const;
  MemoryTypeSlice input_memory_types() const { return input_memory_types_; }
  int num_outputs() const { return static_cast<int>(output_types().size()); }
  DataType output_type(int i) const { return output_types()[i]; }
  const DataTypeVector& output_types() const;
  MemoryTypeSlice output_memory_types() const { return output_memory_types_; }

  // Memory of the device, not initialized.  InvalidArgument for a shape that is
  // not valid, ResourceExhausted if there is none left.
  Status allocate_temp(DataType type, const TensorShape& shape,
                       Tensor* out_temp);
  Status allocate_temp(DataType type, const TensorShape& shape,
                       Tensor* out_temp, AllocatorAttributes /*attr*/) {
    return allocate_temp(type, shape, out_temp);
  }
  // The same for a tensor that the kernel keeps; *out_tensor, if given, points
  // into *out_persistent.
  Status allocate_persistent(DataType type, const TensorShape& shape,
                             PersistentTensor* out_persistent,
                             Tensor** out_tensor);

 private:
  friend class OpKernel;

  const DeviceType device_type_;
  DeviceBase* const device_;
  Allocator* const allocator_;
  const std::shared_ptr<const NodeProperties> props_;
  const MemoryTypeSlice input_memory_types_;
  const MemoryTypeSlice output_memory_types_;
  FunctionLibraryRuntime* const flib_;
  const int graph_def_version_;
  Status* const status_;
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_FRAMEWORK_OP_KERNEL_CONSTRUCTION_H_
