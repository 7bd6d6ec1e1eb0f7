// SPDX-License-Identifier: Apache-2.0
// SparseSlice: gives the elements in a box, counted from its corner.

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/framework/op_kernel.h"
#include "core/kernels/sparse/sparse_util.h"

namespace tensorwright {
namespace {

int64_t Minus(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) -
                              static_cast<uint64_t>(b));
}

int64_t SaturatingAdd(int64_t a, int64_t b) {
  int64_t sum;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return a < 0 ? std::numeric_limits<int64_t>::min()
               : std::numeric_limits<int64_t>::max();
}

class SparseSliceOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const SparseInput in(ctx, 0);
    OP_REQUIRES_OK(ctx, in.Check("input_"));
    TensorShape unused;
    OP_REQUIRES_OK(ctx, ShapeOf(in.sizes(), &unused));
    const Tensor& start = ctx->input(3);
    const Tensor& size = ctx->input(4);
    const int64_t rank = in.rank();
    OP_REQUIRES(ctx, start.dims() == 1 && start.NumElements() == rank,
                errors::InvalidArgument(
                    "Expected start to be a vector of length ", rank,
                    " but got shape ", start.shape().DebugString()));
    OP_REQUIRES(
        ctx, size.dims() == 1 && size.NumElements() == rank,
        errors::InvalidArgument("Expected size to be a vector of length ", rank,
                                " but got shape ", size.shape().DebugString()));
    const int64_t* const starts = start.base<int64_t>();
    const int64_t* const sizes = size.base<int64_t>();
    std::vector<int64_t> ends(rank), out_sizes(rank);
    for (int64_t d = 0; d < rank; ++d) {
      OP_REQUIRES(ctx, sizes[d] >= 0,
                  errors::InvalidArgument("Expected a non-negative size, got ",
                                          sizes[d], " for dimension ", d));
      ends[d] = SaturatingAdd(starts[d], sizes[d]);
      out_sizes[d] = std::max<int64_t>(
          0, SaturatingAdd(std::min(ends[d], in.sizes()[d]),
                           starts[d] == INT64_MIN ? INT64_MAX : -starts[d]));
    }
    const sparse::Rows rows = in.rows();
    std::vector<int64_t> kept;
    for (int64_t i = 0; i < rows.n; ++i) {
      bool inside = true;
      for (int64_t d = 0; d < rank; ++d) {
        inside &= rows[i][d] >= starts[d] && rows[i][d] < ends[d];
      }
      if (inside) kept.push_back(i);
    }
    OP_REQUIRES_OK(ctx, SetSizes(ctx, 2, out_sizes));
    OP_REQUIRES_OK(ctx, SetValues(ctx, 1, in.values, kept));
    Tensor* indices = nullptr;
    const int64_t n = static_cast<int64_t>(kept.size());
    OP_REQUIRES_OK(ctx,
                   ctx->allocate_output(0, TensorShape({n, rank}), &indices));
    int64_t* to = indices->base<int64_t>();
    for (const int64_t i : kept) {
      for (int64_t d = 0; d < rank; ++d) *to++ = Minus(rows[i][d], starts[d]);
    }
  }
};
REGISTER_KERNEL_BUILDER(Name("SparseSlice").Device(DEVICE_CPU), SparseSliceOp);

}  // namespace
}  // namespace tensorwright
