// SPDX-License-Identifier: Apache-2.0
// Cuts a sparse tensor into sparse tensors of its rows, and joins rows to a
// batch.
#ifndef TENSORWRIGHT_CORE_KERNELS_SPARSE_SPARSE_TENSORS_BATCH_H_
#define TENSORWRIGHT_CORE_KERNELS_SPARSE_SPARSE_TENSORS_BATCH_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/kernels/sparse/sparse_util.h"
#include "core/lib/core/status.h"

namespace tensorwright {

// The number of tensors that make a sparse tensor.
inline constexpr int64_t kSparseParts = 3;

// indices [n, rank], values [n], shape [rank].
struct SparseParts {
  Tensor indices;
  Tensor values;
  Tensor shape;
};

// Sets rows[i] to the elements of row i of the first dimension, without that
// dimension.  InvalidArgument for a rank below 2, and for indices that are
// outside or out of order.
Status CutIntoRows(const SparseInput& in, std::vector<SparseParts>* rows);

// Makes outputs 0 to 2: a sparse tensor [outer..., largest sizes of the parts].
// The parts fill the places of `outer` in row-major order; there are as many as
// places, and at least one.  InvalidArgument if parts have different ranks, or
// the tensors of a part do not fit together.
Status JoinRows(OpKernelContext* ctx, const std::vector<SparseParts>& parts,
                absl::Span<const int64_t> outer);

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_SPARSE_SPARSE_TENSORS_BATCH_H_
