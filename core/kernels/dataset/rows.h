// SPDX-License-Identifier: Apache-2.0
// Rows of tensors as elements, and elements as rows of a batch.
#ifndef TENSORWRIGHT_CORE_KERNELS_DATASET_ROWS_H_
#define TENSORWRIGHT_CORE_KERNELS_DATASET_ROWS_H_

#include <cstdint>
#include <vector>

#include "core/framework/tensor.h"
#include "core/kernels/dataset/dataset_base.h"
#include "core/lib/core/status.h"

namespace tensorwright {

// Row `index` of `from`, rank >= 1, in memory of its own.
Status RowAt(const Tensor& from, int64_t index, Tensor* row);

// Elements of equal shapes become the rows of tensors, one for each component,
// as they come.
class BatchBuilder {
 public:
  // For up to `batch_size` elements, >= 1; reserves room for them at once
  // unless they are very many.
  explicit BatchBuilder(int64_t batch_size) : batch_size_(batch_size) {}

  // InvalidArgument if a component's shape differs from that of the first
  // element; then Add must not be called again.
  Status Add(const Element& element);
  int64_t size() const { return size_; }
  // The batch of the added elements, of which there must be one.  Begins anew.
  Element Finish();

 private:
  struct Column {
    Tensor rows;
    TensorShape shape;  // The shape of an element.
    // The bytes of an element; 0 for elements that are objects.
    size_t bytes = 0;
  };
  Status Begin(const Element& element);
  Status Grow();

  const int64_t batch_size_;
  int64_t size_ = 0;
  int64_t capacity_ = 0;
  std::vector<Column> columns_;
};

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_DATASET_ROWS_H_
