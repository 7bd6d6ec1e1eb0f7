// SPDX-License-Identifier: Apache-2.0
// TensorReference: keeps a tensor's buffer alive until it is told not to.
#ifndef TENSORWRIGHT_CORE_COMPAT_FRAMEWORK_TENSOR_REFERENCE_H_
#define TENSORWRIGHT_CORE_COMPAT_FRAMEWORK_TENSOR_REFERENCE_H_

#include "absl/container/inlined_vector.h"
#include "core/framework/tensor.h"

namespace tensorwright {

// Holds a reference from construction until Unref(), which must be called
// exactly once; copies do not count.  For work that a device ends later.
class TensorReference {
 public:
  explicit TensorReference(const Tensor& tensor) : buf_(tensor.buffer()) {
    if (buf_ != nullptr) buf_->Ref();
  }
  void Unref() const {
    if (buf_ != nullptr) buf_->Unref();
  }
  size_t TotalBytes() const { return buf_ == nullptr ? 0 : buf_->size(); }
  bool SharesBufferWith(const TensorReference& t) const {
    return buf_ != nullptr && t.buf_ != nullptr &&
           buf_->root_buffer() == t.buf_->root_buffer();
  }

 private:
  TensorBuffer* buf_;
};

using TensorReferenceVector = absl::InlinedVector<TensorReference, 4>;

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_COMPAT_FRAMEWORK_TENSOR_REFERENCE_H_
