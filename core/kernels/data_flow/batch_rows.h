// SPDX-License-Identifier: Apache-2.0
// Rows in and out of batches: what queues and barriers keep is single elements.
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

// *row becomes a copy of batch[index, ...] in memory of its own.  The row must
// be there.  ResourceExhausted without memory.
Status CopyRow(const Tensor& batch, int64_t index, Tensor* row);

// *batch becomes the rows, [rows.size()] + shape, which are of `dtype`.  A row
// may be smaller than `shape`, of the same rank: it fills the corner at the
// origin, and zeros (empty strings) the rest.  ResourceExhausted without
// memory.
Status StackRows(DataType dtype, const TensorShape& shape,
                 absl::Span<const Tensor* const> rows, Tensor* batch);

// A tensor that may be kept: the same one if nobody else has it, who might
// write to it, or whose memory it is; else a copy.  ResourceExhausted without
// memory.
Status OwnTensor(const Tensor& tensor, Tensor* owned);

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_DATA_FLOW_BATCH_ROWS_H_
