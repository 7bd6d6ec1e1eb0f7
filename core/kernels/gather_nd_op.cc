// SPDX-License-Identifier: Apache-2.0
// GatherNd: slices of a tensor by their coordinates.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/kernels/element_dispatch.h"
#include "core/kernels/index_util.h"
#include "core/util/work_sharder.h"

namespace tensorwright {
namespace {

template <typename Index>
class GatherNdOp final : public OpKernel {
 public:
  explicit GatherNdOp(OpKernelConstruction* ctx) : OpKernel(ctx) {
    OP_REQUIRES_OK(ctx, ReadBadIndicesPolicy(ctx, &bad_indices_));
  }

  void Compute(OpKernelContext* ctx) override {
    const Tensor& params = ctx->input(0);
    const Tensor& indices = ctx->input(1);
    OP_REQUIRES(ctx, indices.dims() >= 1,
                errors::InvalidArgument("indices must be at least a vector"));
    const int64_t depth = indices.dim_size(indices.dims() - 1);
    OP_REQUIRES(ctx, depth <= params.dims(),
                errors::InvalidArgument(
                    "index innermost dimension length must be <= params rank; "
                    "saw: ",
                    depth, " vs. ", params.dims()));
    TensorShape shape = indices.shape();
    shape.RemoveLastDims(1);
    std::vector<int64_t> slices(shape.num_elements());
    for (int d = static_cast<int>(depth); d < params.dims(); ++d) {
      OP_REQUIRES_OK(ctx, shape.AddDimWithStatus(params.dim_size(d)));
    }
    const CoordinateSpace space = MakeCoordinateSpace(params.shape(), depth);
    OP_REQUIRES_OK(ctx, SlicesAt<Index>(space, indices, params.shape(), "param",
                                        bad_indices_, &slices));
    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, shape, &out));
    if (out->NumElements() == 0) return;
    const int64_t slice = space.slice;
    OP_REQUIRES_OK(
        ctx, DispatchElement(params.dtype(), [&]<typename T>(ElementTag<T>) {
          ParallelFor(
              ctx, static_cast<int64_t>(slices.size()),
              3 + slice * MoveCost<T>(), [&](int64_t begin, int64_t end) {
                for (int64_t i = begin; i < end; ++i) {
                  T* to = out->base<T>() + i * slice;
                  if (slices[i] < 0) {
                    std::fill_n(to, slice, T());
                  } else {
                    CopyRun(params.base<T>() + slices[i] * slice, slice, to);
                  }
                }
              });
        }));
  }

 private:
  BadIndices bad_indices_;
};
REGISTER_KERNEL_FOR_TYPES(Name("GatherNd").Device(DEVICE_CPU), "Tindices",
                          GatherNdOp, int16_t, int32_t, int64_t);

}  // namespace
}  // namespace tensorwright
