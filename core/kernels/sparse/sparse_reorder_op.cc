// SPDX-License-Identifier: Apache-2.0
// SparseReorder: sorts rows of indices, with their values.

#include <cstdint>
#include <vector>

#include "core/framework/op_kernel.h"
#include "core/kernels/sparse/sparse_util.h"

namespace tensorwright {
namespace {

// Rows that are in order pass through.  Sizes and bounds do not matter, because
// the order is that of the coordinates.
class SparseReorderOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const SparseInput in(ctx, 0);
    OP_REQUIRES_OK(ctx, in.Check("input_"));
    if (sparse::IsSorted(in.rows())) {
      ctx->set_output(0, in.indices);
      ctx->set_output(1, in.values);
      return;
    }
    const std::vector<int64_t> order =
        sparse::SortedOrder(in.rows(), in.sizes(), AllDims(in.rank()));
    OP_REQUIRES_OK(ctx, SetRows(ctx, 0, in.rows(), order));
    OP_REQUIRES_OK(ctx, SetValues(ctx, 1, in.values, order));
  }
};
REGISTER_KERNEL_BUILDER(Name("SparseReorder").Device(DEVICE_CPU),
                        SparseReorderOp);

}  // namespace
}  // namespace tensorwright
