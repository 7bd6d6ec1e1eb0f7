// SPDX-License-Identifier: Apache-2.0
// Finds, locks and copies variables for kernels.
#include "core/kernels/lib/variables.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "core/framework/op_kernel.h"
#include "core/kernels/lib/element_dispatch.h"
#include "core/util/work_sharder.h"

namespace tensorwright {

// Copies bytes in the memory of the device of `ctx`, which is not the host's,
// behind the work that was enqueued before.  Only the library of GPU support
// offers one (core/kernels/state/dense_update_ops_gpu.cc), so no header says
// so: it would be a part of every kernel.
using DeviceCopy = Status (*)(OpKernelContext* ctx, const void* from,
                              size_t bytes, void* to);
void OfferDeviceCopy(DeviceCopy copy);

namespace {

std::atomic<DeviceCopy> offered_copy{nullptr};

// The handle that `input` carries, checked to be one.
Status HandleOf(OpKernelContext* ctx, int input,
                const ResourceHandle** handle) {
  const Tensor& tensor = ctx->input(input);
  if (tensor.dtype() != DT_RESOURCE || tensor.NumElements() != 1) {
    return errors::InvalidArgument(ctx->op_kernel().type_string(), ": input ",
                                   input,
                                   " must be one handle of a variable, got ",
                                   DataTypeString(tensor.dtype()), " of shape ",
                                   tensor.shape().DebugString());
  }
  *handle = tensor.base<ResourceHandle>();
  return OkStatus();
}

// A variable is made when it is assigned to, so one that does not exist has had
// no value yet, or was destroyed.
Status Uninitialized(OpKernelContext* ctx, const std::string& name) {
  return errors::FailedPrecondition(
      ctx->op_kernel().type_string(), ": resource variable ", name,
      " is not initialized: run its initializer "
      "(tf.global_variables_initializer() has those of all global variables), "
      "or restore it, before it is used");
}

// Gives the variable a buffer that no earlier reader shares.
Status OwnBuffer(OpKernelContext* ctx, Tensor* tensor) {
  if (tensor->NumElements() == 0 || tensor->RefCountIsOne()) return OkStatus();
  PersistentTensor persistent;
  Tensor* fresh = nullptr;
  TF_RETURN_IF_ERROR(ctx->allocate_persistent(tensor->dtype(), tensor->shape(),
                                              &persistent, &fresh));
  TF_RETURN_IF_ERROR(CopyElements(ctx, *tensor, fresh));
  *tensor = *fresh;
  return OkStatus();
}

}  // namespace

void OfferDeviceCopy(DeviceCopy copy) {
  offered_copy.store(copy, std::memory_order_release);
}

Status CopyElements(OpKernelContext* ctx, const Tensor& from, Tensor* to) {
  if (from.data() == to->data()) return OkStatus();
  const DeviceCopy copy = offered_copy.load(std::memory_order_acquire);
  if (copy != nullptr && ctx->op_device_context() != nullptr) {
    return copy(ctx, from.data(), from.TotalBytes(), to->data());
  }
  return DispatchElement(from.dtype(), [&]<typename T>(ElementTag<T>) {
    const T* src = from.base<T>();
    T* dst = to->base<T>();
    ParallelFor(ctx, from.NumElements(), MoveCost<T>(),
                [src, dst](int64_t begin, int64_t end) {
                  CopyRun(src + begin, end - begin, dst + begin);
                });
  });
}

Status FindVariable(OpKernelContext* ctx, int input,
                    core::RefCountPtr<Var>* var) {
  const ResourceHandle* handle = nullptr;
  TF_RETURN_IF_ERROR(HandleOf(ctx, input, &handle));
  TF_RETURN_IF_ERROR(ValidateHandle(ctx, *handle, typeid(Var)));
  // LookupResource would look at the handle once more.
  Var* raw = nullptr;
  if (!ctx->resource_manager()
           ->Lookup(handle->container(), handle->name(), &raw)
           .ok()) {
    return Uninitialized(ctx, handle->name());
  }
  var->reset(raw);
  return OkStatus();
}

Status CheckVariable(OpKernelContext* ctx, int input, Var& var,
                     DataType dtype) {
  const auto name = [ctx, input] {
    return ctx->input(input).base<ResourceHandle>()->name();
  };
  if (!var.is_initialized) return Uninitialized(ctx, name());
  if (dtype != DT_INVALID && var.tensor()->dtype() != dtype) {
    return errors::InvalidArgument(
        ctx->op_kernel().type_string(), ": trying to use variable ", name(),
        " of type ", DataTypeString(var.tensor()->dtype()), " as one of type ",
        DataTypeString(dtype));
  }
  return OkStatus();
}

Status ReadableVariable::Open(OpKernelContext* ctx, int input, DataType dtype) {
  TF_RETURN_IF_ERROR(FindVariable(ctx, input, &var_));
  var_->mu()->lock_shared();
  locked_ = true;
  return CheckVariable(ctx, input, *var_, dtype);
}

Status WritableVariables::Open(OpKernelContext* ctx,
                               absl::Span<const int> inputs, DataType dtype,
                               bool lock_references) {
  absl::InlinedVector<mutex*, 4> mutexes;
  if (IsRefType(ctx->input_dtype(inputs[0]))) {
    if (lock_references) {
      for (int i : inputs) mutexes.push_back(ctx->input_ref_mutex(i));
      Lock(std::move(mutexes));
    }
    for (int i : inputs) {
      tensors_.push_back(ctx->mutable_input(i, lock_references));
    }
    return OkStatus();
  }
  for (int i : inputs) {
    core::RefCountPtr<Var> var;
    TF_RETURN_IF_ERROR(FindVariable(ctx, i, &var));
    mutexes.push_back(var->mu());
    vars_.push_back(std::move(var));
  }
  Lock(std::move(mutexes));
  for (size_t i = 0; i < inputs.size(); ++i) {
    TF_RETURN_IF_ERROR(CheckVariable(ctx, inputs[i], *vars_[i], dtype));
    TF_RETURN_IF_ERROR(OwnBuffer(ctx, vars_[i]->tensor()));
  }
  for (const auto& var : vars_) tensors_.push_back(*var->tensor());
  return OkStatus();
}

// Locks each once, in order of address, so that two kernels never wait for each
// other.
void WritableVariables::Lock(absl::InlinedVector<mutex*, 4> mutexes) {
  std::sort(mutexes.begin(), mutexes.end());
  mutexes.erase(std::unique(mutexes.begin(), mutexes.end()), mutexes.end());
  for (mutex* mu : mutexes) locks_.emplace_back(*mu);
}

}  // namespace tensorwright
