// SPDX-License-Identifier: Apache-2.0
// A sparse tensor as the sparse tensors of its rows, and rows as a batch.
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

// How many tensors a sparse tensor is.
inline constexpr int64_t kSparseParts = 3;

// indices [n, rank], values [n], shape [rank].
struct SparseParts {
  Tensor indices;
  Tensor values;
  Tensor shape;
};

// rows[i]: the elements of row i of the first dimension, without it.
// InvalidArgument for a rank below 2, and for indices that are outside or out
// of order.
Status CutIntoRows(const SparseInput& in, std::vector<SparseParts>* rows);

// Outputs 0 to 2: a sparse tensor [outer..., largest sizes of the parts], whose
// row-major places in `outer` the parts are; as many, and at least one.
// InvalidArgument if parts have different ranks, or what belongs together does
// not fit.
Status JoinRows(OpKernelContext* ctx, const std::vector<SparseParts>& parts,
                absl::Span<const int64_t> outer);

}  // namespace tensorwright

#endif  // TENSORWRIGHT_CORE_KERNELS_SPARSE_SPARSE_TENSORS_BATCH_H_
