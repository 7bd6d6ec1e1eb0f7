// SPDX-License-Identifier: Apache-2.0
// DynamicPartition: divides the slices of a tensor among several.

#include <cstdint>
#include <vector>

#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/kernels/lib/element_dispatch.h"
#include "core/kernels/lib/index_util.h"

namespace tensorwright {
namespace {

class DynamicPartitionOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& data = ctx->input(0);
    const Tensor& partitions = ctx->input(1);
    const int num_partitions = ctx->num_outputs();
    OP_REQUIRES(
        ctx, TensorShapeUtils::StartsWith(data.shape(), partitions.shape()),
        errors::InvalidArgument(
            "data.shape must start with partitions.shape, got data.shape = ",
            data.shape().DebugString(),
            ", partitions.shape = ", partitions.shape().DebugString()));
    OP_REQUIRES_OK(
        ctx, CheckIndices<int32_t>(partitions, num_partitions, "partitions"));
    const absl::Span<const int32_t> part = Flat<int32_t>(partitions);
    std::vector<int64_t> counts(num_partitions);
    for (int32_t p : part) ++counts[p];

    std::vector<Tensor*> outs(num_partitions);
    int64_t slice = 1;
    for (int p = 0; p < num_partitions; ++p) {
      TensorShape shape({counts[p]});
      slice = 1;
      for (int d = partitions.dims(); d < data.dims(); ++d) {
        OP_REQUIRES_OK(ctx, shape.AddDimWithStatus(data.dim_size(d)));
        slice *= data.dim_size(d);
      }
      OP_REQUIRES_OK(ctx, ctx->allocate_output(p, shape, &outs[p]));
    }
    if (slice == 0) return;
    OP_REQUIRES_OK(
        ctx, DispatchElement(data.dtype(), [&]<typename T>(ElementTag<T>) {
          std::vector<T*> next(num_partitions);
          for (int p = 0; p < num_partitions; ++p) next[p] = outs[p]->base<T>();
          const T* from = data.base<T>();
          for (int32_t p : part) {
            CopyRun(from, slice, next[p]);
            next[p] += slice;
            from += slice;
          }
        }));
  }
};
REGISTER_KERNEL_BUILDER(Name("DynamicPartition").Device(DEVICE_CPU),
                        DynamicPartitionOp);

}  // namespace
}  // namespace tensorwright
