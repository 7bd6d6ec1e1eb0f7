// SPDX-License-Identifier: Apache-2.0
// The kernel of RaggedTensorToSparse.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/framework/op_kernel.h"
#include "core/lib/core/errors.h"
#include "core/util/int_elements.h"

namespace tensorwright {
namespace {

// splits: of rows whose values number `values`; *longest is the largest row.
Status CheckSplits(const Tensor& splits, int dimension, int64_t values,
                   int64_t* longest) {
  const int64_t n = splits.NumElements();
  if (splits.dims() != 1 || n == 0) {
    return errors::InvalidArgument(
        "RaggedTensorToSparse: splits of ragged dimension ", dimension,
        " must be a vector that is not empty, got shape ",
        splits.shape().DebugString());
  }
  if (IntAt(splits, 0) != 0 || IntAt(splits, n - 1) != values) {
    return errors::InvalidArgument(
        "RaggedTensorToSparse: splits of ragged dimension ", dimension,
        " must go from 0 to ", values, ", got ", IntAt(splits, 0), " and ",
        IntAt(splits, n - 1));
  }
  *longest = 0;
  for (int64_t i = 1; i < n; ++i) {
    const int64_t size = IntAt(splits, i) - IntAt(splits, i - 1);
    if (size < 0) {
      return errors::InvalidArgument(
          "RaggedTensorToSparse: splits of ragged dimension ", dimension,
          " must not decrease, got ", IntAt(splits, i - 1), " before ",
          IntAt(splits, i));
    }
    *longest = std::max(*longest, size);
  }
  return OkStatus();
}

}  // namespace

class RaggedTensorToSparseOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const int ragged_rank = ctx->num_inputs() - 1;
    const Tensor& values = ctx->input(ragged_rank);
    OP_REQUIRES(ctx, values.dims() >= 1,
                errors::InvalidArgument(
                    "RaggedTensorToSparse: rt_dense_values must have rank >= "
                    "1, got shape ",
                    values.shape().DebugString()));
    std::vector<int64_t> box(1, 0);
    for (int d = 0; d < ragged_rank; ++d) {
      const int64_t below = d + 1 < ragged_rank
                                ? ctx->input(d + 1).NumElements() - 1
                                : values.dim_size(0);
      int64_t longest = 0;
      OP_REQUIRES_OK(ctx, CheckSplits(ctx->input(d), d, below, &longest));
      if (d == 0) box[0] = ctx->input(0).NumElements() - 1;
      box.push_back(longest);
    }
    for (int d = 1; d < values.dims(); ++d) box.push_back(values.dim_size(d));
    const int64_t count = values.NumElements();
    const int64_t rank = static_cast<int64_t>(box.size());
    Tensor *indices = nullptr, *shape = nullptr, elements;
    OP_REQUIRES_OK(
        ctx, ctx->allocate_output(0, TensorShape({count, rank}), &indices));
    OP_REQUIRES(ctx, elements.CopyFrom(values, TensorShape({count})),
                errors::Internal("RaggedTensorToSparse: no reshape"));
    ctx->set_output(1, elements);
    OP_REQUIRES_OK(ctx, ctx->allocate_output(2, TensorShape({rank}), &shape));
    std::copy(box.begin(), box.end(), shape->base<int64_t>());
    if (count > 0) PutPlaces(ctx, values, box, indices->base<int64_t>());
  }

 private:
  // Walks through the rows of all dimensions side by side.
  static void PutPlaces(OpKernelContext* ctx, const Tensor& values,
                        const std::vector<int64_t>& box, int64_t* to) {
    const int ragged_rank = ctx->num_inputs() - 1;
    const int64_t size = values.NumElements() / values.dim_size(0);
    std::vector<int64_t> row(ragged_rank, 0);  // That holds what is at hand.
    std::vector<int64_t> place(box.size(), 0);
    for (int64_t v = 0; v < values.dim_size(0); ++v) {
      int64_t below = v;
      for (int d = ragged_rank - 1; d >= 0; --d) {
        const Tensor& splits = ctx->input(d);
        while (IntAt(splits, row[d] + 1) <= below) ++row[d];
        place[d + 1] = below - IntAt(splits, row[d]);
        below = row[d];
      }
      place[0] = below;
      for (int64_t i = 0; i < size; ++i) {
        int64_t rest = i;
        for (int d = static_cast<int>(box.size()) - 1; d > ragged_rank; --d) {
          place[d] = rest % box[d];
          rest /= box[d];
        }
        to = std::copy(place.begin(), place.end(), to);
      }
    }
  }
};

REGISTER_KERNEL_BUILDER(Name("RaggedTensorToSparse").Device(DEVICE_CPU),
                        RaggedTensorToSparseOp);

}  // namespace tensorwright
