// SPDX-License-Identifier: Apache-2.0
// OpKernel: the code that runs a node, and REGISTER_KERNEL_BUILDER.
//
//   class ZeroOutOp : public OpKernel {
//    public:
//     explicit ZeroOutOp(OpKernelConstruction* ctx) : OpKernel(ctx) {}
//     void Compute(OpKernelContext* ctx) override { ... }
//   };
//   REGISTER_KERNEL_BUILDER(Name("ZeroOut").Device(DEVICE_CPU), ZeroOutOp);
//
// In this tree a kernel template that serves several types is registered by
//
//   REGISTER_KERNEL_FOR_TYPES(Name("RowEnergy").Device(DEVICE_CPU), "T",
//                             RowEnergyOp, float, double);
//
// A kernel class may declare `using Primitive = <library type>;`, the type of
// the library that does its work; the registration records its name.
//
// Lifetime: a session makes the kernels of a plan when it compiles the plan.  A
// kernel of a stateful op is shared by all plans of its session and lives as
// long as that; any other belongs to its plan.  An exception that a kernel
// throws, in its constructor too, becomes an Internal error of the plan or
// step; a failure is reported by OP_REQUIRES, not by throwing.
#ifndef TENSORWRIGHT_CORE_FRAMEWORK_OP_KERNEL_H_
#define TENSORWRIGHT_CORE_FRAMEWORK_OP_KERNEL_H_

#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <vector>

#include "absl/meta/type_traits.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "core/framework/kernel_def_builder.h"
#include "core/framework/library_stamp.h"
#include "core/framework/node_def_util.h"
#include "core/framework/op_kernel_construction.h"
#include "core/framework/op_kernel_context.h"
#include "core/framework/op_requires.h"
#include "core/framework/selective_registration.h"
#include "core/framework/types.h"
#include "core/lib/core/source_location.h"
#include "core/lib/core/status.h"

namespace tensorwright {

class AsyncOpKernel;
class OpRegistryInterface;
struct NodeProperties;

// One node on one device.  Compute may be called by several threads at the same
// time (concurrent runs, and iterations of a loop, share kernels), so a kernel
// guards by a mutex whatever it changes in itself.  It reads without one what
// its constructor set.  All accessors below are const, cheap and thread-safe;
// what they refer to lives as long as the kernel.
class OpKernel {
 public:
  // `context` is gone when the constructors return.  They may set its status;
  // the kernel is then destroyed unused.
  explicit OpKernel(OpKernelConstruction* context);
  // For kernels that may be cheap enough to run inline; see IsExpensive().
  OpKernel(OpKernelConstruction* context, bool is_expensive);
  OpKernel(const OpKernel&) = delete;
  OpKernel& operator=(const OpKernel&) = delete;
  virtual ~OpKernel();

  // Computes the outputs, or calls ctx->SetStatus() with the reason why not.
  // Every output must be set to its declared dtype when it returns without an
  // error (a Switch leaves one of its two out): otherwise the step fails with
  // Internal.  Inputs have passed the op's shape function.  Must not wait for
  // other kernels; an AsyncOpKernel may.
  virtual void Compute(OpKernelContext* ctx) = 0;

  // This, if it is an AsyncOpKernel, else null.
  virtual AsyncOpKernel* AsAsync() { return nullptr; }
  virtual const AsyncOpKernel* AsAsync() const { return nullptr; }

  // False if Compute takes a microsecond or less whatever its inputs: then the
  // executor runs it in the thread that made its inputs ready, instead of
  // handing it to another one.  Asked once, when the plan is compiled; the
  // executor measures the cost of kernels that say true.
  virtual bool IsExpensive() { return expensive_; }

  // The node as the plan has it: attrs complete, device as requested.
  // def().input is empty in kernels of graphs, whose edges tell the inputs;
  // requested_input is for kernels that were made from a whole NodeDef.
  const NodeDef& def() const;
  const std::string& name() const;
  const std::string& type_string() const;  // The op.
  const std::string& requested_device() const;
  absl::string_view name_view() const { return name(); }
  absl::string_view type_string_view() const { return type_string(); }
  // Names that start with "_" belong to nodes that the runtime adds.
  bool is_internal() const { return is_internal_; }

  // Data inputs, lists flattened.  Types are as declared, reference dtypes
  // included; positions are not checked.  On a CPU all memory types are
  // DEVICE_MEMORY.
  int num_inputs() const { return static_cast<int>(input_types_.size()); }
  DataType input_type(int i) const { return input_types_[i]; }
  const DataTypeVector& input_types() const { return input_types_; }
  const MemoryTypeVector& input_memory_types() const {
    return input_memory_types_;
  }
  const std::string& requested_input(int i) const;

  int num_outputs() const { return static_cast<int>(output_types_.size()); }
  DataType output_type(int i) const { return output_types_[i]; }
  const DataTypeVector& output_types() const { return output_types_; }
  const MemoryTypeVector& output_memory_types() const {
    return output_memory_types_;
  }

  // The flat positions [*start, *stop) of an argument's tensors; one position
  // if it is no list.  InvalidArgument, results untouched, if the op has no
  // argument of that name.
  Status InputRange(absl::string_view input_name, int* start, int* stop) const;
  Status OutputRange(absl::string_view output_name, int* start,
                     int* stop) const;

  // Makes a shape out of a rank-1 int32 or int64 tensor in host memory.
  // InvalidArgument, naming the op, for any other tensor, and for negative
  // sizes, -1 included; `out` is left as it was then.
  Status MakeShape(const Tensor& shape, TensorShape* out) const;

 private:
  const std::shared_ptr<const NodeProperties> props_;
  const DataTypeVector& input_types_;
  const DataTypeVector& output_types_;
  const MemoryTypeVector input_memory_types_;
  const MemoryTypeVector output_memory_types_;
  ArgRanges input_ranges_;
  ArgRanges output_ranges_;
  const bool is_internal_;
  const bool expensive_;
};

// A kernel whose work goes on after the call returns: one that waits for
// another kernel, or for the outside.  It must not wait for ever: it registers
// with ctx->cancellation_manager(), and calls `done` with an error when it is
// cancelled.
class AsyncOpKernel : public OpKernel {
 public:
  using OpKernel::OpKernel;

  using DoneCallback = std::function<void()>;

  // Starts the work; calls `done` exactly once, from any thread, perhaps before
  // it returns, when the outputs or the status of `ctx` are set.  `ctx` and its
  // tensors live until then; nothing of it may be touched after `done`.
  virtual void ComputeAsync(OpKernelContext* ctx, DoneCallback done) = 0;

  AsyncOpKernel* AsAsync() final { return this; }
  const AsyncOpKernel* AsAsync() const final { return this; }

  // Calls ComputeAsync and blocks this thread until `done`.
  void Compute(OpKernelContext* ctx) final;
};

// Makes the kernel that runs `props` on `device`; *kernel is the caller's to
// delete, null on failure.  `device`, `allocator` (for the constructor's
// temporaries) and `flib` (may be null) are borrowed and outlive the kernel,
// which shares `props`.  `props` must have its attrs complete: they are not
// checked here.  NotFound if no kernel is registered, InvalidArgument if two
// fit equally well (see FindKernelRegistration); otherwise the error that the
// constructor sets, Internal if it throws.
Status CreateOpKernel(DeviceType device_type, DeviceBase* device,
                      Allocator* allocator, FunctionLibraryRuntime* flib,
                      const std::shared_ptr<const NodeProperties>& props,
                      int graph_def_version, OpKernel** kernel);

// The same from a NodeDef, whose op is looked up in the global registry and
// checked against it (ValidateNodeDef): also NotFound for an unknown op,
// InvalidArgument for a node that does not fit.  The last form sets *status,
// passes no flib, and returns null on failure.
Status CreateOpKernel(DeviceType device_type, DeviceBase* device,
                      Allocator* allocator, FunctionLibraryRuntime* flib,
                      const NodeDef& node_def, int graph_def_version,
                      OpKernel** kernel);
std::unique_ptr<OpKernel> CreateOpKernel(DeviceType device_type,
                                         DeviceBase* device,
                                         Allocator* allocator,
                                         const NodeDef& node_def,
                                         int graph_def_version, Status* status);

namespace kernel_factory {

using KernelFactory = OpKernel* (*)(OpKernelConstruction*);

// Registers when it is constructed, which is when the program starts, or a
// library is loaded: in the latter case the registration waits until the whole
// library has proved good (staged_registrations.h).  Never fails; see
// kernel_registry.h for mistakes.
class OpKernelRegistrar {
 public:
  OpKernelRegistrar(const KernelDefBuilder& builder,
                    absl::string_view class_name,
                    const std::type_info* primitive, KernelFactory factory,
                    SourceLocation location);
};

template <typename Kernel>
OpKernel* MakeKernel(OpKernelConstruction* context) {
  return new Kernel(context);
}

// The typeid of Kernel::Primitive, or null if the class does not declare one.
template <typename Kernel, typename = void>
struct PrimitiveOf {
  static const std::type_info* Get() { return nullptr; }
};
template <typename Kernel>
struct PrimitiveOf<Kernel, absl::void_t<typename Kernel::Primitive>> {
  static const std::type_info* Get() {
    return &typeid(typename Kernel::Primitive);
  }
};

// Kernel<T> for one T.
struct TypedKernel {
  DataType type;
  const std::type_info* primitive;
  KernelFactory factory;
};

// Registers each of `kernels` with its type as a TypeConstraint of `attr_name`,
// under the name "<class_name><<type>>".
void RegisterTypedKernels(const KernelDefBuilder& builder,
                          const char* attr_name, const char* class_name,
                          absl::Span<const TypedKernel> kernels,
                          SourceLocation location);

// Registers Kernel<T> for every T; REGISTER_KERNEL_FOR_TYPES constructs one.
// Only a table entry is compiled for each type, since there are thousands of
// them.
template <template <typename> class Kernel, typename... T>
class TypedKernelRegistrar {
 public:
  TypedKernelRegistrar(const KernelDefBuilder& builder, const char* attr_name,
                       const char* class_name, SourceLocation location) {
    const TypedKernel kernels[] = {{DataTypeToEnum<T>::value,
                                    PrimitiveOf<Kernel<T>>::Get(),
                                    &MakeKernel<Kernel<T>>}...};
    RegisterTypedKernels(builder, attr_name, class_name, kernels, location);
  }
};

}  // namespace kernel_factory

// At namespace scope.  `builder` starts with Name("Op"); the rest is the kernel
// class, which may hold commas and is recorded as written, with file and line.
// Ends with a semicolon, because users' TF_CALL_* macros leave it out.
#define REGISTER_KERNEL_BUILDER(builder, ...) \
  REGISTER_KERNEL_BUILDER_UNIQ_HELPER(__COUNTER__, builder, __VA_ARGS__)
#define REGISTER_KERNEL_BUILDER_UNIQ_HELPER(ctr, builder, ...) \
  REGISTER_KERNEL_BUILDER_UNIQ(ctr, builder, __VA_ARGS__)
#define REGISTER_KERNEL_BUILDER_UNIQ(ctr, builder, ...)                    \
  [[maybe_unused]] static const ::tensorwright::kernel_factory::           \
      OpKernelRegistrar register_kernel_##ctr(                             \
          ::tensorwright::register_kernel::builder, #__VA_ARGS__,          \
          ::tensorwright::kernel_factory::PrimitiveOf<__VA_ARGS__>::Get(), \
          &::tensorwright::kernel_factory::MakeKernel<__VA_ARGS__>,        \
          ::tensorwright::SourceLocation{__FILE__, __LINE__});

// Registers a kernel that selective registration, in builds that have it, never
// leaves out.
#define REGISTER_SYSTEM_KERNEL_BUILDER(builder, ...) \
  REGISTER_KERNEL_BUILDER(builder, __VA_ARGS__)

// Registers `kernel`<T>, a class template of one type parameter, for each of
// the types that follow, with TypeConstraint<T>(attr_name).
#define REGISTER_KERNEL_FOR_TYPES(builder, attr_name, kernel, ...)       \
  REGISTER_KERNEL_FOR_TYPES_UNIQ_HELPER(__COUNTER__, builder, attr_name, \
                                        kernel, __VA_ARGS__)
#define REGISTER_KERNEL_FOR_TYPES_UNIQ_HELPER(ctr, builder, attr_name, kernel, \
                                              ...)                             \
  REGISTER_KERNEL_FOR_TYPES_UNIQ(ctr, builder, attr_name, kernel, __VA_ARGS__)
#define REGISTER_KERNEL_FOR_TYPES_UNIQ(ctr, builder, attr_name, kernel, ...) \
  [[maybe_unused]] static const ::tensorwright::kernel_factory::             \
      TypedKernelRegistrar<kernel, __VA_ARGS__>                              \
          register_kernel_##ctr(                                             \
              ::tensorwright::register_kernel::builder, attr_name, #kernel,  \
              ::tensorwright::SourceLocation{__FILE__, __LINE__})

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_FRAMEWORK_OP_KERNEL_H_
