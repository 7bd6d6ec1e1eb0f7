// SPDX-License-Identifier: Apache-2.0
// Moves rows into batches and out of them, since queues and barriers keep
// single elements.
#ifndef TENSORWRIGHT_CORE_KERNELS_DATA_FLOW_BATCH_ROWS_H_
#define TENSORWRIGHT_CORE_KERNELS_DATA_FLOW_BATCH_ROWS_H_

#include <cstdint>

#include "absl/types/span.h"
#include "core/framework/tensor.h"
#include "core/framework/tensor_shape.h"
#include "core/framework/types.h"
#include "core/lib/core/status.h"

namespace tensorwright {

// [n, ...] -> [...]; `batch` has rank >= 1.
TensorShape RowShape(const TensorShape& batch);

// Sets *row to a copy of batch[index, ...] in memory of its own.  The row must
// exist.  ResourceExhausted without memory.
Status CopyRow(const Tensor& batch, int64_t index, Tensor* row);

// Sets *batch to the rows, which are of `dtype`: [rows.size()] + shape.  A row
// may be smaller than `shape`, of the same rank: it fills the corner at the
// origin, and zeros (empty strings) the rest.  ResourceExhausted without
// memory.
Status StackRows(DataType dtype, const TensorShape& shape,
                 absl::Span<const Tensor* const> rows, Tensor* batch);

// Returns a tensor that may be kept: the same one if its memory belongs to
// nobody else and nobody else might write to it; otherwise a copy.
// ResourceExhausted without memory.
Status OwnTensor(const Tensor& tensor, Tensor* owned);

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_DATA_FLOW_BATCH_ROWS_H_
