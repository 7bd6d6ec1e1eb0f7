// SPDX-License-Identifier: Apache-2.0
// BytesInUse, BytesLimit, MaxBytesInUse: the counts of the device's allocator.

#include <cstdint>
#include <optional>

#include "core/framework/allocator.h"
#include "core/framework/op_kernel.h"
#include "core/framework/tensor.h"
#include "core/lib/core/errors.h"

namespace tensorwright {
namespace {

int64_t InUse(const AllocatorStats& stats) { return stats.bytes_in_use; }
int64_t Peak(const AllocatorStats& stats) { return stats.peak_bytes_in_use; }
int64_t Limit(const AllocatorStats& stats) { return stats.bytes_limit; }

template <int64_t (*kCount)(const AllocatorStats&)>
class MemoryStatsOp final : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    Allocator* allocator = ctx->get_allocator(AllocatorAttributes());
    const std::optional<AllocatorStats> stats = allocator->GetStats();
    OP_REQUIRES(ctx, stats.has_value(),
                errors::Unavailable(type_string(), ": the allocator ",
                                    allocator->Name(), " counts nothing"));
    Tensor* out = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, TensorShape({}), &out));
    *out->base<int64_t>() = kCount(*stats);
  }
};

REGISTER_KERNEL_BUILDER(Name("BytesInUse").Device(DEVICE_CPU),
                        MemoryStatsOp<InUse>);
REGISTER_KERNEL_BUILDER(Name("BytesLimit").Device(DEVICE_CPU),
                        MemoryStatsOp<Limit>);
REGISTER_KERNEL_BUILDER(Name("MaxBytesInUse").Device(DEVICE_CPU),
                        MemoryStatsOp<Peak>);

}  // namespace
}  // namespace tensorwright
