// SPDX-License-Identifier: Apache-2.0
// TensorArray: the resource behind the TensorArray ops, a list of tensors that
// a loop writes and reads by index.
//
// Every element is written once and then read; this single assignment makes
// gradients through a TensorArray possible.  The gradient of an array is
// another array, whose elements are the sums of the values written to them.
#ifndef TENSORWRIGHT_CORE_KERNELS_DATA_FLOW_TENSOR_ARRAY_H_
#define TENSORWRIGHT_CORE_KERNELS_DATA_FLOW_TENSOR_ARRAY_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "core/framework/op_kernel.h"
#include "core/framework/resource_mgr.h"
#include "core/framework/tensor.h"
#include "core/framework/tensor_shape.h"

namespace tensorwright {

struct TensorArrayOptions {
  DataType dtype = DT_FLOAT;
  // Every element's shape must fit this.
  PartialTensorShape element_shape;
  // May a write past the end make it longer?
  bool dynamic_size = false;
  // Is an element's memory freed when it has been read?
  bool clear_after_read = true;
  // Must all elements have the first element's shape?
  bool identical_element_shapes = false;
  // Is it a gradient?  Then writes to one element add up, and an element that
  // was never written is zero.
  bool is_gradient = false;
};

// Lives in the container of a run.  Thread-safe.
class TensorArray final : public ResourceBase {
 public:
  // The resource container of the arrays that older ops name by a string
  // handle.
  static constexpr char kContainer[] = "_tensor_arrays";

  TensorArray(std::string name, TensorArrayOptions options, int64_t size);

  // Sets elements [indices[i]] to values[i].  InvalidArgument for an index out
  // of range, an element already written, and a value of another type or a
  // shape that does not fit; elements before the failing one are written.
  Status Write(OpKernelContext* ctx, absl::Span<const int32_t> indices,
               absl::Span<const Tensor> values);
  // InvalidArgument for an index out of range, an element already cleared, and
  // one never written whose shape is not known.
  Status Read(OpKernelContext* ctx, absl::Span<const int32_t> indices,
              std::vector<Tensor>* values);

  // Makes the array at least that long if it may grow, else changes nothing.
  // InvalidArgument for a size beyond every limit.
  Status Reserve(int64_t size);
  Status Size(int32_t* size);
  // Frees the elements; every later use is an InvalidArgument.
  void Close();

  // Options and size for the gradient of this array.
  Status PrepareGradient(TensorArrayOptions* options, int64_t* size);
  // Copies the shapes of `forward`'s elements, so that Read can give zeros of
  // that shape for elements that were never written.
  Status TakeShapes(TensorArray* forward);

  DataType dtype() const { return options_.dtype; }
  PartialTensorShape element_shape();
  const std::string& name() const { return name_; }
  bool dynamic_size() const { return options_.dynamic_size; }

  // The handle [container, name] of the older ops, and the mutex that guards
  // it.
  mutex* handle_mu() { return &handle_mu_; }
  Tensor* handle() { return &handle_; }

  std::string DebugString() override;

 private:
  struct Element {
    Tensor value;
    PartialTensorShape shape;  // The shape of the value that was written.
    bool written = false;
    bool read = false;
    bool cleared = false;
  };

  Status CheckOpen() const TF_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  Status Error(absl::string_view what) const;
  Status WriteOne(OpKernelContext* ctx, int32_t index, const Tensor& value)
      TF_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  Status AddTo(OpKernelContext* ctx, int32_t index, const Tensor& value)
      TF_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  Status ReadOne(OpKernelContext* ctx, int32_t index, Tensor* value)
      TF_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  Status Zeros(OpKernelContext* ctx, int32_t index, Tensor* value)
      TF_EXCLUSIVE_LOCKS_REQUIRED(mu_);

  const std::string name_;
  mutex handle_mu_;
  Tensor handle_;
  mutex mu_;
  TensorArrayOptions options_;  // element_shape is guarded by mu_.
  bool closed_ TF_GUARDED_BY(mu_) = false;
  std::vector<Element> elements_ TF_GUARDED_BY(mu_);
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_DATA_FLOW_TENSOR_ARRAY_H_
