// SPDX-License-Identifier: Apache-2.0
// OpKernelContext: the inputs and outputs of one call of a kernel.
//
// Whoever runs the kernel owns the inputs, the slots for outputs and everything
// that Params points to; the context borrows them for one call (of an
// AsyncOpKernel: until `done` is called).  A context is used by one thread at a
// time; the tensors it hands out may be shared with other threads, so a kernel
// writes only to outputs, temporaries and Ref inputs whose mutex it holds.
//
// Arguments are named by position, lists flattened, or by the name in the
// OpDef.  The forms by name return a Status: InvalidArgument for a name that
// the op does not have, or for a list where one tensor is meant.  A position
// that the kernel does not have is the kernel's bug: input(i), set_output(i)
// and the like throw WrongUse, which fails the step and not the process; the
// small accessors (input_dtype(i), has_input(i), input_memory_type(i), ...) do
// not check.
//
// Failures: a method that returns a Status leaves its results alone when it
// fails, except that allocate_output sets *tensor to null first.  Allocations
// fail with InvalidArgument for a shape that is not valid, ResourceExhausted if
// there is no memory.  Pointers and references to tensors stay good until the
// context goes.
#ifndef TENSORWRIGHT_CORE_FRAMEWORK_OP_KERNEL_CONTEXT_H_
#define TENSORWRIGHT_CORE_FRAMEWORK_OP_KERNEL_CONTEXT_H_

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "core/framework/allocator.h"
#include "core/framework/control_flow.h"
#include "core/framework/device_base.h"
#include "core/framework/op_kernel_construction.h"
#include "core/framework/tensor.h"
#include "core/framework/tensor_shape.h"
#include "core/framework/types.h"
#include "core/lib/core/status.h"
#include "core/platform/mutex.h"

namespace tensorwright {

class CallFrameInterface;
class CancellationManager;
class OpInputList;
class OpKernel;
class OpMutableInputList;
class OpOutputList;
class Rendezvous;
class ResourceMgr;
class ScopedStepContainer;
class StepStatsCollector;

// One input or output: a value, or a reference to one that a mutex guards.
// Owns neither; `tensor` is null for an input that did not come.
struct TensorValue {
  TensorValue() = default;
  explicit TensorValue(Tensor* t) : tensor(t) {}
  TensorValue(mutex* mu, Tensor* t) : mutex_if_ref(mu), tensor(t) {}

  Tensor* operator->() const { return tensor; }
  bool is_ref() const { return mutex_if_ref != nullptr; }
  // The dtype of the value, never a reference dtype.  `tensor` must not be
  // null; nor in operator->.
  DataType dtype() const { return tensor->dtype(); }

  mutex* mutex_if_ref = nullptr;
  Tensor* tensor = nullptr;
  // Whoever runs the kernel promises that nothing else will read *tensor: its
  // buffer, if nothing else holds it either, may become an output's.
  bool last_use = false;
};

// Receives an output.  Owned by whoever runs the kernel; empty before the call.
struct OutputSlot {
  // The kernel's value, if `tensor` points here.  Clear() does not free it: the
  // next value takes its place, or the executor drops the buffer after the last
  // reader.
  Tensor value;
  // nullptr: no output (such as that of a Switch's other branch).  Otherwise
  // &value, or the tensor referred to, whose mutex is `mutex_if_ref`.
  Tensor* tensor = nullptr;
  mutex* mutex_if_ref = nullptr;

  void Clear() {
    tensor = nullptr;
    mutex_if_ref = nullptr;
  }
};

// Constructed on the stack for every call; it allocates nothing.  Used by one
// thread at a time.
class OpKernelContext {
 public:
  // The part of a call that the executor provides.  Most of it is the same for
  // all kernels of a run, so one Params is filled once and a few fields change
  // per kernel.  Nothing is owned; everything must outlive the context.
  // Executors of sessions fill every pointer, except where a comment says null.
  // Kernels that run outside a session (constant folding, tests) may find most
  // pointers null.
  struct Params {
    // Unique in the process; names the run in per-step containers.
    int64_t step_id = 0;
    OpKernel* op_kernel = nullptr;
    DeviceBase* device = nullptr;
    // The device's context for this node, such as a stream; null on a CPU.
    DeviceContext* op_device_context = nullptr;

    // One per data input / output of the kernel.
    absl::Span<TensorValue> inputs;
    absl::Span<OutputSlot> outputs;
    // Empty, which means default attributes (or no contexts) for all, or one
    // per input / output.  Executors fill the first two on devices with memory
    // of their own, the third never.
    absl::Span<const AllocatorAttributes> input_alloc_attrs;
    absl::Span<const AllocatorAttributes> output_alloc_attrs;
    absl::Span<DeviceContext* const> input_device_contexts;

    // A data or control input is dead.  Executors then call only transfers
    // (_Send, _Recv), which pass the deadness on and must not read their
    // inputs.
    bool is_input_dead = false;
    // The loop iteration that this call belongs to; root frame 0, iteration 0.
    FrameAndIter frame_iter;

    // The device's resource manager, and the step's container in it, whose
    // resources go when the step ends.
    ResourceMgr* resource_manager = nullptr;
    ScopedStepContainer* step_container = nullptr;
    Rendezvous* rendezvous = nullptr;
    // Cancelled when the step fails or is interrupted: waiting kernels register
    // with it.
    CancellationManager* cancellation_manager = nullptr;
    // Null in a session: plans feed and fetch slots instead of calling _Arg and
    // _Retval.
    CallFrameInterface* call_frame = nullptr;
    // Null if no kernel of the plan can call functions.
    FunctionLibraryRuntime* function_library = nullptr;
    // Null unless the run is traced.
    StepStatsCollector* stats_collector = nullptr;
    // Runs a closure on the inter-op pool.  Null in this runtime's executors: a
    // kernel that wants threads takes
    // device()->tensorflow_cpu_worker_threads().
    const std::function<void(std::function<void()>)>* runner = nullptr;
  };

  // `params` is borrowed and must not change while the context lives.  The
  // number of outputs, which TensorFlow's callers give, is taken from
  // params->outputs.
  explicit OpKernelContext(Params* params) : params_(params) {}
  OpKernelContext(Params* params, int /*num_outputs*/) : params_(params) {}
  OpKernelContext(const OpKernelContext&) = delete;
  OpKernelContext& operator=(const OpKernelContext&) = delete;

  // ---- Inputs.

  int num_inputs() const { return static_cast<int>(params_->inputs.size()); }
  // A reference dtype for a reference; the declared dtype if no value came.
  DataType input_dtype(int index) const;
  Status input_dtype(absl::string_view name, DataType* dtype) const;
  MemoryType input_memory_type(int index) const;
  bool input_is_ref(int index) const { return params_->inputs[index].is_ref(); }
  // False if no value came: a Merge has inputs that have not arrived or are
  // dead.
  bool has_input(int index) const {
    return params_->inputs[index].tensor != nullptr;
  }

  // The value of an input, shared with its other readers: never write to it.  A
  // reference is read without its lock.  Throws WrongUse if the kernel has no
  // such input; whether a value came is not checked (has_input).
  const Tensor& input(int index) const {
    if (static_cast<size_t>(index) >= params_->inputs.size()) [[unlikely]]
      ThrowNoArgument("input", index);
    return *params_->inputs[index].tensor;
  }
  // By name: InvalidArgument also if no value came.  The pointer is good as the
  // context is.
  Status input(absl::string_view name, const Tensor** tensor) const;
  // A view of a list argument (or of one tensor, as a list of one).
  Status input_list(absl::string_view name, OpInputList* list) const;

  // The mutex that guards a Ref input, owned by the variable; null for a value.
  mutex* input_ref_mutex(int index) const {
    return params_->inputs[index].mutex_if_ref;
  }
  Status input_ref_mutex(absl::string_view name, mutex** out_mutex) const;

  // A Ref input, sharing its buffer: writing to the result's elements writes to
  // the variable.  `lock_held`: the caller holds the input's mutex; otherwise
  // it is taken for the copy of the Tensor object only, not for the reads and
  // writes that follow.  Uninitialized if the variable is.  By name:
  // InvalidArgument if the input is no reference; by position that is checked
  // in debug builds only.
  Tensor mutable_input(int index, bool lock_held);
  Status mutable_input(absl::string_view name, Tensor* tensor, bool lock_held);
  Status mutable_input_list(absl::string_view name, OpMutableInputList* list);

  // Gives a Ref input another buffer and shape: every holder of the reference
  // sees `tensor` from then on, and tensors that shared the old buffer keep it.
  // Does not check the dtype.
  void replace_ref_input(int index, const Tensor& tensor, bool lock_held);
  Status replace_ref_input(absl::string_view name, const Tensor& tensor,
                           bool lock_held);
  // Deletes the Tensor object that a Ref input refers to, which must have come
  // from `new`; nobody may use the reference afterwards.
  void delete_ref_input(int index, bool lock_held);
  // Makes output `output_index` refer to the tensor and the mutex that Ref
  // input `input_index` refers to.  For ops such as Assign that pass their
  // variable on.
  void forward_ref_input_to_ref_output(int input_index, int output_index);

  bool is_input_dead() const { return params_->is_input_dead; }

  // InvalidArgument, with both lists, unless the node's types are these.  An
  // input or output that is a reference also matches the dtype of its value.
  Status MatchSignature(DataTypeSlice expected_inputs,
                        DataTypeSlice expected_outputs);

  // Sets InvalidArgument, with both shapes, and returns false unless all inputs
  // have the shape of input 0.  `op` is named in the message.  True for fewer
  // than two inputs.
  bool ValidateInputsAreSameShape(OpKernel* op);

  // ---- Outputs.

  int num_outputs() const { return static_cast<int>(params_->outputs.size()); }
  // The declared dtype: a reference dtype for a Ref output.  Output memory is
  // host or device.
  DataType expected_output_dtype(int index) const;
  MemoryType output_memory_type(int index) const;
  // Does anything read that output? Always yes: a kernel may not leave an
  // output out.
  bool output_required(int) const { return true; }

  // Makes output `index` of the node's dtype and sets *tensor to it.  Numbers
  // are not set, strings and handles are empty.  The slot owns it; calling
  // again replaces it.  `attr` defaults to the memory that the output belongs
  // in.  Internal for a position that the kernel does not have, or for an
  // output that is a reference.
  Status allocate_output(int index, const TensorShape& shape, Tensor** tensor);
  Status allocate_output(absl::string_view name, const TensorShape& shape,
                         Tensor** tensor);
  Status allocate_output(int index, const TensorShape& shape, Tensor** tensor,
                         AllocatorAttributes attr);
  Status allocate_output(absl::string_view name, const TensorShape& shape,
                         Tensor** tensor, AllocatorAttributes attr);

  // Makes `tensor` output `index`.  The output shares its buffer, so it must
  // not be written afterwards.  If the dtype is not the node's, the output
  // stays unset and this context's status becomes Internal; the form by name
  // returns OK even then.
  void set_output(int index, const Tensor& tensor);
  void set_output(int index, Tensor&& tensor);
  Status set_output(absl::string_view name, const Tensor& tensor);
  // Output `index` refers to *tensor_for_ref, which `mu` guards; neither is
  // owned, and both outlive the run.  Dtypes are checked after the call.
  void set_output_ref(int index, mutex* mu, Tensor* tensor_for_ref);
  Status set_output_ref(absl::string_view name, mutex* mu,
                        Tensor* tensor_for_ref);
  Status output_list(absl::string_view name, OpOutputList* list);

  // nullptr until the output is set; afterwards its value, or the tensor it
  // refers to.
  Tensor* mutable_output(int index) { return output_slot(index).tensor; }
  Status mutable_output(absl::string_view name, Tensor** tensor);

  // Takes output `index` back: it is not set any more, and the result is null
  // if it was not set before.  The tensor of a value was made with new, and the
  // caller deletes it; the tensor of a reference keeps its owner.
  TensorValue release_output(int index);

  // Gives the input's buffer to the output, as a tensor of `shape`, if nobody
  // else needs it: it is the last use, unshared, owned memory, of the output's
  // dtype, memory and number of elements.  The input stays readable through
  // input(), as the same bytes, so elementwise kernels read position i before
  // they write it.  False, with *output untouched, if the buffer must be left
  // alone; the form by name is FailedPrecondition then.
  bool forward_input_to_output_with_shape(int input_index, int output_index,
                                          const TensorShape& shape,
                                          Tensor** output);
  Status forward_input_to_output_with_shape(absl::string_view input_name,
                                            absl::string_view output_name,
                                            const TensorShape& shape,
                                            Tensor** output);
  // The first of the candidates that can be forwarded, in the order given, else
  // a new buffer as allocate_output makes it. *forwarded_input, if given, is
  // set to the input's position, or to -1.
  Status forward_input_or_allocate_output(
      absl::Span<const int> candidate_input_indices, int output_index,
      const TensorShape& shape, Tensor** output,
      int* forwarded_input = nullptr);
  Status forward_input_or_allocate_output(std::initializer_list<int> candidates,
                                          int output_index,
                                          const TensorShape& shape,
                                          Tensor** output,
                                          int* forwarded_input = nullptr) {
    return forward_input_or_allocate_output(
        absl::Span<const int>(candidates.begin(), candidates.size()),
        output_index, shape, output, forwarded_input);
  }
  Status forward_input_or_allocate_output(
      std::initializer_list<absl::string_view> candidate_input_names,
      absl::string_view output_name, const TensorShape& shape, Tensor** output);
  // As above, for a temporary in device memory: scratch space that an input
  // which nobody else needs gives for free.
  Status forward_input_or_allocate_temp(
      absl::Span<const int> candidate_input_indices, DataType type,
      const TensorShape& shape, const AllocatorAttributes& allocator_attr,
      Tensor* out_temp);
  Status forward_input_or_allocate_temp(
      absl::Span<const int> candidate_input_indices, DataType type,
      const TensorShape& shape, Tensor* out_temp) {
    return forward_input_or_allocate_temp(candidate_input_indices, type, shape,
                                          AllocatorAttributes(), out_temp);
  }
  // The input's buffer as a tensor of that type and shape, or null if it must
  // be left alone.  `output_index` is not looked at: the caller sets the
  // output.  Allocates the Tensor object, unlike the forms above.
  std::unique_ptr<Tensor> forward_input(int input_index, int output_index,
                                        DataType dtype,
                                        const TensorShape& shape,
                                        MemoryType memory_type,
                                        const AllocatorAttributes& attr);

  Status allocate_temp(DataType type, const TensorShape& shape,
                       Tensor* out_temp, AllocatorAttributes attr);
  // The same: no allocator here retries or logs an allocation, so the
  // attributes change nothing.
  Status allocate_temp(DataType type, const TensorShape& shape,
                       Tensor* out_temp, AllocatorAttributes attr,
                       const AllocationAttributes& /*allocation*/) {
    return allocate_temp(type, shape, out_temp, attr);
  }
  Status allocate_temp(DataType type, const TensorShape& shape,
                       Tensor* out_temp) {
    return allocate_temp(type, shape, out_temp, AllocatorAttributes());
  }
  // Memory that the kernel keeps between calls; *out_tensor, if given, points
  // into *out_persistent.
  Status allocate_persistent(DataType type, const TensorShape& shape,
                             PersistentTensor* out_persistent,
                             Tensor** out_tensor,
                             AllocatorAttributes attr = AllocatorAttributes());

  // Kernels set the flag it points to to tell the executor that every output of
  // this call is dead, even one that was set: a _Recv passes on in this way
  // that its _Send had a dead value.
  bool* is_output_dead() { return &is_output_dead_; }

  // ---- Status.  The first error counts; an OK never replaces one.  After the
  // call the executor fails the step with it, adding the node's name.  The
  // forms with file and line note where the check stands
  // (errors::FailedSource); "WithWarning" logs nothing here.

  const Status& status() const { return status_; }
  void SetStatus(const Status& status) {
    if (status_.ok()) status_ = status;
  }
  void CtxFailure(const Status& s) { SetStatus(s); }
  void CtxFailure(const char* file, int line, const Status& s);
  void CtxFailureWithWarning(const Status& s) { SetStatus(s); }
  void CtxFailureWithWarning(const char* file, int line, const Status& s) {
    CtxFailure(file, line, s);
  }

  // ---- Surroundings. Borrowed from Params, null where Params says so.  Cheap
  // reads of a field.

  const OpKernel& op_kernel() const { return *params_->op_kernel; }
  // Always false: kernels run as parts of graphs only.
  bool is_eager() const { return false; }
  int64_t step_id() const { return params_->step_id; }
  Env* env() const { return params_->device->env(); }
  DeviceBase* device() const { return params_->device; }
  // Casts it to a T, unchecked: the device and its kernels agree on the type.
  template <typename T>
  T* op_device_context() {
    return static_cast<T*>(params_->op_device_context);
  }
  DeviceContext* op_device_context() { return params_->op_device_context; }
  DeviceContext* input_device_context(int index) const {
    return params_->input_device_contexts.empty()
               ? nullptr
               : params_->input_device_contexts[index];
  }

  // Eigen's view of the device: `eigen_device<CPUDevice>()` with `using
  // CPUDevice = Eigen::ThreadPoolDevice`.  The device must have one: a CPU
  // device has no GpuDevice, and a GPU device no ThreadPoolDevice.
  template <typename EigenDeviceType>
  const EigenDeviceType& eigen_device() const;
  const Eigen::ThreadPoolDevice& eigen_cpu_device() const {
    return *params_->device->eigen_cpu_device();
  }
  const Eigen::GpuDevice& eigen_gpu_device() const {
    return *params_->device->eigen_gpu_device();
  }

  // The device's allocator; not owned.
  Allocator* get_allocator(AllocatorAttributes attr) {
    return params_->device->GetAllocator(attr);
  }
  AllocatorAttributes input_alloc_attr(int index) const {
    return params_->input_alloc_attrs.empty()
               ? AllocatorAttributes()
               : params_->input_alloc_attrs[index];
  }
  AllocatorAttributes output_alloc_attr(int index) const {
    return params_->output_alloc_attrs.empty()
               ? AllocatorAttributes()
               : params_->output_alloc_attrs[index];
  }

  ResourceMgr* resource_manager() const { return params_->resource_manager; }
  ScopedStepContainer* step_container() const {
    return params_->step_container;
  }
  Rendezvous* rendezvous() const { return params_->rendezvous; }
  CancellationManager* cancellation_manager() const {
    return params_->cancellation_manager;
  }
  CallFrameInterface* call_frame() const { return params_->call_frame; }
  FunctionLibraryRuntime* function_library() const {
    return params_->function_library;
  }
  StepStatsCollector* stats_collector() const {
    return params_->stats_collector;
  }
  const FrameAndIter& frame_iter() const { return params_->frame_iter; }
  const std::function<void(std::function<void()>)>* runner() const {
    return params_->runner;
  }

  // Should the kernel report the memory it keeps? Always false: the allocators
  // know what is in use.  If a kernel reports bytes nevertheless, they are
  // added up, for this call.
  bool track_allocations() const { return false; }
  void record_temp_memory_allocation(int64_t bytes) { temp_bytes_ += bytes; }
  void record_temp_memory_allocation(int64_t bytes, const Tensor& /*t*/) {
    temp_bytes_ += bytes;
  }
  int64_t temp_memory_allocated() const { return temp_bytes_; }
  void record_persistent_memory_allocation(int64_t bytes,
                                           int64_t /*alloc_id*/ = -1) {
    persistent_bytes_ += bytes;
  }
  int64_t persistent_memory_allocated() const { return persistent_bytes_; }
  void clear_recorded_memory() { temp_bytes_ = persistent_bytes_ = 0; }

  Params* params() const { return params_; }

 private:
  [[noreturn]] void ThrowNoArgument(const char* kind, int index) const;

  OutputSlot& output_slot(int index) {
    if (static_cast<size_t>(index) >= params_->outputs.size()) [[unlikely]]
      ThrowNoArgument("output", index);
    return params_->outputs[index];
  }

  Params* const params_;
  Status status_;
  bool is_output_dead_ = false;
  int64_t temp_bytes_ = 0;
  int64_t persistent_bytes_ = 0;
};

template <>
inline const Eigen::ThreadPoolDevice& OpKernelContext::eigen_device() const {
  return eigen_cpu_device();
}
template <>
inline const Eigen::GpuDevice& OpKernelContext::eigen_device() const {
  return eigen_gpu_device();
}

// Iterates over an argument that is a list: its tensors, by position in it.  A
// view of the list object, which must outlive it.
template <typename List, typename Element>
class OpArgIterator {
 public:
  OpArgIterator(const List* list, int i) : list_(list), i_(i) {}
  bool operator==(const OpArgIterator& o) const { return i_ == o.i_; }
  bool operator!=(const OpArgIterator& o) const { return i_ != o.i_; }
  OpArgIterator& operator++() {
    ++i_;
    return *this;
  }
  Element operator*() const { return (*list_)[i_]; }

 private:
  const List* list_;
  int i_;
};

// The inputs [start, stop) of a context, which must outlive it.  Position 0 is
// the first tensor of the list; positions are checked as input(i) checks them,
// against all inputs of the node.
class OpInputList {
 public:
  using Iterator = OpArgIterator<OpInputList, const Tensor&>;
  OpInputList() = default;
  OpInputList(OpKernelContext* ctx, int start, int stop)
      : ctx_(ctx), start_(start), stop_(stop) {}
  int size() const { return stop_ - start_; }
  const Tensor& operator[](int i) const { return ctx_->input(start_ + i); }
  Iterator begin() const { return Iterator(this, 0); }
  Iterator end() const { return Iterator(this, size()); }

 private:
  OpKernelContext* ctx_ = nullptr;
  int start_ = 0;
  int stop_ = 0;
};

// The same for Ref inputs, each behind its own mutex.
class OpMutableInputList {
 public:
  OpMutableInputList() = default;
  OpMutableInputList(OpKernelContext* ctx, int start, int stop)
      : ctx_(ctx), start_(start), stop_(stop) {}
  int size() const { return stop_ - start_; }
  Tensor at(int i, bool lock_held) {
    return ctx_->mutable_input(start_ + i, lock_held);
  }
  mutex* ref_mutex(int i) { return ctx_->input_ref_mutex(start_ + i); }

 private:
  OpKernelContext* ctx_ = nullptr;
  int start_ = 0;
  int stop_ = 0;
};

// The outputs [start, stop) of a context, which must outlive it.  An element is
// null until it is allocated or set.
class OpOutputList {
 public:
  using Iterator = OpArgIterator<OpOutputList, Tensor*>;
  OpOutputList() = default;
  OpOutputList(OpKernelContext* ctx, int start, int stop)
      : ctx_(ctx), start_(start), stop_(stop) {}
  int size() const { return stop_ - start_; }
  Tensor* operator[](int i) const { return ctx_->mutable_output(start_ + i); }
  bool required(int i) const { return ctx_->output_required(start_ + i); }
  DataType expected_output_dtype(int i) const {
    return ctx_->expected_output_dtype(start_ + i);
  }
  Status allocate(int i, const TensorShape& shape, Tensor** output) {
    return ctx_->allocate_output(start_ + i, shape, output);
  }
  void set(int i, const Tensor& tensor) {
    ctx_->set_output(start_ + i, tensor);
  }
  void set(int i, Tensor&& tensor) {
    ctx_->set_output(start_ + i, std::move(tensor));
  }
  void set_ref(int i, mutex* mu, Tensor* tensor_for_ref) {
    ctx_->set_output_ref(start_ + i, mu, tensor_for_ref);
  }
  Iterator begin() const { return Iterator(this, 0); }
  Iterator end() const { return Iterator(this, size()); }

 private:
  OpKernelContext* ctx_ = nullptr;
  int start_ = 0;
  int stop_ = 0;
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_FRAMEWORK_OP_KERNEL_CONTEXT_H_
