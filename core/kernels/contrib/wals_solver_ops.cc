// SPDX-License-Identifier: Apache-2.0
// WALSComputePartialLhsAndRhs: what the entries of a sparse matrix add to the
// normal equations of its rows' factors (weighted alternating least squares,
// Hu, Koren and Volinsky, 2008).

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/lib/core/errors.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace {

// The entries of a sparse matrix, by rows of the one that is meant: of the
// stored one or its transpose.
struct Entries {
  const int64_t* indices;
  const float* values;
  int64_t count;
  bool transposed;

  int64_t row(int64_t e) const { return indices[2 * e + (transposed ? 1 : 0)]; }
  int64_t column(int64_t e) const {
    return indices[2 * e + (transposed ? 0 : 1)];
  }
};

// How much an entry counts more than one that was not observed.
struct Weights {
  const float* by_entry;  // Null: the product of the other two.
  const float* by_row;
  const float* by_column;

  float at(const Entries& entries, int64_t e) const {
    if (by_entry != nullptr) return by_entry[e];
    return by_row[entries.row(e)] * by_column[entries.column(e)];
  }
};

// Entries sorted by rows: those of row i are order[starts[i]], ... up to
// starts[i + 1].  Within a row they keep their order.
struct Order {
  std::vector<int64_t> starts, order;

  Order(const Entries& entries, int64_t rows)
      : starts(rows + 1), order(entries.count) {
    for (int64_t e = 0; e < entries.count; ++e) ++starts[entries.row(e) + 1];
    for (int64_t i = 0; i < rows; ++i) starts[i + 1] += starts[i];
    std::vector<int64_t> next(starts.begin(), starts.end() - 1);
    for (int64_t e = 0; e < entries.count; ++e) {
      order[next[entries.row(e)]++] = e;
    }
  }
};

// Adds w f f^T to the lower triangle of lhs [k, k], and scaled * f to rhs [k].
void AddEntry(const float* f, int64_t k, float w, float scaled, float* lhs,
              float* rhs) {
  for (int64_t i = 0; i < k; ++i) {
    const float wf = w * f[i];
    float* row = lhs + i * k;
    for (int64_t j = 0; j <= i; ++j) row[j] += wf * f[j];
    rhs[i] += scaled * f[i];
  }
}

void MirrorLowerTriangle(int64_t k, float* matrix) {
  for (int64_t i = 0; i < k; ++i) {
    for (int64_t j = 0; j < i; ++j) matrix[j * k + i] = matrix[i * k + j];
  }
}

Status CheckWeights(const Tensor& entry_weights, const Tensor& input_weights,
                    const Tensor& factor_weights, int64_t entries, int64_t rows,
                    int64_t columns) {
  if (entry_weights.NumElements() > 0) {
    if (entry_weights.NumElements() != entries) {
      return errors::InvalidArgument(
          "WALSComputePartialLhsAndRhs: entry_weights must be empty or have "
          "the length of input_values, ",
          entries, "; got ", entry_weights.NumElements());
    }
    if (input_weights.NumElements() > 0 || factor_weights.NumElements() > 0) {
      return errors::InvalidArgument(
          "WALSComputePartialLhsAndRhs: input_weights and factor_weights must "
          "be empty where entry_weights are given; got ",
          input_weights.NumElements(), " and ", factor_weights.NumElements());
    }
    return OkStatus();
  }
  if (entries == 0) return OkStatus();
  if (factor_weights.NumElements() != columns) {
    return errors::InvalidArgument(
        "WALSComputePartialLhsAndRhs: factor_weights must have an element for "
        "each row of factors, ",
        columns, "; got ", factor_weights.NumElements());
  }
  if (input_weights.NumElements() < rows) {
    return errors::InvalidArgument(
        "WALSComputePartialLhsAndRhs: input_weights must have an element for "
        "each of input_block_size rows, ",
        rows, "; got ", input_weights.NumElements());
  }
  return OkStatus();
}

Status CheckPlaces(const Entries& entries, int64_t rows, int64_t columns) {
  for (int64_t e = 0; e < entries.count; ++e) {
    const int64_t i = entries.row(e), j = entries.column(e);
    if (i < 0 || i >= rows) {
      return errors::InvalidArgument(
          "WALSComputePartialLhsAndRhs: input_indices[", e,
          "] must name a row in [0, ", rows, "), got ", i);
    }
    if (j < 0 || j >= columns) {
      return errors::InvalidArgument(
          "WALSComputePartialLhsAndRhs: input_indices[", e,
          "] must name a row of factors in [0, ", columns, "), got ", j);
    }
  }
  return OkStatus();
}

class WALSComputePartialLhsAndRhsOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& factors = ctx->input(0);
    const Tensor& factor_weights = ctx->input(1);
    const Tensor& input_weights = ctx->input(3);
    const Tensor& entry_weights = ctx->input(6);
    const float unobserved = ctx->input(2).base<float>()[0];
    const int64_t rows = ctx->input(7).base<int64_t>()[0];
    const int64_t columns = factors.dim_size(0), k = factors.dim_size(1);
    const Entries entries{
        ctx->input(4).base<int64_t>(), ctx->input(5).base<float>(),
        ctx->input(5).dim_size(0), ctx->input(8).base<bool>()[0]};
    OP_REQUIRES_OK(ctx,
                   CheckWeights(entry_weights, input_weights, factor_weights,
                                entries.count, rows, columns));
    OP_REQUIRES_OK(ctx, CheckPlaces(entries, rows, columns));
    const Weights weights{
        entry_weights.NumElements() > 0 ? entry_weights.base<float>() : nullptr,
        input_weights.base<float>(), factor_weights.base<float>()};
    TensorShape shape;
    OP_REQUIRES_OK(ctx, TensorShape::BuildTensorShape({rows, k, k}, &shape));
    Tensor* lhs = nullptr;
    Tensor* rhs = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, shape, &lhs));
    OP_REQUIRES_OK(ctx, ctx->allocate_output(1, TensorShape({rows, k}), &rhs));
    if (rhs->NumElements() == 0) return;
    const Order order(entries, rows);
    const float* f = factors.base<float>();
    float* to_lhs = lhs->base<float>();
    float* to_rhs = rhs->base<float>();
    const int64_t entries_per_row = entries.count / rows + 1;
    ParallelFor(
        ctx, rows, (k * k / 2 + k + 20) * entries_per_row + k * k,
        [&](int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i) {
            float* matrix = to_lhs + i * k * k;
            float* vector = to_rhs + i * k;
            std::fill_n(matrix, k * k, 0.0f);
            std::fill_n(vector, k, 0.0f);
            for (int64_t p = order.starts[i]; p < order.starts[i + 1]; ++p) {
              const int64_t e = order.order[p];
              const float w = weights.at(entries, e);
              AddEntry(f + entries.column(e) * k, k, w,
                       (unobserved + w) * entries.values[e], matrix, vector);
            }
            MirrorLowerTriangle(k, matrix);
          }
        });
  }
};

REGISTER_KERNEL_BUILDER(Name("WALSComputePartialLhsAndRhs").Device(DEVICE_CPU),
                        WALSComputePartialLhsAndRhsOp);

}  // namespace
}  // namespace tensorwright
