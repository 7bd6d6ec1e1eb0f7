// SPDX-License-Identifier: Apache-2.0
// UnsortedSegmentSum, -Prod, -Max and -Min on a GPU: the host's side.  Ids are
// on the device, so those out of range are ignored there.

#include <cstring>
#include <limits>

#include "core/framework/gpu_device_context.h"
#include "core/framework/numeric_types.h"
#include "core/framework/op_kernel.h"
#include "core/kernels/lib/gpu/device_moves_gpu.h"
#include "core/kernels/lib/gpu/scatter_gpu.h"
#include "core/kernels/math/segment_reduction_ops_unsorted_shapes.h"

namespace tensorwright {
namespace {

template <typename T, GpuCombine kCombine>
class UnsortedSegmentOnGpu : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const Tensor& data = ctx->input(0);
    const Tensor& ids = ctx->input(1);
    int64_t segments = 0, row = 1;
    TensorShape shape;
    OP_REQUIRES_OK(
        ctx, UnsortedSegmentShape(type_string(), data.shape(), ids.shape(),
                                  ctx->input(2), &segments, &row, &shape));
    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, shape, &out));
    if (out->NumElements() == 0) return;
    const T nothing = Nothing();
    OP_REQUIRES_OK(ctx, GpuFill(GpuStream(ctx), &nothing, out->NumElements(),
                                sizeof(T), out->data()));
    const GpuScatter scatter{.combine = kCombine,
                             .indices = ids.data(),
                             .index_bytes = DataTypeSize(ids.dtype()),
                             .rows = ids.NumElements(),
                             .slice = row,
                             .depth = 1,
                             .limits = {segments},
                             .strides = {1},
                             .updates = data.data(),
                             .out = out->data()};
    OP_REQUIRES_OK(ctx,
                   GpuScatterRows<gpu::Storage<T>>(GpuStream(ctx), scatter));
  }

 private:
  // The result for a segment without elements, as on a CPU.
  static T Nothing() {
    switch (kCombine) {
      case GpuCombine::kMul:
        return T(1);
      case GpuCombine::kMax:
        return std::numeric_limits<T>::lowest();
      case GpuCombine::kMin:
        return std::numeric_limits<T>::max();
      default:
        return T(0);
    }
  }
};
template <typename T>
using UnsortedSegmentSumOnGpu = UnsortedSegmentOnGpu<T, GpuCombine::kAdd>;
template <typename T>
using UnsortedSegmentProdOnGpu = UnsortedSegmentOnGpu<T, GpuCombine::kMul>;
template <typename T>
using UnsortedSegmentMaxOnGpu = UnsortedSegmentOnGpu<T, GpuCombine::kMax>;
template <typename T>
using UnsortedSegmentMinOnGpu = UnsortedSegmentOnGpu<T, GpuCombine::kMin>;

#define TW_UNSORTED_ON_GPU(op, index)                                     \
  REGISTER_KERNEL_FOR_TYPES(Name(#op)                                     \
                                .Device(DEVICE_GPU)                       \
                                .HostMemory("num_segments")               \
                                .TypeConstraint<index>("Tindices"),       \
                            "T", op##OnGpu, Eigen::half, Eigen::bfloat16, \
                            float, double, int32_t, int64_t)
TW_UNSORTED_ON_GPU(UnsortedSegmentSum, int32_t);
TW_UNSORTED_ON_GPU(UnsortedSegmentSum, int64_t);
TW_UNSORTED_ON_GPU(UnsortedSegmentProd, int32_t);
TW_UNSORTED_ON_GPU(UnsortedSegmentProd, int64_t);
TW_UNSORTED_ON_GPU(UnsortedSegmentMax, int32_t);
TW_UNSORTED_ON_GPU(UnsortedSegmentMax, int64_t);
TW_UNSORTED_ON_GPU(UnsortedSegmentMin, int32_t);
TW_UNSORTED_ON_GPU(UnsortedSegmentMin, int64_t);

}  // namespace
}  // namespace tensorwright
